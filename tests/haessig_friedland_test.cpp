/// Bristles that snap and bond again. The draws of seed 1 are literal here, computed independently of the library from the
/// definition of its stream (splitmix64 of seed, stream 10, bristle, count).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "bristle/models/haessig_friedland.hpp"
#include "support/drive.hpp"
#include "support/flow.hpp"
#include "support/random.hpp"

using namespace bristle;

namespace {
/// In units of delta_s: bristle 0 at the start and after its first five snaps; the same for bristle 1.
constexpr double draws[] = {0.25128878171845903, -0.6022739591402764, 0.7492321011612486,
                            -0.33670112788147,   0.44484124742740083, 0.27851648323267475};
constexpr double second[] = {-0.4759421318971542, -0.26030279476593};

/// One bristle of 1e5 N/m that snaps at 10 um: 1 N there.
HaessigFriedland<> one() { return {{.bristles = 1, .sigma0 = 1e5, .delta_s = 1e-5}}; }
}  // namespace

/// Forwards: from draws[0] to 1, snap, from draws[1] to 1, snap, from draws[2] on. Travel in units of delta_s.
TEST(HaessigFriedland, OneBristleByHand) {
  Mover body(one());
  EXPECT_DOUBLE_EQ(body.move(0, 1), draws[0]);
  EXPECT_DOUBLE_EQ(body.move(1e-3, 0.005), draws[0] + 0.5);
  EXPECT_EQ(body.q.count[0], 0u);
  double gone = 1 - draws[0] - 0.5;  // to the first snap
  EXPECT_NEAR(body.move(1e-3, (gone + 0.25) * 0.01), draws[1] + 0.25, 1e-14);
  EXPECT_EQ(body.q.count[0], 1u);
  gone = 1 - draws[1] - 0.25;
  EXPECT_NEAR(body.move(2e-3, (gone + 0.125) * 0.005), draws[2] + 0.125, 1e-14);
  EXPECT_EQ(body.q.count[0], 2u);
}

/// Backwards the same draws meet the other end; three snaps in one step.
TEST(HaessigFriedland, SeveralSnapsInOneStep) {
  Mover body(one());
  const double travel = (draws[0] + 1) + (draws[1] + 1) + (draws[2] + 1) + 0.1;
  EXPECT_NEAR(body.move(-1e-3, travel * 0.01), draws[3] - 0.1, 1e-14);
  EXPECT_EQ(body.q.count[0], 3u);
}

/// A snap at the very end of a step leaves the bristle where it was drawn.
TEST(HaessigFriedland, SnapAtTheEndOfAStep) {
  Mover body(one());
  body.s.b[0] = 0;
  EXPECT_DOUBLE_EQ(body.move(1e-5, 1), draws[1]);
  EXPECT_EQ(body.q.count[0], 1u);
  body.s.b[0] = 0;
  EXPECT_DOUBLE_EQ(body.move(-1e-5, 1), draws[2]);
}

/// Just short of the end it does not snap.
TEST(HaessigFriedland, DoesNotSnapBeforeTheEnd) {
  Mover body(one());
  body.s.b[0] = 0;
  EXPECT_NEAR(body.move(1e-5, 1 - 1e-12), 1, 2e-12);
  EXPECT_EQ(body.q.count[0], 0u);
}

/// Each bristle has its own stream; forces add, the normal load scales them, the viscous part comes on top.
TEST(HaessigFriedland, BristlesAddUp) {
  const HaessigFriedland<> c{{.bristles = 2, .sigma0 = 1e5, .delta_s = 1e-5, .kv = 0.5}};
  const auto s = c.rest();
  ASSERT_EQ(s.b.size(), 2u);
  EXPECT_DOUBLE_EQ(c.force(s, {}, {}), draws[0] + second[0]);
  EXPECT_DOUBLE_EQ(c.force(s, {}, {.v = 4, .r = 3}), 3 * (draws[0] + second[0]) + 2);
  for (const double r : c.rate(s, {}, {.v = -0.25}).b) EXPECT_EQ(r, -0.25);
}

TEST(HaessigFriedland, GuardsRiseAtBothEndsAndAJumpDrawsTheNext) {
  const HaessigFriedland<> c{{.bristles = 2, .sigma0 = 1e5, .delta_s = 1e-5}};
  HaessigFriedland<>::State s{{0.75e-5, -1.5e-5}};
  Redraws q;
  std::vector<double> g;
  c.guards(s, q, {.v = 1}, [&](int, double x) { g.push_back(x); });
  ASSERT_EQ(g.size(), 2u);
  EXPECT_NEAR(g[0], -0.25e-5, 1e-20);
  EXPECT_NEAR(g[1], 0.5e-5, 1e-20);
  c.jump(s, q, {.v = -1}, 1);
  EXPECT_DOUBLE_EQ(s.b[1], second[1] * 1e-5);
  EXPECT_EQ(q.count[1], 1u);
  EXPECT_EQ(s.b[0], 0.75e-5);
}

/// By events along a sine, and by steps: the same snaps.
TEST(HaessigFriedland, EventsAndStepsSnapAlike) {
  using L = long double;
  const HaessigFriedland<> c{{.bristles = 3}};
  FlowIntegrator<HaessigFriedland<L>> flow(rebind<L>(c));
  Mover body(c);
  for (const double v : {1e-3, -1e-3, 2e-3}) {
    flow.advance([v](L) { return L(v); }, 0.033L, 200);
    body.move(v, 0.033);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(flow.q.count[i], body.q.count[i]);
      EXPECT_NEAR(static_cast<double>(flow.s.b[i]), body.s.b[i], 1e-17);
    }
  }
  EXPECT_GT(flow.events, 10);
}

