/// Fixed jobs whose instructions are counted under callgrind: tools/count compares them with what was recorded. Every
/// job runs once before it is counted, so that symbols are bound and memory is at hand.
#include <valgrind/callgrind.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>

#include "bristle/scenario.hpp"
#include "bristle/simulate.hpp"
#include "bristle/trace.hpp"

using namespace bristle;

namespace {

template <class Job> void count(const char* name, Job&& job) {
  job();
  CALLGRIND_ZERO_STATS;
  CALLGRIND_TOGGLE_COLLECT;
  job();
  CALLGRIND_TOGGLE_COLLECT;
  CALLGRIND_DUMP_STATS_AT(name);
}

std::unique_ptr<AnyContact> contact(const char* model, const Table& parameters) {
  auto made = make(model, parameters);
  if (!made.contact) throw std::runtime_error(made.problems.front().line());
  return std::move(made.contact);
}
Experiment experiment(std::unique_ptr<AnyContact> c, double stiffness, Drive drive, double duration) {
  Experiment e;
  e.body.stiffness = stiffness;
  e.contacts.push_back({"", std::move(c)});
  e.drive = std::move(drive);
  e.solver.duration = duration;
  e.solver.output_step = 0.01;
  e.solver.rtol = 1e-6;
  return e;
}
Drive pulled(double velocity) { return {DriveOf::position, {{Ramp{velocity, 0}, 0}}, 0}; }

void jobs(const char* scenario) {
  const Experiment stick_slip = experiment(
      contact("lugre", {{"Fc", 1}, {"Fs", 1.5}, {"vs", 1e-3}, {"sigma0", 1e5}, {"sigma1", 316.23}, {"kv", 0.4}}), 2,
      pulled(0.1), 20);
  count("lugre_stick_slip", [&] { simulate(stick_slip); });

  const Experiment block = experiment(contact("coulomb", {{"Fc", 0.981}}), 10, pulled(0.4), 10);
  count("coulomb_block", [&] { simulate(block); });

  Experiment motion = experiment(contact("gms", {{"Fc", 1},
                                                 {"Fs", 1.5},
                                                 {"vs", 1e-3},
                                                 {"k", {4e4, 3e4, 2e4, 1e4}},
                                                 {"nu", {0.1, 0.225, 0.3, 0.375}},
                                                 {"C", 100}}),
                                 0, {DriveOf::velocity, {{Sine{5e-3, 1, 0, 0}, 0}}, 0}, 2);
  motion.kind = SystemKind::prescribed;
  count("gms_prescribed", [&] { simulate(motion); });

  Experiment many_rows =
      experiment(contact("lugre", {{"Fc", 1}, {"Fs", 1.5}, {"vs", 1e-3}, {"sigma0", 1e5}, {"sigma1", 316.23}}), 2,
                 pulled(0.1), 20);
  many_rows.solver.output_step = 2e-3;
  const Trace trace = simulate(many_rows).trace;
  count("csv_10001_rows", [&] {
    std::ostringstream out;
    write_csv(trace, out);
  });

  std::ifstream file(scenario);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  count("scenario_read", [&] {
    if (!read_scenario(text, scenario).scenario) throw std::runtime_error("the scenario cannot be read");
  });
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: count_jobs SCENARIO\n", stderr);
    return 2;
  }
  try {
    jobs(argv[1]);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "count_jobs: %s\n", e.what());
    return 1;
  }
  return 0;
}
