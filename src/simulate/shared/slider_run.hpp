#pragma once
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "simulate/shared/gauges.hpp"
#include "simulate/shared/rise.hpp"
#include "simulate/shared/slider_attempt.hpp"
#include "simulate/step_size.hpp"

/// One run of a slider by the stages of kernels/rosenbrock.hpp, attempt by attempt. Steps, events and balances follow
/// HybridRunOf for a law without switches; every attempt is one call of `advance`, so that the threads of a GPU stay
/// together whatever each of them does with the result.
namespace bristle::plain {

template <class C> inline constexpr bool takes_part = requires { requires C::vector_lanes; };

/// R: see SliderAttempt.
template <template <class> class M, class R = double> class SliderRun {
  using Attempt = SliderAttempt<M, R>;
  using Column = typename Attempt::Column;
  static constexpr std::size_t nz = Attempt::nz, n = Attempt::n, size = Attempt::size, ix = Attempt::ix,
                               iv = Attempt::iv;
  static constexpr int order = Attempt::order;
  static constexpr double tied = 0.1;       // see MomentumSum
  static constexpr double near_rest = 0.1;  // of its tolerance: a velocity that is as good as zero

  template <std::size_t i> struct Node {
    static constexpr double at = radau.nodes[i], weight = radau.weights[i],
                            share = radau.weights[i] / (1 - radau.weights[0]);
  };

 public:
  /// At the start of the run; `gauges` outlive it.
  constexpr void begin(const Task& task, const Gauge* gauges, std::size_t count) {
    k_ = &task;
    step_.enter(task);
    t_ = carry_ = h_ = last_h_ = 0;
    last_err_ = 1;
    Column y{};
    for (std::size_t i = 0; i < nz; ++i) y[i] = task.z0[i];
    y[ix] = task.x0;
    y[iv] = task.v0;
    step_.place(y);
    side_ = task.v0 > 0 ? 1 : task.v0 < 0 ? -1 : 0;
    direction_ = std::abs(task.v0) > task.stick_velocity ? side_ : 0;
    force_ = task.force_size;
    gap_ = worst_ = most_ = pushed_ = since_ = 0;
    level_ = task.momentum_bound > 0 ? task.momentum_bound : never();
    refusals_ = standstill_ = 0;
    events_ = 0;
    steps_ = rejected_count_ = next_row_ = 0;
    rejected_ = false;
    phase_ = Phase::normal;
    ending_ = Ending::done;
    energy0_ = step_.energy(0, task.x0);
    measures_.begin(gauges, count);
    note(0, direction_);
    prepare();
    h_ = first_step();
  }

  /// One attempt; false if the run is over.
  constexpr bool advance() {
    if (phase_ == Phase::normal && !choose()) return false;
    step_.make(length_);
    switch (phase_) {
      case Phase::normal: judge(); break;
      case Phase::rest: at_rest(); break;
      case Phase::nodes: at_node(); break;
      case Phase::rows: at_row(); break;
    }
    return ending_ == Ending::done && (phase_ != Phase::normal || t_ < k_->duration);
  }

  constexpr void finish(Result& out) {
    if (ending_ == Ending::done) {
      while (next_row_ < k_->rows) {
        show(k_->duration, step_.start());
        ++next_row_;
      }
      measures_.pass_probes(k_->duration, true, [&](double t) { return shown(t, step_.start()); });
    }
    const Column y = step_.start();
    out.drive = y[n];
    out.damper = y[n + 1];
    out.friction = y[n + 2];
    out.kinetic = (y[iv] * y[iv] - k_->v0 * k_->v0) * k_->mass / 2;
    out.spring = step_.energy(t_, y[ix]) - energy0_;
    const double missing = out.drive - out.kinetic - out.spring - out.damper - out.friction;
    double size_of_terms = most_ * most_ / (2 * k_->mass);
    for (const double e : {out.drive, out.kinetic, out.spring, out.damper, out.friction})
      size_of_terms = larger(size_of_terms, std::abs(e));
    out.energy_error = size_of_terms > 0 ? std::abs(missing) / size_of_terms : 0;
    out.momentum_error = larger(most_, pushed_) > 0 ? worst_ / larger(most_, pushed_) : 0;
    if (ending_ == Ending::done) {
      if (!(out.momentum_error <= larger(100 * k_->rtol, 1e-10))) {
        ending_ = Ending::momentum;
      } else if (!(out.energy_error <= 1e-3 * larger(1.0, k_->rtol / 1e-8)) &&
                 std::abs(missing) > 1e3 * k_->rtol * k_->work_scale) {
        ending_ = Ending::energy;
      }
    }
    for (std::size_t i = 0; i < most_size; ++i) out.y[i] = i < size ? y[i] : 0;
    out.t = t_;
    out.h = h_;
    out.steps = steps_;
    out.rejected = rejected_count_;
    out.events = events_;
    out.ending = ending_;
    measures_.finish(out.values.data(), k_->duration);
  }

 private:
  enum class Phase { normal, rest, nodes, rows };

  constexpr double slope_velocity(double v) const {  // see System
    if (k_->rest > 0 && std::abs(v) < k_->rest) {
      if (v * side_ > 0 && std::abs(v) > 1e-6 * k_->rest) return v;
      return side_ < 0 || (side_ == 0 && v < 0) ? -k_->rest : k_->rest;
    }
    return k_->knee_velocity >= 0 && side_ != 0 && v * side_ <= 0 ? side_ * larger(std::abs(v), k_->beside_rest) : v;
  }
  constexpr void prepare() { step_.prepare(t_, slope_velocity(step_.y(iv))); }
  constexpr double first_step() const {
    double slope = 0;
    for (std::size_t i = 0; i < n; ++i)
      slope = larger(slope, std::abs(step_.f(i)) / (k_->atol[i] / k_->allowed_rtol + std::abs(step_.y(i))));
    const double h = slope > 0 ? 1e-3 / slope : k_->duration;
    return smaller(smaller(h, k_->longest_step), k_->duration * 1e-3);
  }
  constexpr double before_knee() const {
    const double knee = k_->knee_velocity;
    if (!(knee > 0)) return inf;
    const double v = std::abs(step_.y(iv)), a = step_.f(iv);
    return v > 4.5 * knee && step_.y(iv) * a < 0 ? smaller(v - 3 * knee, 0.65 * v) / std::abs(a) : never();
  }
  constexpr bool choose() {
    if (!count_step()) return false;
    double h = smaller(smaller(h_, k_->longest_step), before_knee());
    to_end_ = h > 0.9 * (k_->duration - t_ - carry_);
    if (to_end_) h = k_->duration - t_ - carry_;
    if (h < 1e-290 || standstill_ > 20000) {
      ending_ = Ending::step_too_small;
      return false;
    }
    length_ = h;
    return true;
  }
  constexpr bool count_step() {
    if (static_cast<double>(++steps_) > k_->max_steps) ending_ = Ending::too_many_steps;
    return ending_ == Ending::done;
  }

  constexpr double net_at(double t, const Column& y, double& load) const {
    load = step_.applied(t, y);
    return load - step_.friction(y);
  }

  constexpr void judge() {
    const double h = length_;
    if (!step_.fits || (h > k_->slow_time / 7 && step_.restless))
      return reject(step_.fits ? smaller(h / 2, k_->slow_time / 8) : h / 2);
    if (step_.error > 0.01 && step_.error < 1e6 && passes_rest()) {
      ++rejected_count_;
      rejected_ = true;
      whole_ = h;
      last_v_ = step_.y(iv);
      last_length_ = 0;
      tries_ = 0;
      length_ = root_ * h;
      phase_ = Phase::rest;
      return;
    }
    if (!(step_.error <= 1)) return reject(smaller(h * step_shrink(order, step_.error), 0.999 * h));
    const double factor = step_growth(order, h, step_.error, last_h_, last_err_), most = rejected_ ? 1.0 : 6.0;
    grow_ = factor < 0.2 ? 0.2 : factor > most ? most : factor;
    kept_err_ = larger(step_.error, 0.01);
    if (!within_bounds()) return reject(h / 4);
    look();
  }
  constexpr void reject(double next) {
    ++rejected_count_;
    rejected_ = true;
    h_ = next;
    phase_ = Phase::normal;
  }
  constexpr bool within_bounds() const {
    for (std::size_t i = 0; i < nz; ++i) {
      const double limit = k_->bound[i] * (1 + 1e-6);
      if (std::abs(step_.end[i]) > limit && std::abs(step_.y(i)) <= limit) return false;
    }
    return true;
  }

  /// A velocity that passes through rest within an attempt that failed: there the law has a kink. root_: where.
  constexpr bool passes_rest() {
    if (k_->knee_velocity < 0) return false;
    double lo = 0, hi = 1, v_lo = step_.y(iv), v_hi = step_.end[iv];
    const double small = near_rest * k_->atol[iv];
    if (!(std::abs(v_lo) > small && v_lo * v_hi < 0)) return false;
    for (int i = 0; i < 30 && std::abs(v_hi) > small && hi - lo > 1e-12 * hi; ++i) {
      const double mid = i % 3 == 2 ? (lo + hi) / 2 : lo - v_lo * (hi - lo) / (v_hi - v_lo), v = step_.dense(iv, mid);
      const bool past = v * v_hi >= 0;
      (past ? hi : lo) = mid;
      (past ? v_hi : v_lo) = v;
    }
    root_ = hi;
    return true;
  }
  /// After an attempt that should end at rest.
  constexpr void at_rest() {
    const double v = step_.end[iv];
    bool again = step_.fits;
    if (again) {
      if (!count_step()) return;
      if (!(step_.error <= 1)) {
        h_ = smaller(length_ * step_shrink(order, step_.error), 0.9 * whole_);
        phase_ = Phase::normal;
        return;
      }
      if (std::abs(v) <= near_rest * k_->atol[iv]) {
        if (within_bounds()) {
          ends_at_rest_ = true;
          return look();
        }
        again = false;
      }
    }
    if (again) {
      const double slope =
          tries_ == 0 ? (v - step_.dense(iv, 1 - 1e-3)) / (1e-3 * length_) : (v - last_v_) / (length_ - last_length_);
      last_v_ = v;
      last_length_ = length_;
      length_ -= v / slope;
      if (++tries_ < 3 && length_ > 0 && length_ < whole_) return;
    }
    h_ = 0.5 * smaller(root_, 1.0) * whole_;
    phase_ = Phase::normal;
  }

  /// The momentum balance of an attempt, see MomentumCheckOf.
  constexpr void look() {
    const double h = length_, m = k_->mass, first = m * step_.f(iv);
    double sum = Node<0>::weight * first, pushed = 0, force = std::abs(first), misfit = 0;
    kernel::each_index<3>([&](auto i) {
      using At = Node<i + 1>;
      const Column y = step_.dense(At::at);
      double load = 0;
      const double net = net_at(t_ + At::at * h, y, load);
      sum += At::weight * net;
      pushed += At::share * std::abs(load);
      force = larger(force, std::abs(load));
      if (step_.stiffness > tied) misfit = larger(misfit, std::abs(net - m * step_.dense_rate(iv, At::at) / h));
    });
    const double before = m * step_.y(iv), after = m * step_.end[iv],
                 momentum = larger(std::abs(before), std::abs(after));
    gap_now_ = after - before - h * sum;
    pushed_now_ = h * pushed;
    most_ = larger(most_, momentum);
    force_ = larger(force_, force);
    const double rounding = 4 * epsilon<double> * momentum, most_gap = 10 * k_->rtol * force_ * h + rounding,
                 small = step_.stiffness > tied ? 10 * k_->rtol * force * h + rounding : most_gap;
    if (std::abs(gap_now_) <= small &&
        !(step_.stiffness > tied && step_.stiffness / (1 + step_.stiffness) * misfit > 10 * k_->rtol * force_)) {
      refusals_ = 0;
      by_steps_ = false;
      return take();
    }
    // Separate steps lead to the nodes.
    by_steps_ = true;
    allowed_gap_ = most_gap;
    attempted_ = h;
    impulse_ = Node<0>::weight * first;
    node_ = 0;
    length_ = Node<1>::at * h;
    returns_to_ = ends_at_rest_ ? Phase::rest : Phase::normal;
    phase_ = Phase::nodes;
  }
  constexpr void at_node() {
    if (node_ < 3) {
      double load = 0, weight = 0, next = 1;
      if (node_ == 0) weight = Node<1>::weight, next = Node<2>::at;
      if (node_ == 1) weight = Node<2>::weight, next = Node<3>::at;
      if (node_ == 2) weight = Node<3>::weight;
      impulse_ += weight * net_at(t_ + length_, step_.end, load);
      length_ = ++node_ < 3 ? next * attempted_ : attempted_;
      return;
    }
    const double m = k_->mass;
    gap_now_ = m * step_.end[iv] - m * step_.y(iv) - attempted_ * impulse_;
    phase_ = Phase::normal;
    if (std::abs(gap_now_) > allowed_gap_ && ++refusals_ <= 30) {
      if (returns_to_ == Phase::rest) {
        h_ = attempted_ / 4;
        ends_at_rest_ = false;
        return;
      }
      return reject(attempted_ / 4);
    }
    refusals_ = 0;
    take();
  }

  /// Reports events of an attempt, then accepts it: rows by the dense output, or by steps of their own.
  constexpr void take() {
    reported_ = 0;
    if (!quiet()) report();
    if (ending_ != Ending::done) return;
    accepted_h_ = length_;
    if (!by_steps_) {
      show_until(t_ + length_ + carry_);
      return accept();
    }
    after_rows_ = step_.end;
    next_reported_ = 0;
    next_by_step();
  }
  constexpr bool quiet() const {
    const double v0 = step_.y(iv), v1 = step_.end[iv], near = step_.curvature(iv), vs = k_->stick_velocity;
    if (direction_ == 0) return larger(std::abs(v0), std::abs(v1)) + near < vs || !(vs > 0);
    return smaller(direction_ * v0, direction_ * v1) - near > vs;
  }

  constexpr void accept() {
    const double ahead = accepted_h_ + carry_, t1 = t_ + ahead;
    gap_ += gap_now_;
    worst_ = larger(worst_, std::abs(gap_));
    pushed_ += pushed_now_;
    if (grows(t1)) ending_ = Ending::diverged;
    standstill_ = t1 > t_ ? 0 : standstill_ + 1;
    carry_ = ahead - (t1 - t_);
    t_ = t1;
    const double v_before = step_.y(iv);
    step_.place(step_.end);
    if (ends_at_rest_) side_ = v_before > 0 ? -1 : 1;
    if (k_->knee_velocity >= 0 && std::abs(step_.y(iv)) > near_rest * k_->atol[iv]) side_ = step_.y(iv) > 0 ? 1 : -1;
    if (ends_at_rest_) {
      last_h_ = 0;
      h_ = whole_;
    } else {
      last_h_ = accepted_h_;
      last_err_ = kept_err_;
      if (to_end_) {
        t_ = k_->duration;
        carry_ = 0;
      }
      h_ = to_end_ ? larger(h_, accepted_h_ * grow_) : accepted_h_ * grow_;
    }
    ends_at_rest_ = rejected_ = false;
    phase_ = Phase::normal;
    if (!(k_->duration - t_ - carry_ > 4 * epsilon<double> * k_->duration)) t_ = k_->duration;
    prepare();
  }
  constexpr bool grows(double t) {
    while (most_ > level_) {
      if (since_ > 0 && t < 2 * since_) return true;
      since_ = t;
      level_ *= 64;
    }
    return false;
  }

  // Rows.
  constexpr double row_time(std::int64_t row) const {
    return row + 1 == k_->rows ? k_->duration : static_cast<double>(row) * k_->output_step;
  }
  constexpr Row shown(double t, const Column& y) const {
    const Input<double> in = step_.input(t);
    Row r;
    r.t = t;
    r.x = y[ix];
    r.v = y[iv];
    r.F = step_.friction(y);
    r.F_app = step_.applied(t, y);
    r.drive = k_->external_rate != 0 || k_->external != 0 ? in.external : in.end;
    for (std::size_t i = 0; i < nz; ++i) r.z[i] = y[i];
    return r;
  }
  constexpr void show(double t, const Column& y) { measures_.point(shown(t, y)); }
  constexpr Column at(double t) const { return step_.dense((t - t_) / length_); }
  /// Rows and events in the order of time. An event at the time of a row takes its place.
  constexpr void show_until(double t1) {
    std::size_t e = 0;
    for (;;) {
      const double row = next_row_ < k_->rows ? row_time(next_row_) : never();
      const bool event = k_->rows > 0 && e < reported_ && event_times_[e] <= row;
      if (event) {
        const double t = event_times_[e++];
        if (t > 0) show(t, at(t));
        if (row == t && t > 0) ++next_row_;
        continue;
      }
      if (!(row < t1)) break;
      show(row, at(row));
      ++next_row_;
    }
    measures_.pass_probes(t1, false, [&](double t) { return shown(t, at(t)); });
  }
  /// The next row, event or value of a step whose dense output is of no use, by a step of its own.
  constexpr void next_by_step() {
    const double t1 = t_ + accepted_h_ + carry_;
    for (;;) {
      const double row = next_row_ < k_->rows ? row_time(next_row_) : never(), probe = measures_.next_probe();
      const double event = k_->rows > 0 && next_reported_ < reported_ ? event_times_[next_reported_] : never();
      const double t = smaller(smaller(row < t1 ? row : never(), probe < t1 ? probe : never()), event);
      if (!(t < inf)) {
        step_.end = after_rows_;
        return accept();
      }
      const double length = t - t_ - carry_;
      row_t_ = t;
      if (length > 0 && length < accepted_h_) {
        length_ = length;
        phase_ = Phase::rows;
        return;
      }
      show_at_step(length > 0 ? after_rows_ : step_.start());
    }
  }
  constexpr void show_at_step(const Column& y) {
    const double t = row_t_;
    if (measures_.next_probe() == t) measures_.pass_probes(t, true, [&](double) { return shown(t, y); });
    const bool row = next_row_ < k_->rows && row_time(next_row_) == t,
               event = k_->rows > 0 && next_reported_ < reported_ && event_times_[next_reported_] == t;
    if (row || event) show(t, y);
    if (row) ++next_row_;
    if (event) ++next_reported_;
  }
  constexpr void at_row() {
    show_at_step(step_.fits ? step_.end : after_rows_);
    next_by_step();
  }

  // Events: the velocity passes the threshold of stick, see CrossingsOf.
  constexpr double guard(double theta) const {
    const double v = theta < 1 ? step_.dense(iv, theta) : step_.end[iv];
    return direction_ == 0 ? std::abs(v) - k_->stick_velocity : k_->stick_velocity - direction_ * v;
  }
  constexpr void note(double t, int direction) {
    ++events_;
    measures_.event(t, direction == 0 ? Event::stick : direction > 0 ? Event::slip_forward : Event::slip_backward);
  }
  constexpr void report() {
    if (!(k_->stick_velocity > 0)) return;
    double from = 0;
    const auto guard_at = [&](double theta) { return guard(theta); };
    const auto place = [&](std::size_t k) { return from + (1 - from) * rise_node(k); };
    for (int i = 0; i < 64; ++i) {
      const Rise c = rise_of(place, [&](std::size_t k) { return guard(place(k)); }, guard_at);
      if (!c.found) return;
      if (!c.at_once) from = root_of(guard_at, c.lo, c.hi);
      const double ahead = c.hi < 1 ? step_.dense(iv, c.hi) : step_.end[iv], t = t_ + from * length_;
      direction_ = direction_ != 0 ? 0 : ahead > 0 ? 1 : -1;
      note(t, direction_);
      if (reported_ == most_reported) {
        ending_ = Ending::too_many_events;
        return;
      }
      event_times_[reported_++] = t;
    }
  }

  static constexpr std::size_t most_reported = 16;
  const Task* k_ = nullptr;
  Attempt step_{};
  Column after_rows_{};
  Measures measures_{};
  double t_{}, h_{}, carry_{}, length_{}, last_h_{}, last_err_{1}, grow_{}, kept_err_{};
  double accepted_h_{}, whole_{}, last_v_{}, last_length_{}, root_{}, row_t_{};
  double gap_{}, gap_now_{}, pushed_{}, pushed_now_{}, worst_{}, most_{}, force_{}, level_{}, since_{};
  double allowed_gap_{}, attempted_{}, impulse_{}, energy0_{};
  std::array<double, most_reported> event_times_{};
  std::int64_t steps_{}, rejected_count_{}, next_row_{};
  std::size_t reported_{}, next_reported_{};
  int side_{}, direction_{}, standstill_{}, refusals_{}, tries_{}, node_{};
  std::int64_t events_{};
  bool rejected_{}, to_end_{}, by_steps_{}, ends_at_rest_{};
  Phase phase_{Phase::normal}, returns_to_{Phase::normal};
  Ending ending_{Ending::done};
};

}  // namespace bristle::plain