TEST(HaessigFriedland, SeedMakesTheRun) {
  auto run = [](int seed, int steps) {
    Mover body(HaessigFriedland<>{{.seed = seed}});
    for (int i = 0; i < steps; ++i) body.move(i % 7 < 4 ? 1e-3 : -1e-3, 0.28 / steps);
    return body.F;
  };
  EXPECT_EQ(run(1, 280), run(1, 280));
  EXPECT_GT(std::abs(run(1, 280) - run(2, 280)), 1e-6);
}

/// In steady sliding deflections are distributed as (b + delta_s)/(2 delta_s^2): they are born uniformly and pass every
/// place above their birth. Mean delta_s/3, variance 2/9 delta_s^2, a quarter of them below 0. Samples 5 delta_s apart,
/// about five snaps, are independent.
TEST(HaessigFriedland, MeanAndSpreadOfTheSlidingForce) {
  const HaessigFriedland<> c{};  // 25 bristles: N sigma0 delta_s/3 = 1 N
  Mover body(c);
  body.move(1e-3, 1);
  const int n = 20000;
  double sum = 0, squares = 0, below = 0;
  for (int i = 0; i < n; ++i) {
    const double F = body.move(1e-3, 0.05);
    sum += F;
    squares += F * F;
    for (const double b : body.s.b) below += b < 0 ? 1 : 0;
  }
  const double mean = sum / n, deviation = std::sqrt(squares / n - mean * mean);
  // Five standard errors: of the mean sqrt(2/25)/sqrt(n) = 0.002, of the deviation 1/sqrt(2 n) of itself = 0.005, of
  // the quarter sqrt(3/16)/sqrt(25 n) = 0.0006.
  EXPECT_NEAR(mean, 1, 0.01);
  EXPECT_NEAR(deviation, std::sqrt(2.0 / 25), 0.025 * std::sqrt(2.0 / 25));
  EXPECT_NEAR(below / (25.0 * n), 0.25, 0.003);
  EXPECT_DOUBLE_EQ(c.steady(1), 1);
  EXPECT_DOUBLE_EQ(c.scales().force, 1);
}

/// More bristles, less noise: sqrt(2/N) for 1 and for 256.
TEST(HaessigFriedland, SpreadFallsWithTheNumberOfBristles) {
  for (const int N : {1, 256}) {
    Mover body(HaessigFriedland<>{{.bristles = N, .sigma0 = 3e5 / N, .delta_s = 1e-5}});
    body.move(-1e-3, 1);
    const int n = 4000;
    double sum = 0, squares = 0;
    for (int i = 0; i < n; ++i) {
      const double F = body.move(-1e-3, 0.05);
      sum += F;
      squares += F * F;
    }
    const double mean = sum / n, spread = std::sqrt(2.0 / N);
    EXPECT_NEAR(mean, -1, 5 * spread / std::sqrt(n)) << N;
    EXPECT_NEAR(std::sqrt(squares / n - mean * mean), spread, 0.06 * spread) << N;  // five times 1/sqrt(2 n)
  }
}

/// Never more energy after a snap than before: it happens at |b| = delta_s and no draw lies outside.
TEST(HaessigFriedland, SnapNeverRaisesTheStoredEnergy) {
  const HaessigFriedland<> c{{.bristles = 1, .sigma0 = 1e5, .delta_s = 1e-5}};
  HaessigFriedland<>::State s = c.rest();
  Redraws q;
  double largest = 0, sum = 0;
  for (int i = 0; i < 100000; ++i) {
    c.jump(s, q, {}, 0);
    largest = std::max(largest, std::abs(s.b[0]));
    sum += s.b[0];
  }
  EXPECT_LE(largest, 1e-5);
  EXPECT_GT(largest, 0.9999e-5);
  EXPECT_NEAR(sum / 100000, 0, 1e-5 * 5 / std::sqrt(3e5));  // uniform: variance 1/3
}

/// The work done from the start is at least the increase of stored energy, along random strokes. Steps of a thousandth
/// of delta_s: trapezoids are exact but for a snap inside a step, where a force of up to 0.24 N is off over 5 nm.
TEST(HaessigFriedland, WorkCoversTheStore) {
  const HaessigFriedland<> c{};
  Mover body(c);
  Draw draw(81);
  auto stored = [&] {
    double sum = 0;
    for (const double b : body.s.b) sum += 0.5 * 1.2e4 * b * b;
    return sum;
  };
  double work = 0, F = body.move(0, 1), least_margin = 1, most_returned = 0;
  const double start = stored();
  for (int stroke = 0; stroke < 60; ++stroke) {
    const double v = draw.sign() * 1e-3;
    const double before = work;
    for (int i = 0, n = static_cast<int>(1000 * draw.log_uniform(0.1, 3)); i < n; ++i) {
      const double next = body.move(v, 1e-5);
      work += 0.5 * (F + next) * v * 1e-5;
      F = next;
    }
    least_margin = std::min(least_margin, work - (stored() - start));
    most_returned = std::min(most_returned, work - before);
  }
  EXPECT_GT(least_margin, -1.2e-9);
  EXPECT_LT(most_returned, 0);  // elastic energy does come back
}
