#pragma once
#include <bit>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "couple.hpp"

/// `couple` with fixed work, for controllers with a deadline.
namespace bristle {

/// Number of bisections that leaves rounding errors alone. The root can differ from its bound in 28 bits (float), of which
/// interpolation finds the last ones, or in 58 (double): there all are bisected, since a heavy mass multiplies what is left.
template <std::floating_point T> inline constexpr int bisections = sizeof(T) == sizeof(float) ? 24 : 58;

/// The balance of `couple`, found by N bisections in the scalar of the contact: always N + 2 trial steps, no allocation, no
/// double precision. The bisections halve the distance in units of the last place, so that a velocity of 1e-9 of its bound
/// has as many digits as any other. A balance closer to rest than 2^-32 of the bound (double: 2^-64) is a hold. dFdv is not computed.
template <int N = 0, Contact C, std::floating_point T = typename C::Scalar>
constexpr Coupled<T> couple_fixed(const C& c, typename C::State& s, typename C::Mode& q, const Motion<T>& u,
                                  const T& mass, const T& dt) {
  using Trial = detail::Trial<C, T>;
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  constexpr Bits binades = Bits{8 * sizeof(T)} << (std::numeric_limits<T>::digits - 1);
  const T mass_dt = mass / dt, need = u.F_app + mass_dt * u.v;
  const Trial stop(c, s, q, u, need, T(0), dt);
  const T imbalance = stop.F - need, side_of_root = imbalance < T(0) ? T(1) : T(-1);
  const T size = std::abs(need) + std::abs(imbalance);
  bool holds = imbalance == T(0);
  if constexpr (SetValued<C>) holds = c.holds(stop.q) && std::isfinite(stop.F);

  // No further than friction that resists could let it go: |imbalance| dt/mass is not enough where bristles push.
  const T furthest = larger(T(4) * size / mass_dt, T(std::numeric_limits<T>::min() * T(0x1p66)));
  struct Point {
    T x, f;  // f < 0 before the root
  };
  Point lo{T(0), side_of_root * imbalance}, hi{furthest, -lo.f};
  Bits above = std::bit_cast<Bits>(furthest), below = above - binades;
  for (int n = 0; n < (N > 0 ? N : bisections<T>); ++n) {
    const Bits middle = below + (above - below) / 2;
    const T x = std::bit_cast<T>(middle), w = side_of_root * x;
    const Trial t(c, s, q, u, need, w, dt);
    const T f = side_of_root * (mass_dt * w + t.F - need);
    if (f < T(0)) {
      below = middle;
      lo = {x, f};
    } else {
      above = middle;
      hi = {x, f};
    }
  }
  const bool at_rest = holds || lo.x == T(0);
  const T between = lo.x + (hi.x - lo.x) * (lo.f / (lo.f - hi.f));
  const T w = at_rest ? T(0) : side_of_root * (between > lo.x && between < hi.x ? between : hi.x);
  Trial t(c, s, q, u, need, w, dt);
  s = t.s;
  q = t.q;
  const T balance = need - mass_dt * w;
  const bool jump = !(std::abs(t.F - balance) <= T(8 * epsilon<T>) * size);
  return {w, at_rest || jump ? balance : t.F, T(0), at_rest};
}

}  // namespace bristle
