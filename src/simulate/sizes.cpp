#include <algorithm>
#include <cmath>

#include "system.hpp"

/// Natural scales of the states of a system, the basis of tolerances. Every number derives from quantities of the
/// experiment, so that results do not depend on units.
namespace bristle {

System::Sizes System::natural_sizes(const SolverParams& solver) {
  const bool prescribed = kind_ == SystemKind::prescribed;
  const double k = prescribed ? 0
                   : servo_   ? std::abs(servo_law_.c.stiffness())
                            : body_.stiffness + body_.gravity + (links_.left || links_.right ? 2 * links_.coupling : 0),
               Fs = contact_scales_.force;
  const Excitation drive = excitation();
  const double part = drive.part, slack = k > 0 && Fs > 0 ? part * Fs / k : 0;
  constexpr double curvature = 3;  // the steady curve is bent at a few vs
  double x = part * contact_scales_.displacement, v = part * curvature * contact_scales_.velocity;
  if (cusp_) rest_ = 0.1 * solver.rtol * v;
  x = x > 0 && slack > 0 ? std::min(x, slack) : std::max(x, slack);
  double steep = inf, damping = servo_ ? std::abs(servo_law_.c.damping()) : body_.damping;
  for (const Part& p : parts_) {  // a law that is steep at rest is bent at Fs over its slope
    std::vector<double> z;
    for (const Variable& state : p.flow->traits().states) z.push_back(state.value);
    p.flow->slopes(z.data(), {}, p.slopes);
    damping += std::max(p.slopes.F_v, 0.0);
    if (p.slopes.F_v > 0 && Fs > 0) steep = std::min(steep, part * Fs / p.slopes.F_v);
    for (std::size_t i = 0; i < p.flow->size(); ++i) {
      if (p.flow->traits().states[i].unit != "1") scale_[p.at + i] *= part;
    }
  }
  // A body oscillates on its bristles, or on its spring without dry friction. Errors of the steps add up until damping
  // ends the oscillation, so they must be smaller: with 7 over the phase angle of that time the error of a run stays
  // below 100 rtol (measured). Oscillations longer than 1e5 rad are not resolved.
  const auto ring_on = [&](double stiffness) {
    const double omega = std::sqrt(stiffness / slip_mass_),
                 angle = std::min(duration_ * omega, slip_mass_ * omega / damping);
    if (angle < 1e5) caution_ = std::min({caution_, 7 / angle, 1.0});
  };
  if (!prescribed && Fs > 0 && x > 0) {
    const double ringing = std::sqrt(part * Fs * x / body_.mass), care = ringing > 0.2 * steep ? 1 : 0.3;
    v = std::min(natural_or(v, inf), care * ringing);
    if (contact_scales_.displacement > 0) ring_on(Fs / contact_scales_.displacement);
  }
  if (!prescribed && k > 0 && (!(Fs > 0) || kind_ == SystemKind::roller)) ring_on(k);
  if (steep < inf) v = std::min(natural_or(v, inf), steep);
  if (!prescribed && contact_scales_.displacement > 0 && v > 0) {
    // In stick the body creeps with its bristles, and the creep determines the time of breakaway: it must be accurate
    // to some thousandths. Rounding is the lower limit.
    const double creep = part * contact_scales_.displacement / duration_,
                 noise = 1e-13 * std::min(std::sqrt(part * Fs * x / body_.mass), steep);
    v = std::max(std::min(v, curvature * 1e-3 * creep / solver.rtol), noise / (caution_ * solver.rtol));
  }
  if (prescribed && drive.swing > 0) x = x > 0 ? std::min(x, drive.swing) : drive.swing;

  // For a contact without a length scale, a thousandth of the motion: that of the drive, or that of the body under its
  // forces before a spring or a damper stops it.
  const bool force_drive = drive_.of == DriveOf::force;
  const double period = std::min(duration_, k > 0 ? std::sqrt(body_.mass / k) : inf),
               pushed = (drive.force + Fs) / body_.mass * std::min(period, damping > 0 ? body_.mass / damping : inf),
               given =
                   std::max({std::abs(body_.v0), std::abs(disk_.radius * disk_.omega0), force_drive ? 0 : drive.rate}),
               speed = std::max(given, given > 0 ? 1e-3 * pushed : pushed);
  x = natural_or(x, natural_or(1e-3 * std::max(speed * period, force_drive ? 0 : drive.swing), 1));
  v = natural_or(v, natural_or(1e-3 * speed, 1));
  if (cusp_ && !prescribed) rest_ = 0.1 * natural_or(solver.atol, solver.rtol * v);
  const double force = natural_or(part * Fs, natural_or(drive.force, damping * speed));
  force_size_ = force;
  if (!prescribed) momentum_bound_ = momentum_of(drive);
  return {x, v, natural_or(force * std::max(x, slack), body_.mass * v * v), slack};
}

/// A mass that would move with the times of the contact.
double System::mass_of_scale() const {
  const Scales<double>& s = contact_scales_;
  const double time = natural_or(s.displacement / s.velocity, duration_);
  return natural_or(body_.stiffness * time * time, natural_or(s.force / s.velocity * time, 1));
}

/// A body with the energy H = m v^2/2 + k (x - x0)^2/2 under forces below f has d sqrt(2 H)/dt <= f/sqrt(m). The same
/// holds for the stretch of the spring instead of x, with the rate of its end as the cause.
double System::momentum_of(const Excitation& drive) const {
  const AnyContact* feedforward = sampled_servo_.feedforward();
  const double m = body_.mass, k = body_.stiffness,
               friction = contact_scales_.force + (feedforward ? feedforward->scales().force : 0),
               given = m * std::abs(body_.v0) +
                       (kind_ == SystemKind::roller ? disk_.inertia / disk_.radius * std::abs(disk_.omega0) : 0);
  double gained = duration_ * (drive.force + friction);
  if (!servo_ && drive_.of != DriveOf::force && !drive_.first_jump(duration_)) {
    const double end = drive_.of == DriveOf::position ? drive_.at(0).value : 0,
                 stretch = std::abs(body_.x0 + body_.rest_length - end), wave = std::sqrt(k * m);
    gained =
        std::min(gained, wave * stretch + duration_ * ((wave + body_.damping) * drive.rate + body_.gravity + friction));
  }
  const double rim = kind_ == SystemKind::roller ? std::sqrt(roll_mass_ / m) : 1;
  return given + rim * gained;
}

System::Excitation System::excitation() const {
  bool moved = body_.v0 != 0 || disk_.omega0 != 0;
  for (const Part& p : parts_) {
    moved = moved || p.flow->traits().pushes;
    for (const Variable& v : p.flow->traits().states) moved = moved || (v.value != 0 && v.unit != "s");
  }
  const bool prescribed = kind_ == SystemKind::prescribed, velocity = drive_.of == DriveOf::velocity,
             force = drive_.of == DriveOf::force;
  const double base = prescribed                       ? drive_.at(0).value
                      : drive_.of == DriveOf::position ? body_.x0 + body_.rest_length
                                                       : 0;
  double swing = 0, rate = 0;
  auto look = [&](double t) {
    const Signal d = drive_.at(t);
    swing = std::max(swing, std::abs(d.value - (velocity ? 0 : base)));
    rate = std::max(rate, std::abs(velocity ? d.value : d.rate));
  };
  const bool line = drive_.straight(duration_ / 2) && drive_.next_corner(0) >= duration_;
  for (int i = 0, n = line ? 1 : 500; i <= n; ++i) look(duration_ * i / n);
  for (int i = 1; i <= (line ? 0 : 61); ++i)  // catches oscillations in phase with the samples above
    look(duration_ * std::fmod(i * 0.6180339887498949, 1));
  double corner = 0;
  for (int i = 0; i < 500 && (corner = drive_.next_corner(corner)) <= duration_; ++i) look(corner);
  if (velocity) swing *= duration_;

  const double held = drive_.of == DriveOf::position ? 0 : std::abs(body_.x0 + body_.rest_length);
  const ControllerParams& c = servo_law_.c;
  const double wind = c.cascade() ? c.velocity_integral * c.position_gain : c.ki;
  const double pull = prescribed ? 0
                      : servo_   ? std::min((std::abs(c.stiffness()) + std::abs(wind) * duration_) * (swing + held) +
                                                std::abs(c.damping()) * rate,
                                            c.limit)
                      : force    ? swing + body_.stiffness * held
                                 : body_.stiffness * (swing + held) + body_.damping * rate;
  double part = 1;
  if (prescribed && !moved) {
    const Scales<double>& s = contact_scales_;
    part = s.displacement > 0 ? swing / s.displacement : s.velocity > 0 ? rate / s.velocity : 1;
  } else if (!moved && contact_scales_.force > 0) {
    part = (pull + body_.gravity) / contact_scales_.force;
  }
  return {std::clamp(natural_or(part, 1), 1e-9, 1.0), swing, rate, pull + body_.gravity};
}

}  // namespace bristle
