#include "bristle/registry/describe.hpp"
#include "cli/describe.hpp"

namespace bristle::cli {
namespace {

Json to_json(const Value& v) {
  if (const auto* x = v.as<double>()) return json_number(*x);
  if (const auto* x = v.as<bool>()) return *x;
  if (const auto* x = v.as<std::string>()) return *x;
  return *v.as<std::vector<double>>();
}

Json to_json(const FieldInfo& f, bool state) {
  Json j{{"name", f.name}, {"unit", f.unit}, {"meaning", f.meaning}, {"kind", to_string(f.kind)}};
  if (state) return j;
  j["required"] = f.required;
  j["default"] = f.required ? Json(nullptr) : to_json(f.value);
  j["typical"] = to_json(f.value);
  if (f.kind != Kind::choice && f.kind != Kind::boolean) {
    j["min"] = json_number(f.range.lo);
    j["max"] = json_number(f.range.hi);
  }
  if (f.kind == Kind::choice) j["choices"] = f.choices;
  if (!f.per_load.empty()) j["or"] = f.per_load;
  if (f.share) j["sum"] = 1;
  j["fitted"] = f.fitted;
  return j;
}

}  // namespace

Json to_json(const ModelInfo& m) {
  Json j{{"name", m.name},   {"title", m.title}, {"equations", m.equations},
         {"notes", m.notes}, {"level", m.level}, {"set_valued", m.set_valued}};
  j["parameters"] = Json::array();
  for (const auto& f : m.parameters) j["parameters"].push_back(to_json(f, false));
  j["states"] = Json::array();
  for (const auto& f : m.states) j["states"].push_back(to_json(f, true));
  j["relations"] = Json::array();
  for (const auto& r : m.relations) j["relations"].push_back({{"rule", r.rule}, {"parameters", r.fields}});
  for (const auto& p : property_infos()) j["properties"][p.name] = m.has.*p.at;
  j["passive_if"] = m.passive_if;
  j["passive_with_typical_values"] = m.passive;
  j["references"] = m.references;
  return j;
}

}  // namespace bristle::cli
