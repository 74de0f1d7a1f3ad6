#include "simulate/shared/fixed_body.hpp"

#include <algorithm>
#include <cmath>

#include "simulate/shared/flow.hpp"
#include "system.hpp"

namespace bristle {

FixedBody::FixedBody(const Experiment& e)
    : e_(e), contact_(e.contacts.front().contact->clone()), set_valued_(make_flow(*contact_)->traits().set_valued) {
  x_ = e.body.x0;
  v_ = e.body.v0;
  omega_ = e.disk.omega0;
  inertia_ = e.disk.inertia > 0 ? e.disk.inertia : e.body.mass * e.disk.radius * e.disk.radius / 2;
  if (e.controller) servo_ = {*e.controller, e.feedforward.get(), e.body.mass, x_, v_};
  if (e.kind == SystemKind::prescribed) x_ = e.drive.of == DriveOf::position ? e.drive.at(0).value : 0;
}

void FixedBody::advance(double t0, double t1, EnergyBalance& w) {
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
  Input<double> in{end_, velocity ? d.value : force ? 0 : d.rate, force ? d.value : 0};
  Spring<double> spring = spring_of(e_.body);
  if (e_.controller) in.external = servo(t0, {end_, in.end_v, velocity ? d.rate : d.rate2}, dt);
  if (e_.controller || !engaged_) spring.stiffness = spring.damping = 0;
  if (!engaged_) in.external = 0;
  const double k = spring.stiffness, c = spring.damping, mass = m + dt * c + dt * dt * k;
  const double transmitted = spring.pull(in, x_, 0) + in.external, weight = spring.weight(x_),
               pull = transmitted - weight;
  u.load = transmitted - c * v_;
  if (e_.kind == SystemKind::roller) {
    // v1 = A - dt F/mass and omega1 = omega + dt R F/I: a coupling in the slip velocity.
    const double A = (m * v_ + dt * pull) / mass, slip_mass = 1 / (1 / mass + R * R / inertia_), slip = v_ - R * omega_;
    u.v = slip;
    u.roll = 0.5 * (v_ + R * omega_);
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
  const double stretch_force = spring.pull(in, x_, v_);
  F_app_ = stretch_force + in.external - weight;
  w.damper += spring.loss(in, v_) * dt;
  w.drive += spring.power(stretch_force, in, v_) * dt;
}

double FixedBody::servo(double t, const Reference& r, double dt) {
  const double T = e_.controller->sample_time;
  return u_ = servo_.act(t, 1e-9 * dt, x_, v_, r, T > 0 ? T : dt);
}

double FixedBody::kinetic_energy() const {
  if (e_.kind == SystemKind::prescribed) return 0;
  return (e_.body.mass * v_ * v_ + (e_.kind == SystemKind::roller ? inertia_ * omega_ * omega_ : 0)) / 2;
}
double FixedBody::potential_energy(double t) const {
  if (e_.kind == SystemKind::prescribed) return 0;
  Spring<double> spring = spring_of(e_.body);
  if (e_.controller) spring.stiffness = 0;
  return spring.energy({e_.drive.of == DriveOf::position ? e_.drive.at(t).value : end_, 0, 0}, x_);
}

}  // namespace bristle
