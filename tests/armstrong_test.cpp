/// Armstrong's seven parameters, phase by phase. With Fc = 1 N, sigma0 = 1e5 N/m, gamma = 1 s and the increment rising
/// from 0.2 to 0.5 N, a pull at v from rest breaks away at the tau of
///   sigma0 v tau = Fc + dFs_a + (dFs_inf - dFs_a) tau/(tau + gamma),
/// for v = 1 um/s 0.1 tau^2 - 1.4 tau - 1.2 = 0, tau = 7 + 5 sqrt(2.44) s.
#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

#include "bristle/models/armstrong.hpp"
#include "support/drive.hpp"
#include "support/flow.hpp"
#include "support/random.hpp"

using namespace bristle;

namespace {
const Armstrong<> joint{
    {.Fc = 1, .dFs_a = 0.2, .dFs_inf = 0.5, .vs = 1e-3, .sigma0 = 1e5, .gamma = 1, .tau_L = 5e-3, .kv = 0.4}};
const double tau = 7 + 5 * std::sqrt(2.44);
}  // namespace

TEST(Armstrong, StickIsASpringAlone) {
  Mover body(joint);
  EXPECT_DOUBLE_EQ(body.move(1e-6, 2), 0.2);  // no viscous part in stick
  EXPECT_DOUBLE_EQ(body.move(-3e-6, 1), -0.1);
  EXPECT_DOUBLE_EQ(body.s.t2, 3);  // motion in stick is stick
  EXPECT_EQ(body.q.dir, 0);
}

TEST(Armstrong, BreaksAwayWhenTheSpringMeetsTheRisingStaticForce) {
  Mover body(joint);
  EXPECT_NEAR(body.move(1e-6, tau * (1 - 1e-12)), 0.1 * tau, 1e-11);  // 1.4810249676 N
  EXPECT_EQ(body.q.dir, 0);
  body.move(1e-6, tau * 2e-12);
  EXPECT_EQ(body.q.dir, 1);
  EXPECT_NEAR(body.s.t2, tau, 1e-13);
  EXPECT_NEAR(body.s.dFs, 0.1 * tau - 1, 1e-14);  // the increment it had reached
  Mover back(joint);
  back.move(-1e-6, 100);
  EXPECT_EQ(back.q.dir, -1);
  EXPECT_NEAR(back.s.t2, tau, 1e-13);
}

TEST(Armstrong, BreaksAwayAtTheSameTimeByItsGuards) {
  FlowIntegrator<Armstrong<long double>> flow(rebind<long double>(joint));
  const auto v = [](long double) { return 1e-6L; };
  flow.advance(v, 20, 100);
  EXPECT_EQ(flow.events, 1);
  EXPECT_NEAR(static_cast<double>(flow.s.t2), tau, 1e-13);
}

/// The faster the pull, the less time there is to strengthen: 100 tau^2 + 98.5 tau - 1.2 = 0 at 1 mm/s, and
/// nearly dFs_a at 1 m/s, where tau = 12 us gains 0.3 * 12e-6.
TEST(Armstrong, FastPullsBreakAwayEarlier) {
  auto increment = [](double v) {
    Mover body(joint);
    body.move(v, 1);
    return body.s.dFs;
  };
  EXPECT_NEAR(increment(1e-3), (-98.5 + std::sqrt(98.5 * 98.5 + 480)) / 2 - 1, 1e-13);
  EXPECT_NEAR(increment(1), 0.2 + 3.6e-6, 1e-9);
}

