#pragma once
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

/// exp(-x) for x >= 0 with a table of exp(-i/32): half the latency of the polynomial in quick.hpp, which is what a chain of
/// stages waits for. 1 ulp; 0 beyond x = 40, where nothing that is added to 1 shows it.
namespace bristle::slider {

inline constexpr std::size_t steps_per_unit = 32, largest_argument = 40;
inline constexpr auto decay_table = [] {
  std::array<double, steps_per_unit*(largest_argument + 2)> t{};
  long double unit = 1, fine = 1;  // exp(-1), exp(-1/32) by their series
  for (int k = 30; k >= 1; --k) unit = 1 - unit / k;
  for (int k = 30; k >= 1; --k) fine = 1 - fine / (32.0L * k);
  long double whole = 1;
  for (std::size_t n = 0; n <= largest_argument; ++n) {
    long double part = whole;
    for (std::size_t i = 0; i < steps_per_unit; ++i) {
      t[n * steps_per_unit + i] = static_cast<double>(part);
      part *= fine;
    }
    whole *= unit;
  }
  return t;
}();

[[gnu::always_inline]] inline double table_decay(double x) {
  constexpr double magic = 0x1.8p52, per_step = 1.0 / steps_per_unit;
  x = x < largest_argument ? x : largest_argument + 1;
  const double shifted = x * steps_per_unit + magic, r = x - (shifted - magic) * per_step;  // |r| <= 1/64, exact
  const double whole = decay_table[std::bit_cast<std::uint64_t>(shifted) & 0xFFFFF];
  const double s = r * r;  // exp(-r) to r^7: 1 - r + r^2/2 - ...
  const double low =
      (1.0 / 2 - r * (1.0 / 6)) + s * ((1.0 / 24 - r * (1.0 / 120)) + s * (1.0 / 720 - r * (1.0 / 5040)));
  return whole + whole * (s * low - r);
}

}  // namespace bristle::slider
