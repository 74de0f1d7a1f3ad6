#include <algorithm>
#include <cmath>

#include "boundary/boxed.hpp"
#include "bristle/models.hpp"
#include "kernels/processor.hpp"
#include "slider.hpp"
#include "stepper.hpp"
#include "typed_flow.hpp"

/// Rosenbrock steps for one contact on a slider, by the kernels of src/kernels/slider.cpp.
namespace bristle {
namespace {

using slider::Kernel;
using slider::Pair;

/// Goes over to the explicit pair while nothing is stiff, and back.
template <class C> class SmallRodas final : public SmallStepper {
 public:
  SmallRodas(const World& world, const World::Slider& body, const TypedFlow<C>& flow, const Pair& kernels)
      : SmallStepper(world),
        flow_(flow),
        kernels_(kernels),
        kernel_(kernels.implicit.name ? &kernels_.implicit : &kernels_.explicit_pair),
        force_(body.force),
        plain_(world.columns().size() == 6 + flow.size()),
        changes_(kernels.implicit.name && kernels.explicit_pair.name),
        size_(world.size()) {
    s_.contact = &flow.contact();
    s_.state = &flow.kept();
    s_.mode = &flow.mode();
    s_.mass = body.mass;
    s_.stiffness = body.stiffness;
    s_.damping = body.damping;
    s_.rest_length = body.rest_length;
    s_.h = world.slow_time() / 20;
  }
  const char* name() const override { return kernel_->name; }
  int order() const override { return kernel_->order; }
  bool restless() const override { return !s_.holds && s_.friction_pivot + s_.damping / s_.mass < 0; }
  double caution() const override { return kernels_.implicit.name ? 1 : with_explicit; }
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
  void rows(const double* t, std::size_t n, double* const* to) const override {
    if (s_.holds || !plain_) return Stepper::rows(t, n, to);
    know_bend();
    const std::size_t nz = size_ - 2 - slider::works;
    std::array<double, slider::most_rows> theta, end_v;
    std::array<std::array<double, slider::most_rows>, slider::most_states + 3> y;
    const double per_h = 1 / h_;
    for (std::size_t from = 0; from < n; from += theta.size()) {
      const std::size_t count = std::min(theta.size(), n - from), padded = std::min((count + 7) / 8 * 8, theta.size());
      for (std::size_t k = 0; k < padded; ++k) theta[k] = (t[from + std::min(k, count - 1)] - t_) * per_h;
      kernel_->rows(s_, theta, count, y);
      // Columns as World::columns gives them: t, x, v, F, F_app, drive, states.
      double *const F_app = to[4] + from, *const drive = to[5] + from;
      auto write_drive = [&](auto&& at) {
        for (std::size_t k = 0; k < count; ++k) {
          const Signal d = at(t[from + k]);
          drive[k] = d.value;
          end_v[k] = force_ ? 0 : d.rate;
        }
      };
      if (world_.drives_straight()) {
        write_drive([&](double at) { return world_.straight_drive(at); });
      } else {
        write_drive([&](double at) { return world_.drive_at(at); });
      }
      const double *x = y[nz].data(), *v = y[nz + 1].data(), on_end = force_ ? 0 : 1, on_body = 1 - on_end;
      for (std::size_t k = 0; k < count; ++k)
        F_app[k] = s_.stiffness * (on_end * drive[k] - x[k] - s_.rest_length) + s_.damping * (end_v[k] - v[k]) +
                   on_body * drive[k];
      std::copy_n(t + from, count, to[0] + from);
      for (std::size_t i = 0; i < 3; ++i) std::copy_n(y[nz + i].data(), count, to[1 + i] + from);
      for (std::size_t i = 0; i < nz; ++i) std::copy_n(y[i].data(), count, to[6 + i] + from);
    }
  }
  void allow(const Tolerances& t) override {
    s_.rtol = t.rtol;
    s_.atol.fill(1);
    std::copy(t.atol.begin(), t.atol.end(), s_.atol.begin());
    std::copy(t.largest.begin(), t.largest.end(), s_.largest.begin());
  }
  double norm() const override { return changes_ && !kernel_->implicit ? s_.norm / with_explicit : s_.norm; }
  void aim(double h) override {
    counts_.evaluations += static_cast<long>(kernel_->stages) - 1;
    s_.h = h_ = h;
    if (s_.straight) return;
    for (std::size_t i = 1; i < kernel_->stages; ++i) drive(i, t_ + kernel_->alpha[i] * h_);
  }
  const double* begin_rates() const override { return s_.f.data(); }
  const double* end() const override { return s_.y1.data(); }
  const double* error() const override { return s_.u[kernel_->stages - 1].data(); }

 private:
  void prepare(const double* y) override {
    ++counts_.evaluations;
    for (std::size_t i = 0; i < size_; ++i) s_.y[i] = y[i];
    s_.holds = flow_.holds();
    s_.side = world_.kink_side();
    s_.straight = world_.drives_straight();
    const Signal d = drive(0, t_);
    s_.end_a = force_ ? 0 : d.rate2;
    s_.external_rate = force_ ? d.rate : 0;
    if (kernel_->implicit || (changes_ && ++unseen_ % look_every == 0)) {
      ++counts_.jacobians;
      if (deferred_) return;
      kernels_.implicit.prepare(s_);
      if (changes_) change();
    } else {
      kernel_->prepare(s_);
    }
  }
  void change() {
    const double rate = s_.h * (std::abs(s_.F_v) + s_.damping) / s_.mass;
    if (kernel_->implicit) {
      calm_ = rate < 2.5 ? calm_ + 1 : 0;
      if (calm_ > (unseen_ == 0 ? 0 : 8)) kernel_ = &kernels_.explicit_pair;
    } else if (rate > 2.8) {  // from 3.3 on it is unstable
      kernel_ = &kernels_.implicit;
      calm_ = 0;
    }
    unseen_ = std::max(unseen_, 1);
  }
  bool advance() override {
    aim(h_);
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

  static constexpr double with_explicit = 0.1;  // of the tolerance: the same error at the same setting
  static constexpr int look_every = 8;
  const TypedFlow<C>& flow_;
  const Pair kernels_;
  const Kernel* kernel_;      // the one in use
  const bool force_, plain_;  // the drive is a force; the contact has no column of its own
  const bool changes_;        // between the two kernels
  int calm_ = 0, unseen_ = 0;
  const std::size_t size_;
};

}  // namespace

const slider::Table& slider::kernels() {
#ifdef BRISTLE_AVX2
  if (has_avx2()) return kernels_avx2();
#endif
  return kernels_baseline();
}
const slider::LaneTable* slider::lanes() {
#ifdef BRISTLE_AVX512
  if (has_avx512()) return &lanes_avx512();
#endif
#ifdef BRISTLE_AVX2
  if (has_avx2()) return &lanes_avx2();
#endif
  return nullptr;
}

std::optional<std::size_t> lane_model(const Experiment& e) {
  if (!slider::lanes() || (e.method != Method::automatic && e.method != Method::rodas) || !World::is_plain(e))
    return {};
  std::optional<std::size_t> found;
  std::size_t index = 0;
  Models::each([&]<template <class> class M>() {
    if constexpr (requires { requires M<double>::vector_lanes; }) {
      const auto* boxed = dynamic_cast<const Boxed<M<double>>*>(e.contacts.front().contact.get());
      if (boxed && usual_options(boxed->contact.p) && (*slider::lanes())[index].width > 0) found = index;
    }
    ++index;
  });
  return found;
}

std::unique_ptr<SmallStepper> make_small(const World& world, Method method) {
  const auto body = world.as_slider();
  if (!body) return nullptr;
  std::unique_ptr<SmallStepper> stepper;
  std::size_t index = 0;
  Models::each([&]<template <class> class M>() {
    using C = M<double>;
    const slider::Kernels& kernels = slider::kernels()[index++];
    if constexpr (!has_array<typename C::State>) {
      const auto* flow = dynamic_cast<const TypedFlow<C>*>(&world.contact());
      if (!flow) return;
      Pair pair = usual_options(flow->contact().p) ? kernels.usual : kernels.general;
      if (method == Method::rodas) pair.explicit_pair = {};
      if (method == Method::explicit_pair) pair.implicit = {};
      if (pair.implicit.name || pair.explicit_pair.name)
        stepper = std::make_unique<SmallRodas<C>>(world, *body, *flow, pair);
    }
  });
  return stepper;
}

}  // namespace bristle
