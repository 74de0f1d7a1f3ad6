#pragma once
#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <mutex>
#include <vector>

#include "identify/least_squares.hpp"
#include "identify/space.hpp"

/// How well coordinates explain the data.
namespace bristle::identify {

/// When to stop: the user, or the time.
class Control {
 public:
  explicit Control(double seconds)
      : deadline_(Clock::now() +
                  std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(std::min(seconds, 1e8)))) {}
  bool stopped() const {
    if (!stop_ && Clock::now() > deadline_) stop_ = true;
    return stop_;
  }
  void stop() { stop_ = true; }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point deadline_;
  mutable std::atomic<bool> stop_ = false;
};

struct Objective {
  const Series& data;
  const Walker& model;
  const Space& space;
  const Control& control;
  double scale = 1;   // of the noise: residuals are counted in it
  double bend = 0;    // Huber: beyond this many scales the loss grows linearly; 0: never
  int left_out = -1;  // block of the data that does not count
  bool fuse = false;  // the short way, where there is one: see fused.hpp
  mutable std::atomic<std::size_t> evaluations = 0;

  double cost(const double* q) const;  // infinite where it cannot be computed
  bool gram(const double* q, Gram& out) const;
  /// Measured minus predicted in the units of the data, for all samples.
  std::vector<double> residuals(const double* q) const;
  std::vector<double> predicted(const double* q) const;
  /// f(sample, residual in scales times weight, row of the Jacobian likewise) for all samples that count.
  void each_row(const double* q, const std::function<void(std::size_t, double, const double*)>& f) const;

  bool counts(std::size_t i) const { return data.weight[i] > 0 && data.block[i] != left_out; }
  std::size_t model_scalars() const { return model.scalars().size(); }
};

/// Scale of the noise by the median absolute value, robust against outliers; never 0.
double noise_scale(const Objective& o, const std::vector<double>& residuals, double least);

}  // namespace bristle::identify
