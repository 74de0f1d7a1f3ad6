#include "trace/dialect.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "base/number.hpp"
#include "trace/header.hpp"

namespace bristle::csv {
namespace {

constexpr std::size_t several = 3, many = 16;

bool begins_with_digit(std::string_view cell) {
  if (cell.size() > 1 && (cell[0] == '-' || cell[0] == '+')) cell.remove_prefix(1);
  return !cell.empty() && cell[0] >= '0' && cell[0] <= '9';
}

/// Kinds of the cells of a line.
struct Kinds {
  std::string cells{};  // n: a number, -: missing, d: text that begins with a digit, t: other text
  std::size_t numbers = 0;
  bool tail = false;  // the last cell is empty: possibly only a separator at the end

  std::size_t size() const { return cells.size(); }
  bool full() const { return cells.find_first_of("dt") == std::string::npos; }
};
Kinds kinds_of(const Line& line, char separator, Cells& cells) {
  Kinds out;
  if (line.comment) return out;
  split(line.text, separator, cells);
  for (const std::string_view c : cells) {
    const bool missing = is_missing(c);
    out.cells += missing ? '-' : cell_number(c) ? 'n' : begins_with_digit(c) ? 'd' : 't';
    out.numbers += out.cells.back() == 'n' ? 1U : 0U;
  }
  out.tail = cells.size() > 1 && cells.back().empty();
  return out;
}

/// Consecutive rows with the same number of cells.
struct Run {
  char separator = ',';
  std::size_t first = 0, end = 0, cells = 0, rows = 0, score = 0;
  bool full = true;          // no text in any row
  std::vector<bool> text{};  // columns of text
};

/// Text where most rows have text.
std::vector<bool> text_columns(const std::vector<Kinds>& lines, const Run& run) {
  std::vector<std::size_t> words(run.cells), given(run.cells);
  for (std::size_t i = run.first; i < run.end; ++i) {
    for (std::size_t c = 0; c < std::min(run.cells, lines[i].size()); ++c) {
      words[c] += lines[i].cells[c] == 't' || lines[i].cells[c] == 'd' ? 1U : 0U;
      given[c] += lines[i].cells[c] != '-' ? 1U : 0U;
    }
  }
  std::vector<bool> out(run.cells);
  for (std::size_t c = 0; c < run.cells; ++c) out[c] = run.rows >= several && 2 * words[c] > given[c];
  return out;
}

bool begins_as_row(const std::string& kinds, const std::vector<bool>& text) {
  for (std::size_t c = 0; c < std::min(kinds.size(), text.size()); ++c) {
    if (!text[c]) return kinds[c] != 't';
  }
  return false;
}

/// The runs of lines that have a number each, at most one cell apart if that cell is empty and at the end.
std::vector<Run> runs_of(const std::vector<Line>& sample, const std::vector<Kinds>& lines, char separator) {
  std::vector<Run> out;
  bool tails = false, open = false;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (sample[i].comment) continue;
    const Kinds& k = lines[i];
    if (k.numbers == 0) {
      open = false;
      continue;
    }
    const std::size_t n = k.size() - (k.tail ? 1 : 0);
    if (open && tails && k.size() == out.back().cells + 1 && !k.tail) {
      out.back().cells = k.size();
    } else if (!open || (n != out.back().cells && k.size() != out.back().cells)) {
      out.push_back({.separator = separator, .first = i, .cells = n});
      open = tails = true;
    }
    tails = tails && k.tail;
    out.back().end = i + 1;
    ++out.back().rows;
  }
  return out;
}

/// Parts of a run that are rows: a line that begins with text in a column of numbers ends a part.
void add_parts(const std::vector<Line>& sample, const std::vector<Kinds>& lines, Run run, std::vector<Run>& out) {
  run.text = text_columns(lines, run);
  bool open = false;
  for (std::size_t i = run.first; i < run.end; ++i) {
    if (sample[i].comment) continue;
    if (!begins_as_row(lines[i].cells, run.text)) {
      open = false;
      continue;
    }
    if (!open) {
      out.push_back({.separator = run.separator, .first = i, .cells = run.cells, .text = run.text});
      open = true;
    }
    Run& part = out.back();
    part.end = i + 1;
    ++part.rows;
    part.full = part.full && lines[i].full();
    part.score += lines[i].numbers * lines[i].numbers * (lines[i].full() ? 2 : 1);
  }
}

/// One column with decimal commas looks like two columns: the header has one word, or second cells begin with 0.
bool is_decimal_column(const std::vector<Line>& sample, const Run& run) {
  if (run.separator != ',' || run.cells != 2 || !run.full) return false;
  Cells cells;
  bool zeros = false;
  for (std::size_t i = run.first; i < run.end; ++i) {
    if (sample[i].comment) continue;
    split(sample[i].text, ',', cells);
    zeros = zeros || (cells.size() == 2 && cells[1].size() > 1 && cells[1][0] == '0');
    split(sample[i].text, ';', cells);
    if (cells.size() > 1 || !cell_number(cells[0])) return false;
  }
  for (std::size_t i = run.first; i-- > 0;) {  // the header, possibly above whole numbers
    split(sample[i].text, ',', cells);
    if (sample[i].comment || (cells.size() == 1 && cell_number(cells[0]))) continue;
    return cells.size() == 1;
  }
  return zeros;
}

Run best_run(const std::vector<Line>& sample, std::string_view separators) {
  Run best;
  Cells cells;
  std::vector<Kinds> lines(sample.size());
  for (const char c : separators) {
    for (std::size_t i = 0; i < sample.size(); ++i) lines[i] = kinds_of(sample[i], c, cells);
    std::vector<Run> parts;
    for (const Run& run : runs_of(sample, lines, c)) add_parts(sample, lines, run, parts);
    for (Run& run : parts) {
      if (heading_of(sample, run.first, c, run.cells, false)) {
        run.score *= 2;
      } else if (!run.full) {
        run.score /= 8;  // remarks with numbers rather than a table
      }
      if (run.score > best.score) best = std::move(run);
    }
  }
  return is_decimal_column(sample, best) ? best_run(sample, ";") : best;
}

/// The separator of a file without rows: that of its first line.
char separator_in(std::string_view line) {
  for (const char c : {';', '\t', ','}) {
    if (line.find(c) != std::string_view::npos) return c;
  }
  return ' ';
}

/// The first column counts the rows from 0 or 1.
bool counts_rows(const std::vector<Line>& sample, const Run& run) {
  Cells cells;
  double expected = -1;
  for (std::size_t i = run.first; i < run.end; ++i) {
    if (sample[i].comment) continue;
    split(sample[i].text, run.separator, cells);
    const auto x = cell_number(cells[0]);
    if (!x || (expected < 0 ? *x != 0 && *x != 1 : *x != expected)) return false;
    expected = *x + 1;
  }
  return run.rows >= several;
}

/// Columns without a name and without a number are separators at the ends of the lines.
void drop_empty_columns(const std::vector<Line>& sample, const Run& run, Dialect& d) {
  std::vector<bool> empty(d.cells, run.rows >= several);
  Cells cells;
  for (std::size_t i = run.first; i < run.end; ++i) {
    if (sample[i].comment) continue;
    split(sample[i].text, d.separator, cells);
    for (std::size_t c = 0; c < std::min(cells.size(), d.cells); ++c) empty[c] = empty[c] && cells[c].empty();
  }
  for (std::size_t c = 0; c < d.cells; ++c)
    d.text[c] = d.text[c] || (empty[c] && (c >= d.names.size() || d.names[c].empty()));
}

std::size_t lines_before(const std::vector<Line>& sample, std::size_t end) {
  return static_cast<std::size_t>(std::count_if(sample.begin(), sample.begin() + static_cast<std::ptrdiff_t>(end),
                                                [](const Line& l) { return !l.comment; }));
}

/// A header line right above the rows whose number of cells differs: the rows are then reported.
bool is_misfit(const Line& line, const Run& run, Cells& cells) {
  if (line.comment || run.separator == ' ') return false;
  split(line.text, run.separator, cells);
  const bool key = cells[0].ends_with(':') || cells[0].ends_with('=') || cells[0].starts_with('[');
  return cells.size() > 1 && !key &&
         std::none_of(cells.begin(), cells.end(), [](std::string_view c) { return !is_missing(c) && cell_number(c); });
}

}  // namespace

