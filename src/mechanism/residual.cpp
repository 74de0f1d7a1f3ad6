#include <algorithm>
#include <cmath>

#include "mechanism/equations.hpp"
#include "mechanism/spring.hpp"

/// Motions and forces of joints, and the equations that they are to satisfy.
namespace bristle::mechanism {

Pair<double> Equations::pair(int first, int second, const double* y, const double* w) const {
  Pair<double> p;
  each_local(first, second, [&](std::size_t k, std::size_t i) {
    p.q[k] = y[i];
    p.v[k] = y[3 * bodies + i];
    p.a[k] = w[i];
  });
  const auto direction = [&](int body, double& c, double& s) {
    if (body < 0) return;
    const double angle = y[3 * static_cast<std::size_t>(body) + 2];
    Direction& d = directions_[static_cast<std::size_t>(body)];
    if (d.angle != angle) d = {angle, std::cos(angle), std::sin(angle)};
    c = d.c;
    s = d.s;
  };
  direction(first, p.c1, p.s1);
  direction(second, p.c2, p.s2);
  return p;
}
Pair<double> Equations::pair(const JointState& j, const double* y, const double* w) const {
  return pair(j.of->first, j.of->second, y, w);
}

int Equations::branch_count(const JointState& j) const {
  return j.of->kind == JointKind::prismatic ? (j.of->length > 0 ? 4 : 2) : 1;
}
double Equations::form(const JointState& j, const double* w, int branch) const {
  const double* lambda = w + j.row;
  switch (j.of->kind) {
    case JointKind::revolute: return std::hypot(lambda[0], lambda[1]);
    case JointKind::prismatic:
      return (branch % 2 == 0 ? 1 : -1) * (branch < 2 ? lambda[0] : 2 * lambda[1] / j.of->length);
    case JointKind::rolling:
    case JointKind::point: return j.side * lambda[0];
    case JointKind::fixed: return std::hypot(lambda[0], lambda[1]);
  }
  return 0;
}
double Equations::load_of(const JointState& j, const double* w) const { return form(j, w, j.branch); }
double Equations::true_load(const JointState& j, const double* w) const {
  double most = form(j, w, 0);
  for (int b = 1; b < branch_count(j); ++b) most = std::max(most, form(j, w, b));
  return most;
}

Equations::Slip Equations::slip_of(const JointState& j, const double* y, const double* w) const {
  if (j.of->kind == JointKind::revolute) {
    Slip s{};
    const auto add = [&](int body, double sign) {
      if (body < 0) return;
      const std::size_t at = 3 * static_cast<std::size_t>(body) + 2;
      s.s += sign * y[at];
      s.rate += sign * y[3 * bodies + at];
      s.rate2 += sign * w[at];
    };
    add(j.of->first, -1);
    add(j.of->second, 1);
    s.s -= j.frame.s_zero;
    return s;
  }
  const Pair<double> p = pair(j, y, w);
  const Coordinate<double> s = Kinematics<double>(j.frame, p).travel();
  return {s.value, s.rate, s.rate2};
}

Motion<double> Equations::motion_of(const JointState& j, double t, const double* y, const double* w) const {
  return motion_of(j, t, y, w, slip_of(j, y, w));
}

Motion<double> Equations::motion_of(const JointState& j, double t, const double* y, const double* w,
                                    const Slip& s) const {
  Motion<double> u;
  u.x = j.slip * s.s;
  u.v = j.stuck() || j.locked ? 0 : j.slip * s.rate;
  u.r = j.loaded ? load_of(j, w) / j.of->normal_load : 1;
  u.F_app = j.stuck() ? w[j.force] : 0;
  u.t = t;
  u.temperature = temperature;
  if (j.flow && j.states > j.flow->size()) u.path = y[j.z + j.flow->size()];
  return u;
}

std::array<double, 3> Equations::reaction_of(const JointState& j, const double* y, const double* w) const {
  const double* lambda = w + j.row;
  if (j.of->kind == JointKind::revolute) return {lambda[0], lambda[1], 0};
  if (j.of->kind == JointKind::fixed) return {lambda[0], lambda[1], lambda[2]};
  const Pair<double> p = pair(j, y, w);
  const auto n = Kinematics<double>(j.frame, p).across_direction();
  return {lambda[0] * n[0], lambda[0] * n[1], j.of->kind == JointKind::prismatic ? lambda[1] : 0};
}

double Equations::external(const JointState& j, double t, const double* y, double s, double rate, double& by_s,
                           double& by_rate, double& in_time) const {
  double T = by_s = by_rate = in_time = 0;
  for (const MechanismSpring* k : j.springs) {
    T -= k->stiffness * (s - k->rest) + k->damping * rate;
    by_s -= k->stiffness;
    by_rate -= k->damping;
  }
  for (const Drive* d : j.forces) {
    const Signal f = d->at(t, inside);
    T += f.value;
    in_time += f.rate;
  }
  if (!j.servo) return T;
  if (j.servo->holds) return T + j.servo->u;
  const ContinuousServo::In in = servo_in(j, t, y, s, rate);
  const ContinuousServo::Slopes by = j.servo->law.output_slopes();
  by_s += by.x;
  by_rate += by.v;
  in_time += by.r * in.r.v + by.r_v * in.r.a;
  return T + j.servo->law.output(in);
}

void Equations::residual(double t, const double* y, const double* w, double* G, double* z_rate, bool laws) const {
  for (std::size_t i = 0; i < 3 * bodies; ++i) {
    G[i] = -mass_of(i) * w[i];
    if (i % 3 < 2) G[i] += mass_of(i) * m.gravity[i % 3];
  }
  for (const Link& l : links_) {
    const Pair<double> p = pair(l.first, l.second, y, w);
    const auto Q = link_force(*l.of, l.from, l.to, p);
    each_local(l.first, l.second, [&](std::size_t k, std::size_t i) { G[i] += Q[k]; });
  }
  for (const Push& f : pushes_) {
    const auto b = 3 * static_cast<std::size_t>(f.body);
    const double angle = y[b + 2], c = std::cos(angle), s = std::sin(angle), value = f.of->drive.at(t, inside).value;
    const double length = std::hypot(f.of->direction[0], f.of->direction[1]);
    const double fx = value * f.of->direction[0] / length, fy = value * f.of->direction[1] / length;
    G[b] += fx;
    G[b + 1] += fy;
    G[b + 2] += (c * f.at[0] - s * f.at[1]) * fy - (s * f.at[0] + c * f.at[1]) * fx;
  }
  for (const JointState& j : joints) {
    const Pair<double> p = pair(j, y, w);
    const Kinematics<double> k(j.frame, p);
    std::array<double, 6> Q{};
    for (std::size_t r = 0; r < j.rows; ++r) {
      const Coordinate<double> row = k.row(r);
      for (std::size_t i = 0; i < 6; ++i) Q[i] += row.gradient[i] * w[j.row + r];
      G[j.row + r] = j.open ? -w[j.row + r] : -row.rate2;
    }
    const Coordinate<double> s = k.travel();
    double unused[3];
    double along = external(j, t, y, s.value, s.rate, unused[0], unused[1], unused[2]);
    if (j.servo && j.servo->states > 0) {
      const ContinuousServo::In in = servo_in(j, t, y, s.value, s.rate);
      double* rate = z_rate + (j.servo->at - 6 * bodies);
      if (j.servo->law.integrates()) *rate++ = j.servo->law.integral_rate(in);
      if (j.servo->law.filters()) *rate = j.servo->law.filter_rate(in);
    }
    if (j.force != none) along -= j.slip * w[j.force];
    if (j.drive != none) {
      along += w[j.drive];
      G[j.drive] = prescribed(j, t).rate2 - s.rate2;
    }
    for (std::size_t i = 0; i < 6; ++i) Q[i] += s.gradient[i] * along;
    each_local(j.of->first, j.of->second, [&](std::size_t i, std::size_t at) { G[at] += Q[i]; });
    if (j.force == none || !laws) continue;
    const Motion<double> u = motion_of(j, t, y, w, {s.value, s.rate, s.rate2});
    if (j.flow) {
      double* rate = z_rate + (j.z - 6 * bodies);
      const double F = j.flow->eval(y + j.z, u, rate);
      if (j.states > j.flow->size()) rate[j.flow->size()] = std::abs(u.v);
      G[j.force] = F - w[j.force];
    }
    if (j.stuck()) G[j.force] = -(j.slip * s.rate2 + softness(j) * w[j.force]);
    if (j.open || j.locked) G[j.force] = -w[j.force];
  }
  for (std::size_t d = 0; d < dependent.size(); ++d) {
    double sum = 0;
    for (std::size_t r = 0; r < rows; ++r) sum += null_[d][r] * w[3 * bodies + r];
    G[dependent[d]] = -sum;
  }
}

}  // namespace bristle::mechanism
