/// Phenomena of the asperity model of 2010, with reference values, and controls: each phenomenon disappears without its
/// cause. Populations of 500 and short runs; the figures of papers/demoerlooze2010 have the rest.
#include <gtest/gtest.h>

#include <cmath>

#include "bristle/asperity/generic2010.hpp"

using namespace bristle;

namespace {

using Population = Generic2010<double>;
using P = Generic2010Params;
const P some{.asperities = 500};

/// The largest friction divided by load on a restart at 0.5, at displacements of 0.02 to 0.1, after rests under a load applied at once.
std::vector<double> static_friction(const P& p, std::initializer_list<double> rests) {
  std::vector<double> out;
  Population g(p);
  for (const double rest : rests) {
    while (g.time() < rest - 0.5 * g.dt()) g.step(0, p.load);
    Population h = g;
    double most = 0;
    for (double X = 0; X < 0.1; X += 0.5 * h.dt()) {
      const double F = h.step(0.5, p.load).F;
      if (X > 0.02) most = std::max(most, F);
    }
    out.push_back(most / p.load);
  }
  return out;
}

TEST(Dwell, StaticFrictionGrowsWithTheLogarithmOfTime) {
  const auto mu = static_friction(some, {1, 1.7, 2.8, 4.7, 8, 13, 22});
  const double specified[]{0.438, 0.528, 0.628, 0.719, 0.789, 0.845, 0.873};
  for (std::size_t i = 0; i < mu.size(); ++i) {
    EXPECT_NEAR(mu[i], specified[i], 0.06);
    if (i > 0) { EXPECT_GT(mu[i], mu[i - 1]); }
  }
  EXPECT_NEAR((mu.back() - mu.front()) / std::log(22), 0.15, 0.03);
}

TEST(Dwell, NeedsTheViscousTail) {
  P p = some;
  p.tail_share = 0;
  const auto mu = static_friction(p, {2.8, 22});
  EXPECT_NEAR(mu[0], mu[1], 0.01);
}

TEST(Dwell, NeedsDamping) {
  P p = some;
  p.tail_share = p.zeta_T = p.zeta_N = 0;
  const auto mu = static_friction(p, {1, 1.7, 2.8, 4.7});
  EXPECT_LT(mu[1], mu[0] - 0.1);  // the mass still bounces
  EXPECT_LT(mu[3], mu[2] - 0.1);
}

TEST(Creep, SinksAlongTheLogarithmOfTime) {
  Population g;
  auto at = [&](double t) {
    while (g.time() < t - 0.5 * g.dt()) g.step(0, 5);
    return g.Y();
  };
  const double y1 = at(1), y5 = at(5);
  EXPECT_NEAR(y1, 0.009, 0.03);
  EXPECT_NEAR(y5, -0.114, 0.03);
  EXPECT_NEAR((y5 - y1) / std::log(5), -0.084, 0.015);
  EXPECT_LT(g.V(), 0);
}

struct Pulled {
  double fastest = 0, breakaway = 0;
};
/// On a spring of frequency 0.75 and damping ratio 0.05, whose end moves at 0.1.
Pulled pull(const P& p, double duration) {
  Population g(p);
  g.settle(30);
  const double dt = g.dt(), w2 = 0.75 * 0.75, c = 2 * 0.05 * 0.75, Vm = 0.1;
  Pulled out;
  double U = 0, X = 0;
  for (double t = 0; t < duration; t += dt) {
    const double spring = w2 * (Vm * t - X);
    U += dt * (spring + c * (Vm - U) - g.step(U, p.load).F);
    X += dt * U;
    if (out.fastest < 0.5) out.breakaway = std::max(out.breakaway, spring);
    out.fastest = std::max(out.fastest, U);
  }
  return out;
}

TEST(StickSlip, HappensWithHeavyAsperities) {
  const Pulled p = pull(some, 110);
  EXPECT_NEAR(p.breakaway, 4.9, 0.3);
  EXPECT_GT(p.fastest, 1.8);
}

/// The printed masses, with a load in proportion.
TEST(StickSlip, IsAbsentWithTheMassesOfTheTable) {
  P p = some;
  p.m = {0, 2e-6 * 2000 / 500};
  p.load = 0.25;
  EXPECT_LT(pull(p, 110).fastest, 0.2);
}

/// Falls by half and rises a little, one seed and fewer asperities: 0.04 instead of 0.03.
TEST(Stribeck, HasItsMinimum) {
  auto mu = [](double V) {
    P p = some;
    if (V > 8) p.dt = 2.5e-4;
    Population g(p);
    g.settle(20);
    double sum = 0;
    const auto n = std::lround(20 / g.dt());
    for (long k = 0; k < n; ++k) {
      const double F = g.step(V, 5).F;
      if (2 * k >= n) sum += F;
    }
    return sum / (0.5 * static_cast<double>(n)) / 5;
  };
  const double slow = mu(0.3), least = mu(5), fast = mu(24);
  EXPECT_NEAR(slow, 0.897, 0.04);
  EXPECT_NEAR(least, 0.450, 0.04);
  EXPECT_NEAR(fast, 0.493, 0.04);
  EXPECT_GT(fast / least, 1.05);
}

}  // namespace
