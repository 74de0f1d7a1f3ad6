#include "export/json_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/escape.hpp"

namespace bristle::exports {
namespace {

/// In quotes; bytes that are not UTF-8 and control characters become U+FFFD.
std::string quoted_text(std::string_view text) {
  std::string out = "\"";
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    switch (decode(text, at)) {
      case '"': out += "\\\""; break;
      case '\\': out += "\\\\"; break;
      case '\n': out += "\\n"; break;
      case '\t': out += "\\t"; break;
      case invalid_character: out += "\\ufffd"; break;
      default: out += text.substr(begin, at - begin);
    }
  }
  return out + "\"";
}

}  // namespace

JsonText::JsonText(double x) : value_(std::isfinite(x) ? to_text(x) : "null") {}
JsonText::JsonText(bool x) : value_(x ? "true" : "false") {}
JsonText::JsonText(std::string_view x) : value_(quoted_text(x)) {}
JsonText::JsonText(const Value& x) {
  if (const auto* number = x.as<double>()) *this = *number;
  if (const auto* word = x.as<std::string>()) *this = *word;
  if (const auto* flag = x.as<bool>()) *this = *flag;
  if (const auto* list = x.as<std::vector<double>>()) {
    *this = array();
    for (const double e : *list) add(e);
  }
}
JsonText JsonText::null() { return {std::nan("")}; }

JsonText& JsonText::add(std::string_view key, const JsonText& value) {
  members_.emplace_back(key, value);
  return *this;
}
JsonText& JsonText::add(const JsonText& value) { return add("", value); }

std::string JsonText::indented(std::size_t depth) const {
  if (kind_ == 0) return value_;
  const bool object = kind_ == '{';
  const bool flat = !object && std::ranges::all_of(members_, [](const auto& m) { return m.second.kind_ == 0; });
  const std::string line = flat ? "" : "\n" + std::string(2 * depth + 2, ' ');
  std::string out(1, kind_);
  for (const auto& [key, value] : members_) {
    if (out.size() > 1) out += flat ? ", " : ",";
    out += line + (object ? quoted_text(key) + ": " : "") + value.indented(depth + 1);
  }
  if (!flat && !members_.empty()) out += "\n" + std::string(2 * depth, ' ');
  return out + (object ? '}' : ']');
}

}  // namespace bristle::exports
