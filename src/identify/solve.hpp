#pragma once
#include <cstdint>
#include <vector>

#include "identify/objective.hpp"

/// From a starting point to the best one.
namespace bristle::identify {

/// By derivatives: Levenberg-Marquardt.
Solution descend(const Objective& o, std::vector<double> q, int iterations, double tolerance = 1e-7);
/// The papers' downhill simplex.
Solution downhill(const Objective& o, std::vector<double> q, int evaluations);
/// Controlled random search over the whole box, with some points to begin with.
Solution search(const Objective& o, const std::vector<std::vector<double>>& points, int evaluations,
                std::uint64_t seed);

}  // namespace bristle::identify
