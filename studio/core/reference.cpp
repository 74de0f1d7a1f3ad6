/// Keys of scenario files for the form of the page, and a file as a tree with lines.
#include <cmath>

#include "bristle/scenario/reference.hpp"
#include "cli/json.hpp"
#include "core/answer.hpp"
#include "scenario/shared/section.hpp"

namespace bristle::studio {
namespace {

using scenario::Key;
using scenario::Node;
namespace form = scenario::form;

Json key_json(const Key& k) {
  Json forms = Json::array();
  constexpr std::pair<unsigned, const char*> names[]{
      {form::number, "number"}, {form::whole, "whole"},  {form::boolean, "boolean"}, {form::word, "word"},
      {form::text, "text"},     {form::texts, "texts"},  {form::numbers, "numbers"}, {form::table, "table"},
      {form::tables, "tables"}, {form::points, "points"}};
  for (const auto& [bit, name] : names) {
    if (k.form & bit) forms.push_back(name);
  }
  return {{"name", k.name},
          {"forms", forms},
          {"meaning", k.text},
          {"unit", k.unit},
          {"min", cli::json_number(k.range.lo)},
          {"max", cli::json_number(k.range.hi)},
          {"choices", k.choices},
          {"required", k.required && !k.waived},
          {"instead", k.instead},
          {"default", k.value}};
}

Json keys_json(const std::vector<Key>& keys) {
  Json out = Json::array();
  for (const Key& k : keys) out.push_back(key_json(k));
  return out;
}

int line_of(const Node& n) {
  const std::size_t at = n.where.rfind(':');
  return at == std::string::npos ? 0 : std::atoi(n.where.c_str() + at + 1);
}

Json node_json(const Node& n) {
  Json out{{"line", line_of(n)}};
  if (const auto* object = n.as<Node::Object>()) {
    out["braces"] = n.braces;
    out["members"] = Json::array();
    for (const scenario::Member& m : *object) {
      Json member = node_json(m.value);
      member["key"] = m.key;
      out["members"].push_back(std::move(member));
    }
  } else if (const auto* list = n.as<Node::List>()) {
    out["items"] = Json::array();
    for (const Node& item : *list) out["items"].push_back(node_json(item));
  } else if (const auto* numbers = n.as<Node::Numbers>()) {
    out["value"] = *numbers;
  } else if (const auto* x = n.as<double>()) {
    out["value"] = cli::json_number(*x);
  } else if (const auto* b = n.as<bool>()) {
    out["value"] = *b;
  } else {
    out["value"] = *n.as<std::string>();
  }
  return out;
}

}  // namespace

Answer reference(const Json&) {
  Answer out;
  for (const scenario::SectionInfo& s : scenario::sections()) {
    Json section{{"path", s.path},         {"heading", s.heading},      {"about", s.about},
                 {"open", s.open},         {"keys", keys_json(s.keys)}, {"by", s.by},
                 {"groups", Json::array()}};
    for (const auto& g : s.groups)
      section["groups"].push_back({{"word", g.word}, {"about", g.about}, {"keys", keys_json(g.keys)}});
    out.json["sections"].push_back(std::move(section));
  }
  return out;
}

Answer document(const Json& request) {
  const std::string name = "scenario.toml";
  Problems problems;
  const Node root = scenario::parse_toml(text_in(request, "text"), name, problems);
  if (!problems.empty()) throw Refused{scenario::tidied(std::move(problems), name)};
  Answer out;
  out.json["root"] = node_json(root);
  return out;
}

}  // namespace bristle::studio
