/// Karnopp: the logic of its three phases by guards, jumps and steps, and its limit for a vanishing stick zone.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>
#include <vector>

#include "bristle/models/karnopp.hpp"
#include "bristle/registry/any.hpp"
#include "support/drive.hpp"

using namespace bristle;

namespace {

using Mode = KarnoppMode;
/// Fc = 1 N, Fs = 1.5 N, vs = 1 m/s, a zone of 0.25 m/s; numbers are binary fractions.
const Karnopp<> zone{{.Fc = 1, .Fs = 1.5, .vs = 1, .dv = 0.25, .kv = 0.5}};

std::vector<std::pair<int, double>> guards(Mode q, const Motion<double>& u) {
  std::vector<std::pair<int, double>> out;
  zone.guards({}, q, u, [&](int id, double g) { out.emplace_back(id, g); });
  return out;
}
Mode after_jump(Mode q, const Motion<double>& u, int id) {
  NoState s;
  zone.jump(s, q, u, id);
  return q;
}
Mode after_step(Mode q, const Motion<double>& u) {
  NoState s;
  zone.step(s, q, u, 0.1);
  return q;
}
void expect(const Mode& q, Mode::Phase phase, int dir) {
  EXPECT_EQ(q.phase, phase);
  EXPECT_EQ(q.dir, dir);
}
const Mode stuck{}, leaving{Mode::leaving, 1}, leaving_back{Mode::leaving, -1}, slipping{Mode::slipping, 1},
    slipping_back{Mode::slipping, -1};
using Guards = std::vector<std::pair<int, double>>;

}  // namespace

/// Stuck it carries the load; leaving it has Fs in the direction of the load; slipping, at v = 2 vs, it has
/// 1 + 0.5 exp(-4) = 1.0091578194443671 and the viscous part. The normal load scales the last two, without kv v.
TEST(Karnopp, ForceOfEachPhase) {
  EXPECT_EQ(zone.force({}, stuck, {.v = 0.125, .F_app = -1.25, .r = 2}), -1.25);
  EXPECT_EQ(zone.force({}, leaving, {.v = 0.125, .F_app = 4}), 1.5);
  EXPECT_EQ(zone.force({}, leaving_back, {.v = 0.125, .F_app = -4, .r = 2}), -3);
  EXPECT_DOUBLE_EQ(zone.force({}, slipping, {.v = 2, .F_app = 9}), 2.0091578194443671);
  EXPECT_DOUBLE_EQ(zone.force({}, slipping_back, {.v = -2, .r = 2}), -2 * 1.0091578194443671 - 1);
  EXPECT_TRUE(zone.holds(stuck));
  EXPECT_FALSE(zone.holds(leaving));
  EXPECT_FALSE(zone.holds(slipping));
}

TEST(Karnopp, StuckEndsWhenTheLoadExceedsBreakaway) {
  EXPECT_EQ(guards(stuck, {.v = 0.125, .F_app = -1.25}), (Guards{{0, -0.25}}));
  EXPECT_EQ(guards(stuck, {.F_app = -2}), (Guards{{0, 0.5}}));
  EXPECT_EQ(guards(stuck, {.F_app = 2, .r = 2}), (Guards{{0, -1}}));
  expect(after_jump(stuck, {.F_app = 1.75}, 0), Mode::leaving, 1);
  expect(after_jump(stuck, {.F_app = -1.75}, 0), Mode::leaving, -1);
  expect(after_jump(stuck, {.F_app = 1.5}, 0), Mode::stuck, 0);
}

