#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

/// Minima inside a box. Nothing here knows about friction or data.
namespace bristle::minimum {

/// Limits of every coordinate.
struct Box {
  std::vector<double> lo{}, hi{};
  std::size_t size() const { return lo.size(); }
  void clamp(std::vector<double>& q) const;
};

struct Solution {
  std::vector<double> q{};
  double cost = std::numeric_limits<double>::infinity();
  bool converged = false;
};

/// Not finite where it cannot be computed.
using Cost = std::function<double(const double* q)>;

/// Downhill simplex (Nelder and Mead 1965), at first `step` wide in every coordinate.
Solution nelder_mead(const Cost& cost, const Box& box, std::vector<double> q, double step, int evaluations);
/// Controlled random search with local mutation (Kaelo and Ali 2006). The population is `first`, completed with points
/// from the whole box, whose limits are finite.
Solution random_search(const Cost& cost, const Box& box, const std::vector<std::vector<double>>& first, int evaluations,
                       std::uint64_t seed);

}  // namespace bristle::minimum
