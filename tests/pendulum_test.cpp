#include <gtest/gtest.h>

#include <cmath>

#include "bristle/scenario.hpp"

using namespace bristle;

/// Gravity on a slider whose position is an angle, and friction that grows with the transmitted force.
namespace {

Experiment pendulum(const std::string& model, const Table& friction, const Table& effects = {}) {
  Experiment e;
  e.body = {.mass = 0.5, .x0 = 1.2, .gravity = 4, .gravity_phase = 0.2};
  e.drive = {DriveOf::force, {{Constant{0}, 0}}, 0};
  Made made = make(model, friction, effects);
  if (!made.contact) throw std::runtime_error(made.problems.front().line());
  e.contacts.push_back({"", std::move(made.contact)});
  e.solver.duration = 10;
  e.solver.output_step = 0.01;
  return e;
}

/// Complete elliptic integral of the first kind by the arithmetic-geometric mean.
double elliptic(double k) {
  double a = 1, b = std::sqrt(1 - k * k);
  for (int i = 0; i < 8; ++i) {
    const double mean = (a + b) / 2;
    b = std::sqrt(a * b);
    a = mean;
  }
  return two_pi / (4 * a);
}

const std::vector<double>& column(const Run& run, const char* name) { return run.trace.find(name)->values; }

/// Times at which x passes the place where it hangs, interpolated with the velocity.
std::vector<double> passages(const Run& run, double hangs) {
  const auto &t = column(run, "t"), &x = column(run, "x"), &v = column(run, "v");
  std::vector<double> out;
  for (std::size_t i = 1; i < t.size(); ++i) {
    if ((x[i - 1] - hangs) * (x[i] - hangs) >= 0) continue;
    const double v_mid = (x[i] - x[i - 1]) / (t[i] - t[i - 1]);
    out.push_back(t[i - 1] + (hangs - x[i - 1]) / (v_mid != 0 ? v_mid : v[i]));
  }
  return out;
}

TEST(Pendulum, SwingsWithThePeriodOfTheEllipticIntegral) {
  for (const Method method : {Method::automatic, Method::rodas, Method::explicit_pair, Method::cvode}) {
    Experiment e = pendulum("viscous", {{"kv", 1e-12}});
    e.method = method;
    e.solver.output_step = 1e-3;
    const bristle::Run run = simulate(e);
    const double swing = e.body.x0 - e.body.gravity_phase;
    const double period = 4 * std::sqrt(e.body.mass / e.body.gravity) * elliptic(std::sin(swing / 2));
    const std::vector<double> at = passages(run, e.body.gravity_phase);
    ASSERT_GT(at.size(), 6U);
    EXPECT_NEAR(2 * (at.back() - at.front()) / static_cast<double>(at.size() - 1), period, 2e-6 * period)
        << run.summary.method;
    EXPECT_LT(run.summary.energy.error, 1e-6) << run.summary.method;
    EXPECT_NEAR(*std::min_element(column(run, "x").begin(), column(run, "x").end()), e.body.gravity_phase - swing,
                1e-5);
  }
}

/// Each half period loses 2 Fc per unit of angle: gravity (cos b - cos a) = Fc (a + b).
TEST(Pendulum, DryFrictionTakesItsShareOfEverySwing) {
  for (const Method method : {Method::automatic, Method::cvode, Method::fixed}) {
    Experiment e = pendulum("coulomb", {{"Fc", 0.3}});
    e.method = method;
    e.solver.output_step = 2e-4;
    if (method == Method::fixed) e.solver.step = 1e-5;
    const bristle::Run run = simulate(e);
    double a = e.body.x0 - e.body.gravity_phase, low = 0, high = a;
    for (int i = 0; i < 200; ++i) {
      const double b = (low + high) / 2;
      (4 * (std::cos(b) - std::cos(a)) > 0.3 * (a + b) ? low : high) = b;
    }
    const auto& x = column(run, "x");
    const double tolerance = method == Method::fixed ? 1e-4 : 1e-6;
    EXPECT_NEAR(e.body.gravity_phase - *std::min_element(x.begin(), x.end()), low, tolerance);
    EXPECT_LT(run.summary.energy.error, method == Method::fixed ? 1e-3 : 1e-6);
    EXPECT_EQ(column(run, "v").back(), 0);  // it rests where friction holds it
    EXPECT_LE(std::abs(4 * std::sin(x.back() - 0.2)), 0.3);
  }
}

TEST(Pendulum, StandsInAScenarioAndNowhereElse) {
  const std::string text = "[friction]\nmodel = \"coulomb\"\nFc = 1\n[solver]\nduration = 1\n[system]\nmass = 1\n";
  const Loaded good = read_scenario(text + "kind = \"slider\"\ngravity = 2\ngravity_phase = 0.1\n", "p.toml");
  ASSERT_TRUE(good.scenario);
  EXPECT_EQ(good.scenario->experiment.body.gravity, 2);
  const Loaded chain = read_scenario(text + "kind = \"chain\"\ncoupling = 1\ngravity = 2\n", "p.toml");
  ASSERT_FALSE(chain.scenario);
  EXPECT_NE(chain.problems.front().line().find("gravity"), std::string::npos);
  EXPECT_FALSE(read_scenario(text + "kind = \"slider\"\ngravity = -2\n", "p.toml").scenario);
  Experiment e = pendulum("coulomb", {{"Fc", 0.3}});
  e.kind = SystemKind::roller;
  EXPECT_THROW(simulate(e), BadInput);
}

// --- transmitted load ---

const Table geared{{"load_drive", 0.5}, {"load_backdrive", 2.0}, {"transmission_exponent", 1.5}};

/// A ramp of force on a body that hangs: it breaks away where u = Fc (1 + (c u)^n) + weight, or less.
TEST(TransmittedLoad, RaisesTheBreakawayByWhatTheActuatorCarries) {
  for (const Method method : {Method::automatic, Method::cvode, Method::fixed}) {
    Experiment e = pendulum("coulomb", {{"Fc", 0.3}}, geared);
    e.body.gravity = 0;
    e.drive = {DriveOf::force, {{Ramp{0.1, 0}, 0}}, 0};
    e.method = method;
    if (method == Method::fixed) e.solver.step = 1e-3;
    const bristle::Run run = simulate(e);
    double u = 0;
    while (u < 0.3 * (1 + std::pow(0.5 * u, 1.5))) u += 1e-6;
    const auto &t = column(run, "t"), &v = column(run, "v");
    std::size_t i = 0;
    while (i < v.size() && v[i] == 0) ++i;
    ASSERT_LT(i, v.size());
    EXPECT_NEAR(0.1 * t[i], u, 0.1 * 0.011);
  }
}

/// Held by a decreasing force, the load drives the actuator: c is the coefficient of backdrive.
TEST(TransmittedLoad, HoldsOtherwiseWhenTheBodyDrives) {
  Experiment e = pendulum("coulomb", {{"Fc", 0.3}}, geared);
  const double weight = 4 * std::sin(1.0);
  e.drive = {DriveOf::force, {{Constant{weight}, 0}, {Ramp{-0.2, 0}, 0}}, 0};
  const bristle::Run run = simulate(e);
  double u = weight;
  while (weight - u < 0.3 * (1 + std::pow(2 * u, 1.5))) u -= 1e-6;
  const auto &t = column(run, "t"), &v = column(run, "v");
  std::size_t i = 0;
  while (i < v.size() && v[i] == 0) ++i;
  ASSERT_LT(i, v.size());
  EXPECT_NEAR(weight - 0.2 * t[i], u, 0.2 * 0.011);
}

/// All methods of integration agree, in sliding and with states, so the Jacobian contains the load.
TEST(TransmittedLoad, IsTheSameForEverySolver) {
  for (const char* model : {"stribeck", "lugre"}) {
    std::vector<double> ends;
    for (const Method method : {Method::automatic, Method::cvode, Method::fixed}) {
      const Table friction = std::string(model) == "lugre" ? Table{{"Fc", 0.3},       {"Fs", 0.4},     {"vs", 0.1},
                                                                   {"sigma0", 300.0}, {"sigma1", 1.0}, {"kv", 0.1}}
                                                           : Table{{"Fc", 0.3}, {"Fs", 0.4}, {"vs", 0.1}, {"kv", 0.1}};
      Experiment e = pendulum(model, friction, geared);
      e.body.stiffness = 3;
      e.body.damping = 0.2;
      e.drive = {DriveOf::position, {{Sine{2, 0.4, 0, 0}, 0}}, 0};
      e.solver.duration = 4;
      e.method = method;
      if (method == Method::fixed) e.solver.step = 2e-5;
      const bristle::Run run = simulate(e);
      EXPECT_LT(run.summary.energy.error, method == Method::fixed ? 1e-2 : 1e-5) << model;
      ends.push_back(column(run, "x").back());
    }
    EXPECT_NEAR(ends[0], ends[1], 1e-5) << model;
    EXPECT_NEAR(ends[0], ends[2], 2e-3) << model;
  }
}

/// The force of a bristle that is still bent after a reversal has no jump there.
TEST(TransmittedLoad, IsContinuousAtAReversal) {
  Made made = make("lugre", {{"Fc", 1.0}, {"Fs", 1.0}, {"vs", 0.1}, {"sigma0", 100.0}, {"sigma1", 0.0}}, geared);
  ASSERT_TRUE(made.contact);
  double last = 0;
  for (int i = 0; i < 100; ++i) last = made.contact->step({.v = 1e-3, .load = 2}, 1e-2);
  const double before = last;
  EXPECT_NEAR(made.contact->step({.v = -1e-9, .load = 2}, 1e-9), before, 1e-6);
  EXPECT_NEAR(before, 0.1 / 0.1 * (1 - std::exp(-0.1)) * (1 + std::pow(0.5 * 2, 1.5)) / 0.1 * 0.1, 0.02);
}

TEST(Servo, MayLeaveTheReferenceOutOfTheDerivative) {
  for (const Method method : {Method::automatic, Method::fixed}) {
    for (const double sample_time : {0.0, 1e-3}) {
      Experiment e = pendulum("viscous", {{"kv", 1e-9}});
      e.body = {.mass = 1};
      e.controller = ControllerParams{.kp = 100, .kd = 20, .sample_time = sample_time, .derivative_weight = 0};
      e.drive = {DriveOf::position, {{Ramp{1, 0}, 0}}, 0};
      e.method = method;
      if (method == Method::fixed) e.solver.step = 1e-4;
      const bristle::Run run = simulate(e);
      EXPECT_NEAR(column(run, "x").back(), 10 - 20.0 / 100, 2e-3);  // lags by kd/kp
    }
  }
}

}  // namespace
