/// Rates of asperity populations: asperity-steps per second by displacement per step, threads and instruction set, and the
/// fraction of what this machine's vector units could do. Prints one Markdown table per instruction set. Usage: asperity_bench
/// [THREADS]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include "bristle/asperity/generic2010.hpp"
#include "bristle/asperity/gfm.hpp"

using namespace bristle;
using asperity::Record;
using asperity::Step;

namespace {

double seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// Floating-point operations per asperity-step without events, in the vector loop: mu, Y, u - Y, the larger one, the comparison,
/// xi, and kt xi added up; with energies as counted in src/asperity/kernel.cpp.
constexpr double flops_force = 10, flops_energies = 38;

/// The peak as a program can reach it: independent multiply-adds in registers, one core. A macro, because a template would
/// not be compiled for its instruction set.
#define BRISTLE_PEAK(name, bytes)                                \
  [[gnu::noinline]] double name() {                              \
    using V [[gnu::vector_size(bytes)]] = double;                \
    V x[12];                                                     \
    volatile double start = 1;                                   \
    for (V & v : x) v = V{} + start;                             \
    const V a = V{} + 0.999999 * start, b = V{} + 1e-6;          \
    constexpr int n = 2000000;                                   \
    const double begin = seconds();                              \
    for (int i = 0; i < n; ++i) {                                \
      for (V & v : x) v = v * a + b;                             \
    }                                                            \
    const double time = seconds() - begin;                       \
    double sum = 0;                                              \
    for (const V& v : x) {                                       \
      for (std::size_t l = 0; l < (bytes) / 8; ++l) sum += v[l]; \
    }                                                            \
    if (sum == 0) std::puts("");                                 \
    return 2.0 * 12 * ((bytes) / sizeof(double)) * n / time;     \
  }
BRISTLE_PEAK(peak_baseline, 16)
#if defined(__x86_64__)
#pragma GCC push_options
#pragma GCC target("avx2,fma")
BRISTLE_PEAK(peak_avx2, 32)
#pragma GCC target("avx512f")
BRISTLE_PEAK(peak_avx512, 64)
#pragma GCC pop_options
#endif

double peak(const char* set) {
  double best = 0;
  for (int i = 0; i < 5; ++i) {
#if defined(__x86_64__)
    if (std::strcmp(set, "avx2") == 0) best = std::max(best, peak_avx2());
    if (std::strcmp(set, "avx512") == 0) best = std::max(best, peak_avx512());
#endif
    if (std::strcmp(set, "baseline") == 0) best = std::max(best, peak_baseline());
  }
  return best;
}

/// Asperity-steps per second, the best of several: other people work on this machine as well.
double rate(int asperities, double du, bool energies, unsigned threads) {
  Gfm g({.asperities = asperities}, energies);
  const auto n = static_cast<std::size_t>(std::clamp(2e7 / asperities * (du < 0.1 ? 1 : 0.1), 100.0, 4096.0));
  std::vector<Step> steps(n);
  std::vector<Record> records(n);
  double u = 0, best = 0;
  for (int repeat = 0; repeat < 7; ++repeat) {
    for (Step& s : steps) s = {u += du, du / 0.5};
    const double begin = seconds();
    g.run(steps, records, threads);
    best = std::max(best, asperities * static_cast<double>(n) / (seconds() - begin));
  }
  return best;
}

/// Of the model of 2010 in steps of a settled contact that slides at U; one sweep over all asperities per step.
template <class T> double rate2010(int asperities, double U, unsigned threads) {
  Generic2010<T> g({.asperities = asperities});
  g.use_threads(threads);
  const double n = std::clamp(1e7 / asperities, 10.0, 4000.0);
  for (double k = 0; k < 2 * n; ++k) g.step(U, 5);
  double best = 0;
  for (int repeat = 0; repeat < 7; ++repeat) {
    const double begin = seconds();
    for (double k = 0; k < n; ++k) g.step(U, 5);
    best = std::max(best, asperities * n / (seconds() - begin));
  }
  return best;
}
/// Counted in src/asperity/generic2010_kernel.cpp with the circular profile and tangential adhesion; roots and divisions are one.
constexpr double flops_2010 = 85;

template <class T> void table_2010(double peak, unsigned cores) {
  for (const int n : {2000, 1000000}) {
    for (const double U : {0.1, 0.5, 5.0}) {
      const double one = rate2010<T>(n, U, 1), all = n > 100000 ? rate2010<T>(n, U, cores) : one;
      std::printf("| %d | %g | %s | %.2e | %.0f %% | %.2e | %.2f |\n", n, U, sizeof(T) == 8 ? "double" : "float", one,
                  100 * one * flops_2010 / peak, all, all / one);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  const unsigned cores =
      argc > 1 ? static_cast<unsigned>(std::atoi(argv[1])) : std::max(1U, std::thread::hardware_concurrency());
  for (const char* set : {"avx512", "avx2", "baseline"}) {
    if (!Gfm::use_instruction_set(set)) continue;
    const double top = peak(set);
    std::printf("\n%s, measured peak %.3g GFLOP/s per core\n\n", set, top / 1e9);
    std::printf(
        "| asperities | du/wavelength | energies | asperity-steps/s, 1 core | part of peak | %u cores | gain |\n"
        "|---|---|---|---|---|---|---|\n",
        cores);
    for (const int n : {4000, 1000000}) {
      for (const bool energies : {false, true}) {
        for (const double du : {0.001, 0.01, 0.2}) {
          if (n > 10000 && du > 0.1) continue;
          const double one = rate(n, du, energies, 1), all = rate(n, du, energies, cores);
          std::printf("| %d | %g | %s | %.2e | %.0f %% | %.2e | %.2f |\n", n, du, energies ? "yes" : "no", one,
                      100 * one * (energies ? flops_energies : flops_force) / top, all, all / one);
        }
      }
    }
    if (!Generic2010<double>::use_instruction_set(set)) continue;
    std::printf(
        "\n| asperities of 2010 | velocity | numbers | asperity-steps/s, 1 core | part of peak | %u cores | gain |\n"
        "|---|---|---|---|---|---|---|\n",
        cores);
    table_2010<double>(top, cores);
    table_2010<float>(2 * top, cores);
  }
}
