#pragma once
#include <array>
#include <cmath>
#include <vector>

#include "momentum.hpp"
#include "stepper.hpp"

namespace bristle {

/// Checks attempts of a stepper by the momentum balance. W: a System or a Chain. S: its stepper.
template <class W, class S> class MomentumCheckOf {
 public:
  MomentumCheckOf(const W& system, S& stepper, double rtol)
      : sum(system.momenta(), system.force_size()),
        system_(system),
        stepper_(stepper),
        rtol_(rtol),
        buffer_(system.size()) {}

  /// Whether the forces along the last attempt, of length h from y at t, agree with the momenta at its ends. The dense
  /// output cannot follow a velocity that a stiff law ties to the load, and its force differs from that at the ends:
  /// then separate steps lead to the places in between. An attempt that still violates the balance has missed an event:
  /// forces may change completely at velocities far below the tolerance. If no shorter attempt passes, the balance of
  /// the whole run decides.
  bool obeys(double t, const double* y, double h) {
    by_steps_ = false;
    if (sum.size() == 0) return true;
    if constexpr (requires { stepper_.balance(); }) {
      if (const auto known = stepper_.balance()) {
        const double stiff = stepper_.stiffness();
        const MomentumSum::Step step = sum.look(*known);
        if (step.gap <= allowed(step, h).small &&
            !(stiff > MomentumSum::tied && stiff / (1 + stiff) * known->misfit > 10 * rtol_ * sum.force())) {
          refusals_ = 0;
          return true;
        }
      }
    }
    stepper_.forces(MomentumSum::nodes(), MomentumSum::places, sum.net.data(), sum.applied.data());
    system_.net_forces(stepper_.begin_rates(), sum.first.data());
    system_.momentum(y, sum.before.data());
    system_.momentum(stepper_.end(), sum.after.data());
    const MomentumSum::Step step = sum.look(h);
    const auto [small, most] = allowed(step, h);
    if (step.gap <= small && dense_follows(10 * rtol_ * sum.force())) {
      refusals_ = 0;
      return true;
    }
    by_steps_ = true;
    for (std::size_t k = 0; k < MomentumSum::places; ++k) {
      if (!stepper_.attempt(MomentumSum::nodes()[k] * h)) continue;
      system_.rates(t + MomentumSum::nodes()[k] * h, stepper_.end(), buffer_.data());
      system_.net_forces(buffer_.data(), sum.net.data() + k * sum.size());
    }
    stepper_.attempt(h);
    if (sum.look(h).gap > most && ++refusals_ <= most_refusals) return false;
    refusals_ = 0;
    return true;
  }
  /// Whether the dense output of the attempt is useless.
  bool by_steps() const { return by_steps_; }

  MomentumSum sum;

 private:
  static constexpr int most_refusals = 30;
  struct Allowed {
    double small;  // gap that needs no closer look
    double most;
  };
  Allowed allowed(const MomentumSum::Step& step, double h) const {
    const double rounding = 4 * epsilon<double> * step.momentum, most = 10 * rtol_ * sum.force() * h + rounding;
    // In creep under a small load, errors of the dense output exceed the impulse of the load.
    return {stepper_.stiffness() > MomentumSum::tied ? 10 * rtol_ * step.force * h + rounding : most, most};
  }
  /// Whether force and acceleration of the dense output agree, as far as the velocity is tied to the force.
  bool dense_follows(double allowed) {
    if constexpr (W::may_be_prescribed) {
      const double stiff = stepper_.stiffness(), share = stiff / (1 + stiff);
      for (std::size_t k = 0; k < MomentumSum::places && stiff > MomentumSum::tied; ++k) {
        const std::size_t v = system_.states() - 1;  // before it, the rolling velocity of a roller
        for (const std::size_t i : {v - 1, v}) buffer_[i] = stepper_.dense_rate(i, MomentumSum::nodes()[k]);
        std::array<double, 2> net{};
        system_.net_forces(buffer_.data(), net.data());
        if (!(share * std::abs(sum.net[k * sum.size()] - net[0]) <= allowed)) return false;
      }
    }
    return true;
  }

  const W& system_;
  S& stepper_;
  const double rtol_;
  bool by_steps_ = false;
  int refusals_ = 0;  // in a row
  std::vector<double> buffer_;
};

}  // namespace bristle
