#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "bristle/data.hpp"

namespace bristle::identify {

/// Rows whose mean force is one residual.
struct Block {
  enum class Kind { travel, speed };
  Kind kind;
  std::vector<std::size_t> rows;  // of all recordings in their order
  double travel = 0;              // since the reversal or the change of speed, at its last row
};

struct Blocks {
  std::vector<Block> all{};
  std::size_t reversals = 0;

  std::vector<double> means(std::span<const double> F) const;
};
/// The blocks do not depend on parameters. After every reversal and every change to or from a constant speed: bins of the
/// logarithm of travel, 8 per decade. Where speed varies: in addition bins of ln|v|, 8 per decade, by the signs of v and
/// dv/dt.
Blocks make_blocks(const std::vector<Recording>& recordings);

/// Number of different speeds, 8 per decade, that at least 5 rows have at a longer travel than `travel` since a reversal.
std::size_t sliding_speeds(const std::vector<Recording>& recordings, double travel);

}  // namespace bristle::identify
