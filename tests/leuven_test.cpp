/// Leuven (modified). With one element below its yield force rho = sgn(v) Fh/S obeys d rho/dq = 1 - sgn(rho)|rho|^n in
/// q = k s/S: n = 1: 1 - (1 - rho0) exp(-q); n = 2: tanh(q) from 0, tan(q - pi/4) from -1, coth from above 1.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "bristle/models/leuven.hpp"
#include "bristle/models/lugre.hpp"
#include "bristle/models/maxwell_slip.hpp"
#include "bristle/registry/any.hpp"
#include "support/drive.hpp"
#include "support/flow.hpp"
#include "support/random.hpp"

using namespace bristle;

namespace {

/// One element of 1e5 N/m that cannot yield, Fs = Fc = 1: q = 1 is 10 um.
Leuven<> single(double n) { return {{.Fc = 1, .Fs = 1, .k = {1e5}, .W = {10}, .n = n}}; }
/// The force after a travel q (signed) from force f0.
double slid(double n, double q, double f0 = 0) {
  Mover body(single(n));
  body.s.f[0] = f0;
  return body.move(q * 1e-5, 1);
}
const double pi = std::numbers::pi;

}  // namespace

TEST(Leuven, FromRestEachExponentFollowsItsClosedForm) {
  EXPECT_DOUBLE_EQ(slid(1, 1), 0.63212055882855768);    // 1 - 1/e
  EXPECT_DOUBLE_EQ(slid(2, 0.5), 0.46211715726000976);  // tanh
  EXPECT_DOUBLE_EQ(slid(2, -1), -0.76159415595576489);
  EXPECT_DOUBLE_EQ(slid(2, 100), 1);
  EXPECT_DOUBLE_EQ(slid(1, -100), -1);
}

/// From full sliding back: n = 1 passes zero after ln 2, n = 2 after pi/4, where tan ends and tanh begins.
TEST(Leuven, TurnedRoundEachExponentFollowsItsClosedForm) {
  EXPECT_NEAR(slid(1, -std::log(2), 1), 0, 1e-15);
  EXPECT_NEAR(slid(2, -pi / 4, 1), 0, 1e-15);
  EXPECT_NEAR(slid(2, -pi / 8, 1), std::tan(pi / 8), 1e-15);
  EXPECT_NEAR(slid(2, -pi / 4 - 1, 1), -std::tanh(1), 1e-15);
  EXPECT_NEAR(slid(2, pi / 4 + 1, -1), std::tanh(1), 1e-15);
}

/// The velocity has risen, S has fallen from 1.5 to 1: rho = 1.5, z runs backwards and the force comes down, as
/// 1 + 0.5 exp(-q) or as coth(q + acoth(1.5)), which is (1.5 + t)/(1 + 1.5 t) with t = tanh(q).
TEST(Leuven, StateRunsBackwardsWhereTheCurveHasFallen) {
  for (const double n : {1., 2.}) {
    Mover body(Leuven<>{{.Fc = 1, .Fs = 1.5, .vs = 1e-3, .k = {1e5}, .W = {10}, .n = n}});
    EXPECT_NEAR(body.move(1e-12, 1e9), 1.5, 1e-9);  // S(1e-12) is Fs but for 1e-18, and q = 67
    const double z = body.s.z;
    const double F = body.move(1, 5e-6), t = std::tanh(0.5);
    EXPECT_NEAR(F, n == 1 ? 1 + 0.5 * std::exp(-0.5) : (1.5 + t) / (1 + 1.5 * t), 1e-9) << n;
    EXPECT_LT(body.s.z, z);
    EXPECT_NEAR(1e5 * (z - body.s.z), 1.5 - F, 1e-8) << n;  // the hysteresis follows z back on its spring
    EXPECT_EQ(body.q.dir, -1);
    EXPECT_LT(body.c.rate(body.s, body.q, {.v = 1}).z, 0);
    body.move(1, 1);
    EXPECT_NEAR(body.F, 1, 1e-15) << n;
  }
}

