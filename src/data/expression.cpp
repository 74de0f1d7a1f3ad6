#include "data/expression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <numbers>
#include <optional>

#include "base/number.hpp"
#include "bristle/value.hpp"

namespace bristle::identify {
namespace {

using Code = Expression::Code;
using Step = Expression::Step;

struct Function {
  const char* name;
  double (*of)(double);
};
constexpr double pi = std::numbers::pi;
constexpr Function functions[]{{"abs", [](double x) { return std::abs(x); }},
                               {"sign", [](double x) { return double(x > 0) - double(x < 0); }},
                               {"sqrt", [](double x) { return std::sqrt(x); }},
                               {"exp", [](double x) { return std::exp(x); }},
                               {"log", [](double x) { return std::log(x); }},
                               {"sin", [](double x) { return std::sin(x); }},
                               {"cos", [](double x) { return std::cos(x); }},
                               {"tan", [](double x) { return std::tan(x); }},
                               {"deg2rad", [](double x) { return x * pi / 180; }},
                               {"rad2deg", [](double x) { return x * 180 / pi; }}};

constexpr std::size_t deepest = 100, longest = 4000;

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' || (c & 0x80) != 0; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

double apply(Code code, double a, double b) {
  switch (code) {
    case Code::add: return a + b;
    case Code::subtract: return a - b;
    case Code::multiply: return a * b;
    case Code::divide: return a / b;
    case Code::power: return std::pow(a, b);
    default: return a;
  }
}

/// Evaluates the steps; `value(step)` is the value of a column.
template <class Values> double run(const std::vector<Step>& steps, std::vector<double>& stack, const Values& value) {
  stack.clear();
  for (const Step& s : steps) {
    switch (s.code) {
      case Code::number: stack.push_back(s.number); break;
      case Code::column:
      case Code::row: stack.push_back(value(s)); break;
      case Code::negate: stack.back() = -stack.back(); break;
      case Code::function: stack.back() = functions[s.column].of(stack.back()); break;
      default: {
        const double b = stack.back();
        stack.pop_back();
        stack.back() = apply(s.code, stack.back(), b);
      }
    }
  }
  return stack.back();
}

}  // namespace

class ExpressionParser {
 public:
  ExpressionParser(std::string_view text, const Trace& trace, const std::vector<Header>& headers)
      : text_(trimmed(text)), trace_(trace), headers_(headers) {}

  Expression::Parsed parse() {
    if (text_.empty()) return {{}, "must be a column or an expression over columns"};
    if (text_.size() > longest) return {{}, fmt::format("is too long; at most {} characters are accepted", longest)};
    if (const auto whole = exactly(text_)) {
      column(*whole);
    } else {
      unit_at_end();
      sum(0);
      blanks();
      if (problem_.empty() && at_ < text_.size()) {
        wrong(text_[at_] == ')' ? "')' without '('"
                                : fmt::format("unexpected '{}'; an operator + - * / or the end is accepted", rest()));
      }
    }
    if (problem_.empty()) conclude();
    return {std::move(out_), problem_};
  }

