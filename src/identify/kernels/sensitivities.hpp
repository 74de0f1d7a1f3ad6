#pragma once
#include <cstddef>

/// LuGre along a measured motion with all derivatives in one pass, summed for a fit. Plain pointers only: see
/// src/batch/kernels.cpp.
namespace bristle::sensitivities {

inline constexpr std::size_t parameters = 6;                                  // Fc Fs vs sigma0 sigma1 kv
inline constexpr std::size_t sums = (parameters + 1) * (parameters + 2) / 2;  // lower triangle of [J r]'[J r]

/// One segment of a recording, with alpha = 2 and without vd.
struct Job {
  const double *v, *step_v, *dt;   // velocity at the sample, before it, duration of the latter
  const double *turn_v, *turn_dt;  // of a first part of dt; null: nowhere
  const double *y, *w;             // measured value, its weight
  std::size_t n;
  bool held;         // step_v is v
  const double* p;   // parameters
  double threshold;  // limit of Huber's loss; 0: none
};
struct Kernels {
  void (*gram)(const Job& job, double* sums);  // adds to sums; derivatives with respect to the parameters
  double (*cost)(const Job& job);              // sum of squares
};

const Kernels& kernels_baseline();
const Kernels& kernels_avx2();
const Kernels& kernels_avx512();

}  // namespace bristle::sensitivities