/// The breakaway in general, also after a dwell and from any deflection, against bisection of the printed condition.
TEST(Armstrong, BreakawayFromAnyStick) {
  using L = long double;
  Draw draw(31);
  int late = 0;
  for (int n = 0; n < 3000; ++n) {
    const double from = draw.uniform(0, 0.5), t2 = draw.chance(0.3) ? 0 : draw.log_uniform(1e-4, 1e3);
    auto limit = [&](L t) { return 1 + from + (0.5L - from) * t / (t + 1); };
    const double d = draw.uniform(-1, 1) * static_cast<double>(limit(t2)) / 1e5,
                 v = draw.sign() * draw.log_uniform(1e-9, 1), dir = v > 0 ? 1 : -1;
    auto over = [&](L t) { return dir * 1e5L * (d + v * t) - limit(t2 + t); };
    L lo = 0, hi = 4e-5L / std::abs(v);  // twice the longest displacement: (1.5 + 1.5) N over 1e5 N/m
    for (int i = 0; i < 100; ++i) (over((lo + hi) / 2) > 0 ? hi : lo) = (lo + hi) / 2;
    Armstrong<>::State s{d, t2, 0, from};
    ArmstrongMode q;
    joint.step(s, q, {.v = v}, static_cast<double>(4e-5L / std::abs(v)));
    ASSERT_EQ(q.dir, v > 0 ? 1 : -1) << n;
    // d is a sum of terms near 1e-5, and a slow pull meets a rising limit at a small angle.
    ASSERT_NEAR(s.d, static_cast<double>(d + v * hi), 1e-18 + 1e-14 * std::abs(v) * (t2 + 1)) << n << " v " << v;
    late += t2 > 10 ? 1 : 0;
  }
  EXPECT_GT(late, 300);
}

/// After a long dwell the time to breakaway would be a small difference of long times; in float, 1e3 s would change a
/// breakaway at 1 m/s by newtons.
TEST(Armstrong, LongDwellDoesNotBlurTheBreakaway) {
  Mover body(joint);
  body.move(0, 1e6);
  body.move(1, 1);
  EXPECT_NEAR(1e5 * body.s.d, 1.5, 1e-6);              // 0.3 gamma/t2 below
  EXPECT_NEAR(1e5 * body.s.d, 1 + body.s.dFs, 1e-14);  // roundings of d
  Mover coarse(rebind<float>(joint));
  coarse.move(0, 1e3);
  coarse.move(1, 1e-4);
  EXPECT_NEAR(1e5F * coarse.s.d, 1 + coarse.s.dFs, 1e-6F);
}

/// Pulled at vs: after 20 ms vl = vs (1 - exp(-4)), whether stuck or not, and the increment stays as it was at
/// breakaway.
TEST(Armstrong, SlidingFrictionFollowsTheLaggedVelocity) {
  Mover body(joint);
  const double dFs = (-98.5 + std::sqrt(98.5 * 98.5 + 480)) / 2 - 1, lagged = 1 - std::exp(-4);
  EXPECT_NEAR(body.move(1e-3, 0.02), 1 + dFs / (1 + lagged * lagged) + 4e-4, 1e-14);
  EXPECT_NEAR(body.move(1e-3, 1), 1 + dFs / 2 + 4e-4, 1e-14);
  EXPECT_NEAR(body.move(3e-3, 1e-15), 1 + dFs / 2 + 1.2e-3, 1e-11);  // the Stribeck part waits for vl, kv v does not
  EXPECT_NEAR(body.move(3e-3, 1), 1 + dFs / 10 + 1.2e-3, 1e-14);     // 1 + 3^2
  EXPECT_DOUBLE_EQ(joint.steady(-1e-3), -(1 + dFs / 2 + 4e-4));
}

/// A stop after sliding at vs halves the remaining increment, dFs/2, and the force does not jump. After a dwell of gamma
/// half of the difference to dFs_inf is regained; a fast pull (0.3 us to breakaway at 1 m/s) shows that limit.
TEST(Armstrong, StopsWithoutAJumpAndStrengthensAtRest) {
  Mover body(joint);
  body.move(1e-3, 1);
  const double left = body.s.dFs / 2, sliding = body.move(1e-300, 1e-300);
  EXPECT_NEAR(sliding, 1 + left, 1e-14);
  EXPECT_NEAR(body.move(0, 1), sliding, 1e-14);
  EXPECT_EQ(body.q.dir, 0);
  EXPECT_EQ(body.s.t2, 1);
  EXPECT_NEAR(body.s.vl, 0, 1e-80);  // exp(-200)
  body.move(1, 1e-5);
  EXPECT_NEAR(body.s.dFs, left + 0.5 * (0.5 - left), 1e-6);
  EXPECT_NEAR(1e5 * body.s.d, 1 + body.s.dFs, 1e-14);
}

