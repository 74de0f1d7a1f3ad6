#pragma once
#include <cstddef>

#include "bristle/simulate/drive.hpp"

namespace bristle {

/// Sines in whole groups: silent ones fill the last.
struct Tones {
  static constexpr std::size_t group = 4;
  static constexpr double largest_phase = 1e6;  // rad; up to it the remainder of a quarter turn is exact
  const double *amplitude, *omega, *phase;
  std::size_t size;
};
/// Their sum at n times: within 2 epsilon of the sum of the amplitudes for the same phases.
void tones_baseline(const Tones& tones, const double* t, std::size_t n, Signal* out);
void tones_avx2(const Tones& tones, const double* t, std::size_t n, Signal* out);

}  // namespace bristle
