#pragma once
#include <functional>
#include <vector>

#include "base/search.hpp"

/// Minima of sums of squares inside a box. Nothing here knows about friction or data.
namespace bristle::identify {

using minimum::Box;
using minimum::Cost;
using minimum::Solution;

/// The Gram matrix of [J r], (n + 1) x (n + 1) row by row: all that Gauss-Newton needs, for data of any length.
struct Gram {
  double cost = 0;  // half the sum of squares
  std::vector<double> matrix{};
};

/// The cost of a sum of squares with its derivatives; false where they cannot be computed.
using GramAt = std::function<bool(const double* q, Gram& out)>;

/// Levenberg-Marquardt: each step leads to the minimum of the damped quadratic model inside the box. The method ends
/// before a step that promises less than `tolerance` of the cost, except for the first step. Damping is relative to the
/// columns of J, so that the units of coordinates and residuals do not matter. A point that cannot be computed shortens
/// the step. Without `cost`, points are tried with derivatives at once.
Solution least_squares(const GramAt& gram, const Cost& cost, const Box& box, std::vector<double> q, int iterations,
                       double tolerance);

}  // namespace bristle::identify
