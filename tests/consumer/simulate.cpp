// A simulation without files in a stranger's project: half the holding force on a resting body, which must not move.
#include <bristle/simulate.hpp>

#include <cmath>
#include <cstdio>

int main() {
  using namespace bristle;
  auto made = make("lugre", {{"Fc", 1.0}, {"Fs", 1.5}, {"vs", 0.01}, {"sigma0", 1e5}, {"sigma1", 10.0}});
  if (!made.contact) return 1;
  Experiment e;
  e.body.mass = 1;
  e.drive = {DriveOf::force, {{Constant{0.5}, 0}}, 0};
  e.contacts.push_back({"", std::move(made.contact)});
  e.solver.duration = 10;  // the contact rings for a second
  const Run run = simulate(e);
  const double F = run.trace.find("F")->values.back(), v = run.trace.find("v")->values.back();
  std::printf("v = %g m/s, F = %g N\n", v, F);
  return std::abs(v) < 1e-6 && std::abs(F - 0.5) < 1e-6 ? 0 : 1;
}
