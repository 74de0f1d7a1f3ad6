#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "kernels/step.hpp"
#include "momentum.hpp"
#include "stepper.hpp"

namespace bristle {

/// Methods of fixed size with structured elimination for one contact under one body, by the kernels of simulate/kernels.
/// Where both kinds are at hand it goes over to the explicit pair while nothing is stiff, and back. The numbers of a step
/// lie open, so that several bodies can be computed at once; who steps calls it by its own type, without looking it up.
class KernelStepper final : public Stepper {
 public:
  KernelStepper(const System& system, const System::Single& body, const kernel::Pair& kernels);

  const char* name() const override { return kernel_->name; }
  int order() const override { return kernel_->order; }
  bool restless() const override { return s_.swing < 0; }
  double caution() const override { return kernels_.implicit.name ? 1 : with_explicit; }
  double norm() const override { return changes_ && !kernel_->implicit ? s_.norm / with_explicit : s_.norm; }
  const double* begin_rates() const override { return s_.f.data(); }
  const double* end() const override { return s_.y1.data(); }
  const double* error() const override { return s_.u[kernel_->stages - 1].data(); }
  double curvature(std::size_t i) const override {  // theta (1 - theta) <= 1/4
    know_dense();
    return (std::abs(s_.dense[0][i]) + std::abs(s_.dense[1][i]) + std::abs(s_.dense[2][i])) / 4;
  }
  double stiffness() const override { return s_.holds ? 0 : s_.friction / s_.diagonal; }
  double dense_rate(std::size_t i, double theta) const override {
    know_dense();
    return slope_between(s_.y[i], s_.y1[i], std::array{s_.dense[0][i], s_.dense[1][i], s_.dense[2][i]}, theta) / h_;
  }
  /// The momentum balance of a slider under a straight drive whose step was computed elsewhere.
  std::optional<MomentumSum::Known> balance() const {
    if (!nodes_known_ || !s_.straight) return {};
    const std::size_t iv = size_ - kernel::works - 1;
    const double m = body_.mass, first = m * s_.f[iv], before = m * s_.y[iv], after = m * s_.y1[iv];
    const kernel::Step::Balance& b = s_.balance;
    return MomentumSum::Known{before,
                              after,
                              after - before - h_ * (radau.weights[0] * first + b.net),
                              h_ * b.pushed,
                              std::max(std::abs(first), b.load),
                              b.misfit};
  }
  void forces(const double* theta, std::size_t n, double* net, double* applied) const override;
  double work() const override;
  void dense(double theta, double* y) const override;
  void rows(const double* t, std::size_t n, double* const* to) const override;
  void flush() const override {
    if (due_.n > 0) write_forces(due_);
    due_.n = 0;
  }
  void allow(const Tolerances& t) override;

  kernel::Step& step() { return s_; }
  /// From here on `from` only puts the numbers in place, and somebody else computes.
  void defer(bool on) { deferred_ = on; }
  /// Of an attempt of length h, what has to be in place before it is computed.
  void aim(double h) {
    counts_.evaluations += static_cast<std::int64_t>(kernel_->stages) - 1;
    s_.h = h_ = h;
    if (s_.straight) return;
    foresee_step(kernel_->alpha, kernel_->stages);
    for (std::size_t i = 1; i < kernel_->stages; ++i) take(input(t_ + kernel_->alpha[i] * h_), i);
  }
  bool fits() const { return s_.pivot > 0.5 * s_.diagonal && s_.smallest > 0.5 * s_.diagonal; }
  void computed_elsewhere() { dense_known_ = nodes_known_ = true; }

 private:
  static constexpr std::size_t at_once = 4;  // places that are looked at within a step
  struct Places {
    alignas(64) std::array<std::array<double, at_once>, kernel::room> y;
    alignas(64) std::array<double, at_once> F, v;  // v: of a given motion
  };
  /// States and friction force at that many places of the last attempt.
  void look(const double* theta, Places& at) const;
  /// Columns that the contact reads: its states, its place, velocity and load.
  using Columns = std::array<const double*, kernel::most_states + 3>;
  Columns contact_columns(const double* const* y, const double* x, const double* v, const double* load) const {
    Columns out;
    for (std::size_t i = 0; i < nz_; ++i) out[i] = y[i];
    out[nz_] = x;
    out[nz_ + 1] = v;
    out[nz_ + 2] = load;
    return out;
  }
  [[gnu::always_inline]] Input<double> input(double t) const {
    Input<double> in = system_.input(t);
    if (kinks_load_) in.load = felt(in.load);
    return in;
  }
  double felt(double load) const { return body_.contact.effects->in({.r = load}).r; }

  void prepare(const double* y) override;
  void change();
  bool advance() override {
    aim(h_);
    if (!known_) kernel_->prepare(s_);
    known_ = true;
    kernel_->attempt(s_);
    dense_known_ = nodes_known_ = false;
    return fits();
  }
  void take(const Input<double>& in, std::size_t stage) {
    s_.end[stage] = in.end;
    s_.end_v[stage] = in.end_v;
    s_.external[stage] = in.external;
    s_.load[stage] = in.load;
  }
  void know_dense() const {
    if (!dense_known_) kernel_->curvature(s_);
    dense_known_ = true;
  }

  /// Rows without friction force: many at once cost less.
  struct Due {
    double* F{};
    std::array<double*, 2> copies{};  // other columns that show it
    Columns columns{};
    std::size_t n{};
  };
  void write(const double* t, std::size_t n, double* const* to) const;
  void write_forces(const Due& due) const;
  mutable Due due_{};
  static constexpr double with_explicit = 0.1;  // of the tolerance: the same error at the same setting
  static constexpr int look_every = 8;
  mutable kernel::Step s_{};
  mutable bool dense_known_ = false;       // the dense output is known
  bool nodes_known_ = false;               // see Step::balance
  bool deferred_ = false, known_ = false;  // somebody else computes; slopes where the step begins
  const System::Single body_;
  const bool given_, hybrid_, kinks_load_;  // the motion is given; the law switches; an effect changes the load ratio
  const kernel::Pair kernels_;
  const kernel::Kernel* kernel_;        // the one in use
  const bool changes_;                  // between the two kernels
  std::int64_t calm_ = 0, unseen_ = 0;  // steps
  const std::size_t size_, nz_;
  static constexpr std::size_t hidden_rows = 256;
  mutable std::vector<double> hidden_{};  // columns that forces need and the trace does not have, for these rows
  mutable std::vector<double*> part_{};   // destinations of these rows
};

/// nullptr for systems that no kernel takes, and where there is no such method.
std::unique_ptr<KernelStepper> make_kernel_stepper(const System& system, Method method, bool baseline = false);
/// The place of a model among the lanes if runs of this experiment can share a vector unit.
std::optional<std::size_t> lane_model(const Experiment& experiment);
const kernel::LaneTable* lane_kernels();  // none if the processor has no vectors worth the trouble

}  // namespace bristle
