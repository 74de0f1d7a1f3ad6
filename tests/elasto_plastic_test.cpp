/// Elasto-plastic: the elastic range to the last bit, the transition against an integration of the printed equation
/// that shares nothing with the header, and the LuGre branch by its closed form.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "bristle/models/elasto_plastic.hpp"
#include "bristle/models/lugre.hpp"
#include "support/drive.hpp"
#include "support/random.hpp"

using namespace bristle;

namespace {
/// Without a Stribeck effect z_ss = Fc/sigma0 = 1e-5 m. Elastic up to 6 um.
const ElastoPlastic<> plain{{.Fc = 1, .Fs = 1, .vs = 1e-3, .sigma0 = 1e5, .sigma1 = 300, .z_ba = 6e-6, .kv = 0.4}};
}  // namespace

TEST(ElastoPlastic, ElasticRangeIsASpringAndADamper) {
  Mover body(plain);
  EXPECT_DOUBLE_EQ(body.move(1e-3, 2e-3), 0.2 + 0.3 + 4e-4);
  EXPECT_DOUBLE_EQ(body.move(1e-3, 4e-3), 0.6 + 0.3 + 4e-4);  // up to z_ba, and back through zero to -z_ba
  EXPECT_DOUBLE_EQ(body.move(-1e-3, 12e-3), -0.6 - 0.3 - 4e-4);
  EXPECT_DOUBLE_EQ(body.s.z, -6e-6);
}

/// A hundred thousand random strokes inside the elastic range, in binary fractions of a metre: z follows x to the bit.
TEST(ElastoPlastic, ElasticRangeForgetsNothing) {
  Mover body(plain);
  Draw draw(41);
  const double grain = 0x1p-40;
  int at = 0;
  for (int i = 0; i < 100000; ++i) {
    const int goal = static_cast<int>(draw.uniform(-1, 1) * 6e-6 / grain);
    body.move(0x1p-10 * (goal > at ? 1 : -1), std::abs(goal - at) * 0x1p-30 + (goal == at ? 0x1p-30 : 0));
    if (goal != at) {
      ASSERT_EQ(body.s.z, goal * grain) << i;
    } else {
      body.s.z = goal * grain;
    }
    at = goal;
  }
}

/// No drift while |F| < sigma0 z_ba = 0.6 N: after a hundred cycles of 0.05 to 0.55 N on 1 kg the body rings around the
/// same position, and returns to 0 without the load. LuGre has drifted by then.
TEST(ElastoPlastic, LoadBelowTheElasticLimitDoesNotDrift) {
  auto run = [](auto body) {
    const int n = 1000;
    for (int i = 1; i <= 100 * n; ++i) {
      const double t = i * 1e-3, soft = std::min(1.0, t);
      body.push(soft * (0.3 + 0.25 * std::sin(two_pi * t)), 1e-3);
    }
    for (int i = 0; i < 3 * n; ++i) body.push(0.3 * (1 - std::min(1.0, i * 1e-3)), 1e-3);
    return body.x;
  };
  EXPECT_NEAR(run(Body(plain)), 0, 1e-18);  // roundings of 1e5 steps of 1e-9 m; a bristle is 1e-5 m
  EXPECT_GT(run(Body(LuGre<>{{.Fs = 1, .sigma1 = 300, .kv = 0.4}})), 1e-5);
}

