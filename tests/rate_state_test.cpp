/// Rate and state friction by its closed forms. Dc = 1e-5 m, V0 = 1e-6 m/s, so theta starts at Dc/V0 = 10 s; in steady
/// sliding at v it is Dc/v. mu0 = 0.6, a = 0.01, b = 0.015: mu = mu0 + a ln(v/V0) + b ln(V0 theta/Dc) but for
/// exp(-120).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "bristle/models/rate_state.hpp"
#include "bristle/registry/any.hpp"
#include "support/drive.hpp"
#include "support/random.hpp"

using namespace bristle;

namespace {
constexpr double ln2 = 0.69314718055994531, ln10 = 2.3025850929940457;
RateState<> rock(StateLaw law = StateLaw::ageing) {
  return {{.mu0 = 0.6, .a = 0.01, .b = 0.015, .Dc = 1e-5, .V0 = 1e-6, .normal_load = 2, .law = law, .kv = 0.5}};
}
const StateLaw laws[] = {StateLaw::ageing, StateLaw::slip};
}  // namespace

/// asinh(3/4) = ln(3/4 + 5/4) = ln 2: with mu0 = 0 and theta = Dc/V0, mu = a ln 2 at v = 1.5 V0. Four times that theta
/// and b = a take 4 times the argument, so v = 0.375 V0 does.
TEST(RateState, FrictionByHand) {
  const RateState<> c{{.mu0 = 0, .a = 0.01, .b = 0.01, .Dc = 1e-5, .V0 = 1e-6, .normal_load = 2}};
  EXPECT_DOUBLE_EQ(c.force({10}, {}, {.v = 1.5e-6}), 0.02 * ln2);
  EXPECT_DOUBLE_EQ(c.force({10}, {}, {.v = -1.5e-6}), -0.02 * ln2);
  EXPECT_DOUBLE_EQ(c.force({40}, {}, {.v = 0.375e-6}), 0.02 * ln2);
  EXPECT_DOUBLE_EQ(c.force({10}, {}, {.v = 1.5e-6, .r = 3}), 0.06 * ln2);  // N = r normal_load
}

/// Ten times V0 at theta = 10 s: 0.6 + 0.01 ln 10, on 2 N, and kv v.
TEST(RateState, LogarithmOfSpeedAndAge) {
  const auto c = rock();
  EXPECT_NEAR(c.force(c.rest(), {}, {.v = 1e-6}), 1.2, 1e-6);
  EXPECT_DOUBLE_EQ(c.force({10}, {}, {.v = 1e-5}), 2 * (0.6 + 0.01 * ln10) + 0.5e-5);
  EXPECT_DOUBLE_EQ(c.force({100}, {}, {.v = -1e-5, .r = 3}), -6 * (0.6 + 0.01 * ln10 + 0.015 * ln10) - 0.5e-5);
  EXPECT_DOUBLE_EQ(c.steady(1e-5), 2 * (0.6 - 0.005 * ln10) + 0.5e-5);
}

/// At 1e-5 m/s the steady age is 1 s. Over Dc ln 2 the distance to it is halved: theta = 1 + 9/2 for ageing, its
/// logarithm for slip, theta = sqrt 10.
TEST(RateState, AgeEvolvesOverDc) {
  Mover ageing(rock()), slip(rock(StateLaw::slip));
  ageing.move(1e-5, ln2);
  slip.move(-1e-5, ln2);
  EXPECT_DOUBLE_EQ(ageing.s.theta, 5.5);
  EXPECT_DOUBLE_EQ(slip.s.theta, std::sqrt(10));
  for (auto* body : {&ageing, &slip}) {
    body->move(1e-5, 100);
    EXPECT_DOUBLE_EQ(body->s.theta, 1);
    body->move(1e-7, 1e5);
    EXPECT_DOUBLE_EQ(body->s.theta, 100);
  }
}

/// 1 - v theta/Dc = -9, and -10 ln 10; at the steady age nothing moves.
TEST(RateState, RatesByHand) {
  EXPECT_DOUBLE_EQ(rock().rate({10}, {}, {.v = -1e-5}).theta, -9);
  EXPECT_DOUBLE_EQ(rock(StateLaw::slip).rate({10}, {}, {.v = -1e-5}).theta, -10 * ln10);
  for (const StateLaw law : laws) EXPECT_NEAR(rock(law).rate({1}, {}, {.v = 1e-5}).theta, 0, 1e-15);
}

