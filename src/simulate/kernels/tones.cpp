/// Sums of sines. This file is compiled once per instruction set, see src/batch/kernels.cpp.
#include <bit>
#include <cstdint>
#include <cstring>

#include "base/isa.hpp"
#include "tones.hpp"

namespace bristle {
namespace {

constexpr std::size_t width = BRISTLE_BYTES / sizeof(double);
using Lane [[gnu::vector_size(BRISTLE_BYTES)]] = double;
static_assert(Tones::group % width == 0);
using Bits [[gnu::vector_size(BRISTLE_BYTES)]] = std::int64_t;

[[gnu::always_inline]] inline Lane load(const double* from) {
  Lane lane;
  std::memcpy(&lane, from, sizeof lane);
  return lane;
}
[[gnu::always_inline]] inline double sum_of(Lane lane) {
  double sum = 0;
  for (std::size_t i = 0; i < width; ++i) sum += lane[i];
  return sum;
}

// sin(r) = r + r^3 (S0 + S1 r^2 ...), cos(r) = 1 - r^2/2 + r^4 (C0 + C1 r^2 ...) on |r| <= pi/4: the polynomials and the
// parts of pi/2 are those of fdlibm (Sun Microsystems, 1993), good to an ulp.
[[gnu::always_inline]] inline Lane sine(Lane r, Lane s) {
  const Lane p =
      8.33333333332248946124e-03 +
      s * (-1.98412698298579493134e-04 +
           s * (2.75573137070700676789e-06 + s * (-2.50507602534068634195e-08 + s * 1.58969099521155010221e-10)));
  return r + r * s * (-1.66666666666666324348e-01 + s * p);
}
[[gnu::always_inline]] inline Lane cosine(Lane s) {
  const Lane p =
      4.16666666666666019037e-02 +
      s * (-1.38888888888741095749e-03 +
           s * (2.48015872894767294178e-05 + s * (-2.75573143513906633035e-07 +
                                                  s * (2.08757232129817482790e-09 + s * -1.13596475577881948265e-11))));
  return 1 - s * (0.5 - s * p);
}

/// Of waves with these phases.
struct Waves {
  Lane value{}, rate{}, rate2{};
  [[gnu::always_inline]] void add(Lane amplitude, Lane omega, Lane phase) {
    constexpr double magic = 0x1.8p52;  // adding it leaves the rounded integer in the low bits
    const Lane shifted = phase * 0x1.45f306dc9c883p-1 + magic, turns = shifted - magic;  // quarters
    const Lane r = ((phase - turns * 0x1.921fb544p+0) - turns * 0x1.0b4611a6p-34) - turns * 0x1.3198a2e037073p-69;
    const Lane s = r * r, sin = sine(r, s), cos = cosine(s);
    const Bits quarter = std::bit_cast<Bits>(shifted);
    const Bits odd = (quarter & 1) != 0;
    const Lane a = odd ? cos : sin, b = odd ? sin : cos;
    const Lane up = std::bit_cast<Lane>(std::bit_cast<Bits>(a) ^ ((quarter & 2) << 62));
    const Lane across = std::bit_cast<Lane>(std::bit_cast<Bits>(b) ^ (((quarter + 1) & 2) << 62));
    const Lane height = amplitude * up;
    value += height;
    rate += amplitude * omega * across;
    rate2 -= omega * omega * height;
  }
};

}  // namespace

void BRISTLE_FOR_ISA(tones_)(const Tones& tones, const double* t, std::size_t n, Signal* out) {
  if (n == 1) {  // tones side by side instead of times
    Waves sum;
    for (std::size_t i = 0; i < tones.size; i += width) {
      const Lane omega = load(tones.omega + i);
      sum.add(load(tones.amplitude + i), omega, omega * *t + load(tones.phase + i));
    }
    *out = {sum_of(sum.value), sum_of(sum.rate), sum_of(sum.rate2)};
    return;
  }
  for (std::size_t k = 0; k < n; k += width) {
    Lane at;
    for (std::size_t i = 0; i < width; ++i) at[i] = t[k + i < n ? k + i : n - 1];
    Waves sum;
    for (std::size_t i = 0; i < tones.size; ++i) {
      const Lane omega = Lane{} + tones.omega[i];
      sum.add(Lane{} + tones.amplitude[i], omega, omega * at + tones.phase[i]);
    }
    for (std::size_t i = 0; i < width && k + i < n; ++i) out[k + i] = {sum.value[i], sum.rate[i], sum.rate2[i]};
  }
}

}  // namespace bristle
