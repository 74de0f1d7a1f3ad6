#include "export/zip.hpp"

#include <array>
#include <cstdint>

namespace bristle::exports {
namespace {

std::uint32_t crc32(std::string_view bytes) {
  static const auto table = [] {
    std::array<std::uint32_t, 256> t{};
    for (std::uint32_t i = 0; i < 256; ++i) {
      std::uint32_t c = i;
      for (int k = 0; k < 8; ++k) c = (c & 1U) != 0 ? 0xEDB88320U ^ (c >> 1U) : c >> 1U;
      t[i] = c;
    }
    return t;
  }();
  std::uint32_t c = 0xFFFFFFFFU;
  for (const char b : bytes) c = table[(c ^ static_cast<unsigned char>(b)) & 0xFFU] ^ (c >> 8U);
  return ~c;
}

void put(std::string& out, std::uint32_t x, int bytes) {
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(x >> (8 * i) & 0xFFU);
}

/// The fields that local and central headers share.
void put_common(std::string& out, const File& f) {
  constexpr std::uint32_t version = 20, flags = 0, stored = 0, midnight = 0, first_of_1980 = 0x21;
  put(out, version, 2);
  put(out, flags, 2);
  put(out, stored, 2);
  put(out, midnight, 2);
  put(out, first_of_1980, 2);
  put(out, crc32(f.bytes), 4);
  put(out, static_cast<std::uint32_t>(f.bytes.size()), 4);
  put(out, static_cast<std::uint32_t>(f.bytes.size()), 4);
  put(out, static_cast<std::uint32_t>(f.name.size()), 2);
  put(out, 0, 2);  // extra field
}

}  // namespace

std::string zip(const std::vector<File>& files) {
  std::string out, central;
  for (const File& f : files) {
    const auto offset = static_cast<std::uint32_t>(out.size());
    put(out, 0x04034b50, 4);
    put_common(out, f);
    out += f.name + f.bytes;
    put(central, 0x02014b50, 4);
    put(central, 20, 2);
    put_common(central, f);
    for (const int bytes : {2, 2, 2, 4}) put(central, 0, bytes);  // comment, disk, attributes
    put(central, offset, 4);
    central += f.name;
  }
  const auto begin = static_cast<std::uint32_t>(out.size()), count = static_cast<std::uint32_t>(files.size());
  out += central;
  put(out, 0x06054b50, 4);
  put(out, 0, 4);
  put(out, count, 2);
  put(out, count, 2);
  put(out, static_cast<std::uint32_t>(central.size()), 4);
  put(out, begin, 4);
  put(out, 0, 2);
  return out;
}

}  // namespace bristle::exports
