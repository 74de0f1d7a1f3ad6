/// The reset integrator, a bond that stretches up to p0 = Fc/sigma0 and slides there: everything by hand.
/// Fc = 1 N, Fs = 1.5 N, sigma0 = 1e5 N/m: p0 = 10 um, (1 + a) sigma0 = 1.5e5 N/m; sigma1 = 300, kv = 0.4.
#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

#include "bristle/models/reset_integrator.hpp"
#include "support/drive.hpp"
#include "support/flow.hpp"
#include "support/random.hpp"

using namespace bristle;

namespace {
const ResetIntegrator<> bond{{.Fc = 1, .Fs = 1.5, .sigma0 = 1e5, .sigma1 = 300, .kv = 0.4}};
}

/// At 1 mm/s the damper adds 0.3 and the viscous part 0.0004 N.
TEST(ResetIntegrator, BondIsASpringOfTheBreakawayForce) {
  Mover body(bond);
  EXPECT_DOUBLE_EQ(body.move(1e-3, 4e-3), 0.6 + 0.3 + 4e-4);
  EXPECT_DOUBLE_EQ(body.s.p, 4e-6);
  EXPECT_DOUBLE_EQ(body.move(-1e-3, 6e-3), -0.3 - 0.3 - 4e-4);
  EXPECT_DOUBLE_EQ(body.move(0, 1), -0.3);
  EXPECT_EQ(body.q.dir, 0);
}

/// Just before p0 the force is nearly Fs + sigma1 v, from p0 on it is Fc: both plus kv v. After a reversal it is immediately
/// the spring force again: nearly Fs, minus that of the damper.
TEST(ResetIntegrator, ForceJumpsAtTheStopBothWays) {
  Mover body(bond);
  EXPECT_NEAR(body.move(1e-3, 9.999e-3), 1.5 * 0.9999 + 0.3 + 4e-4, 1e-14);
  EXPECT_DOUBLE_EQ(body.move(1e-3, 2e-6), 1 + 4e-4);
  EXPECT_EQ(body.q.dir, 1);
  EXPECT_DOUBLE_EQ(body.move(1e-3, 100), 1 + 4e-4);
  EXPECT_DOUBLE_EQ(body.s.p, 1e-5);
  EXPECT_DOUBLE_EQ(body.move(0, 1), 1);  // at rest the stop keeps its sliding force
  EXPECT_NEAR(body.move(-1e-3, 1e-6), 1.5 * 0.9999 - 0.3 - 4e-4, 1e-14);
  EXPECT_EQ(body.q.dir, 0);
}

/// The other side: from +p0 it is 2 p0 of travel back to -p0.
TEST(ResetIntegrator, StopsAtBothEnds) {
  Mover body(bond);
  body.move(1e-3, 1);
  body.move(-1e-3, 19.999e-3);
  EXPECT_EQ(body.q.dir, 0);
  EXPECT_NEAR(body.s.p, -0.9999e-5, 1e-19);
  EXPECT_DOUBLE_EQ(body.move(-1e-3, 2e-6), -1 - 4e-4);
  EXPECT_EQ(body.q.dir, -1);
}

/// Any travel in one step: clamped, never beyond.
TEST(ResetIntegrator, StretchIsClamped) {
  for (const double travel : {1e-5, 1.0, 1e300}) {
    Mover body(bond);
    body.move(travel, 1);
    EXPECT_DOUBLE_EQ(body.s.p, 1e-5) << travel;
    EXPECT_EQ(body.q.dir, 1);
  }
}

TEST(ResetIntegrator, RatesGuardsAndJumps) {
  using Guards = std::vector<std::pair<int, double>>;
  auto seen = [](double p, AtStop q, double v) {
    Guards out;
    bond.guards({p}, q, {.v = v}, [&](int id, double g) { out.emplace_back(id, g); });
    return out;
  };
  EXPECT_EQ(bond.rate({4e-6}, {0}, {.v = -2e-3}).p, -2e-3);
  EXPECT_EQ(bond.rate({1e-5}, {1}, {.v = 2e-3}).p, 0);
  const auto inside = seen(4e-6, {0}, 1e-3);
  ASSERT_EQ(inside.size(), 2u);
  EXPECT_EQ(inside[0].first, 1);
  EXPECT_NEAR(inside[0].second, -6e-6, 1e-20);
  EXPECT_EQ(inside[1].first, -1);
  EXPECT_NEAR(inside[1].second, -14e-6, 1e-20);
  EXPECT_EQ(seen(1e-5, {1}, 0.25), (Guards{{0, -0.25}}));
  EXPECT_EQ(seen(-1e-5, {-1}, 0.25), (Guards{{0, 0.25}}));
  ResetIntegrator<>::State s{0.99e-5};
  AtStop q;
  bond.jump(s, q, {.v = 1e-3}, 1);
  EXPECT_EQ(q.dir, 1);
  EXPECT_DOUBLE_EQ(s.p, 1e-5);
  bond.jump(s, q, {.v = -1e-3}, 0);
  EXPECT_EQ(q.dir, 0);
  for (const auto& [id, g] : seen(s.p, q, -1e-3)) EXPECT_LE(g, 0);  // a reversal does not reach the end again
}

