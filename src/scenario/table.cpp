#include "table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace bristle::scenario {
namespace {

std::vector<double> read_numbers(const Section& section, const std::string& key, Reading& reading) {
  const Node* n = section.node.find(key);
  if (!n) {
    reading.wrong(section.node.where, fmt::format("missing key '{}' in {}; arrays t and value, or a file, are accepted",
                                                  key, section.name));
    return {};
  }
  if (const auto* numbers = n->as<Node::Numbers>(); numbers && !numbers->empty()) return *numbers;
  reading.wrong(n->where, fmt::format("{} = {} in {} must be an array of numbers", key, text_of(*n), section.name));
  return {};
}

/// Two columns of a CSV file.
Points read_points_file(const Section& section, Reading& reading) {
  const auto file = section.text("file", reading);
  const auto wanted = section.texts("columns", reading);
  if (!file) return {};
  const std::string& where = section.where("file");
  TraceRead read = read_csv(reading.resolved(*file));
  for (const Problem& p : read.problems) reading.wrong(p.where.empty() ? where : p.where, p.text);
  if (!read.problems.empty()) return {};
  const Trace& trace = read.trace;
  if (trace.columns.size() < 2) {
    reading.wrong(where, fmt::format("{} has one column, must have two: time and value", *file));
    return {};
  }
  const Column *t = trace.columns.data(), *value = t + 1;
  if (section.has("columns")) {
    if (wanted.size() != 2) {
      reading.wrong(section.where("columns"), R"(columns must be two names, time and value: ["t", "x"])");
      return {};
    }
    t = trace.find(wanted[0]);
    value = trace.find(wanted[1]);
    for (const std::string& name : wanted) {
      if (!trace.find(name)) {
        reading.wrong(section.where("columns"),
                      fmt::format("unknown column '{}' in {}{}", name, *file, hint(name, trace.names())));
      }
    }
    if (!t || !value) return {};
  }
  return {t->values, value->values};
}

}  // namespace

FieldView soft_start(double& value) {
  return view("soft_start", "s", value, nonnegative,
              "the value is multiplied by sin^2(pi t/(2 soft_start)) before this time");
}

Term read_table(const Section& section, const std::string& unit, std::vector<Key> also, Reading& reading) {
  Term term{};
  Key t{"t", form::numbers, "times of the points, increasing", "s"};
  Key value{"value", form::numbers, "values at these times, linear in between", unit};
  t.required = value.required = true;
  t.instead = value.instead = {"file"};
  also.insert(also.end(),
              {std::move(t),
               std::move(value),
               {"file", form::text, "CSV file with the points instead of t and value"},
               {"columns", form::texts, "names of the two columns of the file; the first two unless given"}});
  std::vector<FieldView> fields{soft_start(term.soft_start)};
  read_section(section, "a table", fields, also, reading);
  const std::size_t before = reading.problems.size();
  const bool file = section.has("file");
  if (file && (section.has("t") || section.has("value"))) {
    reading.wrong(section.where("file"),
                  fmt::format("file and arrays are both given in {}; one is accepted", section.name));
  }
  if (!file && section.has("columns")) reading.wrong(section.where("columns"), "columns requires file");
  Points p = file ? read_points_file(section, reading)
                  : Points{read_numbers(section, "t", reading), read_numbers(section, "value", reading)};
  if (reading.problems.size() > before) return term;
  const std::string& where = section.where(file ? "file" : "t");
  if (p.t.size() != p.value.size()) {
    reading.wrong(where, fmt::format("t has {} values and value has {}; both must have the same length", p.t.size(),
                                     p.value.size()));
  }
  for (std::size_t i = 0; i < std::min(p.t.size(), p.value.size()); ++i) {
    if (!any_real.contains(p.t[i]) || !any_real.contains(p.value[i])) {
      reading.wrong(
          where, fmt::format("point {} of the table, t = {} s, value = {}: must be finite numbers of at most {}", i + 1,
                             to_text(p.t[i]), to_text(p.value[i]), to_text(limit::most)));
      break;
    }
    if (i > 0 && p.t[i] <= p.t[i - 1]) {
      reading.wrong(where, fmt::format("t of the table must increase: {} s is followed by {} s at point {}",
                                       to_text(p.t[i - 1]), to_text(p.t[i]), i + 1));
      break;
    }
  }
  term.shape = std::move(p);
  return term;
}

}  // namespace bristle::scenario
