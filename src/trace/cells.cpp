#include "trace/cells.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cmath>
#include <limits>

#include "base/number.hpp"

namespace bristle::csv {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string_view bare(std::string_view cell) {
  cell = trimmed(cell);
  const bool quoted = cell.size() > 1 && cell.front() == '"' && cell.back() == '"';
  return quoted ? trimmed(cell.substr(1, cell.size() - 2)) : cell;
}

/// Days since 1970 of 2024-03-01, 2024/03/01 or 01.03.2024.
std::optional<double> days_of(std::string_view text) {
  if (text.size() != 10) return {};
  const bool last = text[2] == '.' && text[5] == '.';
  if (!last && !(text[4] == text[7] && (text[4] == '-' || text[4] == '/'))) return {};
  const auto year = parse_number(text.substr(last ? 6 : 0, 4)), month = parse_number(text.substr(last ? 3 : 5, 2)),
             day = parse_number(text.substr(last ? 0 : 8, 2));
  if (!year || !month || !day || !(*year > 0) || !(*month >= 1) || !(*day >= 1)) return {};
  const std::chrono::year_month_day date(std::chrono::year(static_cast<int>(*year)),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day)));
  if (!date.ok()) return {};
  return static_cast<double>(std::chrono::sys_days(date).time_since_epoch().count());
}

/// "12:30:05.25" or "2024-03-01 12:30:05.25" in seconds (since 1970 where there is a date).
std::optional<double> clock(std::string_view cell) {
  double days = 0;
  if (cell.size() > 11 && (cell[10] == ' ' || cell[10] == 'T')) {
    const auto date = days_of(cell.substr(0, 10));
    if (!date) return {};
    days = *date;
    cell.remove_prefix(11);
    if (cell.ends_with('Z')) cell.remove_suffix(1);
  }
  if (cell.size() < 8 || cell[2] != ':' || cell[5] != ':') return {};
  const auto hours = parse_number(cell.substr(0, 2)), minutes = parse_number(cell.substr(3, 2)),
             seconds = parse_number(cell.substr(6));
  if (!hours || !minutes || !seconds || !(*hours >= 0) || !(*minutes >= 0) || !(*seconds >= 0)) return {};
  return ((days * 24 + *hours) * 60 + *minutes) * 60 + *seconds;
}

std::optional<double> plain_number(std::string_view text) {
  return text.find(':') == std::string_view::npos ? parse_number(text) : clock(text);
}

/// End of the first cell of the line; separators in quotes do not count.
std::size_t end_of_cell(std::string_view line, char separator) {
  const std::size_t begin = line.find_first_not_of(" \t");
  std::size_t from = 0;
  if (begin != std::string_view::npos && line[begin] == '"') {
    std::size_t close = line.find('"', begin + 1);
    while (close != std::string_view::npos && close + 1 < line.size() && line[close + 1] == '"')
      close = line.find('"', close + 2);  // a doubled quote is part of the text
    if (close != std::string_view::npos) from = close;
  }
  return separator == ' ' ? line.find_first_of(" \t", from) : line.find(separator, from);
}

}  // namespace

void split(std::string_view line, char separator, Cells& cells) {
  cells.clear();
  if (separator == ' ') line = trimmed(line);
  while (true) {
    const std::size_t end = end_of_cell(line, separator);
    cells.push_back(bare(line.substr(0, end)));
    if (end == std::string_view::npos) return;
    line.remove_prefix(end + 1);
    if (separator == ' ') line = trimmed(line);  // several blanks count as one
  }
}

bool is_missing(std::string_view cell) {
  constexpr std::string_view words[]{"", "NA", "N/A", "#N/A", "null", "NULL", "None", "-", "--"};
  return std::find(std::begin(words), std::end(words), cell) != std::end(words);
}

std::optional<double> cell_number(std::string_view cell) {
  if (!cell.empty() && (is_digit(cell.front()) || cell.size() > 2)) {
    if (const auto x = plain_number(cell)) return x;
  }
  if (is_missing(cell)) return std::numeric_limits<double>::quiet_NaN();
  if (const auto x = plain_number(cell)) return x;
  const std::size_t comma = cell.find(',');
  char digits[64];
  if (comma == std::string_view::npos || comma + 1 == cell.size() || cell.size() > sizeof digits ||
      cell.find('.') != std::string_view::npos)
    return {};
  std::copy(cell.begin(), cell.end(), digits);
  digits[comma] = '.';
  return plain_number({digits, cell.size()});
}

std::optional<Exact> Exact::parse(std::string_view text, int decimals) {
  Exact out;
  std::size_t whole = 0, count = 0;
  int given = -1;                                            // decimals so far; -1: before the mark
  const std::size_t most = text.starts_with('1') ? 19 : 18;  // limit of 64 bits
  const auto add = [&](char c) {
    if (++count > most) return false;
    out.digits = out.digits * 10 + (c - '0');
    return true;
  };
  for (const char c : text) {
    if (is_digit(c)) {
      if (!add(c)) return {};
      given < 0 ? static_cast<void>(++whole) : static_cast<void>(++given);
    } else if (given < 0 && (c == '.' || c == ',')) {
      given = 0;
    } else {
      return {};
    }
  }
  if (whole < 10 || text.front() == '0') return {};
  out.decimals = std::max(given, 0);
  if (decimals < 0) decimals = std::max(out.decimals, std::min(9, static_cast<int>(most - whole)));
  for (; out.decimals < decimals; ++out.decimals) {
    if (!add('0')) return {};
  }
  if (out.decimals > decimals) return {};
  return out;
}

std::optional<double> Exact::to(std::string_view text) const {
  const auto other = parse(text, decimals);
  if (!other) return {};
  return static_cast<double>(other->digits - digits) / std::pow(10.0, decimals);
}

void DecimalMarks::see(std::string_view cell, std::size_t line) {
  const std::size_t at = cell.find_first_of(".,");
  if (at == std::string_view::npos || cell.find(':') != std::string_view::npos) return;
  const std::size_t begin = cell.front() == '-' || cell.front() == '+' ? 1 : 0;
  // Three digits after the mark and one to three before it, without a leading zero: 1,234.
  const bool grouped = at > begin && at - begin <= 3 && cell[begin] != '0' && cell.size() == at + 4 &&
                       std::all_of(cell.begin() + static_cast<std::ptrdiff_t>(at) + 1, cell.end(), is_digit);
  const bool comma = cell[at] == ',';
  if (!grouped) {
    (comma ? comma_ : point_) = true;
  } else if (Place& place = comma ? grouped_comma_ : grouped_point_; place.line == 0) {
    place = {std::string(cell), line};
  }
}

std::string DecimalMarks::problem() const {
  const bool comma = grouped_comma_.line > 0 && (!comma_ || point_ || grouped_point_.line > 0);
  const bool point = grouped_point_.line > 0 && (comma_ || grouped_comma_.line > 0);
  if (!comma && !point) return {};
  return fmt::format("'{}' may contain a separator of thousands or a decimal mark; numbers without separators of "
                     "thousands and with one decimal mark are accepted",
                     (comma ? grouped_comma_ : grouped_point_).cell);
}

}  // namespace bristle::csv
