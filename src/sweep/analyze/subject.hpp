#pragma once
#include <numbers>

#include "bristle/sweep/analyze.hpp"

namespace bristle::analysis {

inline constexpr double turn = 2 * std::numbers::pi;

/// Normal load over nominal load at the end of the run.
double load_ratio(const Experiment& experiment);

}  // namespace bristle::analysis