/// A reversal at vs: the spring first releases Fc + left, passes zero after (Fc + left)/sigma0 and breaks away on
/// the other side.
TEST(Armstrong, TurnedRoundItSpringsBack) {
  Mover body(joint);
  body.move(1e-3, 1);
  const double left = body.s.dFs / 2;
  EXPECT_NEAR(body.move(-1e-3, 5e-3), 1 + left - 0.5, 1e-14);
  EXPECT_NEAR(body.move(-1e-3, 0.01 * (1 + left) - 5e-3), 0, 1e-14);
  EXPECT_EQ(body.q.dir, 0);
  body.move(-1e-3, 0.02);
  EXPECT_EQ(body.q.dir, -1);
  EXPECT_NEAR(-1e5 * body.s.d, 1 + body.s.dFs, 1e-13);
}

TEST(Armstrong, NormalLoadScalesTheDryPartAndLeavesTheStateAlone) {
  Mover plain(joint);
  plain.move(1e-3, 1);
  Armstrong<>::State s = joint.rest();
  ArmstrongMode q;
  const Motion<double> u{.v = 1e-3, .r = 3};
  joint.step(s, q, u, 1.0);
  EXPECT_EQ(s.dFs, plain.s.dFs);
  EXPECT_DOUBLE_EQ(joint.force(s, q, u), 3 * (1 + s.dFs / 2) + 4e-4);
  EXPECT_DOUBLE_EQ(joint.force({2e-6, 0, 0, 0.2}, {}, {.v = 1e-3, .r = 3}), 0.6);
}

TEST(Armstrong, GuardsAndJumps) {
  auto seen = [](const Armstrong<>::State& s, ArmstrongMode q, double v) {
    std::vector<std::pair<int, double>> out;
    joint.guards(s, q, {.v = v}, [&](int id, double g) { out.emplace_back(id, g); });
    return out;
  };
  const auto on = seen({1e-5, 1, 0, 0.2}, {0}, 1e-3), back = seen({1e-5, 1, 0, 0.2}, {0}, -1e-3);
  ASSERT_EQ(on.size(), 2u);
  EXPECT_EQ(on[0].first, 1);
  EXPECT_NEAR(on[0].second, -0.35, 1e-14);  // 1 N against 1 + 0.35 N
  EXPECT_EQ(back[1].first, -1);
  EXPECT_NEAR(back[1].second, -2.35, 1e-14);
  EXPECT_EQ(seen({0, 0, 0, 0.3}, {-1}, -0.25), (std::vector<std::pair<int, double>>{{0, -0.25}}));
  EXPECT_EQ(seen({0, 0, 0, 0.3}, {-1}, 0.25), (std::vector<std::pair<int, double>>{{0, 0.25}}));
  Armstrong<>::State s{-1.4e-5, 1, 2e-3, 0.2};
  ArmstrongMode q;
  joint.jump(s, q, {.v = -1e-6}, -1);
  EXPECT_EQ(q.dir, -1);
  EXPECT_DOUBLE_EQ(s.dFs, 0.35);
  joint.jump(s, q, {}, 0);
  EXPECT_EQ(q.dir, 0);
  EXPECT_DOUBLE_EQ(s.dFs, 0.07);  // 0.35/(1 + 2^2)
  EXPECT_NEAR(s.d, -1.07e-5, 1e-19);
  EXPECT_EQ(s.t2, 0);
}

/// Stick exactly at the limit of breakaway. Motion in the other direction must not count as a breakaway: that event
/// would divide the increment by 1 + (vl/vs)^2 a second time.
TEST(Armstrong, StickingIsNotTakenForABreakaway) {
  Draw draw(32);
  int spurious = 0;
  for (int n = 0; n < 20000; ++n) {
    Armstrong<> c = joint;
    c.p.sigma0 = draw.log_uniform(1e4, 1e6);
    Armstrong<>::State s{1e-5, 1, draw.log_uniform(1e-5, 1e-2), draw.uniform(0.2, 0.5)};
    ArmstrongMode q{1};
    const Motion<double> u{.v = -1e-12};
    c.jump(s, q, u, 0);
    c.guards(s, q, u, [&](int, double g) { spurious += g > 0 ? 1 : 0; });
  }
  EXPECT_EQ(spurious, 0);
}

