#include "raster.hpp"

#include <algorithm>

namespace bristle::plot {
namespace {

void append_number(std::string& out, std::uint32_t x) {
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>((x >> shift) & 0xFFU);
}

std::uint32_t crc(const std::string& bytes) {
  static const auto table = [] {
    std::array<std::uint32_t, 256> t{};
    for (std::uint32_t n = 0; n < 256; ++n) {
      std::uint32_t c = n;
      for (int k = 0; k < 8; ++k) c = (c & 1U) != 0 ? 0xEDB88320U ^ (c >> 1) : c >> 1;
      t[n] = c;
    }
    return t;
  }();
  std::uint32_t c = 0xFFFFFFFFU;
  for (const char b : bytes) c = table[(c ^ static_cast<std::uint8_t>(b)) & 0xFFU] ^ (c >> 8);
  return c ^ 0xFFFFFFFFU;
}

void append_chunk(std::string& out, const char* type, const std::string& data) {
  append_number(out, static_cast<std::uint32_t>(data.size()));
  const std::string body = type + data;
  out += body;
  append_number(out, crc(body));
}

/// zlib's format with stored blocks.
std::string stored(const std::string& data) {
  constexpr std::size_t longest = 65535;
  std::string out = "\x78\x01";
  std::size_t at = 0;
  do {
    const std::size_t n = std::min(longest, data.size() - at);
    out += static_cast<char>(at + n == data.size() ? 1 : 0);
    for (const std::size_t x : {n, ~n}) {
      out += static_cast<char>(x & 0xFFU);
      out += static_cast<char>((x >> 8) & 0xFFU);
    }
    out.append(data, at, n);
    at += n;
  } while (at < data.size());
  std::uint32_t a = 1, b = 0;
  for (const char c : data) {
    a = (a + static_cast<std::uint8_t>(c)) % 65521U;
    b = (b + a) % 65521U;
  }
  append_number(out, b << 16 | a);
  return out;
}

}  // namespace

std::string png(const Raster& r) {
  std::string out = "\x89PNG\r\n\x1a\n", head, colors, rows;
  append_number(head, static_cast<std::uint32_t>(r.width));
  append_number(head, static_cast<std::uint32_t>(r.height));
  head += std::string("\x08\x03\x00\x00\x00", 5);  // 8 bits, palette
  append_chunk(out, "IHDR", head);
  for (const auto& c : r.colors)
    colors.append({static_cast<char>(c[0]), static_cast<char>(c[1]), static_cast<char>(c[2])});
  append_chunk(out, "PLTE", colors);
  for (std::size_t y = 0; y < r.height; ++y) {
    rows += '\0';  // no filter
    for (std::size_t x = 0; x < r.width; ++x) rows += static_cast<char>(r.pixels[y * r.width + x]);
  }
  append_chunk(out, "IDAT", stored(rows));
  append_chunk(out, "IEND", "");
  return out;
}

std::string base64(const std::string& bytes) {
  constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t word = 0;
    for (std::size_t k = 0; k < 3; ++k)
      word = word << 8 | (i + k < bytes.size() ? static_cast<std::uint8_t>(bytes[i + k]) : 0U);
    for (std::size_t k = 0; k < 4; ++k) out += i + k > bytes.size() ? '=' : digits[(word >> (18 - 6 * k)) & 63U];
  }
  return out;
}

}  // namespace bristle::plot
