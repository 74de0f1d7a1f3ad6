#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include "tableau.hpp"

namespace bristle {

/// The momentum balance of a run: p(t) - p(0) = integral of the net force, by a rule that shares nothing with the solver.
/// The energy balance cannot replace it: a body that a wrong Jacobian freezes under a load conserves energy.
class MomentumSum {
 public:
  static constexpr std::size_t places = radau.nodes.size() - 1;  // within a step, beside its beginning
  static constexpr const double* nodes() { return radau.nodes.data() + 1; }

  /// `force`: natural size of the forces, N.
  explicit MomentumSum(std::size_t momenta, double force = 0)
      : n_(momenta),
        first(n_),
        before(n_),
        after(n_),
        net(places * n_),
        applied(places * n_),
        gap_(n_),
        pushed_(n_),
        force_(force) {}

  std::size_t size() const { return n_; }
  /// Largest gap of a step of length h, as a force.
  double step_gap(double h) const {
    double worst = 0;
    for (std::size_t i = 0; i < n_; ++i) worst = std::max(worst, std::abs(gap(i, h)));
    return worst / h;
  }
  double step_momentum() const {
    double largest = 0;
    for (std::size_t i = 0; i < n_; ++i) largest = std::max({largest, std::abs(before[i]), std::abs(after[i])});
    return largest;
  }
  /// Their natural size, or the largest force so far; of friction that at the beginnings of steps, which dense output has no part in.
  double force() {
    for (const auto* forces : {&applied, &first}) {
      for (const double F : *forces) force_ = std::max(force_, std::abs(F));
    }
    return force_;
  }
  double largest_momentum() const { return most_; }  // momentum, N s
  void add(double h) {
    for (std::size_t i = 0; i < n_; ++i) {
      gap_[i] += gap(i, h);
      worst_ = std::max(worst_, std::abs(gap_[i]));
      most_ = std::max({most_, std::abs(before[i]), std::abs(after[i])});
      for (std::size_t k = 0; k < places; ++k)
        pushed_[i] += h * radau.weights[k + 1] / (1 - radau.weights[0]) * std::abs(applied[k * n_ + i]);
    }
  }
  /// Over the largest of all bodies: what one body gains, another may lose.
  double error() const {
    const double size = n_ > 0 ? std::max(most_, *std::max_element(pushed_.begin(), pushed_.end())) : 0;
    return size > 0 ? worst_ / size : 0;
  }

 private:
  std::size_t n_;

 public:
  // Of the current step: net forces at its beginning, momenta at both ends, forces at the places, place by place.
  std::vector<double> first, before, after, net, applied;

 private:
  double gap(std::size_t i, double h) const {
    double sum = radau.weights[0] * first[i];
    for (std::size_t k = 0; k < places; ++k) sum += radau.weights[k + 1] * net[k * n_ + i];
    return after[i] - before[i] - h * sum;
  }

  std::vector<double> gap_, pushed_;
  double worst_ = 0, most_ = 0, force_;
};

}  // namespace bristle
