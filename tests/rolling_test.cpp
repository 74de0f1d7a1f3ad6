/// Tractive rolling against Carter, the brush and its transients; hysteresis, exact steps, dissipation.
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>

#include "bristle/couple.hpp"
#include "bristle/models/rolling.hpp"
#include "support/random.hpp"

using namespace bristle;

namespace {
Rolling<> wheel(int strips = 50) {
  return {{.normal_load = 100, .mu_c = 0.3, .radius = 0.01, .half_width = 1e-4, .strips = strips}};
}
/// Rolls by q with creepage xi, in n steps.
double roll(const Rolling<>& c, Rolling<>::State& s, double xi, double q, int n = 1) {
  NoMode m;
  const double side = q > 0 ? 1 : -1;
  for (int i = 0; i < n; ++i) c.step(s, m, {.v = side * xi, .roll = side}, std::abs(q) / n);
  return s.Q[0];
}
}  // namespace

TEST(Rolling, SteadyTractionOfTheBrush) {
  const Rolling<> c = wheel();
  EXPECT_DOUBLE_EQ(c.p.k, 1e12);  // P R/a^3: Carter's slope
  const std::array<double, 3> xi{5e-4, 1.5e-3, 4e-3}, brush{9.5695344, 21.992639, 28.918374},
      carter{9.1666667, 22.5, 30};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(c.steady_traction(xi[i]), brush[i], 1e-6 * brush[i]);
    EXPECT_NEAR(c.steady_traction(-xi[i]), -brush[i], 1e-6 * brush[i]);
    const double s = std::min(1.0, xi[i] * 0.01 / (0.3 * 1e-4));
    EXPECT_NEAR(30 * (2 * s - s * s), carter[i], 1e-6 * carter[i]);
    EXPECT_NEAR(c.steady_traction(xi[i]) / carter[i], 1, 0.05);
  }
  EXPECT_NEAR(c.steady_traction(1e-9) / 1e-9, 2 * 30 * 0.01 / (0.3 * 1e-4), 1e-3 * 2e4);
  for (const double large : {1e3, 1e100, 1e200, 1e300, 1e308}) {  // slides everywhere
    EXPECT_NEAR(c.steady_traction(large), 30, 1e-3);
    EXPECT_NEAR(c.steady_traction(-large), -30, 1e-3);
  }
  for (double small = 1e-9; small > 1e-300; small *= 1e-10)
    EXPECT_NEAR(c.steady_traction(small) / small, c.steady_traction(1e-12) / 1e-12, 1e-8 * 2e4);
}

TEST(Rolling, StripsConverge) {
  for (const auto& [strips, Q] : {std::pair{50, 22.005535}, {200, 21.994353}}) {
    const Rolling<> c = wheel(strips);
    auto s = c.rest();
    EXPECT_NEAR(roll(c, s, 1.5e-3, 1e-3), Q, 1e-6 * Q) << strips;
  }
}

TEST(Rolling, FromRestTractionBuildsUpOverTheContact) {
  const Rolling<> c = wheel(400);
  const std::array<double, 4> q{0.1, 0.5, 1, 2}, want{2.9234564, 12.927509, 20.768685, 21.992639};
  for (std::size_t i = 0; i < 4; ++i) {
    auto s = c.rest();
    EXPECT_NEAR(roll(c, s, 1.5e-3, q[i] * 1e-4), want[i], 5e-4 * want[i]) << q[i];
  }
  auto s = c.rest();
  EXPECT_NEAR(roll(c, s, 1.5e-3, 1e-9), 2 * 1e-4 * 1e12 * 1.5e-3 * 1e-9, 1e-2 * 3e-4);  // slope 2 a k xi
}

TEST(Rolling, ReversalsKeepTheSlopeAndLoopsClose) {
  const Rolling<> c = wheel(400);
  const std::array<double, 6> q{4, 3.5, 3, 2, 2.5, 5}, want{21.9926, 6.9926, -8.0074, -21.9926, -6.9926, 21.9926};
  auto s = c.rest();
  double at = 0;
  for (std::size_t i = 0; i < q.size(); ++i) {
    EXPECT_NEAR(roll(c, s, 1.5e-3, (q[i] - at) * 1e-4), want[i], 5e-4 * 22) << q[i];
    at = q[i];
  }
}

