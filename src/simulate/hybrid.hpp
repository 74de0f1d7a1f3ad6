#pragma once
#include <algorithm>
#include <array>
#include <cmath>

#include "crossings.hpp"
#include "heat_sum.hpp"
#include "momentum_check.hpp"
#include "record.hpp"
#include "step_size.hpp"
#include "stepper.hpp"

/// Variable steps between events. Events are looked for on the dense output at several points of every step and at the
/// peaks between them, then the step is taken again so that it ends on the event.
namespace bristle {

/// W: a System or a Chain. S: its stepper, any or a certain one.
template <class W, class S = StepperOf<W>> class HybridRunOf {
 public:
  HybridRunOf(W& system, const Experiment& e, S& stepper, Recorder& out)
      : system_(system),
        solver_(e.solver),
        stepper_(stepper),
        out_(out),
        caution_(stepper.caution() * system.caution()),
        slow_time_(system.slow_time()),
        y_(system.start()),
        momentum_(system, stepper, e.solver.rtol),
        heat_(e, system),
        crossings_(system, stepper, system.slip_noise(caution_ * e.solver.rtol), 0.01 * e.solver.rtol) {
    buffer_ = ahead_ = y_;
    passing_.reserve(system.bodies());
    allowed_.rtol = std::max(caution_ * solver_.rtol, std::min(solver_.rtol, 1e-13));
    for (double scale : system.scales())
      allowed_.atol.push_back(solver_.atol > 0 ? caution_ * solver_.atol : allowed_.rtol * scale);
    allowed_.atol.resize(system.size(), allowed_.rtol * system.work_scale());
    allowed_.largest = system.largest();
    allowed_.largest.resize(system.size(), inf);
    stepper.allow(allowed_);
  }

  /// Puts the stepper where the next attempt begins; false if the run is over.
  bool start_step() {
    if (!fresh_) return true;
    const double T = solver_.duration;
    while (!(piece_end_ - t_ - carry_ > 4 * epsilon<double> * piece_end_)) {
      out_.options.heed();
      if (piece_end_ > 0) {
        t_ = piece_end_;
        carry_ = 0;
      } else {
        system_.begin_energy(y_);
      }
      if (!(t_ < T)) return false;
      const bool corner = system_.corner_shown(t_);
      if (corner) out_.limits.before(t_, row_);
      note(system_.enter_piece(t_, std::min(system_.next_corner(t_), T), y_));
      if (corner) out_.limits.after(t_, true, row_);
      piece_end_ = std::min(system_.next_corner(t_), T);  // the servo has set its next sample
      if (h_ == 0) h_ = first_step();
      last_h_ = 0;
      guards_known_ = false;
    }
    stepper_.from(t_, y_.data());
    if (!guards_known_ && system_.may_switch()) system_.guards(t_, y_.data(), first_);
    guards_known_ = fresh_ = rejected_ = false;
    return true;
  }
  /// Length of the next attempt.
  double choose() {
    count_step();
    double h = std::min({h_, system_.longest_step(), before_knee()});
    to_end_ = h > 0.9 * (piece_end_ - t_ - carry_);
    if (to_end_) h = piece_end_ - t_ - carry_;
    if (h < 1e-290 || standstill_ > 20000) fail(system_, "step size too small", t_, h, y_.data());
    return h;
  }
  /// Accepts the attempt of length h, up to an event if there is one, or shortens the next.
  void judge(double h, bool fits) {
    if (!fits || (h > slow_time_ / 7 && stepper_.restless()))
      return reject(fits ? std::min(h / 2, slow_time_ / 8) : h / 2);
    const double err = norm();
    if (err > 0.01 && err < 1e6) {  // the estimate is of no use with a kink inside
      if (const Crossing c = passes_rest(); c.found) return at_rest(c, h);
    }
    if (!(err <= 1)) return reject(std::min(h * shrink(err), 0.999 * h));
    const double grow = std::clamp(growth(h, err), 0.2, rejected_ ? 1.0 : 6.0);
    const bool calm = quiet(h);
    const bool looked = !calm && crossings_.look(Guard::switches, t_, h);
    if (looked) {
      if (const Crossing c = crossings_.find(Guard::switches); c.found) {
        fresh_ = true;
        return at_event(c, h);
      }
    }
    if (!system_.within_bounds(y_.data(), stepper_.end())) return reject(h / 4);
    if (!momentum_.obeys(t_, y_.data(), h)) return reject(h / 4);
    if (!calm) report(h, looked);
    accept(h);
    fresh_ = true;
    last_h_ = h;
    last_err_ = std::max(err, 0.01);
    if (to_end_) {
      t_ = piece_end_;
      carry_ = 0;
    }
    h_ = to_end_ ? std::max(h_, h * grow) : h * grow;
    at_once_ = 0;
    if (calm && !to_end_ && system_.may_switch()) {
      std::swap(first_, last_);
      guards_known_ = true;
    }
  }
  void finish() {
    stepper_.flush();
    out_.pass(t_, true, [&](double t, double* row) { system_.row(t, y_.data(), row); });
    Summary& s = out_.summary;
    s.method = stepper_.name();
    s.evaluations = stepper_.counts().evaluations;
    s.jacobians = stepper_.counts().jacobians;
    s.energy = system_.energy(solver_.duration, y_);
    s.energy.error = missing_part(s.energy, std::pow(momentum_.sum.largest_momentum(), 2) / (2 * system_.mass()));
    s.momentum.error = momentum_.sum.error();
    heat_.note(s.energy.friction, solver_.rtol, s);
    note_rest(system_, momentum_.sum, s);
    require_balance(s, solver_, system_.work_scale());
  }

 private:
  double first_step() {
    stepper_.from(t_, y_.data());
    double slope = 0;
    for (std::size_t i = 0; i < system_.states(); ++i)
      slope =
          std::max(slope, std::abs(stepper_.begin_rates()[i]) / (allowed_.atol[i] / allowed_.rtol + std::abs(y_[i])));
    const double h = slope > 0 ? 1e-3 / slope : solver_.duration;
    return std::min({h, system_.longest_step(), solver_.duration * 1e-3});
  }

  void reject(double next) {
    ++out_.summary.rejected;
    rejected_ = true;
    h_ = next;
  }
  double growth(double h, double err) const { return step_growth(stepper_.order(), h, err, last_h_, last_err_); }
  /// A body that slows down meets the curvature of its steady curve at a few vs: no step goes there in one.
  double before_knee() const {
    const double curvature = system_.knee_velocity();
    if (!(curvature > 0)) return inf;
    double h = inf;
    for (std::size_t body = 1; body <= system_.bodies(); ++body) {
      const std::size_t i = system_.velocity_of(body);
      const double v = std::abs(y_[i]), a = stepper_.begin_rates()[i];
      if (v > 4.5 * curvature && y_[i] * a < 0) h = std::min(h, std::min(v - 3 * curvature, 0.65 * v) / std::abs(a));
    }
    return h;
  }
  double shrink(double err) const { return step_shrink(stepper_.order(), err); }
  /// Of the last attempt.
  double norm() {
    double worst = stepper_.norm();
    if constexpr (W::may_be_prescribed) {
      if (system_.prescribed() &&
          worst < inf) {  // a second rule for the work sees the corners that the first steps over
        const std::size_t friction = y_.size() - 1;
        work_ = stepper_.work();
        // A large sum of work loses the digits of a short step: the difference cannot be more exact than that.
        const double begin = y_[friction], end = stepper_.end()[friction],
                     allowed = allowed_.atol[friction] + allowed_.rtol * std::abs(end - begin) +
                               8 * epsilon<double> * std::abs(end);
        worst = std::max(
            {worst, std::abs(stepper_.error()[friction]) / allowed, std::abs(end - begin - work_) / (3 * allowed)});
      }
    }
    return std::isnan(worst) ? inf : worst;
  }

  /// Steps may be shorter than the spacing of numbers near t: a steep law passes through rest in less. The part that
  /// does not show in t_ is carried on.
  void accept(double h) {
    const double ahead = h + carry_, t1 = t_ + ahead;
    momentum_.sum.add();
    end_.assign(stepper_.end(), stepper_.end() + y_.size());
    add_heat(h);
    if (momentum_.by_steps()) {
      record_by_steps(t1, h);
    } else {
      record(t1);
    }
    if (out_.growth.beyond(t1, momentum_.sum.largest_momentum())) diverge(system_, out_.growth, t1, h, end_.data());
    if (const double r = system_.load(t1); r < 0)
      fail(system_, "negative normal load ratio (" + to_text(r) + ")", t1, h, y_.data());
    if constexpr (W::may_be_prescribed) {
      if (system_.prescribed()) system_.add_work(work_);
    }
    standstill_ = t1 > t_ ? 0 : standstill_ + 1;
    carry_ = ahead - (t1 - t_);
    t_ = t1;
    y_.swap(end_);
    if (system_.knee_velocity() >= 0) {
      for (std::size_t body = 1; body <= system_.bodies(); ++body) {
        const std::size_t i = system_.velocity_of(body);
        if (std::abs(y_[i]) > rest_ * allowed_.atol[i]) system_.take_side(body, y_[i] > 0 ? 1 : -1);
      }
    }
  }
  void add_heat(double h) {
    if (!heat_.any()) return;
    heat_.add(h, [&](double theta, double* row) {
      const bool inside = theta > 0 && theta < 1;
      if (inside) stepper_.dense(theta, buffer_.data());
      system_.row(t_ + carry_ + theta * h, inside ? buffer_.data() : theta > 0 ? end_.data() : y_.data(), row);
    });
  }
  void record(double t1) {
    out_.pass_many(t1, false, [&](const double* t, std::size_t n, double* const* to) { stepper_.rows(t, n, to); });
    show_reports([&](double t, double* row) {
      const double theta = (t - t_) / stepper_.length();
      if constexpr (W::may_be_prescribed) {
        stepper_.dense(theta, buffer_.data());
      } else {
        for (const std::size_t body : system_.shown())
          stepper_.dense_of(system_.states_of(body), theta, buffer_.data());
      }
      system_.row(t, buffer_.data(), row);
    });
  }
  template <class Row> void show_reports(Row&& row) {
    if (reported_.empty()) return;
    std::sort(reported_.begin(), reported_.end());
    for (const double t : reported_) out_.limits.at(t, row);
    reported_.clear();
  }
  /// The same where the dense output cannot be used: a step of its own to every row.
  void record_by_steps(double t1, double h) {
    auto row_at = [&](double t, double* row) {
      const double length = t - t_ - carry_;
      const bool stepped = length > 0 && length < h && stepper_.attempt(length);
      system_.row(t, stepped ? stepper_.end() : length > 0 ? end_.data() : y_.data(), row);
    };
    out_.pass(t1, false, row_at);
    show_reports(row_at);
  }
  double velocity_at(std::size_t i, double theta) {
    stepper_.dense_of({i, i + 1}, theta, buffer_.data());
    return buffer_[i];
  }
  /// Guards that follow the slip velocity or a state cannot rise if it stays clear of them between the ends of the step.
  bool quiet(double h) {
    if (!system_.may_switch()) {
      for (std::size_t body = 1; body <= system_.bodies(); ++body) {
        const std::size_t i = system_.velocity_of(body);
        if (system_.nothing_to_tell(body, y_[i], stepper_.end()[i], stepper_.curvature(i))) continue;
        system_.guards(t_, y_.data(), first_);
        return false;
      }
      return true;
    }
    std::size_t body = 1;
    double curvature;
    if constexpr (W::may_be_prescribed) {
      curvature = system_.prescribed() ? system_.slip_curvature(t_, h) : stepper_.curvature(system_.velocity_of(body));
    } else {
      curvature = stepper_.curvature(system_.velocity_of(body));
    }
    if (!(curvature < inf)) return false;
    system_.guards(t_ + h, stepper_.end(), last_);
    bool sped = false;
    for (std::size_t i = 0; i < first_.size(); ++i) {
      if (first_[i].meaning == Guard::kinks) continue;
      if constexpr (std::is_same_v<W, System>) {
        const int state = system_.guarded_state(first_[i]);
        if (state >= 0) {
          const auto k = static_cast<std::size_t>(state);
          double most = std::max(first_[i].value, last_[i].value);
          if (system_.limit_falls(first_[i])) {
            if (!sped) guards_at_speed(h, curvature);
            sped = true;
            most = fast_[i].value + std::abs(stepper_.end()[k] - y_[k]);
          }
          if (most + stepper_.curvature(k) >= 0) return false;
          continue;
        }
      }
      if (first_[i].body != body) curvature = stepper_.curvature(system_.velocity_of(body = first_[i].body));
      if (std::max(first_[i].value, last_[i].value) + curvature >= 0 || !system_.follows_slip(first_[i], y_.data()))
        return false;
    }
    return true;
  }

  /// Guards at the end of the attempt, but at the largest speed within it.
  void guards_at_speed(double h, double curvature) {
    const std::size_t i = system_.velocity_of(1);
    const double v = stepper_.end()[i];
    std::copy_n(stepper_.end(), y_.size(), buffer_.begin());
    buffer_[i] = std::copysign(std::max(std::abs(y_[i]), std::abs(v)) + curvature, v);
    system_.guards(t_ + h, buffer_.data(), fast_);
  }

  void jump(const Guard& guard, double ahead_t) {
    ++out_.summary.switches;
    const bool shown = system_.shows(guard.body);
    if (shown) out_.limits.before(t_, row_);
    const Change change = system_.jump(guard, t_, y_, ahead_t, ahead_.data());
    note(change);
    if (shown) out_.limits.after(t_, change.happened, row_);
  }

  void note(const Change& change) { out_.note(system_, t_, y_.data(), change, solver_.rtol); }
  void note(const std::vector<Change>& changes) {
    for (const Change& change : changes) note(change);
  }

  /// As good as zero for a guard of the attempt that was looked at.
  double small_at(std::size_t guard) const {
    return 1e-6 * std::abs(first_[guard].value) + 1e-9 * std::abs(crossings_.last(guard));
  }
  // Events, see events.hpp.
  /// The first body that passes through rest within an attempt that failed: there the law has a kink.
  Crossing passes_rest();
  /// Takes such an attempt again up to there.
  void at_rest(const Crossing& c, double h);
  /// Events that change nothing are read off the dense output of an attempt that is going to be accepted. Each is a matter
  /// of one body. `looked`: the attempt has been examined.
  void report(double h, bool looked = false);
  /// An event, and those of other bodies that come with it.
  void at_event(const Crossing& c, double h);
  /// Takes the step again with the length that makes the guard zero at its end, by the secant rule. Negative if there is
  /// no such length: the step was too long to tell.
  double land(std::size_t guard, double length, double h);

  void count_step() {
    if (static_cast<double>(++out_.summary.steps) > solver_.max_steps)
      fail(system_, "max_steps exceeded", t_, h_, y_.data());
    out_.tick(t_, system_.bodies());
  }

  W& system_;
  const SolverParams& solver_;
  S& stepper_;
  Recorder& out_;
  Tolerances allowed_{};
  const double caution_;  // factor on the tolerances
  const double slow_time_;
  double t_ = 0, h_ = 0, carry_ = 0, work_ = 0;
  double last_h_ = 0, last_err_ = 1;    // of the last accepted step
  static constexpr double rest_ = 0.1;  // of its tolerance: a velocity that is as good as zero
  std::size_t at_once_ = 0;
  int standstill_ = 0;
  std::vector<double> y_, buffer_{}, ahead_{}, end_{};
  std::vector<double> reported_{};  // times of events within the attempt that change nothing
  struct Row {                      // of the present state
    HybridRunOf& run;
    void operator()(double t, double* row) const { run.system_.row(t, run.y_.data(), row); }
  } row_{*this};
  MomentumCheckOf<W, S> momentum_;
  HeatSum heat_;
  CrossingsOf<W, S> crossings_;
  std::vector<Guard>& first_ = crossings_.first;  // guards where the attempt begins
  std::vector<Guard> last_{}, fast_{};
  struct Together {
    Guard guard;
    Crossing crossing;
    double small;
  };
  std::vector<Together> together_{};    // events at the time of another
  std::vector<std::size_t> passing_{};  // bodies that pass through rest within an attempt
  double piece_end_ = 0;
  bool fresh_ = true;  // the next attempt begins somewhere else than the last
  bool rejected_ = false, to_end_ = false;
  bool guards_known_ = false;  // at the start of the next step
};

}  // namespace bristle

#include "events.hpp"  // IWYU pragma: export
