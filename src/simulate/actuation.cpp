#include <algorithm>
#include <cmath>

#include "system.hpp"

/// The servo in the equations of a system, and the velocity of a body without mass.
namespace bristle {

ContinuousServo::In System::servo_in(double t, const double* y) const {
  const Signal d = drive_at(t);
  const bool velocity = drive_.of == DriveOf::velocity;
  return {velocity ? Reference{y[xd_], d.value, d.rate} : Reference{d.value, d.rate, d.rate2}, y[x_], y[v_],
          ei_ != none ? y[ei_] : 0, filter_ != none ? y[filter_] : 0};
}

/// A signal has two derivatives: the third of a position by central differences within the piece.
double System::reference_jerk(double t) const {
  if (drive_.of == DriveOf::velocity) return drive_at(t).rate2;
  if (drives_straight()) return 0;
  const double h = 1e-4 * std::min(2 * (piece_end_ - inside_), drive_piece_.longest_step());
  return (drive_.at(t + h, inside_).rate2 - drive_.at(t - h, inside_).rate2) / (2 * h);
}

void System::along_servo(const ContinuousServo::Slopes& s, double t, double* row, double& in_time) const {
  const Signal d = drive_at(t);
  const bool velocity = drive_.of == DriveOf::velocity;
  row[x_] += s.x;
  row[v_] += s.v;
  if (ei_ != none) row[ei_] += s.integral;
  if (filter_ != none) row[filter_] += s.filter;
  if (velocity) {
    row[xd_] += s.r;
  } else {
    in_time += s.r * d.rate;
  }
  in_time += s.r_v * (velocity ? d.rate : d.rate2);
  if (s.r_a != 0) in_time += s.r_a * reference_jerk(t);
}

/// F - F_app grows with v: bisection over all magnitudes of v.
double System::balanced_velocity(double t, const double* y) const {
  std::vector<double> at(y, y + size());
  auto excess = [&](double v) {
    at[v_] = v;
    return applied_force(t, at.data()) - friction(motion(t, at.data()), at.data(), nullptr);
  };
  const double push = excess(0), side = push > 0 ? 1 : -1;
  if (push == 0) return 0;
  double lo = 1e-300, hi = 1e30;
  if (!(side * excess(side * lo) > 0)) return 0;
  if (side * excess(side * hi) > 0)
    throw RunFailed("no velocity balances the forces on the body without mass at t = " + to_text(t) + " s");
  while (hi / lo > 1 + 4 * epsilon<double>) {
    const double mid = hi / lo > 2 ? std::sqrt(lo) * std::sqrt(hi) : lo + (hi - lo) / 2;
    if (mid <= lo || mid >= hi) break;
    (side * excess(side * mid) > 0 ? lo : hi) = mid;
  }
  return side * hi;
}

}  // namespace bristle
