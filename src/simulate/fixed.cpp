#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "bristle/simulate/snapshot.hpp"
#include "momentum.hpp"
#include "population.hpp"
#include "record.hpp"
#include "simulate/shared/fixed_body.hpp"

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
      throw RunFailed("max_steps exceeded: the run requires " + to_text(n) +
                      " steps; a larger step or max_steps is accepted");
    EnergyBalance& w = out_.summary.energy;
    for (double k = 0; k < n; ++k) {
      const double t0 = k * dt, t1 = k + 1 < n ? (k + 1) * dt : T;
      const double corner = next_corner(t0);
      const bool shown = out_.due(t1), turns = corner <= t1 && corner < T;
      if (shown || turns || population_) before_ = row(t0);
      const double v0 = v_, omega0 = omega_;
      advance(t0, t1, w);
      if (!std::isfinite(F_) || !std::isfinite(x_) || !std::isfinite(v_))
        throw RunFailed(fmt::format("the run diverged before t = {} s; smaller steps are required", to_text(t1)));
      add_momentum(v0, omega0, t1 - t0);
      if (out_.growth.beyond(t1, momentum_.largest_momentum()))
        diverge_at({"x", "v", "F"}, out_.growth, t1, dt, std::array{x_, v_, F_}.data());
      const bool event = population_ && note(t1);
      if (shown || turns || event) now_ = row(t1);
      if (turns || event) show_limits(turns ? corner : t1);
      if (shown) out_.pass(t1, false, [&](double t, double* to) { between(t, t0, t1, to); });
      ++out_.summary.steps;
      out_.tick(t1, population_ ? 512 : 1);
    }
    now_ = row(T);
    out_.pass(T, true, [&](double, double* to) { std::copy(now_.begin(), now_.end(), to); });
    w.kinetic = kinetic_energy() - kinetic;
    w.spring = potential_energy(T) - spring;
    w.error = missing_part(w);
    out_.summary.momentum.error = momentum_.error();
    if (e_.body.mass > 0 && momentum_.size() > 0 && momentum_.held(0)) note_rest({1}, 1, out_.summary);
    require_momentum(out_.summary, e_.solver);
    out_.population = snapshot(*contact_);
    out_.summary.method = "fixed";
    out_.summary.evaluations = out_.summary.steps;
  }

 private:
  /// Populations have no stick of their own: slow is stuck.
  bool note(double t) {
    const double v = e_.kind == SystemKind::roller ? v_ - e_.disk.radius * omega_ : v_;
    const int direction = std::abs(v) <= stick_velocity_ ? 0 : v > 0 ? 1 : -1;
    if (direction == direction_) return false;
    direction_ = direction;
    out_.events.push_back({t,
                           direction == 0  ? Event::stick
                           : direction > 0 ? Event::slip_forward
                                           : Event::slip_backward,
                           1});
    return true;
  }

  /// The first corner of drive or load after t.
  double next_corner(double t) {
    if (!(corner_ > t)) {
      corner_ = e_.drive.next_corner(t);
      if (e_.load) corner_ = std::min(corner_, e_.load->next_corner(t));
    }
    return corner_;
  }
  /// A step has no limits in between: the values before and after it take their place.
  void show_limits(double at) {
    auto copy = [](const std::vector<double>& from) {
      return [&from](double t, double* to) {
        std::copy(from.begin(), from.end(), to);
        to[0] = t;
      };
    };
    out_.limits.before(at, copy(before_));
    out_.limits.after(at, true, copy(now_));
  }

  /// Of the step as it is defined: F_app and F at its end.
  void add_momentum(double v0, double omega0, double dt) {
    if (momentum_.size() == 0) return;
    auto put = [&](std::size_t i, double before, double after, double net) {
      momentum_.before[i] = before;
      momentum_.after[i] = after;
      momentum_.first[i] = net;
      for (std::size_t k = 0; k < MomentumSum::places; ++k) {
        momentum_.net[k * momentum_.size() + i] = net;
        momentum_.applied[k * momentum_.size() + i] = F_app_;
      }
    };
    put(0, e_.body.mass * v0, e_.body.mass * v_, F_app_ - F_);
    if (e_.kind == SystemKind::roller)
      put(1, inertia_ / e_.disk.radius * omega0, inertia_ / e_.disk.radius * omega_, F_);
    momentum_.look(dt);
    momentum_.add();
  }

  /// Columns as System::columns gives them.
  std::vector<double> row(double t) const {
    std::vector<double> out{t, x_, v_, F_, F_app_, e_.drive.at(t).value};
    if (!e_.contacts.front().name.empty()) out.push_back(F_);
    for (const Variable& s : contact_->states()) out.push_back(s.value);
    if (e_.kind == SystemKind::roller) out.insert(out.end(), {omega_, phi_, v_ - e_.disk.radius * omega_});
    if (e_.controller) out.insert(out.end(), {u_, end_});
    if (const Compensator* c = servo_.compensator()) {
      out.resize(out.size() + c->size());
      c->estimates(out.data() + out.size() - c->size());
    }
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
  double corner_{};
  std::vector<double> before_{}, now_{};
  MomentumSum momentum_{e_.kind == SystemKind::prescribed ? 0U : e_.kind == SystemKind::roller ? 2U : 1U};
};

}  // namespace

void run_fixed(const Experiment& e, Recorder& out, double step) { FixedRun(e, out, step).run(); }

}  // namespace bristle
