/// Coulomb friction smoothed by tanh. Anchors: tanh(ln 2) = (4 - 1)/(4 + 1) = 0.6, tanh(ln 3) = (9 - 1)/(9 + 1) = 0.8.
/// The wall step of the reference is in coulomb_sat_test.cpp.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "bristle/dual.hpp"
#include "bristle/models/coulomb_tanh.hpp"
#include "support/drive.hpp"

using namespace bristle;

namespace {
constexpr double ln2 = 0.69314718055994531, ln3 = 1.0986122886681098;
}

TEST(CoulombTanh, ForceByHand) {
  Mover body(CoulombTanh<>{{.Fc = 2, .k_tanh = 100, .kv = 0.5}});
  EXPECT_DOUBLE_EQ(body.move(0.01 * ln2, 0.1), 1.2 + 0.005 * ln2);
  EXPECT_DOUBLE_EQ(body.move(-0.01 * ln3, 0.1), -1.6 - 0.005 * ln3);
  EXPECT_EQ(body.move(-4, 0.1), -4);
  EXPECT_EQ(body.move(0, 0.1), 0);
}

TEST(CoulombTanh, NormalLoadScalesTheDryPartAlone) {
  const CoulombTanh<> c{{.Fc = 2, .k_tanh = 100, .kv = 0.5}};
  EXPECT_DOUBLE_EQ(c.force({}, {}, {.v = 0.01 * ln2, .r = 3}), 3.6 + 0.005 * ln2);
  EXPECT_DOUBLE_EQ(c.force({}, {}, {.v = -4, .r = 0}), -2);
}

/// d tanh(x)/dx = 1 - tanh^2: 1 at rest, 0.64 where tanh is 0.6.
TEST(CoulombTanh, SlopeFallsAsTheForceSaturates) {
  using D = Dual<double>;
  const CoulombTanh<D> c{{.Fc = 2.0, .k_tanh = 100.0, .kv = 0.5}};
  EXPECT_DOUBLE_EQ(c.steady(D::variable(0)).d[0], 200.5);
  EXPECT_DOUBLE_EQ(c.steady(D::variable(-0.01 * ln2)).d[0], 128.5);
}

/// It cannot hold: a load of 0.6 Fc creeps at ln 2/k_tanh permanently. The body approaches that speed at the rate
/// 0.64 Fc k_tanh/m = 128 1/s.
TEST(CoulombTanh, CreepsUnderALoadBelowCoulomb) {
  Body body(CoulombTanh<>{{.Fc = 2, .k_tanh = 100}});
  for (int i = 0; i < 1000; ++i) body.push(1.2, 1e-3);
  EXPECT_NEAR(body.v, 0.01 * ln2, 1e-15);  // roundings of F over the slope 128
}

/// Braking m v' = -Fc tanh(k v) integrates to sinh(k v) = sinh(k v0) exp(-Fc k t/m). From k v0 = ln 2 (sinh = 3/4) and
/// Fc k/m = 200 1/s, after ln(9/5)/200 s sinh(k v) = 5/12, so k v = ln(5/12 + 13/12) = ln(3/2).
TEST(CoulombTanh, BrakedBodyFollowsTheHyperbolicSine) {
  auto v = [](int n) {
    Body body(CoulombTanh<>{{.Fc = 2, .k_tanh = 100}});
    body.v = 0.01 * ln2;
    for (int i = 0; i < n; ++i) body.push(0, std::log(1.8) / 200 / n);
    return body.v;
  };
  const double a = v(200), b = v(400), c = v(800), want = 0.01 * std::log(1.5);
  EXPECT_NEAR((b - want) / (a - want), 0.5, 0.01);              // the coupling is of first order
  EXPECT_NEAR((a - 6 * b + 8 * c) / 3, want, 1e-9 * 0.01 * 3);  // two powers removed: (0.6/200)^3 = 3e-8, over 10
}
