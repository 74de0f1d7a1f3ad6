#include "mechanism/equations.hpp"

#include <algorithm>
#include <cmath>

#include "mechanism/spring.hpp"

namespace bristle::mechanism {
namespace {

Point2 in_frame(const Mechanism& m, int body, const Point2& world) {
  if (body < 0) return world;
  const MechanismBody& b = m.bodies[static_cast<std::size_t>(body)];
  const double c = std::cos(b.angle), s = std::sin(b.angle), x = world[0] - b.position[0], y = world[1] - b.position[1];
  return {c * x + s * y, c * y - s * x};
}
Point2 direction_in_frame(const Mechanism& m, int body, const Point2& world) {
  const double length = std::hypot(world[0], world[1]), x = world[0] / length, y = world[1] / length;
  if (body < 0) return {x, y};
  const double angle = m.bodies[static_cast<std::size_t>(body)].angle, c = std::cos(angle), s = std::sin(angle);
  return {c * x + s * y, c * y - s * x};
}

/// The largest distance of points, guides and radii.
double extent_of(const Mechanism& m, double duration) {
  std::vector<Point2> points;
  double out = 0, speed = 0;
  for (const MechanismBody& b : m.bodies) {
    points.push_back(b.position);
    speed = std::max(speed, std::hypot(b.velocity[0], b.velocity[1]));
  }
  for (const MechanismJoint& j : m.joints) {
    points.push_back(j.at);
    out = std::max({out, j.radius, j.length});
  }
  for (const MechanismSpring& s : m.springs) {
    if (s.joint < 0) points.insert(points.end(), {s.from, s.to});
    out = std::max(out, s.rest_length);
  }
  for (const Point2& p : points) out = std::max(out, std::hypot(p[0] - points[0][0], p[1] - points[0][1]));
  const double g = std::hypot(m.gravity[0], m.gravity[1]);
  if (!(out > 0)) out = std::max(speed * duration, g * duration * duration / 2);
  return out > 0 && std::isfinite(out) ? out : 1;
}

}  // namespace

Equations::Equations(const Mechanism& mechanism, const Experiment& e)
    : m(mechanism),
      bodies(mechanism.bodies.size()),
      extent(extent_of(mechanism, e.solver.duration)),
      temperature(e.body.temperature) {
  w_size = 3 * bodies;
  y_size = 6 * bodies;
  joints.resize(m.joints.size());
  for (std::size_t i = 0; i < joints.size(); ++i) {
    JointState& j = joints[i];
    const MechanismJoint& of = m.joints[i];
    j.of = &of;
    j.rows = row_count_of(of.kind);
    j.row = w_size;
    w_size += j.rows;
    j.frame.kind = of.kind;
    j.frame.first = in_frame(m, of.first, of.at);
    j.frame.second = of.kind == JointKind::rolling ? Point2{} : in_frame(m, of.second, of.at);
    j.frame.axis = direction_in_frame(m, of.first, of.axis);
    if (of.kind == JointKind::revolute && of.radius > 0) j.slip = of.radius;
  }
  rows = w_size - 3 * bodies;
  for (std::size_t i = 0; i < joints.size(); ++i) {
    JointState& j = joints[i];
    const MechanismJoint& of = m.joints[i];
    j.unilateral = of.kind == JointKind::rolling || of.kind == JointKind::point;
    j.rolls = of.kind == JointKind::rolling && of.contact < 0;
    if (of.contact >= 0) {
      j.flow = make_flow(*e.contacts[static_cast<std::size_t>(of.contact)].contact);
      const Effects<double>* effects = j.flow->inside().effects;
      j.loaded = of.normal_load > 0 && !(effects && effects->load_exponent == 0);
      j.sticky = j.flow->traits().set_valued;
      j.direction = 1;  // until the motion is known
      j.z = y_size;
      j.states = j.flow->size() + (j.flow->traits().feels_path ? 1 : 0);
      y_size += j.states;
    }
    if (j.flow || j.rolls) j.force = w_size++;
  }
  for (const MechanismActuator& a : m.actuators) {
    if (a.joint < 0) {
      pushes_.push_back({&a, a.body, in_frame(m, a.body, a.at)});
      continue;
    }
    JointState& j = joints[static_cast<std::size_t>(a.joint)];
    if (a.motion) {
      j.motion = &a.drive;
      j.drive = w_size++;
    } else {
      j.forces.push_back(&a.drive);
    }
  }
  for (const MechanismSpring& s : m.springs) {
    if (s.joint >= 0) {
      joints[static_cast<std::size_t>(s.joint)].springs.push_back(&s);
    } else {
      links_.push_back({&s, s.first, s.second, in_frame(m, s.first, s.from), in_frame(m, s.second, s.to)});
    }
  }
  for (const MechanismController& c : m.controllers) {
    JointState& j = joints[static_cast<std::size_t>(c.joint)];
    j.servo = std::make_unique<JointServo>();
    j.servo->of = &c;
    j.servo->law.c = c.params;
    j.servo->holds = c.params.sampled() || e.method == Method::fixed;
    if (j.servo->holds) j.servo->sampled = {c.params, c.feedforward.get(), 0, 0, 0, j.slip};
    j.servo->at = y_size;
    if (!j.servo->holds) j.servo->states = (j.servo->law.integrates() ? 1U : 0U) + (j.servo->law.filters() ? 1U : 0U);
    y_size += j.servo->states;
  }
  replaced_.resize(w_size);
  directions_.resize(bodies);
  const std::vector<double> y = start(), w(w_size);
  for (JointState& j : joints) {
    const Pair<double> p = pair(j, y.data(), w.data());
    const double across = Kinematics<double>(j.frame, p).across().value;
    if (j.of->kind == JointKind::rolling) {
      j.side = across < 0 ? -1 : 1;
      j.frame.turn = j.side * j.of->radius;
      j.frame.zero[0] = j.side * j.of->radius;
    } else if (j.of->kind == JointKind::point) {  // the body is on the side of its centre of mass
      JointFrame centre = j.frame;
      centre.second = {};
      j.side = Kinematics<double>(centre, p).across().value < 0 ? -1 : 1;
    } else if (j.of->kind == JointKind::prismatic || j.of->kind == JointKind::fixed) {
      j.frame.zero[j.rows - 1] = p.q[5] - p.q[2];
    }
    j.frame.s_zero = Kinematics<double>(j.frame, p).travel().value;
  }
  linear_.resize(joints.size());
  link_linear_.resize(links_.size());
  push_turn_.resize(pushes_.size());
  G_t_.resize(w_size);
  z_t_.resize(y_size - 6 * bodies);
  kq_.resize(3 * bodies);
  kv_.resize(3 * bodies);
  still_.resize(w_size);
  unknown_.resize(w_size);
  rate_.resize(y_size);
  shape();
}

std::vector<double> Equations::start() const {
  std::vector<double> y(y_size);
  for (std::size_t i = 0; i < bodies; ++i) {
    const MechanismBody& b = m.bodies[i];
    y[3 * i] = b.position[0];
    y[3 * i + 1] = b.position[1];
    y[3 * i + 2] = b.angle;
    double* v = &y[3 * bodies + 3 * i];
    v[0] = b.velocity[0];
    v[1] = b.velocity[1];
    v[2] = b.rate;
  }
  for (const JointState& j : joints) {
    for (std::size_t k = 0; j.flow && k < j.flow->size(); ++k) y[j.z + k] = j.flow->traits().states[k].value;
    if (j.servo && j.servo->states > 0 && j.servo->law.filters())
      y[j.servo->at + j.servo->states - 1] = j.servo->law.filtered({j.servo->of->reference.at(0).value}, 0);
  }
  return y;
}

double Equations::next_corner(double t) const {
  double out = inf;
  for (const MechanismActuator& a : m.actuators) out = std::min(out, a.drive.next_corner(t));
  for (const JointState& j : joints) {
    if (j.servo && !j.servo->holds) out = std::min(out, j.servo->of->reference.next_corner(t));
  }
  return out;
}
double Equations::next_sample(double t) const {
  double out = inf;
  for (const JointState& j : joints) {
    if (!j.servo || !j.servo->holds) continue;
    if (const double next = j.servo->sampled.next(); next > t) out = std::min(out, next);
  }
  return out;
}
double Equations::longest_step(double t) const {
  double out = inf;
  for (const MechanismActuator& a : m.actuators) out = std::min(out, a.drive.longest_step(t));
  for (const JointState& j : joints) {
    if (j.flow) out = std::min(out, j.flow->traits().longest_step);
    if (j.servo && !j.servo->holds) out = std::min(out, j.servo->of->reference.longest_step(t));
  }
  return out;
}

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

double Equations::kinetic(const double* y) const {
  double sum = 0;
  for (std::size_t i = 0; i < 3 * bodies; ++i) sum += mass_of(i) * y[3 * bodies + i] * y[3 * bodies + i] / 2;
  return sum;
}
double Equations::potential(const double* y) const {
  double sum = 0;
  for (std::size_t i = 0; i < bodies; ++i)
    sum -= m.bodies[i].mass * (m.gravity[0] * y[3 * i] + m.gravity[1] * y[3 * i + 1]);
  const std::vector<double> zero(3 * bodies);
  for (const Link& l : links_) {
    const double stretch =
        link_length(l.from, l.to, pair(l.first, l.second, y, zero.data())).length - l.of->rest_length;
    sum += l.of->stiffness * stretch * stretch / 2;
  }
  for (const JointState& j : joints) {
    if (j.springs.empty()) continue;
    const double s = slip_of(j, y, zero.data()).s;
    for (const MechanismSpring* k : j.springs) sum += k->stiffness * (s - k->rest) * (s - k->rest) / 2;
  }
  return sum;
}

void Equations::powers(double t, const double* y, const double* w, Powers& out) const {
  out.drive = out.damper = out.held = 0;
  out.friction.assign(joints.size(), 0);
  for (std::size_t i = 0; i < joints.size(); ++i) {
    const JointState& j = joints[i];
    const Slip s = slip_of(j, y, w);
    if (j.flow) (j.stuck() || j.held ? out.held : out.friction[i]) += w[j.force] * j.slip * s.rate;
    if (j.drive != none) out.drive += w[j.drive] * s.rate;
    for (const Drive* d : j.forces) out.drive += d->at(t, inside).value * s.rate;
    if (j.servo) out.drive += servo_force(j, t, y, w) * s.rate;
    for (const MechanismSpring* k : j.springs) out.damper += k->damping * s.rate * s.rate;
  }
  for (const Push& f : pushes_) {
    const auto b = 3 * static_cast<std::size_t>(f.body);
    const double* v = y + 3 * bodies + b;
    const double angle = y[b + 2], c = std::cos(angle), s = std::sin(angle), value = f.of->drive.at(t, inside).value;
    const double length = std::hypot(f.of->direction[0], f.of->direction[1]);
    const double px = c * f.at[0] - s * f.at[1], py = s * f.at[0] + c * f.at[1];
    out.drive += value / length * (f.of->direction[0] * (v[0] - v[2] * py) + f.of->direction[1] * (v[1] + v[2] * px));
  }
  for (const Link& l : links_) {
    const double rate = link_length(l.from, l.to, pair(l.first, l.second, y, w)).rate;
    out.damper += l.of->damping * rate * rate;
  }
}

std::string Equations::place_of(std::size_t unknown) const {
  if (unknown < 3 * bodies) return "body " + m.bodies[unknown / 3].name;
  for (const JointState& j : joints) {
    if ((unknown >= j.row && unknown < j.row + j.rows) || unknown == j.force || unknown == j.drive)
      return "joint " + j.of->name;
  }
  return "the mechanism";
}

}  // namespace bristle::mechanism
