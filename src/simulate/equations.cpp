#include <algorithm>
#include <cmath>

#include "system.hpp"

/// The equations of motion of a system, and their derivatives.
namespace bristle {
namespace {
/// Load far above friction in the direction of a prescribed motion.
constexpr double certain = 1e30;

}  // namespace

Motion<double> System::motion(double t, const double* y) const {
  Motion<double> u;
  u.t = t;
  u.r = load(t);
  u.temperature = body_.temperature;
  if (path_ != none) u.path = y[path_];
  if (kind_ == SystemKind::prescribed) {
    const Signal d = drive_at(t);
    const bool position = moves_by_position();
    u.x = position ? d.value : y[x_];
    u.v = position ? d.rate : d.value;
    const double ahead = u.v != 0 ? u.v : position ? d.rate2 : d.rate;
    u.F_app = certain * sgn(ahead);
  } else {
    u.v = y[v_];
    u.x = y[roll_ != none ? s_ : x_] + place_;
    if (feels_load_) u.load = applied(t, y, nullptr).load;
  }
  return u;
}

bool System::holding() const {
  return any_set_valued_ && std::any_of(parts_.begin(), parts_.end(), [](const Part& p) { return p.flow->holds(); });
}

void System::along_velocity(double* row, double slope) const {
  row[v_] += slip_part_ * slope;
  if (roll_ != none) row[roll_] += slope;
}

System::Applied System::applied(double t, const double* y, Jacobian* j) const {
  Applied a;
  if (kind_ == SystemKind::prescribed) return a;
  const bool velocity = drive_.of == DriveOf::velocity;
  const Input<double> in = input_at(t, y);  // its end is also the reference of the servo
  const InputRates in_time = input_rates(drive_at(t));
  const double end_v = in.end_v, end_a = in_time.end_a, x = y[x_], v = body_velocity(y);
  double power_x = 0, power_v = 0, power_xd = 0, power_ei = 0, power_filter = 0, power_t = 0;
  if (servo_) {
    if (sampled_) {
      a.F = acts_.held;
    } else {
      a.F = servo_law_.output(servo_in(t, y));
      const ContinuousServo::Slopes s = servo_law_.output_slopes();
      a.F_x = s.x;
      a.F_v = s.v;
      a.F_ei = s.integral;
      a.F_filter = s.filter;
      a.F_xd = velocity ? s.r : 0;
      a.F_t = (velocity ? 0 : s.r * end_v) + s.r_v * end_a;
      if (s.r_a != 0) a.F_t += s.r_a * reference_jerk(t);
    }
    a.power = a.F * v;
    power_x = a.F_x * v;
    power_v = a.F_v * v + a.F;
    power_xd = a.F_xd * v;
    power_ei = a.F_ei * v;
    power_filter = a.F_filter * v;
    power_t = a.F_t * v;
  } else {
    const double k = spring_.stiffness, c = spring_.damping, pull = spring_.pull(in, x, v),
                 pull_t = (velocity ? 0 : k * end_v) + c * end_a;
    a.F = pull + in.external;
    a.F_x = -k;
    a.F_v = -c;
    a.F_xd = velocity ? k : 0;
    a.F_t = pull_t + in_time.external;
    a.power = spring_.power(pull, in, v);
    a.damper = spring_.loss(in, v);
    power_x = -k * end_v;
    power_v = -c * end_v + in.external;
    power_xd = a.F_xd * end_v;
    power_t = pull_t * end_v + pull * end_a + in_time.external * v;
  }
  a.load = a.F;
  a.load_x = a.F_x;
  if (spring_.gravity != 0) {
    a.F -= spring_.weight(x);
    a.F_x -= spring_.weight_slope(x);
  }
  const auto lean_on = [&](std::ptrdiff_t blocks, double coupling) {  // a link, with half of its loss
    const double* const other = y + blocks * static_cast<std::ptrdiff_t>(size());
    const double slack = body_velocity(other) - v;
    a.F += coupling * (other[x_] - x) + links_.damping * slack;
    a.F_x -= coupling;
    a.F_v -= links_.damping;
    a.damper += links_.damping * slack * slack / 2;
    if (j) along_velocity(j->row(n_ + 1), -links_.damping * slack);
  };
  if (links_.left) lean_on(links_.to_left, links_.coupling);
  if (links_.right) lean_on(links_.to_right, links_.coupling_right);
  if (links_.push != 0) {
    a.F += links_.push;
    a.power += links_.push * v;
    power_v += links_.push;
  }
  if (j) {
    double* drive = j->row(n_);
    drive[x_] += power_x;
    along_velocity(drive, power_v);
    if (xd_ != none) drive[xd_] += power_xd;
    if (ei_ != none) drive[ei_] += power_ei;
    if (filter_ != none) drive[filter_] += power_filter;
    j->t[n_] += power_t;
    if (!servo_) {
      along_velocity(j->row(n_ + 1), -2 * spring_.damping * (end_v - v));
      j->t[n_ + 1] += spring_.loss_rate(in, end_a, v);
    }
  }
  return a;
}

double System::applied_force(double t, const double* y) const {
  if ((servo_ && !sampled_) || links_.left || links_.right || links_.push != 0) return applied(t, y, nullptr).F;
  if (kind_ == SystemKind::prescribed) return 0;
  Input<double> in = acts_(drive_at(t));
  if (xd_ != none) in.end = y[xd_];
  return spring_.force(in, y[x_], body_velocity(y));
}

double System::friction(const Motion<double>& u, const double* y, double* f, double* each) const {
  double sum = 0;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const Part& p = parts_[i];
    double F = f ? p.flow->eval(y + p.at, u, f + p.at) : p.flow->force(y + p.at, u);
    if (p.flow->traits().set_valued) {
      const bool holds = p.flow->holds();
      if (kind_ == SystemKind::prescribed && (resting_ || holds)) F = p.kept;
      if (kind_ != SystemKind::prescribed && holds) F = 0;  // added by the caller
    }
    if (each) each[i] = F;
    sum += F;
  }
  return sum;
}