bool begins_as_row(const Cells& cells, const std::vector<bool>& text) {
  for (std::size_t c = 0; c < cells.size(); ++c) {
    if (c < text.size() && text[c]) continue;
    return cell_number(cells[c]) || (cells.size() == text.size() && begins_with_digit(cells[c]));
  }
  return false;
}

bool is_rule(std::string_view line) {
  std::size_t signs = 0;
  for (const char c : line) {
    if (std::string_view("-=_*~+").find(c) != std::string_view::npos) {
      ++signs;
    } else if (std::string_view(" \t;|,:").find(c) == std::string_view::npos) {
      return false;
    }
  }
  return signs >= several;
}

Dialect dialect_of(const std::vector<Line>& sample) {
  const Run run = best_run(sample, ";\t|, ");
  Dialect d{.separator = run.separator, .rows = run.rows > 0};
  Cells cells;
  if (!d.rows) {  // the first line would be the header
    const auto first = std::ranges::find_if(sample, [](const Line& l) { return !l.comment; });
    if (first == sample.end()) return d;
    d.separator = separator_in(first->text);
    split(first->text, d.separator, cells);
    for (const std::string_view c : cells) d.names.push_back(utf8(c));
    d.cells = cells.size();
    d.text.assign(d.cells, false);
    d.header_line = first->number;
    d.first = static_cast<std::size_t>(first - sample.begin()) + 1;
    return d;
  }
  d.cells = run.cells;
  d.first = run.first;
  d.text = run.text;
  d.header_line = sample[run.first].number;
  d.certain = run.full && run.rows >= many && run.end == sample.size();
  const bool index = counts_rows(sample, run);
  auto heading = heading_of(sample, run.first, d.separator, d.cells, index);
  if (!heading || heading->names_at + 1 < run.first) {  // rows that end with a separator: the last column may be empty
    if (auto wider = heading_of(sample, run.first, d.separator, d.cells + 1, index);
        wider && wider->names_at >= (heading ? heading->names_at + 1 : 0) && !wider->names.back().empty()) {
      split(sample[run.first].text, d.separator, cells);
      if (cells.size() == d.cells + 1) {
        heading = std::move(wider);
        d.text.resize(++d.cells);
      }
    }
  }
  std::size_t before = lines_before(sample, run.first);
  if (heading) {
    d.names = heading->names;
    d.units = heading->units;
    d.header_line = sample[heading->names_at].number;
    if (heading->from_comment) {
      d.notes.emplace_back("column names from the last comment");
    } else {
      before = lines_before(sample, heading->top);
    }
  } else if (run.first > 0 && is_misfit(sample[run.first - 1], run, cells)) {
    for (const std::string_view c : cells) d.names.push_back(utf8(c));
    d.cells = cells.size();
    d.text.resize(d.cells);
    d.header_line = sample[run.first - 1].number;
    --before;
  }
  if (before > 0)
    d.notes.push_back(fmt::format("{} {} before the {} skipped", before, before == 1 ? "line" : "lines",
                                  d.names.empty() || (heading && heading->from_comment) ? "rows" : "header"));
  drop_empty_columns(sample, run, d);
  return d;
}

}  // namespace bristle::csv