/// Half of S forwards and backwards: 1 - 0.5^n and 1 + 0.5^n of v; damping and viscous part on top.
TEST(Leuven, RateAndForceByHand) {
  for (const double n : {1., 2., 1.5}) {
    Leuven<> c = single(n);
    c.p.sigma1 = 300;
    c.p.kv = 0.4;
    const double part = std::pow(0.5, n);
    const Leuven<>::State s{0, {0.5}};
    EXPECT_DOUBLE_EQ(c.rate(s, {0, 1}, {.v = 1e-3}).z, 1e-3 * (1 - part));
    EXPECT_DOUBLE_EQ(c.rate(s, {0, -1}, {.v = -1e-3}).z, -1e-3 * (1 + part));
    EXPECT_DOUBLE_EQ(c.rate(s, {0, 1}, {.v = 1e-3}).f[0], 100 * (1 - part));
    EXPECT_EQ(c.rate(s, {1, 1}, {.v = 1e-3}).f[0], 0);  // slipping
    EXPECT_DOUBLE_EQ(c.force(s, {}, {.v = 1e-3}), 0.5 + 0.3 * (1 - part) + 4e-4);
    EXPECT_NEAR(c.force(s, {}, {.v = -1e-3, .r = 3}), 3 * (0.5 - 0.3 * (1 + part)) - 4e-4, 1e-15);
  }
}

/// Of first order with one element it is LuGre, sigma0 = k.
TEST(Leuven, LinearWithOneElementItIsLuGre) {
  Mover body(Leuven<>{{.k = {1e5}, .W = {1.5}, .n = 1, .sigma1 = 300, .kv = 0.4}});
  Mover lugre(LuGre<>{{.sigma0 = 1e5, .sigma1 = 300, .kv = 0.4}});
  Draw draw(101);
  for (int i = 0; i < 2000; ++i) {
    const double v = draw.sign() * 1e-3 * draw.log_uniform(0.01, 10),
                 dt = 1e-5 / std::abs(v) * draw.log_uniform(1e-3, 10);
    // Roundings of z, which sigma1 |v|/S amplifies by up to 3; an element that yields by rounding forgets no more.
    ASSERT_NEAR(body.move(v, dt), lugre.move(v, dt), 1e-12) << i;
  }
}

/// At forces far below S dz = dx, so the hysteresis is that of the Maxwell-slip elements: rho^2 = 1e-6.
TEST(Leuven, FarBelowSlidingItIsMaxwellSlip) {
  const Vec<double> k{4e4, 3e4, 2e4, 1e4}, W{2e-4, 3e-4, 4e-4, 1000};
  Mover body(Leuven<>{{.Fc = 1, .Fs = 1, .k = k, .W = W}});
  Mover maxwell(MaxwellSlip<>{{.k = k, .W = W}});
  for (const double goal : {1e-8, -2e-8, 3e-8, 0., 2e-8}) {
    const double F = body.go(goal, 1e-6, 7);
    EXPECT_NEAR(F, maxwell.go(goal, 1e-6, 7), 2e-6 * 1e-3) << goal;
  }
}

namespace {

/// The equations, implemented independently: elements f_i as plays of z limited to W_i, dz/dt = v (1 -
/// sgn(rho)|rho|^n). Runge-Kutta in long double on the advance of z over a short step; inside it Fh is the sum of the
/// clamped elements.
struct Plain {
  using L = long double;
  std::array<L, 4> k{4e4L, 3e4L, 2e4L, 1e4L}, W{0.15L, 0.3375L, 0.45L, 0.5625L}, f{};
  L n, z = 0;

  L force(L dz) const {
    L sum = 0;
    for (std::size_t i = 0; i < 4; ++i) sum += std::clamp(f[i] + k[i] * dz, -W[i], W[i]);
    return sum;
  }
  void move(L v, L time, int steps) {
    const L u = std::abs(v) / 1e-3L, S = 1 + 0.5L * std::exp(-u * u), h = time / steps, d = v > 0 ? 1 : -1;
    auto rate = [&](L dz) {
      const L rho = d * force(dz) / S;
      return v * (1 - (rho < 0 ? -1 : 1) * std::pow(std::abs(rho), n));
    };
    for (int i = 0; i < steps; ++i) {
      const L a = rate(0), b = rate(h / 2 * a), c = rate(h / 2 * b), e = rate(h * c);
      const L dz = h / 6 * (a + 2 * b + 2 * c + e);
      for (std::size_t j = 0; j < 4; ++j) f[j] = std::clamp(f[j] + k[j] * dz, -W[j], W[j]);
      z += dz;
    }
  }
};

}  // namespace

