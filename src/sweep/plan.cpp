#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "base/document.hpp"
#include "bristle/output.hpp"
#include "bristle/version.hpp"
#include "sweep/folder.hpp"

namespace bristle::sweep {
namespace {

using scenario::Member;
using scenario::Node;

/// FNV-1a.
std::uint64_t hash_of(const std::string& path) {
  std::uint64_t h = 0xcbf29ce484222325U;
  read_pieces(path, [&](std::string_view piece) {
    for (const char c : piece) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
    return true;
  });
  return h;
}

/// Units of the measures, from the columns of a run that ends at once.
void find_units(Scenario& scenario, std::vector<MeasureColumn>& columns) {
  if (dimensionless(scenario)) return;
  Run run;
  try {
    scenario.experiment.solver.output_step = scenario.experiment.solver.duration *= 1e-6;
    if (scenario.experiment.solver.step > 0) scenario.experiment.solver.step = scenario.experiment.solver.duration;
    run = simulate(scenario.experiment);
  } catch (const std::runtime_error&) { return; }  // the runs report the reason; their measures have no unit
  for (std::size_t i = 0; i < columns.size(); ++i) columns[i].unit = number_of(scenario.measures[i].quantity, run).unit;
}

/// A point that can be read: the first, or another one if part of the box is invalid.
Loaded readable(ScenarioFamily& family, const Design& design) {
  constexpr std::uint64_t tries = 64;
  const std::uint64_t n = design.size(), count = std::min(n, tries);
  Loaded first = family.whole(design.point(0));
  for (std::uint64_t k = 1; !first.scenario && k < count; ++k) {
    Loaded other = family.whole(design.point(k * (n - 1) / (count - 1)));
    if (other.scenario) return other;
  }
  return first;
}

}  // namespace

PlanRead plan_with(ScenarioFamily& family, const SweepSpec& spec, const Shard& shard,
                   const std::vector<std::string>& changes,
                   const std::function<void(Scenario&, Plan&, Problems&)>& add_columns) {
  Plan plan{.design = {spec.vary, spec.sobol}, .curves = spec.curves, .changes = changes, .shard = shard};
  Problems problems = plan.design.problems();
  if (!problems.empty()) return {{}, std::move(problems)};
  std::vector<ScenarioFamily::Key> keys;
  keys.reserve(spec.vary.size());
  for (const Varied& v : spec.vary) keys.push_back({v.key, v.where});
  family.vary(std::move(keys));
  Loaded loaded = readable(family, plan.design);
  if (!loaded.scenario) return {{}, std::move(loaded.problems)};
  Scenario& s = *loaded.scenario;
  plan.title = s.title.empty() ? s.name : s.title;
  plan.rotational = s.rotational;
  add_columns(s, plan, problems);
  if (!problems.empty()) return {{}, std::move(problems)};
  plan.sources.push_back({family.path(), hash_of(family.path())});
  for (const std::string& file : std::set<std::string>(s.files.begin(), s.files.end()))
    plan.sources.push_back({file, hash_of(file)});
  return {std::move(plan), {}};
}

PlanRead make_plan(ScenarioFamily& family, const SweepSpec& spec, const Shard& shard,
                   const std::vector<std::string>& changes) {
  return plan_with(family, spec, shard, changes, [&](Scenario& s, Plan& plan, Problems& problems) {
    std::set<std::string> taken{"status", "message"};
    for (const Varied& v : spec.vary) taken.insert(v.key);
    for (const Measure& m : s.measures) {
      if (!taken.insert(m.name).second)
        problems.push_back({m.quantity.where, fmt::format("a measure is called '{}', as another column of the table; "
                                                          "another name is required",
                                                          m.name)});
      plan.measures.push_back({m.name, m.quantity.text + window_text(m.quantity, s)});
    }
    if (s.measures.empty())
      problems.push_back({family.path(), "no measure; [measure] in the file or --measure NAME=EXPR is required"});
    if (problems.empty()) find_units(s, plan.measures);
  });
}

namespace {

/// A string of TOML.
std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      out += fmt::format("\\u{:04X}", static_cast<unsigned>(c));
    } else {
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
  }
  return out + "\"";
}

std::string numbers(const std::vector<double>& values) { return Value(values).text(); }

}  // namespace

std::string to_text(const Plan& plan) {
  std::string out =
      fmt::format("# A sweep of Bristle: table.csv has one row per run. Do not edit: --resume compares it.\n"
                  "version = {}\ntitle = {}\nrotational = {}\nsobol = {}\nshard = {}\nshards = {}\n",
                  quoted(BRISTLE_VERSION), quoted(plan.title), plan.rotational, plan.design.sobol.value_or(0),
                  plan.shard.index, plan.shard.count);
  if (!plan.analysis.empty()) out += fmt::format("analysis = {}\n", quoted(plan.analysis));
  for (const std::string& c : plan.changes) out += fmt::format("[[set]]\nvalue = {}\n", quoted(c));
  for (const Source& s : plan.sources)
    out += fmt::format("[[source]]\npath = {}\nhash = \"{:016x}\"\n", quoted(s.path), s.hash);
  for (const Varied& v : plan.design.keys)
    out += fmt::format("[[vary]]\nkey = {}\nfrom = {}\nto = {}\npoints = {}\nlog = {}\n", quoted(v.key),
                       bristle::to_text(v.from), bristle::to_text(v.to), v.points.value_or(0), v.log);
  for (const MeasureColumn& m : plan.measures)
    out += fmt::format("[[measure]]\nname = {}\nquantity = {}\nunit = {}\n", quoted(m.name), quoted(m.quantity),
                       quoted(m.unit));
  for (const SweepCurve& c : plan.curves)
    out += fmt::format("[[curve]]\nlabel = {}\nx = {}\ny = {}\n", quoted(c.label), numbers(c.x), numbers(c.y));
  return out;
}

