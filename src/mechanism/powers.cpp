#include <cmath>

#include "mechanism/equations.hpp"
#include "mechanism/spring.hpp"

/// Energies of a mechanism, and the power of each of its parts.
namespace bristle::mechanism {

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

}  // namespace bristle::mechanism
