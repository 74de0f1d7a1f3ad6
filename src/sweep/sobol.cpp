#include "sweep/sobol.hpp"

#include <array>

namespace bristle::sweep {
namespace {

constexpr std::size_t bits = 32;

/// A primitive polynomial of degree s with coefficients a, and the first direction numbers.
struct Line {
  unsigned s, a;
  std::array<std::uint32_t, 7> m;
};
constexpr std::array<Line, sobol_dimensions - 1> lines{{{1, 0, {1}},
                                                        {2, 1, {1, 3}},
                                                        {3, 1, {1, 3, 1}},
                                                        {3, 2, {1, 1, 1}},
                                                        {4, 1, {1, 1, 3, 3}},
                                                        {4, 4, {1, 3, 5, 13}},
                                                        {5, 2, {1, 1, 5, 5, 17}},
                                                        {5, 4, {1, 1, 5, 5, 5}},
                                                        {5, 7, {1, 1, 7, 11, 19}},
                                                        {5, 11, {1, 1, 5, 1, 1}},
                                                        {5, 13, {1, 1, 1, 3, 11}},
                                                        {5, 14, {1, 3, 5, 5, 31}},
                                                        {6, 1, {1, 3, 3, 9, 7, 49}},
                                                        {6, 13, {1, 1, 1, 15, 21, 21}},
                                                        {6, 16, {1, 3, 1, 13, 27, 49}},
                                                        {6, 19, {1, 1, 1, 15, 7, 5}},
                                                        {6, 22, {1, 3, 1, 15, 13, 25}},
                                                        {6, 25, {1, 1, 5, 5, 19, 61}},
                                                        {7, 1, {1, 3, 7, 11, 23, 15, 103}},
                                                        {7, 4, {1, 3, 7, 13, 13, 15, 69}}}};

using Directions = std::array<std::uint32_t, bits>;

constexpr Directions directions(std::size_t dimension) {
  Directions v{};
  if (dimension == 0) {  // van der Corput
    for (std::size_t k = 0; k < bits; ++k) v[k] = std::uint32_t{1} << (bits - 1 - k);
    return v;
  }
  const Line& line = lines[dimension - 1];
  for (std::size_t k = 0; k < bits; ++k) {
    if (k < line.s) {
      v[k] = line.m[k] << (bits - 1 - k);
      continue;
    }
    v[k] = v[k - line.s] ^ (v[k - line.s] >> line.s);
    for (std::size_t j = 1; j < line.s; ++j) {
      if ((line.a >> (line.s - 1 - j)) & 1U) v[k] ^= v[k - j];
    }
  }
  return v;
}

constexpr auto all = [] {
  std::array<Directions, sobol_dimensions> out{};
  for (std::size_t d = 0; d < sobol_dimensions; ++d) out[d] = directions(d);
  return out;
}();

}  // namespace

std::uint32_t sobol(std::uint64_t i, std::size_t dimension) {
  std::uint32_t x = 0;
  for (std::uint64_t gray = i ^ (i >> 1), k = 0; gray != 0 && k < bits; gray >>= 1, ++k) {
    if (gray & 1U) x ^= all[dimension][k];
  }
  return x;
}

}  // namespace bristle::sweep