/// The force that keeps the slip velocity constant, minus the laws that are not set-valued.
double System::holding_force(double t, const double* y) const {
  double others = 0;
  for (const Part& p : parts_) {
    if (!p.flow->traits().set_valued) others += p.flow->force(y + p.at, motion(t, y));
  }
  return slip_mass_ / body_.mass * applied_force(t, y) - others;
}

void System::rates(double t, const double* y, double* f) const {
  for (std::size_t i = 0; i < size(); ++i) f[i] = 0;
  const Motion<double> m = motion(t, y);
  double F = friction(m, y, f);
  const double u = m.v;
  if (path_ != none) f[path_] = std::abs(u);
  if (kind_ == SystemKind::prescribed) {
    if (x_ != none) f[x_] = u;
    f[n_ + 2] = F * u;
    return;
  }
  const Applied a = applied(t, y, nullptr);
  const bool holds = holding();
  if (holds) F = slip_mass_ / body_.mass * a.F;
  if (xd_ != none) f[xd_] = drive_at(t).value;
  if (ei_ != none) f[ei_] = servo_law_.integral_rate(servo_in(t, y));
  if (filter_ != none) f[filter_] = servo_law_.filter_rate(servo_in(t, y));
  f[x_] = body_velocity(y);
  if (roll_ != none) {
    f[s_] = u;
    f[roll_] = a.F / roll_mass_;
  }
  f[v_] = holds ? 0 : quasi_static_ ? a.F - F : a.F / body_.mass - F / slip_mass_;
  f[n_] = a.power;
  f[n_ + 1] = a.damper;
  f[n_ + 2] = holds ? 0 : F * u;
}

