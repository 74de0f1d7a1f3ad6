#pragma once
#include <cstddef>
#include <vector>

#include "data/clean.hpp"

namespace bristle::identify {

/// Position, velocity and acceleration from what was measured of them. Returns the bandwidth in Hz.
double complete_motion(Recording& r, double bandwidth, Findings& findings);

/// Fewer rows, each a weighted mean of those around it, without phase: a linear map, the same for measured and computed
/// forces.
struct Reduction {
  struct Row {
    std::size_t first = 0, weights = 0, count = 0;  // sample, and where its weights begin
  };
  Recording whole{};
  double bandwidth = 0;                          // Hz
  std::vector<std::size_t> kept{}, stretches{};  // rows of the whole recording, and where stretches begin among them
  std::vector<Row> rows{};                       // one per kept row
  std::vector<double> weights{};                 // rows with the same surroundings share them

  Reduction(const Recording& recording, double rate);
  std::vector<double> operator()(const std::vector<double>& series) const;
};

/// All series of a recording by their reduction, which it keeps.
void reduce_rate(Recording& r, double rate, Findings& findings);

}  // namespace bristle::identify
