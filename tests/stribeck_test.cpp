/// The Stribeck curve S(v) = Fc + (Fs - Fc) exp(-(|v|/vs)^alpha) by numbers; stick and slip are in coulomb_test.cpp.
#include <gtest/gtest.h>

#include "bristle/dual.hpp"
#include "bristle/models/stribeck.hpp"
#include "support/drive.hpp"

using namespace bristle;

namespace {
double sliding(const Stribeck<>& c, double v) { return Mover(c).move(v, 1e-3); }
}  // namespace

/// At v = vs a fraction 1/e = 0.36787944117144232 of Fs - Fc = 0.5 is left, whatever alpha.
TEST(Stribeck, AtTheStribeckVelocityOneOverEIsLeft) {
  for (const double alpha : {0.5, 1.0, 1.7, 2.0, 4.0}) {
    const Stribeck<> c{{.Fc = 1, .Fs = 1.5, .vs = 1e-3, .alpha = alpha}};
    EXPECT_DOUBLE_EQ(sliding(c, 1e-3), 1.1839397205857212) << alpha;
    EXPECT_DOUBLE_EQ(sliding(c, -1e-3), -1.1839397205857212) << alpha;
  }
}

/// At v = 2 vs the exponent is 2^alpha: 0.5 exp(-2), 0.5 exp(-4), 0.5 exp(-sqrt 2).
TEST(Stribeck, ExponentShapesTheFall) {
  auto at_two_vs = [](double alpha) { return sliding(Stribeck<>{{.alpha = alpha}}, 2e-3); };
  EXPECT_DOUBLE_EQ(at_two_vs(1), 1.0676676416183063);
  EXPECT_DOUBLE_EQ(at_two_vs(2), 1.0091578194443671);
  EXPECT_DOUBLE_EQ(at_two_vs(0.5), 1.1215583672171071);
}

/// The Gaussian is halved where (v/vs)^2 = ln 2: vs sqrt(ln 2) = 0.83255461115769776e-3.
TEST(Stribeck, GaussianIsHalfwayAtItsHalfWidth) {
  EXPECT_DOUBLE_EQ(sliding(Stribeck<>{}, 0.83255461115769776e-3), 1.25);
  EXPECT_DOUBLE_EQ(sliding(Stribeck<>{{.Fc = 3, .Fs = 7, .vs = 1}}, -0.83255461115769776), -5);
}

TEST(Stribeck, EndsAreStaticAndCoulombForce) {
  EXPECT_EQ(sliding(Stribeck<>{}, 1e-200), 1.5);
  EXPECT_EQ(sliding(Stribeck<>{}, 1), 1);
  EXPECT_EQ(sliding(Stribeck<>{}, -1e100), -1);
}

TEST(Stribeck, NormalLoadScalesTheDryPartAlone) {
  const Stribeck<> c{{.Fc = 1, .Fs = 1.5, .kv = 0.5}};
  EXPECT_EQ(c.force({}, {-1}, {.v = -4, .r = 2}), -4);  // far beyond vs: 2 Fc + 0.5 * 4
  EXPECT_EQ(c.force({}, {1}, {.v = 1e-200, .r = 2}), 3);
}

/// alpha = 1 with kv = 50: 0.5 exp(-v/vs)/vs = kv at v = vs ln 10, where F = 1 + 0.05 + 0.05 ln 10.
TEST(Stribeck, ViscousPartMakesAMinimum) {
  using D = Dual<double>;
  const Stribeck<D> c{{.Fc = 1.0, .Fs = 1.5, .vs = 1e-3, .alpha = 1.0, .kv = 50.0}};
  const D F = c.steady(D::variable(2.302585092994046e-3));
  EXPECT_DOUBLE_EQ(F.a, 1.1651292546497023);
  EXPECT_NEAR(F.d[0], 0, 1e-12);  // of two slopes of 50 each
}

/// dS/dv at vs is -alpha (Fs - Fc)/(e vs): 0.5/e * 1000 = 183.93972058572117 N s/m times alpha.
TEST(Stribeck, SlopeAtTheStribeckVelocity) {
  using D = Dual<double>;
  for (const double alpha : {1.0, 2.0, 3.0}) {
    const D F = Stribeck<D>{{.alpha = alpha}}.steady(D::variable(-1e-3));
    EXPECT_NEAR(F.d[0], -183.93972058572117 * alpha, 1e-11) << alpha;  // rounding of pow, exp and vs
  }
}
