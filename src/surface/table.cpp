#include "surface/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/number.hpp"

namespace bristle::surface {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr std::string_view blanks = " \t\r";

bool is_missing(std::string_view cell) {
  std::string low(cell);
  std::ranges::transform(low, low.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  constexpr std::array words{"na", "n/a", "null", "none", "bad", "-", "--", "***", "nan", "-nan", "inf", "-inf"};
  return std::ranges::find(words, low) != words.end();
}

/// Cells of a line; blanks are one separator, however long.
class Cells {
 public:
  Cells(std::string_view line, char separator) : rest_(line), separator_(separator), more_(true) {
    if (separator_ == ' ') {
      rest_ = trimmed(rest_, blanks);
      more_ = !rest_.empty();
    }
  }
  bool next(std::string_view& cell) {
    if (!more_) return false;
    const std::size_t at = separator_ == ' ' ? rest_.find_first_of(blanks) : rest_.find(separator_);
    cell = trimmed(rest_.substr(0, at), blanks);
    more_ = at != std::string_view::npos;
    if (more_) rest_ = separator_ == ' ' ? rest_.substr(rest_.find_first_not_of(blanks, at)) : rest_.substr(at + 1);
    return true;
  }

 private:
  std::string_view rest_;
  char separator_;
  bool more_;
};

std::vector<std::string> split(std::string_view line, char separator) {
  std::vector<std::string> out;
  Cells cells(line, separator);
  for (std::string_view c; cells.next(c);) {
    if (c.size() > 1 && c.front() == '"' && c.back() == '"') c = c.substr(1, c.size() - 2);
    out.emplace_back(c);
  }
  return out;
}

char separator_of(std::string_view line) {
  for (const char c : {';', '\t', ','}) {
    if (line.find(c) != std::string_view::npos) return c;
  }
  return ' ';
}

bool all_numbers(std::string_view line, char separator) {
  Cells cells(line, separator);
  double x{};
  bool any = false;
  for (std::string_view c; cells.next(c);) {
    if (!read_cell(c, separator != ',', x)) return false;
    any = any || !c.empty();  // rows of missing heights are rows
  }
  return any;
}

std::string quoted(std::string_view cell) {
  return fmt::format("'{}'", cell.size() > 40 ? std::string(cell.substr(0, 40)) + "..." : std::string(cell));
}

class Lines {
 public:
  explicit Lines(std::string_view text) : rest_(text) {}
  bool next(std::string_view& line) {
    if (rest_.empty()) return false;
    const std::size_t at = rest_.find('\n');
    line = rest_.substr(0, at);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    rest_ = at == std::string_view::npos ? std::string_view{} : rest_.substr(at + 1);
    ++number_;
    return true;
  }
  std::size_t number() const { return number_; }
  std::size_t left() const { return rest_.size(); }

 private:
  std::string_view rest_;
  std::size_t number_ = 0;
};

}  // namespace

std::string_view next_word(std::string_view& text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) {
    text = {};
    return {};
  }
  const std::size_t end = std::min(text.find_first_of(" \t\r\n", begin), text.size());
  const std::string_view word = text.substr(begin, end - begin);
  text.remove_prefix(end);
  return word;
}

bool read_cell(std::string_view cell, bool decimal_comma, double& value) {
  if (!cell.empty() && cell.front() == '+') cell.remove_prefix(1);
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (error == std::errc{} && end == cell.data() + cell.size()) {
    if (!std::isfinite(value)) value = nan;
    return true;
  }
  if (cell.size() > 1 && cell.front() == '"' && cell.back() == '"')
    return read_cell(cell.substr(1, cell.size() - 2), true, value);
  if (decimal_comma && cell.find(',') != std::string_view::npos && cell.find('.') == std::string_view::npos) {
    std::string dotted(cell);
    std::ranges::replace(dotted, ',', '.');
    return read_cell(dotted, false, value);
  }
  if (const auto x = parse_number(cell)) {  // too large or too small for a double
    value = std::isfinite(*x) ? *x : nan;
    return true;
  }
  value = nan;
  return cell.empty() || is_missing(cell);
}

Table read_table(std::string_view text, const Work& work) {
  Table out;
  Lines lines(text);
  char separator = ' ';
  bool trailing = false;
  std::string header;
  const std::size_t whole = std::max<std::size_t>(text.size(), 1);
  for (std::string_view line; lines.next(line);) {
    const std::string_view content = trimmed(line, blanks);
    if (content.empty()) continue;
    if (content.front() == '#' || content.front() == '%') {
      if (out.rows == 0) out.comment = std::string(trimmed(content.substr(1), "#% \t\r"));
      continue;
    }
    if (out.rows == 0) {  // the header, or the first row, which decides the form of all rows
      separator = separator_of(content);
      if (!all_numbers(content, separator)) {
        if (!header.empty())
          throw BadSurface(fmt::format("line {}: {} is no row of numbers; one header line is accepted", lines.number(),
                                       quoted(content)));
        header = content;
        continue;
      }
      trailing = separator != ' ' && content.back() == separator;
      out.columns = split(content, separator).size() - (trailing ? 1 : 0);
    }
    Cells cells(separator == '\t' ? line : content, separator);
    std::size_t n = 0;
    double x{};
    for (std::string_view c; cells.next(c); ++n) {
      if (trailing && n == out.columns && c.empty()) break;
      if (!read_cell(c, separator != ',', x))
        throw BadSurface(fmt::format("line {}: {} is no number; numbers, empty cells and NaN are accepted",
                                     lines.number(), quoted(c)));
      out.cells.push_back(x);
    }
    if (n != out.columns)
      throw BadSurface(
          fmt::format("line {}: {} cells; {} are required, as in the first row", lines.number(), n, out.columns));
    if (out.cells.size() > most_points)
      throw BadSurface(
          fmt::format("line {}: more than {} points; fewer are accepted", lines.number(), grouped(most_points)));
    if (++out.rows == 1)
      out.cells.reserve(std::min(most_points, whole / (line.size() + 1) * out.columns + out.columns));
    if (out.rows % 64 == 0) {
      stop_if_wanted(work);
      if (work.progress) work.progress(1 - static_cast<double>(lines.left()) / static_cast<double>(whole));
    }
  }
  if (out.rows == 0) throw BadSurface("no numbers found; a CSV profile, a CSV matrix or SDF text is accepted");
  if (!header.empty()) {
    out.names = split(header, separator_of(header));
    if (trailing && out.names.size() == out.columns + 1 && out.names.back().empty()) out.names.pop_back();
    if (out.names.size() != out.columns)
      throw BadSurface(fmt::format("the header has {} names and the rows have {} cells; equal numbers are accepted",
                                   out.names.size(), out.columns));
  }
  return out;
}

}  // namespace bristle::surface
