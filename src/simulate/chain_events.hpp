#pragma once
#include <cmath>
#include <cstdint>
#include <vector>

#include "bristle/models.hpp"
#include "chain_blocks.hpp"
#include "record.hpp"

/// A chain on a set-valued law of velocity, from event to event. Stuck blocks cost nothing: the time at which the drive alone
/// releases a block is known when its neighbours stop, and a queue has the next one. Only moving blocks are integrated, with
/// the pair of Dormand and Prince, and only their neighbours are watched. Clusters of moving blocks that do not touch are
/// integrated one by one over a common interval, each with its own steps.
namespace bristle {

struct MovingRange {
  std::size_t from, to;  // adjacent blocks, both included
};

/// States of all blocks and their forces; block b is at b + 1, between its neighbours.
struct BlockRow {
  explicit BlockRow(const Blocks& blocks, bool is_ring, double coupling_damping)
      : n(blocks.x0.size()), ring(is_ring), link_damping(coupling_damping) {
    const auto padded = [&](const std::vector<double>& from) {
      std::vector<double> to(n + 2, 0.0);
      std::copy_n(from.begin(), n, to.begin() + 1);
      return to;
    };
    x = padded(blocks.x0);
    v.assign(n + 2, 0.0);
    mass = padded(blocks.mass);
    stiffness = padded(blocks.stiffness);
    damping = padded(blocks.damping);
    pull = padded(blocks.pull);
    link.assign(n + 2, 0.0);
    std::copy_n(blocks.link.begin(), n + 1, link.begin() + 1);
    link_loss.assign(n + 2, 0.0);
    for (std::size_t i = 1; i <= n + 1; ++i) link_loss[i] = ring || (i > 1 && i <= n) ? coupling_damping : 0;
  }
  std::size_t n;
  bool ring;
  double link_damping;
  std::vector<double> x, v, mass, stiffness, damping, pull, link, link_loss;

  std::size_t left(std::size_t i) const { return i > 1 ? i - 1 : ring ? n : 0; }  // 0: none
  std::size_t right(std::size_t i) const { return i < n ? i + 1 : ring ? 1 : 0; }
  void close(std::vector<double>& values) const {  // the ends of a ring are neighbours
    if (!ring) return;
    values[0] = values[n];
    values[n + 1] = values[1];
  }
};

/// Blocks that move, or that the drive is about to release, with those that they may set in motion.
struct Cluster {
  struct Turn {  // a block starts, turns or stops (dir 0)
    double s;
    std::size_t block;
    int dir;
    double x;
  };
  struct Sample {  // for a row of the trace
    double t;
    std::size_t block;
    double x, v;
    int dir;
  };
  struct Saved {
    std::size_t block;
    double gap, impulse;
  };
  std::vector<std::size_t> begin{};   // blocks that move or may be released, at the start of the interval
  std::vector<std::size_t> zone{};    // blocks that no other cluster may touch
  std::vector<std::size_t> movers{};  // at the end
  std::vector<Turn> turns{};
  std::vector<Sample> samples{};
  std::vector<Saved> moved{};  // every block that moved, with its sums at the start
  EnergyBalance work{};        // less that of the drive on blocks that stand
  bool alive = true;
};

}  // namespace bristle
