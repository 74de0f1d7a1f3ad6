#pragma once
#include <cstddef>
#include <optional>
#include <vector>

#include "data/smooth.hpp"

/// Motions with piecewise constant speed, as of the load point in a velocity step test.
namespace bristle::identify {

struct Pieces {
  std::vector<double> x, v;    // for every sample
  std::vector<double> speeds;  // speeds of the pieces in order of time
  double rest = 0;             // rms deviation from the pieces
  /// Rows that belong to the piece before or after a change of speed, within the uncertainty of its time.
  struct Unsure {
    std::size_t from = 0, to = 0;
    double before = 0, after = 0;  // speeds
  };
  std::vector<Unsure> unsure{};
};
/// The fewest connected straight pieces with an rms deviation below `tolerance`: all in one direction, with at least
/// twenty samples each. Empty if a segment would require more than `most`.
std::optional<Pieces> straight_pieces(const Samples& samples, double tolerance, std::size_t most);

}  // namespace bristle::identify
