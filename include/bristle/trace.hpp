#pragma once
#include <cstddef>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "value.hpp"

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

/// "reference - x", "F * v" or "F / Fn" into its two columns; the second is empty where there is one.
std::pair<std::string_view, std::string_view> terms_of(std::string_view name);
/// A column, or the difference, product or ratio of two ("F * v"; signs stand between blanks). Empty if there is no such column.
std::optional<Column> column_of(const Trace& trace, std::string_view name);

/// Commas, one header line, numbers in the shortest form that reads back as the same double.
void write_csv(const Trace& trace, std::ostream& out);

struct TraceRead {
  Trace trace{};  // empty if there are problems
  Problems problems{};
  std::vector<std::string> notes{};  // what was left out or understood: "2 lines before the header were left out"
  std::size_t every = 1;             // of so many rows one was kept
  std::size_t first_line = 0;        // of the first row in a text file whose rows follow each other, else 0
};
/// Separated by commas, semicolons, tabs, bars or blanks, whatever makes the lines rows of numbers; a decimal comma is
/// understood where the comma does not separate. The header line is optional (then the columns are called 1, 2..., or by
/// the last comment if that fits), a line of units may follow it. Lines that begin with # or % are left out, an empty
/// cell, NA and null are NaN.
/// With `most_rows` the memory is bounded: of longer files every 2nd, 4th, 8th... row is kept.
TraceRead read_csv(const std::string& path, std::size_t most_rows = 0);
/// The same from text; `path` is used for messages.
TraceRead parse_csv(std::string_view text, const std::string& path, std::size_t most_rows = 0);
/// MAT v5, v7 and v7.3: vectors of the most common length, columns of matrices, fields of structures.
TraceRead read_mat(const std::string& path, std::size_t most_rows = 0);
/// CSV or MAT, by content.
TraceRead read_trace(const std::string& path, std::size_t most_rows = 0);

}  // namespace bristle