/// Out of the zone it slips the way it moves; if the load falls back before that, it is stuck again.
TEST(Karnopp, LeavingEndsOutsideTheZoneOrWithTheLoad) {
  EXPECT_EQ(guards(leaving, {.v = 0.125, .F_app = 2}), (Guards{{0, -0.125}, {1, -0.5}}));
  EXPECT_EQ(guards(leaving_back, {.v = -0.5, .F_app = -1}), (Guards{{0, 0.25}, {1, 0.5}}));
  expect(after_jump(leaving, {.v = 0.375, .F_app = 2}, 0), Mode::slipping, 1);
  expect(after_jump(leaving_back, {.v = -0.375, .F_app = -2}, 0), Mode::slipping, -1);
  expect(after_jump(leaving, {.v = 0.125, .F_app = 1.25}, 1), Mode::stuck, 0);
  expect(after_jump(leaving, {.v = 0.125, .F_app = -2}, 1), Mode::leaving, -1);
}

/// Slip ends at the edge of the zone, not at v = 0, and by the load alone: stuck if it can be held, else leaving.
TEST(Karnopp, SlipEndsAtTheEdgeOfTheZone) {
  EXPECT_EQ(guards(slipping, {.v = 0.5, .F_app = 9}), (Guards{{0, -0.25}}));
  EXPECT_EQ(guards(slipping, {.v = 0.125}), (Guards{{0, 0.125}}));
  EXPECT_EQ(guards(slipping_back, {.v = -0.5}), (Guards{{0, -0.25}}));
  EXPECT_EQ(guards(slipping_back, {.v = 1}), (Guards{{0, 1.25}}));  // a sign change counts as well
  expect(after_jump(slipping, {.v = 0.25, .F_app = 1.25}, 0), Mode::stuck, 0);
  expect(after_jump(slipping, {.v = 0.25, .F_app = -1.25}, 0), Mode::stuck, 0);
  expect(after_jump(slipping, {.v = 0.25, .F_app = -1.75}, 0), Mode::leaving, -1);
  expect(after_jump(slipping, {.v = 0.25, .F_app = -1.75, .r = 2}, 0), Mode::stuck, 0);
}

TEST(Karnopp, PrescribedVelocityDecidesThePhase) {
  expect(after_step(stuck, {.v = 0.25, .F_app = 1}), Mode::stuck, 0);  // the edge belongs to the zone
  expect(after_step(stuck, {.v = -0.26}), Mode::slipping, -1);
  expect(after_step(slipping, {.v = -0.125, .F_app = 1}), Mode::stuck, 0);
  expect(after_step(slipping, {.v = 0, .F_app = -2}), Mode::leaving, -1);
  expect(after_step(slipping, {.v = -0.5}), Mode::slipping, -1);
  EXPECT_EQ(zone.steady(0.25), 0);
  EXPECT_EQ(zone.steady(-64), -33);  // Fc + 0.5 * 64
}

TEST(Karnopp, ZoneIsAHundredthOfVsUnlessGiven) {
  EXPECT_DOUBLE_EQ((Karnopp<>{{.vs = 0.5}}.p.dv), 0.005);
  EXPECT_EQ((Karnopp<>{{.vs = 0.5, .dv = 0.25}}.p.dv), 0.25);
  const Made made = make("karnopp", {{"Fc", 1}, {"Fs", 2}, {"vs", 0.5}});
  ASSERT_TRUE(made.problems.empty());
  for (const Variable& v : made.contact->parameters()) {
    if (v.name == "dv") { EXPECT_DOUBLE_EQ(v.value, 0.005); }
  }
}

namespace {

/// The block of the multibody paper (1 kg, 10 N/m pulled at 0.4 m/s), from event to event: Runge-Kutta inside a phase,
/// guards by bisection, the velocity set to 0 when the contact holds.
struct Block {
  Karnopp<> c;
  Mode q{};
  double t = 0, x = 0, v = 0;
  int sticks = 0;

