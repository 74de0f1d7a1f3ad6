#include "bristle/sweep/optimize.hpp"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <ostream>

#include "base/escape.hpp"
#include "bristle/output.hpp"
#include "bristle/report/optimum.hpp"
#include "cli/failure.hpp"
#include "cli/interrupt.hpp"
#include "cli/json.hpp"
#include "cli/progress.hpp"
#include "cli/screen.hpp"
#include "cli/studies.hpp"
#include "commands.hpp"
#include "report/shared/labels.hpp"

namespace bristle::cli {
namespace {

namespace fs = std::filesystem;
using sweep::Evaluation;

/// One row per run, as table.csv of a sweep.
void write_history(const sweep::Goal& goal, const sweep::Optimum& o, std::ostream& out) {
  for (const Varied& v : goal.keys) out << csv_cell(v.key) << ',';
  out << csv_cell(goal.measure) << ",message\n";
  for (const Evaluation& e : o.history) {
    for (const double x : e.at) out << to_text(x) << ',';
    out << (std::isnan(e.value) ? "" : to_text(e.value)) << ',' << csv_cell(e.reason) << '\n';
  }
}

Json json_of(const sweep::Plan& plan, const sweep::Goal& goal, const sweep::Optimum& o) {
  Json j{{"title", plan.title},      {"measure", goal.measure},  {"goal", goal.maximize ? "maximize" : "minimize"},
         {"runs", o.history.size()}, {"converged", o.converged}, {"best", nullptr},
         {"at_bounds", o.at_bounds}};
  if (!o.found) {
    j["reason"] = o.history.front().reason;
    return j;
  }
  const Evaluation& best = o.history[o.best];
  std::string unit;
  for (const sweep::MeasureColumn& m : plan.measures) {
    if (m.name == goal.measure && !m.unit.empty()) unit = report::shown_unit(m.unit, plan.rotational);
  }
  j["best"] = {{"value", best.value}, {"unit", unit}, {"at", Json::object()}};
  for (std::size_t k = 0; k < goal.keys.size(); ++k) j["best"]["at"][goal.keys[k].key] = best.at[k];
  return j;
}

int run(const OptimizeOptions& options) {
  Problems problems;
  sweep::Goal goal{.measure = options.maximize.empty() ? options.minimize : options.maximize,
                   .maximize = !options.maximize.empty(),
                   .evaluations = options.evaluations,
                   .seed = options.seed};
  if (goal.measure.empty()) problems.push_back({"", "--minimize MEASURE is required"});
  if (options.evaluations < 1 || options.evaluations > 1000000)
    problems.push_back({fmt::format("--evaluations {}", options.evaluations), "must be from 1 to 1000000"});
  for (const std::string& v : options.vary) {
    auto varied = parse_varied(v, problems);
    if (varied && varied->points) {
      problems.push_back({"--vary " + v, fmt::format("a number of points is not accepted; a range {}={}:{} is",
                                                     varied->key, to_text(varied->from), to_text(varied->to))});
    } else if (varied) {
      goal.keys.push_back(std::move(*varied));
    }
  }
  Changes changes(options.changes);
  changes.measure = options.measures;
  if (goal.measure.find('(') != std::string::npos) changes.measure.push_back(goal.measure + "=" + goal.measure);
  FamilyRead read = load_family(options.file, changes);
  if (read.family && read.family->device() == "gpu")
    read.problems.push_back(
        {options.file,
         "device = \"gpu\" in [solver] is accepted by bristle sweep alone; \"cpu\" or \"auto\" is required"});
  problems.insert(problems.end(), read.problems.begin(), read.problems.end());
  sweep::PlanRead made;
  if (problems.empty()) {
    if (goal.keys.empty()) problems.push_back({"", "no key varies; --vary KEY=FROM:TO is required"});
    if (!goal.keys.empty()) made = sweep::make_plan(*read.family, goal, options.changes);
    problems.insert(problems.end(), made.problems.begin(), made.problems.end());
  }
  for (const Problem& p : problems) complain(p.line());
  if (!problems.empty()) return wrong_input;
  if (!options.out.empty()) OutputFile::check_in(options.out, "index.html");

  Progress progress(options.evaluations, !options.json);
  const sweep::Optimum best =
      sweep::optimize(*read.family, goal,
                      {.progress = [&](std::uint64_t n) { progress.reached(static_cast<double>(n)); },
                       .stop = &Interrupt::flag(),
                       .threads = options.threads});
  progress.finish();
  std::vector<OutputFile> files;
  if (!options.out.empty()) {
    fs::create_directories(options.out);
    const fs::path folder(options.out);
    files.emplace_back(folder / "history.csv", [&](std::ostream& o) { write_history(goal, best, o); });
    files.emplace_back(folder / "history.svg",
                       [&](std::ostream& o) { o << plot::svg(report::history_figure(*made.plan, goal, best)); });
    files.emplace_back(folder / "index.html",
                       [&](std::ostream& o) { o << report::optimum_page(*made.plan, goal, best); });
    const Interrupt::Pause pause;
    keep(files);
  }
  if (options.json) {
    print("{}", json_text(json_of(*made.plan, goal, best)));
  } else if (best.found) {
    print_text(report::optimum_text(*made.plan, goal, best));
    std::string set;
    for (std::size_t k = 0; k < goal.keys.size(); ++k)
      set += fmt::format(" --set {}={}", goal.keys[k].key, to_text(best.history[best.best].at[k]));
    print("bristle simulate {}{}\n", options.file, set);
    if (!options.out.empty()) print("wrote {}\n", (fs::path(options.out) / "index.html").string());
  }
  if (best.found) return done;
  complain(fmt::format("{} is undefined in all {} runs; in the first: {}", goal.measure, best.history.size(),
                       best.history.front().reason));
  return failed;
}

}  // namespace

int optimize(const OptimizeOptions& options) {
  const Interrupt interrupt("bristle optimize: stopped\n");
  try {
    return run(options);
  } catch (...) { return status_of_exception(options.out, options.file); }
}

}  // namespace bristle::cli