 private:
  void sum(std::size_t depth) {
    product(depth);
    while (const char c = next("+-")) {
      product(depth);
      push({c == '+' ? Code::add : Code::subtract});
    }
  }
  void product(std::size_t depth) {
    factor(depth);
    while (const char c = next("*/")) {
      factor(depth);
      push({c == '*' ? Code::multiply : Code::divide});
    }
  }
  void factor(std::size_t depth) {  // -x^2 is -(x^2)
    if (depth > deepest) return wrong("has too many nested brackets");
    if (next("-") != 0) {
      factor(depth + 1);
      return push({Code::negate});
    }
    if (next("+") != 0) return factor(depth + 1);
    primary(depth);
    if (next("^") != 0) {
      factor(depth + 1);
      push({Code::power});
    }
  }
  void primary(std::size_t depth) {
    blanks();
    if (!problem_.empty()) return;
    if (at_ == text_.size()) return wrong("ends too early; a column or a number is required");
    const char c = text_[at_];
    if (c == '(') {
      ++at_;
      sum(depth + 1);
      if (next(")") == 0) wrong("'(' without ')'");
    } else if (c == '"' || c == '\'' || c == '`') {
      const std::size_t end = text_.find(c, at_ + 1);
      if (end == std::string_view::npos) return wrong(fmt::format("{} without closing {}", c, c));
      named(text_.substr(at_ + 1, end - at_ - 1));
      at_ = end + 1;
    } else if (c == '$' || is_letter(c)) {
      word(depth);
    } else if (is_digit(c) || c == '.') {
      number();
    } else {
      wrong(fmt::format("unexpected '{}'; a column or a number is required", rest()));
    }
  }
  void number() {
    double x{};
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), x);
    if (error != std::errc()) return wrong(fmt::format("'{}' is not a number", rest()));
    at_ = static_cast<std::size_t>(end - text_.data());
    push({Code::number, x});
  }
  void word(std::size_t depth) {
    const std::size_t begin = at_;
    while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]) || text_[at_] == '.' || at_ == begin))
      ++at_;
    const std::string_view name = text_.substr(begin, at_ - begin);
    blanks();
    if (at_ < text_.size() && text_[at_] == '(' && !exactly(name)) return call(name, depth);
    if (name == "pi" && !exactly(name)) return push({Code::number, pi});
    if (name == "row" && !exactly(name)) {
      counts_ = true;
      return push({Code::row});
    }
    named(name);
  }
  void call(std::string_view name, std::size_t depth) {
    const auto* found =
        std::find_if(std::begin(functions), std::end(functions), [&](auto& f) { return f.name == name; });
    if (found == std::end(functions)) {
      std::vector<std::string> names;
      for (const Function& f : functions) names.emplace_back(f.name);
      const std::string near = nearest(name, names);
      return wrong(near.empty() ? fmt::format("unknown function '{}'; accepted: {}", name,
                                              fmt::to_string(fmt::join(names, ", ")))
                                : fmt::format("unknown function '{}', did you mean '{}'?", name, near));
    }
    ++at_;
    sum(depth + 1);
    if (next(")") == 0) return wrong("'(' without ')'");
    push({Code::function, 0, 0, static_cast<std::size_t>(found - std::begin(functions))});
  }

  std::optional<std::size_t> exactly(std::string_view name) const {
    for (std::size_t i = 0; i < trace_.columns.size(); ++i) {
      if (trace_.columns[i].name == name) return i;
    }
    return {};
  }
  /// $2: the second column of the file, with or without a header.
  std::optional<std::size_t> by_number(std::string_view digits) const {
    const auto number = parse_number(digits);
    for (std::size_t i = 0; i < trace_.columns.size() && number; ++i) {
      if (*number == static_cast<double>(column_number(trace_, i))) return i;
    }
    return {};
  }
  void named(std::string_view name) {
    std::optional<std::size_t> found = name.starts_with('$') ? by_number(name.substr(1)) : exactly(name);
    for (std::size_t i = 0; i < headers_.size() && !found; ++i) {  // the name without its unit, if it is unique
      const auto same =
          std::count_if(headers_.begin(), headers_.end(), [&](const Header& h) { return h.base == name; });
      if (headers_[i].base == name && same == 1) found = i;
    }
    if (found) return column(*found);
    const std::vector<std::string> names = trace_.names();
    const std::string near = nearest(name, names);
    std::string all;
    for (std::size_t i = 0; i < names.size() && i < 20; ++i) all += (i == 0 ? "" : ", ") + names[i];
    wrong(fmt::format(
        "unknown column '{}'{}", name.substr(0, 40),
        near.empty() ? "; accepted: " + all + (names.size() > 20 ? "..." : "") : ", did you mean '" + near + "'?"));
  }
  void column(std::size_t i) {
    const Unit u = given_ ? Unit{} : headers_[i].unit;  // with a unit for the whole expression, columns enter unscaled
    push({Code::column, u.factor, u.offset, i});
    if (std::find(out_.columns_.begin(), out_.columns_.end(), i) == out_.columns_.end()) out_.columns_.push_back(i);
  }

  /// An expression that only scales one column keeps its quantity.
  void conclude() {
    if (given_) out_.unit_ = out_.result_ = *given_;
    out_.own_unit_ = given_.has_value();
    if (counts_) return;
    if (out_.columns_.empty()) return wrong("contains no column; an expression over columns is required");
    auto at = [&](double x) {
      std::vector<double> stack;
      return run(out_.steps_, stack, [&](const Step&) { return x; });
    };
    if (out_.columns_.size() == 1 && !given_) {
      const double one = at(1), tolerance = 1e-12 * std::abs(one);
      const bool linear =
          std::abs(at(0)) <= tolerance && std::abs(at(2) - 2 * one) <= tolerance && std::abs(at(-1) + one) <= tolerance;
      if (linear && one != 0 && std::isfinite(one)) {
        out_.scale_ = one;
        out_.unit_ = headers_[out_.columns_[0]].unit;
      }
    }
  }
  /// Removes the unit at the end of "pos [mm]".
  void unit_at_end() {
    if (text_.back() != ']') return;
    const std::size_t open = text_.rfind('[');
    if (open == std::string_view::npos || open == 0) return;
    const std::string_view name = text_.substr(open + 1, text_.size() - open - 2);
    given_ = find_unit(name);
    if (!given_) return wrong(fmt::format("unknown unit '{}'; units such as mm, rpm, deg/s, Nm are accepted", name));
    text_ = trimmed(text_.substr(0, open));
  }

  void blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }
  /// The next character if it is one of these, otherwise 0.
  char next(std::string_view signs) {
    blanks();
    if (!problem_.empty() || at_ >= text_.size() || signs.find(text_[at_]) == std::string_view::npos) return 0;
    return text_[at_++];
  }
  std::string_view rest() const { return text_.substr(at_, 20); }
  void push(Step s) {
    if (problem_.empty()) out_.steps_.push_back(s);
  }
  void wrong(std::string what) {
    if (problem_.empty()) problem_ = std::move(what);
  }

  std::string_view text_;
  const Trace& trace_;
  const std::vector<Header>& headers_;
  std::size_t at_ = 0;
  Expression out_{};
  std::optional<Unit> given_{};
  bool counts_ = false;  // the expression contains `row`
  std::string problem_{};
};

