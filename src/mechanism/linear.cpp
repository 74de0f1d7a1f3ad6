#include <algorithm>
#include <cmath>

#include "bristle/dual.hpp"
#include "mechanism/equations.hpp"
#include "mechanism/spring.hpp"

/// Derivatives of the equations.
namespace bristle::mechanism {
namespace {

using D8 = Dual<double, 8>;

/// Positions and velocities as independent variables: of the second body, and the angle of the first. Joints and springs
/// depend on differences of the other coordinates alone.
constexpr std::array<std::size_t, 6> variable_of{8, 8, 0, 1, 2, 3};
Pair<D8> seeded(const Pair<double>& p) {
  Pair<D8> out;
  for (std::size_t k = 0; k < 6; ++k) {
    const bool varies = variable_of[k] < 8;
    out.q[k] = varies ? D8::variable(p.q[k], variable_of[k]) : D8(p.q[k]);
    out.v[k] = varies ? D8::variable(p.v[k], 4 + variable_of[k]) : D8(p.v[k]);
    out.a[k] = p.a[k];
  }
  out.c1 = chain(out.q[2], p.c1, -p.s1);
  out.s1 = chain(out.q[2], p.s1, p.c1);
  out.c2 = chain(out.q[5], p.c2, -p.s2);
  out.s2 = chain(out.q[5], p.s2, p.c2);
  return out;
}
void split(const D8& x, std::array<double, 6>& by_q, std::array<double, 6>& by_v) {
  for (std::size_t k = 0; k < 4; ++k) {
    by_q[k + 2] = x.d[k];
    by_v[k + 2] = x.d[4 + k];
  }
  for (std::size_t k = 0; k < 2; ++k) {
    by_q[k] = -x.d[1 + k];
    by_v[k] = -x.d[5 + k];
  }
}

}  // namespace

double Equations::slope_velocity(const JointState& j, double v) const {
  const int side = j.sticky ? j.direction : j.flow->traits().kink_at_rest ? j.kink : 0;
  return side != 0 && v * side <= 0 ? side * std::max(std::abs(v), 1e-250) : v;
}

/// A joint of any kind: derivatives of its rows, of s and of its forces on the bodies, with the force `along` s.
void Equations::linearise_joint(const JointState& j, const double* y, const double* w, const Along& along,
                                JointLinear& l) const {
  const Pair<D8> p = seeded(pair(j, y, w));
  const Kinematics<D8> k(j.frame, p);
  std::array<D8, 6> Q{};
  for (std::size_t r = 0; r < j.rows; ++r) {
    const Coordinate<D8> row = k.row(r);
    for (std::size_t i = 0; i < 6; ++i) {
      l.J[r][i] = row.gradient[i].a;
      Q[i] = Q[i] + row.gradient[i] * D8(w[j.row + r]);
    }
    split(row.rate2, l.acc_q[r], l.acc_v[r]);
  }
  const Coordinate<D8> s = k.travel();
  std::array<double, 6> ignored{};
  split(s.rate, l.rate_q, ignored);
  split(s.rate2, l.acc2_q, l.acc2_v);
  const D8 force =
      D8(along.force) + D8(along.by_s) * (s.value - D8(s.value.a)) + D8(along.by_rate) * (s.rate - D8(s.rate.a));
  for (std::size_t i = 0; i < 6; ++i) {
    l.D[i] = s.gradient[i].a;
    Q[i] = Q[i] + s.gradient[i] * force;
    split(Q[i], l.Q_q[i], l.Q_v[i]);
  }
}

/// The same for a revolute joint, whose equations depend on the angles alone.
void Equations::linearise_turn(const JointState& j, const double* y, const double* w, const Along& along,
                               JointLinear& l) const {
  const Pair<double> p = pair(j, y, w);
  const Kinematics<double> k(j.frame, p);
  for (std::size_t r = 0; r < 2; ++r) {
    l.J[r] = k.row(r).gradient;
    l.acc_q[r] = l.acc_v[r] = {};
  }
  l.D = k.travel().gradient;
  l.rate_q = l.acc2_q = l.acc2_v = {};
  l.Q_q = l.Q_v = {};
  for (const std::size_t at : {2U, 5U}) {
    // The row of the gradient is (-x1, x0), x: the arm, positive for the second body.
    const double x0 = l.J[1][at], x1 = -l.J[0][at], rate = p.v[at], rate2 = p.a[at];
    l.acc_q[0][at] = -rate2 * x0 + rate * rate * x1;
    l.acc_q[1][at] = -rate2 * x1 - rate * rate * x0;
    l.acc_v[0][at] = -2 * rate * x0;
    l.acc_v[1][at] = -2 * rate * x1;
    for (const std::size_t to : {2U, 5U}) {
      l.Q_q[at][to] = along.by_s * l.D[at] * l.D[to];
      l.Q_v[at][to] = along.by_rate * l.D[at] * l.D[to];
    }
    l.Q_q[at][at] -= x0 * w[j.row] + x1 * w[j.row + 1];
  }
}

void Equations::linearise(double t, const double* y, const double* w) {
  std::fill(G_t_.begin(), G_t_.end(), 0.0);
  for (std::size_t n = 0; n < joints.size(); ++n) {
    const JointState& j = joints[n];
    JointLinear& l = linear_[n];
    const Slip s = slip_of(j, y, w);
    double in_time = 0;
    Along along{};
    along.force = external(j, t, y, s.s, s.rate, along.by_s, along.by_rate, in_time);
    if (j.servo && !j.servo->holds) {
      linearise_servo(j, t, l.servo);
      in_time += l.servo.u_jerk;
      std::copy_n(l.servo.rate_t.begin(), l.servo.states,
                  z_t_.begin() + static_cast<std::ptrdiff_t>(j.servo->at - 6 * bodies));
    }
    if (j.force != none) along.force -= j.slip * w[j.force];
    if (j.drive != none) {
      along.force += w[j.drive];
      const double dt = 1e-5 * std::min(1.0, inside > t ? inside - t : 1.0);
      if (dt > 0) G_t_[j.drive] = (j.motion->at(t + dt, inside).rate2 - j.motion->at(t, inside).rate2) / dt;
    }
    if (j.of->kind == JointKind::revolute) {
      linearise_turn(j, y, w, along, l);
    } else {
      linearise_joint(j, y, w, along, l);
    }
    each_local(j.of->first, j.of->second, [&](std::size_t i, std::size_t at) { G_t_[at] += l.D[i] * in_time; });
  }
  load_slopes(t, y, w);
  for (std::size_t n = 0; n < links_.size(); ++n) {
    const Link& l = links_[n];
    const auto Q = link_force(*l.of, l.from, l.to, seeded(pair(l.first, l.second, y, w)));
    for (std::size_t i = 0; i < 6; ++i) split(Q[i], link_linear_[n].Q_q[i], link_linear_[n].Q_v[i]);
  }
  for (std::size_t n = 0; n < pushes_.size(); ++n) {
    const Push& f = pushes_[n];
    const auto b = 3 * static_cast<std::size_t>(f.body);
    const double angle = y[b + 2], c = std::cos(angle), s = std::sin(angle);
    const Signal force = f.of->drive.at(t, inside);
    const double length = std::hypot(f.of->direction[0], f.of->direction[1]);
    const double dx = f.of->direction[0] / length, dy = f.of->direction[1] / length;
    const double px = c * f.at[0] - s * f.at[1], py = s * f.at[0] + c * f.at[1];
    push_turn_[n] = -force.value * (py * dy + px * dx);
    G_t_[b] += force.rate * dx;
    G_t_[b + 1] += force.rate * dy;
    G_t_[b + 2] += force.rate * (px * dy - py * dx);
  }
}

/// Derivatives of the normal loads and of the friction laws.
void Equations::load_slopes(double t, const double* y, const double* w) {
  for (std::size_t n = 0; n < joints.size(); ++n) {
    const JointState& j = joints[n];
    JointLinear& l = linear_[n];
    l.load_slope = {};
    const double* lambda = w + j.row;
    if (j.of->kind == JointKind::revolute) {
      const double N = std::hypot(lambda[0], lambda[1]);
      if (N > 0) l.load_slope = {lambda[0] / N, lambda[1] / N, 0};
    } else if (j.of->kind == JointKind::prismatic) {
      const double sign = j.branch % 2 == 0 ? 1 : -1;
      if (j.branch < 2) {
        l.load_slope = {sign, 0, 0};
      } else {
        l.load_slope = {0, 2 * sign / j.of->length, 0};
      }
    } else {
      l.load_slope = {j.side, 0, 0};
    }
    if (!j.flow) continue;
    const std::size_t own = j.flow->size(), all = j.states;
    Motion<double> u = motion_of(j, t, y, w);
    u.v = slope_velocity(j, u.v);
    if (slopes_.F_z.size() == own) {
      slopes_.reset();
    } else {
      slopes_ = Slopes(own);
    }
    j.flow->slopes(y + j.z, u, slopes_);
    l.F_v = slopes_.F_v;
    l.F_r = j.loaded ? slopes_.F_r / j.of->normal_load : 0;  // with respect to N
    l.F_x = slopes_.F_x;
    l.F_t = slopes_.F_t;
    l.F_z = slopes_.F_z;
    l.rate_v = slopes_.rate_v;
    l.rate_r = l.rate_x = slopes_.rate_r;
    for (double& x : l.rate_x) x *= slopes_.r_x;
    for (double& r : l.rate_r) r = j.loaded ? r / j.of->normal_load : 0;
    l.rate_z.assign(all * all, 0);
    for (std::size_t i = 0; i < own; ++i) {
      for (std::size_t c = 0; c < own; ++c) l.rate_z[i * all + c] = slopes_.rate_z[i * own + c];
    }
    if (all > own) {
      l.F_z.push_back(slopes_.F_path);
      l.rate_v.push_back(u.v < 0 ? -1 : 1);
      l.rate_r.push_back(0);
      l.rate_x.push_back(0);
    }
    if (!j.stuck() && !j.locked) G_t_[j.force] = l.F_t;
  }
}

}  // namespace bristle::mechanism
