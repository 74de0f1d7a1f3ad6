/// Runs of contacts with heat, of films and of rolling: the solver against closed forms and against steps.
#include <gtest/gtest.h>

#include <cmath>

#include "support/experiment.hpp"
#include "support/random.hpp"

using namespace bristle;

namespace {

const Table warm{{"heat.capacity", 20}, {"heat.conductance", 0.5}, {"heat.ambient", 20}};
const Table oil = warm + Table{{"heat.viscous", "exponential"}, {"heat.viscous_coefficient", 0.03}};

double last(const bristle::Run& run, const std::string& column) { return run.trace.find(column)->values.back(); }

Experiment slides(std::unique_ptr<AnyContact> c, double v, double duration) {
  Experiment e;
  e.kind = SystemKind::prescribed;
  e.contacts.push_back({"", std::move(c)});
  e.drive = position(Ramp{.velocity = v});
  e.solver.duration = duration;
  e.solver.rtol = 1e-9;
  return e;
}

}  // namespace

TEST(SimulateHeat, ViscousFrictionFindsItsTemperature) {
  const auto run = simulate(slides(contact("viscous", {{"kv", 50}}, oil), 0.5, 40));
  EXPECT_NEAR(last(run, "T"), 32.2546505, 1e-6 * 32);
  const auto settled = simulate(slides(contact("viscous", {{"kv", 50}}, oil), 0.5, 1000));
  EXPECT_NEAR(last(settled, "T"), 35.6383404, 1e-6 * 36);
  EXPECT_NEAR(last(settled, "F"), 15.6383404, 1e-6 * 16);
}

TEST(SimulateHeat, CoulombFrictionAndFlash) {
  const auto run = simulate(
      slides(contact("coulomb", {{"Fc", 10}}, warm + Table{{"heat.dry", "linear"}, {"heat.dry_coefficient", 0.004}}),
             0.5, 1000));
  EXPECT_NEAR(last(run, "T"), 29.6153846, 1e-6 * 30);
  const auto flash = simulate(slides(
      contact("coulomb", {{"Fc", 10}}, warm + Table{{"heat.flash_capacity", 0.01}, {"heat.flash_conductance", 2}}), 0.5,
      10));
  EXPECT_NEAR(last(flash, "T_flash"), 24.7090728, 1e-6 * 25);
  EXPECT_NEAR(last(flash, "T"), 22.2100462, 1e-6 * 22);
}

TEST(SimulateHeat, LuGreAlongASine) {
  Experiment e =
      slides(contact("lugre", {{"Fc", 1}, {"Fs", 1.5}, {"vs", 0.01}, {"sigma0", 1e4}, {"sigma1", 100}, {"kv", 4}},
                     {{"heat.capacity", 0.05},
                      {"heat.conductance", 0.02},
                      {"heat.ambient", 20},
                      {"heat.dry", "exponential"},
                      {"heat.dry_coefficient", 0.01},
                      {"heat.viscous", "exponential"},
                      {"heat.viscous_coefficient", 0.03}}),
             0, 0.3);
  e.drive = velocity(Sine{.amplitude = 0.2, .frequency = 1});
  const auto run = simulate(e);
  EXPECT_NEAR(last(run, "T"), 21.31476, 1e-6 * 21);
  EXPECT_NEAR(last(run, "F"), 1.71835793, 1e-6 * 1.7);
}

/// Heat and work: with nothing lost to the surroundings, C (T - T0) is the work of friction.
TEST(SimulateHeat, WorkBecomesHeat) {
  Experiment e = slides(
      contact(
          "stribeck", {{"Fc", 1}, {"Fs", 1.5}, {"vs", 0.01}, {"kv", 2}},
          {{"heat.capacity", 3}, {"heat.conductance", 0}, {"heat.dry", "exponential"}, {"heat.dry_coefficient", 0.05}}),
      0, 20);
  e.kind = SystemKind::slider;
  e.body.mass = 2;
  e.body.stiffness = 50;
  e.drive = position(Ramp{.velocity = 0.05});
  const auto run = simulate(e);
  EXPECT_NEAR(3 * (last(run, "T") - 20), run.summary.energy.friction, 1e-6 * run.summary.energy.friction);
  EXPECT_GT(run.summary.energy.friction, 0.5);
}