/// A jump from v1 to v2 = 10 v1 in steady sliding: friction rises by a ln 10 at once, then evolves towards
/// mu0 + (a - b) ln(v2/V0): by the slip law b ln(v2/v1) exp(-s/Dc) remains, by the ageing law b ln(1 + 9 exp(-s/Dc)).
TEST(RateState, VelocityStep) {
  for (const StateLaw law : laws) {
    Mover body(rock(law));
    auto mu = [&](double v, double dt) { return (body.move(v, dt) - 0.5 * v) / 2; };
    const double before = mu(1e-6, 1e3), at_once = mu(1e-5, 1e-12);
    EXPECT_NEAR(before, 0.6, 1e-15);
    EXPECT_NEAR(at_once - before, 0.01 * ln10, 1e-12);  // theta has changed by 1e-12 s
    const double steady = 0.6 - 0.005 * ln10;
    double gone = 0;
    for (const double travel : {0.5, 1.0, 2.0, 4.0}) {  // in Dc; 1 s each at 1e-5 m/s
      const double now = mu(1e-5, travel - gone), left = std::exp(-travel);
      gone = travel;
      EXPECT_NEAR(now - steady, 0.015 * (law == StateLaw::slip ? ln10 * left : std::log(1 + 9 * left)), 1e-12)
          << travel;
    }
    EXPECT_NEAR(mu(1e-5, 1e3), steady, 1e-15);
  }
}

/// Down again the laws differ: ageing recovers by theta = t even without sliding, slip only by sliding. After a step
/// from 1e-5 to 1e-6 m/s, s/Dc = 1/2 later: ageing theta = 10 - 9 exp(-1/2), slip ln(theta/10 s) = -ln 10 exp(-1/2).
TEST(RateState, LawsDifferOnSlowingDown) {
  Mover ageing(rock()), slip(rock(StateLaw::slip));
  for (auto* body : {&ageing, &slip}) {
    body->move(1e-5, 1e3);
    body->move(1e-6, 5);
  }
  EXPECT_DOUBLE_EQ(ageing.s.theta, 10 - 9 * std::exp(-0.5));
  EXPECT_DOUBLE_EQ(slip.s.theta, 10 * std::pow(10, -std::exp(-0.5)));
}

/// At rest there is no force; by the ageing law contacts grow older by the time, by the slip law they do not. Then
/// b ln(100/10) more friction waits for the next pull.
TEST(RateState, AtRest) {
  Mover ageing(rock()), slip(rock(StateLaw::slip));
  for (int i = 0; i < 90; ++i) EXPECT_EQ(ageing.move(0, 1), 0);
  EXPECT_EQ(slip.move(0, 90), 0);
  EXPECT_DOUBLE_EQ(ageing.s.theta, 100);
  EXPECT_DOUBLE_EQ(slip.s.theta, 10);
  EXPECT_EQ(rock().rate({10}, {}, {}).theta, 1);
  EXPECT_EQ(rock(StateLaw::slip).rate({10}, {}, {}).theta, 0);
  EXPECT_NEAR(ageing.move(1e-6, 1e-9) - slip.move(1e-6, 1e-9), 2 * 0.015 * ln10, 1e-10);
}

/// So slow that exp(-v dt/Dc) rounds to 1, theta still grows by dt and creeps to Dc/v in the end.
TEST(RateState, AgeingAtACrawl) {
  for (const double v : {1e-300, 1e-100, 1e-25}) {
    Mover body(rock());
    body.move(v, 5);
    EXPECT_DOUBLE_EQ(body.s.theta, 15) << v;
  }
  Mover body(rock());
  body.move(1e-12, 1e9);  // a hundred Dc
  EXPECT_DOUBLE_EQ(body.s.theta, 1e7);
}

/// The printed formula in long double, whose exponential lasts up to exp(11356), against the logarithms: through the
/// change of formula at an argument of e^20, for exponents from 0.1 to 10000 and speeds over 20 decades.
TEST(RateState, LargeExponentsDoNotOverflow) {
  using L = long double;
  Draw draw(91);
  for (int n = 0; n < 3000; ++n) {
    const RateState<> c{{.mu0 = draw.uniform(0, 1), .a = draw.log_uniform(1e-4, 1), .b = draw.uniform(-1e-2, 1e-2)}};
    const double v = draw.sign() * draw.log_uniform(1e-16, 1e4), theta = draw.log_uniform(1e-6, 1e6);
    const L exponent = (L(c.p.mu0) + L(c.p.b) * std::log(L(1e-6) * L(theta) / L(1e-5))) / L(c.p.a);
    const L mu = L(c.p.a) * std::asinh(L(v) / (2 * L(1e-6)) * std::exp(exponent));
    ASSERT_NEAR(c.force({theta}, {}, {.v = v}), static_cast<double>(mu),
                4e-15 * std::abs(static_cast<double>(mu)) + 1e-17)
        << n;
  }
  const RateState<> steep{{.mu0 = 1, .a = 1e-3}}, steepest{{.mu0 = 10, .a = 1e-6}};
  EXPECT_NEAR(steep.force(steep.rest(), {}, {.v = 1e-6}), 1, 1e-15);
  EXPECT_NEAR(steepest.force(steepest.rest(), {}, {.v = -1e-6}), -10, 1e-14);
  EXPECT_EQ(steepest.force(steepest.rest(), {}, {}), 0);
}

