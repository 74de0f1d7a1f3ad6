/// Stick and slip of joints found together: forces that are not unique, many joints at rest, and problems without a solution.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "bristle/mechanism.hpp"
#include "support/mechanisms.hpp"
#include "support/scenario.hpp"

namespace bristle {
namespace {

using test::add_friction;
using test::at;
using test::run;

/// Two bearings of different radius hold one shaft: T = r1 F1 + r2 F2, and F1^2 + F2^2 is least for F1/F2 = r1/r2.
TEST(Modes, stuck_joints_that_depend_on_each_other_share_by_least_forces) {
  for (const double scale : {1.0, 1e4, 1e-4}) {
    for (const double ratio : {1.0, 2.0, 5.0}) {
      const double r1 = 0.01 * scale, r2 = ratio * r1, T = 0.02 * scale;
      test::Case c;
      c.mechanism.bodies = {{.name = "shaft", .mass = 3, .inertia = 0.01 * scale * scale}};
      c.mechanism.joints = {{.name = "left", .first = ground, .second = 0, .radius = r1},
                            {.name = "right", .first = ground, .second = 0, .radius = r2}};
      for (const std::size_t j : {0U, 1U}) add_friction(c, j, "coulomb", {{"Fc", 5.0}}, 10);
      c.mechanism.actuators = {{.joint = 0, .drive = {DriveOf::force, {{Constant{T}}}}}};
      c.experiment.solver.duration = 0.5;
      const auto r = run(c);
      const double F1 = T * r1 / (r1 * r1 + r2 * r2);
      EXPECT_NEAR(at(r, "left.F"), F1, 1e-3 * F1) << scale << ' ' << ratio;
      EXPECT_NEAR(at(r, "right.F"), ratio * F1, 1e-3 * F1) << scale << ' ' << ratio;
      EXPECT_NEAR(r1 * at(r, "left.F") + r2 * at(r, "right.F"), T, 1e-9 * T);
      EXPECT_NEAR(at(r, "shaft.angle"), 0, 1e-12);
    }
  }
}

/// One of them reaches its limit first, and the other one holds the rest.
TEST(Modes, a_stuck_joint_takes_what_another_one_cannot_hold) {
  test::Case c;
  c.mechanism.bodies = {{.name = "shaft", .mass = 2, .inertia = 0.01}};
  c.mechanism.joints = {{.name = "left", .first = ground, .second = 0, .radius = 0.01},
                        {.name = "right", .first = ground, .second = 0, .radius = 0.01}};
  add_friction(c, 0, "coulomb", {{"Fc", 1.0}}, 10);
  add_friction(c, 1, "coulomb", {{"Fc", 6.0}}, 10);
  const double N = 2 * 9.81 / 2, most = 0.01 * (0.1 + 0.6) * N;  // each carries half of the weight
  for (const double part : {0.3, 0.95, 1.05}) {
    c.mechanism.actuators = {{.joint = 0, .drive = {DriveOf::force, {{Constant{part * most}}}}}};
    c.experiment.solver.duration = 0.1;
    const auto r = run(c);
    if (part < 1) {
      EXPECT_NEAR(at(r, "shaft.angle"), 0, 1e-12) << part;
      EXPECT_LE(at(r, "left.F"), 0.1 * N * (1 + 1e-9)) << part;
    } else {
      EXPECT_NEAR(at(r, "shaft.angle"), 0.05 * most / 0.01 * 0.01 / 2, 1e-8) << part;
    }
  }
}

/// A stack of blocks on each other under random forces. The answer is verified by the law itself: no stuck joint is above its limit,
/// and a joint that slips has the force of its limit against its relative acceleration.
TEST(Modes, stacks_of_many_blocks_obey_the_law_of_every_joint) {
  std::mt19937 random(17);
  std::uniform_real_distribution<double> part(0, 1);
  int slipping = 0, sticking = 0;
  for (int n = 0; n < 8; ++n) {
    test::Case c;
    const std::size_t blocks = n < 2 ? 5 : 11;  // few: all combinations; many: pivoting
    std::vector<double> mu;
    for (std::size_t k = 0; k < blocks; ++k) {
      const auto body = static_cast<int>(k);
      const std::string name = std::to_string(k);
      c.mechanism.bodies.push_back(
          {.name = "b" + name, .mass = 0.5 + part(random), .inertia = 0.1, .position = {0, 0.1 * (body + 1)}});
      c.mechanism.joints.push_back({.name = "j" + name,
                                    .kind = JointKind::prismatic,
                                    .first = body - 1,
                                    .second = body,
                                    .at = {0, 0.1 * body + 0.05}});
      mu.push_back(0.1 + 0.3 * part(random));
      add_friction(c, k, "coulomb", {{"Fc", mu[k] * 10}}, 10);
      c.mechanism.actuators.push_back({.body = body,
                                       .at = {0, 0.1 * (body + 1)},
                                       .drive = {DriveOf::force, {{Constant{30 * (part(random) - 0.5)}}}}});
    }
    c.experiment.solver.duration = 1e-4;
    const auto r = run(c);
    for (std::size_t k = 0; k < blocks; ++k) {
      const std::string name = "j" + std::to_string(k);
      const double F = at(r, (name + ".F").c_str()), N = at(r, (name + ".N").c_str()), v = at(r, (name + ".v").c_str());
      EXPECT_LE(std::abs(F), mu[k] * N * (1 + 1e-7)) << n << name;
      if (std::abs(v) > 1e-9) {
        ++slipping;
        EXPECT_NEAR(F, std::copysign(mu[k] * N, v), 1e-7 * N) << n << name;
      } else {
        ++sticking;
        EXPECT_EQ(v, 0) << n << name;
      }
    }
  }
  EXPECT_GT(slipping, 10);
  EXPECT_GT(sticking, 10);
}

/// Steps of fixed size have a solution where accelerations have none; the run ends there nevertheless, as with variable steps.
TEST(Modes, fixed_steps_end_where_painleves_rod_has_no_solution) {
  for (const double mu : {1.3, 1.36}) {
    for (const double step : {1e-5, 1e-3}) {
      auto c = test::rod_on_table(std::atan(2.0), mu, -1.0, 0.0);
      c.experiment.method = Method::fixed;
      c.experiment.solver.step = step;
      c.experiment.solver.duration = 2e-3;
      if (mu < 4.0 / 3) {
        EXPECT_NO_THROW(run(c)) << step;
        continue;
      }
      try {
        run(c);
        ADD_FAILURE() << "no solution exists, step " << step;
      } catch (const RunFailed& e) {
        EXPECT_NE(std::string(e.what()).find("no combination of stick and slip"), std::string::npos) << e.what();
        EXPECT_NE(std::string(e.what()).find("joint tip) at t = 0 s"), std::string::npos) << e.what();
      }
    }
  }
}

/// A body that friction slows down comes to rest: no reason to end the run.
TEST(Modes, fixed_steps_stop_a_sliding_block) {
  test::Case c;
  c.mechanism.bodies = {{.name = "block", .mass = 2, .inertia = 0.1, .velocity = {1, 0}, .velocity_given = true}};
  c.mechanism.joints = {{.name = "plane", .kind = JointKind::prismatic, .first = ground, .second = 0}};
  add_friction(c, 0, "coulomb", {{"Fc", 3.0}}, 10);
  c.experiment.method = Method::fixed;
  c.experiment.solver.duration = 1;
  for (const double step : {1e-3, 0.3}) {
    c.experiment.solver.step = step;
    const auto r = run(c);
    EXPECT_NEAR(at(r, "block.vx"), 0, 1e-12) << step;
    for (const std::string& note : r.summary.notes) EXPECT_EQ(note.find("solutions"), std::string::npos) << note;
  }
}

/// The work of rounding errors in a jammed guide is no reason to refuse the run: 2 mu e/L = 1.2, at any size of force, mass, time.
TEST(Modes, a_jammed_guide_holds_forces_far_above_its_inertia) {
  for (const double P : {1.0, 1e6, 1e12}) {
    test::Case c;
    c.mechanism.gravity = {0, 0};
    c.mechanism.bodies = {{.name = "carriage", .mass = 2, .inertia = 0.02}};
    c.mechanism.joints = {{.name = "guide", .kind = JointKind::prismatic, .first = ground, .second = 0, .length = 0.2}};
    add_friction(c, 0, "coulomb", {{"Fc", 4.0}}, 10);
    c.mechanism.actuators = {{.body = 0, .at = {0, 0.3}, .drive = {DriveOf::force, {{Constant{P}}}}}};
    c.experiment.solver.duration = 0.01;
    EXPECT_NEAR(at(run(c), "carriage.x"), 0, 1e-12) << P;
  }
}

TEST(Modes, all_problems_of_a_file_are_reported_at_once) {
  const Lines lines = problems(R"(schema = 1
[system]
kind = "multibody"
[[body]]
name = "crank"
mass = 0.0
inertia = 1e-3
position = [0.05, 0.0]
[[body]]
name = "crank"
mass = 1.0
inertia = 1e-3
position = [0.15, 0.0]
[[joint]]
name = "pivot"
kind = "revolute"
bodies = ["ground", "rodd"]
at = [0, 0]
[joint.friction]
model = "coulomb"
Fc = 1.0
[[joint]]
name = "pivot"
kind = "revolute"
bodies = ["ground", "crank"]
at = [0, 0]
[solver]
duration = 1
)");
  std::string all;
  for (const std::string& line : lines) {
    EXPECT_EQ(line.find('\n'), std::string::npos);
    all += line + '\n';
  }
  for (const char* one :
       {":6: mass = 0 kg must be > 0", ":10: name = \"crank\" is given twice", ":10: body crank has no joint",
        ":17: unknown body 'rodd' in [[joint]]; accepted: ground, crank\n", ":23: name = \"pivot\" is given twice",
        "requires radius", "requires normal_load"})
    EXPECT_NE(all.find(one), std::string::npos) << one << "\n" << all;
  EXPECT_EQ(lines.size(), 7U) << all;
}

}  // namespace
}  // namespace bristle
