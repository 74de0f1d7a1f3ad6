/// Dahl by its closed forms. With g = 1 - d f/Fc and q the travel over Fc/sigma0 the law reads dg/dq = -|g|^i sgn g:
///   i = 0: g0 - q   i = 1/2: (sqrt g0 - q/2)^2   i = 1: g0 exp(-q)
///   i = 3/2: (1/sqrt g0 + q/2)^-2   i = 2: 1/(1/g0 + q)
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "bristle/dual.hpp"
#include "bristle/models/dahl.hpp"
#include "support/drive.hpp"
#include "support/flow.hpp"
#include "support/random.hpp"

using namespace bristle;

namespace {
/// Fc = 1 N, sigma0 = 1e5 N/m: q = 1 is 10 um. The force after a travel q (signed) from force f0.
template <class T = double> T slid(const T& i, double q, double f0 = 0) {
  const Dahl<T> c{{.i = i}};
  typename Dahl<T>::State s{T(f0)};
  DahlMode mode;
  const Motion<T> u{.v = T(q * 1e-5)};
  c.step(s, mode, u, T(1));
  return c.force(s, mode, u);
}
}  // namespace

TEST(Dahl, FromRestEachExponentFollowsItsClosedForm) {
  EXPECT_DOUBLE_EQ(slid(0.0, 0.5), 0.5);
  EXPECT_DOUBLE_EQ(slid(0.5, 1), 0.75);                 // 1 - (1 - 1/2)^2
  EXPECT_DOUBLE_EQ(slid(1.0, 1), 0.63212055882855768);  // 1 - 1/e
  EXPECT_DOUBLE_EQ(slid(1.5, 2), 0.75);                 // 1 - (1 + 1)^-2
  EXPECT_DOUBLE_EQ(slid(2.0, 3), 0.75);                 // 1 - 1/(1 + 3)
  EXPECT_DOUBLE_EQ(slid(2.0, -3), -0.75);
}

/// After a reversal in full sliding g starts at 2; the force passes zero where g = 1.
TEST(Dahl, AfterReversalTheForcePassesZeroWhereTheClosedFormSays) {
  const double rounding = 5e-16;  // of 1 - 1
  EXPECT_NEAR(slid(0.0, -1, 1), 0, rounding);
  EXPECT_NEAR(slid(0.5, -2 * (std::sqrt(2) - 1), 1), 0, rounding);
  EXPECT_NEAR(slid(1.0, -std::log(2), 1), 0, rounding);
  EXPECT_NEAR(slid(1.5, -2 * (1 - std::sqrt(0.5)), 1), 0, rounding);
  EXPECT_NEAR(slid(2.0, -0.5, 1), 0, rounding);
}

/// f = g - 1, from g = 2 by q = 1: g = (sqrt 2 - 1/2)^2 = 2.25 - sqrt 2, then 2/e, then
/// (sqrt 1/2 + 1/2)^-2 = 0.68629150101523961, then 2/3.
TEST(Dahl, AfterReversalEachExponentFollowsItsClosedForm) {
  EXPECT_NEAR(slid(0.5, -1, 1), 1.25 - std::sqrt(2), 5e-16);
  EXPECT_DOUBLE_EQ(slid(1.0, -1, 1), 2 / std::exp(1) - 1);
  EXPECT_DOUBLE_EQ(slid(1.5, -1, 1), -0.31370849898476039);
  EXPECT_DOUBLE_EQ(slid(2.0, -1, 1), -1.0 / 3);
}

/// For i < 1 full sliding is reached after q = g0^(1-i)/(1-i) exactly and not before: 1 and 2 for i = 0, 2 and 2 sqrt 2
/// for i = 1/2, 4 and 4 * 2^(1/4) for i = 3/4. Just before, at q (1 - e), g = g0 e^(1/(1-i)).
TEST(Dahl, DuctileKneeEndsAfterAFiniteDistance) {
  const struct {
    double i, from_rest, from_reversal;
  } cases[] = {{0, 1, 2}, {0.5, 2, 2 * std::sqrt(2)}, {0.75, 4, 4 * std::pow(2, 0.25)}};
  for (const auto& [i, q, Q] : cases) {
    const double e = 0.01, left = std::pow(e, 1 / (1 - i));
    EXPECT_NEAR(slid(i, q * (1 - e)), 1 - left, 1e-14) << i;
    EXPECT_NEAR(slid(i, -Q * (1 - e), 1), -1 + 2 * left, 1e-14) << i;
    EXPECT_EQ(slid(i, q * (1 + 1e-15)), 1) << i;
    EXPECT_EQ(slid(i, -Q * (1 + 1e-15), 1), -1) << i;
    EXPECT_EQ(slid(i, 1e30), 1) << i;
    EXPECT_EQ(slid(i, 1, 1), 1) << i;  // and it stays there
  }
}

