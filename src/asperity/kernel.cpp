/// Compiled once per instruction set, like src/batch/kernels.cpp, and under the same rule: every template carries the
/// name of the set as a tag.
#include "kernel.hpp"

#include "base/isa.hpp"
#include "base/pack.hpp"

namespace bristle::asperity {
namespace {

struct BRISTLE_ISA {};
constexpr std::size_t width = BRISTLE_BYTES / sizeof(double);
static_assert(widest % width == 0);
using Pack = batch::Pack<double, width, BRISTLE_ISA>;
using Mask = Pack::Test;

[[gnu::always_inline]] inline bool any(Mask m) {
  std::int64_t all = 0;
  for (std::size_t l = 0; l < width; ++l) all |= m.m[l];
  return all != 0;
}
[[gnu::always_inline]] inline Pack log(Pack x) { return quick::log(x.x); }

/// (1 + x) ln(1 + x) - x, for x >= 0.
[[gnu::always_inline]] inline Pack growth(Pack x) {
  // Terms (-1)^k x^k / (k (k - 1)); the tail is below 1e-17 of the first for x < 0.03.
  const Pack series =
      x * x *
      (Pack(1.0 / 2) -
       x * (Pack(1.0 / 6) -
            x * (Pack(1.0 / 12) -
                 x * (Pack(1.0 / 20) -
                      x * (Pack(1.0 / 30) -
                           x * (Pack(1.0 / 42) - x * (Pack(1.0 / 56) - x * (Pack(1.0 / 72) - x * Pack(1.0 / 90)))))))));
  const Pack one_more = x + Pack(1);
  return select(x < Pack(0.03), series, one_more * log(one_more) - x);
}

template <bool Logarithmic, bool Backward, bool Energies>
std::size_t sweep(const Lanes& a, const Move& m, Sums& sums, std::uint16_t* hits) {
  const Pack u0 = m.u0, u1 = m.u1, mu = m.a, b = m.b, per_tau = m.per_tau, t0 = m.t0, t1 = m.t1, one = 1;
  const Pack b0 = m.b0, b1 = m.b1, b_int = m.b_int, dt = m.dt, speed = Backward ? -m.v : m.v;
  const Pack noise = 1e-15 * (Backward ? -m.u0 > m.u0 ? -m.u0 : m.u0 : m.u0 > -m.u0 ? m.u0 : -m.u0), none;
  Pack F, W, E, slip;
  std::size_t count = 0;
  for (std::size_t i = 0; i < a.n; i += width) {
    const Pack p0 = Pack::load(a.p + i), c = Pack::load(a.c + i), g = Pack::load(a.g + i), kt = Pack::load(a.kt + i);
    const Pack Y1 = Logarithmic ? c * (mu + b * log(one + (t1 - g) * per_tau)) : c * (mu - b1 * g);
    const Pack p1 = Backward ? smaller(p0, u1 + Y1) : larger(p0, u1 - Y1);
    Mask hit = Backward ? p1 < Pack::load(a.low + i) : p1 > Pack::load(a.high + i);
    Pack xi = u1 - p1, work;
    if constexpr (Energies) {
      const Mask moved = Backward ? p1 < p0 : p1 > p0;
      const Pack Y0 = Logarithmic ? c * (mu + b * log(one + (t0 - g) * per_tau)) : c * (mu - b0 * g);
      const Pack short_of_slip = Backward ? Y0 + (u0 - p0) : Y0 - (u0 - p0);
      Pack Y_int, slope;
      if constexpr (Logarithmic) {
        const Pack old = t0 - g + one / per_tau, x = dt / old;
        Y_int = c * (mu * dt + b * (dt * log(old * per_tau) + old * growth(x)));
        slope = c * b / old;
      } else {
        Y_int = c * (mu * dt - b_int * g);
        slope = c * b0 * g * per_tau;
      }
      // In slip from the start and throughout the step: otherwise the time of the change must be located.
      const Mask late = short_of_slip > noise + Pack(1e-15) * Y0, slow = slope > speed;
      hit.m = hit.m | (moved.m & (late.m | slow.m));
      const Pack both_slip = kt * (speed * Y_int - Pack(0.5) * (Y1 - Y0) * (Y1 + Y0));
      work = select(moved, both_slip, none);
      const Pack slipping = select(both(moved, c > none), one, none);
      slip = slip + select(hit, none, slipping);
      W = W + select(hit, none, work);
    }
    if (any(hit)) {
      for (std::size_t l = 0; l < width; ++l) {
        if (hit.m[l] != 0) hits[count++] = static_cast<std::uint16_t>(i + l);
      }
      select(hit, p0, p1).store(a.p + i);
      xi = select(hit, none, xi);
    } else {
      p1.store(a.p + i);
    }
    const Pack f = kt * xi;
    F = F + f;
    if constexpr (Energies) E = E + f * xi;
  }
  sums = {sum_of(F), sum_of(W), 0.5 * sum_of(E), sum_of(slip)};
  return count;
}

template <bool L, bool B> constexpr void fill(Sweep (&to)[2]) {
  to[0] = &sweep<L, B, false>;
  to[1] = &sweep<L, B, true>;
}

}  // namespace

const Kernel& BRISTLE_FOR_ISA(kernel_)() {
  static constexpr Kernel all = [] {
    Kernel k{BRISTLE_ISA_NAME, {}};
    fill<false, false>(k.sweep[0][0]);
    fill<false, true>(k.sweep[0][1]);
    fill<true, false>(k.sweep[1][0]);
    fill<true, true>(k.sweep[1][1]);
    return k;
  }();
  return all;
}

}  // namespace bristle::asperity
