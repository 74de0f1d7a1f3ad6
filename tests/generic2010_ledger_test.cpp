/// Where the work done on the point masses of 2010 goes.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "asperity/shared/ledger.hpp"

using namespace bristle;
using asperity::Bookkeeper;
using asperity::Ledger;

namespace {

using Population = Generic2010<double>;
using P = Generic2010Params;

/// Slides back and forth under a load that doubles on the way, or under a depth that changes.
Ledger works(P p, double dt, unsigned threads = 1) {
  p.dt = dt;
  Population g(p);
  g.use_threads(threads);
  const bool free = p.control == NormalControl::load;
  if (free) g.settle(5);
  Bookkeeper books(g);
  const auto n = std::lround(2.4 / dt);
  for (long k = 1; k <= n; ++k) {
    const double t = static_cast<double>(k) * dt, U = 0.8 * std::cos(2.5 * t), load = t > 1 ? 2 * p.load : p.load;
    const double V = g.V();
    free ? g.step(U, load) : g.step_to(U, g.start() - 0.2 * (1 - std::cos(1.5 * t)));
    books.add(g, U, free ? V : g.V(), load);
  }
  return books.works();
}

/// Ranges that the defaults do not contain.
P drawn(unsigned seed) {
  std::mt19937_64 engine(seed);
  auto between = [&](double a, double b) { return a + (b - a) * std::uniform_real_distribution<>()(engine); };
  P p{.asperities = 100 + static_cast<int>(between(0, 60)), .seed = seed};
  p.wTe = {between(10, 25), between(50, 90)};
  p.wTp = {between(30, 50), between(80, 160)};
  p.wNp = {between(10, 20), between(40, 90)};
  p.rT = {0, between(5, 40)};
  p.rN = {0, between(5, 60)};
  p.Fadh = {0, between(50, 400)};
  p.m = {0, between(2e-4, 9e-4)};
  p.wP = {0, between(400, 1000)};
  p.L_sd = between(0.02, 0.15);
  p.zeta_T = between(0.1, 0.8);
  p.load = between(2, 8);
  p.adhesion = seed % 2 == 0 ? AdhesionLaw::tangential : AdhesionLaw::normal;
  p.control = seed % 5 == 4 ? NormalControl::depth : NormalControl::load;
  const Profile smooth[]{Profile::circular, Profile::triangular, Profile::sinusoidal};
  p.profile = smooth[seed % 3];
  return p;
}

TEST(Ledger, BalancesForRandomPopulationsAndConvergesWithTheStep) {
  double coarse = 0, fine = 0;
  for (unsigned seed = 1; seed <= 12; ++seed) {
    const double a = works(drawn(seed), 1e-3).error(), b = works(drawn(seed), 2.5e-4).error();
    EXPECT_LT(a, 0.03) << "seed " << seed;
    EXPECT_LT(b, 0.003) << "seed " << seed;
    coarse += a;
    fine += b;
  }
  EXPECT_LT(fine, 0.2 * coarse);  // 1/16 for a method of second order
}

/// No entry is so small that the identity would hold without it.
TEST(Ledger, MissesEveryEntryThatIsLeftOut) {
  const P p{.asperities = 150, .m = {0, 2e-3}};
  const Ledger all = works(p, 2.5e-4);
  EXPECT_LT(all.error(), 1e-3);
  for (double Ledger::* entry : {&Ledger::friction, &Ledger::normal, &Ledger::stored, &Ledger::kinetic,
                                 &Ledger::plastic, &Ledger::damper, &Ledger::adhesion}) {
    Ledger part = all;
    part.*entry = 0;
    EXPECT_GT(part.error(), 5e-3);
  }
  EXPECT_GT(all.plastic, 0);
  EXPECT_GT(all.damper, 0);
  EXPECT_GT(all.adhesion, 0);
}

/// An entry is zero where its cause is absent, in the same run.
TEST(Ledger, KnowsWhatThereIsNot) {
  const P p{.asperities = 100};
  P rigid = p, smooth = p, free = p;
  rigid.rT = rigid.rN = {1e6, 1e6};
  smooth.Fadh = {0, 0};
  free.zeta_T = free.zeta_N = 0;
  free.tail_share = 0;
  const Ledger a = works(rigid, 5e-4), b = works(smooth, 5e-4), c = works(free, 5e-4);
  EXPECT_NEAR(a.plastic, 0, 1e-12 * a.friction);
  EXPECT_NEAR(b.adhesion, 0, 1e-9 * b.damper);
  EXPECT_NEAR(c.damper, 0, 1e-9 * c.adhesion);
  for (const Ledger& w : {a, b}) EXPECT_LT(w.error(), 5e-3);
}

TEST(Ledger, DoesNotChangeTheForcesNorDependOnThreads) {
  P p{.asperities = 13000, .L_sd = 0.02};
  Population watched(p), alone(p);
  watched.use_threads(3);
  Bookkeeper books(watched), again(alone);
  for (int k = 0; k < 60; ++k) {
    const double V = watched.V();
    const auto a = watched.step(2, 5), b = alone.step(2, 5);
    ASSERT_EQ(a.F, b.F);
    books.add(watched, 2, V, 5);
    again.add(alone, 2, V, 5);
  }
  EXPECT_EQ(books.works().friction, again.works().friction);
  EXPECT_EQ(books.works().damper, again.works().damper);
  EXPECT_EQ(books.works().adhesion, again.works().adhesion);
}

}  // namespace
