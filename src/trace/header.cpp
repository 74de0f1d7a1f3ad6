#include "trace/header.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "base/number.hpp"
#include "trace/shared/units.hpp"

namespace bristle::csv {
namespace {

bool is_number(std::string_view cell) { return !is_missing(cell) && cell_number(cell).has_value(); }
bool has_letter(std::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](unsigned char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c > 127; });
}

bool in_brackets(std::string_view text) {
  return text.size() > 1 &&
         ((text.front() == '[' && text.back() == ']') || (text.front() == '(' && text.back() == ')') ||
          (text.front() == '<' && text.back() == '>') || (text.front() == '{' && text.back() == '}'));
}
std::string_view without_brackets(std::string_view unit) {
  return in_brackets(unit) ? unit.substr(1, unit.size() - 2) : unit;
}

/// Joins "t", "[s]" to "t [s]".
Cells with_brackets(const Cells& cells) {
  Cells out;
  for (const std::string_view c : cells) {
    const bool open = !out.empty() && (c.starts_with('[') || c.starts_with('(')) && c.size() > 1;
    const bool inside = !out.empty() && (out.back().rfind('[') != std::string_view::npos && out.back().back() != ']');
    if (open || inside) {
      out.back() = std::string_view(out.back().begin(), c.end());  // both lie in the same line
    } else {
      out.push_back(c);
    }
  }
  return out;
}
/// Cells separated by two blanks or more.
Cells columns_of_blanks(std::string_view line) {
  Cells out;
  while (!(line = trimmed(line)).empty()) {
    const std::size_t end = std::min(line.find("  "), line.find('\t'));
    out.push_back(trimmed(line.substr(0, end)));
    if (end == std::string_view::npos) break;
    line.remove_prefix(end);
  }
  return out;
}

/// Words of a line above the rows: as many as there are columns, in the separator of the rows or in another one.
std::optional<Names> words_of(const Line& line, char separator, std::size_t n, bool index) {
  const std::string_view text = line.comment ? trimmed(line.text, "#%") : std::string_view(line.text);
  std::optional<Names> short_of_one;
  Cells cells;
  const auto fits = [&](std::size_t most) {
    while (cells.size() > n && cells.back().empty()) cells.pop_back();
    const bool remark =
        cells.size() == n + 1 &&
        std::ranges::any_of(std::array{"Comment", "comment", "Comments", "Remark", "Kommentar", "Bemerkung", "Note"},
                            [&](const char* word) { return cells.back() == word; });
    if (remark) cells.pop_back();
    return cells.size() == most && std::none_of(cells.begin(), cells.end(), is_number) &&
           std::any_of(cells.begin(), cells.end(), has_letter);
  };
  const auto strings = [&] {
    Names out;
    for (const std::string_view c : cells) out.push_back(utf8(c));
    return out;
  };
  for (const char c : {separator, '\t', ';', '|', ',', '\0', ' ', '['}) {
    if (n == 1 && c != separator) break;  // one column: the whole line
    if (c == '\0') {
      cells = columns_of_blanks(text);
    } else if (c == '[') {
      cells = with_brackets(cells);
    } else {
      split(text, c, cells);
    }
    if (fits(n)) return strings();
    if (index && n > 1 && c == separator && fits(n - 1)) {
      short_of_one = strings();
      short_of_one->insert(short_of_one->begin(), "");
    }
  }
  return short_of_one;
}

bool is_unit(std::string_view cell) {
  constexpr std::array others{"counts", "count", "cnt", "ticks", "inc", "lsb", "LSB", "a.u.", "pu", "p.u.", "raw"};
  return identify::find_unit(without_brackets(cell)).has_value() ||
         std::any_of(others.begin(), others.end(), [&](const char* word) { return without_brackets(cell) == word; });
}
/// A line of units: in brackets, or half of them known.
bool are_units(const Names& cells) {
  std::size_t given = 0, known = 0, bracketed = 0;
  for (const std::string& c : cells) {
    given += c.empty() ? 0U : 1U;
    known += !c.empty() && is_unit(c) ? 1U : 0U;
    bracketed += in_brackets(c) || is_missing(c) ? 1U : 0U;
  }
  return given > 0 && (2 * known >= given || bracketed == cells.size());
}
bool all_equal(const Names& cells) {
  return cells.size() > 1 && std::all_of(cells.begin(), cells.end(), [&](const auto& c) { return c == cells[0]; });
}

/// Names that repeat get the word above them as a prefix; an empty cell continues the word on its left.
void add_groups(Names& names, const Names& groups) {
  if (std::set(names.begin(), names.end()).size() == names.size()) return;
  std::string group;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!groups[i].empty()) group = groups[i];
    if (!group.empty() && !names[i].empty()) names[i] = group + " " + names[i];
  }
}

}  // namespace

std::optional<Heading> heading_of(const std::vector<Line>& sample, std::size_t first, char separator, std::size_t cells,
                                  bool index) {
  struct Found {
    std::size_t at;
    Names words;
  };
  std::vector<Found> above;  // from the rows upwards
  constexpr std::size_t most = 4, most_between = 2;
  for (std::size_t i = first, others = 0; i-- > 0 && above.size() < most && others <= most_between;) {
    const bool comments = !above.empty() && sample[above.back().at].comment;
    if (!above.empty() && sample[i].comment != comments) break;  // a comment above the header is a remark
    if (auto words = words_of(sample[i], separator, cells, index)) {
      above.push_back({i, std::move(*words)});
    } else if (!above.empty()) {
      break;
    } else if (!sample[i].comment) {
      ++others;
    }
  }
  if (above.empty()) {  // numbers as names, after a first word: time, 1, 2
    Cells words;
    if (first == 0 || sample[first - 1].comment) return {};
    split(sample[first - 1].text, separator, words);
    if (words.size() != cells || !has_letter(words[0]) || words[0].ends_with(':') || words[0].ends_with('=')) return {};
    Heading out{.top = first - 1, .names_at = first - 1};
    for (const std::string_view w : words) out.names.push_back(utf8(w));
    return out;
  }
  std::size_t k = 0;
  if (above.size() > 1 && all_equal(above[0].words)) ++k;  // a line of types
  const bool more = k + 1 < above.size();
  const bool units_below = more && are_units(above[k].words);
  const bool units_above = more && !units_below && cells > 1 && are_units(above[k + 1].words);
  Heading out;
  if (units_below || units_above) {
    for (const std::string& u : above[units_below ? k : k + 1].words)
      out.units.emplace_back(is_missing(u) && u != "-" ? "" : without_brackets(u));
  }
  const std::size_t names = units_below ? k + 1 : k;
  out.names = above[names].words;
  out.names_at = out.top = above[names].at;
  out.from_comment = sample[out.top].comment;
  if (units_above) --out.top;
  if (names + 1 < above.size() && !units_above) add_groups(out.names, above[names + 1].words);
  return out;
}

}  // namespace bristle::csv
