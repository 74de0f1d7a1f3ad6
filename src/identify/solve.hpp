#pragma once
#include <cstdint>
#include <vector>

#include "identify/objective.hpp"

/// From a starting point to the best one.
namespace bristle::identify {

struct Solution {
  std::vector<double> q{};
  double cost = inf;
  bool converged = false;
};

/// Gauss-Newton with a trust region, derivatives and limits (Ceres).
Solution descend(const Objective& o, std::vector<double> q, int iterations, double tolerance = 1e-7);
/// The papers' downhill simplex.
Solution downhill(const Objective& o, std::vector<double> q, int evaluations);
/// Controlled random search over the whole box.
Solution search(const Objective& o, std::vector<double> q, int evaluations, std::uint64_t seed);

}  // namespace bristle::identify
