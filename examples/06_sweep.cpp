/// 06. A sweep in memory: one scenario, several velocities, a measure of each run. Needs bristle::report (scenario files).
/// `bristle sweep` does the same from the command line, on all cores and resumable.
#include <bristle/sweep.hpp>

#include <cmath>
#include <cstdio>

using namespace bristle;

int main() {
  const char* text = R"toml(
[friction]
model = "stribeck"
Fc = 1.0
Fs = 1.5
vs = 0.001
[system]
kind = "slider"
mass = 1.0
stiffness = 100.0
damping = 2.0
[drive]
kind = "ramp"
velocity = 0.01
[solver]
duration = 20.0
[measure]
slips = "count(slip+)"
peak = "max(F)"
)toml";
  FamilyRead read = read_family(text, "slider.toml");
  for (const Problem& p : read.problems) std::puts(p.line().c_str());
  if (!read.family) return 1;
  read.family->vary({{"drive.velocity", "the sweep"}});
  const std::vector<std::vector<double>> points{{0.002}, {0.005}, {0.01}, {0.02}, {1.0}};
  const auto rows = sweep::evaluate(*read.family, points);
  std::puts("velocity m/s   slips   peak N");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].status != "done") {
      std::printf("%12g   %s: %s\n", points[i][0], rows[i].status.c_str(), rows[i].message.c_str());
      return 1;
    }
    std::printf("%12g %7g %8.4f\n", points[i][0], rows[i].measures[0], rows[i].measures[1]);
  }
  const double slow = rows.front().measures[0], fast = rows.back().measures[0];
  std::puts(slow > 1 && fast == 1 ? "stick-slip at low speed, steady sliding at high speed" : "unexpected");
  return slow > 1 && fast == 1 ? 0 : 1;
}