/// The heat balance of the summary: to 100 rtol of the integral of |F v|, at random constants, with and without a flash node.
TEST(SimulateHeat, BalanceOfTheSummary) {
  auto off = [](const bristle::Run& run) {
    for (const std::string& note : run.summary.notes) {
      const std::size_t at = note.find("; off by ");
      if (note.starts_with("heat") && at != std::string::npos) return std::stod(note.substr(at + 9));
    }
    ADD_FAILURE() << "no heat balance";
    return inf;
  };
  Draw draw(31);
  for (int k = 0; k < 12; ++k) {
    Table heat{{"heat.capacity", draw.log_uniform(0.05, 50)},
               {"heat.conductance", draw.log_uniform(1e-3, 5)},
               {"heat.share", draw.uniform(0.2, 1)},
               {"heat.dry", "exponential"},
               {"heat.dry_coefficient", draw.uniform(1e-3, 0.02)}};
    if (k % 2 == 0)
      heat = heat + Table{{"heat.flash_capacity", draw.log_uniform(1e-3, 1)},
                          {"heat.flash_conductance", draw.log_uniform(0.1, 5)}};
    Experiment e =
        k % 3 == 0
            ? slides(contact("lugre", {{"Fc", 1}, {"Fs", 1.5}, {"vs", 0.01}, {"sigma0", 1e4}, {"sigma1", 100}}, heat),
                     0, 5)
            : slides(contact("stribeck", {{"Fc", 1}, {"Fs", 1.5}, {"vs", 0.01}, {"kv", 2}}, heat), 0, 5);
    if (k % 3 == 2) {
      e.kind = SystemKind::slider;
      e.body.mass = 2;
      e.body.stiffness = 50;
      e.drive = position(Ramp{.velocity = 0.05});
    } else {
      e.drive = velocity(Sine{.amplitude = draw.log_uniform(0.01, 1), .frequency = draw.uniform(0.2, 3)});
    }
    e.solver.rtol = k % 4 == 1 ? 1e-6 : 1e-9;
    EXPECT_LT(off(simulate(e)), 100 * e.solver.rtol) << k;
  }
}

TEST(SimulateFilm, LagOfAModulatedSpeed) {
  Experiment e =
      slides(contact("film", {{"Fc", 0.2}, {"Fs", 1.5}, {"vs", 0.01}, {"kf", 2}, {"squeeze_length", 0.01}}), 0, 12);
  e.drive = velocity(Sine{.amplitude = 0.015, .frequency = 0.5, .offset = 0.02});
  const auto run = simulate(e);
  EXPECT_NEAR(last(run, "F"), 0.631694679, 1e-6);
}

/// A driven wheel of mass 1 kg on the brush: the traction that accelerates it is that of the strips, and creep follows.
TEST(SimulateRolling, RollerCreepsUnderTraction) {
  Experiment e;
  e.kind = SystemKind::roller;
  e.contacts.push_back(
      {"", contact("rolling", {{"normal_load", 100}, {"mu_c", 0.3}, {"radius", 0.01}, {"half_width", 1e-4}})});
  e.body.mass = 1;
  e.body.v0 = 0.01;
  e.disk.radius = 0.01;
  e.disk.omega0 = 1;
  e.drive = force(Constant{.value = 15});
  e.solver.duration = 0.02;
  e.method = Method::fixed;
  e.solver.step = 1e-6;
  const auto run = simulate(e);
  // Force 15 N on the axle of a disk, I = m R^2/2: F = 5 N at the rim without slip.
  EXPECT_NEAR(last(run, "F"), 5, 0.05);
  const double V = last(run, "v"), slip = V - 0.01 * last(run, "omega");
  EXPECT_NEAR(slip / V, 5.0 / (2 * 30 * 0.01 / (0.3 * 1e-4)), 0.2 * slip / V);
}

TEST(SimulateRolling, PreRollingHysteresis) {
  Experiment e = slides(
      contact(
          "rolling",
          {{"normal_load", 100}, {"mu_c", 0.3}, {"radius", 0.01}, {"half_width", 1e-4}, {"creepage", Value{1.5e-3}}}),
      1e-3, 1);
  const auto run = simulate(e);
  EXPECT_NEAR(last(run, "Q1"), 22.005535, 0.05);
  EXPECT_NEAR(last(run, "F"), 1.5e-3 * last(run, "Q1"), 1e-9);
}
