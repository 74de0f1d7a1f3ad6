#include <algorithm>
#include <cmath>

#include "system.hpp"

/// Events of a system: guards, jumps, samples of the servo.
namespace bristle {
namespace {
enum Owner { kink = -1, saturation = -2, threshold = -3, dead_band = -4 };
}

void System::add_guards(double t, const double* y, std::vector<Guard>& out) const {
  const double u = slip(t, y);
  const double need = kind_ != SystemKind::prescribed && any_set_valued_ ? holding_force(t, y) : 0;
  if (!resting_) {
    Motion<double> m;
    if (any_hybrid_) m = motion(t, y);
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      if (!parts_[i].flow->traits().hybrid) continue;
      if (kind_ != SystemKind::prescribed) m.F_app = need * parts_[i].share;
      parts_[i].flow->guards(y + parts_[i].at, m, static_cast<int>(i), out);
    }
    if (kink_ && (side_ == 0 || !turns_known_)) {
      const bool given = kind_ == SystemKind::prescribed;  // the direction of slip changes at the end of a piece
      out.push_back({kink, 0, side_ != 0 ? -side_ * u : std::abs(u), given ? Guard::switches : Guard::kinks});
    }
  }
  if (servo_ && !sampled_) {
    if (servo_law_.c.limit < inf) out.push_back({saturation, 0, servo_law_.saturation_guard(servo_in(t, y))});
    if (servo_law_.c.dead_band > 0) out.push_back({dead_band, 0, servo_law_.band_guard(servo_in(t, y))});
  }
  if (kind_ != SystemKind::prescribed && !any_set_valued_ && stick_velocity_ > 0)
    out.push_back({threshold, 0, direction_ == 0 ? std::abs(u) - stick_velocity_ : stick_velocity_ - direction_ * u,
                   Guard::reports});
}

bool System::at_rest_guard(const Guard& g, double t, const double* y) const {
  return g.owner >= kink && std::abs(g.value) == std::abs(slip(t, y));
}

/// Whether a guard with the owner and id of an earlier one is a zero of the slip velocity.
bool System::is_at_rest(const Guard& g, double t, const double* y) const {
  guards(t, y, guards_);
  return std::any_of(guards_.begin(), guards_.end(), [&](const Guard& now) {
    return now.owner == g.owner && now.id == g.id && at_rest_guard(now, t, y);
  });
}

bool System::follows_slip(const Guard& g, const double* y) const {
  return g.owner == kink || g.owner == threshold || (g.owner >= 0 && at_rest_guard(g, 0, y));
}

Change System::report(int direction) {
  if (direction == direction_) return {};
  direction_ = direction;
  return {true, direction == 0 ? Event::stick : direction > 0 ? Event::slip_forward : Event::slip_backward};
}

/// The impulse that ends slip; zero except for laws that stick below some velocity.
void System::stop_slip(std::span<double> y) const {
  if (kind_ == SystemKind::prescribed) return;
  y[n_ + 2] += slip_mass_ * y[v_] * y[v_] / 2;
  y[v_] = 0;
}

Change System::jump(const Guard& g, double t, std::span<double> y, double ahead_t, const double* ahead_y) {
  const double ahead = slip(ahead_t, ahead_y);
  if (g.owner == saturation) {
    servo_law_.saturated = servo_law_.saturated != 0 ? 0 : servo_law_.raw(servo_in(ahead_t, ahead_y)) > 0 ? 1 : -1;
    return {};
  }
  if (g.owner == dead_band) {
    const ContinuousServo::In in = servo_in(ahead_t, ahead_y);
    servo_law_.band = servo_law_.band != 0 ? 0 : in.r.x > in.x ? 1 : -1;
    return {};
  }
  if (g.owner == threshold) return report(direction_ != 0 ? 0 : ahead > 0 ? 1 : -1);
  if (g.owner == kink) {
    side_ = side_ != 0 ? -side_ : ahead > 0 ? 1 : -1;
    return kind_ == SystemKind::prescribed ? report(side_) : Change{};
  }
  Part& owner = parts_[static_cast<std::size_t>(g.owner)];
  Motion<double> m = motion(t, y.data());
  const bool prescribed = kind_ == SystemKind::prescribed, turns = std::abs(m.v) < 1e-6 * std::abs(ahead);
  if (m.v == 0) m.v = ahead;
  if (prescribed || !owner.flow->traits().set_valued) {
    if (prescribed && turns) m.F_app = std::copysign(1e30, ahead);
    owner.flow->jump(y.data() + owner.at, m, g.id);
    return {};
  }
  // A set-valued law is exactly at its limit at a release, so the state shortly after (load, normal load, noise,
  // states) decides. The jump of such a law changes only its mode.
  const bool held = holding();
  const bool from_rest = held || is_at_rest(g, t, y.data());
  double need = held ? holding_force(ahead_t, ahead_y) : holding_force(t, y.data());
  if (held) m = motion(ahead_t, ahead_y);
  if (from_rest && !held) need -= 1e-12 * direction_ * std::abs(need);  // a body that stops cannot continue: rounding
  auto switch_part = [&](Part& p, int id) {
    const double* from = held ? ahead_y : y.data();
    moved_.assign(from + p.at, from + p.at + p.flow->size());
    m.F_app = need * p.share;
    p.flow->jump(moved_.data(), m, id);
  };
  const int before = direction_;
  switch_part(owner, g.id);
  const bool holds = owner.flow->holds();
  for (Part& p : parts_) {  // other set-valued laws of the body switch too
    if (&p != &owner && p.flow->traits().set_valued && p.flow->holds() != holds) switch_part(p, 0);
  }
  if (holding()) {
    stop_slip(y);
    return report(0);
  }
  if (!from_rest) return report(ahead * before < 0 || m.v * before < 0 ? -before : before);
  double carried = 0;
  m.v = 0;
  for (const Part& p : parts_) {
    if (p.flow->traits().set_valued) carried += p.flow->force(y.data() + p.at, m);
  }
  return report(need > carried ? 1 : -1);  // not the sign of the load: a spring in the law may push the body back
}

double System::stick_margin(double t, const double* y, std::size_t /*body*/) const {
  guards(t, y, guards_);
  double nearest = inf;
  for (const Guard& g : guards_) {
    if (g.owner >= 0 && parts_[static_cast<std::size_t>(g.owner)].flow->holds()) nearest = std::min(nearest, -g.value);
  }
  return nearest / std::max(contact_scales_.force, limit::least);
}

/// The servo measures, or computes its output and holds it.
void System::sample(double t, std::span<const double> y) {
  const Signal d = drive_.at(t);
  const bool velocity = drive_.of == DriveOf::velocity;
  const Reference r = velocity ? Reference{y[xd_], d.value, d.rate} : Reference{d.value, d.rate, d.rate2};
  acts_.held = sampled_servo_.act(t, 0, y[x_], y[v_], r, servo_law_.c.sample_time);
}

}  // namespace bristle
