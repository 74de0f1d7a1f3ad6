#pragma once
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <string>
#include <thread>

#include "base/parallel.hpp"
#include "bristle/gpu.hpp"
#include "bristle/models.hpp"
#include "bristle/registry/describe.hpp"
#include "bristle/registry/read.hpp"
#include "gpu/device.hpp"

/// Shared by the parts of the benchmark: numbers for the JSON file, failures, and data that shows nothing.
namespace bristle::bench {

using Clock = std::chrono::steady_clock;
inline double seconds_since(Clock::time_point t) { return std::chrono::duration<double>(Clock::now() - t).count(); }

inline std::string json;
inline void put(const std::string& name, double value) {
  char text[64];
  std::snprintf(text, sizeof text, std::isfinite(value) ? "%.9g" : "null", value);
  json += (json.empty() ? "  \"" : ",\n  \"") + name + "\": " + text;
}
inline double memory_bytes = INFINITY;  // per second
inline int failures = 0;
inline void require(bool good, const std::string& what) {
  if (good) return;
  ++failures;
  std::printf("FAILED: %s\n", what.c_str());
}

/// The larger one; infinite once anything is not a number.
inline void grow(double& worst, double x) {
  if (!(x <= worst)) worst = x == x ? x : INFINITY;
}
/// Numbers that are zero, all alike or not finite show nothing.
struct Spread {
  double least = INFINITY, most = -INFINITY;
  std::size_t all = 0, nonzero = 0;
  bool finite = true;
  void add(double x) {
    ++all;
    if (x != 0) ++nonzero;
    finite = finite && std::isfinite(x);
    least = std::min(least, x);
    most = std::max(most, x);
  }
  bool lives() const { return finite && 2 * nonzero > all && most > least; }
};

struct Timer {  // of the device
  cudaEvent_t a{}, b{};
  Timer() {
    gpu::check(cudaEventCreate(&a), "timer");
    gpu::check(cudaEventCreate(&b), "timer");
    gpu::check(cudaEventRecord(a), "timer");
  }
  double stop() {
    gpu::check(cudaEventRecord(b), "timer");
    gpu::check(cudaEventSynchronize(b), "timer");
    float ms = 0;
    gpu::check(cudaEventElapsedTime(&ms, a, b), "timer");
    return 1e-3 * ms;
  }
};

inline Table typical(const std::string& model) {
  Table out;
  for (const auto& f : find_model(model)->parameters) {
    if (f.required) out.push_back({f.name, f.value});
  }
  if (model == "rolling")
    out.push_back({"creepage", Value(std::vector<double>{0.01, -0.004})});  // x: the rolled distance
  return out;
}
/// One model after the other: a failure of one of them does not hide the results of the others.
template <class F> void each_model(F&& f) {
  for (const ModelInfo& info : model_infos()) {
    if (info.name == "gfm" || info.name == "generic2010") continue;
    try {
      f(info.name);
    } catch (const std::exception& e) { require(false, info.name + ": " + e.what()); }
  }
}

// bench_batches.cu
void compare_batches();
void measure_batches();
void batches_once();
// bench_runs.cu
void compare_runs(double seconds);
void ensembles(std::size_t side);
void full_memory();
void runs_once();
// bench_populations.cu
void compare_gfm(std::size_t n, std::size_t steps);
void measure_generic2010();
void populations_once();

}  // namespace bristle::bench
