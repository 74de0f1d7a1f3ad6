/// The Stribeck curve with a linear zone. The wall step of the reference is in coulomb_sat_test.cpp.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "bristle/dual.hpp"
#include "bristle/models/stribeck_sat.hpp"
#include "support/drive.hpp"

using namespace bristle;

namespace {
/// Fc = 1, Fs = 1.5, vs = 1 mm/s, zone 0.1 mm/s.
StribeckSat<> law(double alpha = 2, double kv = 0) {
  return {{.Fc = 1, .Fs = 1.5, .vs = 1e-3, .alpha = alpha, .k_sat = 1e4, .kv = kv}};
}
double sliding(const StribeckSat<>& c, double v) { return Mover(c).move(v, 1e-3); }
}  // namespace

/// Outside the zone 1 + 0.5 exp(-(v/vs)^alpha): 1/e = 0.36787944117144232 of the fall is left at vs, and
/// exp(-4) = 0.018315638888734180 or exp(-2) = 0.13533528323661270 at 2 vs.
TEST(StribeckSat, OutsideTheZoneItIsTheStribeckCurve) {
  EXPECT_DOUBLE_EQ(sliding(law(), 1e-3), 1.1839397205857212);
  EXPECT_DOUBLE_EQ(sliding(law(1), -1e-3), -1.1839397205857212);
  EXPECT_DOUBLE_EQ(sliding(law(), 2e-3), 1.0091578194443671);
  EXPECT_DOUBLE_EQ(sliding(law(1), 2e-3), 1.0676676416183063);
  EXPECT_DOUBLE_EQ(sliding(law(2, 3), -1), -4);
}

/// Half way into the zone v/vs = 0.05: (1 + 0.5 exp(-0.0025))/2 and, with alpha = 1, (1 + 0.5 exp(-0.05))/2; 20 digits.
TEST(StribeckSat, InsideTheZoneTheCurveIsScaledDown) {
  EXPECT_DOUBLE_EQ(sliding(law(), 5e-5), 0.74937578059936503);
  EXPECT_DOUBLE_EQ(sliding(law(1), -5e-5), -0.73780735612517850);
  EXPECT_EQ(sliding(law(), 0), 0);
}

/// The peak sits in the corner: both neighbours are lower, and the force there is 1 + 0.5 exp(-0.01).
TEST(StribeckSat, PeakIsTheCornerOfTheZone) {
  const auto c = law();
  EXPECT_DOUBLE_EQ(c.steady(1e-4), 1.4950249168745840);
  EXPECT_LT(c.steady(0.99e-4), c.steady(1e-4));
  EXPECT_LT(c.steady(1.01e-4), c.steady(1e-4));
}

TEST(StribeckSat, NormalLoadScalesTheDryPartAlone) {
  const auto c = law(2, 0.5);
  EXPECT_DOUBLE_EQ(c.force({}, {}, {.v = 5e-5, .r = 2}), 2 * 0.74937578059936503 + 2.5e-5);
  EXPECT_EQ(c.force({}, {}, {.v = -4, .r = 2}), -4);
}

/// At rest Fs k_sat = 15000 N s/m. At vs, outside: dS/dv = -2 (Fs - Fc)/(e vs) = -367.87944117144233, plus kv.
TEST(StribeckSat, SlopeAtRestAndOnTheFallingBranch) {
  using D = Dual<double>;
  const StribeckSat<D> c{{.Fc = 1.0, .Fs = 1.5, .vs = 1e-3, .k_sat = 1e4, .kv = 3.0}};
  EXPECT_DOUBLE_EQ(c.steady(D::variable(0)).d[0], 15003);
  EXPECT_NEAR(c.steady(D::variable(1e-3)).d[0], 3 - 367.87944117144233, 1e-12);
}

/// A load of 0.75 below the peak creeps where (1 + 0.5 exp(-v/vs)) k_sat v = 0.75 (alpha = 1), found with 30 digits.
TEST(StribeckSat, CreepsUnderALoadBelowThePeak) {
  Body body(law(1));
  for (int i = 0; i < 2000; ++i) body.push(0.75, 1e-3);
  EXPECT_NEAR(body.v, 5.0840035086491262e-05, 1e-19);  // roundings of F over the slope of 15000
}
