#pragma once
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

/// Numbers of the mechanisms that Simbody and Bristle both solve: uniform bars, LuGre friction of constant load in each bearing.
namespace peers {

struct Lugre {
  double Fc, Fs, vs, sigma0, sigma1, kv;
  double rate(double v, double z) const {
    const double s = v / vs;
    return v - sigma0 * std::abs(v) * z / (Fc + (Fs - Fc) * std::exp(-s * s));
  }
  double force(double v, double z) const { return sigma0 * z + sigma1 * rate(v, z) + kv * v; }
};

/// Friction of all joints and the torque on the crank.
struct Numbers {
  Lugre law{1.0, 1.5, 1e-3, 1e5, 316.22776601, 0.4};  // of the stick-slip benchmark
  double torque{0.5};                                 // N m
};
inline constexpr Numbers stiff{}, soft{{1.0, 1.5, 1e-2, 1e4, 20, 0.4}, 1.0};
/// Problem: NAME or NAME:soft.
inline Numbers numbers_of(const std::string& problem) { return problem.find(":soft") != problem.npos ? soft : stiff; }
inline constexpr double bearing_radius = 0.02, torque_frequency = 0.4;  // m, Hz
inline constexpr double duration = 10, output_step = 0.01;

/// Usage: PROGRAM PROBLEM RTOL SECONDS FILE. Prints the median CPU time of a run and the steps; rows of doubles go to the file.
template <class Run> int serve(int argc, char** argv, Run&& run) {
  if (argc != 5) return 2;
  auto cpu = [] {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
  };
  std::vector<double> rows, times;
  long steps = 0;
  for (const double begin = cpu(); times.empty() || cpu() - begin < std::atof(argv[3]);) {
    rows.clear();
    const double start = cpu();
    steps = run(std::string(argv[1]), std::atof(argv[2]), rows);
    times.push_back(cpu() - start);
    for (std::size_t k = times.size() - 1; k > 0 && times[k] < times[k - 1]; --k) std::swap(times[k], times[k - 1]);
  }
  if (std::FILE* file = std::fopen(argv[4], "wb")) {
    std::fwrite(rows.data(), sizeof(double), rows.size(), file);
    std::fclose(file);
  }
  std::printf("{\"ms\": %.6g, \"steps\": %ld}\n", 1e3 * times[times.size() / 2], steps);
  return 0;
}

}  // namespace peers
