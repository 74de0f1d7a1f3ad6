#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include "kernels/tableau.hpp"

namespace bristle {

/// The momentum balance of a run: p(t) - p(0) = integral of the net force, by a quadrature independent of the solver.
/// The energy balance cannot replace it: a body frozen under a load by a wrong Jacobian conserves energy.
class MomentumSum {
 public:
  static constexpr std::size_t places = radau.nodes.size() - 1;  // within a step, except its start
  static constexpr const double* nodes() { return radau.nodes.data() + 1; }

  /// `force`: natural size of the forces, N.
  explicit MomentumSum(std::size_t momenta, double force = 0)
      : n_(momenta), force_(force), first(n_), before(n_), after(n_), net(places * n_), applied(places * n_), of_(n_) {}

  std::size_t size() const { return n_; }
  /// Result of one step, from the numbers below.
  struct Step {
    double gap{};       // largest error of a momentum, N s
    double momentum{};  // largest momentum, N s
    double force{};     // largest load or net force, N
  };
  Step look(double h) {
    Step step;
    for (std::size_t i = 0; i < n_; ++i) {
      double sum = radau.weights[0] * first[i], pushed = 0;
      step.force = std::max(step.force, std::abs(first[i]));
      for (std::size_t k = 0; k < places; ++k) {
        const double load = std::abs(applied[k * n_ + i]);
        sum += radau.weights[k + 1] * net[k * n_ + i];
        pushed += share(k) * load;
        step.force = std::max(step.force, load);
      }
      Each& own = of_[i];
      own.gap_now = after[i] - before[i] - h * sum;
      own.pushed_now = h * pushed;
      own.moves = after[i] != 0;
      step.gap = std::max(step.gap, std::abs(own.gap_now));
      step.momentum = std::max({step.momentum, std::abs(before[i]), std::abs(after[i])});
    }
    most_ = std::max(most_, step.momentum);
    force_ = std::max(force_, step.force);
    return step;
  }
  /// A step of one body whose forces are known without the numbers below.
  struct Known {
    double before{}, after{};  // momenta
    double gap{}, pushed{};    // error of the momentum; impulse of the load, N s
    double force{};            // largest load or net force, N
    double misfit{};  // of a tied velocity: largest difference of net force and acceleration of the dense output, N
  };
  static constexpr double tied = 0.1;  // stiffness of a step from which the force ties the velocity
  Step look(const Known& k) {
    most_ = std::max({most_, std::abs(k.before), std::abs(k.after)});
    force_ = std::max(force_, k.force);
    of_.front().gap_now = k.gap;
    of_.front().pushed_now = k.pushed;
    of_.front().moves = k.after != 0;
    return {std::abs(k.gap), std::max(std::abs(k.before), std::abs(k.after)), k.force};
  }
  /// Weights of the places for the impulse of the load.
  static constexpr double share(std::size_t place) { return radau.weights[place + 1] / (1 - radau.weights[0]); }
  /// Adds the step of the last `look`.
  void add() {
    for (Each& own : of_) {
      own.gap += own.gap_now;
      worst_ = std::max(worst_, std::abs(own.gap));
      own.pushed += own.pushed_now;
      own.moved = own.moved || own.moves;
    }
  }
  double force() const { return force_; }            // natural size, or the largest so far of loads and net forces, N
  double largest_momentum() const { return most_; }  // N s
  /// Whether this momentum was zero throughout although a force acted.
  bool held(std::size_t i) const { return !of_[i].moved && of_[i].pushed > 0; }
  /// Error over the largest momentum of all bodies, which exchange momentum.
  double error() const {
    double size = most_;
    for (const Each& e : of_) size = std::max(size, e.pushed);
    return size > 0 ? worst_ / size : 0;
  }

 private:
  std::size_t n_;
  double force_, worst_ = 0, most_ = 0;

 public:
  // Of the current step: net forces at its start, momenta at both ends, forces at each place.
  std::vector<double> first, before, after, net, applied;

 private:
  struct Each {
    double gap{}, pushed{};          // error so far; impulse of the load
    double gap_now{}, pushed_now{};  // of the current step
    bool moved = false, moves = false;
  };
  std::vector<Each> of_;
};

}  // namespace bristle
