#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <unordered_map>

#include "base/number.hpp"
#include "bristle/output.hpp"
#include "bristle/trace.hpp"
#include "trace/cells.hpp"

namespace bristle {
namespace {

constexpr std::size_t most_json_bytes = std::size_t{1} << 28, most_values = std::size_t{1} << 26;
constexpr std::size_t most_columns = 1000, deepest = 64;
constexpr double missing = std::numeric_limits<double>::quiet_NaN();

bool is_index(std::string_view key) {
  return !key.empty() && key.size() < 10 && std::ranges::all_of(key, [](char c) { return c >= '0' && c <= '9'; });
}

/// Numbers with the same path apart from the number of the row.
struct Found {
  std::string name{};
  std::string array{};  // path of the array of the rows
  std::vector<double> values{};
  std::vector<std::string> words{};  // text instead of numbers
};

/// Reads the values of a text. The row is the index in an array with `level` arrays around it, or the number of the
/// line of a file with one value per line; objects with the keys 0, 1, 2... count as arrays.
class JsonParser {
 public:
  JsonParser(std::string_view text, std::size_t level, bool lines) : text_(text), level_(level), lines_(lines) {}

  void parse() {
    if (lines_) frames_.push_back({.array = true});
    do {
      value();
      if (lines_) frames_.back().index = documents_;
      blanks();
    } while (problem_.empty() && lines_ && at_ < text_.size());
    if (problem_.empty() && at_ < text_.size()) several_ = true;
    if (lines_) lengths_[""] = documents_;
  }

  std::string problem_{};
  bool several_ = false;  // values after the first one
  std::vector<Found> found_{};
  std::map<std::string, std::size_t> lengths_{};               // of the arrays of the rows
  std::map<std::string, std::string, std::less<>> scalars_{};  // text outside of arrays
  std::size_t line() const {
    return 1 +
           static_cast<std::size_t>(std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(at_), '\n'));
  }

 private:
  struct Frame {
    bool array = false;       // counts its elements
    bool square = false;      // closed by ]
    std::size_t index = 0;    // of the element
    std::size_t name = 0;     // length of the path of the frame
    std::size_t started = 0;  // elements so far
  };

  /// One value with all that it contains, without recursion.
  void value() {
    const std::size_t base = frames_.size();
    do {
      blanks();
      if (at_ == text_.size()) return wrong("ends too early");
      const char c = text_[at_];
      if (frames_.size() > base && (c == ']' || c == '}')) {
        if ((c == ']') != frames_.back().square) return wrong(fmt::format("unexpected '{}'", c));
        ++at_;
        close();
        continue;
      }
      if (frames_.size() > base && !element()) return;
      blanks();
      if (at_ == text_.size()) return wrong("ends too early");
      if (text_[at_] == '[' || text_[at_] == '{') {
        if (frames_.size() > deepest) return wrong("has too many nested brackets");
        frames_.push_back({text_[at_] == '[', text_[at_] == '[', 0, name_.size(), 0});
        ++at_;
        continue;
      }
      leaf();
    } while (problem_.empty() && frames_.size() > base);
    ++documents_;
  }
  /// Comma and key before an element, and its part of the path.
  bool element() {
    Frame& f = frames_.back();
    name_.resize(f.name);
    if (f.started++ > 0) {
      if (text_[at_] != ',') return wrong("a comma is required"), false;
      ++at_;
      blanks();
    }
    if (f.square) {
      f.index = f.started - 1;
    } else {
      const auto key = string();
      blanks();
      if (!key || at_ == text_.size() || text_[at_] != ':')
        return wrong("a key in quotes and a colon are required"), false;
      ++at_;
      f.array = is_index(*key) && (f.started == 1 || f.array);
      f.index = f.started - 1;
      if (!f.array) name_ += (name_.empty() ? "" : ".") + *key;
    }
    if (f.array && !is_row(frames_.size() - 1)) name_ += fmt::format("[{}]", f.index);
    return true;
  }
  void close() {
    if (frames_.back().array && is_row(frames_.size() - 1)) {
      std::size_t& length = lengths_[name_.substr(0, frames_.back().name)];
      length = std::max(length, frames_.back().started);
    }
    name_.resize(frames_.back().name);
    frames_.pop_back();
  }
  /// Whether the elements of this frame are the rows.
  bool is_row(std::size_t frame) const {
    return static_cast<std::size_t>(std::count_if(frames_.begin(), frames_.begin() + static_cast<std::ptrdiff_t>(frame),
                                                  [](const Frame& f) { return f.array; })) == level_;
  }

