#include "bristle/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <ostream>

#include "base/number.hpp"
#include "bristle/gpu.hpp"
#include "bristle/output.hpp"
#include "bristle/report/sweep.hpp"
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
using sweep::Plan;

int wrong(const Problems& problems) {
  for (const Problem& p : problems) complain(p.line());
  return wrong_input;
}

/// Writes figures and page of a complete table and prints a summary.
int conclude(const std::string& folder, const Plan& plan, const SweepOptions& options) {
  const sweep::Table table = sweep::read_table((fs::path(folder) / "table.csv").string(), plan);
  std::vector<std::string> written{"table.csv"};
  if (plan.shard.count == 1) {
    const std::vector<report::NamedFigure> figures = report::sweep_figures(plan, table);
    std::vector<OutputFile> files;
    for (const report::NamedFigure& f : figures) {
      files.emplace_back(fs::path(folder) / f.file, [&](std::ostream& o) { o << plot::svg(f.figure); });
      written.push_back(f.file);
    }
    files.emplace_back(fs::path(folder) / "index.html",
                       [&](std::ostream& o) { o << report::sweep_page(plan, table, figures); });
    written.emplace_back("index.html");
    keep(files);
  }
  Json j{{"title", plan.title},    {"folder", folder},           {"runs", table.rows},        {"done", table.done},
         {"failed", table.failed}, {"diverged", table.diverged}, {"measures", Json::object()}};
  std::string text = fmt::format("{}: {} runs, {} done", plan.title, grouped(table.rows), grouped(table.done));
  if (table.failed > 0) text += fmt::format(", {} failed", grouped(table.failed));
  if (table.diverged > 0) text += fmt::format(", {} diverged", grouped(table.diverged));
  text += '\n';
  auto point = [&](const sweep::Table::Extreme& e) {
    std::string out;
    for (std::size_t k = 0; k < e.at.size(); ++k)
      out += fmt::format("{}{} = {:.6g}", k == 0 ? "" : ", ", plan.design.keys[k].key, e.at[k]);
    return out;
  };
  for (std::size_t i = 0; i < plan.measures.size(); ++i) {
    const sweep::MeasureColumn& m = plan.measures[i];
    const sweep::Table::Column& c = table.columns[i];
    const std::string unit = m.unit.empty() ? "" : report::shown_unit(m.unit, plan.rotational);
    Json& to = j["measures"][m.name] = {{"quantity", m.quantity}, {"unit", unit}, {"defined", c.defined}};
    if (c.defined == 0) {
      text += fmt::format("  {:<12} undefined in all runs\n", m.name);
      continue;
    }
    const std::string after = unit.empty() ? "" : " " + unit;
    text += fmt::format("  {:<12} least {:.6g}{} at {}\n  {:<12} greatest {:.6g}{} at {}\n", m.name, c.least.value,
                        after, point(c.least), "", c.most.value, after, point(c.most));
    if (c.defined < table.rows)
      text += fmt::format("  {:<12} undefined in {} runs\n", "", grouped(table.rows - c.defined));
    to["least"] = {{"value", c.least.value}, {"at", c.least.at}};
    to["greatest"] = {{"value", c.most.value}, {"at", c.most.at}};
  }
  for (const sweep::Table::Message& m : table.messages)
    text += fmt::format("  note         {} runs: {}\n", grouped(m.count), m.text);
  for (const std::string& f : written) text += fmt::format("wrote {}\n", (fs::path(folder) / f).string());
  if (options.json) {
    print("{}", json_text(j));
  } else if (!options.quiet) {
    print_text(text);
  }
  if (table.done > 0 || table.rows == 0) return done;
  complain(fmt::format("no run succeeded: {}", table.messages.empty() ? "" : table.messages.front().text));
  return failed;
}

/// The device of the option or of the file. Of a design, the first point that can be read decides.
sweep::Place place_of(const SweepOptions& options, ScenarioFamily& family, const Plan& plan) {
  const std::string device = options.device.empty() ? family.device() : options.device;
  if (device == "cpu") return {};
  const std::uint64_t n = plan.design.size();
  Loaded loaded;
  for (std::uint64_t k = 0; k < std::min<std::uint64_t>(n, 64) && !loaded.scenario; ++k)
    loaded = family.at(plan.design.point(n > 1 ? k * (n - 1) / std::min<std::uint64_t>(n - 1, 63) : 0));
  if (!loaded.scenario) throw BadInput(loaded.problems.front().line());
  return sweep::place_of(device, *loaded.scenario);
}

