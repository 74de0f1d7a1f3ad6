#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "bristle/registry/describe.hpp"
#include "cli/describe.hpp"
#include "cli/screen.hpp"
#include "commands.hpp"

namespace bristle::cli {
namespace {

std::string default_text(const FieldInfo& f) {
  std::string text = f.value.text();
  if (f.kind == Kind::real && !std::isfinite(*f.value.as<double>())) text = "off";
  if (f.kind == Kind::array && f.value.as<std::vector<double>>()->empty()) text = "absent";
  return f.required ? "required, e.g. " + text : text;
}

std::string range_text(const FieldInfo& f) {
  if (f.kind == Kind::choice) return fmt::format("{}", fmt::join(f.choices, " or "));
  if (f.kind == Kind::boolean) return "true or false";
  return (f.kind == Kind::array ? "each " : "") + describe(f.range) + (f.share ? ", sum 1" : "");
}

void print_block(const std::string& heading, const std::string& text) {
  print("\n{}\n", heading);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    print("  {}\n", text.substr(at, end - at));
    at = end + 1;
  }
}

void print_page(const ModelInfo& m) {
  print("{}: {}\n", m.name, m.title);
  print_block(fmt::format("Equations  ({}; F resists the motion: m a = F_app - F)", m.population ? "no units" : "SI"),
              m.equations);

  print("\nParameters of [friction]\n");
  std::vector<std::vector<std::string>> rows{{"name", "unit", "default", "range", "meaning"}};
  for (const auto& f : m.parameters) {
    rows.push_back({f.name, f.unit, default_text(f), range_text(f),
                    f.meaning + (f.per_load.empty() ? "" : fmt::format(" (or {} and normal_load)", f.per_load))});
  }
  print_table(rows, 2);
  for (const auto& r : m.relations) print("  {} {}\n", &r == &m.relations.front() ? "with" : "    ", r.rule);

  if (!m.states.empty()) {
    print("\nStates\n");
    rows = {{"name", "unit", "meaning"}};
    for (const auto& f : m.states)
      rows.push_back({f.kind == Kind::array ? f.name + "1, " + f.name + "2..." : f.name, f.unit, f.meaning});
    print_table(rows, 2);
  }

  print("\nKnown properties\n");
  rows.clear();
  for (const auto& p : property_infos()) rows.push_back({m.has.*p.at ? "yes" : "no", p.name, p.meaning});
  rows.push_back({m.set_valued ? "yes" : "no", "set_valued", "at rest, any force up to breakaway is possible"});
  print_table(rows, 2);
  print("   passive (never creates energy) if: {}\n", m.passive_if);

  print_block("Notes", m.notes);
  print_block("References", fmt::format("{}", fmt::join(m.references, "\n")));
}

void print_list() {
  std::vector<std::vector<std::string>> rows{{"model", "stick", "pre-sliding", "memory", "Stribeck", "lag", ""}};
  auto mark = [](bool b) { return std::string(b ? "x" : "."); };
  for (const auto& m : model_infos()) {
    rows.push_back({m.name, mark(m.has.stiction), mark(m.has.presliding), mark(m.has.memory), mark(m.has.stribeck),
                    mark(m.has.lag), m.title});
  }
  print_table(rows, 2);
  print("\n'bristle models NAME' shows equations, parameters and references of one model.\n");
}

}  // namespace

int models(const std::string& name, bool json) {
  if (name.empty()) {
    if (json) {
      Json all = Json::array();
      for (const auto& m : model_infos()) all.push_back(to_json(m));
      print("{}", json_text(all));
    } else {
      print_list();
    }
    return done;
  }
  const ModelInfo* m = find_model(name);
  if (!m) {
    print_error("bristle models: {}\n", unknown_model(name));
    return wrong_input;
  }
  if (json) {
    print("{}", json_text(to_json(*m)));
  } else {
    print_page(*m);
  }
  return done;
}

}  // namespace bristle::cli
