/// Method fixed: the real-time coupling, first order, holds below breakaway at any step.
#include <gtest/gtest.h>

#include "support/experiment.hpp"

using namespace bristle;

namespace {

/// Largest error of x over its range against the hybrid run, for a step.
double error_with(Experiment& e, double step) {
  e.method = Method::automatic;
  const auto exact = simulate(e);
  e.method = Method::fixed;
  e.solver.step = step;
  const auto run = simulate(e);
  const auto &a = column(exact.trace, "x"), &b = column(run.trace, "x");
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) worst = std::max(worst, std::abs(a[i] - b[i]));
  EXPECT_EQ(run.summary.method, "fixed");
  return worst / largest(a);
}

}  // namespace

struct Case {
  const char* name;
  Experiment e;
};
/// Ten times shorter steps, about ten times less error.
TEST(Fixed, FirstOrder) {
  std::vector<Case> cases;
  const Table curve{{"Fc", 1}, {"Fs", 1.5}, {"vs", 0.05}};
  const Drive sine = position(Sine{0.05, 1, 0, 0});
  for (const char* model : {"coulomb", "stribeck", "lugre", "dahl", "gms", "coulomb_tanh", "elasto_plastic"}) {
    const Table p = std::string(model) == "stribeck" ? curve : typical(model);
    cases.push_back({model, slider(contact(model, p), 1, 100, sine, 2)});
    cases.push_back({model, roller(contact(model, p), 1, 100, 0.1, position(Sine{0.1, 1, 0, 0}), 1)});
    cases.push_back({model, servo(contact(model, p), 1, {.kp = 1000, .kd = 20}, sine, 1)});
    cases.push_back({model, slider(contact(model, p), 1, 0, force(Sine{3, 1, 0, 0.5}), 1)});
  }
  Experiment damped = slider(contact("coulomb", {{"Fc", 1}}), 1, 100, velocity(Sine{0.3, 1, 0, 0}), 1);
  damped.body.damping = 3;
  cases.push_back({"damper", std::move(damped)});
  for (Case& c : cases) {
    const double coarse = error_with(c.e, 1e-3), fine = error_with(c.e, 1e-4);
    EXPECT_LT(fine, 3e-3) << c.name;
    EXPECT_LT(fine, coarse / 4) << c.name << " " << coarse << " " << fine;
  }
}

/// A force below breakaway is held permanently, for any step; just above, it is not.
TEST(Fixed, HoldsBelowBreakaway) {
  for (const double step : {1e-5, 1e-3, 0.1}) {
    for (const double pull : {1.49, 1.51}) {
      Experiment e = slider(contact("coulomb", {{"Fc", 1}, {"Fs", 1.5}}), 1, 0, force(Constant{pull}), 1);
      e.method = Method::fixed;
      e.solver.step = step;
      const auto run = simulate(e);
      EXPECT_EQ(column(run.trace, "v").back() != 0, pull > 1.5) << step;
      if (pull < 1.5) continue;
      EXPECT_NEAR(column(run.trace, "v").back(), 0.51, 0.11 * step + 1e-9) << step;
    }
    Experiment bristle = slider(contact("lugre", typical("lugre")), 1, 0, force(Constant{0.9}), 1);
    bristle.method = Method::fixed;
    bristle.solver.step = step;
    const auto run = simulate(bristle);
    EXPECT_NEAR(column(run.trace, "F").back(), 0.9, 1e-3) << step;
    EXPECT_LT(largest(column(run.trace, "x")), 1e-4) << step;
  }
}

/// The implicit rule dissipates: the error of the energy balance is of the order of the step, and is reported.
TEST(Fixed, ReportsItsBalance) {
  double last = 1;
  for (const double step : {1e-2, 1e-3, 1e-4}) {
    Experiment e = slider(contact("coulomb", {{"Fc", 1}}), 1, 100, position(Sine{0.05, 1, 0, 0}), 2);
    e.method = Method::fixed;
    e.solver.step = step;
    const auto run = simulate(e);
    EXPECT_GT(run.summary.energy.error, 0);
    EXPECT_LT(run.summary.energy.error, last / 4) << step;
    EXPECT_EQ(run.summary.steps, std::lround(2 / step));
    last = run.summary.energy.error;
  }
  EXPECT_LT(last, 1e-2);
}

/// Prescribed motion: each sample is the contact's own step, to the bit.
TEST(Fixed, PrescribedIsTheContactItself) {
  Experiment e = prescribed(contact("lugre", typical("lugre")), velocity(Sine{2e-3, 1, 0, 0}), 1);
  e.method = Method::fixed;
  e.solver.step = e.solver.output_step = 1e-3;
  const auto run = simulate(e);
  const auto model = contact("lugre", typical("lugre"));
  double x = 0, path = 0;
  for (std::size_t i = 1; i < run.trace.rows(); ++i) {
    const double t = column(run.trace, "t")[i], dt = t - column(run.trace, "t")[i - 1], v = 2e-3 * std::sin(two_pi * t);
    x += v * dt;
    path += std::abs(v) * dt;
    EXPECT_NEAR(column(run.trace, "F")[i], model->step({.x = x, .v = v, .path = path, .t = t}, dt), 1e-12) << t;
  }
}

TEST(Fixed, AsksForWhatItNeeds) {
  Experiment e = slider(contact("coulomb", {{"Fc", 1}}), 1, 100, position(Ramp{1, 0}), 1);
  e.method = Method::fixed;
  EXPECT_THROW(simulate(e), BadInput);
  e.solver.step = 1e-9;
  e.solver.max_steps = 1000;
  EXPECT_THROW(simulate(e), RunFailed);
}

/// The implicit step damps a contact that rings undamped: its energy falls by 1 + (omega dt)^2 per step, the factor of
/// backward Euler on a linear spring. Steps that do not resolve omega dt << damping ratio show their own damping.
TEST(Fixed, RingingDecaysAsBackwardEulerDoes) {
  for (const double dt : {2e-5, 1e-4}) {
    const double sigma0 = 1e6, omega = 1000;
    Experiment e = slider(contact("lugre", {{"Fc", 1}, {"Fs", 1.5}, {"vs", 1e-3}, {"sigma0", sigma0}, {"sigma1", 0}}),
                          1, 0, force(Constant{0}), 100 * dt);
    e.body.v0 = 1e-9;  // far below sliding: the bristle is a spring
    e.method = Method::fixed;
    e.solver.step = e.solver.output_step = dt;
    const auto run = simulate(e);
    const auto &x = column(run.trace, "x"), &v = column(run.trace, "v");
    const double energy = v.back() * v.back() + sigma0 * x.back() * x.back();
    EXPECT_NEAR(energy / 1e-18 * std::pow(1 + omega * omega * dt * dt, 100), 1, 1e-4) << dt;
  }
}
/// Where damping is resolved, half the step gives half the error.
TEST(Fixed, FirstOrderOnADampedContact) {
  auto make = [] {
    return slider(contact("lugre", {{"Fc", 1}, {"Fs", 1.5}, {"vs", 1e-3}, {"sigma0", 1e5}, {"sigma1", 300}}), 1, 100,
                  position(Sine{5e-3, 1, 0, 0}), 0.5);
  };
  const auto exact = simulate(make());
  double last = 0;
  for (const double dt : {4e-5, 2e-5, 1e-5}) {
    Experiment e = make();
    e.method = Method::fixed;
    e.solver.step = dt;
    const double error = difference(simulate(e), exact, 1e-9).worst;
    if (last > 0) { EXPECT_NEAR(last / error, 2, 0.2) << dt; }
    last = error;
  }
}