int run_sweep(const SweepOptions& options) {
  Problems problems;
  SweepSpec spec;
  sweep::Shard shard;
  for (const std::string& v : options.vary) {
    if (auto varied = parse_varied(v, problems)) spec.vary.push_back(std::move(*varied));
  }
  if (!options.sample.empty()) spec.sobol = parse_sample(options.sample, "--sample " + options.sample, problems);
  if (!options.shard.empty()) shard = sweep::parse_shard(options.shard, problems).value_or(shard);
  Changes changes(options.changes);
  changes.measure = options.measures;
  FamilyRead read = load_family(options.file, changes);
  problems.insert(problems.end(), read.problems.begin(), read.problems.end());
  if (!read.family || !problems.empty()) return wrong(problems);
  SweepSpec own = read.family->sweep(problems);
  if (!problems.empty()) return wrong(problems);
  if (options.vary.empty()) spec.vary = own.vary;
  if (options.sample.empty() && options.vary.empty()) spec.sobol = own.sobol;
  if (options.vary.empty()) spec.curves = own.curves;
  sweep::PlanRead made = sweep::make_plan(*read.family, spec, shard, options.changes);
  if (!made.plan) return wrong(made.problems);
  const Plan& plan = *made.plan;
  const sweep::Place place = place_of(options, *read.family, plan);
  if (!place.note.empty() && !options.quiet) complain(place.note);

  sweep::Store store(options.out, plan, options.resume);
  if (!store.complete()) {
    std::uint64_t before = plan.end() - plan.begin();
    for (const sweep::Rows& r : store.missing()) before -= r.end - r.begin;
    try {
      Progress progress(static_cast<double>(plan.end() - plan.begin()), !options.quiet && !options.json,
                        static_cast<double>(before));
      sweep::run(*read.family, plan, store,
                 {.progress = [&](std::uint64_t n) { progress.reached(static_cast<double>(n)); },
                  .stop = &Interrupt::flag(),
                  .threads = options.threads,
                  .gpu = place.gpu});
    } catch (const Stopped&) {
      std::uint64_t kept = plan.end() - plan.begin();
      for (const sweep::Rows& r : store.missing()) kept -= r.end - r.begin;
      complain(fmt::format("stopped; {} of {} runs are in {}, --resume continues", grouped(kept),
                           grouped(plan.end() - plan.begin()), options.out));
      return stopped;
    }
    store.finish();
  }
  return conclude(options.out, plan, options);
}

int merge(const SweepOptions& options) {
  if (!options.file.empty() || !options.vary.empty() || !options.shard.empty() || options.resume) {
    complain("--merge joins finished shards; FILE, --vary, --shard and --resume are not accepted with it");
    return wrong_input;
  }
  return conclude(options.out, sweep::merge(options.merge, options.out), options);
}

}  // namespace

int sweep(const SweepOptions& options) {
  const Interrupt interrupt;
  if (!options.device.empty() && options.device != "cpu" && options.device != "gpu" && options.device != "auto") {
    complain(fmt::format("--device {}: must be cpu, gpu or auto", options.device));
    return wrong_input;
  }
  if (options.out.empty()) {
    complain("-o: the name of the folder is empty; a folder is required");
    return wrong_input;
  }
  if (options.file.empty() && options.merge.empty()) {
    complain("FILE is required: a scenario; or --merge with folders of shards");
    return wrong_input;
  }
  try {
    return options.merge.empty() ? run_sweep(options) : merge(options);
  } catch (const sweep::BadFolder& e) {
    complain(e.what());
    return wrong_input;
  } catch (const gpu::DeviceError& e) {
    complain(fmt::format("{}; finished runs are in {}, --resume continues", e.what(), options.out));
    return failed;
  } catch (...) { return status_of_exception(options.out, options.file); }
}

}  // namespace bristle::cli
