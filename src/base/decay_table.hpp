#pragma once
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "bristle/dual.hpp"

/// base + height exp(-u^2) with a table of exp(-i/64), with half the latency of the polynomial in quick.hpp: stages of
/// a step wait for it. The exponential is exact to 2 ulp; it is 0 beyond u^2 = 40, where 1 + exp(-u^2) = 1.
namespace bristle {

inline constexpr std::size_t steps_per_unit = 64, largest_argument = 40;
inline constexpr auto decay_table = [] {
  std::array<double, steps_per_unit*(largest_argument + 2)> t{};
  long double unit = 1, fine = 1;  // exp(-1), exp(-1/64) by their series
  for (int k = 30; k >= 1; --k) unit = 1 - unit / k;
  for (int k = 30; k >= 1; --k) fine = 1 - fine / (static_cast<long double>(steps_per_unit) * k);
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

[[gnu::always_inline]] inline double table_bell(double base, double height, double u) {
  constexpr double magic = 0x1.8p52, q = 1.0 / steps_per_unit;
  if (!(u * u < largest_argument)) [[unlikely]]  // prediction costs less than waiting
    return u == u ? base : u;
  const double scaled = u * steps_per_unit, shifted = u * scaled + magic;
  const double r = u * scaled - (shifted - magic);  // in steps, |r| <= 1/2
  const double whole = height * decay_table[std::bit_cast<std::uint64_t>(shifted) & 0xFFFFF];
  const double s = r * r;  // exp(-r q) to r^5: 1 - r q + (r q)^2/2 - ...
  const double low = (q * q / 2 - r * (q * q * q / 6)) + s * (q * q * q * q / 24 - r * (q * q * q * q * q / 120));
  return (base + whole) + whole * (s * low - r * q);
}

/// base + height exp(-u^2) for the slopes of a step, with constant base and height.
template <class R, std::size_t N>
[[gnu::always_inline]] inline Dual<R, N> constant_bell(const Dual<R, N>& base, const Dual<R, N>& height,
                                                       const Dual<R, N>& u) {
  const R S = bell(base.a, height.a, u.a);
  return chain(u, S, R(-2) * u.a * (S - base.a));
}

}  // namespace bristle
