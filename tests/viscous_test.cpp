/// Viscous friction: proportional to velocity and independent of everything else.
#include <gtest/gtest.h>

#include "bristle/couple.hpp"
#include "bristle/dual.hpp"
#include "bristle/models/lugre.hpp"
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

/// kv |v|^n, n = 1/2: v' = -kv v^(1/2) has the solution v = (v0^(1/2) - kv t/2)^2, until it stops at 2 v0^(1/2)/kv.
TEST(Viscous, RootLawStopsABody) {
  const Viscous<> c{{.kv = 0.4, .kv_exponent = 0.5}};
  double v = 0.1, x = 0;
  const int n = 20000;
  const double h = 0.5 / n;
  for (int i = 0; i < n; ++i) {
    auto a = [&](double w) { return -c.force({}, {}, {.v = w}); };
    const double k1 = a(v), k2 = a(v + h / 2 * k1), k3 = a(v + h / 2 * k2), k4 = a(v + h * k3);
    const double next = v + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    x += h / 6 * (v + 4 * (v + h / 2 * k2) + next);
    v = next;
  }
  EXPECT_NEAR(v, 0.0467544468, 1e-9);
  EXPECT_NEAR(x, 0.0358552784, 1e-9);
  for (int i = 0; i < 2 * n; ++i) {  // to t = 1.5; from there the solution has 2 v^(1/2)/kv left
    auto a = [&](double w) { return -c.force({}, {}, {.v = w}); };
    const double k1 = a(v), k2 = a(v + h / 2 * k1), k3 = a(v + h / 2 * k2), k4 = a(v + h * k3);
    v += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  }
  EXPECT_NEAR(1.5 + 2 * std::sqrt(v) / 0.4, 1.58113883, 1e-6);
  // The implicit step stops it there, without reversal, at small and large steps.
  for (const double dt : {1e-4, 1e-2, 0.5}) {
    NoState s;
    NoMode q;
    double w = 0.1, t = 0;
    for (; t < 1.7; t += dt) {
      w = couple(c, s, q, Motion<double>{.v = w}, 1.0, dt).v;
      ASSERT_GE(w, 0);
    }
    EXPECT_LT(w, 2e-3) << dt;
  }
}

TEST(Viscous, ExponentsInEveryRange) {
  for (const double n : {0.2, 0.5, 1.0, 1.5, 2.0, 4.0}) {
    const Viscous<> c{{.kv = 3, .kv_exponent = n}};
    const Viscous<Dual<double>> d{{.kv = 3.0, .kv_exponent = n}};
    for (const double v : {1e-2, 1.0, 30.0}) {
      const double want = 3 * std::pow(v, n);
      EXPECT_NEAR(c.force({}, {}, {.v = v}) / want, 1, 1e-7) << n;  // rounded within 1e-6 m/s of rest
      EXPECT_EQ(c.force({}, {}, {.v = -v}), -c.force({}, {}, {.v = v}));
      const auto F = d.force({}, {}, {.v = Dual<double>::variable(v)});
      EXPECT_NEAR(F.d[0] / (n * want / v), 1, 1e-7) << n;
    }
    const auto rest = d.force({}, {}, {.v = Dual<double>::variable(0.0)});
    EXPECT_EQ(rest.a, 0);
    EXPECT_TRUE(std::isfinite(rest.d[0])) << n;
  }
  EXPECT_EQ((Viscous<>{{.kv = 3}}.force({}, {}, {.v = 0.1})), 3 * 0.1);  // exponent 1: the same bits
  // Passivity conditions with kv hold for exponent 1.
  LuGre<> c{};
  c.p.kv = 1e4;
  EXPECT_TRUE(c.passive());
  c.p.kv_exponent = 1.5;
  EXPECT_FALSE(c.passive());
  c.p.sigma1 = 0;
  EXPECT_TRUE(c.passive());
}
