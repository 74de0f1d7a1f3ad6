#pragma once
#include <cmath>
#include <memory>

#include "bristle/mechanism.hpp"

/// Mechanisms of the tests.
namespace bristle::test {

struct Case {
  Mechanism mechanism{};
  Experiment experiment{};
};

inline void add_friction(Case& c, std::size_t joint, const char* model, const Table& parameters, double normal_load) {
  MechanismJoint& j = c.mechanism.joints[joint];
  j.contact = static_cast<int>(c.experiment.contacts.size());
  j.normal_load = normal_load;
  c.experiment.contacts.push_back({j.name, make(model, parameters).contact});
}

inline Run run(Case& c, const RunOptions& options = {}) {
  c.experiment.kind = SystemKind::multibody;
  c.experiment.own = std::make_shared<Mechanism>(c.mechanism);
  return simulate(c.experiment, options);
}
inline Run run(Case&& c) { return run(c); }
/// The last value of a column.
inline double at(const Run& r, const char* column) { return r.trace.find(column)->values.back(); }

inline Case slider_crank(double mu) {
  Case c;
  const double x = 0.05 * std::sqrt(0.5), end = 0.31050225428429074;
  c.mechanism.bodies = {{.name = "crank",
                         .mass = 1,
                         .inertia = 0.01 / 12,
                         .angle = std::atan(1.0),
                         .rate = 20,
                         .position = {x, x},
                         .rate_given = true},
                        {.name = "rod",
                         .mass = 1,
                         .inertia = 0.0625 / 12,
                         .angle = -0.2867565522115484,
                         .position = {0.19060646620147276, x}},
                        {.name = "slider", .mass = 0.5, .inertia = 0.001, .position = {end, 0}}};
  c.mechanism.joints = {{.name = "pivot", .first = ground, .second = 0},
                        {.name = "pin", .first = 0, .second = 1, .at = {2 * x, 2 * x}},
                        {.name = "wrist", .first = 1, .second = 2, .at = {end, 0}},
                        {.name = "guide", .kind = JointKind::prismatic, .first = ground, .second = 2, .at = {end, 0}}};
  if (mu > 0) add_friction(c, 3, "coulomb", {{"Fc", mu * 10}}, 10);
  return c;
}

/// A wedge of angle alpha under a load of 10 kg.
inline Case wedge(double alpha, double floor, double face) {
  Case c;
  c.mechanism.bodies = {{.name = "wedge", .mass = 1e-3, .inertia = 1e-5},
                        {.name = "load", .mass = 10, .inertia = 0.01, .position = {0, 0.1}}};
  c.mechanism.joints = {
      {.name = "floor", .kind = JointKind::prismatic, .first = ground, .second = 0},
      {.name = "face",
       .kind = JointKind::prismatic,
       .first = 0,
       .second = 1,
       .at = {0, 0.05},
       .axis = {std::cos(alpha), std::sin(alpha)}},
      {.name = "column", .kind = JointKind::prismatic, .first = ground, .second = 1, .at = {0, 0.1}, .axis = {0, 1}}};
  add_friction(c, 0, "coulomb", {{"Fc", floor * 100}}, 100);
  add_friction(c, 1, "coulomb", {{"Fc", face * 100}}, 100);
  c.experiment.solver.duration = 1;
  return c;
}

/// A uniform rod of 1 m and 1 kg that stands on its tip at the angle theta from the table, with the velocity of the tip.
inline Case rod_on_table(double theta, double mu, double slide, double rate) {
  Case c;
  const double x = 0.5 * std::cos(theta), y = 0.5 * std::sin(theta);
  c.mechanism.bodies = {{.name = "rod",
                         .mass = 1,
                         .inertia = 1.0 / 12,
                         .angle = theta,
                         .rate = rate,
                         .position = {x, y},
                         .velocity = {slide - rate * y, rate * x},
                         .rate_given = true,
                         .velocity_given = true}};
  c.mechanism.joints = {{.name = "tip", .kind = JointKind::point, .first = ground, .second = 0}};
  add_friction(c, 0, "coulomb", {{"Fc", mu * 10}}, 10);
  c.experiment.solver.duration = 0.1;
  return c;
}

inline Case pendulum(double theta, double d, double mass, double inertia, double mu, double radius) {
  Case c;
  c.mechanism.bodies = {{.name = "bar",
                         .mass = mass,
                         .inertia = inertia,
                         .angle = theta,
                         .position = {d * std::sin(theta), -d * std::cos(theta)}}};
  c.mechanism.joints = {{.name = "bearing", .first = ground, .second = 0, .radius = radius}};
  add_friction(c, 0, "coulomb", {{"Fc", mu * 10}}, 10);
  return c;
}

}  // namespace bristle::test
