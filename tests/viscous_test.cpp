/// Viscous friction: proportional to velocity and independent of everything else.
#include <gtest/gtest.h>

#include "bristle/dual.hpp"
#include "bristle/models/viscous.hpp"
#include "support/drive.hpp"

using namespace bristle;

TEST(Viscous, ForceIsProportionalToVelocity) {
  const Viscous<> c{{.kv = 0.4}};
  EXPECT_DOUBLE_EQ(c.force({}, {}, {.v = 2.5}), 1.0);
  EXPECT_DOUBLE_EQ(c.force({}, {}, {.v = -10.0}), -4.0);
  EXPECT_EQ(c.force({}, {}, {}), 0);
  EXPECT_DOUBLE_EQ(c.steady(5.0), 2.0);
}

TEST(Viscous, NeitherLoadNorAppliedForceNorPlaceMatters) {
  const Viscous<> c{{.kv = 0.4}};
  EXPECT_EQ(c.force({}, {}, {.x = 7, .v = 2.5, .F_app = 9, .r = 3, .path = 1, .t = 4}), c.force({}, {}, {.v = 2.5}));
}

TEST(Viscous, DerivativesAreVelocityAndCoefficient) {
  using D = Dual<double, 2>;
  const D F = Viscous<D>{{.kv = D::variable(0.4, 0)}}.force({}, {}, {.v = D::variable(2.5, 1)});
  EXPECT_DOUBLE_EQ(F.d[0], 2.5);
  EXPECT_DOUBLE_EQ(F.d[1], 0.4);
}

/// An implicit step divides the velocity by 1 + kv dt/m, here by two.
TEST(Viscous, CoastingBodyHalvesItsVelocityInEachStep) {
  Body body(Viscous<>{{.kv = 2}}, 0.5);
  body.v = 1;
  for (const double want : {0.5, 0.25, 0.125, 0.0625}) {
    body.push(0, 0.25);
    EXPECT_DOUBLE_EQ(body.v, want);
  }
}

/// All momentum goes into the film, kv x = m v0: 0.4 x = 2 * 3 gives 15 m, with implicit steps of any size.
TEST(Viscous, CoastingDistanceIsMomentumOverCoefficient) {
  for (const double dt : {0.1, 1.0, 10.0}) {
    Body body(Viscous<>{{.kv = 0.4}}, 2);
    body.v = 3;
    while (body.v > 1e-16) body.push(0, dt);
    EXPECT_NEAR(body.x, 15, 1e-12) << dt;  // a few hundred roundings
  }
}

TEST(Viscous, TerminalVelocityIsLoadOverCoefficient) {
  Body body(Viscous<>{{.kv = 0.4}}, 2);
  for (int i = 0; i < 100; ++i) body.push(1, 10);
  EXPECT_DOUBLE_EQ(body.v, 2.5);
}
