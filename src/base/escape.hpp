#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace bristle {

inline constexpr char32_t invalid_character = 0xFFFD;

/// Reads one UTF-8 character and advances `at`.
char32_t decode(std::string_view text, std::size_t& at);

/// Valid XML text; bytes that are not UTF-8 and control characters become U+FFFD.
std::string escape(std::string_view text);

/// A cell of a CSV file: in one line, in quotes if necessary.
std::string csv_cell(std::string text);

}  // namespace bristle
