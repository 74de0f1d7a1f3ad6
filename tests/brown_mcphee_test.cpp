/// Brown-McPhee by numbers: Fc = 1, Fs = 1.5, vs = 1 mm/s, u = |v|/vs.
#include <gtest/gtest.h>

#include "bristle/dual.hpp"
#include "bristle/models/brown_mcphee.hpp"
#include "support/drive.hpp"

using namespace bristle;

namespace {
double at(double u) { return BrownMcPhee<>{}.steady(u * 1e-3); }
}  // namespace

/// u = 1: the Stribeck term is 1/(1/4 + 3/4)^2 = 1 and tanh 4 = 0.99932929973906704.
TEST(BrownMcPhee, AtTheStribeckVelocityItIsAlmostFs) {
  EXPECT_DOUBLE_EQ(at(1), 1.4993292997390670);
  EXPECT_DOUBLE_EQ(at(-1), -1.4993292997390670);
  EXPECT_DOUBLE_EQ((BrownMcPhee<>{{.Fc = 2, .Fs = 5, .vs = 0.1}}.steady(0.1)), 2 * 0.99932929973906704 + 3);
}

/// u = 3: 9/4 + 3/4 = 3, so 0.5 * 3/9 = 1/6 is left of Fs - Fc; 1 - tanh 12 = 7.55026908827e-11.
TEST(BrownMcPhee, FallsWithTheCubeOfVelocity) {
  EXPECT_NEAR(at(3), 7.0 / 6 - 7.55026908827e-11, 1e-15);
  EXPECT_NEAR(at(1000) - 1, 8e-9, 1e-13);  // 0.5 * 16/u^3, next term 6/u^2 relative
}

/// The maximum lies a little beyond u = 1, where only tanh still rises; found with 40 digits.
TEST(BrownMcPhee, PeakOfTheCurve) {
  const double peak = 1.0068187929744388;
  EXPECT_DOUBLE_EQ(at(peak), 1.4993475386313279);
  EXPECT_LT(at(peak * (1 + 1e-4)), at(peak));
  EXPECT_LT(at(peak * (1 - 1e-4)), at(peak));
  using D = Dual<double>;
  EXPECT_NEAR(BrownMcPhee<D>{}.steady(D::variable(1e-3 * peak)).d[0], 0, 1e-10);  // of slopes near 5e3
}

/// 4 Fc/vs + (Fs - Fc)/vs/(3/4)^2 = (4 + 8/9) 1000, and kv on top.
TEST(BrownMcPhee, SlopeAtRestIsFinite) {
  using D = Dual<double>;
  const BrownMcPhee<D> c{{.kv = 0.4}};
  EXPECT_DOUBLE_EQ(c.force({}, {}, {.v = D::variable(0)}).d[0], 44e3 / 9 + 0.4);
  EXPECT_DOUBLE_EQ(c.force({}, {}, {.v = D::variable(-0.0)}).d[0], 44e3 / 9 + 0.4);
  EXPECT_EQ(c.force({}, {}, {.v = D::variable(0)}).a, 0);
}

/// u = 0.5: tanh 2 = 0.96402758007581688 and 0.5 * 0.5/(13/16)^2 = 64/169.
TEST(BrownMcPhee, NormalLoadScalesTheDryPartAlone) {
  const BrownMcPhee<> c{{.kv = 100}};
  EXPECT_DOUBLE_EQ(c.force({}, {}, {.v = 0.5e-3}), 0.96402758007581688 + 64.0 / 169 + 0.05);
  EXPECT_DOUBLE_EQ(c.force({}, {}, {.v = 0.5e-3, .r = 3}), 3 * (0.96402758007581688 + 64.0 / 169) + 0.05);
}

/// It cannot hold: the load creeps where the curve balances it. For small loads that is load over slope at rest.
TEST(BrownMcPhee, ConstantLoadCreeps) {
  Body body(BrownMcPhee<>{});
  for (int i = 0; i < 100; ++i) body.push(1e-3, 1);
  EXPECT_NEAR(body.v, 1e-3 * 9 / 44e3, 1e-6 * body.v);  // curvature: (4u)^2/3 with u = 2e-4
}
