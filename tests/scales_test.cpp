/// Chains from atoms to faults: closed forms, numbers of the literature, and two methods on the same chain.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "bristle/random.hpp"
#include "bristle/simulate.hpp"

using namespace bristle;

namespace {

constexpr double pi = std::numbers::pi;
double of(std::uint64_t seed, std::uint64_t i, double from, double to) {  // logarithmic
  return from * std::pow(to / from, uniform(seed, 99, i));
}

Experiment chain_of(int blocks, const char* model, const Table& parameters) {
  Experiment e;
  e.kind = SystemKind::chain;
  e.contacts.push_back({"", make(model, parameters).contact});
  e.chain.blocks = blocks;
  e.chain.pulled = Pulled::all;
  return e;
}
void ramp(Experiment& e, double velocity, double duration, DriveOf what = DriveOf::position) {
  e.drive = {what, {{Ramp{velocity, 0}, 0}}, 0};
  e.solver.duration = duration;
}
Experiment fault(int blocks, double k, double m, double Fs, double alpha, double sigma) {
  const double vw = (1 - sigma) / (2 * alpha) * Fs / std::sqrt(k * m);
  Experiment e = chain_of(blocks, "velocity_weakening", {{"Fs", Fs}, {"drop", sigma}, {"vw", vw}});
  e.body.mass = m;
  e.body.stiffness = k;
  e.chain.coupling = 100 * k;
  e.chain.boundary = blocks > 1 ? Boundary::periodic : Boundary::fixed_stress;
  return e;
}
const std::vector<double>& column(const Run& run, const char* name) {
  return std::ranges::find(run.trace.columns, name, &Column::name)->values;
}
double mean(const std::vector<double>& values, std::size_t from) {
  double sum = 0;
  for (std::size_t i = from; i + 1 < values.size(); ++i) sum += (values[i] + values[i + 1]) / 2;
  return sum / static_cast<double>(values.size() - 1 - from);
}

/// An atom at the end of a spring; the damping makes slips end in the next well.
Experiment tomlinson(double eta, double k, double a) {
  Experiment e = chain_of(1, "viscous", {{"kv", 0.0}});
  e.body.stiffness = k;
  e.chain.coupling = 0;
  e.chain.potential = {.U0 = eta * k * a * a / (4 * pi * pi), .period = a};
  e.body.mass = 1;
  e.body.damping = 20 * std::sqrt((1 + eta) * k);
  return e;
}

}  // namespace

/// Slip 1.4199 Fs/k, duration 3.938/omega, in any units: integrations of the one-block equation with alpha = 2.5, sigma = 0.01.
TEST(Scales, OneBlockOfAFaultSlipsAsKnownInAnyUnits) {
  for (std::uint64_t i = 0; i < 5; ++i) {
    const double k = of(1, i, 1e-3, 1e9), m = of(2, i, 1e-6, 1e6), Fs = of(3, i, 1e-3, 1e9);
    const double omega = std::sqrt(k / m), v = 1e-8 * Fs / std::sqrt(k * m);
    Experiment e = fault(1, k, m, Fs, 2.5, 0.01);
    e.solver.rtol = 1e-9;
    ramp(e, v, 6 * Fs / k / v);
    const auto run = simulate(e);
    ASSERT_EQ(run.summary.method, "event to event");
    ASSERT_EQ(run.catalogue.size(), 4u) << i;
    for (const SlipEvent& s : run.catalogue) {
      EXPECT_NEAR(s.moment * k / Fs, 1.4199, 5e-5);
      EXPECT_NEAR(s.duration * omega, 3.938, 5e-4);
      EXPECT_EQ(s.first, 1);
      EXPECT_EQ(s.blocks, 1);
    }
    EXPECT_NEAR(run.catalogue[0].t * v, Fs / k, 1e-9 * Fs / k);
  }
}

/// Constant kinetic friction: slip 2 (Fs - Fc)/k within half a period.
TEST(Scales, ConstantFrictionSlipsByTwiceTheDrop) {
  for (std::uint64_t i = 0; i < 5; ++i) {
    const double k = of(4, i, 1e-3, 1e6), m = of(5, i, 1e-3, 1e3), Fs = of(6, i, 1e-3, 1e3), part = uniform(7, 99, i);
    Experiment e = chain_of(1, "coulomb", {{"Fs", Fs}, {"Fc", Fs * part}});
    e.chain.boundary = Boundary::fixed_stress;
    e.body.stiffness = k;
    e.body.mass = m;
    ramp(e, 1e-9 * Fs / std::sqrt(k * m), 2.5e9 * std::sqrt(m / k));
    e.solver.rtol = 1e-9;
    const auto run = simulate(e);
    ASSERT_FALSE(run.catalogue.empty());
    EXPECT_NEAR(run.catalogue[0].moment, 2 * Fs * (1 - part) / k, 1e-6 * Fs / k);
    EXPECT_NEAR(run.catalogue[0].duration * std::sqrt(k / m), pi, 1e-5);
  }
}