/// One step equals many: random rolling and slip in both directions, short and long, with and without rolling.
TEST(Rolling, StepsAreExact) {
  const Rolling<> c = wheel();
  auto a = c.rest(), b = c.rest();
  NoMode m;
  Draw draw(6);
  for (int i = 0; i < 3000; ++i) {
    const double V = draw.chance(0.2) ? 0 : draw.uniform(-1, 1), v = draw.uniform(-1, 1) * draw.log_uniform(1e-5, 1e-2);
    const double dt = draw.log_uniform(1e-7, 3e-4);
    c.step(a, m, {.v = v, .roll = V}, dt);
    for (int k = 0; k < 6; ++k) c.step(b, m, {.v = v, .roll = V}, dt / 6);
    ASSERT_NEAR(b.Q[0], a.Q[0], 1e-9) << i;
    ASSERT_LE(std::abs(a.Q[0]), c.bound().Q[0] * (1 + 1e-12));
  }
}

/// The work of traction on slip is stored or lost, never gained: over a motion that ends unloaded it is positive.
TEST(Rolling, Dissipates) {
  Draw draw(7);
  for (int trial = 0; trial < 40; ++trial) {
    const Rolling<> c = wheel(20);
    auto s = c.rest();
    NoMode m;
    double work = 0, last = 0;
    for (int leg = 0; leg < 12; ++leg) {
      const double V = draw.chance(0.3) ? 0 : draw.uniform(-1, 1),
                   v = draw.uniform(-1, 1) * draw.log_uniform(1e-4, 1e-2);
      const double dt = draw.log_uniform(1e-6, 3e-4);
      for (int i = 0; i < 200; ++i) {
        c.step(s, m, {.v = v, .roll = V}, dt / 200);
        work += 0.5 * (last + s.Q[0]) * v * dt / 200;
        last = s.Q[0];
      }
    }
    for (int i = 0; i < 200; ++i) c.step(s, m, {.v = 0, .roll = 1}, 2e-6);
    EXPECT_NEAR(s.Q[0], 0, 1e-9);
    EXPECT_GT(work, -1e-9);
  }
}

/// Traction depends on the rolled distance, not on its speed; units; load; lanes.
TEST(Rolling, RateIndependentAndScaled) {
  const Rolling<> c = wheel();
  auto a = c.rest(), b = c.rest();
  NoMode m;
  c.step(a, m, {.v = 1e-3, .roll = 1}, 7e-5);
  c.step(b, m, {.v = 1e-1, .roll = 100}, 7e-7);
  EXPECT_NEAR(a.Q[0], b.Q[0], 1e-12);
  EXPECT_DOUBLE_EQ(c.force(a, m, {.v = 1e-3, .r = 2}), 2 * a.Q[0]);
  Rolling<> lanes = wheel();
  lanes.p.creepage = {1.5e-3, -1.5e-3};  // shares of the load are 1/4 and 3/4
  lanes.p.lane_share = {0.2, 0.6};
  auto s = lanes.rest();
  for (int i = 0; i < 100; ++i) lanes.step(s, m, {.v = 2}, 1e-5);
  EXPECT_NEAR(s.Q[0], 0.25 * 22.005535, 1e-5);
  EXPECT_NEAR(s.Q[1], -0.75 * 22.005535, 1e-5);
  EXPECT_NEAR(lanes.force(s, m, {.v = 2}), 1.5e-3 * 22.005535, 1e-7);  // power over speed
  const Rolling<> hertz{{.normal_load = 100, .mu_c = 0.3, .E = 1.1e11, .radius = 0.01, .width = 0.005}};
  EXPECT_NEAR(hertz.p.half_width, std::sqrt(4 * 100 * 0.01 / (std::acos(-1.0) * 0.005 * 1.1e11)), 1e-18);
}

TEST(Rolling, CoupleHoldsAtAnyStep) {
  const Rolling<> c = wheel();
  for (const double dt : {1e-6, 1e-2, 10.0}) {
    auto s = c.rest();
    NoMode m;
    double v = 0, x = 0;
    for (int i = 0; i < 200; ++i) {
      v = couple(c, s, m, Motion<double>{.v = v, .F_app = 15}, 1.0, dt).v;
      x += v * dt;
    }
    EXPECT_LT(std::abs(x), 1e-5) << dt;
  }
}