/// Strokes, reversals, inner loops and changes of speed in sliding (S rises and falls). Elements that yield inside a
/// short step cost the integration 1e-9.
TEST(Leuven, AgainstAnIndependentIntegration) {
  const std::vector<std::pair<double, double>> legs = {
      {1e-4, 8e-6}, {-5e-4, 2e-5}, {2e-3, 1.5e-5}, {-1e-4, 4e-6}, {1e-3, 3e-6},  {1e-4, 6e-5},
      {5e-3, 1e-7}, {5e-3, 1e-5},  {3e-4, 2e-5},   {1e-5, 6e-5},  {-5e-3, 2e-7}, {1e-5, 6e-5},
      {5e-3, 5e-8}, {3e-4, 2e-5},  {-3e-3, 5e-5},  {-1e-4, 3e-6}, {1e-4, 1e-6},  {-8e-4, 2e-5}};
  for (const double n : {1., 2., 1.2, 1.7, 4., 8.}) {
    Plain want{.n = n};
    Mover body(Leuven<>{{.n = n}});
    double worst = 0, worst_z = 0;
    for (const auto& [v, travel] : legs) {
      want.move(v, travel / std::abs(v), 100 + static_cast<int>(travel / 2e-9));
      worst = std::max(worst, std::abs(body.move(v, travel / std::abs(v)) - static_cast<double>(want.force(0))));
      worst_z = std::max(worst_z, std::abs(body.s.z - static_cast<double>(want.z)));
      for (std::size_t i = 0; i < 4; ++i)
        worst = std::max(worst, std::abs(body.s.f[i] - static_cast<double>(want.f[i])));
    }
    EXPECT_LT(worst, 1e-8) << "n = " << n;     // of 1 N, as the card says
    EXPECT_LT(worst_z, 1e-12) << "n = " << n;  // the softest element is 1e4 N/m
  }
}

/// Sliding at a crawl, where S = Fs = sum W, every element yields and the past is gone: from then on two contacts with
/// different histories agree. The last element approaches its yield force as coth and tanh do, over its own stiffness.
TEST(Leuven, SlidingWipesTheMemoryOut) {
  Mover quiet((Leuven<>())), busy((Leuven<>()));
  for (const double goal : {2e-5, -3e-5, 1e-5, -2e-5, 4e-6}) busy.go(goal, 1e-5, 3);
  busy.x = quiet.x = 0;
  EXPECT_GT(std::abs(busy.F - quiet.F), 0.1);
  for (auto* body : {&quiet, &busy}) body->go(1e-2, 1e-9, 1);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(busy.s.f[i], busy.c.p.W[i], 1e-9) << i;
  for (const double goal : {0.99e-2, 0.995e-2, 0.9945e-2, 1.1e-2})
    EXPECT_NEAR(busy.go(goal, 1e-4, 4), quiet.go(goal, 1e-4, 4), 1e-9) << goal;
}

/// Memory, nearly: an inner loop of slow motion misses the place where it left the outer branch by less than a third of
/// what LuGre of the same stiffness misses it by, but does miss it.
TEST(Leuven, InnerLoopsNearlyClose) {
  auto gap = [](auto body) {
    const double v = 1e-8, top = body.go(3e-5, v, 50), bottom = body.go(-3e-5, v, 50), leaves = body.go(1e-5, v, 50);
    body.go(-0.5e-5, v, 50);
    return std::abs(body.go(1e-5, v, 50) - leaves) / (top - bottom);
  };
  const double here = gap(Mover(Leuven<>())), lugre = gap(Mover(LuGre<>()));
  EXPECT_LT(here, lugre / 3) << here << " " << lugre;
  EXPECT_GT(here, 1e-3);
}

