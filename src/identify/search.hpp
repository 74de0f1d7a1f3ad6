#pragma once
#include <cstdint>

#include "identify/least_squares.hpp"

/// Minima inside a box without derivatives.
namespace bristle::identify {

/// Downhill simplex (Nelder and Mead 1965), at first `step` wide in every coordinate.
Solution nelder_mead(const Cost& cost, const Box& box, std::vector<double> q, double step, int evaluations);
/// Controlled random search with local mutation (Kaelo and Ali 2006). The population is `first`, completed with points
/// from the whole box, whose limits are finite.
Solution random_search(const Cost& cost, const Box& box, const std::vector<std::vector<double>>& first, int evaluations,
                       std::uint64_t seed);

}  // namespace bristle::identify