TEST(Dahl, BrittleKneeNeverQuiteEnds) {
  EXPECT_NEAR(1 - slid(2.0, 1e6 - 1), 1e-6, 3e-16);  // 1/(1 + q), less the roundings of f
  EXPECT_LT(slid(1.5, 1e6), 1);
}

/// df/di at i = 1: ln g = ln g0 - q (1 + e ln g0)(1 - e q/2) for i = 1 + e, so dg/di = g (q^2/2 - q ln g0).
/// From rest q = 1: -1/(2e); after a reversal in full sliding: (2/e)(1/2 - ln 2) = -0.14210975369646470.
TEST(Dahl, ExponentOneIsNoSpecialCase) {
  using D = Dual<double>;
  const D rest = slid(D::variable(1), 1), turned = slid(D::variable(1), -1, 1);
  EXPECT_DOUBLE_EQ(rest.a, 0.63212055882855768);
  EXPECT_DOUBLE_EQ(rest.d[0], -0.18393972058572116);
  EXPECT_DOUBLE_EQ(turned.d[0], -0.14210975369646470);
  for (const double e : {1e-9, -1e-9, 1e-15, -1e-15}) {
    EXPECT_NEAR(slid(1 + e, 1), rest.a + e * rest.d[0], 4e-16) << e;  // two roundings; the next term is e^2
    EXPECT_NEAR(slid(D::variable(1 + e), 1).d[0], rest.d[0], 1e-9) << e;
  }
}

/// The series around i = 1 and the logarithm beyond meet at |i - 1| q = 0.01.
TEST(Dahl, ContinuousWhereTheSeriesEnds) {
  using D = Dual<double>;
  for (const double i : {0.99, 1.01}) {
    const D inside = slid(D::variable(i), 1 - 1e-12), outside = slid(D::variable(i), 1 + 1e-12);
    EXPECT_NEAR(inside.a, outside.a, 2e-12);  // the travel itself
    EXPECT_NEAR(inside.d[0], outside.d[0], 2e-12);
  }
}

/// Above Fc (a load that has dropped) the force falls back: g = -1/2 decays like any other.
TEST(Dahl, ForceAboveCoulombRelaxesFromOutside) {
  EXPECT_DOUBLE_EQ(slid(1.0, 1, 1.5), 1 + 0.5 / std::exp(1));
  EXPECT_DOUBLE_EQ(slid(2.0, 2, 1.5), 1.25);  // 1/(2 + 2)
  EXPECT_EQ(slid(0.5, 1.42, 1.5), 1);         // finite distance sqrt 2
}

/// sigma0 |g|^i v with f = Fc/2: g = 1/2 forwards and 3/2 backwards.
TEST(Dahl, RateStiffensBackwardsAndSoftensForwards) {
  const Dahl<> brittle{{.i = 2}}, linear{};
  EXPECT_DOUBLE_EQ(brittle.rate({0.5}, {}, {.v = 1e-3}).f, 25);
  EXPECT_DOUBLE_EQ(brittle.rate({0.5}, {}, {.v = -1e-3}).f, -225);
  EXPECT_DOUBLE_EQ(linear.rate({0.5}, {}, {.v = 1e-3}).f, 50);
  EXPECT_DOUBLE_EQ(brittle.rate({1.5}, {}, {.v = 1e-3}).f, -25);
  EXPECT_EQ(Dahl<>{{.i = 0}}.rate({1.0}, {}, {.v = 1e-3}).f, 0);
}

/// i = 0 is elastic-perfectly plastic: cycling by +-3 yield travels encloses a parallelogram of 4 Fc (3 - 1) Fc/sigma0.
TEST(Dahl, LoopOfThePerfectlyPlasticContact) {
  Mover body(Dahl<>{{.i = 0}});
  double F = body.go(3e-5, 1e-3, 60), work = 0;
  for (const double way : {-1e-6, 1e-6}) {
    for (int i = 0; i < 60; ++i) {  // trapezoids: the corners fall on substeps
      const double next = body.move(way * 1e3, 1e-3);
      work += 0.5 * (F + next) * way;
      F = next;
    }
  }
  EXPECT_NEAR(work, 8e-5, 1e-18);
}

/// Force scales with Fc and travel with Fc/sigma0, here 2 N and 40 um: 2 (1 - 1/e) after 40 um; at f = 1 the stiffness
/// is half of sigma0 = 5e4 N/m forwards.
TEST(Dahl, ForceAndTravelScaleWithTheParameters) {
  Mover body(Dahl<>{{.Fc = 2, .sigma0 = 5e4}});
  EXPECT_DOUBLE_EQ(body.move(1e-3, 0.04), 2 * 0.63212055882855768);
  EXPECT_DOUBLE_EQ(body.move(1e-3, 100), 2);
  EXPECT_DOUBLE_EQ(body.c.rate({1}, {}, {.v = 1e-3}).f, 25);
  EXPECT_DOUBLE_EQ(body.c.steady(-1), -2);
}

