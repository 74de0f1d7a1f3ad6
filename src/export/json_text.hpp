#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bristle/value.hpp"

namespace bristle::exports {

/// JSON that is written, never read: members in the order in which they were added.
class JsonText {
 public:
  static JsonText object() { return JsonText('{'); }
  static JsonText array() { return JsonText('['); }
  JsonText(double x);            // NOLINT(google-explicit-constructor): null if x is not finite
  JsonText(bool x);              // NOLINT(google-explicit-constructor)
  JsonText(std::string_view x);  // NOLINT(google-explicit-constructor)
  JsonText(const std::string& x) : JsonText(std::string_view(x)) {}
  JsonText(const char* x) : JsonText(std::string_view(x)) {}
  JsonText(const Value& x);  // NOLINT(google-explicit-constructor)
  static JsonText null();

  JsonText& add(std::string_view key, const JsonText& value);
  JsonText& add(const JsonText& value);
  /// Indented, with a final newline.
  std::string text() const { return indented(0) + "\n"; }

 private:
  explicit JsonText(char kind) : kind_(kind) {}
  std::string indented(std::size_t depth) const;
  char kind_ = 0;  // '{', '[' or 0 for a value
  std::string value_{};
  std::vector<std::pair<std::string, JsonText>> members_{};
};

}  // namespace bristle::exports
