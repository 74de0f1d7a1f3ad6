#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>
#include <ostream>

#include "bristle/output.hpp"
#include "bristle/trace.hpp"
#include "trace/number.hpp"

namespace bristle {
namespace {

constexpr std::size_t most_bytes = std::size_t{1} << 30;
constexpr std::size_t most_problems = 20;  // a file of the wrong kind has one in every line

using Cells = std::vector<std::string_view>;

char separator_of(std::string_view line) {
  for (const char c : {';', '\t', ','}) {
    if (line.find(c) != std::string_view::npos) return c;
  }
  return ' ';
}

std::string_view bare(std::string_view cell) {
  cell = trimmed(cell);
  const bool quoted = cell.size() > 1 && cell.front() == '"' && cell.back() == '"';
  return quoted ? trimmed(cell.substr(1, cell.size() - 2)) : cell;
}

void split(std::string_view line, char separator, Cells& cells) {
  cells.clear();
  while (true) {
    const std::size_t end = separator == ' ' ? line.find_first_of(" \t") : line.find(separator);
    cells.push_back(bare(line.substr(0, end)));
    if (end == std::string_view::npos) return;
    line.remove_prefix(end + 1);
    if (separator == ' ') line = trimmed(line);  // several blanks count as one
  }
}

/// Line by line; the first one decides how the others are separated and whether it is a header.
class CsvParser {
 public:
  explicit CsvParser(const std::string& path) : path_(path) {}

  void line(std::string_view text, std::size_t number) {
    text = trimmed(text, " \r");
    if (trimmed(text).empty() || text.front() == '#') return;
    if (separator_ == 0) {
      separator_ = separator_of(text);
      split(text, separator_, cells_);
      first_ = number;
      if (header()) return;
    } else {
      split(text, separator_, cells_);
    }
    row(number);
  }
  bool gave_up() const { return out_.problems.size() > most_problems; }
  TraceRead result() && {
    if (gave_up()) {
      out_.problems.pop_back();
      out_.problems.push_back({path_, "more problems of this kind follow"});
    } else if (out_.problems.empty() && out_.trace.rows() == 0) {
      out_.problems.push_back({path_, "holds no rows of numbers"});
    }
    if (!out_.problems.empty()) out_.trace.columns.clear();
    return std::move(out_);
  }

 private:
  /// Makes the columns; true if the first line holds their names.
  bool header() {
    bool names = false;
    for (const std::string_view cell : cells_) names = names || !(cell.empty() || parse_number(cell));
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      const bool named = names && !cells_[i].empty();
      out_.trace.columns.push_back({named ? std::string(cells_[i]) : std::to_string(i + 1), ""});
    }
    return names;
  }
  void row(std::size_t number) {
    auto& columns = out_.trace.columns;
    if (cells_.size() != columns.size()) {
      return wrong(number, fmt::format("{} cells where line {} has {}", cells_.size(), first_, columns.size()));
    }
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const auto x = cells_[i].empty() ? std::numeric_limits<double>::quiet_NaN() : parse_number(cells_[i]);
      if (!x)
        return wrong(number,
                     fmt::format("'{}' in column {} must be a number", cells_[i].substr(0, 40), columns[i].name));
      columns[i].values.push_back(*x);
    }
  }
  void wrong(std::size_t number, std::string text) {
    out_.problems.push_back({fmt::format("{}:{}", path_, number), std::move(text)});
  }

  const std::string& path_;
  char separator_ = 0;
  std::size_t first_ = 0;
  Cells cells_{};
  TraceRead out_{};
};

}  // namespace

void write_csv(const Trace& trace, std::ostream& out) {
  constexpr std::size_t full = std::size_t{1} << 16, longest = 32;  // of a number in its shortest form: 24
  std::string buffer;
  buffer.reserve(full + longest * (trace.columns.size() + 1));
  for (const Column& c : trace.columns) buffer += (buffer.empty() ? "" : ",") + c.name;
  buffer += '\n';
  for (std::size_t i = 0; i < trace.rows(); ++i) {
    for (const Column& c : trace.columns) {
      char digits[longest];
      const double x = std::isnan(c.values[i]) ? std::numeric_limits<double>::quiet_NaN() : c.values[i];
      buffer.append(digits, std::to_chars(digits, digits + longest, x).ptr);
      buffer += ',';
    }
    buffer.back() = '\n';
    if (buffer.size() >= full) {
      if (!out.write(buffer.data(), static_cast<std::streamsize>(buffer.size()))) return;
      buffer.clear();
    }
  }
  out.write(buffer.data(), static_cast<std::streamsize>(buffer.size()));
}

TraceRead parse_csv(std::string_view text, const std::string& path) {
  if (text.substr(0, 3) == "\xEF\xBB\xBF") text.remove_prefix(3);  // byte order mark
  CsvParser parser(path);
  for (std::size_t number = 1; !text.empty() && !parser.gave_up(); ++number) {
    const std::size_t end = text.find('\n');
    parser.line(text.substr(0, end), number);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return std::move(parser).result();
}

TraceRead read_csv(const std::string& path) {
  try {
    return parse_csv(read_file(path, most_bytes), path);
  } catch (const FileError& e) { return {{}, {{"", e.what()}}}; }
}

}  // namespace bristle
