#pragma once
#include <initializer_list>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "field.hpp"

/// Values from files, command lines and other languages, before validation.
namespace bristle {

/// A number, a boolean, a text or an array of numbers.
class Value {
 public:
  /// A number.
  Value(double x) : v_(x) {}  // NOLINT(google-explicit-constructor)
  /// A number.
  Value(int x) : v_(static_cast<double>(x)) {}  // NOLINT(google-explicit-constructor)
  /// A truth value.
  Value(bool x) : v_(x) {}  // NOLINT(google-explicit-constructor)
  /// A word.
  Value(const char* x) : v_(std::string(x)) {}  // NOLINT(google-explicit-constructor)
  /// A word.
  Value(std::string x) : v_(std::move(x)) {}  // NOLINT(google-explicit-constructor)
  /// A list of numbers.
  Value(std::vector<double> x) : v_(std::move(x)) {}  // NOLINT(google-explicit-constructor)
  /// A list of numbers.
  Value(std::initializer_list<double> x) : v_(std::vector<double>(x)) {}

  /// The value as an X; nullptr if it is another type.
  template <class X> const X* as() const { return std::get_if<X>(&v_); }
  /// The text in a TOML file: 1.5, true, "ageing", [1, 2].
  std::string text() const;
  friend bool operator==(const Value&, const Value&) = default;

 private:
  std::variant<double, bool, std::string, std::vector<double>> v_;
};

/// `where` precedes messages about this entry: "file.toml:12".
struct Entry {
  std::string key;
  Value value;  // its value
  std::string where{};
};
/// Keys and values, in the order of the file.
using Table = std::vector<Entry>;

/// A reason why an input is wrong.
struct Problem {
  std::string where, text;
  /// One line, for any input: "file.toml:12: Fc = -1 N must be > 0".
  std::string line() const;
};
/// All reasons.
using Problems = std::vector<Problem>;

/// Shortest text that reads back as the same double.
std::string to_text(double x);

/// "> 0", ">= 0", "between 0.1 and 4".
std::string describe(const Range& range);
/// The range for a refused value: the exceeded bound, "at least 1e-30", if "> 0" would not explain the refusal.
std::string describe(const Range& range, double refused);

/// The candidate nearest to a misspelt word; "" if none is near.
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace bristle
