#pragma once
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

#include "simulate/kernels/error_norm.hpp"
#include "simulate/kernels/rosenbrock.hpp"
#include "simulate/shared/slider_task.hpp"

/// One step of a slider by the stages of kernels/rosenbrock.hpp, with its dense output, in plain numbers.
namespace bristle::plain {

/// R: scalar of the contact law, `double` or one that brings elementary functions of its own.
template <template <class> class M, class R = double> class SliderAttempt {
  static constexpr std::size_t states = std::tuple_size_v<decltype(M<double>::State::fields())>;
  struct Choice {
    static constexpr const auto& of() {
      if constexpr (states > 0) {
        return rodas5p;
      } else {
        return rodas4;
      }
    }
  };
  static constexpr const auto& K = Choice::of();
  using L = kernel::Law<M, R, false>;
  using B = kernel::Slider<R, states, false>;
  using X = kernel::Rosenbrock<L, B, K>;
  using Inner = typename X::Column;
  static constexpr std::size_t S = X::S, D = K.dense.size();

 public:
  static constexpr std::size_t nz = states, n = X::n, size = X::size, ix = B::ix, iv = B::iv;
  static constexpr int order = K.order;
  static_assert(size <= most_size && sizeof(typename M<double>::Params) <= sizeof(Task::contact));
  using Column = std::array<double, size>;

  constexpr void enter(const Task& task) {
    task_ = &task;
    std::size_t j = 0;
    each_scalar(law_.c.p, [&](const auto&, int, R& e) { e = R(task.contact[j++]); });
    body_ = B{{R(task.stiffness), R(task.damping), R(task.rest_length), R(0), R(0)}, R(1 / task.mass), false};
  }
  /// The point where the next attempts begin.
  constexpr void place(const Column& y) {
    for (std::size_t i = 0; i < size; ++i) start_.y[i] = R(y[i]);
  }
  /// Rates and derivatives there. slope_velocity: see System.
  constexpr void prepare(double t, double slope_velocity) {
    start_.in = input<R>(t);
    start_.end_a = R(0);
    start_.external_rate = R(task_->external_rate);
    start_.slope_v = R(slope_velocity);
    X::begin(law_, body_, R(0), false, start_);
  }
  /// A step of length h: its end, error and dense output.
  constexpr void make(double h) {
    typename X::Frame k(law_, body_, start_, R(h));
    fits = k.x.pivot > R(0.5) * k.z.d && k.z.smallest > R(0.5) * k.z.d;
    restless = k.x.swing < R(0);
    stiffness = real_part(k.x.friction) / real_part(k.z.d);
    if (!fits) return;
    k.differentiate();
    Memory m{*this, start_.in, R(h), {}, {}};
    X::stages(k, m);
    kernel::ErrorNorm<double> norm;
    for (std::size_t i = 0; i < size; ++i) {
      const double e = real_part(m.u[S - 1][i]);
      const R y = i < n ? m.y[i] : m.template sum<S - 1>(start_.y[i], i, std::make_index_sequence<S - 1>{});
      end[i] = real_part(y) + e;
      norm.add(this->y(i), end[i], e, task_->atol[i], task_->allowed_rtol, task_->largest[i]);
    }
    error = norm.worst + norm.broken;
    if (!(error == error)) error = inf;
    kernel::each_index<D>([&](auto d) {
      for (std::size_t i = 0; i < n; ++i)
        dense_[d][i] = real_part(m.template sum_dense<d>(i, std::make_index_sequence<S>{}));
    });
  }

  // Known after `make`.
  bool fits{}, restless{};  // usable; oscillations may grow
  double error{}, stiffness{};
  Column end{};

  constexpr double y(std::size_t i) const { return real_part(start_.y[i]); }
  constexpr double f(std::size_t i) const { return real_part(start_.f[i]); }
  constexpr Column start() const {
    Column out{};
    for (std::size_t i = 0; i < size; ++i) out[i] = y(i);
    return out;
  }

  constexpr double dense(std::size_t i, double theta) const {
    const double left = 1 - theta;
    double c = dense_[D - 1][i];
    for (std::size_t d = D - 1; d-- > 0;) c = dense_[d][i] + theta * c;
    return left * y(i) + theta * (end[i] + left * c);
  }
  constexpr double dense_rate(std::size_t i, double theta) const {  // per step
    double c = dense_[D - 1][i], c_rate = 0;
    for (std::size_t d = D - 1; d-- > 0;) {
      c_rate = c + theta * c_rate;
      c = dense_[d][i] + theta * c;
    }
    return end[i] - y(i) + (1 - 2 * theta) * c + theta * (1 - theta) * c_rate;
  }
  constexpr double curvature(std::size_t i) const {
    double sum = 0;
    for (std::size_t d = 0; d < D; ++d) sum += std::abs(dense_[d][i]);
    return sum / 4;
  }
  constexpr Column dense(double theta) const {
    Column out{};
    for (std::size_t i = 0; i < n; ++i) out[i] = dense(i, theta);
    return out;
  }

  template <class T = double> constexpr Input<T> input(double t) const {
    return {T(task_->end + task_->end_v * t), T(task_->end_v), T(task_->external + task_->external_rate * t), T(1)};
  }
  constexpr double friction(const Column& y) const {
    Inner at{}, unused;
    for (std::size_t i = 0; i < n; ++i) at[i] = R(y[i]);
    return real_part(law_.eval(at, L::motion(at[ix], at[iv], R(1)), unused));
  }
  constexpr double applied(double t, const Column& y) const { return spring().transmitted(input(t), y[ix], y[iv]); }
  constexpr double energy(double t, double x) const { return spring().energy(input(t), x); }

 private:
  template <std::size_t stage, std::size_t r> struct Factor {
    static constexpr double a = K.a[stage][r], c = K.c[stage][r];
  };
  template <std::size_t d, std::size_t r> struct DenseFactor {
    static constexpr double value = K.dense[d][r];
  };
  /// Increments of the stages.
  struct Memory {
    const SliderAttempt& of;
    Input<R> first;
    R h;
    std::array<Inner, S> u;
    Inner y;
    template <std::size_t stage> constexpr Input<R> input() const {
      constexpr double alpha = K.alpha[stage];
      const R after = R(alpha) * h;
      return {first.end + first.end_v * after, first.end_v, first.external + R(of.task_->external_rate) * after, R(1)};
    }
    template <std::size_t stage> constexpr void advance() {
      if constexpr (kernel::continues<K, stage>()) {
        for (std::size_t i = 0; i < n; ++i) y[i] = y[i] + u[stage - 1][i];
      } else {
        for (std::size_t i = 0; i < n; ++i) y[i] = sum<stage>(of.start_.y[i], i, std::make_index_sequence<stage>{});
      }
    }
    template <std::size_t stage> constexpr void sum_known(R per_h, Inner& known) const {
      for (std::size_t i = 0; i < size; ++i) known[i] = per_h * sum_c<stage>(i, std::make_index_sequence<stage>{});
    }
    template <std::size_t stage> constexpr void keep(const Inner& increment) { u[stage] = increment; }
    template <std::size_t stage, std::size_t... r>
    constexpr R sum(R all, std::size_t i, std::index_sequence<r...>) const {
      ((all = all + R(Factor<stage, r>::a) * u[r][i]), ...);
      return all;
    }
    template <std::size_t stage, std::size_t... r> constexpr R sum_c(std::size_t i, std::index_sequence<r...>) const {
      R all(0);
      ((all = all + R(Factor<stage, r>::c) * u[r][i]), ...);
      return all;
    }
    template <std::size_t d, std::size_t... r> constexpr R sum_dense(std::size_t i, std::index_sequence<r...>) const {
      R all(0);
      ((all = all + R(DenseFactor<d, r>::value) * u[r][i]), ...);
      return all;
    }
  };

  constexpr Spring<double> spring() const { return {task_->stiffness, task_->damping, task_->rest_length, 0, 0}; }

  const Task* task_ = nullptr;
  L law_{};
  B body_{};
  typename X::Start start_{};
  std::array<std::array<double, n>, D> dense_{};
};

}  // namespace bristle::plain
