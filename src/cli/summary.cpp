#include "cli/summary.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "cli/json.hpp"
#include "cli/paint.hpp"
#include "cli/screen.hpp"
#include "report/shared/labels.hpp"

namespace bristle::cli {
namespace {

constexpr Event::Kind event_kinds[]{Event::stick, Event::slip_forward, Event::slip_backward};

auto count(const Run& run, Event::Kind kind) {
  return std::count_if(run.events.begin(), run.events.end(), [&](const Event& e) { return e.kind == kind; });
}

std::string models_text(const Experiment& e) {
  std::vector<std::string> out;
  out.reserve(e.contacts.size());
  for (const NamedContact& c : e.contacts)
    out.push_back((c.name.empty() ? "" : c.name + ": ") + std::string(c.contact->model()));
  return fmt::format("{}", fmt::join(out, ", "));
}

std::string events_text(const Run& run) {
  std::vector<std::string> out;
  for (const Event::Kind k : event_kinds) {
    if (const auto n = count(run, k); n > 0) out.push_back(fmt::format("{} {}", n, to_string(k)));
  }
  return out.empty() ? "none" : fmt::format("{}", fmt::join(out, ", "));
}

}  // namespace

void print_summary(const Result& result) {
  const Scenario& s = result.scenario;
  const Summary& r = result.run.summary;
  const Trace& trace = result.run.trace;
  const EnergyBalance& e = r.energy;
  auto line = [](const char* name, const std::string& text) { print("  {:<9} {}\n", name, text); };
  print("{}\n", s.title.empty() ? s.name : s.title);
  line("model", models_text(s.experiment));
  line("method", r.method);
  line("steps", fmt::format("{}, {} rejected, {} evaluations, {} Jacobians, {} switches", r.steps, r.rejected,
                            r.evaluations, r.jacobians, r.switches));
  line("events", events_text(result.run));
  std::vector<std::string> last;
  for (const Column& c : trace.columns) {
    if (!c.values.empty() && last.size() < 6) last.push_back(fmt::format("{} = {:.8g}", c.name, c.values.back()));
  }
  line("end", fmt::format("{}", fmt::join(last, ", ")));
  line("energy", fmt::format("drive {:.6g} J = kinetic {:.6g} + spring {:.6g} + damper {:.6g} + friction {:.6g}",
                             e.drive, e.kinetic, e.spring, e.damper, e.friction));
  for (const Summary::Loss& l : r.losses) line("friction", fmt::format("{:.6g} J in joint {}", l.friction, l.name));
  line("balance", fmt::format("off by {:.1e} of the largest term", e.error));
  line("momentum", fmt::format("off by {:.1e} of the impulse of F_app", r.momentum.error));
  if (r.violation >= 0) line("joints", fmt::format("off by {:.1e} of the size of the mechanism", r.violation));
  line("time", fmt::format("{:.3g} s", r.seconds));
  for (const Measure& m : s.measures) {
    const Number x = number_of(m.quantity, result.run);
    const std::string unit = x.unit == "1" ? "" : " " + report::shown_unit(x.unit, s.rotational);
    line("measure", x.reason.empty() ? fmt::format("{} = {:.8g}{}", m.name, x.value, unit)
                                     : fmt::format("{} is undefined: {}", m.name, x.reason));
  }
  for (const std::string& note : s.notes) line("note", note);
  for (const Checked& c : result.checks) {
    const std::size_t word = c.line.rfind(' ') + 1;  // holds, violated
    line("check", c.line.substr(0, word) + painted(c.line.substr(word), c.held ? Paint::good : Paint::bad));
  }
}

void print_json(const Result& result) {
  const Scenario& s = result.scenario;
  const Summary& r = result.run.summary;
  const Trace& trace = result.run.trace;
  const EnergyBalance& e = r.energy;
  Json j{{"scenario", s.path}, {"title", s.title}, {"models", Json::array()}};
  for (const NamedContact& c : s.experiment.contacts) {
    Json parameters = Json::object();
    for (const Variable& p : c.contact->parameters()) parameters[p.name] = json_number(p.value);
    j["models"].push_back({{"name", c.name}, {"model", c.contact->model()}, {"parameters", parameters}});
  }
  j["method"] = r.method;
  j["duration"] = s.experiment.solver.duration;
  j["rows"] = trace.rows();
  j["columns"] = trace.names();
  j["steps"] = r.steps;
  j["rejected"] = r.rejected;
  j["evaluations"] = r.evaluations;
  j["jacobians"] = r.jacobians;
  j["switches"] = r.switches;
  j["events"] = {{"count", result.run.events.size()}};
  for (const Event::Kind k : event_kinds) j["events"][to_string(k)] = count(result.run, k);
  j["final"] = Json::object();
  for (const Column& c : trace.columns)
    j["final"][c.name] = c.values.empty() ? Json(nullptr) : json_number(c.values.back());
  j["energy"] = {{"drive", json_number(e.drive)},       {"kinetic", json_number(e.kinetic)},
                 {"spring", json_number(e.spring)},     {"damper", json_number(e.damper)},
                 {"friction", json_number(e.friction)}, {"error", json_number(e.error)}};
  if (r.violation >= 0) {
    for (const Summary::Loss& l : r.losses) j["energy"]["joints"][l.name] = json_number(l.friction);
    j["violation"] = json_number(r.violation);
  }
  j["momentum"] = {{"error", json_number(r.momentum.error)}};
  j["seconds"] = r.seconds;
  j["notes"] = s.notes;
  j["measures"] = Json::object();
  for (const Measure& m : s.measures) {
    const Number x = number_of(m.quantity, result.run);
    Json& to = j["measures"][m.name];
    to = {{"value", json_number(x.value)}, {"unit", report::shown_unit(x.unit, s.rotational)}};
    if (!x.reason.empty()) to["reason"] = x.reason;
  }
  j["checks"] = Json::array();
  bool held = true;
  for (const Checked& c : result.checks) {
    held = held && c.held;
    j["checks"].push_back({{"expect", c.expectation->text},
                           {"where", c.expectation->where},
                           {"computed", json_number(c.computed)},
                           {"held", c.held},
                           {"line", c.line}});
  }
  j["held"] = held;
  // A title may contain invalid UTF-8; such bytes are replaced.
  print("{}", json_text(j));
}

}  // namespace bristle::cli
