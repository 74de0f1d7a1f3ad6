/// Servos at joints. A block on a guide and a balanced wheel have one coordinate: the same servo on a slider, which has
/// equations of its own, must give the same motion.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/mechanisms.hpp"

namespace bristle {
namespace {

using test::add_friction;
using test::at;
using test::run;

const Drive sine{DriveOf::position, {{Sine{0.3, 0.7}}}};
const Drive step_up{DriveOf::position, {{StepAt{0.1, 0.2}}}};

struct Servo {
  const char* name;
  ControllerParams params;
  Drive reference;
  bool feedforward = false;
};

std::vector<Servo> servos() {
  return {
      {"pid", {.kp = 80, .ki = 40, .kd = 12}, sine},
      {"limit", {.kp = 80, .ki = 200, .kd = 12, .limit = 9, .derivative_weight = 0}, step_up},
      {"anti-windup",
       {.kp = 80, .ki = 200, .kd = 12, .limit = 9, .derivative_weight = 0, .anti_windup = true},
       step_up},
      {"dead band", {.kp = 80, .kd = 12, .dead_band = 0.03}, sine},
      {"filter", {.kp = 80, .ki = 40, .kd = 12, .derivative_filter = 0.02}, sine},
      {"cascade",
       {.kind = ControllerKind::cascade,
        .position_gain = 8,
        .velocity_gain = 15,
        .velocity_integral = 30,
        .velocity_feedforward = 0.9},
       sine},
      {"cascade with a filter",
       {.kind = ControllerKind::cascade,
        .position_gain = 8,
        .velocity_gain = 15,
        .velocity_integral = 30,
        .derivative_filter = 0.01},
       sine},
      {"acceleration", {.kp = 80, .kd = 12, .acceleration_feedforward = 1.9}, sine},
      {"sampled", {.kp = 80, .ki = 40, .kd = 12, .sample_time = 5e-3}, sine},
      {"sensor",
       {.kp = 80, .kd = 12, .sample_time = 5e-3, .sensor = {.step = 1e-4, .noise = 2e-5, .delay = 7e-3, .seed = 5}},
       sine},
      {"feedforward", {.kp = 80, .kd = 12, .sample_time = 5e-3}, sine, true},
  };
}

/// Friction of 4 N (5 N at rest) under the load m g; in the bearing of the wheel a torque of `radius` times that.
const Table dry{{"Fc", 4.0}, {"Fs", 5.0}};
const Table bristles{{"Fc", 4.0}, {"Fs", 5.0}, {"vs", 0.02}, {"sigma0", 2e4}, {"sigma1", 100.0}, {"kv", 1.0}};

Run slider(const Servo& s, const char* model, const Table& p, double duration) {
  Experiment e;
  e.body.mass = 2;
  e.contacts.push_back({"", make(model, p).contact});
  e.drive = s.reference;
  e.controller = s.params;
  if (s.feedforward) e.feedforward = e.contacts[0].contact->clone();
  e.solver.duration = duration;
  e.solver.rtol = 1e-10;
  e.solver.output_step = 0.02;
  return simulate(e);
}

test::Case with_servo(test::Case c, const Servo& s, double duration) {
  c.mechanism.controllers = {{.joint = 0, .params = s.params, .reference = s.reference}};
  if (s.feedforward) c.mechanism.controllers[0].feedforward = c.experiment.contacts[0].contact->clone();
  c.experiment.solver.duration = duration;
  c.experiment.solver.rtol = 1e-10;
  c.experiment.solver.output_step = 0.02;
  return c;
}
test::Case block(const char* model, const Table& p) {
  test::Case c;
  c.mechanism.bodies = {{.name = "block", .mass = 2, .inertia = 0.1}};
  c.mechanism.joints = {{.name = "guide", .kind = JointKind::prismatic, .first = ground, .second = 0}};
  add_friction(c, 0, model, p, 2 * 9.81);
  return c;
}
/// Inertia 2 kg m^2 about its centre, where the bearing is: a force of 4 N at a radius of 1 m and a law in its velocity.
test::Case wheel(const char* model, const Table& p) {
  test::Case c;
  c.mechanism.bodies = {{.name = "wheel", .mass = 2, .inertia = 2}};
  c.mechanism.joints = {{.name = "guide", .first = ground, .second = 0, .radius = 1}};
  add_friction(c, 0, model, p, 2 * 9.81);
  return c;
}

void expect_same(const Run& one, const Run& mechanism, const std::string& name, double slack) {
  for (const auto& [a, b] : {std::pair{"x", "guide.s"}, {"v", "guide.v"}, {"u", "guide.u"}, {"F", "guide.F"}}) {
    const auto &x = one.trace.find(a)->values, &y = mechanism.trace.find(b)->values;
    double size = 0, gap = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      size = std::max(size, std::abs(x[i]));
      gap = std::max(gap, std::abs(x[i] - y[i]));
    }
    EXPECT_LT(gap, slack * size) << name << " " << a;
  }
  const double work = one.summary.energy.drive;
  EXPECT_NEAR(mechanism.summary.energy.drive, work, slack * std::abs(work)) << name;
  EXPECT_LT(mechanism.summary.energy.error, 1e-7) << name;
  auto changes = [](const Run& r) { return std::ranges::count_if(r.events, [](const Event& e) { return e.t > 0; }); };
  EXPECT_EQ(changes(one), changes(mechanism)) << name;
}

TEST(MechanismServo, block_on_a_guide_moves_as_a_slider) {
  for (const Servo& s : servos()) {
    expect_same(slider(s, "coulomb", dry, 2), run(with_servo(block("coulomb", dry), s, 2)), s.name, 2e-6);
  }
  for (const Servo& s : servos()) {
    if (s.feedforward || s.params.sampled()) continue;
    expect_same(slider(s, "lugre", bristles, 1), run(with_servo(block("lugre", bristles), s, 1)), s.name, 1e-5);
  }
}

TEST(MechanismServo, wheel_moves_as_a_slider_and_its_radius_scales_the_feedforward) {
  for (const Servo& s : servos()) {
    if (!s.feedforward && s.params.ki == 0) continue;
    expect_same(slider(s, "coulomb", dry, 1), run(with_servo(wheel("coulomb", dry), s, 1)), s.name, 2e-6);
  }
  // A bearing of half the radius under twice the load has the same torque.
  for (const Servo& s : servos()) {
    if (!s.feedforward) continue;
    test::Case small = wheel("coulomb", {{"Fc", 8.0}, {"Fs", 10.0}});
    small.mechanism.joints[0].radius = 0.5;
    const auto a = run(with_servo(wheel("coulomb", dry), s, 1)), b = run(with_servo(std::move(small), s, 1));
    EXPECT_NEAR(at(a, "guide.s"), at(b, "guide.s"), 1e-9);
    EXPECT_NEAR(at(a, "guide.u"), at(b, "guide.u"), 1e-7);
  }
}

TEST(MechanismServo, fixed_steps_approach_the_variable_ones) {
  for (const Servo& s : servos()) {
    if (s.params.sensor.noise > 0 || s.params.limit < inf) continue;
    std::vector<double> exact, error;
    for (const double step : {0.0, 5e-4, 1.25e-4}) {
      test::Case c = with_servo(block("coulomb", dry), s, 0.5);
      if (step > 0) {
        c.experiment.method = Method::fixed;
        c.experiment.solver.step = step;
      }
      const std::vector<double> s_of_t = run(c).trace.find("guide.s")->values;
      if (step == 0) exact = s_of_t;
      double most = 0;
      for (std::size_t i = 0; i < exact.size(); ++i) most = std::max(most, std::abs(s_of_t[i] - exact[i]));
      error.push_back(most);
    }
    EXPECT_LT(error[2], 0.4 * error[1] + 1e-9) << s.name;  // order 1
    EXPECT_LT(error[2], 2e-4) << s.name;
  }
}

/// A gain that a slider refuses is reported with the limit of the slider: kd kp/(sigma0 m - sigma1 kd), in each kind of joint.
TEST(MechanismServo, gains_of_observers_are_compared_with_the_inertia_at_the_start) {
  for (const double radius : {0.0, 0.1}) {
    Servo s{"observer", {.kp = 80, .kd = 12, .sample_time = 5e-3}, sine};
    s.params.compensation.kind = CompensationKind::lugre_observer;
    s.params.compensation.model = std::shared_ptr<const AnyContact>(make("lugre", bristles).contact);
    const double r = radius > 0 ? radius : 1, most = 80 * 12 / (r * r) / (2e4 * 2 - 100.0 * 12);
    for (const double part : {0.0, 0.99, 1.01}) {
      s.params.compensation.gain = part * most;
      test::Case c = with_servo(radius > 0 ? wheel("lugre", bristles) : block("lugre", bristles), s, 0.02);
      if (radius > 0) c.mechanism.joints[0].radius = radius;
      for (const Method method : {Method::automatic, Method::fixed}) {
        c.experiment.method = method;
        c.experiment.solver.step = 1e-3;
        std::string notes;
        for (const std::string& note : run(c).summary.notes) notes += note + "\n";
        EXPECT_EQ(notes.find("unstable in pre-sliding") != std::string::npos, part > 1) << notes;
        EXPECT_EQ(notes.find("not positive real") != std::string::npos, part == 0.99) << notes;
      }
    }
  }
}

TEST(MechanismServo, problems_are_found_before_the_run) {
  auto problem = [](auto&& change) -> std::string {
    test::Case c = with_servo(block("coulomb", dry), servos()[0], 1);
    change(c);
    try {
      run(c);
    } catch (const BadInput& e) { return e.what(); }
    return "";
  };
  const ControllerParams pid = servos()[0].params;
  EXPECT_EQ(problem([](auto&) {}), "");
  EXPECT_NE(problem([&](auto& c) { c.mechanism.controllers.push_back({.joint = 0, .params = pid}); }).find("two"),
            std::string::npos);
  EXPECT_NE(problem([](auto& c) {
              c.mechanism.actuators = {{.joint = 0, .motion = true, .drive = sine}};
            }).find("prescribed"),
            std::string::npos);
  EXPECT_NE(problem([](auto& c) {
              c.mechanism.joints[0].kind = JointKind::fixed;
              c.mechanism.joints[0].contact = -1;
            }).find("fixed joint"),
            std::string::npos);
  EXPECT_NE(problem([](auto& c) { c.mechanism.controllers[0].joint = 4; }).find("joint"), std::string::npos);
  EXPECT_NE(problem([](auto& c) { c.mechanism.controllers[0].reference = step_up; }).find("jumps"), std::string::npos);
  EXPECT_NE(problem([](auto& c) { c.mechanism.controllers[0].params.encoder_step = 1; }).find("sample_time"),
            std::string::npos);
}

}  // namespace
}  // namespace bristle
