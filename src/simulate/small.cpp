#include "small.hpp"

#include <algorithm>

#include "base/processor.hpp"
#include "bristle/models.hpp"
#include "registry/shared/boxed.hpp"
#include "typed_flow.hpp"

namespace bristle {

using slider::Pair;

SmallStepper::SmallStepper(const World& world, const World::Slider& body, const Contact& contact, const Pair& kernels)
    : Stepper(world),
      flow_(contact.flow),
      kernels_(kernels),
      kernel_(kernels.implicit.name ? &kernels_.implicit : &kernels_.explicit_pair),
      force_(body.force),
      plain_(world.columns().size() == 6 + contact.flow.size()),
      changes_(kernels.implicit.name && kernels.explicit_pair.name),
      size_(world.size()) {
  s_.contact = contact.contact;
  s_.state = contact.state;
  s_.mode = contact.mode;
  s_.mass = body.mass;
  s_.stiffness = body.stiffness;
  s_.damping = body.damping;
  s_.rest_length = body.rest_length;
  s_.h = world.slow_time() / 20;
}

void SmallStepper::dense(double theta, double* y) const {
  know_bend();
  for (std::size_t i = 0; i < size_; ++i) {
    const double c = s_.dense[0][i] + theta * (s_.dense[1][i] + theta * s_.dense[2][i]);
    y[i] = (1 - theta) * s_.y[i] + theta * (s_.y1[i] + (1 - theta) * c);
  }
}

void SmallStepper::rows(const double* t, std::size_t n, double* const* to) const {
  if (s_.holds || !plain_) return Stepper::rows(t, n, to);
  know_bend();
  // Columns as World::columns gives them: t, x, v, F, F_app, drive, states.
  const std::size_t nz = size_ - 2 - slider::works;
  double *const x = to[1], *const v = to[2], *const F_app = to[4], *const drive = to[5];
  std::array<double*, slider::most_states + 2> states{};
  std::copy_n(to + 6, nz, states.begin());
  states[nz] = x;
  states[nz + 1] = v;
  kernel_->rows(s_, t_, t, n, states.data());
  std::copy_n(t, n, to[0]);
  const double on_end = force_ ? 0 : 1, on_body = 1 - on_end;
  auto applied = [&](auto&& at) {
    for (std::size_t k = 0; k < n; ++k) {
      const Signal d = at(t[k]);
      drive[k] = d.value;
      F_app[k] = s_.stiffness * (on_end * d.value - x[k] - s_.rest_length) + s_.damping * (on_end * d.rate - v[k]) +
                 on_body * d.value;
    }
  };
  if (world_.drives_straight()) {
    applied([&](double at) { return world_.straight_drive(at); });
  } else {
    applied([&](double at) { return world_.drive_at(at); });
  }
  if (due_.n > 0 && to[3] != due_.F + due_.n) flush();
  if (due_.n == 0) {
    due_.F = to[3];
    std::copy(states.begin(), states.end(), due_.states.begin());
  }
  due_.n += n;
  if (flow_.traits().hybrid) flush();  // while the mode is the one of these rows
}

void SmallStepper::forces(const double* theta, std::size_t n, double* net, double* applied) const {
  know_bend();
  constexpr std::size_t at_once = 4;
  const std::size_t states = size_ - slider::works, ix = states - 2, iv = states - 1;
  alignas(64) std::array<std::array<double, at_once>, slider::room> y;
  std::array<const double*, slider::room> columns{};
  for (std::size_t i = 0; i < states; ++i) {
    columns[i] = y[i].data();
    for (std::size_t k = 0; k < n; ++k) {
      const double c = s_.dense[0][i] + theta[k] * (s_.dense[1][i] + theta[k] * s_.dense[2][i]);
      y[i][k] = (1 - theta[k]) * s_.y[i] + theta[k] * (s_.y1[i] + (1 - theta[k]) * c);
    }
  }
  if (!s_.holds) kernel_->forces(s_, columns.data(), n, net);
  const bool straight = world_.drives_straight();
  for (std::size_t k = 0; k < n; ++k) {
    const double t = t_ + theta[k] * h_;
    const Signal d = straight ? world_.straight_drive(t) : world_.drive_at(t);
    applied[k] = s_.stiffness * ((force_ ? 0 : d.value) - y[ix][k] - s_.rest_length) +
                 s_.damping * ((force_ ? 0 : d.rate) - y[iv][k]) + (force_ ? d.value : 0);
    net[k] = s_.holds ? 0 : applied[k] - net[k];
  }
}

void SmallStepper::flush() const {
  if (due_.n > 0) kernel_->forces(s_, due_.states.data(), due_.n, due_.F);
  due_.n = 0;
}

void SmallStepper::allow(const Tolerances& t) {
  s_.rtol = t.rtol;
  s_.atol.fill(1);
  std::copy(t.atol.begin(), t.atol.end(), s_.atol.begin());
  std::copy(t.largest.begin(), t.largest.end(), s_.largest.begin());
}

void SmallStepper::prepare(const double* y) {
  ++counts_.evaluations;
  for (std::size_t i = 0; i < size_; ++i) s_.y[i] = y[i];
  s_.holds = flow_.holds();
  s_.slope_v = world_.slope_velocity(y[size_ - 1 - slider::works]);
  s_.straight = world_.drives_straight();
  const Signal d = drive(0, t_);
  s_.end_a = force_ ? 0 : d.rate2;
  s_.external_rate = force_ ? d.rate : 0;
  if (kernel_->implicit || (changes_ && ++unseen_ % look_every == 0)) {
    ++counts_.jacobians;
    known_ = !deferred_;
    if (deferred_) return;
    kernels_.implicit.prepare(s_);
    if (changes_) change();
  } else {
    kernel_->prepare(s_);
    known_ = true;
  }
}

void SmallStepper::change() {
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
        stepper = std::make_unique<SmallStepper>(
            world, *body, SmallStepper::Contact{*flow, &flow->contact(), &flow->kept(), &flow->mode()}, pair);
    }
  });
  return stepper;
}

}  // namespace bristle