void System::jacobian(double t, const double* y, Jacobian& j) const {
  j.columns = n_;
  j.apart = parts_.size() == 1 && parts_.front().flow->traits().apart ? parts_.front().flow->size() : 0;
  j.a.assign(size() * n_, 0.0);
  j.t.assign(size(), 0.0);
  const bool prescribed = kind_ == SystemKind::prescribed, holds = !prescribed && holding();
  Motion<double> u = motion(t, y);
  double accel = 0;  // of a prescribed motion
  if (prescribed) {
    const Signal d = drive_at(t);
    accel = drive_.of == DriveOf::position ? d.rate2 : d.rate;
  }
  u.v = slope_velocity(u.v);

  // Row of the friction force, gathered over the contacts.
  std::vector<double>& F_y = scratch_;
  F_y.assign(n_, 0.0);
  double F = 0, F_t = 0;
  auto along_v = [&](double* row, double slope, double& in_time) {
    if (prescribed) {
      in_time += slope * accel;
    } else if (!holds) {
      row[v_] += slope;
    }
  };
  auto along_x = [&](double* row, double slope, double& in_time) {
    if (x_ != none) {
      row[roll_ != none ? s_ : x_] += slope;
    } else if (prescribed) {
      in_time += slope * u.v;
    }
  };
  const Applied actuator = feels_load_ ? applied(t, y, nullptr) : Applied{};
  const double own_v = actuator.F_v + (links_.left ? links_.damping : 0) + (links_.right ? links_.damping : 0);
  auto along_load = [&](double* row, double slope, double& in_time) {
    row[x_] += slope * actuator.load_x;
    along_velocity(row, slope * own_v);
    if (xd_ != none) row[xd_] += slope * actuator.F_xd;
    if (ei_ != none) row[ei_] += slope * actuator.F_ei;
    if (filter_ != none) row[filter_] += slope * actuator.F_filter;
    in_time += slope * actuator.F_t;
  };
  for (const Part& p : parts_) {
    const std::size_t m = p.flow->size();
    Slopes& s = p.slopes;
    s.F_x = s.F_path = s.F_t = s.r_load = s.r_x = 0;
    p.flow->slopes(y + p.at, u, s);
    if (feels_load_ && !holds && s.r_load != 0) {
      for (std::size_t i = 0; i < m; ++i) along_load(j.row(p.at + i), s.rate_r[i] * s.r_load, j.t[p.at + i]);
      along_load(F_y.data(), s.F_r * s.r_load, F_t);
    }
    for (std::size_t i = 0; i < m; ++i) {
      double* row = j.row(p.at + i);
      if (p.flow->traits().apart) {
        row[p.at + i] += s.rate_z[i * m + i];
      } else {
        for (std::size_t k = 0; k < m; ++k) row[p.at + k] += s.rate_z[i * m + k];
      }
      along_v(row, s.rate_v[i], j.t[p.at + i]);
      j.t[p.at + i] += s.rate_r[i] * load_rate(t);
      if (s.r_x != 0) along_x(row, s.rate_r[i] * s.r_x, j.t[p.at + i]);
    }
    if (prescribed && p.flow->traits().set_valued && (resting_ || p.flow->holds())) {
      F += p.kept;
      continue;
    }
    F += s.F;
    for (std::size_t i = 0; i < m; ++i) F_y[p.at + i] += s.F_z[i];
    along_v(F_y.data(), s.F_v, F_t);
    F_t += s.F_r * load_rate(t) + s.F_t;
    if (path_ != none) F_y[path_] += s.F_path;
    along_x(F_y.data(), s.F_x, F_t);
  }
  if (path_ != none) along_v(j.row(path_), sgn(u.v), j.t[path_]);
  double* friction_work = j.row(n_ + 2);
  if (prescribed) {
    if (x_ != none) j.t[x_] = accel;
    for (std::size_t i = 0; i < n_; ++i) friction_work[i] = F_y[i] * u.v;
    j.t[n_ + 2] = F_t * u.v + F * accel;
    return;
  }
  const Applied a = applied(t, y, &j);
  std::vector<double>& applied_y = gradient_;
  applied_y.assign(n_, 0.0);
  applied_y[x_] = a.F_x;
  along_velocity(applied_y.data(), a.F_v);
  if (xd_ != none) applied_y[xd_] = a.F_xd;
  if (ei_ != none) applied_y[ei_] = a.F_ei;
  if (filter_ != none) applied_y[filter_] = a.F_filter;
  if (holds) {
    const double part = slip_mass_ / body_.mass;
    for (std::size_t i = 0; i < n_; ++i) F_y[i] = part * applied_y[i];
    F_t = part * a.F_t;
  }
  if (xd_ != none) j.t[xd_] = drive_at(t).rate;
  if (ei_ != none) along_servo(servo_law_.integral_slopes(), t, j.row(ei_), j.t[ei_]);
  if (filter_ != none) along_servo(servo_law_.filter_slopes(), t, j.row(filter_), j.t[filter_]);
  along_velocity(j.row(x_), 1);
  if (roll_ != none) {
    j.row(s_)[v_] = 1;
    for (std::size_t i = 0; i < n_; ++i) j.row(roll_)[i] = applied_y[i] / roll_mass_;
    j.t[roll_] = a.F_t / roll_mass_;
  }
  if (!holds) {
    const double m = quasi_static_ ? 1 : body_.mass, slip_m = quasi_static_ ? 1 : slip_mass_;
    for (std::size_t i = 0; i < n_; ++i) j.row(v_)[i] = applied_y[i] / m - F_y[i] / slip_m;
    j.t[v_] = a.F_t / m - F_t / slip_m;
    for (std::size_t i = 0; i < n_; ++i) friction_work[i] = F_y[i] * u.v;
    friction_work[v_] += F;
    j.t[n_ + 2] = F_t * u.v;
  }
}

}  // namespace bristle
