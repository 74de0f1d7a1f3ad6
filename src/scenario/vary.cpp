#include "bristle/scenario/vary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/number.hpp"
#include "scenario/shared/section.hpp"

namespace bristle {
namespace {

constexpr double most_values = 1e9;
constexpr const char* form =
    "must be KEY=FROM:TO:POINTS or KEY=FROM:TO:POINTS:log, such as drive.velocity=0.01:1:50:log";

std::vector<std::string_view> parts_of(std::string_view text) {
  std::vector<std::string_view> out;
  for (std::size_t colon = 0; colon != std::string_view::npos;) {
    colon = text.find(':');
    out.push_back(trimmed(text.substr(0, colon)));
    if (colon != std::string_view::npos) text.remove_prefix(colon + 1);
  }
  return out;
}

/// A whole number of runs; 0 is reported by objection_to.
std::optional<std::uint64_t> whole_number(double x) {
  if (!(x >= 0 && x <= most_values) || x != std::floor(x)) return {};
  return static_cast<std::uint64_t>(x);
}

}  // namespace

double Varied::at(double part, double whole) const {
  if (part == 0) return from;
  if (part == whole) return to;
  if (!log) return (from * (whole - part) + to * part) / whole;
  const double decades = (std::log10(std::abs(from)) * (whole - part) + std::log10(std::abs(to)) * part) / whole;
  return std::copysign(std::pow(10.0, decades), from);
}

std::string objection_to(const Varied& v) {
  const std::string range = fmt::format("range {} to {}", to_text(v.from), to_text(v.to));
  if (!any_real.contains(v.from) || !any_real.contains(v.to))
    return fmt::format("{}: both ends must be finite numbers of at most {}", range, to_text(limit::most));
  if (v.points == std::uint64_t{0}) return "0 points; at least 1 is required";
  if (v.points == std::uint64_t{1} && v.from != v.to)
    return fmt::format("one point of the {}; one point requires equal ends, a range at least 2 points", range);
  if (v.from == v.to && v.points != std::uint64_t{1})
    return fmt::format("empty {}; the ends must differ, or the number of points be 1", range);
  if (v.log && !(v.from * v.to > 0)) { return fmt::format("logarithmic {}; both ends must be > 0 or both < 0", range); }
  return {};
}

std::optional<Varied> parse_varied(const std::string& text, Problems& problems) {
  const std::string where = "--vary " + text;
  auto wrong = [&](std::string what) {
    problems.push_back({where, std::move(what)});
    return std::nullopt;
  };
  const std::size_t equals = text.find('=');
  Varied out{.key = std::string(trimmed(std::string_view(text).substr(0, equals)))};
  if (equals == std::string::npos || out.key.empty()) return wrong(form);
  out.where = "--vary " + out.key;
  std::vector<std::string_view> parts = parts_of(std::string_view(text).substr(equals + 1));
  if (parts.size() > 2 && parts.back() == "log") {
    out.log = true;
    parts.pop_back();
  }
  const auto from = parse_number(parts[0]);
  const auto to = parts.size() > 1 ? parse_number(parts[1]) : std::nullopt;
  if (!from || !to || parts.size() > 3) return wrong(form);
  out.from = *from;
  out.to = *to;
  if (parts.size() == 3) {
    const auto points = parse_number(parts[2]);
    out.points = points ? whole_number(*points) : std::nullopt;
    if (!out.points)
      return wrong(fmt::format("'{}' must be a whole number of points from 1 to {:.0e}", parts[2], most_values));
  }
  if (std::string why = objection_to(out); !why.empty()) return wrong(std::move(why));
  return out;
}

std::optional<std::uint64_t> parse_sample(const std::string& text, const std::string& where, Problems& problems) {
  const std::size_t colon = text.find(':');
  const auto n =
      colon == std::string::npos ? std::nullopt : parse_number(trimmed(std::string_view(text).substr(colon + 1)));
  const auto size = n ? whole_number(*n) : std::nullopt;
  if (trimmed(std::string_view(text).substr(0, colon)) != "sobol" || !size || *size == 0) {
    problems.push_back(
        {where, fmt::format("'{}' must be sobol:N with a whole number N of runs from 1 to {:.0e}", text, most_values)});
    return {};
  }
  return size;
}

namespace scenario {
namespace {

struct Ends {
  double from{}, to{}, points{};
};

void read_range(const std::string& key, const Node& node, SweepSpec& out, Reading& reading) {
  const Section section{node, fmt::format("\"{}\" of vary in [sweep]", key)};
  Ends e;
  const bool good =
      read_section(section, "a range",
                   {view("from", "1", e.from, any_real, "first value"), view("to", "1", e.to, any_real, "last value"),
                    view("points", "1", e.points, {0, most_values}, "number of values; not with a sample")},
                   {Key{"scale", form::word, "distance between the values"}.or_else("\"linear\"")}, reading)
          .good;
  const auto scale = choice(section, "scale", {"linear", "log"}, false, reading);
  for (const char* end : {"from", "to"}) {
    if (!section.has(end)) return reading.wrong(node.where, fmt::format("missing key '{}' in {}", end, section.name));
  }
  if (!good) return;
  Varied v{.key = key, .from = e.from, .to = e.to, .log = scale == 1U, .where = node.where};
  if (section.has("points")) v.points = whole_number(e.points);
  if (section.has("points") && !v.points)
    return reading.wrong(section.where("points"),
                         fmt::format("points = {} in {} must be a whole number", to_text(e.points), section.name));
  if (std::string why = objection_to(v); !why.empty())
    return reading.wrong(node.where, fmt::format("\"{}\" in [sweep]: {}", key, why));
  const bool twice = std::ranges::any_of(out.vary, [&](const Varied& other) { return other.key == key; });
  if (twice) return reading.wrong(node.where, fmt::format("\"{}\" is given twice in [sweep]", key));
  out.vary.push_back(std::move(v));
}

/// Ranges, also below tables of keys without quotes: drive.velocity = { from = 0.1, to = 1 }.
void read_ranges(const std::string& prefix, const Node& node, SweepSpec& out, Reading& reading) {
  for (const Member& m : *node.as<Node::Object>()) {
    const std::string key = prefix.empty() ? m.key : prefix + "." + m.key;
    const auto* table = m.value.as<Node::Object>();
    if (!table || table->empty()) {
      reading.wrong(m.value.where,
                    fmt::format("\"{}\" = {} in vary of [sweep] must be {{ from = 0.1, to = 1, points = 10 }}", key,
                                text_of(m.value)));
    } else if (m.value.find("from") || m.value.find("to") || m.value.find("points")) {
      read_range(key, m.value, out, reading);
    } else {
      read_ranges(key, m.value, out, reading);
    }
  }
}

void read_curve(const Section& section, SweepSpec& out, Reading& reading) {
  read_section(
      section, "a curve", {},
      {{"label", form::text, "name in the legend"},
       Key{"x", form::numbers, "values of the first varied key", "1", any_real, {2, inf}}.needed(),
       Key{"y", form::numbers, "values of the second varied key, or of a measure", "1", any_real, {2, inf}}.needed()},
      reading);
  SweepCurve& c = out.curves.emplace_back();
  c.label = section.text("label", reading).value_or("");
  for (const auto& [key, to] : {std::pair{"x", &c.x}, std::pair{"y", &c.y}}) {
    const Node* n = section.node.find(key);
    const auto* numbers = n ? n->as<Node::Numbers>() : nullptr;
    if (numbers && numbers->size() > 1) {
      *to = *numbers;
    } else {
      reading.wrong(section.where(key),
                    fmt::format("{} in {} must be an array of at least two numbers", key, section.name));
    }
  }
  if (c.x.size() != c.y.size())
    reading.wrong(section.where("y"), fmt::format("x has {} values and y has {} in {}; both must have the same length",
                                                  c.x.size(), c.y.size(), section.name));
}

}  // namespace

SweepSpec read_sweep(const Node& root, Reading& reading) {
  SweepSpec out;
  const auto section = subsection(root, "sweep", reading);
  if (!section) return out;
  read_section(*section, "a sweep", {},
               {{"vary", form::table, "the varied keys with their ranges"},
                {"sample", form::text, "sobol:N: N points of a Sobol sequence instead of a grid"},
                {"curve", form::tables, "curves to draw over the map or the lines, such as a closed form"}},
               reading);
  if (const auto vary = section->has("vary") ? subsection(section->node, "vary", reading) : std::nullopt) {
    Key range{"*", form::table, "range of this key, such as \"drive.velocity\""};
    range.nested = true;
    reading.describe(*vary, {}, {range}, true);
    read_ranges("", vary->node, out, reading);
  }
  if (const auto sample = section->text("sample", reading))
    out.sobol = parse_sample(*sample, section->where("sample"), reading.problems);
  if (const Node* curve = section->node.find("curve")) {
    const auto* list = curve->as<Node::List>();
    if (list && std::ranges::all_of(*list, [](const Node& n) { return n.as<Node::Object>() != nullptr; })) {
      for (const Node& n : *list) read_curve({n, "[[sweep.curve]]"}, out, reading);
    } else {
      reading.wrong(curve->where, "curve in [sweep] must be sections [[sweep.curve]] with label, x and y");
    }
  }
  return out;
}

}  // namespace scenario
}  // namespace bristle
