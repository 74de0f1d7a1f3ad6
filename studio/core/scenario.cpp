/// Models, schema, checks and runs of scenarios.
#include <algorithm>
#include <charconv>
#include <chrono>
#include <optional>

#include "bristle/registry/describe.hpp"
#include "bristle/scenario.hpp"
#include "bristle/version.hpp"
#include "cli/describe.hpp"
#include "cli/schema.hpp"
#include "core/answer.hpp"
#include "identify/choices.hpp"
#include "report/shared/labels.hpp"
#include "scenario/shared/kind.hpp"
#include "scenario/shared/section.hpp"

namespace bristle::studio {
namespace {

constexpr const char* default_name = "scenario.toml";

std::string name_in(const Json& request) { return request.value("name", std::string(default_name)); }

int line_in(const std::string& where) {
  const std::size_t at = where.rfind(':');
  int line = 0;
  if (at != std::string::npos) std::from_chars(where.data() + at + 1, where.data() + where.size(), line);
  return line;
}

Json figure_json(const FigureSpec& f) {
  Json out{{"x", f.x},           {"y", f.y},       {"title", f.title}, {"xlabel", f.xlabel}, {"ylabel", f.ylabel},
           {"legend", f.legend}, {"xlog", f.xlog}, {"ylog", f.ylog},   {"events", f.events}, {"last", f.last}};
  return out;
}

/// A column of a figure may be a difference, a product or a ratio of two.
void add_derived(const Scenario& s, Run& run) {
  for (const FigureSpec& f : s.figures) {
    for (const std::string& y : f.y) {
      if (run.trace.find(y)) continue;
      if (auto column = column_of(run.trace, y)) {
        column->name = y;
        run.trace.columns.push_back(std::move(*column));
      }
    }
  }
}

const char* word_of(SystemKind kind) {
  constexpr const char* words[]{"prescribed", "slider", "roller", "chain", "multibody"};
  return words[static_cast<std::size_t>(kind)];
}

/// Milliseconds since an instant.
class Watch {
 public:
  double ms() const { return std::chrono::duration<double, std::milli>(Clock::now() - begin_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point begin_ = Clock::now();
};

/// The run, if it ends within `most` ms; else `reached` says how far it came. One that cannot end by then is given up after `sure`.
std::optional<Run> run_within(const Experiment& e, double sure, double most, double& reached) {
  const Watch watch;
  const auto look = [&](double t) {
    reached = t;
    const double spent = watch.ms();
    if (spent > most || (spent > sure && spent * e.solver.duration > most * t)) throw Stopped();
  };
  try {
    return bristle::simulate(e, {.progress = look});
  } catch (const Stopped&) { return {}; }
}

/// The curves that a moving slider shows after about `ms`: the run itself if it takes a quarter of that, else one with `draft_rtol`, and the
/// beginning of one that would take three times as long.
struct Drawn {
  Run run;
  bool draft;
};
Drawn drawn_within(Experiment& e, double ms, bool exact) {
  double reached = 0;
  if (exact) {
    if (auto run = run_within(e, ms / 8, ms / 4, reached)) return {std::move(*run), false};
  }
  SolverParams& solver = e.solver;
  if (!(solver.output_step > 0)) solver.output_step = solver.duration / 1000;
  solver.rtol = std::max(solver.rtol, draft_rtol);
  for (;;) {
    if (auto run = run_within(e, ms / 2, 1.25 * ms, reached)) return {std::move(*run), true};
    solver.duration = std::min(0.9 * reached, 0.7 * solver.duration);
    solver.output_step = std::min(solver.output_step, solver.duration / 10);
  }
}

}  // namespace

Json to_json(const Problems& problems) {
  Json out = Json::array();
  for (const Problem& p : problems) out.push_back({{"where", p.where}, {"line", line_in(p.where)}, {"text", p.text}});
  return out;
}

Json to_json(const Trace& trace, Answer& answer) {
  Json out = Json::array();
  for (const Column& c : trace.columns)
    out.push_back({{"name", c.name}, {"unit", c.unit}, {"array", answer.add(c.values)}});
  return out;
}

std::string text_in(const Json& request, const char* key) {
  const auto found = request.find(key);
  if (!request.is_object() || found == request.end() || !found->is_string())
    throw BadInput(std::string("the request has no text '") + key + "'");
  return found->get<std::string>();
}

Answer models(const Json&) {
  Answer out;
  out.json["version"] = BRISTLE_VERSION;
  for (const ModelInfo& m : model_infos()) {
    Json& j = out.json["models"].emplace_back(cli::to_json(m));
    j["variants"] = variant_names(m);
    j["random"] = m.has.random;
    j["fits"] = identify::fitted_unnamed(m);
    for (std::size_t i = 0; i < m.parameters.size(); ++i) {  // defaults that depend on other parameters
      if (!m.parameters[i].waived_by.empty()) j["parameters"][i]["waived_by"] = m.parameters[i].waived_by;
      if (!m.parameters[i].follows.empty()) j["parameters"][i]["follows"] = m.parameters[i].follows;
    }
  }
  for (const PropertyInfo& p : property_infos())
    out.json["properties"].push_back({{"name", p.name}, {"meaning", p.meaning}});
  for (const tribometer::ExperimentInfo& e : tribometer::experiments())
    out.json["experiments"].push_back({{"name", e.name}, {"title", e.title}, {"text", e.text}});
  return out;
}

Answer schema(const Json&) {
  Answer out;
  out.json["schema"] = cli::scenario_schema();
  return out;
}

/// Tables of a friction block, such as effects: a contact of Explore has none.
Json tables_of(const scenario::Node& root) {
  Json out = Json::array();
  const scenario::Node* block = root.find("friction");
  if (const auto* keys = block ? block->as<scenario::Node::Object>() : nullptr) {
    for (const scenario::Member& m : *keys) {
      if (m.value.as<scenario::Node::Object>()) out.push_back(m.key);
    }
  }
  return out;
}

Answer check(const Json& request) {
  const std::string text = text_in(request, "text"), name = name_in(request);
  Answer out;
  out.json["notes"] = Json::array();
  Problems problems;
  const scenario::Node root = scenario::parse_toml(text, name, problems);
  if (!problems.empty()) throw Refused{scenario::tidied(std::move(problems), name)};
  if (root.find("paper")) throw Refused{{{name, "is a figure file; 'bristle papers' runs it"}}};
  if (scenario::is_friction_file(root)) {
    tribometer::SubjectRead read = tribometer::read_subject(text, name, {});
    if (!read.subject) throw Refused{std::move(read.problems)};
    out.json["kind"] = "friction";
    out.json["tables"] = tables_of(root);
    out.json["rotational"] = read.rotational;
    out.json["model"] = read.subject->contact->model();
    for (const Entry& e : read.subject->contact->settings()) {
      if (const auto* x = e.value.as<double>()) out.json["values"][e.key] = cli::json_number(*x);
      if (const auto* x = e.value.as<std::vector<double>>()) out.json["values"][e.key] = *x;
      if (const auto* x = e.value.as<std::string>()) out.json["values"][e.key] = *x;
      if (const auto* x = e.value.as<bool>()) out.json["values"][e.key] = *x;
    }
    out.json["notes"] = read.notes;
    return out;
  }
  Loaded loaded = read_scenario(text, name);
  if (!loaded.scenario) throw Refused{std::move(loaded.problems)};
  out.json["kind"] = "scenario";
  out.json["system"] = word_of(loaded.scenario->experiment.kind);
  out.json["notes"] = loaded.scenario->notes;
  return out;
}

Answer simulate(const Json& request) {
  Changes changes;
  if (const auto set = request.find("set"); set != request.end()) changes.set = set->get<std::vector<std::string>>();
  Loaded loaded = read_scenario(text_in(request, "text"), name_in(request), changes);
  if (!loaded.scenario) throw Refused{std::move(loaded.problems)};
  Scenario& s = *loaded.scenario;
  try {
    Answer out;
    const double duration = s.experiment.solver.duration;
    const auto run = [&]() -> Run {
      if (const auto within = request.find("within"); within != request.end()) {
        Drawn drawn = drawn_within(s.experiment, within->get<double>(), request.value("exact", true));
        if (drawn.draft) out.json["draft"] = {{"until", s.experiment.solver.duration}, {"duration", duration}};
        return std::move(drawn.run);
      }
      return bristle::simulate(s.experiment,
                               {.probes = probe_times(s), .progress = [&](double t) { tell(t / duration, ""); }});
    };
    cli::Result result{s, run(), {}};
    for (const std::string& note : result.run.summary.notes) s.notes.push_back(note);
    if (std::string note = outside_measured(s, result.run); !note.empty()) s.notes.push_back(std::move(note));
    if (!out.json.contains("draft")) result.checks = check(s, result.run);
    out.json["summary"] = cli::to_json(result);
    out.json["system"] = word_of(s.experiment.kind);
    out.json["rotational"] = s.rotational;
    add_derived(s, result.run);
    out.json["columns"] = to_json(result.run.trace, out);
    for (auto& c : out.json["columns"]) {
      c["unit"] = report::shown_unit(c["unit"].get<std::string>(), s.rotational);
      c["title"] = report::title_of(c["name"].get<std::string>(), s);
    }
    std::vector<double> t, kind, body;
    for (const Event& e : result.run.events) {
      t.push_back(e.t);
      kind.push_back(static_cast<double>(e.kind));
      body.push_back(e.body);
    }
    out.json["events"] = {{"t", out.add(std::move(t))},
                          {"kind", out.add(std::move(kind))},
                          {"body", out.add(std::move(body))},
                          {"kinds", {"stick", "slip+", "slip-"}}};
    out.json["figures"] = Json::array();
    for (const FigureSpec& f : s.figures) out.json["figures"].push_back(figure_json(f));
    if (result.run.population.rows() > 0) out.json["population"] = to_json(result.run.population, out);
    return out;
  } catch (const RunFailed& e) { throw Refused{{{s.path, e.what()}}}; } catch (const BadInput& e) {
    throw Refused{{{s.path, e.what()}}};
  }
}

}  // namespace bristle::studio