TEST(Dahl, NormalLoadScalesTheOutputAndLeavesTheStateAlone) {
  const Dahl<> c{{.kv = 2}};
  Dahl<>::State s;
  DahlMode q;
  const Motion<double> u{.v = 1e-3, .r = 3};
  c.step(s, q, u, 0.01);
  EXPECT_DOUBLE_EQ(s.f, 0.63212055882855768);
  EXPECT_DOUBLE_EQ(c.force(s, q, u), 3 * 0.63212055882855768 + 0.002);
}

/// The state equation with its switches, integrated in long double, against the closed form, with reversals and rests; also
/// from above Fc. Runge-Kutta meets |g|^i at g = 0 only as g falls below its step; the switch leaves 1e-12.
TEST(Dahl, SwitchesFollowTheClosedForm) {
  using L = long double;
  Draw draw(19);
  for (const double i : {0., 0.3, 0.5, 0.9, 0.99}) {
    for (int n = 0; n < 6; ++n) {
      const double f0 = n % 3 == 0 ? draw.uniform(1, 1.4) : draw.uniform(-1, 1);
      Mover body(Dahl<>{{.Fc = 2, .sigma0 = 5e4, .i = i}});
      FlowIntegrator<Dahl<L>> flow({{.Fc = 2, .sigma0 = 5e4, .i = L(i)}});
      body.s.f = 2 * f0;
      flow.s.f = 2 * L(f0);
      for (int leg = 0; leg < 4; ++leg) {
        const double v = draw.chance(0.1) ? 0 : draw.sign() * 1e-3, dt = 0.04 * draw.log_uniform(0.1, 4);
        const double F = body.move(v, dt);
        flow.advance([v](L) { return L(v); }, L(dt), 2000);
        ASSERT_NEAR(static_cast<double>(flow.s.f), F, 2e-9) << i << " " << n << " " << leg;
      }
    }
  }
}

/// From i = 1 on the law is smooth between reversals: no guard, and the mode stays as it is.
TEST(Dahl, SwitchesBelowExponentOneAlone) {
  for (const double i : {0., 0.5, 0.999, 1., 1.5, 10.}) {
    Mover body(Dahl<>{{.i = i}});
    body.move(1e-3, 1);
    int guards = 0;
    body.c.guards(body.s, body.q, {.v = 1e-3}, [&](int, double) { ++guards; });
    EXPECT_EQ(switches(body.c), i < 1) << i;
    EXPECT_EQ(guards > 0, i < 1) << i;
    EXPECT_EQ(body.q.dir, i < 1 ? 1 : 0) << i;
  }
  static_assert(SwitchesAtTimes<Dahl<>>);
}

/// Guards of a contact that moves forwards: v falls through zero, and g, 1/4 here, comes down to 1e-12 from either side;
/// from there to 0 the guard is zero, beyond it rises. At the limit only the first is left, and the jump there leaves f = Fc exactly.
TEST(Dahl, GuardsByHand) {
  const Dahl<> c{{.Fc = 2, .i = 0.5}};
  auto guards = [&](double f, DahlMode q, double v) {
    std::vector<double> out;
    c.guards({f}, q, {.v = v}, [&](int, double g) { out.push_back(g); });
    return out;
  };
  const auto below = guards(1.5, {1, 1}, 0.25), above = guards(2.5, {1, -1}, 0.25), past = guards(2.5, {1, 1}, 0.25);
  ASSERT_EQ(below.size(), 2u);
  EXPECT_EQ(below[0], -0.25);
  EXPECT_DOUBLE_EQ(below[1], 1e-12 - 0.25);
  EXPECT_DOUBLE_EQ(above[1], 1e-12 - 0.25);
  EXPECT_DOUBLE_EQ(past[1], 0.25);
  EXPECT_EQ(guards(2 * (1 - 5e-13), {1, 1}, 0.25)[1], 0);
  EXPECT_EQ(guards(2, {1, 0}, 0.25), std::vector{-0.25});
  EXPECT_EQ(guards(1, {}, -0.25), std::vector{0.25});
  Dahl<>::State s{2 * (1 - 1e-13)};
  DahlMode q{1, 1};
  c.jump(s, q, {.v = 0.25}, 1);
  EXPECT_EQ(s.f, 2);
  EXPECT_EQ(c.rate(s, q, {.v = 0.25}).f, 0);
  c.jump(s, q, {.v = 0}, 0);  // turns around: g = 2
  EXPECT_EQ(q.dir, -1);
  EXPECT_DOUBLE_EQ(c.rate(s, q, {.v = -1e-3}).f, -100 * std::sqrt(2));
}