/// The printed equations along v = 3 mm/s sin(10 t), in long double with a thousand plain Euler steps
/// per radian: first order, so both ends of a Richardson pair are needed, and events within a step limit it to 1e-4.
TEST(Armstrong, IndependentIntegrationOfASlowOscillation) {
  using L = long double;
  auto velocity = [](L t) { return 3e-3L * std::sin(10 * t); };
  auto simple = [&](L end, int n) {
    const L h = end / n;
    L d = 0, t2 = 0, vl = 0, dFs = 0.2L, v = 0;
    int dir = 0;
    for (int i = 0; i < n; ++i) {
      v = velocity((i + 0.5L) * h);
      vl += h * (v - vl) / 5e-3L;
      if (dir != 0 && v * dir < 0) {  // stop: the increment as sliding left it, the force continuous
        dFs /= 1 + (vl / 1e-3L) * (vl / 1e-3L);
        d = dir * (1 + dFs) / 1e5L;
        t2 = 0;
        dir = 0;
      }
      if (dir == 0) {
        d += h * v;
        t2 += h;
        const L now = dFs + (0.5L - dFs) * t2 / (t2 + 1);
        if (std::abs(1e5L * d) >= 1 + now) {
          dir = d > 0 ? 1 : -1;
          dFs = now;
        }
      }
    }
    if (dir == 0) return 1e5L * d;
    return dir * (1 + 0.4L * std::abs(v) + dFs / (1 + (vl / 1e-3L) * (vl / 1e-3L)));
  };
  for (const L end : {0.05L, 0.2L, 0.318L, 0.33L, 0.5L, 0.65L, 0.9L}) {
    FlowIntegrator<Armstrong<L>> flow(rebind<L>(joint));
    flow.advance(velocity, end, 2000);
    Mover body(joint);
    const double dt = static_cast<double>(end) / 20000;
    for (int i = 0; i < 20000; ++i) body.move(static_cast<double>(velocity((i + 0.5L) * L(dt))), dt);
    const L want = simple(end, 100000);
    EXPECT_NEAR(static_cast<double>(flow.force(velocity) - want), 0, 2e-4) << static_cast<double>(end);
    EXPECT_NEAR(static_cast<double>(L(double(body.F)) - want), 0, 2e-4) << static_cast<double>(end);
  }
}

/// Passive by a storage function: sigma0 d^2/2 in stick and (Fc + dFs)^2/(2 sigma0), all that a stop could ever give
/// back, in slip. Along any motion the work done on the contact is at least what the store gains. In stick F is linear
/// along a leg, so trapezoids are exact but for the breakaway, inside one of 200 substeps.
TEST(Armstrong, StoreNeverGainsMoreThanTheWorkDone) {
  Draw draw(33);
  auto stored = [](const auto& body) {
    const double F = body.q.dir == 0 ? 1e5 * body.s.d : 1 + body.s.dFs;
    return F * F / 2e5;
  };
  double least = 1, most_returned = 0;
  for (int n = 0; n < 300; ++n) {
    Mover body(joint);
    for (int leg = 0; leg < 8; ++leg) {
      const double v = draw.sign() * draw.log_uniform(1e-6, 1e-1),
                   time = 3e-5 / std::abs(v) * draw.log_uniform(0.03, 3);
      const double before = stored(body);
      double work = 0, F = body.move(v, 1e-12 * time);
      for (int i = 0; i < 200; ++i) {
        const double next = body.move(v, time / 200);
        work += 0.5 * (F + next) * v * time / 200;
        F = next;
      }
      least = std::min(least, (work - (stored(body) - before)) / 1.125e-5);  // of (1.5 N)^2/(2 sigma0)
      most_returned = std::min(most_returned, work / 1.125e-5);
    }
  }
  EXPECT_GT(least, -0.01);         // one substep of 5e-7 m with a force in error by 0.5 N
  EXPECT_LT(most_returned, -0.1);  // elastic energy does come back
}
