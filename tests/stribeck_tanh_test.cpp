/// The Stribeck curve smoothed by tanh. Anchors: tanh(ln 2) = 0.6, tanh(ln 3) = 0.8, and 1/e of the fall left at v =
/// vs. The wall step of the reference is in coulomb_sat_test.cpp.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "bristle/dual.hpp"
#include "bristle/models/stribeck_tanh.hpp"
#include "support/drive.hpp"

using namespace bristle;

namespace {
constexpr double ln2 = 0.69314718055994531, ln3 = 1.0986122886681098;
/// Slope such that k_tanh vs = ln 2: tanh is 0.6 at vs.
StribeckTanh<> gentle(double alpha = 2, double kv = 0) {
  return {{.Fc = 1, .Fs = 1.5, .vs = 1e-3, .alpha = alpha, .k_tanh = 1e3 * ln2, .kv = kv}};
}
double sliding(const StribeckTanh<>& c, double v) { return Mover(c).move(v, 1e-3); }
}  // namespace

/// 0.6 (1 + 0.5/e) at vs; at vs ln 3/ln 2 it is 0.8 (1 + 0.5 exp(-(ln 3/ln 2)^alpha)), with 30 digits.
TEST(StribeckTanh, CurveTimesTanhByHand) {
  EXPECT_DOUBLE_EQ(sliding(gentle(), 1e-3), 0.71036383235143270);
  EXPECT_DOUBLE_EQ(sliding(gentle(1), -1e-3), -0.71036383235143270);
  EXPECT_DOUBLE_EQ(sliding(gentle(), 1e-3 * ln3 / ln2), 0.83243890319516847);
  EXPECT_DOUBLE_EQ(sliding(gentle(1), 1e-3 * ln3 / ln2), 0.88198219146213600);
  EXPECT_EQ(sliding(gentle(2, 3), -1), -4);
  EXPECT_EQ(sliding(gentle(), 0), 0);
}

TEST(StribeckTanh, NormalLoadScalesTheDryPartAlone) {
  const auto c = gentle(2, 0.5);
  EXPECT_DOUBLE_EQ(c.force({}, {}, {.v = 1e-3, .r = 2}), 1.4207276647028654 + 5e-4);
  EXPECT_EQ(c.force({}, {}, {.v = -4, .r = 2}), -4);
}

/// At rest the slope is Fs k_tanh. At vs with k_tanh vs = ln 2:
/// 0.64 k_tanh (1 + 0.5/e) - 0.6 * 2 * 0.5/(e vs).
TEST(StribeckTanh, SlopeAtRestAndAtTheStribeckVelocity) {
  using D = Dual<double>;
  const StribeckTanh<D> c{{.Fc = 1.0, .Fs = 1.5, .vs = 1e-3, .k_tanh = 1e3 * ln2, .kv = 3.0}};
  EXPECT_DOUBLE_EQ(c.steady(D::variable(0)).d[0], 1500 * ln2 + 3);
  EXPECT_NEAR(c.steady(D::variable(1e-3)).d[0], 640 * ln2 * 1.1839397205857212 - 600 * 0.36787944117144232 + 3, 1e-11);
}

/// With k_tanh = 10/vs, the least that is recommended, the peak is at 0.27 vs and keeps 97 % of Fs; 30 digits.
TEST(StribeckTanh, PeakOfTheRecommendedSlope) {
  using D = Dual<double>;
  const StribeckTanh<D> c{{.Fc = 1.0, .Fs = 1.5, .vs = 1e-3, .k_tanh = 1e4}};
  const D peak = c.steady(D::variable(0.27226786985538385e-3));
  EXPECT_DOUBLE_EQ(peak.a, 1.4516894120569463);
  EXPECT_NEAR(peak.d[0], 0, 1e-9);  // of two slopes near 200
}

/// A load of 0.75 creeps where (1 + 0.5 exp(-(v/vs)^2)) tanh(k_tanh v) = 0.75, found with 30 digits.
TEST(StribeckTanh, CreepsUnderALoadBelowThePeak) {
  Body body(StribeckTanh<>{});
  for (int i = 0; i < 2000; ++i) body.push(0.75, 1e-3);
  EXPECT_NEAR(body.v, 5.4997819992333550e-05, 1e-19);  // roundings of F over the slope of 11000
}
