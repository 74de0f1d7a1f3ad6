#pragma once
#include <optional>
#include <vector>

#include "data/smooth.hpp"

/// Motions at constant speeds, as a servo drives the load point of a velocity step test.
namespace bristle::identify {

struct Pieces {
  std::vector<double> x, v;    // for every sample
  std::vector<double> speeds;  // of the pieces, stretch by stretch
  double rest = 0;             // root mean square of what is beside them
};
/// The fewest straight pieces, joined, that come as close to the samples as `tolerance` (root mean square): all in one
/// direction, each of twenty samples or more. None where it would take more than eight in a stretch.
std::optional<Pieces> straight_pieces(const Samples& samples, double tolerance);

}  // namespace bristle::identify
