#pragma once
#include <cmath>
#include <cstdint>

#include "bristle/random.hpp"

/// Random draws of the tests: seeds are fixed and local, so every run sees the same cases.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : seed_(seed) {}
  double uniform(double lo = 0, double hi = 1) { return lo + (hi - lo) * bristle::uniform(seed_, 1000, n_++); }
  double log_uniform(double lo, double hi) { return std::exp(uniform(std::log(lo), std::log(hi))); }
  double sign() { return uniform() < 0.5 ? -1 : 1; }
  bool chance(double p) { return uniform() < p; }

 private:
  std::uint64_t seed_, n_ = 0;
};