  void leaf() {
    if (text_[at_] == '"') {
      const auto s = string();
      if (!s) return wrong("a quote is missing");
      const auto x = csv::cell_number(*s);
      return x && !s->empty() ? add(*x) : add(missing, *s);
    }
    const std::size_t end = std::min(text_.find_first_of(",]} \t\r\n", at_), text_.size());
    const std::string_view word = text_.substr(at_, end - at_);
    constexpr std::array words{std::pair{"null", missing}, std::pair{"NaN", missing}, std::pair{"true", 1.0},
                               std::pair{"false", 0.0}};
    const auto* known = std::ranges::find_if(words, [&](const auto& w) { return w.first == word; });
    const auto x = known != words.end() ? std::optional(known->second) : parse_number(word);
    if (!x) return wrong(fmt::format("'{}' is not a value", csv::utf8(word.substr(0, 40))));
    at_ = end;
    add(*x);
  }
  std::optional<std::string> string() {
    if (at_ >= text_.size() || text_[at_] != '"') return {};
    std::string out;
    for (++at_; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '"') {
        ++at_;
        return out;
      }
      if (c == '\\' && ++at_ < text_.size()) {
        out += text_[at_] == 'n' || text_[at_] == 't' ? ' ' : text_[at_];
      } else {
        out += c;
      }
    }
    return {};
  }

  void add(double x, const std::string& word = "") {
    const auto rows = std::ranges::find_if(
        frames_, [&](const Frame& f) { return f.array && is_row(static_cast<std::size_t>(&f - frames_.data())); });
    if (rows == frames_.end()) {
      if (!word.empty()) scalars_[name_] = word;
      return;
    }
    auto [at, is_new] = columns_.try_emplace(name_, found_.size());
    if (is_new) {
      if (found_.size() == most_columns) return wrong(fmt::format("has more than {} columns", most_columns));
      found_.push_back({name_, name_.substr(0, rows->name), {}, {}});
    }
    Found& f = found_[at->second];
    const std::size_t row = rows->index;
    if (!word.empty()) {
      if (f.words.size() < most_columns) f.words.push_back(word);
    }
    if (row >= f.values.size()) {
      total_ += row + 1 - f.values.size();
      if (total_ > most_values) return wrong("has too many values");
      f.values.resize(row + 1, missing);
    }
    f.values[row] = x;
  }

  void blanks() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos) ++at_;
  }
  void wrong(std::string text) {
    if (problem_.empty()) problem_ = std::move(text);
  }

  std::string_view text_;
  std::size_t level_;
  bool lines_;
  std::size_t at_ = 0, documents_ = 0, total_ = 0;
  std::string name_{};
  std::vector<Frame> frames_{};
  std::unordered_map<std::string, std::size_t> columns_{};
};

std::string last_part(const std::string& name) { return name.substr(name.rfind('.') + 1); }

