#include "trace/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/number.hpp"

namespace bristle::csv {
namespace {

constexpr std::size_t most_problems = 20;  // a file of another kind has one in every line
constexpr std::size_t first_sample = 32, most_sample = 4096;

std::string lines(std::size_t n) { return fmt::format("{} {}", grouped(n), n == 1 ? "line" : "lines"); }

std::string header_text(const Dialect& d) {
  if (d.names.empty()) return fmt::format("no header above line {}", d.header_line);
  std::string words;
  for (std::size_t i = 0; i < std::min<std::size_t>(d.names.size(), 4); ++i) words += (i == 0 ? "" : ", ") + d.names[i];
  if (d.names.size() > 4) words += "...";
  return fmt::format("line {} is taken for the header ({})", d.header_line, words.substr(0, 80));
}

}  // namespace

bool Tables::gave_up() const {
  if (!table_ || table_->out.problems.size() <= most_problems) return false;
  return !longest_ || longest_->rows.seen() <= table_->rows.seen();  // a shorter table would not be read
}

void Tables::line(std::string_view text, std::size_t number) {
  text = trimmed(text, " \r");
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) return;
  if (!gathering_) return row(text, number);
  gather(text, number);
}

void Tables::gather(std::string_view text, std::size_t number) {
  if (!pending_.empty() || std::count(text.begin(), text.end(), '"') % 2 == 1) {
    constexpr std::size_t most_lines = 8;
    pending_ += (pending_.empty() ? "" : " ") + std::string(text);
    if (std::count(pending_.begin(), pending_.end(), '"') % 2 == 1 && ++pending_lines_ < most_lines && !last_) return;
    sample_.push_back({number, std::move(pending_)});
    pending_.clear();
    pending_lines_ = 0;
  } else if (!is_rule(text)) {
    sample_.push_back({number, std::string(text), text.front() == '#' || text.front() == '%'});
  }
  if (sample_.size() >= enough_) decide(false);
}

/// Decides on the format as soon as it is beyond doubt, or at the end.
void Tables::decide(bool end) {
  if (!pending_.empty()) sample_.push_back({sample_.empty() ? 1 : sample_.back().number + 1, std::move(pending_)});
  pending_.clear();
  if (sample_.empty()) return;
  Dialect d = dialect_of(sample_);
  if (!end && !d.certain && sample_.size() < most_sample) {
    enough_ = 2 * sample_.size();
    return;
  }
  enough_ = first_sample;
  const std::vector<Line> sample = std::move(sample_);
  sample_.clear();
  if (!d.rows && table_) {  // text after the table
    table_->between += sample.size();
    if (table_->between_line == 0) table_->between_line = sample.front().number;
    return;
  }
  const bool same = table_ && d.rows && d.cells == table_->dialect.cells && d.separator == table_->dialect.separator &&
                    d.text == table_->dialect.text && (d.names.empty() || d.names == table_->dialect.names);
  std::size_t from = d.first;
  if (same) {
    table_->between += d.first;
    if (table_->between_line == 0 && d.first > 0) table_->between_line = sample.front().number;
  } else {
    begin(std::move(d));
  }
  gathering_ = false;
  forced_ = true;  // the first line is a row, so that every decision advances
  for (; from < sample.size() && !gave_up(); ++from) line(sample[from].text, sample[from].number);
}

void Tables::begin(Dialect dialect) {
  close();
  table_ = std::make_unique<Table>(most_rows_);
  Table& t = *table_;
  t.dialect = std::move(dialect);
  Dialect& d = t.dialect;
  std::string words;
  for (std::size_t i = 0; i < d.cells; ++i) {
    const bool named = i < d.names.size() && !d.names[i].empty();
    std::string name = named ? d.names[i] : std::to_string(i + 1);
    if (d.text[i]) {
      if (named || d.names.empty()) words += (words.empty() ? "" : ", ") + name;
      continue;
    }
    t.out.trace.columns.push_back({std::move(name), i < d.units.size() ? d.units[i] : "", {}, i + 1});
  }
  if (!words.empty()) d.notes.push_back("columns of text skipped: " + words);
  t.out.notes = d.notes;
  t.out.header = header_text(d);
  t.exact.resize(t.out.trace.columns.size());
}

/// Keeps the longer one of two tables.
void Tables::close() {
  if (!table_) return;
  if (longest_) {
    if (longest_->rows.seen() < table_->rows.seen()) std::swap(longest_, table_);
    others_.push_back(fmt::format("{} rows from line {}", grouped(table_->rows.seen()), table_->line));
  } else {
    longest_ = std::move(table_);
  }
  table_.reset();
}

