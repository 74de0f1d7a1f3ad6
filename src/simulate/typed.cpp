#include <algorithm>
#include <cmath>

#include "base/processor.hpp"
#include "bodies.hpp"
#include "stepper.hpp"
#include "typed_flow.hpp"

/// Rosenbrock steps for one contact under a rolling disk or along a given motion, by the kernels of kernels/bodies.cpp.
namespace bristle {
namespace {

using bodies::Kernel;

const bodies::Table& kernels() {
#ifdef BRISTLE_AVX2
  if (has_avx2()) return bodies::bodies_avx2();
#endif
  return bodies::bodies_baseline();
}

class Typed : public Stepper {
 public:
  Typed(const World& world, const Kernel& kernel)
      : Stepper(world), kernel_(kernel), size_(world.size()), n_(world.states()), columns_(world.columns().size()) {
    s_.atol.fill(1);
  }
  const char* name() const override { return kernel_.name; }
  int order() const override { return kernel_.order; }
  double bend(std::size_t i) const override {  // theta (1 - theta) <= 1/4
    know_bend();
    double sum = 0;
    for (const auto& d : s_.dense) sum += std::abs(d[i]);
    return sum / 4;
  }
  void dense(double theta, double* y) const override {
    know_bend();
    for (std::size_t i = 0; i < size_; ++i) {
      const double c = s_.dense[0][i] + theta * (s_.dense[1][i] + theta * s_.dense[2][i]);
      y[i] = (1 - theta) * s_.y[i] + theta * (s_.y1[i] + (1 - theta) * c);
    }
  }
  void allow(const Tolerances& t) override {
    s_.rtol = t.rtol;
    std::copy(t.atol.begin(), t.atol.end(), s_.atol.begin());
    std::copy(t.largest.begin(), t.largest.end(), s_.largest.begin());
  }
  double norm() const override { return s_.norm; }
  double stiffness() const override { return s_.pivot / s_.diagonal - 1; }
  double dense_rate(std::size_t i, double theta) const override {
    know_bend();
    return slope_between(s_.y[i], s_.y1[i], std::array{s_.dense[0][i], s_.dense[1][i], s_.dense[2][i]}, theta) / h_;
  }
  const double* begin_rates() const override { return s_.f.data(); }
  const double* end() const override { return s_.y1.data(); }
  const double* error() const override { return s_.u[kernel_.stages - 1].data(); }
  void rows(const double* t, std::size_t n, double* const* to) const override {
    if (!plain_) return Stepper::rows(t, n, to);
    know_bend();
    for (std::size_t from = 0; from < n; from += bodies::most_rows) {
      rows_.n = std::min(bodies::most_rows, n - from);
      world_.foresee(t + from, rows_.n);
      for (std::size_t k = 0; k < rows_.n; ++k) {
        rows_.theta[k] = (t[from + k] - t_) / h_;
        signals_[k] = world_.drive_at(t[from + k]);
      }
      write(t + from, from, to);
    }
  }

 protected:
  /// Puts rows_ and signals_ at these times into the columns, as World::columns gives them, from a row on.
  virtual void write(const double* t, std::size_t from, double* const* to) const = 0;
  /// The drive at a stage; at the first also its derivatives.
  virtual void take(const Signal& d, std::size_t stage) = 0;

  template <class C> void take(const TypedFlow<C>& flow) {
    s_.contact = &flow.contact();
    s_.state = &flow.kept();
    s_.mode = &flow.mode();
    plain_ = columns_ == shown_ + flow.size();
  }
  void know_bend() const {
    if (!bent_) kernel_.bend(s_);
    bent_ = true;
  }
  void copy_states(std::size_t from, double* const* to) const {
    const std::size_t states = world_.contact().size();
    for (std::size_t i = 0; i < states; ++i) std::copy_n(rows_.y[i].data(), rows_.n, to[6 + i] + from);
  }

  const Kernel& kernel_;
  const std::size_t size_, n_, columns_;
  std::size_t shown_ = 6;  // columns beside the states of the contact
  bool plain_ = false;     // the contact has no column of its own
  mutable bodies::Step s_{};
  mutable bodies::Rows rows_{};
  mutable std::array<Signal, bodies::most_rows> signals_{};

 private:
  void prepare(const double* y) override {
    ++counts_.evaluations;
    ++counts_.jacobians;
    for (std::size_t i = 0; i < size_; ++i) s_.y[i] = y[i];
    s_.slope_v = world_.slope_velocity(world_.slip(t_, y));
    take(world_.drive_at(t_), 0);
    kernel_.prepare(s_);
  }
  bool advance() override {
    counts_.evaluations += static_cast<long>(kernel_.stages) - 1;
    foresee_step(kernel_.alpha, kernel_.stages);
    for (std::size_t i = 1; i < kernel_.stages; ++i) take(world_.drive_at(t_ + kernel_.alpha[i] * h_), i);
    s_.h = h_;
    kernel_.attempt(s_);
    bent_ = false;
    return s_.pivot > 0.5 * s_.diagonal && s_.smallest > 0.5 * s_.diagonal;
  }
  mutable bool bent_ = false;  // the dense output is known
};

class Rolling final : public Typed {
 public:
  template <class C>
  Rolling(const World& world, const World::Roller& r, const TypedFlow<C>& flow, const Kernel& kernel)
      : Typed(world, kernel), body_(r) {
    shown_ = 9;
    Typed::take(flow);
    s_.inverse_mass = 1 / r.mass;
    s_.inverse_slip_mass = 1 / r.slip_mass;
    s_.inverse_roll_mass = 1 / r.roll_mass;
    s_.slip_part = r.slip_part;
    s_.stiffness = r.stiffness;
    s_.damping = r.damping;
    s_.rest_length = r.rest_length;
  }
  bool restless() const override { return s_.pivot < s_.diagonal + s_.stiffness / body_.mass / s_.diagonal; }