/// a = 1/2 half way between z_ba and z_ss, (1 -+ sin 45)/2 at a quarter and three quarters; 0 for z and v of different
/// sign; 1 from z_ss on. dz/dt = v (1 - a z/z_ss), with z_ss = 1e-5.
TEST(ElastoPlastic, TransitionByHand) {
  auto rate = [](double z, double v = 1e-3) { return plain.rate({z}, {}, {.v = v}).z / 1e-3; };
  const double sin45 = std::numbers::sqrt2 / 2;
  EXPECT_EQ(rate(0), 1);
  EXPECT_EQ(rate(6e-6), 1);
  EXPECT_NEAR(rate(7e-6), 1 - 0.7 * (1 - sin45) / 2, 1e-14);
  EXPECT_NEAR(rate(8e-6), 1 - 0.8 * 0.5, 1e-14);
  EXPECT_NEAR(rate(9e-6), 1 - 0.9 * (1 + sin45) / 2, 1e-14);
  EXPECT_NEAR(rate(1e-5), 0, 1e-15);
  EXPECT_NEAR(rate(1.2e-5), -0.2, 1e-15);
  EXPECT_EQ(rate(8e-6, -1e-3), -1);  // unloading is elastic
  EXPECT_NEAR(rate(-9e-6, -1e-3), -(1 - 0.9 * (1 + sin45) / 2), 1e-14);
  EXPECT_EQ(rate(8e-6, 0), 0);
  EXPECT_NEAR(plain.force({8e-6}, {}, {.v = 1e-3}), 0.8 + 0.3 * 0.6 + 4e-4, 1e-15);
}

/// The transition uses z_ss of the velocity: at vs S = 1 + 0.5/e, half way is at (z_ba + 1.18394e-5)/2.
TEST(ElastoPlastic, TransitionMovesWithTheStribeckCurve) {
  const ElastoPlastic<> c{{.z_ba = 6e-6}};
  const double z_ss = 1.1839397205857212e-5, half = (z_ss + 6e-6) / 2;
  EXPECT_NEAR(c.rate({half}, {}, {.v = 1e-3}).z, 1e-3 * (1 - 0.5 * half / z_ss), 1e-17);
}

/// Above z_ss (the velocity has risen, S has fallen) it is LuGre: z - z_ss decays over z_ss.
TEST(ElastoPlastic, AboveTheSteadyDeflectionItRelaxesAsLuGre) {
  Mover body(plain);
  body.s.z = 1.5e-5;
  body.move(1e-3, 0.01);
  EXPECT_DOUBLE_EQ(body.s.z, 1e-5 + 0.5e-5 / std::exp(1));
  body.s.z = -1.5e-5;
  body.move(-1e-3, 0.01);
  EXPECT_DOUBLE_EQ(body.s.z, -1e-5 - 0.5e-5 / std::exp(1));
}

TEST(ElastoPlastic, UnloadingFromSlidingIsElasticDownToTheOtherSide) {
  Mover body(plain);
  body.move(1e-3, 1);
  EXPECT_DOUBLE_EQ(body.s.z, 1e-5);
  body.move(-1e-3, 16e-3);
  EXPECT_NEAR(body.s.z, -6e-6, 1e-20);  // 16 um back, to the elastic limit and no further
}

TEST(ElastoPlastic, NormalLoadScalesTheBristleForceAndLeavesTheStateAlone) {
  ElastoPlastic<>::State s;
  NoMode q;
  const Motion<double> u{.v = 1e-3, .r = 3};
  plain.step(s, q, u, 5e-3);
  EXPECT_DOUBLE_EQ(s.z, 5e-6);
  EXPECT_DOUBLE_EQ(plain.force(s, q, u), 3 * (0.5 + 0.3) + 4e-4);
}

/// sigma1 (Fs - Fc)/Fc = 300 * 0.5.
TEST(ElastoPlastic, PassivityNeedsViscousDamping) {
  ElastoPlastic<> c{{.Fc = 1, .Fs = 1.5, .sigma1 = 300, .kv = 149}};
  EXPECT_FALSE(c.passive());
  c.p.kv = 150;
  EXPECT_TRUE(c.passive());
}

