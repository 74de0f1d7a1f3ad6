#pragma once
#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace bristle {

inline std::string_view trimmed(std::string_view text, std::string_view blanks = " \t\r\n") {
  const std::size_t begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

/// The number if the whole text is one.
inline std::optional<double> parse_number(std::string_view text) {
  if (!text.empty() && text.front() == '+') {
    text.remove_prefix(1);
    if (!text.empty() && text.front() == '-') return {};
  }
  double x{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), x);
  if (end != text.data() + text.size() || error == std::errc::invalid_argument) return {};
  if (error == std::errc::result_out_of_range) x = std::strtod(std::string(text).c_str(), nullptr);  // 0 or infinite
  return x;
}

/// 24841 as "24,841".
inline std::string grouped(std::size_t n) {
  std::string out = std::to_string(n);
  for (std::size_t i = out.size(); i > 3; i -= 3) out.insert(i - 3, ",");
  return out;
}

}  // namespace bristle