TEST(ResetIntegrator, NormalLoadScalesTheDryPartAndLeavesTheStateAlone) {
  ResetIntegrator<>::State s;
  AtStop q;
  const Motion<double> u{.v = 1e-3, .r = 3};
  bond.step(s, q, u, 4e-3);
  EXPECT_DOUBLE_EQ(s.p, 4e-6);
  EXPECT_DOUBLE_EQ(bond.force(s, q, u), 3 * (0.6 + 0.3) + 4e-4);
  bond.step(s, q, u, 1.0);
  EXPECT_DOUBLE_EQ(bond.force(s, q, u), 3 + 4e-4);
}

/// v = A sin wt travels 2A/w between turns: with A/w = 15 um it stretches 10 um, slides 20 um, then 20 um back on the
/// spring and 10 um of sliding at each end. Four switches per period once under way.
TEST(ResetIntegrator, SwitchesAlongASine) {
  FlowIntegrator<ResetIntegrator<long double>> flow(rebind<long double>(bond));
  const long double w = 100;
  const auto v = [w](long double t) { return 15e-6L * w * std::sin(w * t); };
  flow.advance(v, 1.1L * static_cast<long double>(two_pi) / w, 2000);
  EXPECT_EQ(flow.events, 4);  // end, turn, end, turn
  EXPECT_EQ(flow.q.dir, 0);
  // 15 um (1 - cos 36 deg) of the way back from the turn at t = T: p = -10 um + that.
  EXPECT_NEAR(static_cast<double>(flow.s.p), -1e-5 + 15e-6 * (1 - std::cos(0.1 * two_pi)), 1e-16);
}

/// A load below Fs is held on the spring: 1.2 N stretches it by 8 um. Through the coupling, steps of 1 ms.
TEST(ResetIntegrator, HoldsALoadAboveTheSlidingForce) {
  Body body(bond);
  for (int i = 1; i <= 3000; ++i) body.push(1.2 * std::min(1.0, i * 1e-3), 1e-3);
  EXPECT_NEAR(body.x, 8e-6, 1e-15);
  EXPECT_NEAR(body.F, 1.2, 1e-10);
  EXPECT_EQ(body.q.dir, 0);
}

/// The store is that of the spring, (1 + a) sigma0 p^2/2, in the bond and at the stop alike. Along any leg the rest of
/// the work is what damper and sliding take: sigma1 v^2 t_bond + Fc |v| t_stop + kv v^2 t, to rounding, with the force
/// at the ends of segments that are divided where the bond ends.
TEST(ResetIntegrator, WorkIsStoreAndDissipation) {
  Draw draw(71);
  Mover body(bond);
  double returned = 0;
  for (int leg = 0; leg < 2000; ++leg) {
    const double v = draw.sign() * draw.log_uniform(1e-5, 1e-2), travel = draw.log_uniform(1e-7, 1e-4),
                 dir = v > 0 ? 1 : -1, before = body.s.p;
    const double stretch = std::min(travel, 1e-5 - dir * before), slide = travel - stretch;
    double work = 0;
    if (stretch > 1e-12) {  // the force is linear up to the end: twice its middle less nothing
      work += body.move(v, stretch / 2 / std::abs(v)) * dir * stretch;
      body.move(v, (stretch / 2 - 1e-20) / std::abs(v));
    }
    if (slide > 0) work += body.move(v, slide / std::abs(v)) * dir * slide;
    const double gained = 0.75e5 * (body.s.p * body.s.p - before * before),
                 taken = 300 * std::abs(v) * stretch + 1 * slide + 0.4 * std::abs(v) * travel;
    ASSERT_NEAR(work, gained + taken, 1e-11 * (std::abs(work) + 1e-5)) << leg;
    returned = std::min(returned, work);
  }
  EXPECT_LT(returned, -5e-6);  // of the 7.5e-6 J it can hold
}