  Motion<double> motion(double at, double pos, double vel) const {
    return {.x = pos, .v = vel, .F_app = 10 * (0.4 * at - pos), .t = at};
  }
  double acceleration(double at, double pos, double vel) const {
    const auto u = motion(at, pos, vel);
    return c.holds(q) ? 0 : u.F_app - c.force({}, q, u);
  }
  std::pair<double, double> after(double h) const {
    const double a = acceleration(t, x, v), b = acceleration(t + h / 2, x + h / 2 * v, v + h / 2 * a),
                 d = acceleration(t + h / 2, x + h / 2 * v + h * h / 4 * a, v + h / 2 * b),
                 e = acceleration(t + h, x + h * v + h * h / 2 * b, v + h * d);
    return {x + h * v + h * h / 6 * (a + b + d), v + h / 6 * (a + 2 * b + 2 * d + e)};
  }
  int risen(double h) const {
    const auto [pos, vel] = after(h);
    int found = -1;
    c.guards({}, q, motion(t + h, pos, vel), [&](int id, double g) { found = g > 0 && found < 0 ? id : found; });
    return found;
  }
  void advance(double h) {
    int id = risen(h);
    if (id >= 0) {
      double lo = 0;
      for (int i = 0; i < 60; ++i) {
        const double mid = (lo + h) / 2;
        const int at_mid = risen(mid);
        (at_mid >= 0 ? h : lo) = mid;
        if (at_mid >= 0) id = at_mid;
      }
    }
    std::tie(x, v) = after(h);
    t += h;
    if (id < 0) return;
    NoState s;
    c.jump(s, q, motion(t, x, v), id);
    if (c.holds(q)) {
      v = 0;
      ++sticks;
    }
  }
};

/// x(5) of the block with mu_k = 0.1, mu_s = 0.2, vs = 0.5.
Block block_at_5_s(double dv) {
  Block block{{{.Fc = 0.981, .Fs = 1.962, .vs = 0.5, .dv = dv}}};
  for (int i = 0; i < 10000 && block.t < 5; ++i) block.advance(std::min(1e-3, 5 - block.t));
  return block;
}

}  // namespace

/// Reference value for stribeck: x(5) = 1.83918350599, at rest in its second stick. Inside the zone the friction differs
/// by (dv/vs)^2 and the stop comes short by dv^2, so the error is of second order in dv.
TEST(Karnopp, TendsToStribeckAsTheZoneShrinks) {
  const double want = 1.83918350599;
  const Block wide = block_at_5_s(0.02), half = block_at_5_s(0.01), narrow = block_at_5_s(1e-5);
  EXPECT_EQ(wide.v, 0);
  EXPECT_GT(std::abs(wide.x - want), 1e-5);  // the zone is felt
  EXPECT_NEAR((half.x - want) / (wide.x - want), 0.25, 0.05);
  EXPECT_NEAR(narrow.x, want, 1e-9);
  EXPECT_EQ(narrow.sticks, 2);
}

/// The coupling is of first order: halving dt halves the error, and the extrapolated limit is the reference.
TEST(Karnopp, CouplingConvergesToTheReference) {
  auto error = [](double dt) {
    Body body(Karnopp<>{{.Fc = 0.981, .Fs = 1.962, .vs = 0.5, .dv = 1e-4}});
    for (int i = 1; i <= std::lround(5 / dt); ++i) body.pull(10, 0.4 * i * dt, dt);
    return body.x - 1.83918350599;
  };
  const double a = error(4e-4), b = error(2e-4);
  EXPECT_LT(std::abs(a), 1.5e-3);
  EXPECT_NEAR(b / a, 0.5, 0.03);
  EXPECT_LT(std::abs(2 * b - a), 0.03 * std::abs(a));
}

/// Held under any load up to Fs, for any step; beyond it the excess accelerates: (1.75 - 1.5) N on 1 kg over the first
/// step that cannot be held.
TEST(Karnopp, HoldsAndLeavesThroughTheCoupling) {
  Body body(zone);
  for (int i = 0; i < 100; ++i) body.push(i % 2 == 0 ? 1.5 : -1.5, 0.125);
  EXPECT_EQ(body.x, 0);
  EXPECT_EQ(body.F, -1.5);
  body.push(1.75, 0.125);
  EXPECT_EQ(body.q.phase, Mode::leaving);
  EXPECT_EQ(body.v, 0.03125);
  EXPECT_EQ(body.F, 1.5);
}