/// The same chain with disorder, from event to event and by the general solver.
TEST(Scales, EventToEventAgreesWithTheGeneralSolver) {
  for (const Boundary boundary : {Boundary::open, Boundary::periodic, Boundary::fixed_stress}) {
    Experiment e = fault(6, 1, 1, 1, 2.5, 0.05);
    e.chain.coupling = 3;
    e.chain.coupling_damping = 0.05;
    e.body.damping = 0.02;
    e.chain.boundary = boundary;
    e.chain.stress = boundary == Boundary::fixed_stress ? 0.2 : 0;
    e.chain.spread = {
        .offset = 0.3, .seed = 5, .widths = {{"Fs", 0.2}, {"mass", 0.3}, {"coupling", 0.2}, {"stiffness", 0.1}}};
    ramp(e, 0.02, 45);  // later, the differences of chaotic motion grow
    e.solver.rtol = 1e-10;
    const auto quick = simulate(e);
    ASSERT_EQ(quick.summary.method, "event to event");
    e.method = Method::explicit_pair;
    const auto slow = simulate(e);
    ASSERT_NE(slow.summary.method, "event to event");
    for (const char* name : {"x", "x3", "x6"})
      EXPECT_NEAR(column(quick, name).back(), column(slow, name).back(), 1e-6) << name;
    ASSERT_EQ(quick.catalogue.size(), slow.catalogue.size());
    for (std::size_t i = 0; i < quick.catalogue.size(); ++i) {
      EXPECT_NEAR(quick.catalogue[i].t, slow.catalogue[i].t, 1e-5);
      EXPECT_EQ(quick.catalogue[i].first, slow.catalogue[i].first);
      EXPECT_EQ(quick.catalogue[i].blocks, slow.catalogue[i].blocks);
      EXPECT_NEAR(quick.catalogue[i].moment, slow.catalogue[i].moment, 1e-6);
    }
    EXPECT_LT(quick.summary.energy.error, 1e-7);
    EXPECT_LT(quick.summary.momentum.error, 1e-7);
  }
}

TEST(Scales, BlocksWithoutDisorderMoveInUnison) {
  Experiment e = fault(20, 1, 1, 1, 2.5, 0.01);
  ramp(e, 1e-6, 2e6);
  const auto run = simulate(e);
  ASSERT_FALSE(run.catalogue.empty());
  EXPECT_EQ(run.catalogue[0].blocks, 20);
  EXPECT_NEAR(run.catalogue[0].moment, 20 * 1.4199, 0.01);
}

/// Every displacement belongs to one event.
TEST(Scales, MomentsOfTheCatalogueAddUpToTheDisplacements) {
  Experiment e = fault(40, 1, 1, 1, 2.5, 0.01);
  e.chain.spread.offset = 0.01;
  e.solver.rtol = 1e-6;
  ramp(e, 1e-6, 8e6);
  const auto run = simulate(e);
  double moment = 0, moved = 0;
  for (const SlipEvent& s : run.catalogue) moment += s.moment;
  for (const Column& c : run.trace.columns) {
    if (c.name.starts_with("x")) moved += c.values.back() - c.values.front();
  }
  EXPECT_NEAR(moment, moved, 1e-6 * moved);
  EXPECT_GT(run.catalogue.size(), 100u);
  const auto again = simulate(e);
  ASSERT_EQ(run.catalogue.size(), again.catalogue.size());
  for (std::size_t i = 0; i < run.catalogue.size(); ++i) EXPECT_EQ(run.catalogue[i].moment, again.catalogue[i].moment);
}

/// The peak is F0 for every eta; the mean over F0 for slow, strongly damped motion.
TEST(Scales, TomlinsonFriction) {
  const std::pair<double, double> known[]{{2, 0.201452}, {3, 0.377131}, {10, 0.757171}};
  for (const auto& [eta, friction] : known) {
    const double k = 2, a = 0.5, F0 = eta * k * a / (2 * pi);
    Experiment e = tomlinson(eta, k, a);
    const double v = 1e-7 * a * k / e.body.damping;
    ramp(e, v, 9 * a / v);
    e.solver.output_step = a / v / 4000;
    const auto run = simulate(e);
    const std::vector<double>& F = column(run, "F_app");
    EXPECT_NEAR(*std::ranges::max_element(F), F0, 1e-3 * F0) << eta;
    EXPECT_NEAR(mean(F, 5 * 4000) / F0, friction, 1e-3) << eta;  // of four periods
  }
  Experiment smooth = tomlinson(0.9, 2, 0.5);
  ramp(smooth, 1e-6, 4.5e6);
  smooth.solver.output_step = 100;
  EXPECT_NEAR(mean(column(simulate(smooth), "F_app"), 5000), 0, 1e-4);
}

