#include <algorithm>
#include <cmath>

#include "identify/series.hpp"

/// The unknown state at the start of a segment. The first step of a segment leads to its first sample: by itself it only
/// sets the direction, and states are those at rest. If the contact carries a force there, the first step becomes the
/// displacement from rest that produces this force, so that every model finds its own state of this history.
namespace bristle::identify {
namespace {

struct FirstRows {
  double force = 0, velocity = 0;
};
/// Means over the first samples, within a tenth of the pre-sliding length.
FirstRows beginning(const Series& s, const Stretch& stretch, const Features& f) {
  FirstRows out;
  double length = 0, n = 0;
  for (std::size_t i = stretch.from; i < stretch.to && n < 20; ++i) {
    length += i == stretch.from ? 0 : std::abs(s.step_v[i]) * s.dt[i];
    if (n > 0 && length > 0.1 * f.reach) break;
    out.force += s.y[i] - f.beside(s, i);
    out.velocity += s.v[i];
    n += 1;
  }
  return {out.force / n, out.velocity / n};
}

/// Steady friction at a speed, from the nearest class of speeds.
double level_at(const Features& f, double speed) {
  if (f.level_v.empty()) return f.force;
  std::size_t nearest = 0;
  for (std::size_t k = 1; k < f.level_v.size(); ++k) {
    if (std::abs(std::log(f.level_v[k] / speed)) < std::abs(std::log(f.level_v[nearest] / speed))) nearest = k;
  }
  return f.level_F[nearest];
}

/// Displacement along the virgin curve to a fraction of its largest force.
double displacement_to(const Features& f, double share) {
  const double top = *std::ranges::max_element(f.curve_f), goal = share * top;
  double x = 0, force = 0;
  for (std::size_t k = 0; k < f.curve_x.size(); ++k) {
    if (f.curve_f[k] >= goal) return x + (f.curve_x[k] - x) * (goal - force) / (f.curve_f[k] - force);
    x = f.curve_x[k];
    force = f.curve_f[k];
  }
  return x;
}

double median_speed(const Series& s, const Stretch& stretch) {
  std::vector<double> speeds;
  for (std::size_t i = stretch.from; i < stretch.to; ++i) {
    if (s.v[i] != 0) speeds.push_back(std::abs(s.v[i]));
  }
  if (speeds.empty()) return 0;
  const auto middle = speeds.begin() + static_cast<std::ptrdiff_t>(speeds.size() / 2);
  std::ranges::nth_element(speeds, middle);
  return *middle;
}

}  // namespace

void estimate_initial_states(Series& s, const Features& f, double given_speed) {
  if (s.motion) return;  // a simulation starts as recorded
  if (s.fine) {
    auto fine = std::make_shared<Fine>(*s.fine);
    estimate_initial_states(fine->whole, f, given_speed);
    s.fine = std::move(fine);
    return;
  }
  for (const Stretch& stretch : s.stretches) {
    if (stretch.steady) continue;
    const auto [force, velocity] = beginning(s, stretch, f);
    if (std::abs(force) < 0.1 * f.force) continue;  // rest without force
    const bool seen = !f.curve_x.empty();           // pre-sliding, after reversals
    if (!seen && velocity == 0) continue;
    const double direction = seen ? std::copysign(1, force) : std::copysign(1, velocity);
    const bool along = direction * velocity > 0;
    const double share = std::abs(force) / (!seen || along ? level_at(f, std::abs(velocity)) : f.force);
    const bool slides = !seen || (f.sliding && share > 0.8);
    const double own = along ? std::abs(velocity) : median_speed(s, stretch),
                 speed = given_speed > 0 ? given_speed : own;
    if (!(speed > 0)) continue;
    // Steady sliding in the direction of motion is reached after any length; 10 lengths lead to a reversal.
    const double length = !slides ? displacement_to(f, share) : along ? 100 * f.travel : 10 * f.reach;
    s.step_v[stretch.from] = along && slides && speed == own ? s.v[stretch.from] : direction * speed;
    s.dt[stretch.from] = length / speed;
  }
  s.held = s.step_v == s.v;
}

}  // namespace bristle::identify
