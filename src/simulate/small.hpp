#pragma once
#include <cmath>
#include <memory>
#include <optional>

#include "slider.hpp"
#include "stepper.hpp"

namespace bristle {

/// Fixed-size methods with structured elimination for one contact on a slider, by the kernels of kernels/slider.cpp.
/// Where both kinds are at hand it goes over to the explicit pair while nothing is stiff, and back. The numbers of a step
/// lie open, so that several bodies can be computed at once; who steps calls it by its own type, without looking it up.
class SmallStepper final : public Stepper {
 public:
  struct Contact {
    const ContactFlow& flow;
    const void *contact, *state, *mode;  // as in slider::Step
  };
  SmallStepper(const World& world, const World::Slider& body, const Contact& contact, const slider::Pair& kernels);

  const char* name() const override { return kernel_->name; }
  int order() const override { return kernel_->order; }
  bool restless() const override { return !s_.holds && s_.friction_pivot * s_.mass + s_.damping < 0; }
  double caution() const override { return kernels_.implicit.name ? 1 : with_explicit; }
  double norm() const override { return changes_ && !kernel_->implicit ? s_.norm / with_explicit : s_.norm; }
  const double* begin_rates() const override { return s_.f.data(); }
  const double* end() const override { return s_.y1.data(); }
  const double* error() const override { return s_.u[kernel_->stages - 1].data(); }
  double bend(std::size_t i) const override {  // theta (1 - theta) <= 1/4
    know_bend();
    return (std::abs(s_.dense[0][i]) + std::abs(s_.dense[1][i]) + std::abs(s_.dense[2][i])) / 4;
  }
  double stiffness() const override { return kernel_->implicit && !s_.holds ? s_.friction_pivot / s_.diagonal : 0; }
  double dense_rate(std::size_t i, double theta) const override {
    know_bend();
    return slope_between(s_.y[i], s_.y1[i], std::array{s_.dense[0][i], s_.dense[1][i], s_.dense[2][i]}, theta) / h_;
  }
  void forces(const double* theta, std::size_t n, double* net, double* applied) const override;
  void dense(double theta, double* y) const override;
  void rows(const double* t, std::size_t n, double* const* to) const override;
  void flush() const override;
  void allow(const Tolerances& t) override;

  slider::Step& step() { return s_; }
  /// From here on `from` only puts the numbers in place, and somebody else computes.
  void defer(bool on) { deferred_ = on; }
  /// Of an attempt of length h, what has to be in place before it is computed.
  void aim(double h) {
    counts_.evaluations += static_cast<long>(kernel_->stages) - 1;
    s_.h = h_ = h;
    if (s_.straight) return;
    for (std::size_t i = 1; i < kernel_->stages; ++i) drive(i, t_ + kernel_->alpha[i] * h_);
  }
  bool fits() const { return s_.pivot > 0.5 * s_.diagonal && s_.smallest > 0.5 * s_.diagonal; }
  void computed_elsewhere() { bent_ = true; }

 private:
  void prepare(const double* y) override;
  void change();
  bool advance() override {
    aim(h_);
    if (!known_) kernel_->prepare(s_);
    known_ = true;
    kernel_->attempt(s_);
    bent_ = false;
    return fits();
  }
  Signal drive(std::size_t stage, double t) {
    const Signal d = world_.drive_at(t);
    s_.end[stage] = force_ ? 0 : d.value;
    s_.end_v[stage] = force_ ? 0 : d.rate;
    s_.external[stage] = force_ ? d.value : 0;
    return d;
  }
  void know_bend() const {
    if (!bent_) kernel_->bend(s_);
    bent_ = true;
  }

  /// Rows without friction force: many at once cost less.
  struct Due {
    double* F{};
    std::array<const double*, slider::most_states + 2> states{};
    std::size_t n{};
  };
  mutable Due due_{};
  static constexpr double with_explicit = 0.1;  // of the tolerance: the same error at the same setting
  static constexpr int look_every = 8;
  mutable slider::Step s_{};
  mutable bool bent_ = false;              // the dense output is known
  bool deferred_ = false, known_ = false;  // somebody else computes; slopes where the step begins
  const ContactFlow& flow_;
  const slider::Pair kernels_;
  const slider::Kernel* kernel_;  // the one in use
  const bool force_, plain_;      // the drive is a force; the contact has no column of its own
  const bool changes_;            // between the two kernels
  int calm_ = 0, unseen_ = 0;
  const std::size_t size_;
};

/// nullptr for any other system, for contacts with arrays of states, and where there is no such method.
std::unique_ptr<SmallStepper> make_small(const World& world, Method method);
/// The place of a model in slider::lanes() if runs of this experiment can share a vector unit.
std::optional<std::size_t> lane_model(const Experiment& experiment);

}  // namespace bristle
