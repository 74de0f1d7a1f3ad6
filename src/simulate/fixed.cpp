#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bristle/simulate/snapshot.hpp"
#include "fixed_body.hpp"
#include "population.hpp"
#include "record.hpp"

/// Real time: a fixed step.
namespace bristle {
namespace {

class FixedRun : private FixedBody {
 public:
  FixedRun(const Experiment& e, Recorder& out, double step) : FixedBody(e), out_(out), step_(step) {
    settle_population(*contact_, [&] { out_.tick(0); });
    contact_->reset();
  }

  void run() {
    const double T = e_.solver.duration, dt = step_;
    const double kinetic = kinetic_energy(), spring = potential_energy(0);
    const auto n = std::max(1.0, std::ceil(T / dt * (1 - 1e-12)));
    if (n > e_.solver.max_steps)
      throw RunFailed("max_steps is too small for this step: it takes " + number(n) + " steps");
    EnergyBalance& w = out_.summary.energy;
    for (double k = 0; k < n; ++k) {
      const double t0 = k * dt, t1 = k + 1 < n ? (k + 1) * dt : T;
      const bool shown = out_.due(t1);
      if (shown) before_ = row(t0);
      advance(t0, t1, w);
      if (!std::isfinite(F_) || !std::isfinite(x_) || !std::isfinite(v_))
        throw RunFailed(fmt::format("the run diverged before t = {} s: it needs smaller steps", number(t1)));
      if (population_) note(t1);
      if (shown) {
        now_ = row(t1);
        out_.pass(t1, false, [&](double t, double* to) { between(t, t0, t1, to); });
      }
      ++out_.summary.steps;
      out_.tick(t1, population_ ? 512 : 1);
    }
    now_ = row(T);
    out_.pass(T, true, [&](double, double* to) { std::copy(now_.begin(), now_.end(), to); });
    w.kinetic = kinetic_energy() - kinetic;
    w.spring = potential_energy(T) - spring;
    const double largest = std::max(
        {std::abs(w.drive), std::abs(w.kinetic), std::abs(w.spring), std::abs(w.damper), std::abs(w.friction)});
    w.error = largest > 0 ? std::abs(w.drive - w.kinetic - w.spring - w.damper - w.friction) / largest : 0;
    out_.population = snapshot(*contact_);
    out_.summary.method = "fixed";
    out_.summary.evaluations = out_.summary.steps;
  }

 private:
  /// Populations have no stick of their own: slow is stuck.
  void note(double t) {
    const double v = e_.kind == SystemKind::roller ? v_ - e_.disk.radius * omega_ : v_;
    const int direction = std::abs(v) <= stick_velocity_ ? 0 : v > 0 ? 1 : -1;
    if (direction == direction_) return;
    direction_ = direction;
    out_.events.push_back({t,
                           direction == 0  ? Event::stick
                           : direction > 0 ? Event::slip_forward
                                           : Event::slip_backward,
                           1});
  }

  /// Columns as World::columns gives them.
  std::vector<double> row(double t) const {
    std::vector<double> out{t, x_, v_, F_, F_app_, e_.drive.at(t).value};
    if (!e_.contacts.front().name.empty()) out.push_back(F_);
    for (const Variable& s : contact_->states()) out.push_back(s.value);
    if (e_.kind == SystemKind::roller) out.insert(out.end(), {omega_, phi_, v_ - e_.disk.radius * omega_});
    if (e_.controller) out.insert(out.end(), {u_, end_});
    return out;
  }
  void between(double t, double t0, double t1, double* to) const {
    const double part = (t - t0) / (t1 - t0);
    for (std::size_t i = 0; i < now_.size(); ++i) to[i] = before_[i] + part * (now_[i] - before_[i]);
    to[0] = t;
  }

  Recorder& out_;
  double step_;
  const bool population_ = has_population(e_);
  const double stick_velocity_ = e_.solver.stick_velocity > 0 ? e_.solver.stick_velocity : contact_->scales().velocity;
  int direction_{};
  std::vector<double> before_{}, now_{};
};

}  // namespace

void run_fixed(const Experiment& e, Recorder& out, double step) { FixedRun(e, out, step).run(); }

}  // namespace bristle