 private:
  void take(const Signal& d, std::size_t stage) override {
    s_.end[stage] = body_.force ? 0 : d.value;
    s_.end_v[stage] = body_.force ? 0 : d.rate;
    s_.external[stage] = body_.force ? d.value : 0;
    if (stage > 0) return;
    s_.end_a = body_.force ? 0 : d.rate2;
    s_.external_rate = body_.force ? d.rate : 0;
  }
  void write(const double* t, std::size_t from, double* const* to) const override {
    kernel_.rows(s_, rows_);
    const double *x = rows_.y[n_ - 4].data(), *slip = rows_.y[n_ - 3].data(), *roll = rows_.y[n_ - 2].data(),
                 *v = rows_.y[n_ - 1].data();
    double* const* last = to + columns_ - 3;
    for (std::size_t k = 0; k < rows_.n; ++k) {
      const Signal& d = signals_[k];
      const double end = body_.force ? 0 : d.value, end_v = body_.force ? 0 : d.rate, force = body_.force ? d.value : 0;
      const double velocity = roll[k] + body_.slip_part * v[k];
      to[0][from + k] = t[k];
      to[1][from + k] = x[k];
      to[2][from + k] = velocity;
      to[3][from + k] = rows_.F[k];
      to[4][from + k] = body_.stiffness * (end - x[k] - body_.rest_length) + body_.damping * (end_v - velocity) + force;
      to[5][from + k] = d.value;
      last[0][from + k] = (roll[k] - (1 - body_.slip_part) * v[k]) / body_.radius;
      last[1][from + k] = (x[k] - slip[k]) / body_.radius;
      last[2][from + k] = v[k];
    }
    copy_states(from, to);
  }
  const World::Roller body_;
};

class Moved final : public Typed {
 public:
  template <class C>
  Moved(const World& world, const TypedFlow<C>& flow, const Kernel& kernel)
      : Typed(world, kernel), by_position_(world.moves_by_position()) {
    Typed::take(flow);
  }
  bool restless() const override { return false; }
  double work() const override {
    know_bend();
    rows_.n = lobatto.nodes.size() - 1;
    for (std::size_t i = 0; i < rows_.n; ++i) {
      rows_.theta[i] = lobatto.nodes[i + 1];
      rows_.v[i] = velocity(world_.drive_at(t_ + rows_.theta[i] * h_));
    }
    kernel_.rows(s_, rows_);
    double sum = lobatto.weights[0] * s_.f[size_ - 1];
    for (std::size_t i = 0; i < rows_.n; ++i) sum += lobatto.weights[i + 1] * rows_.F[i] * rows_.v[i];
    return sum * h_;
  }

 private:
  double velocity(const Signal& d) const { return by_position_ ? d.rate : d.value; }
  void take(const Signal& d, std::size_t stage) override {
    s_.end_v[stage] = velocity(d);
    if (stage == 0) s_.end_a = by_position_ ? d.rate2 : d.rate;
  }
  void write(const double* t, std::size_t from, double* const* to) const override {
    for (std::size_t k = 0; k < rows_.n; ++k) rows_.v[k] = velocity(signals_[k]);
    kernel_.rows(s_, rows_);
    for (std::size_t k = 0; k < rows_.n; ++k) {
      to[0][from + k] = t[k];
      to[1][from + k] = by_position_ ? signals_[k].value : rows_.y[n_ - 1][k];
      to[2][from + k] = rows_.v[k];
      to[3][from + k] = to[4][from + k] = rows_.F[k];
      to[5][from + k] = signals_[k].value;
    }
    copy_states(from, to);
  }
  const bool by_position_;
};

}  // namespace

std::unique_ptr<Stepper> make_typed(const World& world) { return make_typed(world, kernels()); }

std::unique_ptr<Stepper> make_typed(const World& world, const bodies::Table& kernels) {
  const auto roller = world.as_roller();
  if (!roller && !world.is_plain_motion()) return nullptr;
  std::unique_ptr<Stepper> stepper;
  std::size_t index = 0;
  Models::each([&]<template <class> class M>() {
    using C = M<double>;
    const bodies::Kernels& all = kernels[index++];
    if constexpr (!has_array<typename C::State>) {
      const auto* flow = dynamic_cast<const TypedFlow<C>*>(&world.contact());
      if (!flow || flow->traits().hybrid) return;
      const std::size_t options = usual_options(flow->contact().p) ? 0 : 1;
      const Kernel& kernel = roller                      ? all.disk[options]
                             : world.moves_by_position() ? all.by_position[options]
                                                         : all.by_velocity[options];
      if (!kernel.name) return;
      if (roller) {
        stepper = std::make_unique<Rolling>(world, *roller, *flow, kernel);
      } else {
        stepper = std::make_unique<Moved>(world, *flow, kernel);
      }
    }
  });
  return stepper;
}

}  // namespace bristle
