#include "trace/dialect.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>

#include "base/number.hpp"

namespace bristle::csv {
namespace {

std::string_view bare(std::string_view cell) {
  cell = trimmed(cell);
  const bool quoted = cell.size() > 1 && cell.front() == '"' && cell.back() == '"';
  return quoted ? trimmed(cell.substr(1, cell.size() - 2)) : cell;
}

/// "12:30:05.25" or "2024-03-01 12:30:05.25" in seconds (since 1970 where there is a date).
std::optional<double> clock(std::string_view cell) {
  double days = 0;
  if (cell.size() > 11 && cell[4] == '-' && cell[7] == '-' && (cell[10] == ' ' || cell[10] == 'T')) {
    const auto year = parse_number(cell.substr(0, 4)), month = parse_number(cell.substr(5, 2)),
               day = parse_number(cell.substr(8, 2));
    if (!year || !month || !day) return {};
    const std::chrono::year_month_day date(std::chrono::year(static_cast<int>(*year)),
                                           std::chrono::month(static_cast<unsigned>(*month)),
                                           std::chrono::day(static_cast<unsigned>(*day)));
    if (*month < 1 || *day < 1 || !date.ok()) return {};
    days = static_cast<double>(std::chrono::sys_days(date).time_since_epoch().count());
    cell.remove_prefix(11);
    if (cell.ends_with('Z')) cell.remove_suffix(1);
  }
  if (cell.size() < 8 || cell[2] != ':' || cell[5] != ':') return {};
  const auto hours = parse_number(cell.substr(0, 2)), minutes = parse_number(cell.substr(3, 2)),
             seconds = parse_number(cell.substr(6));
  if (!hours || !minutes || !seconds || *hours < 0 || *minutes < 0 || *seconds < 0) return {};
  return ((days * 24 + *hours) * 60 + *minutes) * 60 + *seconds;
}

/// End of the first cell of the line; separators in quotes do not count.
std::size_t end_of_cell(std::string_view line, char separator) {
  if (separator == ' ') return line.find_first_of(" \t");
  const std::size_t begin = line.find_first_not_of(" \t");
  if (begin != std::string_view::npos && line[begin] == '"') {
    const std::size_t close = line.find('"', begin + 1);
    if (close != std::string_view::npos) return line.find(separator, close);
  }
  return line.find(separator);
}

bool has_number(const Cells& cells, char separator) {
  return std::any_of(cells.begin(), cells.end(),
                     [&](std::string_view c) { return !is_missing(c) && cell_number(c, separator); });
}
bool is_row(const Cells& cells, char separator) {
  return has_number(cells, separator) && std::all_of(cells.begin(), cells.end(), [&](std::string_view c) {
           return cell_number(c, separator).has_value();
         });
}

void drop_empty_end(Cells& cells) {
  if (cells.size() > 1 && cells.back().empty()) cells.pop_back();
}

/// The separator that turns most lines into rows of several numbers.
char separator_of(const std::vector<Line>& sample) {
  Cells cells;
  char best = 0;
  std::size_t most = 0;
  for (const char c : {';', '\t', '|', ',', ' '}) {
    std::size_t rows = 0;
    for (const Line& line : sample) {
      split(line.text, c, cells);
      if ((cells.size() > 1 || c == ' ') && is_row(cells, c)) ++rows;
    }
    if (rows > most) {
      most = rows;
      best = c;
    }
  }
  for (const char c : {';', '\t', ',', ' '}) {  // without a line of numbers the first line decides
    if (best != 0) break;
    if (c == ' ' || sample.front().text.find(c) != std::string::npos) best = c;
  }
  return best;
}

/// Units: short words that do not begin with a digit, such as s, mm, [N] or -.
bool looks_like_units(const Cells& cells) {
  const auto unit = [](std::string_view c) {
    return c.size() <= 8 && c.find(' ') == std::string_view::npos && !(c.size() > 1 && c.front() == '_');
  };
  const auto given = std::count_if(cells.begin(), cells.end(), [](std::string_view c) { return !c.empty(); });
  return given > 0 && std::all_of(cells.begin(), cells.end(), unit);
}

std::vector<std::string> strings(const Cells& cells) { return {cells.begin(), cells.end()}; }

std::string without_brackets(std::string_view unit) {
  if (unit.size() > 1 && ((unit.front() == '[' && unit.back() == ']') || (unit.front() == '(' && unit.back() == ')')))
    unit = unit.substr(1, unit.size() - 2);
  return std::string(unit);
}

/// Columns without any number in several rows are text (a state, a date).
std::vector<bool> text_columns(const std::vector<Line>& sample, const Dialect& d) {
  constexpr std::size_t several = 3;
  std::vector<std::size_t> words(d.cells);
  std::size_t rows = 0;
  Cells cells;
  for (std::size_t i = d.first; i < sample.size(); ++i) {
    split(sample[i].text, d.separator, cells);
    if (cells.size() < d.cells) continue;
    ++rows;
    for (std::size_t c = 0; c < d.cells; ++c) words[c] += cell_number(cells[c], d.separator) ? 0U : 1U;
  }
  std::vector<bool> out(d.cells);
  for (std::size_t c = 0; c < d.cells; ++c) out[c] = rows >= several && words[c] == rows;
  return std::all_of(out.begin(), out.end(), [](bool b) { return b; }) ? std::vector<bool>(d.cells) : out;
}

}  // namespace

void split(std::string_view line, char separator, Cells& cells) {
  cells.clear();
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

bool is_comment(std::string_view line) { return line.front() == '#' || line.front() == '%'; }

std::optional<double> cell_number(std::string_view cell, char separator) {
  const auto number = [](std::string_view text) {
    return text.find(':') == std::string_view::npos ? parse_number(text) : clock(text);
  };
  if (is_missing(cell)) return std::numeric_limits<double>::quiet_NaN();
  if (auto x = number(cell)) return x;
  const std::size_t comma = separator == ',' ? std::string_view::npos : cell.find(',');
  char digits[64];
  if (comma == std::string_view::npos || cell.size() > sizeof digits || cell.find('.') != std::string_view::npos)
    return {};
  std::copy(cell.begin(), cell.end(), digits);
  digits[comma] = '.';
  return number({digits, cell.size()});
}

Dialect dialect_of(const std::vector<Line>& sample, std::string_view last_comment) {
  Dialect d{.separator = separator_of(sample)};
  Cells cells;
  std::size_t row = 0;  // the first line with a number in it
  for (; row < sample.size(); ++row) {
    split(sample[row].text, d.separator, cells);
    if (is_row(cells, d.separator)) break;
  }
  if (row == sample.size()) {  // lines with some numbers are rows with errors or text
    for (row = 0; row < sample.size(); ++row) {
      split(sample[row].text, d.separator, cells);
      if (has_number(cells, d.separator) && cells.size() > 1) break;
    }
  }
  const bool rows = row < sample.size();
  split(sample[rows ? row : 0].text, d.separator, cells);
  if (rows) drop_empty_end(cells);
  d.cells = cells.size();
  d.header_line = sample[rows ? row : 0].number;
  d.first = row;

  // The header is the first line with as many words; lines before it are skipped, lines after it must be units.
  std::size_t header = 0;
  for (; header < row; ++header) {
    split(sample[header].text, d.separator, cells);
    if (cells.size() == d.cells + 1) drop_empty_end(cells);
    const bool words = !has_number(cells, d.separator);
    if (words && (cells.size() == d.cells || !rows)) break;
    if (!words || cells.size() > 1) {  // not a remark but a line that does not fit
      d.first = header;
      d.cells = cells.size();
      d.header_line = sample[header].number;
      if (words) break;
      return d;
    }
  }
  if (header < row) {
    d.header_line = sample[header].number;
    d.names = strings(cells);
    d.cells = cells.size();
    d.first = header + 1;
    if (d.first < row) {
      split(sample[d.first].text, d.separator, cells);
      if (cells.size() == d.cells && !has_number(cells, d.separator) && looks_like_units(cells)) {
        for (const std::string_view c : cells) d.units.push_back(without_brackets(c));
        ++d.first;
      }
    }
  } else if (!last_comment.empty()) {
    split(trimmed(last_comment, "#% \t"), d.separator, cells);
    if (cells.size() == d.cells && !has_number(cells, d.separator)) {
      d.names = strings(cells);
      d.notes.emplace_back("column names from the last comment");
    }
  }
  if (header > 0 && header <= row) {
    d.notes.push_back(fmt::format("{} {} before the header skipped", header, header == 1 ? "line" : "lines"));
  }
  d.text = text_columns(sample, d);
  return d;
}

}  // namespace bristle::csv
