#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "bristle/data.hpp"

namespace bristle::identify {

/// Rows whose mean force is one residual.
struct Block {
  enum class Kind { presliding, constant, varying };
  Kind kind;
  std::vector<std::size_t> rows;  // of all recordings in their order
};

struct Blocks {
  std::vector<Block> all{};
  std::size_t reversals = 0;
  double travel = 0;  // longest between two reversals

  std::vector<double> means(std::span<const double> F) const;
  /// Square roots of weights: every kind weighs the same.
  std::vector<double> weights() const;
};
/// Pre-sliding: travel since a reversal below `wavelength`, over 0.01 of it; sliding: bins of ln|v|, 8 per decade, by the signs
/// of v and dv/dt, without the first 30 % after a change to a constant speed.
Blocks make_blocks(const std::vector<Recording>& recordings, double wavelength);

}  // namespace bristle::identify