namespace {
/// The printed equation with its corrections, in units of z_ss: dy/ds = 1 - a(y) y from y0 over the travel s, with
/// beta = z_ba/z_ss. Classical Runge-Kutta, 100 steps per width of the transition (1e-9).
long double transition(long double beta, long double y, long double s) {
  using L = long double;
  const L pi = std::numbers::pi_v<L>;
  auto slope = [&](L z) -> L {
    if (z <= beta) return 1;
    if (z >= 1) return 1 - z;
    return 1 - z * (1 + std::sin(pi * (z - (1 + beta) / 2) / (1 - beta))) / 2;
  };
  if (y < beta) {  // start on the kink of the third derivative
    const L free = std::min(s, beta - y);
    y += free;
    s -= free;
  }
  const int n = 1 + static_cast<int>(s / (1 - beta) * 100);
  const L h = s / n;
  for (int i = 0; i < n; ++i) {
    const L a = slope(y), b = slope(y + h / 2 * a), c = slope(y + h / 2 * b), d = slope(y + h * c);
    y += h / 6 * (a + 2 * b + 2 * c + d);
  }
  return y;
}
}  // namespace

/// One step of any length from any deflection, to the 1e-6 that the card promises, for transitions wide and narrow:
/// with z_ba at 0.2 to 0.99 of Fc/sigma0, at speeds around vs where z_ss is up to half as much again.
TEST(ElastoPlastic, TransitionAgainstAnIndependentIntegration) {
  for (const double share : {0.2, 0.5, 0.7, 0.9, 0.99}) {
    Draw draw(42);
    double worst = 0;
    for (int n = 0; n < 150; ++n) {
      const ElastoPlastic<> c{{.Fc = 1, .Fs = 1.5, .vs = 1e-3, .sigma0 = 1e5, .z_ba = share * 1e-5}};
      const double u = draw.log_uniform(0.1, 10), v = draw.sign() * 1e-3 * u, z_ss = (1 + 0.5 * std::exp(-u * u)) / 1e5;
      const double start = draw.chance(0.3) ? 0 : draw.uniform(-1, 1), travel = draw.log_uniform(0.05, 5);
      ElastoPlastic<>::State s{start * z_ss * (v > 0 ? 1 : -1)};
      NoMode q;
      c.step(s, q, {.v = v}, travel * z_ss / std::abs(v));
      const long double want = transition(static_cast<long double>(c.p.z_ba) / z_ss, start, travel);
      worst = std::max(worst, std::abs(static_cast<double>(want - s.z * (v > 0 ? 1 : -1) / z_ss)));
    }
    EXPECT_LT(worst, 1e-6) << "z_ba = " << share << " Fc/sigma0";
  }
}

/// After the transition: full sliding to the last bits, for any step length, and for transitions of a few roundings
/// (where steps in proportion to the transition would not advance).
TEST(ElastoPlastic, EndsInSteadySliding) {
  for (const double share : {0.1, 0.7, 0.999, 1 - 1e-9, 1 - 1e-13, 1 - 1e-15}) {
    for (const double travel : {60., 1e4, 1e12}) {
      Mover body(ElastoPlastic<>{{.z_ba = share * 1e-5}});
      body.move(1, travel * 1e-5);
      EXPECT_NEAR(body.s.z, 1e-5, 1e-19) << share << " " << travel;
    }
  }
  for (const float share : {0.7F, 0.999F, 0.9999F, 0.99999F, 0.999999F}) {
    Mover body(ElastoPlastic<float>{{.z_ba = share * 1e-5F}});
    body.move(1, 1e6);
    EXPECT_NEAR(body.s.z, 1e-5F, 1e-11F) << share;
  }
}

/// z_ba < Fc/sigma0 is checked as z_ba sigma0 < Fc. For sigma0 = 49 that lets z_ba = Fc/sigma0 pass by a rounding.
TEST(ElastoPlastic, ElasticRangeThatReachesTheSteadyDeflectionByRounding) {
  Mover body(ElastoPlastic<>{{.Fc = 1, .Fs = 1.5, .sigma0 = 49, .z_ba = 1.0 / 49}});
  for (const auto& relation : body.c.p.relations()) ASSERT_TRUE(relation.holds(body.c.p));
  body.move(1, 10);
  EXPECT_NEAR(body.s.z, 1.0 / 49, 1e-16);
}
