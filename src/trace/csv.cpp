#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>
#include <ostream>

#include "base/number.hpp"
#include "bristle/output.hpp"
#include "bristle/trace.hpp"
#include "trace/dialect.hpp"
#include "trace/thinned.hpp"

namespace bristle {
namespace {

using csv::Cells;
using csv::Dialect;

constexpr std::size_t most_bytes = std::size_t{1} << 30;  // limit without a limit of rows
constexpr std::size_t most_problems = 20;                 // a file of another kind has one in every line
constexpr std::size_t longest_line = std::size_t{1} << 20;

/// Reads lines; the first lines determine the dialect.
class CsvParser {
 public:
  CsvParser(const std::string& path, std::size_t most_rows) : path_(path), rows_(out_.trace, most_rows) {}

  void line(std::string_view text, std::size_t number) {
    text = trimmed(text, " \r");
    if (trimmed(text).empty()) return;
    if (text.front() == '#' || text.front() == '%') {
      if (sample_.empty() && !decided_) comment_ = text;
      return;
    }
    if (decided_) return row(text, number);
    constexpr std::size_t enough = 32;
    sample_.push_back({number, std::string(text)});
    if (sample_.size() == enough) decide();
  }
  bool gave_up() const { return out_.problems.size() > most_problems; }
  TraceRead result() && {
    if (!decided_ && !sample_.empty()) decide();
    if (gave_up()) {
      out_.problems.resize(most_problems);
      out_.problems.push_back({path_, "more problems of this kind follow"});
    } else if (out_.problems.empty() && out_.trace.rows() == 0) {
      out_.problems.push_back({path_, "contains no rows of numbers; a table of numbers is required"});
    }
    if (!out_.problems.empty()) out_.trace.columns.clear();
    out_.every = rows_.every();
    if (interrupted_) out_.first_line = 0;
    if (commas_) out_.notes.emplace_back("decimal commas");
    if (rows_.every() > 1)
      out_.notes.push_back(fmt::format("one row in {1} kept, of {0} rows", grouped(rows_.seen()), rows_.every()));
    return std::move(out_);
  }

 private:
  void decide() {
    decided_ = true;
    dialect_ = csv::dialect_of(sample_, comment_);
    std::string words;
    for (std::size_t i = 0; i < dialect_.cells; ++i) {
      const bool named = i < dialect_.names.size() && !dialect_.names[i].empty();
      std::string name = named ? dialect_.names[i] : std::to_string(i + 1);
      if (i < dialect_.text.size() && dialect_.text[i]) {
        words += (words.empty() ? "" : ", ") + name;
        continue;
      }
      out_.trace.columns.push_back({std::move(name), i < dialect_.units.size() ? dialect_.units[i] : ""});
    }
    if (!words.empty()) dialect_.notes.push_back("columns of text skipped: " + words);
    out_.notes = dialect_.notes;
    for (std::size_t i = dialect_.first; i < sample_.size(); ++i) row(sample_[i].text, sample_[i].number);
    sample_.clear();
  }
  void row(std::string_view text, std::size_t number) {
    const std::size_t n = dialect_.cells;
    csv::split(text, dialect_.separator, cells_);
    if (cells_.size() == n + 1 && cells_.back().empty()) cells_.pop_back();
    if (cells_.size() != n)
      return wrong(number, fmt::format("{} cells, but line {} has {}; all rows must have the same number of cells",
                                       cells_.size(), dialect_.header_line, n));
    values_.clear();
    for (std::size_t i = 0; i < n; ++i) {
      if (i < dialect_.text.size() && dialect_.text[i]) continue;
      const auto x = csv::cell_number(cells_[i], dialect_.separator);
      if (!x) {
        return wrong(number, fmt::format("'{}' in column {} must be a number", cells_[i].substr(0, 40),
                                         out_.trace.columns[values_.size()].name));
      }
      commas_ = commas_ || (dialect_.separator != ',' && cells_[i].find(',') != std::string_view::npos);
      values_.push_back(*x);
    }
    if (out_.first_line == 0) out_.first_line = number;
    interrupted_ = interrupted_ || number != out_.first_line + rows_.seen();
    if (!rows_.next()) return;
    for (std::size_t i = 0; i < values_.size(); ++i) out_.trace.columns[i].values.push_back(values_[i]);
  }
  void wrong(std::size_t number, std::string text) {
    if (!gave_up()) out_.problems.push_back({fmt::format("{}:{}", path_, number), std::move(text)});
  }

  const std::string& path_;
  std::vector<csv::Line> sample_{};
  std::string comment_{};
  bool decided_ = false, commas_ = false, interrupted_ = false;
  Dialect dialect_{};
  Cells cells_{};
  std::vector<double> values_{};
  TraceRead out_{};
  Thinned rows_;
};

/// Splits pieces of a file into lines.
class Lines {
 public:
  Lines(const std::string& path, std::size_t most_rows) : path_(path), parser_(path, most_rows) {}

  /// False if no further pieces are required.
  bool take(std::string_view piece) {
    for (std::size_t end = piece.find('\n'); end != std::string_view::npos; end = piece.find('\n')) {
      line(piece.substr(0, end));
      piece.remove_prefix(end + 1);
      if (parser_.gave_up() || !problem_.empty()) return false;
    }
    rest_ += piece;
    if (rest_.size() > longest_line)
      problem_ = fmt::format("line {} is longer than 1 MiB; a text file is required", number_);
    return problem_.empty();
  }
  TraceRead result() && {
    if (problem_.empty() && !rest_.empty()) line("");
    if (!problem_.empty()) return {{}, {{path_, problem_}}};
    return std::move(parser_).result();
  }

 private:
  void line(std::string_view end) {
    if (rest_.empty()) {
      whole(end);
    } else {
      rest_ += end;
      whole(rest_);
      rest_.clear();
    }
  }
  void whole(std::string_view text) {
    if (number_ == 1) {
      if (text.substr(0, 3) == "\xEF\xBB\xBF") text.remove_prefix(3);  // byte order mark
      if (const auto mark = text.substr(0, 2); mark == "\xFF\xFE" || mark == "\xFE\xFF")
        problem_ = "is UTF-16, must be UTF-8";
    }
    parser_.line(text, number_++);
  }

  const std::string& path_;
  CsvParser parser_;
  std::string rest_{}, problem_{};
  std::size_t number_ = 1;
};

}  // namespace

void write_csv(const Trace& trace, std::ostream& out) {
  constexpr std::size_t full = std::size_t{1} << 16, longest = 32;  // the shortest form of a number has at most 24
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

TraceRead parse_csv(std::string_view text, const std::string& path, std::size_t most_rows) {
  Lines lines(path, most_rows);
  lines.take(text);
  return std::move(lines).result();
}

TraceRead read_csv(const std::string& path, std::size_t most_rows) {
  try {
    Lines lines(path, most_rows);
    std::size_t size = 0;
    read_pieces(path, [&](std::string_view piece) {
      size += piece.size();
      return (most_rows > 0 || size <= most_bytes) && lines.take(piece);
    });
    if (most_rows == 0 && size > most_bytes)
      throw FileError(fmt::format("{}: is too long; at most {} MiB are accepted", path, most_bytes >> 20));
    return std::move(lines).result();
  } catch (const FileError& e) { return {{}, {{"", e.what()}}}; }
}

}  // namespace bristle
