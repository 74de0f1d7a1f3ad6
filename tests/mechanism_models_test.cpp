/// Every model in joints of every kind.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "simulate/shared/flow.hpp"
#include "support/experiment.hpp"
#include "support/mechanisms.hpp"

namespace bristle {
namespace {

using test::add_friction;
using test::run;

/// Typical parameters have forces of about 1 N, which is the load of the joints times a small coefficient. Bristles that
/// snap at random are few and long, so that a run has few events.
Table parameters_of(const std::string& model) {
  if (model == "haessig_friedland") return {{"bristles", 5.0}, {"sigma0", 500.0}, {"delta_s", 1e-3}};
  return typical(model);
}

Drive pull() { return force(Sine{8, 3}); }

/// The body of the one-body system and the joint "guide" at every row.
void expect_same_motion(const Trace& one, const Trace& two, double tolerance) {
  const auto &x = one.find("x")->values, &s = two.find("guide.s")->values;
  ASSERT_EQ(x.size(), s.size());
  double size = 0, gap = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    size = std::max(size, std::abs(x[i]));
    gap = std::max(gap, std::abs(x[i] - s[i]));
  }
  EXPECT_LT(gap, tolerance * size);
}

TEST(MechanismModels, block_on_a_guide_moves_as_a_slider) {
  for (const std::string& model : flow_names()) {
    if (model == "haessig_friedland") continue;  // a population of its own in each run
    Experiment e;
    e.body.mass = 0.5;
    e.contacts.push_back({"", contact(model, parameters_of(model))});
    e.drive = pull();
    e.solver.duration = 0.6;
    e.solver.output_step = 0.01;
    test::Case c;
    c.mechanism.bodies = {{.name = "block", .mass = 0.5, .inertia = 0.1}};
    c.mechanism.joints = {{.name = "guide", .kind = JointKind::prismatic, .first = ground, .second = 0}};
    add_friction(c, 0, model.c_str(), parameters_of(model), 0.5 * 9.81);
    c.mechanism.actuators = {{.joint = 0, .drive = pull()}};
    c.experiment.solver = e.solver;
    SCOPED_TRACE(model);
    const auto one = simulate(e);
    const auto two = run(c);
    expect_same_motion(one.trace, two.trace, 2e-6);
    EXPECT_LT(two.summary.steps, 20 * one.summary.steps + 2000) << model;
  }
}

/// A block that rests for a part of each cycle: the laws that hold do so within the same forces as in one-body systems, also
/// where an offset or a stretched spring moves them.
TEST(MechanismModels, block_that_comes_to_rest_moves_as_a_slider) {
  for (const std::string& model : flow_names()) {
    const auto flow = make_flow(*contact(model, parameters_of(model)));
    if (!flow->traits().set_valued) continue;
    for (const double offset : {0.0, 2.5}) {
      const auto block = contact(model, parameters_of(model), {{"offset", offset}});
      const Drive drive = force(Sine{1.2 * contact(model, parameters_of(model))->scales().force, 0.8, 0, offset});
      Experiment e;
      e.body.mass = 0.5;
      e.contacts.push_back({"", block->clone()});
      e.drive = drive;
      e.solver.duration = 3;
      e.solver.output_step = 0.02;
      test::Case c;
      c.mechanism.bodies = {{.name = "block", .mass = 0.5, .inertia = 0.1}};
      c.mechanism.joints = {{.name = "guide", .kind = JointKind::prismatic, .first = ground, .second = 0}};
      c.mechanism.joints[0].contact = 0;
      c.mechanism.joints[0].normal_load = 0.5 * 9.81;
      c.experiment.contacts.push_back({"guide", block->clone()});
      c.mechanism.actuators = {{.joint = 0, .drive = drive}};
      c.experiment.solver = e.solver;
      SCOPED_TRACE(model + " with an offset of " + std::to_string(offset) + " N");
      expect_same_motion(simulate(e).trace, run(c).trace, 1e-5);
    }
  }
}

void expect_balance(test::Case& c, const std::string& name) {
  try {
    const auto r = run(c);
    EXPECT_LT(r.summary.energy.error, 1e-6) << name;
    EXPECT_LT(r.summary.momentum.error, 1e-6) << name;
    EXPECT_LT(r.summary.violation, 1e-12) << name;
    EXPECT_LT(r.summary.steps, 20000) << name;
  } catch (const std::exception& e) { ADD_FAILURE() << name << ": " << e.what(); }
}

TEST(MechanismModels, run_in_a_bearing_a_guide_a_rolling_contact_and_a_point) {
  for (const std::string& model : flow_names()) {
    if (model == "rate_state") continue;  // it requires slip velocities far below the rounding errors of the bodies
    const Table p = parameters_of(model);
    test::Case swing = test::pendulum(1.0, 0.25, 1.0, 1.0 / 48, 0.1, 0.02);
    swing.experiment.contacts.clear();
    add_friction(swing, 0, model.c_str(), p, 10);
    swing.experiment.solver.duration = 1;
    expect_balance(swing, model + " in a bearing");

    test::Case crank = test::slider_crank(0);
    crank.mechanism.bodies[0].rate = 0.05;
    add_friction(crank, 3, model.c_str(), p, 10);
    crank.experiment.solver.duration = 0.15;
    expect_balance(crank, model + " in a guide");

    test::Case disk;
    disk.mechanism.bodies = {{.name = "disk",
                              .mass = 1,
                              .inertia = 0.005,
                              .rate = -3,
                              .position = {0, 0.1},
                              .velocity = {0.5, 0},
                              .rate_given = true,
                              .velocity_given = true}};
    disk.mechanism.joints = {
        {.name = "floor", .kind = JointKind::rolling, .first = ground, .second = 0, .radius = 0.1}};
    add_friction(disk, 0, model.c_str(), p, 10);
    disk.mechanism.actuators = {{.body = 0, .at = {0, 0.1}, .direction = {1, 0}, .drive = force(Sine{2, 2})}};
    disk.experiment.solver.duration = 0.5;
    expect_balance(disk, model + " in a rolling contact");

    test::Case rod = test::rod_on_table(1.2, 0.1, 0.3, 0);
    rod.experiment.contacts.clear();
    Table light = p;
    for (Entry& e : light) {
      if (e.key == "kf") e.value = 0.02;  // with its typical value, the film of the start would lift the tip
    }
    add_friction(rod, 0, model.c_str(), light, 10);
    rod.experiment.solver.duration = 0.15;
    expect_balance(rod, model + " at a point");
  }
}

}  // namespace
}  // namespace bristle