/// The same in float, where exp ends at 88: mu0/a = 60 (typical), 100 and 1000; at rest, at a crawl and at V0.
TEST(RateState, LargeExponentsDoNotOverflowInFloat) {
  for (const float a : {0.01F, 0.006F, 0.0006F}) {
    const RateState<float> c{{.mu0 = 0.6F, .a = a}};
    EXPECT_EQ(c.force(c.rest(), {}, {}), 0) << a;
    EXPECT_NEAR(c.force(c.rest(), {}, {.v = 1e-6F}), 0.6F, 1e-6F) << a;
    EXPECT_TRUE(std::isfinite(c.force(c.rest(), {}, {.v = 1e-37F}))) << a;
    EXPECT_TRUE(std::isfinite(c.force({1e9F}, {}, {}))) << a;
  }
}

TEST(RateState, LawIsChosenByName) {
  const Table rocks{{"mu0", 0.6}, {"a", 0.01}, {"b", 0.015}, {"Dc", 1e-5}, {"V0", 1e-6}, {"normal_load", 2}};
  auto theta_after_rest = [&](const Table& more) {
    Table table = rocks;
    table.insert(table.end(), more.begin(), more.end());
    const Made made = make("rate_state", table);
    if (!made.problems.empty()) return -1.0;
    made.contact->step({}, 5);
    return made.contact->states().at(0).value;
  };
  EXPECT_DOUBLE_EQ(theta_after_rest({{"law", "slip"}}), 10);
  EXPECT_DOUBLE_EQ(theta_after_rest({{"law", "ageing"}}), 15);
  EXPECT_DOUBLE_EQ(theta_after_rest({}), 15);
  EXPECT_EQ(theta_after_rest({{"law", "sleep"}}), -1);
}

/// A new contact of age 0 either counts as a mistake or gives numbers.
TEST(RateState, ContactOfAgeZero) {
  for (const char* law : {"ageing", "slip"}) {
    const Made made =
        make("rate_state",
             {{"mu0", 0.6}, {"a", 0.01}, {"b", 0.015}, {"Dc", 1e-5}, {"V0", 1e-6}, {"normal_load", 2}, {"law", law}},
             {}, {{"theta", 0}});
    if (!made.problems.empty()) continue;
    EXPECT_TRUE(std::isfinite(made.contact->step({.v = 1e-6}, 1))) << law;
    EXPECT_TRUE(std::isfinite(made.contact->states().at(0).value)) << law;
  }
}

namespace {
/// Largest friction under a force that grows at a constant rate, in `n` implicit steps up to mu0 N.
double breakaway(const RateState<>& c, double mass, double rate, int n) {
  const double dt = c.p.mu0 * c.p.normal_load / rate / n;
  Body body(c, mass);
  double highest = 0;
  for (int i = 0; i < 3 * n && (body.v < 10 * c.p.V0 || body.F > 0.999 * highest); ++i) {
    body.push(rate * (i + 1) * dt, dt);
    highest = std::max(highest, body.F);
  }
  return highest;
}
/// Change of the breakaway force over N per e-fold of the force rate, over a decade from this part of mu0 N V0/Dc on; first-
/// order steps, one power removed.
double slope(const RateState<>& c, double mass, double part) {
  const double rate = part * c.p.mu0 * c.p.normal_load * c.p.V0 / c.p.Dc;
  auto at = [&](double r) { return 2 * breakaway(c, mass, r, 8000) - breakaway(c, mass, r, 4000); };
  return (at(10 * rate) - at(rate)) / ln10 / c.p.normal_load;
}
}  // namespace

/// A slow ramp takes t = F/rate, and so old is the contact when it yields, at about Dc/t: mu = mu0 + (a - b) ln(v/V0), the
/// steady curve there. F itself changes by (a - b) ln 10 of 0.7 N over the decade, and t with it: slopes are a - b to 5 %.
TEST(RateState, SlowlyLoadedItsBreakawayFallsWithTheForceRate) {
  for (const StateLaw law : laws) {
    for (const double b : {0.012, 0.015, 0.03}) {
      const RateState<> c{{.mu0 = 0.7, .a = 0.01, .b = b, .Dc = 3e-6, .V0 = 1e-5, .normal_load = 20, .law = law}};
      for (const double part : {1e-8, 1e-6, 1e-5})
        EXPECT_NEAR(slope(c, 1e-6, part), 0.01 - b, 0.05 * std::abs(0.01 - b)) << b << " " << part;
    }
  }
}

/// Fast ramps leave it no time to age: then the direct effect shows, as long as inertia does not.
TEST(RateState, FastLoadedItsBreakawayRisesWithTheForceRate) {
  for (const StateLaw law : laws) {
    const RateState<> c{{.mu0 = 0.7, .a = 0.01, .b = 0.015, .Dc = 3e-6, .V0 = 1e-5, .normal_load = 20, .law = law}};
    for (const double part : {10., 100., 1000.}) {
      const double rise = slope(c, 1e-6, part);
      EXPECT_GT(rise, 0.4 * 0.01) << part;
      EXPECT_LT(rise, 0.01) << part;
    }
  }
}
