#include "report/shared/labels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "bristle/models.hpp"
#include "bristle/registry/describe.hpp"

namespace bristle::report {
namespace {

/// Columns of every trace. Names of states come from the models.
struct Word {
  std::string_view column, symbol, linear, rotational;
};
constexpr Word words[]{{"t", "t", "Time", "Time"},
                       {"x", "x", "Position", "Angle"},
                       {"v", "v", "Velocity", "Angular velocity"},
                       {"F", "F", "Friction force", "Friction torque"},
                       {"F_app", "F_{app}", "Applied force", "Applied torque"},
                       {"omega", "ω", "Angular velocity", "Angular velocity"},
                       {"phi", "φ", "Angle of rotation", "Angle of rotation"},
                       {"v_slip", "v_{slip}", "Slip velocity", "Slip velocity"},
                       {"u", "u", "Control force", "Control torque"},
                       {"reference", "", "Reference", "Reference"},
                       {"mu", "μ", "Friction coefficient", "Friction coefficient"}};

/// The common quantity of columns with the same unit.
struct Quantity {
  std::string_view unit, word;
};
constexpr Quantity quantities[]{
    {"m", "Position"}, {"rad", "Angle"},  {"m/s", "Velocity"}, {"rad/s", "Angular velocity"},
    {"N", "Force"},    {"N m", "Torque"}, {"s", "Time"}};
constexpr std::string_view drive_words[][2]{
    {"Drive position", "Drive angle"}, {"Drive velocity", "Drive velocity"}, {"Drive force", "Drive torque"}};

struct Name {
  std::string word, symbol;
  std::string text() const { return word + (word.empty() || symbol.empty() ? "" : " ") + symbol; }
};

std::string capitalised(std::string text) {
  if (!text.empty()) text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text;
}

/// f1 as f_{1}, s_v as s_{v}.
std::string with_subscript(const std::string& name) {
  if (name == "theta") return "θ";
  const std::size_t digits = name.find_last_not_of("0123456789") + 1, bar = name.find('_');
  if (bar != std::string::npos && bar > 0) return fmt::format("{}_{{{}}}", name.substr(0, bar), name.substr(bar + 1));
  return digits < name.size() ? fmt::format("{}_{{{}}}", name.substr(0, digits), name.substr(digits)) : name;
}

/// A state of a contact, or the friction force of one contact.
Name contact_name(const std::string& column, const Scenario& scenario) {
  for (const NamedContact& c : scenario.experiment.contacts) {
    if (!c.name.empty() && column == "F_" + c.name) {
      return {std::string(scenario.rotational ? words[3].rotational : words[3].linear),
              fmt::format("F_{{{}}}", c.name)};
    }
    const std::string prefix = c.name.empty() ? "" : c.name + ".";
    const ModelInfo* info = c.contact ? find_model(c.contact->model()) : nullptr;
    if (!info || !column.starts_with(prefix)) continue;
    const std::string name = column.substr(prefix.size());
    for (const FieldInfo& s : info->states) {
      const bool element = s.kind == Kind::array && name.starts_with(s.name) &&
                           name.find_first_not_of("0123456789", s.name.size()) == std::string::npos;
      if (name != s.name && !element) continue;
      const std::string meaning = s.meaning.substr(0, s.meaning.find(':'));
      const std::string symbol = with_subscript(name);
      return {capitalised(meaning), c.name.empty() ? symbol : fmt::format("{} ({})", symbol, c.name)};
    }
  }
  return {"", column};
}

Name name_of(std::string_view column, const Scenario& scenario) {
  const bool rotational = scenario.rotational;
  if (column == "drive") {
    return {std::string(drive_words[static_cast<std::size_t>(scenario.experiment.drive.of)][rotational]), ""};
  }
  for (const Word& w : words) {
    if (w.column == column) return {std::string(rotational ? w.rotational : w.linear), std::string(w.symbol)};
  }
  if (const auto [a, b] = terms_of(column); !b.empty()) {
    auto symbol = [&](std::string_view term) {
      const Name n = name_of(term, scenario);
      return n.symbol.empty() ? std::string(term) : n.symbol;
    };
    const char sign = column[column.find_first_not_of(' ', static_cast<std::size_t>(a.end() - column.begin()))];
    return {"", fmt::format("{} {} {}", symbol(a), sign == '-' ? "−" : sign == '*' ? "·" : "/", symbol(b))};
  }
  return contact_name(std::string(column), scenario);
}

std::string with_unit(const std::string& text, const std::string& unit) {
  return unit.empty() ? text : fmt::format("{} ({})", text, unit);
}

}  // namespace

std::string shown_unit(std::string_view unit, bool rotational) {
  if (unit == "1") return "";
  std::string out;
  for (std::size_t i = 0; i < unit.size();) {
    std::size_t end = i;
    while (end < unit.size() && std::isalpha(static_cast<unsigned char>(unit[end]))) ++end;
    const std::string_view token = unit.substr(i, std::max(end, i + 1) - i);
    if (token == "degC") {
      out += "°C";
    } else if (rotational && token == "N") {
      out += "N m";
    } else if (rotational && token == "m") {
      out += "rad";
    } else if (rotational && token == "kg") {
      out += "kg m^2";
    } else {
      out += token;
    }
    i += token.size();
  }
  return out;
}

std::string unit_in(std::string_view unit, const Scenario& scenario) {
  return dimensionless(scenario) ? "" : shown_unit(unit, scenario.rotational);
}

std::string title_of(std::string_view column, const Scenario& scenario) { return name_of(column, scenario).text(); }

std::string axis_label(std::span<const Column> columns, const Scenario& scenario) {
  if (columns.empty()) return "";
  const Name first = name_of(columns[0].name, scenario);
  const std::string unit = unit_in(columns[0].unit, scenario);
  if (columns.size() == 1) return with_unit(first.text(), unit);
  auto all = [&](auto same) { return std::all_of(columns.begin(), columns.end(), same); };
  if (!all([&](const Column& c) { return c.unit == columns[0].unit; })) return "";  // the legend shows units
  if (all([&](const Column& c) { return name_of(c.name, scenario).word == first.word; }) && !first.word.empty()) {
    return with_unit(first.word, unit);
  }
  for (const Quantity& q : quantities) {
    if (q.unit == shown_unit(columns[0].unit, scenario.rotational)) return with_unit(std::string(q.word), unit);
  }
  return unit.empty() ? "" : fmt::format("({})", unit);
}

}  // namespace bristle::report
