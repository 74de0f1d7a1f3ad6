// A scenario and its page in a stranger's project.
#include <bristle/report.hpp>

#include <cstdio>

int main() {
  using namespace bristle;
  const Loaded loaded = read_scenario(
      "[system]\nkind = 'slider'\nmass = 1\n[friction]\nmodel = 'coulomb'\nFc = 1\n[drive]\nkind = 'constant'\nof = 'force'\nvalue = 2\n[solver]\nduration = 1\n"
      "[expect]\n'v(1)' = { value = 1, abs = 1e-9 }\n",
      "block.toml");
  for (const Problem& p : loaded.problems) std::puts(p.line().c_str());
  if (!loaded.scenario) return 1;
  const Run run = simulate(loaded.scenario->experiment, {.probes = probe_times(*loaded.scenario)});
  const auto checks = check(*loaded.scenario, run);
  for (const Checked& c : checks) std::puts(c.line.c_str());
  return checks.size() == 1 && checks.front().held && !report::run_page(*loaded.scenario, run, checks).empty() ? 0 : 1;
}
