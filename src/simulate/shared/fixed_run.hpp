#pragma once
#include <cmath>
#include <cstdint>

#include "bristle/couple.hpp"
#include "simulate/kernels/spring.hpp"
#include "simulate/shared/gauges.hpp"
#include "simulate/shared/slider_task.hpp"

/// One run of a slider by steps of fixed size through `couple`, step by step, for any lumped model: FixedRun in plain numbers.
namespace bristle::plain {

template <class C> class FixedRun {
 public:
  struct Start {
    C contact{};
    typename C::State state{};
  };

  constexpr void begin(const Task& task, const Start& start, const Gauge* gauges, std::size_t count) {
    k_ = &task;
    c_ = &start.contact;
    s_ = start.state;
    q_ = {};
    x_ = task.x0;
    v_ = task.v0;
    F_ = F_app_ = path_ = 0;
    gap_ = worst_ = most_ = pushed_ = since_ = step_ = 0;
    drive_ = damper_ = friction_ = 0;
    level_ = task.momentum_bound > 0 ? task.momentum_bound : never();
    next_row_ = 0;
    ending_ = Ending::done;
    count_ = std::ceil(task.duration / task.step * (1 - 1e-12));
    if (count_ < 1) count_ = 1;
    if (count_ > task.max_steps) ending_ = Ending::too_many_steps;
    spring_ = {task.stiffness, task.damping, task.rest_length, 0, 0};
    energy0_ = spring_.energy(input(0), x_);
    measures_.begin(gauges, count);
  }
  /// One step; false if the run is over.
  constexpr bool advance() {
    if (ending_ != Ending::done) return false;
    const double t0 = step_ * k_->step, t1 = step_ + 1 < count_ ? (step_ + 1) * k_->step : k_->duration;
    const bool shown = (next_row_ < k_->rows && row_time(next_row_) < t1) || measures_.next_probe() < t1;
    Row before;
    if (shown) before = row(t0);
    const double v0 = v_;
    move(t1, t1 - t0);
    t_ = t1;
    if (!std::isfinite(F_) || !std::isfinite(x_) || !std::isfinite(v_)) {
      ending_ = Ending::not_finite;
      return false;
    }
    const double m = k_->mass;
    most_ = larger(most_, larger(std::abs(m * v0), std::abs(m * v_)));
    gap_ += m * v_ - m * v0 - (t1 - t0) * (F_app_ - F_);
    worst_ = larger(worst_, std::abs(gap_));
    pushed_ += (t1 - t0) * std::abs(F_app_);
    if (grows(t1)) {
      ending_ = Ending::diverged;
      return false;
    }
    if (shown) {
      const Row now = row(t1);
      while (next_row_ < k_->rows && row_time(next_row_) < t1)
        measures_.point(between(row_time(next_row_++), t0, t1, before, now));
      measures_.pass_probes(t1, false, [&](double t) { return between(t, t0, t1, before, now); });
    }
    return ++step_ < count_;
  }
  constexpr void finish(Result& out) {
    if (ending_ == Ending::done) {
      const Row last = row(k_->duration);
      for (; next_row_ < k_->rows; ++next_row_) measures_.point(last);
      measures_.pass_probes(k_->duration, true, [&](double) { return last; });
    }
    out = {};
    out.y[0] = x_;
    out.y[1] = v_;
    out.drive = drive_;
    out.damper = damper_;
    out.friction = friction_;
    out.kinetic = (v_ * v_ - k_->v0 * k_->v0) * k_->mass / 2;
    out.spring = spring_.energy(input(k_->duration), x_) - energy0_;
    double size = 0;
    for (const double e : {out.drive, out.kinetic, out.spring, out.damper, out.friction})
      size = larger(size, std::abs(e));
    const double missing = out.drive - out.kinetic - out.spring - out.damper - out.friction;
    out.energy_error = size > 0 ? std::abs(missing) / size : 0;
    out.momentum_error = larger(most_, pushed_) > 0 ? worst_ / larger(most_, pushed_) : 0;
    if (ending_ == Ending::done && !(out.momentum_error <= larger(100 * k_->rtol, 1e-10))) ending_ = Ending::momentum;
    out.t = t_;
    out.h = k_->step;
    out.steps = static_cast<std::int64_t>(step_);
    out.ending = ending_;
    measures_.finish(out.values.data(), k_->duration);
  }

 private:
  constexpr Input<double> input(double t) const {
    return {k_->end + k_->end_v * t, k_->end_v, k_->external + k_->external_rate * t, 1};
  }
  constexpr void move(double t1, double dt) {  // FixedBody::advance
    const Input<double> in = input(t1);
    Motion<double> u{};
    u.x = x_;
    u.v = v_;
    u.path = path_;
    u.t = t1;
    u.temperature = k_->temperature;
    const double mass = k_->mass + dt * spring_.damping + dt * dt * spring_.stiffness,
                 pull = spring_.pull(in, x_, 0) + in.external;
    u.load = pull - spring_.damping * v_;
    u.F_app = pull - (spring_.damping + dt * spring_.stiffness) * v_;
    const Coupled<double> step = couple(*c_, s_, q_, u, mass, dt);
    F_ = step.F;
    v_ = step.v;
    path_ += std::abs(v_) * dt;
    friction_ += F_ * v_ * dt;
    x_ += v_ * dt;
    const double stretch = spring_.pull(in, x_, v_);
    F_app_ = stretch + in.external;
    damper_ += spring_.loss(in, v_) * dt;
    drive_ += spring_.power(stretch, in, v_) * dt;
  }
  constexpr bool grows(double t) {
    while (most_ > level_) {
      if (since_ > 0 && t < 2 * since_) return true;
      since_ = t;
      level_ *= 64;
    }
    return false;
  }
  constexpr double row_time(std::int64_t i) const {
    return i + 1 == k_->rows ? k_->duration : static_cast<double>(i) * k_->output_step;
  }
  constexpr Row row(double t) const {
    const Input<double> in = input(t);
    Row r;
    r.t = t;
    r.x = x_;
    r.v = v_;
    r.F = F_;
    r.F_app = F_app_;
    r.drive = k_->external_rate != 0 || k_->external != 0 ? in.external : in.end;
    std::size_t i = 0;
    each_scalar(s_, [&](const auto&, int, const double& e) {
      if (i < most_states) r.z[i++] = e;
    });
    return r;
  }
  static constexpr Row between(double t, double t0, double t1, const Row& a, const Row& b) {
    const double part = (t - t0) / (t1 - t0);
    const auto mix = [&](double from, double to) { return from + part * (to - from); };
    Row r;
    r.t = t;
    r.x = mix(a.x, b.x);
    r.v = mix(a.v, b.v);
    r.F = mix(a.F, b.F);
    r.F_app = mix(a.F_app, b.F_app);
    r.drive = mix(a.drive, b.drive);
    for (std::size_t i = 0; i < most_states; ++i) r.z[i] = mix(a.z[i], b.z[i]);
    return r;
  }

  const Task* k_ = nullptr;
  const C* c_ = nullptr;
  typename C::State s_{};
  typename C::Mode q_{};
  Spring<double> spring_{};
  Measures measures_{};
  double t_{}, x_{}, v_{}, F_{}, F_app_{}, path_{}, step_{}, count_{};
  double gap_{}, worst_{}, most_{}, pushed_{}, level_{}, since_{};
  double drive_{}, damper_{}, friction_{}, energy0_{};
  std::int64_t next_row_{};
  Ending ending_{Ending::done};
};

}  // namespace bristle::plain
