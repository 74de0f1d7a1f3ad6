/// Bliman-Sorine in the distance s: from rest F(s) = f1 (1 - exp(-s/(eta eps_f))) - f2 (1 - exp(-s/eps_f)). Its slope
/// f1/(eta eps_f) exp(-s/(eta eps_f)) - f2/eps_f exp(-s/eps_f) is zero at s = eta eps_f/(1 - eta) ln(f1/(eta f2)).
#include <gtest/gtest.h>

#include <cmath>

#include "bristle/models/bliman_sorine.hpp"
#include "bristle/models/dahl.hpp"
#include "bristle/registry/any.hpp"
#include "support/drive.hpp"
#include "support/random.hpp"

using namespace bristle;

namespace {
/// f1 = 2, f2 = 1, eta = 1/2, eps_f = 1e-5: with e = exp(-s/eps_f), F = 2 (1 - e^2) - (1 - e).
const BlimanSorine<> halves{{.f1 = 2, .f2 = 1, .eta = 0.5, .eps_f = 1e-5, .kv = 0.5}};
double run(double s, double v = 1e-3) { return Mover(halves).move(v, s / std::abs(v)) - 0.5 * v; }
const double ln2 = std::log(2);
}  // namespace

/// e = 1/2, 1/4, 1/8 after ln 2, 2 ln 2, 3 ln 2 lengths: F = 1, 1.125, 1.09375.
TEST(BlimanSorine, FromRestByHand) {
  EXPECT_NEAR(run(1e-5 * ln2), 1, 1e-15);
  EXPECT_NEAR(run(2e-5 * ln2), 1.125, 1e-15);
  EXPECT_NEAR(run(3e-5 * ln2), 1.09375, 1e-15);
  EXPECT_NEAR(run(3e-5 * ln2, -40), -1.09375, 1e-14);  // any speed; 0.5 * 40 is taken off
  EXPECT_DOUBLE_EQ(run(1), 1);
}

/// The peak of eq (6) is at eps_f ln 4, where F = 2 (1 - 1/16) - (1 - 1/4) = 1.125: lower on both sides by the
/// curvature F'' = -8 e^2 + e = -1/4 per length squared.
TEST(BlimanSorine, PeakIsWhereTheCardSays) {
  const double s = 1e-5 * 2 * ln2, step = 1e-3;
  EXPECT_NEAR(0.5 * 1e-5 / 0.5 * std::log(2 / 0.5), s, 1e-20);
  EXPECT_NEAR((run(s) - run(s - step * 1e-5)) / (step * step), 0.125, 1e-3);
  EXPECT_NEAR((run(s) - run(s + step * 1e-5)) / (step * step), 0.125, 1e-3);
  EXPECT_DOUBLE_EQ(halves.breakaway(), 1.125);
  EXPECT_DOUBLE_EQ(halves.scales().force, 1.125);
}

/// The typical values have a peak of 1.5 N and a sliding level of 1 N.
TEST(BlimanSorine, TypicalValuesAreFcOneAndFsOneAndAHalf) {
  const BlimanSorine<> c{};
  EXPECT_NEAR(c.breakaway(), 1.5, 1e-4);  // four digits are given
  EXPECT_DOUBLE_EQ(c.steady(1), 1);
  Mover body(c);
  double highest = 0;
  for (int i = 0; i < 4000; ++i) highest = std::max(highest, body.move(1e-3, 5e-5));
  EXPECT_NEAR(highest, c.breakaway(), 1e-6);  // steps of 50 nm around a parabola of curvature 1/(20 um)^2
}

/// Reversal of steady sliding (fa = 2, fb = -1): fa -> -2, fb -> 1, so after ln 2 lengths
/// fa = -2 + 4/4, fb = 1 - 2/2.
TEST(BlimanSorine, TurnedRoundByHand) {
  Mover body(halves);
  EXPECT_DOUBLE_EQ(body.move(1e-3, 1), 1.0005);
  body.move(-1e-3, 0.01 * ln2);
  EXPECT_NEAR(body.s.fa, -1, 1e-15);
  EXPECT_NEAR(body.s.fb, 0, 1e-15);
  const auto rate = halves.rate({1, 0.5}, {}, {.v = -1e-3});  // |v| (-f1 - fa)/(eta eps_f), |v| (f2 - fb)/eps_f
  EXPECT_DOUBLE_EQ(rate.fa, -600);
  EXPECT_DOUBLE_EQ(rate.fb, 50);
  EXPECT_EQ(halves.rate({1, 0.5}, {}, {}).fa, 0);
}

