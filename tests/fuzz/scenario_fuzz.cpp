/// Any text as a scenario: it is read, or there are problems, each of one line with its place. Lines "#set a.b=1" become
/// changes.
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include "bristle/scenario.hpp"
#include "require.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace bristle;
  const std::string text(data, data + size);
  std::vector<std::string> changes;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("#set ", 0) == 0) changes.push_back(line.substr(5));
  }
  const Loaded loaded = read_scenario(text, "s.toml", changes);
  require(loaded.scenario.has_value() == loaded.problems.empty());
  for (const Problem& p : loaded.problems) {
    require(!p.where.empty() && p.text.size() < 1000 && p.line().find('\n') == std::string::npos);
  }
  if (loaded.scenario) {
    const Scenario& s = *loaded.scenario;
    require(row_count(s.experiment.solver) <= most_rows);
    const double end = s.experiment.solver.duration;
    for (const double t : {0.0, end / 3, end}) require(s.experiment.drive.next_corner(t) > t);
    for (const double t : probe_times(s)) require(t >= 0 && t <= end);
    for (const Checked& c : check(s, {})) require(!c.line.empty());
  }
  return 0;
}
