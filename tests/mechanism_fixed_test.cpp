#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "support/mechanisms.hpp"
#include "support/random.hpp"

/// Steps of fixed size against closed forms and against variable steps.
namespace bristle {
namespace {

/// A lift that moves by A (1 - cos w t), and a block that slides on its floor: N = m (g + A w^2 cos w t), and
/// v = v0 - mu (g t + A w sin w t), in random units.
TEST(MechanismFixed, prescribed_motions_load_the_joints_that_they_carry) {
  Draw draw(3);
  for (int n = 0; n < 4; ++n) {
    const double L = draw.log_uniform(1e-3, 1e3), M = draw.log_uniform(1e-6, 1e6), T = draw.log_uniform(1e-3, 1e3);
    const double A = 0.01 * L, w = 20 / T, g = 9.81 * L / (T * T), mu = draw.uniform(0.1, 0.4), v0 = L / T,
                 m = draw.uniform(0.3, 3) * M;
    for (const int steps : {40, 400}) {
      test::Case c;
      c.mechanism.gravity = {0, -g};
      c.mechanism.bodies = {
          {.name = "lift", .mass = M, .inertia = M * L * L},
          {.name = "block", .mass = m, .inertia = m * L * L, .velocity = {v0, 0}, .velocity_given = true}};
      c.mechanism.joints = {
          {.name = "shaft", .kind = JointKind::prismatic, .first = ground, .second = 0, .axis = {0, 1}},
          {.name = "floor", .kind = JointKind::prismatic, .first = 0, .second = 1, .axis = {1, 0}}};
      test::add_friction(c, 1, "coulomb", {{"Fc", mu * m * g}}, m * g);
      c.mechanism.actuators = {
          {.joint = 0,
           .motion = true,
           .drive = {.of = DriveOf::position,
                     .terms = {Term{Sine{A, w / (2 * std::numbers::pi), -std::numbers::pi / 2, A}}}}}};
      c.experiment.solver.duration = 0.2 * T;
      c.experiment.method = Method::fixed;
      c.experiment.solver.step = c.experiment.solver.duration / steps;
      c.experiment.solver.output_step = c.experiment.solver.step;
      const auto run = test::run(c);
      const auto& t = run.trace.find("t")->values;
      const auto& N = run.trace.find("floor.N")->values;
      const auto& v = run.trace.find("floor.v")->values;
      const double step = c.experiment.solver.step;
      for (std::size_t i = 0; i < t.size(); ++i) {
        // An implicit step sees the mean acceleration: the error is at most half a step of its rate, m A w^3.
        EXPECT_NEAR(N[i], m * (g + A * w * w * std::cos(w * t[i])), 0.6 * step * m * A * w * w * w + 1e-9 * m * g);
        EXPECT_NEAR(v[i], v0 - mu * (g * t[i] + A * w * std::sin(w * t[i])), 1e-3 * mu * g * T * 40 / steps);
      }
    }
  }
}

/// A four-bar linkage with friction in all joints: four contacts on one degree of freedom, whose forces depend on each other.
TEST(MechanismFixed, contacts_that_share_a_degree_of_freedom_find_their_balance) {
  Draw draw(7);
  for (int n = 0; n < 4; ++n) {
    const double L = n == 0 ? 1 : draw.log_uniform(1e-3, 1e3), M = n == 0 ? 1 : draw.log_uniform(1e-6, 1e6),
                 T = std::sqrt(L);
    auto point = [&](double x, double y) { return Point2{x * L, y * L}; };
    test::Case c;
    c.mechanism.bodies = {
        {.name = "crank", .mass = M * draw.uniform(0.5, 2), .inertia = 0.02 * M * L * L, .position = point(0, 0.15)},
        {.name = "coupler",
         .mass = M * draw.uniform(0.5, 2),
         .inertia = 0.03 * M * L * L,
         .position = point(0.2, 0.35)},
        {.name = "rocker",
         .mass = M * draw.uniform(0.5, 2),
         .inertia = 0.02 * M * L * L,
         .position = point(0.42, 0.2)}};
    c.mechanism.bodies[0].rate = draw.uniform(-4, 4) / T;
    c.mechanism.bodies[0].rate_given = true;
    c.mechanism.joints = {{.name = "a", .first = ground, .second = 0, .at = point(0, 0)},
                          {.name = "b", .first = 0, .second = 1, .at = point(0, 0.3)},
                          {.name = "c", .first = 1, .second = 2, .at = point(0.4, 0.4)},
                          {.name = "d", .first = 2, .second = ground, .at = point(0.45, 0)}};
    for (std::size_t i = 0; i < 4; ++i) {
      c.mechanism.joints[i].radius = draw.uniform(0.01, 0.03) * L;
      test::add_friction(c, i, "coulomb", {{"Fc", draw.uniform(0.1, 0.4) * 10 * M}}, 10 * M);
    }
    c.experiment.solver.duration = 0.4 * T;
    c.experiment.solver.output_step = 0.1 * T;
    const auto truth = test::run(c);
    c.experiment.method = Method::fixed;
    std::vector<double> errors;
    for (const int steps : {20, 100, 500}) {
      c.experiment.solver.step = c.experiment.solver.duration / steps;
      const auto run = test::run(c);
      double worst = 0;
      for (const char* angle : {"crank.angle", "coupler.angle", "rocker.angle"}) {
        const auto &a = run.trace.find(angle)->values, &b = truth.trace.find(angle)->values;
        for (std::size_t i = 0; i < a.size(); ++i) worst = std::max(worst, std::abs(a[i] - b[i]));
      }
      errors.push_back(worst);
    }
    EXPECT_LT(errors[1], 0.35 * errors[0] + 1e-6) << n;
    EXPECT_LT(errors[2], 0.35 * errors[1] + 1e-6) << n;
    EXPECT_LT(errors[2], 1e-2) << n;
  }
}

/// Two bars and ground form a triangle: its joints do not move, whatever their friction, in random units.
TEST(MechanismFixed, joints_that_the_mechanism_locks_stay_at_rest) {
  Draw draw(11);
  for (int n = 0; n < 6; ++n) {
    const double L = draw.log_uniform(1e-3, 1e3), M = draw.log_uniform(1e-6, 1e6), T = draw.log_uniform(1e-3, 1e3),
                 g = 9.81 * L / (T * T);
    const Point2 top{draw.uniform(0.1, 0.9) * L, draw.uniform(0.3, 0.9) * L};
    test::Case c;
    c.mechanism.gravity = {0, -g};
    c.mechanism.bodies = {
        {.name = "a", .mass = M, .inertia = 0.05 * M * L * L, .position = {0.4 * top[0], 0.4 * top[1]}},
        {.name = "b", .mass = 2 * M, .inertia = 0.08 * M * L * L, .position = {0.5 * (L + top[0]), 0.5 * top[1]}}};
    c.mechanism.joints = {{.name = "left", .first = ground, .second = 0},
                          {.name = "top", .first = 0, .second = 1, .at = top},
                          {.name = "right", .first = 1, .second = ground, .at = {L, 0}}};
    for (std::size_t i = 0; i < 3; ++i) {
      c.mechanism.joints[i].radius = 0.02 * L;
      test::add_friction(c, i, "coulomb", {{"Fc", 0.3 * M * g}, {"Fs", 0.4 * M * g}}, M * g);
    }
    c.mechanism.actuators = {{.body = 1,
                              .at = c.mechanism.bodies[1].position,
                              .direction = {1, 0},
                              .drive = {.of = DriveOf::force, .terms = {Term{Sine{3 * M * g, 2 / T}}}}}};
    c.experiment.method = Method::fixed;
    c.experiment.solver.duration = T;
    c.experiment.solver.step = 0.01 * T;
    const auto run = test::run(c);
    EXPECT_TRUE(run.events.empty());
    EXPECT_NEAR(test::at(run, "b.x"), c.mechanism.bodies[1].position[0], 1e-9 * L);
    EXPECT_NEAR(test::at(run, "top.s"), 0, 1e-9);
    for (const std::string& note : run.summary.notes) EXPECT_EQ(note.find("energy"), std::string::npos) << note;
  }
}

/// A pendulum of three bodies, two of which a slider and two bearings with friction hold in place: one degree of freedom, also
/// in steps in which it turns far.
TEST(MechanismFixed, friction_in_locked_joints_does_not_prevent_a_step) {
  test::Case c;
  c.mechanism.bodies = {
      {.name = "arm", .mass = 1, .inertia = 0.1, .rate = 2, .position = {0.3, 0.4}, .rate_given = true},
      {.name = "b", .mass = 0.7, .inertia = 0.05, .position = {0.7, 0.5}},
      {.name = "c", .mass = 1.3, .inertia = 0.08, .position = {0.6, 0.9}}};
  c.mechanism.joints = {{.name = "pivot", .first = ground, .second = 0, .radius = 0.03},
                        {.name = "one", .first = 0, .second = 1, .at = {0.9, 0.3}, .radius = 0.05},
                        {.name = "slide",
                         .kind = JointKind::prismatic,
                         .first = 1,
                         .second = 2,
                         .at = {0.8, 0.7},
                         .axis = {0.5, 0.86},
                         .length = 0.7},
                        {.name = "two", .first = 0, .second = 2, .at = {0.2, 0.8}, .radius = 0.04}};
  for (std::size_t i = 0; i < 4; ++i) test::add_friction(c, i, "coulomb", {{"Fc", 4.0}, {"Fs", 5.0}}, 10);
  c.experiment.solver.duration = 0.5;
  const auto truth = test::run(c);
  c.experiment.method = Method::fixed;
  for (const double step : {0.02, 0.002}) {
    c.experiment.solver.step = step;
    const auto run = test::run(c);
    EXPECT_NEAR(test::at(run, "arm.angle"), test::at(truth, "arm.angle"), 3 * step);
    for (const char* slip : {"one.s", "slide.s", "two.s"}) EXPECT_NEAR(test::at(run, slip), 0, 1e-12);
  }
}

/// Bars that turn by up to 1 rad in a step: the steps are halved where they would create energy.
TEST(MechanismFixed, long_steps_create_no_energy) {
  for (const double step : {0.005, 0.015, 0.03}) {
    test::Case c;
    c.mechanism.bodies = {{.name = "upper", .mass = 1, .inertia = 0.0052, .position = {0.125, 0}},
                          {.name = "lower", .mass = 0.8, .inertia = 0.0042, .position = {0.375, 0}}};
    c.mechanism.joints = {{.name = "shoulder", .first = ground, .second = 0},
                          {.name = "elbow", .first = 0, .second = 1, .at = {0.25, 0}}};
    c.experiment.solver.duration = 3;
    c.experiment.method = Method::fixed;
    c.experiment.solver.step = step;
    const auto run = test::run(c);
    const auto &upper = run.trace.find("upper.y")->values, &lower = run.trace.find("lower.y")->values;
    std::vector<double> kinetic(upper.size());
    const auto add = [&](const char* column, double mass) {
      const auto& v = run.trace.find(column)->values;
      for (std::size_t i = 0; i < v.size(); ++i) kinetic[i] += mass * v[i] * v[i] / 2;
    };
    add("upper.vx", 1), add("upper.vy", 1), add("upper.rate", 0.0052);
    add("lower.vx", 0.8), add("lower.vy", 0.8), add("lower.rate", 0.0042);
    for (std::size_t i = 0; i < upper.size(); ++i)
      EXPECT_LT(kinetic[i] + 9.81 * (upper[i] + 0.8 * lower[i]), 0.03 * 9.81) << step << " at row " << i;
  }
}

/// A point on a table is lifted by a force: both methods end with the loss of contact, with viscous friction too.
TEST(MechanismFixed, a_contact_that_opens_is_reported_as_such) {
  for (const Method method : {Method::automatic, Method::fixed}) {
    for (const double kv : {0.0, 0.3}) {
      test::Case c = test::rod_on_table(1.2, 0.2, 0.5, 0);
      c.experiment.contacts.clear();
      test::add_friction(c, 0, "coulomb", {{"Fc", 2.0}, {"kv", kv}}, 10);
      c.mechanism.actuators = {{.body = 0,
                                .at = c.mechanism.bodies[0].position,
                                .direction = {0, 1},
                                .drive = {.of = DriveOf::force, .terms = {Term{Ramp{400, 0}}}}}};
      c.experiment.method = method;
      c.experiment.solver.step = 1e-4;
      std::string what;
      try {
        test::run(c);
      } catch (const RunFailed& e) { what = e.what(); }
      EXPECT_NE(what.find("joint tip loses contact"), std::string::npos) << kv << " " << what;
    }
  }
}

}  // namespace
}  // namespace bristle
