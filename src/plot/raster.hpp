#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace bristle::plot {

/// A picture with a palette, as a PNG file without compression.
struct Raster {
  std::size_t width{}, height{};
  std::vector<std::uint8_t> pixels{};  // row by row from the top, indices of colours
  std::vector<std::array<std::uint8_t, 3>> colors{};
};
std::string png(const Raster& raster);
std::string base64(const std::string& bytes);

}  // namespace bristle::plot
