/// Runs along the moves and signals of profiles_test: every model prescribed, and pulled against CVODE, which takes other
/// steps.
#include <gtest/gtest.h>

#include "support/experiment.hpp"

using namespace bristle;

namespace {

/// Moves over this distance within this time.
std::vector<Drive> moves(double D, double T) {
  const double V = 3 * D / T, A = 4 * V / T;
  return {position(Trapezoid{D, V, A}), position(SCurve{-D, V, A, 8 * A / T}),
          position(MinimumJerk{{{0, D, -0.3 * D}, {0, 0.4 * T, 0.9 * T}}}),
          position(PointToPoint{{{0, D, D, 0.2 * D}, {0.1 * T, 0.4 * T, 0.5 * T, 0.8 * T}}})};
}

}  // namespace

/// The work of a prescribed motion is computed twice, so the energy balance is a check.
TEST(SimulateProfiles, EveryModelPrescribed) {
  for (const std::string& model : flow_names()) {
    const auto c = contact(model, typical(model));
    const auto scales = c->scales();
    const double X = scales.displacement > 0 ? scales.displacement : 1e-4,
                 V = scales.velocity > 0 ? scales.velocity : 1e-3, D = 20 * X, T = D / V;
    for (std::size_t i = 0; i < 4; ++i) {
      const Drive drive = moves(D, T)[i];
      const auto run = simulate(prescribed(c->clone(), drive, T));
      EXPECT_LT(run.summary.energy.error, 1e-5) << model << " " << i;
      const auto &t = column(run.trace, "t"), &x = column(run.trace, "x"), &v = column(run.trace, "v");
      for (std::size_t k = 0; k < t.size(); ++k) {
        ASSERT_NEAR(x[k], drive.at(t[k]).value, 1e-12 * D) << model << " " << i;
        ASSERT_NEAR(v[k], drive.at(t[k]).rate, 1e-12 * V) << model << " " << i;
      }
      EXPECT_EQ(v.back(), 0) << model << " " << i;
    }
  }
}

/// A body on a spring, drawn by the moves and by random bits of force, agrees with CVODE.
TEST(SimulateProfiles, PulledAgreesWithCvode) {
  for (const std::string model : {"lugre", "stribeck", "gms"}) {
    auto c = contact(model, typical(model));
    std::vector<Drive> drives = moves(0.05, 2);
    drives.push_back(force(Prbs{2.5, 0.11, 3}));
    drives.push_back(position(Staircase{0.01, 0.3, 5}));
    drives.push_back(velocity(PointToPoint{{{0, 0.1, 0.05}, {0, 1, 1.5}}}));
    for (std::size_t i = 0; i < drives.size(); ++i) {
      Experiment e = slider(c->clone(), 1, 200, drives[i], 2);
      e.solver.rtol = 1e-9;
      const auto ours = simulate(e);
      e.method = Method::cvode;
      const Difference d = difference(ours, simulate(e), 1e-5, 1e-3);
      EXPECT_LT(d.worst, 2e-5) << model << " " << i << " " << d.name << " at " << d.t;
      EXPECT_LT(ours.summary.momentum.error, 1e-7) << model << " " << i;
    }
  }
}
