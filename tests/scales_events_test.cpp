/// Faults from event to event: statistics of known runs, many clusters at once, long chains.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <iostream>

#include "bristle/simulate.hpp"
#include "bristle/simulate/catalogue.hpp"

using namespace bristle;

namespace {

Experiment fault(int blocks, double alpha = 2.5, double sigma = 0.01) {
  Experiment e;
  e.kind = SystemKind::chain;
  e.contacts.push_back(
      {"", make("velocity_weakening", {{"Fs", 1.0}, {"drop", sigma}, {"vw", (1 - sigma) / (2 * alpha)}}).contact});
  e.body = {.mass = 1, .stiffness = 1};
  e.chain.blocks = blocks;
  e.chain.pulled = Pulled::all;
  e.chain.coupling = 100;
  e.chain.boundary = Boundary::periodic;
  e.chain.spread = {.offset = 0.01, .seed = 1};
  e.solver.rtol = 1e-6;
  return e;
}
void ramp(Experiment& e, double velocity, double duration) {
  e.drive = {DriveOf::position, {{Ramp{velocity, 0}, 0}}, 0};
  e.solver.duration = duration;
}
const std::vector<double>& column(const Run& run, const std::string& name) {
  return std::ranges::find(run.trace.columns, name, &Column::name)->values;
}

/// Of the line of least squares through the logarithms of the counts in five bins per decade.
double slope_of_counts(const std::vector<double>& moments, double lo, double hi) {
  std::vector<double> counts(static_cast<std::size_t>(std::lround(5 * (hi - lo))));
  for (const double m : moments) {
    const double at = 5 * (std::log10(m) - lo);
    if (at >= 0 && at < static_cast<double>(counts.size())) ++counts[static_cast<std::size_t>(at)];
  }
  double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (std::size_t k = 0; k < counts.size(); ++k) {
    if (counts[k] == 0) continue;
    const double x = static_cast<double>(k) / 5, y = std::log10(counts[k]);
    ++n;
    sx += x;
    sy += y;
    sxx += x * x;
    sxy += x * y;
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

}  // namespace

/// Counts per decade fall as M^-0.92 from 10^-3.5 to 10^-0.5; one-block events are 77 %; large ones have M near 130.
TEST(Faults, SizesOfTwoHundredBlocks) {
  Experiment e = fault(200);
  ramp(e, 1e-6, 1e8);
  e.solver.record = {1};
  e.solver.output_step = 1e6;
  e.solver.atol = 1e-8;
  const auto run = simulate(e);
  std::vector<double> many, large;
  double single = 0, all = 0;
  for (const SlipEvent& s : run.catalogue) {
    if (s.t < 3e7) continue;
    ++all;
    single += s.blocks == 1 ? 1 : 0;
    if (s.blocks > 1) many.push_back(s.moment);
    if (s.moment > 10) large.push_back(s.moment);
  }
  const PowerLaw law = fit_power_law(many, std::pow(10, -3.5), std::pow(10, -0.5));
  const double line = slope_of_counts(many, -3.5, -0.5);
  std::cout << "slope " << line << ", maximum likelihood " << 1 - law.exponent << " +- " << law.error << ", single "
            << single / all << ", " << large.size() << " large, " << all << " events\n";
  EXPECT_NEAR(line, -0.92, 0.04);  // realisations differ by 0.03
  EXPECT_NEAR(law.exponent - 1, 0.92, 0.06);
  EXPECT_LT(law.error, 0.02);
  EXPECT_NEAR(single / all, 0.77, 0.02);
  ASSERT_GT(large.size(), 20U);
  std::ranges::sort(large);
  EXPECT_NEAR(large[large.size() / 2], 130, 40);
  EXPECT_LT(run.summary.energy.error, 1e-4);
}

/// Many clusters that move at the same time agree with the general solver, which knows none.
TEST(Faults, ClustersAgreeWithTheGeneralSolver) {
  for (const Boundary boundary : {Boundary::open, Boundary::periodic}) {
    Experiment e = fault(60, 2.5, 0.05);
    e.chain.boundary = boundary;
    e.chain.coupling = 2;
    e.chain.coupling_damping = 0.1;
    e.chain.spread = {.offset = 1.5, .seed = 4, .widths = {{"Fs", 0.3}, {"mass", 0.2}}};
    ramp(e, 0.1, 6);
    e.solver.rtol = 1e-10;
    e.solver.output_step = 0.05;
    const auto quick = simulate(e);
    ASSERT_EQ(quick.summary.method, "event to event");
    e.method = Method::explicit_pair;
    const auto slow = simulate(e);
    double most = 0;
    for (const char* name : {"x", "x2", "x30", "x59", "x60", "v7", "v31"}) {
      const auto &a = column(quick, name), &b = column(slow, name);
      ASSERT_EQ(a.size(), b.size());
      for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a[i] - b[i]));
    }
    EXPECT_LT(most, 1e-5);
    EXPECT_NEAR(quick.summary.energy.drive, slow.summary.energy.drive, 1e-6 * std::abs(slow.summary.energy.drive));
    EXPECT_NEAR(quick.summary.energy.friction, slow.summary.energy.friction, 1e-6 * slow.summary.energy.friction);
    EXPECT_LT(quick.summary.energy.error, 1e-7);
    EXPECT_LT(quick.summary.momentum.error, 1e-7);
    EXPECT_EQ(quick.catalogue.size(), slow.catalogue.size());
  }
}