/// k_c = 0 with incommensurate places: the mean of all particles is Tomlinson's at any time.
/// At the moment of a slip the second next well exists from eta = 4.603 on, the root of sqrt(eta^2 - 1) + arccos(-1/eta) = 2 pi.
TEST(Scales, SlipsHaveTwoWellsFromAKnownStiffness) {
  const auto end_at_slip = [](double eta) {
    const double a = 0.5;
    Experiment e = tomlinson(eta, 2, a);
    e.body.x0 = 2 * a;
    const double slip = (std::sqrt(eta * eta - 1) + std::acos(-1 / eta)) / (2 * pi) * a;
    e.drive = {DriveOf::position, {{Constant{slip}, 0}}, 0};
    e.solver.duration = 3000 * e.body.damping / e.body.stiffness;
    return column(simulate(e), "x").back() / a;
  };
  EXPECT_LT(end_at_slip(4.600), 1.5);
  EXPECT_GT(end_at_slip(4.606), 1.5);
}

TEST(Scales, UncoupledChainIsTheMeanOfTomlinsonAtoms) {
  Experiment e = tomlinson(3, 1, 1);
  e.chain.blocks = 13;
  e.chain.boundary = Boundary::periodic;
  e.chain.spacing = 8.0 / 13;
  const double v = 1e-5 / e.body.damping, F0 = 3 / (2 * pi);
  ramp(e, v, 2 / v);
  e.solver.output_step = 1 / v / 13 / 20;
  e.solver.rtol = 1e-5;
  const auto run = simulate(e);
  double sum = 0;  // over the time in which the atoms take the places of their neighbours
  for (const Column& c : run.trace.columns) {
    if (!c.name.starts_with("x")) continue;
    const std::vector<double>& drive = column(run, "drive");
    for (std::size_t i = drive.size() - 20; i < drive.size(); ++i) sum += drive[i] - c.values[i];
  }
  EXPECT_NEAR(sum / 13 / 20 / F0, 0.377131, 4e-3);
}

/// Golden-mean chain: depinning force over F0 is 0.021128 at K = 1.5 and 0.297326 at K = 4; below K_c = 0.9716 nothing holds.
TEST(Scales, FrenkelKontorovaDepins) {
  const auto moves = [](double K, double force) {
    Experiment e = chain_of(34, "viscous", {{"kv", 1.0}});
    e.body.mass = 0.01;
    e.chain.coupling = 1;
    e.chain.boundary = Boundary::periodic;
    e.chain.spacing = 21.0 / 34;
    e.chain.potential = {.U0 = K / (4 * pi * pi), .period = 1};
    const double F = force * K / (2 * pi);
    e.drive = {DriveOf::force, {{Points{{0, 1000}, {0, F}}, 0}}, 0};
    e.solver.duration = 3000;
    e.solver.rtol = 1e-4;
    e.solver.record = {1};
    const std::vector<double> x = column(simulate(e), "x");
    return std::abs(x.back() - x[x.size() / 2]) > 0.05;
  };
  EXPECT_FALSE(moves(1.5, 0.93 * 0.021128));
  EXPECT_TRUE(moves(1.5, 1.1 * 0.021128));
  EXPECT_FALSE(moves(4, 0.99 * 0.297326));
  EXPECT_TRUE(moves(4, 1.01 * 0.297326));
  EXPECT_TRUE(moves(0.8, 0.01));
}

/// Small waves of a chain on springs to the ground: omega^2 = (k + 4 k_c sin^2(q/2))/m.
TEST(Scales, PhononsHaveTheKnownDispersion) {
  constexpr int n = 16, wave = 3;
  const double k = 1.3, kc = 2.1, m = 0.7, q = 2 * pi * wave / n;
  const double omega = std::sqrt((k + 4 * kc * std::pow(std::sin(q / 2), 2)) / m);
  // A standing wave of this q needs offsets: two runs with the drive at rest differ by superposition only, so one block is
  // displaced and the projection on the wave is taken.
  Experiment e = chain_of(n, "viscous", {{"kv", 0.0}});
  e.body.stiffness = k;
  e.body.mass = m;
  e.chain.coupling = kc;
  e.chain.boundary = Boundary::periodic;
  e.chain.spread.offset = 1e-3;
  e.solver.duration = 10;
  const auto run = simulate(e);
  const auto project = [&](std::size_t row) {
    double sum = 0;
    for (int b = 0; b < n; ++b) {
      const std::string name = name_in_chain("x", static_cast<std::size_t>(b) + 1);
      sum += column(run, name.c_str())[row] * std::cos(q * b);
    }
    return sum;
  };
  for (const std::size_t row : {100u, 377u, 1000u})
    EXPECT_NEAR(project(row), project(0) * std::cos(omega * 0.01 * static_cast<double>(row)),
                1e-6 * std::abs(project(0)));
}

