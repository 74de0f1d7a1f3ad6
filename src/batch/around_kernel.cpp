/// Compiled once per instruction set BRISTLE_ISA with the vector length BRISTLE_BYTES, as kernels.cpp.
#include "around.hpp"

#include "base/isa.hpp"
#include "base/pack.hpp"

namespace bristle::batch {
namespace {

struct BRISTLE_ISA {};
constexpr std::size_t width = BRISTLE_BYTES / sizeof(double);
using Lanes = Pack<double, width, BRISTLE_ISA>;

/// As `in`, `gain` and `out` of effects.hpp.
Lanes outside(const Around& e, Lanes r, Lanes temperature, Lanes v, Lanes F) {
  const Lanes zero(0.0), one(1.0);
  r = larger(r + Lanes(e.load_offset), zero);
  if (e.load_exponent != 1) {
    const Lanes power = smaller(pow(larger(r, Lanes(1e-300)), Lanes(e.load_exponent)), Lanes(1e100));
    r = select(r > zero, power, e.load_exponent > 0 ? zero : one);
  }
  const Lanes viscous = Lanes(e.kv) * v, inner = r * (F - viscous) + viscous;
  Lanes gain = (one + Lanes(e.asymmetry) * sgn(inner)) * Lanes(e.warmth);
  if (e.temperature) {
    const Lanes exponent = Lanes(e.temperature_coefficient) * (temperature - Lanes(e.reference_temperature));
    gain = gain * exp(larger(smaller(exponent, Lanes(100.0)), Lanes(-100.0)));
  }
  return gain * inner + Lanes(e.offset);
}

}  // namespace

void BRISTLE_FOR_ISA(around_)(const Around& e, const double* v, double* F, std::size_t n) {
  std::size_t i = 0;
  for (; i + width <= n; i += width) {
    outside(e, e.r ? Lanes::load(e.r + i) : Lanes(1.0), e.temperature ? Lanes::load(e.temperature + i) : Lanes(20.0),
            Lanes::load(v + i), Lanes::load(F + i))
        .store(F + i);
  }
  if (i == n) return;
  alignas(64) double r[width]{}, temperature[width]{}, w[width]{}, f[width]{};  // NOLINT: the last ones, padded
  for (std::size_t l = 0; l + i < n; ++l) {
    r[l] = e.r ? e.r[i + l] : 1;
    temperature[l] = e.temperature ? e.temperature[i + l] : 20;
    w[l] = v[i + l];
    f[l] = F[i + l];
  }
  outside(e, Lanes::load(r), Lanes::load(temperature), Lanes::load(w), Lanes::load(f)).store(f);
  for (std::size_t l = 0; l + i < n; ++l) F[i + l] = f[l];
}

}  // namespace bristle::batch