TEST(Leuven, YieldForcesMustReachTheStaticForce) {
  auto holds = [](const Leuven<>& c) {
    bool all = true;
    for (const auto& relation : c.p.relations()) all = all && relation.holds(c.p);
    return all;
  };
  EXPECT_TRUE(holds(Leuven<>{{.k = {1e4}, .W = {1.5}}}));
  EXPECT_FALSE(holds(Leuven<>{{.k = {1e4}, .W = {1.49}}}));
  auto good = [](std::initializer_list<double> W) {
    return make("leuven", {{"Fc", 1}, {"Fs", 1.5}, {"vs", 1e-3}, {"k", {2e4, 1e4}}, {"W", W}}).problems.empty();
  };
  EXPECT_TRUE(good({0.5, 1}));
  EXPECT_TRUE(good({0.5, 2}));
  EXPECT_FALSE(good({0.5, 0.99}));
  EXPECT_FALSE(good({0.5, 0.5, 0.5}));  // as many as k
  const Made made = make("leuven", {{"Fc", 1}, {"Fs", 1.5}, {"vs", 1e-3}, {"k", {1e4}}, {"W", {2}}});
  ASSERT_TRUE(made.problems.empty());
  for (const Variable& v : made.contact->parameters()) {
    if (v.name == "n") { EXPECT_EQ(v.value, 2); }
  }
}

/// sigma1 ((Fs/Fc)^n - 1): 300 (2.25 - 1) for n = 2, 300 * 0.5 for n = 1.
TEST(Leuven, PassivityNeedsViscousDamping) {
  Leuven<> c{{.Fc = 1, .Fs = 1.5, .n = 2, .sigma1 = 300, .kv = 374}};
  EXPECT_FALSE(c.passive());
  c.p.kv = 375;
  EXPECT_TRUE(c.passive());
  c.p.n = 1;
  EXPECT_DOUBLE_EQ(c.passive_kv(), 150);
}

/// Guard -1 rises when dz reverses, guard i when element i yields; after a reversal all elements stick.
TEST(Leuven, GuardsAndJumps) {
  const Leuven<> c{{.Fc = 1, .Fs = 1, .k = {1e4, 1e4}, .W = {0.25, 0.75}, .n = 2}};
  Leuven<>::State s{0, {0.5, 0}};
  Elements q{0b10, 1};
  std::vector<std::pair<int, double>> seen;
  auto look = [&](double v) {
    seen.clear();
    c.guards(s, q, {.v = v}, [&](int id, double g) { seen.emplace_back(id, g); });
  };
  look(0.25);  // dz/dt = 0.25 (1 - 0.5^2)
  EXPECT_EQ(seen, (std::vector<std::pair<int, double>>{{-1, -0.1875}, {0, 0.25}}));
  look(-0.25);  // backwards 1 + 0.5^2
  EXPECT_EQ(seen.front(), (std::pair<int, double>{-1, 0.3125}));
  c.jump(s, q, {.v = 0.25}, 0);
  EXPECT_EQ(q.slipping, 0b11u);
  c.jump(s, q, {.v = -0.25}, -1);
  EXPECT_EQ(q.slipping, 0u);
  EXPECT_EQ(q.dir, -1);
}

/// By events along a sine of velocity against many small steps at the velocity of their middle (second order).
TEST(Leuven, EventsAndStepsAgreeAlongASine) {
  using L = long double;
  const auto v = [](L t) { return 2e-3L * std::sin(100 * t) + 1e-3L * std::cos(37 * t); };
  FlowIntegrator<Leuven<L>> flow(Leuven<L>{});
  flow.advance(v, 0.11L, 4000);
  Mover body((Leuven<>()));
  const int n = 40000;
  for (int i = 0; i < n; ++i) body.move(static_cast<double>(v((i + 0.5L) * 0.11L / n)), 0.11 / n);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(body.s.f[i], static_cast<double>(flow.s.f[i]), 1e-6) << i;
  EXPECT_GT(flow.events, 8);
}