/// Equipartition: m <v^2> = k_B T, and k <x^2> = k_B T for uncoupled wells.
TEST(Scales, ThermalChainHasItsTemperature) {
  Experiment e = chain_of(100, "viscous", {{"kv", 0.6}});
  e.body = {.mass = 2, .stiffness = 3};
  e.chain.coupling = 0;
  e.chain.kT = 0.4;
  e.method = Method::fixed;
  e.solver = {.duration = 1000, .output_step = 2, .step = 0.1};
  const auto run = simulate(e), again = simulate(e);
  double v2 = 0, x2 = 0, count = 0;
  for (const Column& c : run.trace.columns) {
    for (std::size_t i = 10; i < c.values.size(); ++i) {
      if (c.name.starts_with("v")) v2 += c.values[i] * c.values[i], ++count;
      if (c.name.starts_with("x")) x2 += c.values[i] * c.values[i];
    }
  }
  EXPECT_NEAR(2 * v2 / count / 0.4, 1, 0.01);  // 5e4 values, nearly independent: 0.6 %
  EXPECT_NEAR(3 * x2 / count / 0.4, 1, 0.01);
  EXPECT_EQ(column(run, "x7"), column(again, "x7"));
  e.chain.seed = 2;
  EXPECT_NE(column(run, "x7"), column(simulate(e), "x7"));
}

/// At T = 0 the scheme conserves energy without damping, to second order.
TEST(Scales, FixedStepsConserveEnergy) {
  Experiment e = chain_of(5, "viscous", {{"kv", 0.0}});
  e.body = {.mass = 1, .stiffness = 1, .v0 = 0.3};
  e.chain.potential = {.U0 = 0.05, .period = 1};
  e.chain.spread.offset = 0.2;
  e.method = Method::fixed;
  e.solver = {.duration = 50, .step = 0.01};
  const double coarse = simulate(e).summary.energy.error;
  e.solver.step = 0.005;
  EXPECT_LT(coarse, 1e-3);
  EXPECT_LT(simulate(e).summary.energy.error, coarse / 2);
}

TEST(Scales, StepsThatCannotBeTakenEndTheRun) {
  Experiment e = fault(3, 1, 1, 1, 2.5, 0.01);
  ramp(e, 1e-3, 10);
  e.contacts.front().contact = make("viscous", {{"kv", 0.1}}).contact;
  e.method = Method::fixed;
  for (const double step : {1e-30, 1e-19, 5.0}) {  // more steps than any counter holds; beyond the highest frequency
    e.solver.step = step;
    EXPECT_THROW(simulate(e), RunFailed) << step;
  }
  e.solver.step = 0.01;
  EXPECT_EQ(simulate(e).summary.steps, 1000);
}

/// The drive's work of blocks that move from the beginning.
TEST(Scales, MovingStartsBalanceTheirEnergy) {
  Experiment e = fault(4, 1, 1, 1, 2.5, 0.01);
  ramp(e, 0.05, 40);
  e.body.v0 = 1;
  e.chain.coupling = 5;
  EXPECT_LT(simulate(e).summary.energy.error, 1e-6);
}

TEST(Scales, WrongChainsAreRefused) {
  const auto why = [](auto&& change) {
    Experiment e = fault(3, 1, 1, 1, 2.5, 0.01);
    ramp(e, 1e-3, 10);
    change(e);
    return objection_to(e);
  };
  EXPECT_EQ(why([](Experiment&) {}), "");
  EXPECT_NE(why([](Experiment& e) { e.chain.blocks = 1, e.chain.boundary = Boundary::periodic; }).find("at least 2"),
            std::string::npos);
  EXPECT_NE(why([](Experiment& e) { e.chain.potential.U0 = -1; }).find("U0"), std::string::npos);
  EXPECT_NE(why([](Experiment& e) { e.chain.kT = 1; }).find("fixed"), std::string::npos);
  EXPECT_NE(why([](Experiment& e) { e.chain.spread.widths = {{"sigma0", 0.1}}; }).find("no such parameter"),
            std::string::npos);
  EXPECT_NE(why([](Experiment& e) { e.chain.spread.widths = {{"Fs", 3.0}}; }).find("width"), std::string::npos);
  EXPECT_NE(why([](Experiment& e) {
              e.chain.potential = {.U0 = 1, .period = 1};
              e.chain.spacing = 0.4;
            }).find("whole number of periods"),
            std::string::npos);
}
