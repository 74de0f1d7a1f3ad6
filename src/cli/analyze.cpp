#include "bristle/sweep/analyze.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numbers>
#include <ostream>

#include "base/number.hpp"
#include "bristle/output.hpp"
#include "bristle/report/analyze.hpp"
#include "cli/failure.hpp"
#include "cli/interrupt.hpp"
#include "cli/json.hpp"
#include "cli/progress.hpp"
#include "cli/screen.hpp"
#include "cli/studies.hpp"
#include "commands.hpp"

namespace bristle::cli {
namespace {

namespace fs = std::filesystem;
using analysis::Analysis;
using analysis::What;
constexpr double turn = 2 * std::numbers::pi;

/// The parts in --what, in their order; all for an empty text.
std::vector<What> read_what(const std::string& text, Problems& problems) {
  constexpr auto names = choices(What{});
  std::vector<What> out;
  for (std::size_t from = 0; from <= text.size() && !text.empty();) {
    const std::size_t comma = std::min(text.find(',', from), text.size());
    const std::string name(trimmed(std::string_view(text).substr(from, comma - from)));
    const auto at = std::ranges::find_if(names, [&](const char* n) { return name == n; });
    if (at == names.end()) {
      problems.push_back({"--what " + text, fmt::format("unknown part '{}'; stability, limit_cycle and describing, "
                                                        "separated by commas, are accepted",
                                                        name)});
    } else {
      out.push_back(static_cast<What>(at - names.begin()));
    }
    from = comma + 1;
  }
  if (text.empty()) out = {What::stability, What::limit_cycle, What::describing};
  std::ranges::sort(out);
  const auto [first, last] = std::ranges::unique(out);
  out.erase(first, last);
  return out;
}

/// Drops parts that the scenario does not admit, with a note; problems if none remains or one was asked for.
void choose(Analysis& a, const Experiment& e, const AnalyzeOptions& options, Problems& problems) {
  std::vector<What> kept;
  std::vector<std::string> reasons;
  for (const What w : a.what) {
    std::string why = analysis::objection(e, w);
    if (why.empty()) {
      kept.push_back(w);
    } else if (std::ranges::find(reasons, why) == reasons.end()) {
      reasons.push_back(std::move(why));
    }
  }
  if (kept.empty() || !options.what.empty()) {
    for (const std::string& why : reasons) problems.push_back({options.file, why});
  } else {
    a.notes = reasons;
  }
  a.what = kept;
}

bool has(const Analysis& a, What w) { return std::ranges::find(a.what, w) != a.what.end(); }

Json json_of(analysis::Complex s) { return Json::array({json_number(s.real()), json_number(s.imag())}); }

Json json_of(const analysis::CycleRead& read) {
  if (!read.cycle) return {{"period", nullptr}, {"amplitude", nullptr}, {"reason", read.reason}};
  const analysis::Cycle& c = *read.cycle;
  Json j{{"period", json_number(c.period)},
         {"amplitude", json_number(c.amplitude)},
         {"v_least", json_number(c.v_least)},
         {"v_most", json_number(c.v_most)},
         {"multipliers", Json::array()}};
  for (const analysis::Complex m : c.multipliers) j["multipliers"].push_back(json_of(m));
  return j;
}

Json json_of(const Analysis& a) {
  Json j{{"title", a.title}, {"velocity", a.velocity}, {"notes", a.notes}};
  if (a.stability) {
    const analysis::StabilityPoint& p = a.stability->own;
    Json s{{"velocity", json_number(p.velocity)},
           {"friction", json_number(p.friction)},
           {"slope", json_number(p.slope)},
           {"stable", nullptr},
           {"growth_rate", json_number(p.growth_rate)},
           {"frequency", json_number(p.omega / turn)},
           {"eigenvalues", Json::array()},
           {"critical_stiffness", json_number(p.critical.stiffness)},
           {"critical_frequency", json_number(p.critical.omega / turn)},
           {"critical_velocity", json_number(a.stability->critical_velocity())},
           {"critical_velocities", Json::array()}};
    if (!std::isnan(p.growth_rate)) s["stable"] = p.growth_rate <= 0;
    for (const analysis::Complex e : p.eigenvalues) s["eigenvalues"].push_back(json_of(e));
    for (const auto& c : a.stability->crossings)
      s["critical_velocities"].push_back(
          {{"velocity", c.velocity}, {"frequency", c.omega / turn}, {"stable_above", c.gains}});
    if (const std::string why = p.reason.empty() ? p.critical.reason : p.reason; !why.empty()) s["reason"] = why;
    j["stability"] = std::move(s);
  }
  if (a.cycle) {
    j["limit_cycle"] = json_of(*a.cycle);
    if (a.servo) j["limit_cycle"]["hunting"] = a.cycle->decided() ? Json(a.cycle->cycle.has_value()) : Json(nullptr);
  }
  if (a.branch) {
    Json b{{"key", a.key->key},
           {"points", Json::array()},
           {"onsets", a.branch->onsets},
           {"ends", Json::array()},
           {"hysteresis", Json::array()}};
    for (const analysis::BranchPoint& p : a.branch->points) {
      Json point = json_of(p.cycle);
      point["at"] = p.at;
      point["growth_rate"] = json_number(p.growth_rate);
      if (p.unstable.cycle || !p.unstable.reason.empty()) point["unstable"] = json_of(p.unstable);
      b["points"].push_back(std::move(point));
    }
    for (const analysis::BranchEnd& e : a.branch->ends)
      b["ends"].push_back(
          {{"at", e.at}, {"fold", e.fold}, {"vanishes", e.vanishes}, {"multiplier", json_number(e.multiplier)}});
    for (const auto& [from, to] : a.branch->hysteresis) b["hysteresis"].push_back({from, to});
    j["branch"] = std::move(b);
  }
  if (a.describing) {
    Json d{{"cycles", Json::array()}};
    for (const analysis::Predicted& c : a.describing->cycles)
      d["cycles"].push_back({{"amplitude", c.amplitude}, {"period", turn / c.omega}, {"stable", c.stable}});
    if (!a.describing->reason.empty()) d["reason"] = a.describing->reason;
    j["describing"] = std::move(d);
  }
  return j;
}

/// The key of a branch: one key, without a servo.
void add_branch(Analysis& a, const ScenarioFamily& family, const Varied& key, bool shown) {
  ScenarioFamily own(family);
  own.vary({{key.key, key.where}});
  const analysis::AtValue at = [&](double value, std::string& reason) -> std::optional<Experiment> {
    Loaded loaded = own.at(std::vector<double>{value});
    if (loaded.scenario) {
      reason = analysis::objection(loaded.scenario->experiment, What::limit_cycle);
      if (reason.empty()) return std::move(loaded.scenario->experiment);
    } else {
      reason = loaded.problems.front().text;
    }
    return {};
  };
  Progress progress(static_cast<double>(key.points.value_or(1)), shown);
  a.branch = analysis::continue_cycle(
      key, at,
      {.progress = [&](std::uint64_t n) { progress.reached(static_cast<double>(n)); }, .stop = &Interrupt::flag()});
  a.key = key;
}

/// Whether the figure of a branch shows this column of the map.
bool in_branch(const std::string& column) {
  return column == "growth_rate" || column == "period" || column == "amplitude" || column == "multiplier";
}

/// The map in its folder.
void run_map(const ScenarioFamily& family, const sweep::Plan& plan, const AnalyzeOptions& options, const Analysis& a) {
  sweep::Store store(options.out, plan, options.resume);
  if (store.complete()) return;
  std::uint64_t before = plan.end() - plan.begin();
  for (const sweep::Rows& r : store.missing()) before -= r.end - r.begin;
  Progress progress(static_cast<double>(plan.end() - plan.begin()), !options.json, static_cast<double>(before));
  sweep::run(family, plan, store,
             {.progress = [&](std::uint64_t n) { progress.reached(static_cast<double>(n)); },
              .stop = &Interrupt::flag(),
              .threads = options.threads,
              .numbers = [&](const Experiment& e) { return analysis::map_numbers(e, a.what, &Interrupt::flag()); }});
  store.finish();
}

int run(const AnalyzeOptions& options) {
  Problems problems;
  Analysis a{.what = read_what(options.what, problems)};
  SweepSpec spec;
  for (const std::string& v : options.vary) {
    if (auto varied = parse_varied(v, problems)) spec.vary.push_back(std::move(*varied));
  }
  if (options.out.empty()) problems.push_back({"-o", "the name of the folder is empty; a folder is required"});
  if (options.resume && options.vary.empty())
    problems.push_back({"--resume", "requires a map; --vary KEY=FROM:TO:POINTS is accepted"});
  FamilyRead read = load_family(options.file, Changes(options.changes));
  if (read.family && read.family->device() == "gpu")
    read.problems.push_back(
        {options.file,
         "device = \"gpu\" in [solver] is accepted by bristle sweep alone; \"cpu\" or \"auto\" is required"});
  problems.insert(problems.end(), read.problems.begin(), read.problems.end());
  Loaded nominal;
  if (read.family) {
    nominal = read.family->whole({});
    problems.insert(problems.end(), nominal.problems.begin(), nominal.problems.end());
  }
  if (nominal.scenario) choose(a, nominal.scenario->experiment, options, problems);
  sweep::PlanRead made;
  if (problems.empty() && !spec.vary.empty()) {
    made = analysis::make_plan(*read.family, spec, a.what, options.changes);
    problems.insert(problems.end(), made.problems.begin(), made.problems.end());
  }
  for (const Problem& p : problems) complain(p.line());
  if (!problems.empty()) return wrong_input;

  const Experiment& e = nominal.scenario->experiment;
  a.title = nominal.scenario->title.empty() ? nominal.scenario->name : nominal.scenario->title;
  a.rotational = nominal.scenario->rotational;
  a.servo = e.controller.has_value();
  a.velocity = analysis::sliding_velocity(e);
  OutputFile::check_in(options.out, "index.html");
  const auto* stop = &Interrupt::flag();
  if (made.plan) run_map(*read.family, *made.plan, options, a);
  if (has(a, What::stability)) a.stability = analysis::stability(e, stop);
  if (has(a, What::limit_cycle))
    a.cycle = a.servo ? analysis::hunting(e, stop) : analysis::limit_cycle(e, nullptr, stop);
  if (has(a, What::limit_cycle) && !a.servo && spec.vary.size() == 1)
    add_branch(a, *read.family, spec.vary.front(), !options.json);
  if (has(a, What::describing)) {
    Progress progress(1000, !options.json);
    a.describing =
        analysis::describing(e, {.progress = [&](std::uint64_t n) { progress.reached(static_cast<double>(n)); },
                                 .stop = stop,
                                 .threads = options.threads});
  }

  const std::vector<report::NamedFigure> figures = report::analysis_figures(a);
  std::vector<report::NamedFigure> map;
  Json j = json_of(a);
  j["folder"] = options.out;
  if (made.plan) {
    const sweep::Table table = sweep::read_table((fs::path(options.out) / "map.csv").string(), *made.plan);
    std::vector<report::NamedFigure> all = report::sweep_figures(*made.plan, table);
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (table.columns[i].defined == 0 || (a.branch && in_branch(made.plan->measures[i].name))) continue;
      all[i].file = "map_" + all[i].file;
      map.push_back(std::move(all[i]));
    }
    j["map"] = {{"points", table.rows}, {"done", table.done}, {"columns", Json::array()}};
    for (const sweep::MeasureColumn& m : made.plan->measures) j["map"]["columns"].push_back(m.name);
  }
  fs::create_directories(options.out);
  const fs::path folder(options.out);
  std::vector<OutputFile> files;
  auto add = [&](const std::string& name, const std::string& text) {
    files.emplace_back(folder / name, [&](std::ostream& o) { o << text; });
  };
  if (a.stability) add("stability.csv", analysis::stability_csv(*a.stability));
  if (a.cycle || a.branch) add("limit_cycle.csv", analysis::cycle_csv(a));
  if (a.describing) add("describing.csv", analysis::describing_csv(*a.describing));
  for (const report::NamedFigure& f : figures) add(f.file, plot::svg(f.figure));
  for (const report::NamedFigure& f : map) add(f.file, plot::svg(f.figure));
  add("index.html", report::analysis_page(a, figures, map, made.plan ? &*made.plan : nullptr));
  {
    const Interrupt::Pause pause;
    keep(files);
  }
  if (options.json) {
    print("{}", json_text(j));
  } else {
    print_text(report::analysis_text(a));
    print("wrote {}\n", (folder / "index.html").string());
  }
  return done;
}

}  // namespace

int analyze(const AnalyzeOptions& options) {
  const Interrupt interrupt;
  try {
    return run(options);
  } catch (const Stopped&) {
    complain(options.vary.empty() ? "stopped" : "stopped; finished points are kept, --resume continues");
    return stopped;
  } catch (const sweep::BadFolder& e) {
    complain(e.what());
    return wrong_input;
  } catch (...) { return status_of_exception(options.out, options.file); }
}

}  // namespace bristle::cli
