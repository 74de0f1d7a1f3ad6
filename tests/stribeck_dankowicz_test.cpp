/// Dankowicz with the Stribeck curve on its output, by numbers. Its wall step is in dankowicz_test.cpp.
#include <gtest/gtest.h>

#include <cmath>

#include "bristle/models/dankowicz.hpp"
#include "bristle/models/stribeck_dankowicz.hpp"
#include "support/drive.hpp"
#include "support/random.hpp"

using namespace bristle;

namespace {
constexpr double one_over_e = 0.36787944117144232, S_at_vs = 1.1839397205857212;  // 1 + 0.5/e
}

/// z relaxes over delta whatever the speed; the force is S(v) z/delta. At vs over delta: (1 + 0.5/e)(1 - 1/e).
TEST(StribeckDankowicz, ExactUpdateByHand) {
  Mover body(StribeckDankowicz<>{{.Fc = 1, .Fs = 1.5, .vs = 1e-3, .delta = 1e-5, .kv = 0.5}});
  EXPECT_DOUBLE_EQ(body.move(1e-3, 0.01), S_at_vs * (1 - one_over_e) + 0.0005);
  EXPECT_DOUBLE_EQ(body.s.z, 1e-5 * (1 - one_over_e));
  EXPECT_DOUBLE_EQ(body.move(1e-3, 10), S_at_vs + 0.0005);
  EXPECT_DOUBLE_EQ(body.move(2e-3, 1e-12), 1 + 0.5 * 0.018315638888734180 + 0.001);  // at once: no lag
  EXPECT_DOUBLE_EQ(body.move(-1e-3, 0.01), S_at_vs * (2 * one_over_e - 1) - 0.0005);
}

/// The Stribeck exponent: at 2 vs exp(-2) = 0.13533528323661270 for alpha = 1.
TEST(StribeckDankowicz, ExponentShapesTheOutput) {
  Mover body(StribeckDankowicz<>{{.alpha = 1}});
  EXPECT_DOUBLE_EQ(body.move(-2e-3, 10), -(1 + 0.5 * 0.13533528323661270));
}

/// At a crawl the stiffness is Fs/delta, at speed Fc/delta: 1.5e5 and 1e5 N/m.
TEST(StribeckDankowicz, StiffnessDependsOnSpeed) {
  const StribeckDankowicz<> c{};
  EXPECT_DOUBLE_EQ(c.force({1e-9}, {}, {}), 1.5e-4);
  EXPECT_DOUBLE_EQ(c.force({1e-9}, {}, {.v = 1}), 1e-4);
  EXPECT_DOUBLE_EQ(c.rate({5e-6}, {}, {.v = 1e-3}).z, 0.5e-3);
  EXPECT_DOUBLE_EQ(c.rate({5e-6}, {}, {.v = -1e-3}).z, -1.5e-3);
}

TEST(StribeckDankowicz, NormalLoadScalesTheOutputAndLeavesTheStateAlone) {
  const StribeckDankowicz<> c{{.kv = 0.5}};
  StribeckDankowicz<>::State s;
  NoMode q;
  const Motion<double> u{.v = 1e-3, .r = 3};
  c.step(s, q, u, 0.01);
  EXPECT_DOUBLE_EQ(s.z, 1e-5 * (1 - one_over_e));
  EXPECT_DOUBLE_EQ(c.force(s, q, u), 3 * S_at_vs * (1 - one_over_e) + 0.0005);
}

TEST(StribeckDankowicz, WithoutStribeckEffectItIsDankowicz) {
  Mover body(StribeckDankowicz<>{{.Fc = 2, .Fs = 2, .delta = 1e-6, .kv = 0.1}});
  Mover plain(Dankowicz<>{{.Fc = 2, .delta = 1e-6, .kv = 0.1}});
  Draw draw(23);
  for (int i = 0; i < 1000; ++i) {
    const double v = draw.sign() * draw.log_uniform(1e-5, 1), dt = 1e-6 / std::abs(v) * draw.log_uniform(1e-3, 10);
    ASSERT_DOUBLE_EQ(body.move(v, dt), plain.move(v, dt)) << i;
  }
  EXPECT_TRUE(body.c.passive());
}

/// Loaded by a at speed, unloaded at a crawl: with a much smaller than delta it is a spring of Fc/delta one way and
/// Fs/delta the other, so the cycle gives back (Fs - Fc) a^2/(2 delta) more than it took. Forces by the trapezoid,
/// which is exact for a linear spring; what bends is a/delta = 1e-3 of it.
TEST(StribeckDankowicz, CycleThatCreatesEnergy) {
  Mover body(StribeckDankowicz<>{});
  const double a = 1e-8, peak_fast = body.move(1, a), peak_slow = body.move(-1e-9, 1e-9);
  const double work = 0.5 * a * (peak_fast - peak_slow);
  EXPECT_NEAR(work, -0.5 * a * a / 2e-5, 2e-3 * a * a / 2e-5);
  EXPECT_NEAR(body.go(0, 1e-9, 1), 0, 2e-3 * peak_slow);
  EXPECT_FALSE(body.c.passive());
}
