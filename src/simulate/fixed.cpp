#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bristle/simulate/snapshot.hpp"
#include "population.hpp"
#include "record.hpp"

/// Real time: a fixed step, each one the implicit coupling of couple.hpp. Springs and dampers are part of the solve.
namespace bristle {
namespace {

class FixedRun {
 public:
  FixedRun(const Experiment& e, Recorder& out, double step)
      : e_(e), out_(out), step_(step), contact_(e.contacts.front().contact->clone()) {
    settle_population(*contact_, [&] { out_.tick(0); });
    contact_->reset();
    if (e.feedforward) feedforward_ = e.feedforward->clone();
    x_ = e.body.x0;
    v_ = e.body.v0;
    omega_ = e.disk.omega0;
    inertia_ = e.disk.inertia > 0 ? e.disk.inertia : e.body.mass * e.disk.radius * e.disk.radius / 2;
    if (e.kind == SystemKind::prescribed) x_ = e.drive.of == DriveOf::position ? e.drive.at(0).value : 0;
  }

  void run() {
    const double T = e_.solver.duration, dt = step_;
    const double kinetic = kinetic_energy(), spring = spring_energy(0);
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
      if (++out_.summary.steps % (population_ ? 8 : 4096) == 0) out_.tick(t1);
    }
    now_ = row(T);
    out_.pass(T, true, [&](double, double* to) { std::copy(now_.begin(), now_.end(), to); });
    w.kinetic = kinetic_energy() - kinetic;
    w.spring = spring_energy(T) - spring;
    const double largest = std::max(
        {std::abs(w.drive), std::abs(w.kinetic), std::abs(w.spring), std::abs(w.damper), std::abs(w.friction)});
    w.error = largest > 0 ? std::abs(w.drive - w.kinetic - w.spring - w.damper - w.friction) / largest : 0;
    out_.population = snapshot(*contact_);
    out_.summary.method = "fixed";
    out_.summary.evaluations = out_.summary.steps;
  }

 private:
  void advance(double t0, double t1, EnergyBalance& w) {
    const double dt = t1 - t0, m = e_.body.mass, R = e_.disk.radius;
    const Signal d = e_.drive.at(t1);
    const bool velocity = e_.drive.of == DriveOf::velocity, force = e_.drive.of == DriveOf::force;
    Motion<double> u{
        .x = x_, .v = v_, .F_app = 0, .r = load(t1), .path = path_, .t = t1, .temperature = e_.body.temperature};
    if (e_.kind == SystemKind::prescribed) {
      const double x1 = velocity ? x_ + d.value * dt : d.value;
      v_ = velocity ? d.value : (x1 - x_) / dt;
      u.v = v_;
      u.x = x_ = x1;
      path_ += std::abs(v_) * dt;
      u.path = path_;
      if (v_ != 0 || !set_valued_) F_ = contact_->step(u, dt);  // at rest a set-valued law keeps its last slip force
      F_app_ = F_;
      w.friction += F_ * v_ * dt;
      w.drive += F_ * v_ * dt;
      return;
    }
    end_ = velocity ? end_ + d.value * dt : force ? 0 : d.value;
    const double end_v = velocity ? d.value : force ? 0 : d.rate;
    double k = e_.body.stiffness, c = e_.body.damping, external = force ? d.value : 0;
    if (e_.controller) {
      k = c = 0;
      external = servo(*e_.controller, t0, end_, end_v, dt);
    }
    const double mass = m + dt * c + dt * dt * k, v0 = v_;
    const double pull = k * (end_ - x_ - e_.body.rest_length) + c * end_v + external;
    if (e_.kind == SystemKind::roller) {
      // v1 = A - dt F/mass and omega1 = omega + dt R F/I: a coupling in the slip velocity.
      const double A = (m * v_ + dt * pull) / mass, slip_mass = 1 / (1 / mass + R * R / inertia_),
                   slip = v_ - R * omega_;
      u.v = slip;
      u.x = x_ - R * phi_;
      u.F_app = slip_mass * (A - R * omega_ - slip) / dt;
      const Coupled<double> step = contact_->couple(u, slip_mass, dt);
      F_ = step.F;
      v_ = A - dt * F_ / mass;
      omega_ += dt * R * F_ / inertia_;
      phi_ += omega_ * dt;
      path_ += std::abs(step.v) * dt;
      w.friction += F_ * step.v * dt;
    } else {
      u.F_app = pull - (c + dt * k) * v_;
      const Coupled<double> step = contact_->couple(u, mass, dt);
      F_ = step.F;
      v_ = step.v;
      path_ += std::abs(v_) * dt;
      w.friction += F_ * v_ * dt;
    }
    x_ += v_ * dt;
    const double stretch_force = k * (end_ - x_ - e_.body.rest_length) + c * (end_v - v_);
    F_app_ = m * (v_ - v0) / dt + F_;
    w.damper += c * (end_v - v_) * (end_v - v_) * dt;
    w.drive += (stretch_force * end_v + external * v_) * dt;
  }

  double servo(const ControllerParams& c, double t, double reference, double reference_v, double dt) {
    const double T = c.sample_time > 0 ? c.sample_time : dt;
    if (c.sample_time > 0 && t < next_sample_ - 1e-9 * dt) return u_;
    double x = x_;
    if (c.encoder_step > 0) x = c.encoder_step * std::round(x / c.encoder_step);
    const double error = reference - x;
    if (first_) last_error_ = error;
    first_ = false;
    integral_ += error * T;
    const double slope = c.sample_time > 0 ? (error - last_error_) / T : reference_v - v_;
    double u = c.kp * error + c.ki * integral_ + c.kd * slope;
    if (feedforward_) u += feedforward_->step({.x = reference, .v = reference_v, .F_app = 0, .t = t}, T);
    last_error_ = error;
    next_sample_ += T;
    return u_ = std::clamp(u, -c.limit, c.limit);
  }

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

  double load(double t) const { return e_.load ? e_.load->at(t).value : 1; }
  double kinetic_energy() const {
    if (e_.kind == SystemKind::prescribed) return 0;
    return (e_.body.mass * v_ * v_ + (e_.kind == SystemKind::roller ? inertia_ * omega_ * omega_ : 0)) / 2;
  }
  double spring_energy(double t) const {
    if (e_.kind == SystemKind::prescribed || e_.controller) return 0;
    const double end = e_.drive.of == DriveOf::position ? e_.drive.at(t).value : end_;
    return e_.body.stiffness * std::pow(end - x_ - e_.body.rest_length, 2) / 2;
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

  const Experiment& e_;
  Recorder& out_;
  double step_;
  std::unique_ptr<AnyContact> contact_, feedforward_{};
  double x_{}, v_{}, omega_{}, phi_{}, inertia_{}, path_{}, F_{}, F_app_{}, end_{}, u_{};
  double integral_{}, last_error_{}, next_sample_{};
  bool first_ = true;
  const bool population_ = has_population(e_);
  const double stick_velocity_ = e_.solver.stick_velocity > 0 ? e_.solver.stick_velocity : contact_->scales().velocity;
  int direction_{};
  const bool set_valued_ = make_flow(*contact_)->traits().set_valued;
  std::vector<double> before_{}, now_{};
};

}  // namespace

void run_fixed(const Experiment& e, Recorder& out, double step) { FixedRun(e, out, step).run(); }

}  // namespace bristle
