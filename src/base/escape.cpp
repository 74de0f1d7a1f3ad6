#include "base/escape.hpp"

#include <array>

namespace bristle {

char32_t decode(std::string_view text, std::size_t& at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(at++);
  if (first < 0x80) return first < 0x20 && first != '\n' && first != '\t' ? invalid_character : first;
  const int more = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : 1;
  if (first < 0xC2 || first > 0xF4 || at + static_cast<std::size_t>(more) > text.size()) return invalid_character;
  auto c = static_cast<char32_t>(first & (0x3F >> more));
  for (int i = 0; i < more; ++i) {
    const unsigned char next = byte(at + static_cast<std::size_t>(i));
    if ((next & 0xC0) != 0x80) return invalid_character;
    c = c << 6 | (next & 0x3FU);
  }
  at += static_cast<std::size_t>(more);
  constexpr std::array<char32_t, 4> least = {0, 0x80, 0x800, 0x10000};
  const bool surrogate = c >= 0xD800 && c < 0xE000;
  return c < least[static_cast<std::size_t>(more)] || surrogate || c > 0x10FFFF || (c & 0xFFFE) == 0xFFFE
             ? invalid_character
             : c;
}

std::string escape(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    switch (decode(text, at)) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case invalid_character: out += "\xEF\xBF\xBD"; break;
      default: out += text.substr(begin, at - begin);
    }
  }
  return out;
}

std::string csv_cell(std::string text) {
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  }
  if (text.find_first_of(",\"") == std::string::npos) return text;
  for (std::size_t at = 0; (at = text.find('"', at)) != std::string::npos; at += 2) text.insert(at, 1, '"');
  return '"' + text + '"';
}

}  // namespace bristle
