#include "cli/schema.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bristle/asperity/distribution.hpp"
#include "bristle/registry/describe.hpp"
#include "scenario/shared/section.hpp"

namespace bristle::cli {
namespace {

using scenario::Key;
using scenario::SectionInfo;
using Names = std::vector<std::string>;
namespace form = scenario::form;

Json reference_to(const std::string& path) { return {{"$ref", "#/definitions/" + path}}; }
Json needs(const std::string& key) { return {{"required", {key}}}; }
Json is(const std::string& key, const std::string& word) {
  return {{"properties", {{key, {{"const", word}}}}}, {"required", {key}}};
}

Json number(const char* type, const Range& range) {
  Json out{{"type", type}};
  if (std::isfinite(range.lo)) out["minimum"] = range.lo;
  if (std::isfinite(range.hi)) out["maximum"] = range.hi;
  return out;
}

std::string description(const Key& k) {
  std::string out = k.text;
  const bool numeric = (k.form & (form::number | form::whole | form::numbers | form::points)) != 0;
  if (numeric && k.unit != "1") out += fmt::format(" ({})", k.unit);
  if (const std::string value = scenario::default_text(k); !value.empty())
    out += k.required ? "; " + value : "; default " + value;
  return out;
}

/// One schema for each form of the value.
Json forms_of(const Key& k, const std::string& path) {
  Json out = Json::array();
  const Json table = reference_to(k.like.empty() ? path : k.like);
  if (k.form & form::number) out.push_back(number("number", k.range));
  if (k.form & form::whole) out.push_back(number("integer", k.range));
  if (k.form & form::boolean) out.push_back({{"type", "boolean"}});
  if (k.form & form::word) out.push_back({{"enum", k.choices}});
  if (k.form & form::text) out.push_back({{"type", "string"}});
  if (k.form & form::texts) out.push_back({{"type", "array"}, {"items", {{"type", "string"}}}});
  if (k.form & form::numbers) {
    Json array{{"type", "array"}, {"items", number("number", k.range)}, {"minItems", static_cast<int>(k.count.lo)}};
    if (std::isfinite(k.count.hi)) array["maxItems"] = static_cast<int>(k.count.hi);
    out.push_back(std::move(array));
  }
  if (k.form & form::points) {
    const Json point{{"type", "array"}, {"items", number("number", k.range)}, {"minItems", 2}, {"maxItems", 2}};
    const int count = static_cast<int>(k.count.lo);
    out.push_back({{"type", "array"}, {"items", point}, {"minItems", count}, {"maxItems", count}});
  }
  if (k.form & form::table) out.push_back(table);
  if (k.nested) out.push_back(reference_to(path.substr(0, path.rfind('.'))));
  if (k.form & form::tables) out.push_back({{"type", "array"}, {"items", table}});
  return out;
}

Json plain_schema_of(const Key& k, const std::string& path) {
  Json forms = forms_of(k, path);
  return forms.size() == 1 ? forms[0] : Json{{"anyOf", forms}};
}
Json schema_of(const Key& k, const std::string& path) {
  Json out = plain_schema_of(k, path);
  if (out.contains("$ref")) out = {{"allOf", {out}}};  // other keywords next to a reference are ignored
  out["description"] = description(k);
  return out;
}

/// Adds a key, which another may replace, to the required ones.
void require(const Key& k, Json& to) {
  if (!k.required || k.waived) return;
  Json any = Json::array({needs(k.name)});
  for (const std::string& other : k.instead) any.push_back(needs(other));
  to["allOf"].push_back(any.size() == 1 ? any[0] : Json{{"anyOf", any}});
}

Json object_of(const SectionInfo& s) {
  Json out{{"type", "object"}, {"description", s.about}, {"properties", Json::object()}};
  auto inside = [&](const Key& k) { return s.path.empty() ? k.name : s.path + "." + k.name; };
  Names common;
  for (const Key& k : s.keys) {
    require(k, out);
    common.push_back(k.name);
  }
  for (const Key& k : s.all()) {
    if (k.name == "*") {
      out["additionalProperties"] = schema_of(k, inside(k));
    } else {
      out["properties"][k.name] = schema_of(k, inside(k));
    }
  }
  if (!s.open) out["additionalProperties"] = false;
  for (const SectionInfo::Group& g : s.groups) {
    Names names = common;
    Json then{{"properties", Json::object()}};
    for (const Key& k : g.keys) {
      names.push_back(k.name);
      then["properties"][k.name] = plain_schema_of(k, inside(k));
      require(k, then);
    }
    then["propertyNames"] = {{"enum", names}};
    const Json when = g.word.empty() ? Json{{"not", needs(s.by)}} : is(s.by, g.word);
    out["allOf"].push_back({{"if", when}, {"then", std::move(then)}});
  }
  return out;
}

Key nominal_load(const std::string& meaning) { return {"normal_load", form::number, meaning, "N", positive}; }

/// The parameters of a model, and the coefficients that may replace forces.
std::vector<Key> parameters_of(const ModelInfo& m) {
  std::vector<Key> out;
  bool coefficients = false, load = false;
  for (const FieldInfo& f : m.parameters) {
    out.push_back(scenario::key_of(f));
    load = load || f.name == "normal_load";
    if (f.per_load.empty()) continue;
    coefficients = true;
    out.emplace_back(f.per_load, form::number, "coefficient: " + f.name + " over normal_load", "1", Range{-inf, inf});
  }
  if (coefficients && !load) out.push_back(nominal_load("normal load of the coefficients"));
  return out;
}

void add_names(const std::vector<Key>& keys, Names& to) {
  for (const Key& k : keys) {
    if (std::ranges::find(to, k.name) == to.end()) to.push_back(k.name);
  }
}

Json model_definition(const ModelInfo& m) {
  Json out{{"properties", Json::object()}};
  Json states{{"type", "object"}, {"properties", Json::object()}, {"additionalProperties", false}};
  Json negative = states;
  for (const FieldInfo& f : m.states) states["properties"][f.name] = schema_of(scenario::key_of(f), "");
  for (const Key& k : parameters_of(m)) {
    out["properties"][k.name] = schema_of(k, "");
    negative["properties"][k.name] = plain_schema_of(k, "");
  }
  out["properties"]["initial"] = states;
  out["properties"]["negative"] = negative;
  return out;
}

/// The distribution of one parameter.
Json distribution_schema() {
  using D = asperity::Distribution;
  Json out{{"type", "object"}, {"required", {"kind"}}, {"properties", {{"kind", {{"enum", D::names}}}}}};
  for (std::size_t i = 0; i < D::names.size(); ++i) {
    for (const asperity::DistributionKey& k : asperity::keys_of(static_cast<D::Kind>(i)))
      out["properties"][k.name] = {{"type", "number"}};
  }
  out["properties"]["values"] = {{"type", "array"}, {"items", {{"type", "number"}}}, {"minItems", 2}};
  for (const char* key : {"file", "column"}) out["properties"][key] = {{"type", "string"}};
  out["additionalProperties"] = false;
  return out;
}

/// A friction block; `more`: keys of a file with the block at top level.
Json friction_block(const std::vector<Key>& more) {
  const SectionInfo& s = *scenario::find_section("friction");
  Names own;
  add_names(s.keys, own);
  add_names(more, own);
  Json out{{"type", "object"}, {"description", s.about}, {"properties", Json::object()}};
  Names all = own;
  for (const ModelInfo& m : model_infos()) add_names(parameters_of(m), all);
  for (const std::string& name : all) out["properties"][name] = true;
  for (const Key& k : s.keys) {
    const bool of_model = k.name == "initial" || k.name == "negative" || k.name == "distribution";
    out["properties"][k.name] =
        of_model ? Json{{"type", "object"}, {"description", k.text}} : schema_of(k, "friction." + k.name);
    if (k.name == "distribution") out["properties"][k.name]["additionalProperties"] = distribution_schema();
    require(k, out);
  }
  for (const Key& k : more) out["properties"][k.name] = schema_of(k, k.name);
  out["additionalProperties"] = false;
  for (const ModelInfo& m : model_infos()) {
    Names names = own;
    const std::vector<Key> keys = parameters_of(m);
    add_names(keys, names);
    Json then{{"allOf", {reference_to("model." + m.name)}}, {"propertyNames", {{"enum", names}}}};
    Json complete = Json::object();
    for (const Key& k : keys) require(k, complete);
    then["allOf"].push_back({{"if", {{"not", needs("file")}}}, {"then", std::move(complete)}});
    out["allOf"].push_back({{"if", is("model", m.name)}, {"then", std::move(then)}});
  }
  return out;
}

}  // namespace

Json scenario_schema() {
  Json definitions = Json::object();
  for (const ModelInfo& m : model_infos()) definitions["model." + m.name] = model_definition(m);
  for (const SectionInfo& s : scenario::sections()) {
    if (!s.path.empty() && s.path != "friction.initial" && s.path != "friction.negative" &&
        s.path != "friction.distribution")
      definitions[s.path] = object_of(s);
  }
  std::vector<Key> head;
  Json properties = Json::object(), only_in_scenarios = Json::array(), complete = Json::object();
  Names scenario_names, file_names{"friction"};
  for (const Key& k : scenario::find_section("")->keys) {
    properties[k.name] = schema_of(k, k.name);
    scenario_names.push_back(k.name);
    require(k, complete);
    if (std::ranges::find(scenario::head_keys, k.name) != scenario::head_keys.end()) {
      head.push_back(k);
      file_names.push_back(k.name);
    } else if (k.name != "friction") {
      only_in_scenarios.push_back(needs(k.name));
    }
  }
  definitions["friction"] = friction_block({});
  definitions["friction_file"] = friction_block(head);
  definitions["joint.friction"] = friction_block({nominal_load("nominal normal load of the law")});
  Json scenario{{"properties", properties}, {"propertyNames", {{"enum", scenario_names}}}};
  scenario.update(complete);
  const Json section{{"properties", properties}, {"propertyNames", {{"enum", file_names}}}};
  const Json file{{"if", needs("friction")}, {"then", section}, {"else", reference_to("friction_file")}};
  Json shown = Json::object();
  for (const auto& [name, schema] : properties.items()) shown[name] = {{"description", schema["description"]}};
  return {{"$schema", "http://json-schema.org/draft-07/schema#"},
          {"title", "Bristle scenario"},
          {"description", scenario::find_section("")->about},
          {"type", "object"},
          {"properties", shown},
          {"if", {{"not", needs("paper")}}},
          {"then", {{"if", {{"anyOf", only_in_scenarios}}}, {"then", scenario}, {"else", file}}},
          {"definitions", definitions}};
}

}  // namespace bristle::cli
