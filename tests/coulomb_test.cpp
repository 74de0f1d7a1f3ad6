/// Coulomb friction, and the stick-slip logic it shares with the Stribeck law.
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "bristle/dual.hpp"
#include "bristle/models/coulomb.hpp"
#include "bristle/models/stribeck.hpp"
#include "support/drive.hpp"

using namespace bristle;

TEST(Coulomb, SlidingForceOpposesMotionAndGrowsByTheViscousPart) {
  Mover body(Coulomb<>{{.Fc = 2, .kv = 0.5}});
  EXPECT_EQ(body.move(4, 0.1), 4);  // 2 + 0.5 * 4
  EXPECT_EQ(body.move(-4, 0.1), -4);
  EXPECT_EQ(body.move(1e-300, 0.1), 2);
  EXPECT_EQ(body.c.steady(-2), -3);
}

TEST(Coulomb, BreakawayEqualsCoulombForceUnlessGiven) {
  EXPECT_EQ((Coulomb<>{{.Fc = 2}}.p.Fs), 2);
  EXPECT_EQ((Coulomb<>{{.Fc = 2, .Fs = 3}}.p.Fs), 3);
  EXPECT_EQ((Coulomb<>{{.Fc = 2, .kv = 0.1}}.p.Fs), 2);
  EXPECT_EQ(Coulomb<>{}.p.Fs, 1);
}

TEST(Coulomb, NormalLoadScalesTheDryPartAlone) {
  const Coulomb<> c{{.Fc = 2, .Fs = 3, .kv = 0.5}};
  EXPECT_EQ(c.force({}, {1}, {.v = 4, .r = 2.5}), 7);  // 2.5 * 2 + 0.5 * 4
  EXPECT_EQ(c.force({}, {-1}, {.v = -4, .r = 0}), -2);
}

TEST(Coulomb, DerivativesInSlipAndInStick) {
  using D = Dual<double, 3>;
  const Coulomb<D> c{{.Fc = D::variable(2, 0), .Fs = 3.0, .kv = D::variable(0.5, 1)}};
  const Motion<D> u{.v = -4.0, .F_app = D::variable(0.7, 2), .r = 1.5};
  const D slip = c.force({}, {-1}, u), stick = c.force({}, {0}, u);
  EXPECT_EQ(slip.d, (std::array<double, 3>{-1.5, -4, 0}));
  EXPECT_EQ(stick.d, (std::array<double, 3>{0, 0, 1}));
}

/// Constant deceleration Fc/m = 2 m/s2 from 1 m/s with dt = 1/128: after n implicit steps v = 1 - n/64, so it stops in
/// step 64 at dt sum(1 - n/64) = 31.5/128 m. All numbers are binary fractions.
TEST(Coulomb, BrakedBodyStopsWhereConstantDecelerationSays) {
  Body body(Coulomb<>{{.Fc = 2}});
  body.v = 1;
  for (int i = 1; i <= 64; ++i) {
    EXPECT_EQ(body.v, 1 - (i - 1) / 64.0);
    body.push(0, 1.0 / 128);
  }
  EXPECT_EQ(body.v, 0);
  EXPECT_EQ(body.x, 0.24609375);
  for (int i = 0; i < 100; ++i) body.push(1.9, 1.0 / 128);
  EXPECT_EQ(body.x, 0.24609375);
  EXPECT_EQ(body.F, 1.9);
  EXPECT_TRUE(body.c.holds(body.q));
}

/// The net force is 2.5 - 2 as soon as the load exceeds breakaway: v = t/2.
TEST(Coulomb, OverloadedBodyAcceleratesByTheExcess) {
  Body body(Coulomb<>{{.Fc = 2, .Fs = 2.25}});
  for (int i = 0; i < 256; ++i) body.push(-2.5, 1.0 / 128);
  EXPECT_DOUBLE_EQ(body.v, -1);
  EXPECT_EQ(body.F, -2);
}

