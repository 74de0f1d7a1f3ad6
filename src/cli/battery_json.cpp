#include "cli/describe.hpp"
#include "report/shared/labels.hpp"

namespace bristle::cli {

using namespace bristle::tribometer;

std::string unit_of(const Quantity& q, bool rotational, bool none) {
  return none || q.unit == "1" ? "1" : report::shown_unit(q.unit, rotational);
}

Json to_json(const report::Characterized& c, bool rotational) {
  const Characterization& r = *c.result;
  const bool none = dimensionless(r.model, c.parameters);
  Json out{{"contact", r.label}, {"model", r.model}, {"file", c.file}};
  out["sizes"] = {{"force", r.sizes.force}, {"velocity", r.sizes.velocity}, {"travel", r.sizes.travel},
                  {"mass", r.sizes.mass},   {"sliding", r.sizes.sliding},   {"offset", r.sizes.offset}};
  for (const Verdict& f : r.findings) {
    Json& p = out["properties"][f.name] = {{"title", f.title},
                                           {"holds", f.known ? Json(f.holds) : Json(nullptr)},
                                           {"number", json_number(f.number)},
                                           {"threshold", f.threshold},
                                           {"rule", f.rule},
                                           {"declared", f.declared ? Json(*f.declared) : Json(nullptr)}};
    if (!f.note.empty()) p["note"] = f.note;
    if (!f.detail.empty()) p["detail"] = f.detail;
  }
  for (const Measurement& m : r.measurements) {
    Json& e = out["experiments"][m.experiment] = Json::object();
    for (const Quantity& q : m.quantities)
      e["quantities"][q.name] = {
          {"value", json_number(q.value)}, {"unit", unit_of(q, rotational, none)}, {"meaning", q.meaning}};
    if (!m.failure.empty()) e["failure"] = m.failure;
  }
  return out;
}

}  // namespace bristle::cli