/// Blocks without coupling are single sliders: the same slips whether others move at the time or not. Neighbours that move at the
/// same time count as one event.
TEST(Faults, UncoupledBlocksSlipAlone) {
  Experiment e = fault(40);
  e.chain.coupling = 0;
  e.chain.boundary = Boundary::open;
  e.chain.spread.offset = 0.8;
  e.solver.rtol = 1e-9;
  ramp(e, 1e-3, 3000);
  const auto run = simulate(e);
  double overlapping = 0;
  for (const SlipEvent& s : run.catalogue) {
    EXPECT_NEAR(s.moment, 1.4199 * s.blocks, 0.01 * s.blocks);  // the drive moves during the slip
    for (const SlipEvent& o : run.catalogue) overlapping += o.t < s.t && s.t < o.t + o.duration ? 1 : 0;
  }
  EXPECT_GT(overlapping, 5);
}

/// The steps of all clusters grow with the length of a chain; the limit is that of a block.
TEST(Faults, LimitOfStepsIsPerBlock) {
  Experiment e = fault(40);
  ramp(e, 1e-3, 3000);
  const std::int64_t steps = simulate(e).summary.steps;
  e.solver.max_steps = static_cast<double>(steps / 40 + 1);
  EXPECT_EQ(simulate(e).summary.steps, steps);
  e.solver.max_steps = static_cast<double>(steps / 80);
  EXPECT_THROW(simulate(e), RunFailed);
}

/// A long chain that starts out of balance finishes events at once, and keeps those that were over when it is stopped.
TEST(Faults, LongChainsFinishEvents) {
  Experiment e = fault(100000);
  ramp(e, 1e-6, 0.4);
  e.solver.record = {1};
  std::vector<SlipEvent> kept;
  std::atomic<bool> stop = false;
  RunOptions options;
  options.stop = &stop;
  options.catalogue = [&](const SlipEvent& s) {
    kept.push_back(s);
    if (kept.size() == 2000) stop = true;
  };
  EXPECT_THROW(simulate(e, options), Stopped);
  EXPECT_GE(kept.size(), 2000U);
}

/// The events that were over are kept by the general solver too.
TEST(Faults, StoppedChainsOfAnyMethodKeepTheirEvents) {
  Experiment e = fault(10);
  e.method = Method::explicit_pair;
  e.chain.coupling = 2;
  e.chain.spread.offset = 1;
  ramp(e, 0.05, 400);
  const auto whole = simulate(e).catalogue;
  std::vector<SlipEvent> kept;
  std::atomic<bool> stop = false;
  RunOptions options;
  options.stop = &stop;
  options.progress = [&](double t) { stop = t > 200; };
  options.catalogue = [&](const SlipEvent& s) { kept.push_back(s); };
  EXPECT_THROW(simulate(e, options), Stopped);
  ASSERT_GT(kept.size(), whole.size() / 4);
  ASSERT_LT(kept.size(), whole.size());
  for (std::size_t k = 0; k < kept.size(); ++k) EXPECT_EQ(kept[k].t, whole[k].t) << k;
}

TEST(Faults, WidthsWithoutEffectAreRefused) {
  const auto why = [](auto&& change) {
    Experiment e = fault(3);
    ramp(e, 1e-3, 10);
    change(e);
    return objection_to(e);
  };
  EXPECT_EQ(why([](Experiment& e) { e.chain.spread.widths = {{"mass", 0.1}}; }), "");
  EXPECT_NE(why([](Experiment& e) { e.chain.spread.widths = {{"U0", 0.1}}; }).find("no effect"), std::string::npos);
  EXPECT_NE(why([](Experiment& e) { e.chain.spread.widths = {{"damping", 0.1}}; }).find("no effect"),
            std::string::npos);
  EXPECT_EQ(why([](Experiment& e) {
              e.chain.spread.widths = {{"U0", 0.1}};
              e.chain.potential = {.U0 = 1, .period = 1};
            }),
            "");
}
