#include <algorithm>

#include "cli/describe.hpp"
#include "report/shared/labels.hpp"

namespace bristle::cli {

std::vector<std::pair<Event::Kind, std::ptrdiff_t>> counted_events(const Run& run) {
  std::vector<std::pair<Event::Kind, std::ptrdiff_t>> out;
  for (const Event::Kind k : {Event::stick, Event::slip_forward, Event::slip_backward})
    out.emplace_back(k, std::ranges::count(run.events, k, &Event::kind));
  return out;
}

Json to_json(const Result& result) {
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
  for (const auto& [kind, count] : counted_events(result.run)) j["events"][to_string(kind)] = count;
  j["final"] = Json::object();
  for (const Column& c : trace.columns)
    j["final"][c.name] = c.values.empty() ? Json(nullptr) : json_number(c.values.back());
  j["energy"] = {{"drive", json_number(e.drive)},       {"kinetic", json_number(e.kinetic)},
                 {"spring", json_number(e.spring)},     {"damper", json_number(e.damper)},
                 {"friction", json_number(e.friction)}, {"error", json_number(e.error)}};
  if (result.works) {
    const asperity::Ledger& w = *result.works;
    j["energy"]["asperities"] = {{"friction", json_number(w.friction)}, {"normal", json_number(w.normal)},
                                 {"stored", json_number(w.stored)},     {"kinetic", json_number(w.kinetic)},
                                 {"plastic", json_number(w.plastic)},   {"damper", json_number(w.damper)},
                                 {"adhesion", json_number(w.adhesion)}, {"error", json_number(w.error())}};
  }
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
    to = {{"value", json_number(x.value)}, {"unit", report::unit_in(x.unit, s)}};
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
  return j;
}

}  // namespace bristle::cli
