#include "mechanism/equations.hpp"

#include <algorithm>
#include <cmath>

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

std::string Equations::place_of(std::size_t unknown) const {
  if (unknown < 3 * bodies) return "body " + m.bodies[unknown / 3].name;
  for (const JointState& j : joints) {
    if ((unknown >= j.row && unknown < j.row + j.rows) || unknown == j.force || unknown == j.drive)
      return "joint " + j.of->name;
  }
  return "the mechanism";
}

}  // namespace bristle::mechanism