void Tables::row(std::string_view text, std::size_t number) {
  Table& t = *table_;
  const std::size_t n = t.dialect.cells;
  split(text, t.dialect.separator, cells_);
  if (cells_.size() == n + 1 && cells_.back().empty()) cells_.pop_back();
  values_.clear();
  const bool watch = t.dialect.separator != ',' || marks_.commas() || t.rows.seen() < 1000;
  std::size_t bad = n;
  for (std::size_t i = 0; i < n && cells_.size() == n; ++i) {
    if (t.dialect.text[i]) continue;
    const auto x = cell_number(cells_[i]);
    if (!x) {
      bad = i;
      break;
    }
    if (watch) marks_.see(cells_[i], number);
    const std::size_t column = values_.size();
    auto& exact = t.exact[column];
    if (relative_ && t.line == 0) {
      exact = Exact::parse(cells_[i]);
      if (exact) t.out.trace.columns[column].origin = *x;
    }
    const auto difference = exact ? exact->to(cells_[i]) : std::nullopt;
    values_.push_back(difference.value_or(*x - t.out.trace.columns[column].origin));
  }
  if (cells_.size() != n || bad < n) {
    if (text.front() == '#' || text.front() == '%' || is_rule(text)) return;
    if (unlike_a_row(text, number)) return;
    if (cells_.size() == n && drop_column(bad)) return row(text, number);
    forced_ = false;
    return wrong(number, cells_.size() != n
                             ? fmt::format("{} cells, but line {} has {}; all rows must have the same number of cells",
                                           cells_.size(), t.dialect.header_line, n)
                             : fmt::format("'{}' in column {} must be a number", utf8(cells_[bad].substr(0, 40)),
                                           t.out.trace.columns[values_.size()].name));
  }
  forced_ = false;
  if (t.line == 0) t.line = number;
  t.interrupted = t.interrupted || number != t.line + t.rows.seen();
  if (!t.rows.next()) return;
  for (std::size_t i = 0; i < values_.size(); ++i) t.out.trace.columns[i].values.push_back(values_[i]);
}

/// Repeated headers, text between and after the rows, an incomplete last line.
bool Tables::unlike_a_row(std::string_view text, std::size_t number) {
  Table& t = *table_;
  const auto equals = [&](const std::vector<std::string>& words) {
    return words.size() == cells_.size() &&
           std::equal(words.begin(), words.end(), cells_.begin(), [](const auto& w, std::string_view c) {
             return w == utf8(c) || (c.size() > 2 && w == c.substr(1, c.size() - 2));  // units lost their brackets
           });
  };
  if (equals(t.dialect.names) || equals(t.dialect.units)) {
    ++t.repeated;
    return true;
  }
  if (last_ && cells_.size() < t.dialect.cells && t.rows.seen() > 0) {
    t.out.notes.push_back(fmt::format("line {} is incomplete: skipped", number));
    return true;
  }
  if (forced_ || t.rows.seen() == 0 || begins_as_row(cells_, t.dialect.text)) return false;
  gathering_ = true;
  gather(text, number);
  return true;
}

/// A column that had no number so far becomes text: remarks on single rows.
bool Tables::drop_column(std::size_t cell) {
  Table& t = *table_;
  const std::size_t column = values_.size();
  Column& c = t.out.trace.columns[column];
  if (t.rows.seen() == 0 || t.out.trace.columns.size() < 2 ||
      !std::all_of(c.values.begin(), c.values.end(), [](double x) { return std::isnan(x); }))
    return false;
  t.out.notes.push_back("columns of text skipped: " + c.name);
  t.dialect.text[cell] = true;
  t.out.trace.columns.erase(t.out.trace.columns.begin() + static_cast<std::ptrdiff_t>(column));
  t.exact.erase(t.exact.begin() + static_cast<std::ptrdiff_t>(column));
  return true;
}

void Tables::wrong(std::size_t number, std::string text) {
  if (table_->out.problems.size() <= most_problems)
    table_->out.problems.push_back({fmt::format("{}:{}", path_, number), std::move(text)});
}

TraceRead Tables::result() && {
  if (gathering_) decide(true);
  if (!gave_up()) close();  // a table with problems in every line is the one to report
  Table none(0);
  Table& t = table_ ? *table_ : longest_ ? *longest_ : none;
  TraceRead& out = t.out;
  if (out.problems.size() > most_problems) {
    out.problems.resize(most_problems);
    out.problems.push_back({path_, "more problems of this kind follow"});
  } else if (out.problems.empty() && t.rows.seen() == 0) {
    out.problems.push_back({path_, "contains no rows of numbers; a table of numbers is required"});
  }
  if (const std::string text = marks_.problem(); out.problems.empty() && !text.empty())
    out.problems.push_back({fmt::format("{}:{}", path_, marks_.line()), text});
  if (!out.problems.empty()) out.trace.columns.clear();
  out.every = t.rows.every();
  out.first_line = t.interrupted ? 0 : t.line;
  if (!others_.empty())
    out.notes.push_back(fmt::format("{} tables: read are {} rows from line {}, not {}", others_.size() + 1,
                                    grouped(t.rows.seen()), t.line, fmt::join(others_, ", ")));
  if (t.repeated > 0) out.notes.push_back(fmt::format("{} with the header again skipped", lines(t.repeated)));
  if (t.between > 0)
    out.notes.push_back(fmt::format("{} of text from line {} on skipped", lines(t.between), t.between_line));
  if (marks_.commas()) out.notes.emplace_back("decimal commas");
  if (out.every > 1)
    out.notes.push_back(fmt::format("one row in {1} kept, of {0} rows", grouped(t.rows.seen()), out.every));
  return std::move(out);
}

}  // namespace bristle::csv
