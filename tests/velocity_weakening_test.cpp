/// The velocity-weakening law F = Fs (1 - drop)/(1 + |v|/vw) by numbers.
#include <gtest/gtest.h>

#include "bristle/models/velocity_weakening.hpp"
#include "support/drive.hpp"

using namespace bristle;

namespace {
double sliding(const VelocityWeakening<>& c, double v) { return Mover(c).move(v, 1e-3); }
}  // namespace

/// drop = 0.25 of Fs = 4 leaves 3; vw halves it, 2 vw leaves a third, 5 vw a sixth.
TEST(VelocityWeakening, FallsAsOneOverTheVelocity) {
  const VelocityWeakening<> c{{.Fs = 4, .drop = 0.25, .vw = 0.5}};
  EXPECT_DOUBLE_EQ(sliding(c, 1e-200), 3);
  EXPECT_DOUBLE_EQ(sliding(c, 0.5), 1.5);
  EXPECT_DOUBLE_EQ(sliding(c, -1), -1);
  EXPECT_DOUBLE_EQ(sliding(c, 2.5), 0.5);
}

TEST(VelocityWeakening, HoldsUpToTheStaticForce) {
  const VelocityWeakening<> c{{.Fs = 2, .drop = 0.5, .vw = 1}};
  StickSlip q{};
  for (const double F : {-2.0, -1.3, 0.0, 2.0}) {
    stick_or_release(q, Motion<double>{.F_app = F}, c.p.Fs);
    EXPECT_EQ(q.dir, 0) << F;
    EXPECT_EQ(c.force({}, q, {.F_app = F}), F);
  }
  stick_or_release(q, Motion<double>{.F_app = -2.0000001}, c.p.Fs);
  EXPECT_EQ(q.dir, -1);
}

TEST(VelocityWeakening, NormalLoadScalesTheDryPartAlone) {
  const VelocityWeakening<> c{{.Fs = 1, .drop = 0, .vw = 1, .kv = 0.5}};
  EXPECT_EQ(c.force({}, {1}, {.v = 1, .r = 4}), 2.5);  // 4/2 + 0.5
}
