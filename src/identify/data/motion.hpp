#pragma once
#include <cstddef>
#include <vector>

#include "identify/data/clean.hpp"

namespace bristle::identify {

/// Position, velocity and acceleration from what was measured of them. Returns the bandwidth in Hz.
double complete_motion(Recording& r, double bandwidth, Findings& findings);

/// Fewer samples of a series, filtered without phase before: a linear map, the same for measured and computed forces.
struct Reduction {
  double bandwidth = 0;                          // Hz
  std::vector<std::size_t> kept{}, stretches{};  // rows of the recording, and where stretches begin among them

  Reduction(const Recording& recording, double rate);
  std::vector<double> operator()(const Recording& recording, const std::vector<double>& series) const;
};

/// All series of a recording by their reduction.
void reduce_rate(Recording& r, double rate, Findings& findings);

}  // namespace bristle::identify