Expression::Parsed Expression::parse(std::string_view text, const Trace& trace, const std::vector<Header>& headers) {
  return ExpressionParser(text, trace, headers).parse();
}

Expression Expression::of_column(std::size_t column, const Trace& trace, const std::vector<Header>& headers) {
  return parse(fmt::format("${}", column_number(trace, column)), trace, headers).expression;
}

template <class Values> std::vector<double> Expression::each_row(std::size_t rows, const Values& value) const {
  std::vector<double> out(rows), stack;
  for (std::size_t i = 0; i < rows; ++i)
    out[i] = result_.factor * run(steps_, stack, [&](const Step& s) { return value(s, i); }) + result_.offset;
  return out;
}

std::vector<double> Expression::evaluate(const Trace& trace, std::size_t every) const {
  return each_row(trace.rows(), [&](const Step& s, std::size_t i) {
    if (s.code == Code::row) return static_cast<double>(i * every);
    const Column& c = trace.columns[s.column];
    return s.number * (c.values[i] + c.origin) + s.offset;
  });
}

std::vector<double> Expression::evaluate_from_first(const Trace& trace, std::size_t every, bool& date) const {
  std::vector<double> whole = evaluate(trace, every);
  constexpr double long_ago = 1e7;  // s: a date
  const auto first = static_cast<std::size_t>(
      std::find_if(whole.begin(), whole.end(), [](double x) { return std::isfinite(x); }) - whole.begin());
  date = first < whole.size() && std::abs(whole[first]) > long_ago;
  if (!date) return whole;
  const std::vector<double> exact = each_row(trace.rows(), [&](const Step& s, std::size_t i) {
    if (s.code == Code::row) return static_cast<double>(i * every) - static_cast<double>(first * every);
    const Column& c = trace.columns[s.column];
    return s.number * (c.values[i] - c.values[first]);
  });
  const double origin = whole[first], zero = exact[first], tolerance = 1e-9 * std::abs(origin);
  for (std::size_t i = 0; i < whole.size(); ++i) {
    whole[i] -= origin;
    // Equal for every expression that is linear in its columns.
    if (std::abs(whole[i] - (exact[i] - zero)) <= tolerance) whole[i] = exact[i] - zero;
  }
  return whole;
}

std::size_t column_number(const Trace& trace, std::size_t column) {
  const std::size_t place = trace.columns[column].place;
  return place > 0 ? place : column + 1;
}

}  // namespace bristle::identify
