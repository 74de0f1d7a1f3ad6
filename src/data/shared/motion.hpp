#pragma once
#include <cstddef>
#include <vector>

#include "data/clean.hpp"

namespace bristle::identify {

/// Completes position, velocity and acceleration from the measured ones. Returns the bandwidth in Hz.
double complete_motion(Recording& r, double bandwidth, Findings& findings);
/// Adds the motion that every second row alone shows at half the bandwidth of all rows. `measured`: the recording before its
/// motion was completed.
void add_sparse_motion(const Recording& measured, double bandwidth, Recording& r);

/// Re-sampling with a zero-phase filter: each kept row is a weighted mean of its surroundings. The same linear map
/// applies to measured and computed forces.
struct Reduction {
  struct Row {
    std::size_t first = 0, weights = 0, count = 0;  // first sample, index of its weight, number of weights
  };
  Recording whole{};
  double bandwidth = 0;                          // Hz
  std::vector<std::size_t> kept{}, stretches{};  // rows of the whole recording; first kept rows of the segments
  std::vector<Row> rows{};                       // one per kept row
  std::vector<double> weights{};                 // shared by rows with equal surroundings

  Reduction(const Recording& recording, double rate);
  std::vector<double> operator()(const std::vector<double>& series) const;
};

/// Re-samples all series of a recording, which keeps the reduction.
void reduce_rate(Recording& r, double rate, Findings& findings);

}  // namespace bristle::identify
