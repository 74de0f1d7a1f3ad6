#pragma once
#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <mutex>
#include <vector>

#include "identify/least_squares.hpp"
#include "identify/space.hpp"

/// Cost of coordinates on the data.
namespace bristle::identify {

/// Stops at the request of the user or at the time limit.
class Control {
 public:
  explicit Control(double seconds) : half_(after(0.5 * seconds)), deadline_(after(seconds)) {}
  bool stopped() const {
    if (!stop_ && Clock::now() > deadline_) stop_ = true;
    return stop_;
  }
  void stop() { stop_ = true; }
  /// Half of the time is over: the search for starting points ends, so that fits and cross-validation can be finished.
  bool late() const { return stopped() || Clock::now() > half_; }

 private:
  using Clock = std::chrono::steady_clock;
  static Clock::time_point after(double seconds) {
    return Clock::now() +
           std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(std::min(seconds, 1e8)));
  }
  Clock::time_point half_, deadline_;
  mutable std::atomic<bool> stop_ = false;
};

struct Objective {
  const Series& data;
  const Evaluator& model;
  const Space& space;
  const Control& control;
  double scale = 1;      // standard deviation of the noise, unit of the residuals
  double threshold = 0;  // Huber: the loss is linear beyond `threshold` scales; 0: never
  int left_out = -1;     // excluded block of the data; -1: none
  bool fuse = false;     // fast evaluation if available: see fused.hpp
  mutable std::atomic<std::size_t> evaluations = 0;

  double cost(const double* q) const;  // infinite if undefined
  bool gram(const double* q, Gram& out) const;
  /// Measured minus predicted values in the units of the data, for all samples.
  std::vector<double> residuals(const double* q) const;
  std::vector<double> predicted(const double* q) const;
  /// Calls f(sample, weighted residual in scales, weighted row of the Jacobian) for all samples with a weight.
  void each_row(const double* q, const std::function<void(std::size_t, double, const double*)>& f) const;
  /// The same for what is believed besides the data: f(residual in standard deviations, its row).
  void each_belief(const double* q, const std::function<void(double, const double*)>& f) const;
  double disbelief(const std::vector<double>& p) const;

  bool counts(std::size_t i) const { return data.weight[i] > 0 && data.block[i] != left_out; }
  std::size_t model_scalars() const { return model.scalars().size(); }
};

/// Scale of the noise from the median absolute value, robust to outliers; never 0.
double noise_scale(const Objective& o, const std::vector<double>& residuals, double least);

}  // namespace bristle::identify
