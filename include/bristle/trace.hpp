#pragma once
#include <cstddef>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "value.hpp"

/// Time series with named columns and their units.
namespace bristle {

/// A column of a trace.
struct Column {
  std::string name, unit;
  std::vector<double> values{};
  std::size_t place = 0;  // number of the column in its file, from 1; 0: unknown
  double origin = 0;      // added to the values: times since 1970 do not lose digits
};

struct Trace {
  std::vector<Column> columns{};

  std::size_t rows() const { return columns.empty() ? 0 : columns.front().values.size(); }
  /// nullptr if no column has this name.
  const Column* find(std::string_view name) const {
    for (const Column& c : columns) {
      if (c.name == name) return &c;
    }
    return nullptr;
  }
  /// Names of the columns.
  std::vector<std::string> names() const {
    std::vector<std::string> out;
    out.reserve(columns.size());
    for (const Column& c : columns) out.push_back(c.name);
    return out;
  }
};

/// Splits "reference - x", "F * v" or "F / Fn" into two columns; the second is empty for a single column.
std::pair<std::string_view, std::string_view> terms_of(std::string_view name);
/// A column, or the difference, product or ratio of two ("F * v", with blanks). Empty if a column is missing.
std::optional<Column> column_of(const Trace& trace, std::string_view name);

/// Writes commas, one header line, and numbers in the shortest form that reads back as the same double.
void write_csv(const Trace& trace, std::ostream& out);

/// A trace, or the problems of its file.
struct TraceRead {
  Trace trace{};  // empty if there are problems
  Problems problems{};
  std::vector<std::string> notes{};  // remarks: "2 lines before the header skipped"
  std::size_t every = 1;             // one row in `every` was kept
  std::size_t first_line = 0;        // line of the first row in a text file with consecutive rows, else 0
  std::string header{};              // origin of the names: "line 3 as the header", "no header"; empty: not a text file
};
/// Options for text files.
struct TextOptions {
  std::size_t skip = 0;  // lines at the start to ignore
  bool relative =
      false;  // numbers with too many digits for a double, such as ns since 1970, relative to Column::origin
};
/// Reads rows separated by commas, semicolons, tabs, bars or blanks; a decimal comma is accepted if the comma is not
/// the separator or the cell is quoted. The table is found by its content: text around it is skipped, and of several
/// tables the longest is read. The header is the line above the rows with as many words (without it the columns are 1,
/// 2..., or the words of a comment if their number fits); a line of units may follow it. Lines that begin with # or %
/// are skipped; an empty cell, NA and null are NaN. The text is UTF-8, Latin-1, or UTF-16. `most_rows` bounds the
/// memory: of longer files every 2nd, 4th, 8th... row is kept.
TraceRead read_csv(const std::string& path, std::size_t most_rows = 0, const TextOptions& options = {});
/// Reads text; `path` is used for messages.
TraceRead parse_csv(std::string_view text, const std::string& path, std::size_t most_rows = 0,
                    const TextOptions& options = {});
/// JSON: an array of objects or of arrays, an object of arrays, also inside other objects, or one object per line.
TraceRead read_json(const std::string& path, std::size_t most_rows = 0);
/// Reads columns from JSON.
TraceRead parse_json(std::string_view text, const std::string& path, std::size_t most_rows = 0);
/// MAT v5, v7 and v7.3: vectors of the most common length, columns of matrices, fields of structures.
TraceRead read_mat(const std::string& path, std::size_t most_rows = 0);
/// Reads CSV, JSON or MAT, depending on the content.
TraceRead read_trace(const std::string& path, std::size_t most_rows = 0, const TextOptions& options = {});

}  // namespace bristle