/// Columns of the most common length, named by keys, by a list of names or by a first row of names.
TraceRead columns_of(JsonParser& json, const std::string& path, std::size_t most_rows) {
  TraceRead out;
  std::vector<Found> columns, lists;
  std::string words;
  for (Found& f : json.found_) {
    const bool heading = f.words.size() == 1 && f.values.size() > 1 && std::isnan(f.values[0]) &&
                         std::ranges::any_of(f.values, [](double x) { return !std::isnan(x); });
    if (!f.words.empty() && !heading) {
      words += (words.empty() ? "" : ", ") + f.name;
      lists.push_back(std::move(f));
    } else {
      f.values.resize(std::max(f.values.size(), json.lengths_[f.array]), missing);
      columns.push_back(std::move(f));
    }
  }
  std::map<std::size_t, std::size_t> lengths;
  for (const Found& f : columns) ++lengths[f.values.size()];
  std::size_t rows = 0, most = 0;
  for (const auto& [length, count] : lengths) {
    if (count >= most && length > 1) {
      most = count;
      rows = length;
    }
  }
  if (rows == 0) {
    out.problems.push_back(
        {path, "contains no arrays of numbers; an array of objects or an object of arrays is required"});
    return out;
  }
  std::string others;
  for (const Found& f : columns) {
    if (f.values.size() != rows)
      others += fmt::format("{}{} ({} values)", others.empty() ? "" : ", ", f.name, f.values.size());
  }
  std::erase_if(columns, [&](const Found& f) { return f.values.size() != rows; });
  const auto is_numbered = [](const Found& f) {  // an element of a row that is an array
    return f.name.starts_with(f.array + "[") && f.name.find(']', f.array.size()) + 1 == f.name.size();
  };
  const auto numbered_columns = static_cast<std::size_t>(std::ranges::count_if(columns, is_numbered));
  const auto list = std::ranges::find_if(lists, [&](const Found& f) { return f.words.size() == numbered_columns; });
  std::size_t numbered = 0;
  const bool heading = std::ranges::all_of(columns, [](const Found& f) { return !f.words.empty(); });
  const std::size_t first = heading ? 1 : 0;
  out.every = most_rows == 0 ? 1 : (rows - first - 1) / most_rows + 1;
  for (std::size_t k = 0; k < columns.size(); ++k) {
    Found& f = columns[k];
    const auto same =
        std::ranges::count_if(columns, [&](const Found& o) { return last_part(o.name) == last_part(f.name); });
    std::string name = same == 1 ? last_part(f.name) : f.name;
    if (is_numbered(f)) {
      name = list != lists.end() ? list->words[numbered] : heading ? f.words[0] : std::to_string(numbered + 1);
      ++numbered;
    }
    if (f.name.empty() || f.name == f.array) name = f.name.empty() ? std::to_string(k + 1) : last_part(f.name);
    std::string unit;
    for (const char* key : {"units.", "unit."}) {
      if (const auto at = json.scalars_.find(key + name); at != json.scalars_.end()) unit = at->second;
    }
    Column c{std::move(name), std::move(unit), {}, k + 1};
    for (std::size_t i = first; i < rows; i += out.every) c.values.push_back(f.values[i]);
    out.trace.columns.push_back(std::move(c));
  }
  if (list != lists.end() && lists.size() == 1) words.clear();
  if (!words.empty()) out.notes.push_back("columns of text skipped: " + words);
  if (!others.empty()) out.notes.push_back("skipped arrays: " + others);
  if (out.every > 1) out.notes.push_back(fmt::format("one row in {1} kept, of {0} rows", grouped(rows), out.every));
  return out;
}

}  // namespace

TraceRead parse_json(std::string_view text, const std::string& path, std::size_t most_rows) {
  csv::Decoder decode;
  const std::string decoded(decode(text));
  bool lines = false;
  std::size_t level = 0;
  for (int attempt = 0;; ++attempt) {
    JsonParser json(decoded, level, lines);
    json.parse();
    const bool wide = json.problem_.starts_with("has more") ||
                      std::ranges::all_of(json.lengths_, [](const auto& l) { return l.second < 2; });
    if (attempt < 3 && json.several_ && !lines) {
      lines = true;
    } else if (attempt < 3 && wide && level == 0 && !json.found_.empty()) {
      level = 1;  // the outer array holds whole recordings
    } else if (!json.problem_.empty()) {
      return {{}, {{fmt::format("{}:{}", path, json.line()), json.problem_ + "; JSON is required"}}};
    } else {
      return columns_of(json, path, most_rows);
    }
  }
}

TraceRead read_json(const std::string& path, std::size_t most_rows) {
  try {
    return parse_json(read_file(path, most_json_bytes), path, most_rows);
  } catch (const FileError& e) { return {{}, {{"", e.what()}}}; }
}

}  // namespace bristle