/// The mode logic of both set-valued laws, with Fc = 1 N and Fs = 1.5 N.
template <class C> class StickSlipLogic : public ::testing::Test {
 public:
  C c{{.Fc = 1, .Fs = 1.5}};
  double guard(StickSlip q, const Motion<double>& u) const {
    std::vector<double> all;
    c.guards({}, q, u, [&](int, double g) { all.push_back(g); });
    EXPECT_EQ(all.size(), 1u);
    return all.front();
  }
  int after_jump(StickSlip q, const Motion<double>& u) const {
    NoState s;
    c.jump(s, q, u, 0);
    return q.dir;
  }
  int after_step(StickSlip q, const Motion<double>& u) const {
    NoState s;
    c.step(s, q, u, 0.1);
    return q.dir;
  }
};
using SetValuedLaws = ::testing::Types<Coulomb<>, Stribeck<>>;
TYPED_TEST_SUITE(StickSlipLogic, SetValuedLaws);

TYPED_TEST(StickSlipLogic, StartsStuckAndCarriesTheAppliedForceExactly) {
  for (const double F : {0.0, 0.1, -1.234, 1.5, -1.5}) {
    EXPECT_EQ(this->c.force({}, {}, {.F_app = F}), F);
    EXPECT_EQ(this->after_step({}, {.F_app = F}), 0);
  }
  EXPECT_TRUE(this->c.holds({0}));
  EXPECT_FALSE(this->c.holds({1}));
  EXPECT_FALSE(this->c.holds({-1}));
}

TYPED_TEST(StickSlipLogic, ReleaseGuardRisesThroughZeroAtBreakaway) {
  EXPECT_EQ(this->guard({0}, {.F_app = 1.25}), -0.25);
  EXPECT_EQ(this->guard({0}, {.F_app = 1.5}), 0);
  EXPECT_EQ(this->guard({0}, {.F_app = -2}), 0.5);
  EXPECT_EQ(this->guard({0}, {.F_app = 2, .r = 2}), -1);  // twice the load holds twice the force
}

TYPED_TEST(StickSlipLogic, SlipGuardRisesWhenVelocityPassesZero) {
  EXPECT_EQ(this->guard({1}, {.v = 0.25}), -0.25);
  EXPECT_EQ(this->guard({1}, {.v = -0.25}), 0.25);
  EXPECT_EQ(this->guard({-1}, {.v = -0.25}), -0.25);
  EXPECT_EQ(this->guard({-1}, {.v = 0.25, .F_app = 9}), 0.25);  // the load does not matter in slip
}

TYPED_TEST(StickSlipLogic, ReleasesInTheDirectionOfTheAppliedForce) {
  EXPECT_EQ(this->after_jump({0}, {.F_app = 1.6}), 1);
  EXPECT_EQ(this->after_jump({0}, {.F_app = -1.6}), -1);
  EXPECT_EQ(this->after_jump({0}, {.F_app = 1.5}), 0);  // breakaway itself still holds
}

/// A body that comes to rest under too large a load reverses without sticking.
TYPED_TEST(StickSlipLogic, LocksAtZeroVelocityOnlyIfTheLoadCanBeHeld) {
  EXPECT_EQ(this->after_jump({1}, {.F_app = 1.2}), 0);
  EXPECT_EQ(this->after_jump({1}, {.F_app = -1.4}), 0);
  EXPECT_EQ(this->after_jump({1}, {.F_app = -1.6}), -1);
  EXPECT_EQ(this->after_jump({1}, {.F_app = -1.4, .r = 0.5}), -1);
}

TYPED_TEST(StickSlipLogic, PrescribedVelocityDecidesTheDirection) {
  EXPECT_EQ(this->after_step({0}, {.v = 1e-300}), 1);
  EXPECT_EQ(this->after_step({1}, {.v = -1e-300, .F_app = 9}), -1);
  EXPECT_EQ(this->after_step({1}, {.v = 0, .F_app = 1}), 0);
  EXPECT_EQ(this->after_step({1}, {.v = 0, .F_app = -2}), -1);
}

/// Under a slowly growing load the body moves only beyond breakaway, and never backwards.
TYPED_TEST(StickSlipLogic, RampedLoadBreaksAwayAtFs) {
  Body body(this->c);
  double breakaway = 0;
  while (body.v == 0 && body.t < 3) {
    breakaway = body.t + 1e-3;  // 1 N/s, the force of the step to come
    body.push(breakaway, 1e-3);
  }
  EXPECT_NEAR(breakaway, 1.5, 1.01e-3);  // one step of the ramp
  EXPECT_GT(body.v, 0);
}
