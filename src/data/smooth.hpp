#pragma once
#include <cstddef>
#include <span>
#include <vector>

/// A zero-phase smoother and differentiator for samples at any times.
///
/// The signal is modelled as the m-fold integral of white noise, measured with white noise: a Kalman smoother, equal to
/// the smoothing spline of degree 2m-1. On even samples its response is 1 / (1 + (f/fc)^2m), that of a Butterworth
/// filter of order m applied forwards and backwards; fc is the bandwidth.
namespace bristle::identify {

struct Samples {
  std::span<const double> t, y;
  std::span<const std::size_t> stretches;  // first samples of the segments, which are filtered separately
};

struct Smoothed {
  std::vector<double> y, rate, second;  // second: only for m = 3
};
Smoothed smooth(const Samples& samples, double bandwidth, int m);

struct Bandwidth {
  double hertz = 0;
  double noise = 0;  // standard deviation of the samples around the signal
};
/// The bandwidth of maximum likelihood, or a lower one with a smaller cross-validation error.
Bandwidth choose_bandwidth(const Samples& samples, int m);

/// Median of the steps of t inside the segments; 0 if there is none.
double median_step(const Samples& samples);

}  // namespace bristle::identify
