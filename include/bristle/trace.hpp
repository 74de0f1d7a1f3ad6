#pragma once
#include <cstddef>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "boundary/value.hpp"

/// Time series with named columns and their units: the currency between the rooms.
namespace bristle {

struct Column {
  std::string name, unit;
  std::vector<double> values{};
};

struct Trace {
  std::vector<Column> columns{};

  std::size_t rows() const { return columns.empty() ? 0 : columns.front().values.size(); }
  /// nullptr if there is none of that name.
  const Column* find(std::string_view name) const {
    for (const Column& c : columns) {
      if (c.name == name) return &c;
    }
    return nullptr;
  }
  std::vector<std::string> names() const {
    std::vector<std::string> out;
    out.reserve(columns.size());
    for (const Column& c : columns) out.push_back(c.name);
    return out;
  }
};

/// Commas, one header line, numbers in the shortest form that reads back as the same double.
void write_csv(const Trace& trace, std::ostream& out);

struct TraceRead {
  Trace trace{};  // empty if there are problems
  Problems problems{};
};
/// Separated by commas, semicolons, tabs or blanks. The header line is optional (then the columns are called 1, 2...),
/// lines that begin with # are left out, an empty cell is NaN.
TraceRead read_csv(const std::string& path);
/// The same from text; `path` is used for messages.
TraceRead parse_csv(std::string_view text, const std::string& path);

}  // namespace bristle