TEST(BlimanSorine, NormalLoadScalesTheDryPartAlone) {
  EXPECT_DOUBLE_EQ(halves.force({2, -0.5}, {}, {.v = 4, .r = 3}), 6.5);
  BlimanSorine<>::State s;
  NoMode q;
  halves.step(s, q, {.v = 1e-3, .r = 3}, 0.01 * ln2);
  EXPECT_DOUBLE_EQ(s.fa, 1.5);
  EXPECT_DOUBLE_EQ(s.fb, -0.5);
}

/// Of first order (f2 = 0, eta = 1) it is Dahl with i = 1, Fc = f1 and sigma0 = f1/eps_f; only roundings differ.
TEST(BlimanSorine, FirstOrderIsDahl) {
  Draw draw(51);
  for (int n = 0; n < 20; ++n) {
    const double f1 = draw.log_uniform(0.1, 100), eps_f = draw.log_uniform(1e-7, 1e-3), kv = draw.uniform(0, 2);
    Mover body(BlimanSorine<>{{.f1 = f1, .f2 = 0, .eta = 1, .eps_f = eps_f, .kv = kv}});
    Mover dahl(Dahl<>{{.Fc = f1, .sigma0 = f1 / eps_f, .kv = kv}});
    EXPECT_EQ(body.c.breakaway(), f1);
    for (int i = 0; i < 1000; ++i) {
      const double v = draw.sign() * draw.log_uniform(1e-5, 1), dt = eps_f / std::abs(v) * draw.log_uniform(1e-3, 10);
      const double F = body.move(v, dt);
      ASSERT_NEAR(dahl.move(v, dt), F, 1e-12 * (f1 + std::abs(F))) << n << " " << i;
    }
  }
}

TEST(BlimanSorine, ParametersThatMakeNoFrictionAreRefused) {
  auto good = [](double f1, double f2, double eta) {
    return make("bliman_sorine", {{"f1", f1}, {"f2", f2}, {"eta", eta}, {"eps_f", 1e-5}}).problems.empty();
  };
  EXPECT_TRUE(good(2, 1, 0.5));
  EXPECT_TRUE(good(2, 0, 1));
  EXPECT_FALSE(good(1, 1, 0.5));  // nothing left in sliding
  EXPECT_FALSE(good(2, 1, 1));    // no peak
  EXPECT_FALSE(good(2, 1, 0));
  EXPECT_FALSE(good(2, -1, 0.5));
}

/// Positive real: for any sequence of directions the work is not negative from rest on. For one stroke of s out and s
/// back, e = exp(-s/eps_f): out 2 s - (1 - e^2) - s + (1 - e) in N eps_f, and back the same less twice what the springs
/// hold, fa = 2 (1 - e^2), fb = -(1 - e), over their lengths.
TEST(BlimanSorine, WorkOfOneStrokeOutAndBack) {
  const double s = 2 * ln2, e = 0.25;
  const double out = 2 * s - (1 - e * e) - s + (1 - e);
  const double back = 2 * s - (1 - e * e) * (1 + (1 - e * e)) - s + (1 - e) * (1 + (1 - e));
  Mover body(halves);
  double work[2] = {0, 0};
  const int n = 4000;
  for (const int leg : {0, 1}) {
    const double v = leg == 0 ? 1e-3 : -1e-3;
    double F = body.s.fa + body.s.fb;
    for (int i = 0; i < n; ++i) {
      body.move(v, s * 1e-2 / n);
      const double next = body.s.fa + body.s.fb;
      work[leg] += 0.5 * (F + next) * (leg == 0 ? s : -s) / n;
      F = next;
    }
  }
  EXPECT_NEAR(work[0], out, 1e-6);  // trapezoids: (s/n)^2 F''' s/12
  EXPECT_NEAR(work[1], back, 1e-6);
  EXPECT_GT(work[0] + work[1], 0);
}
