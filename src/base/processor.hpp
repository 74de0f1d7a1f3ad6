#pragma once
#include <array>
#include <cstddef>

/// Instruction sets of this processor, for the choice of kernels.
namespace bristle {

inline bool has_avx2() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
         __builtin_cpu_supports("bmi2");
#else
  return false;
#endif
}
inline bool has_avx512() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd");
#else
  return false;
#endif
}

/// A kernel of an instruction set, or none where the library was built without.
#ifdef BRISTLE_AVX2
#define BRISTLE_IF_AVX2(kernel) (kernel)
#else
#define BRISTLE_IF_AVX2(kernel) nullptr
#endif
#ifdef BRISTLE_AVX512
#define BRISTLE_IF_AVX512(kernel) (kernel)
#else
#define BRISTLE_IF_AVX512(kernel) nullptr
#endif

/// The kernels that there are and that this processor can run, best first, then none.
template <class F>
std::array<F*, 3> kernels_here(F* baseline, decltype(baseline) avx2, decltype(baseline) avx512 = nullptr) {
  std::array<F*, 3> all{};
  std::size_t n = 0;
  if (avx512 && has_avx512()) all[n++] = avx512;
  if (avx2 && has_avx2()) all[n++] = avx2;
  all[n] = baseline;
  return all;
}
template <class F> F* best_kernel(F* baseline, decltype(baseline) avx2, decltype(baseline) avx512 = nullptr) {
  return kernels_here(baseline, avx2, avx512).front();
}

}  // namespace bristle