namespace {

/// Values of a sweep.toml; the first one that is missing or wrong marks the file.
struct Reader {
  bool good = true;
  template <class T> T value(const Node& table, const char* key) {
    const Node* n = table.find(key);
    if (const T* x = n ? n->as<T>() : nullptr) return *x;
    good = false;
    return T{};
  }
  std::uint64_t count(const Node& table, const char* key) {
    const double x = value<double>(table, key);
    good = good && x >= 0 && x < 1e15;
    return good ? static_cast<std::uint64_t>(x) : 0;
  }
  template <class F> void each(const Node& root, const char* key, F&& use) {
    const Node* n = root.find(key);
    const auto* list = n ? n->as<Node::List>() : nullptr;
    if (list) std::ranges::for_each(*list, use);
  }
};

}  // namespace

PlanRead read_plan(const std::string& text, const std::string& path) {
  Problems problems;
  const Node root = scenario::parse_toml(text, path, problems);
  if (!problems.empty()) return {{}, std::move(problems)};
  Reader r;
  Plan out;
  const auto version = r.value<std::string>(root, "version");
  out.title = r.value<std::string>(root, "title");
  out.rotational = r.value<bool>(root, "rotational");
  if (const std::uint64_t n = r.count(root, "sobol"); n > 0) out.design.sobol = n;
  out.shard = {r.count(root, "shard"), r.count(root, "shards")};
  if (root.find("analysis")) out.analysis = r.value<std::string>(root, "analysis");
  r.each(root, "set", [&](const Node& n) { out.changes.push_back(r.value<std::string>(n, "value")); });
  r.each(root, "source", [&](const Node& n) {
    const auto hash = r.value<std::string>(n, "hash");
    out.sources.push_back({r.value<std::string>(n, "path"), std::strtoull(hash.c_str(), nullptr, 16)});
  });
  r.each(root, "vary", [&](const Node& n) {
    Varied v{.key = r.value<std::string>(n, "key"),
             .from = r.value<double>(n, "from"),
             .to = r.value<double>(n, "to"),
             .log = r.value<bool>(n, "log"),
             .where = path};
    if (const std::uint64_t points = r.count(n, "points"); points > 0) v.points = points;
    out.design.keys.push_back(std::move(v));
  });
  r.each(root, "measure", [&](const Node& n) {
    out.measures.push_back(
        {r.value<std::string>(n, "name"), r.value<std::string>(n, "quantity"), r.value<std::string>(n, "unit")});
  });
  r.each(root, "curve", [&](const Node& n) {
    out.curves.push_back(
        {r.value<std::string>(n, "label"), r.value<Node::Numbers>(n, "x"), r.value<Node::Numbers>(n, "y")});
  });
  const bool sound = r.good && out.shard.index >= 1 && out.shard.index <= out.shard.count && !out.measures.empty() &&
                     out.design.problems().empty() &&
                     std::ranges::all_of(out.curves, [](const SweepCurve& c) { return c.x.size() == c.y.size(); });
  if (!sound) return {{}, {{path, "is not the description of a sweep"}}};
  if (version != BRISTLE_VERSION)
    return {{},
            {{path, fmt::format("the sweep began with Bristle {}, this is {}; the same version is required", version,
                                BRISTLE_VERSION)}}};
  return {std::move(out), {}};
}

std::string difference(const Plan& before, const Plan& now) {
  const auto& a = before.design;
  const auto& b = now.design;
  auto same_key = [](const Varied& x, const Varied& y) {
    return x.key == y.key && x.from == y.from && x.to == y.to && x.log == y.log && x.points == y.points;
  };
  auto same_curve = [](const SweepCurve& x, const SweepCurve& y) {
    return x.label == y.label && x.x == y.x && x.y == y.y;
  };
  if (!std::ranges::equal(a.keys, b.keys, same_key) || a.sobol != b.sobol) return "other keys, ranges or samples";
  if (before.analysis != now.analysis) return "another analysis, or none";
  if (before.changes != now.changes) return "other values of --set";
  if (!std::ranges::equal(before.measures, now.measures, {}, &MeasureColumn::name, &MeasureColumn::name) ||
      !std::ranges::equal(before.measures, now.measures, {}, &MeasureColumn::quantity, &MeasureColumn::quantity))
    return "other measures";
  if (before.sources.size() != now.sources.size()) return "a scenario that refers to other files";
  for (std::size_t i = 0; i < now.sources.size(); ++i) {
    if (before.sources[i].hash != now.sources[i].hash) return fmt::format("another content of {}", now.sources[i].path);
  }
  if (!std::ranges::equal(before.curves, now.curves, same_curve)) return "other curves";
  return {};
}

}  // namespace bristle::sweep
