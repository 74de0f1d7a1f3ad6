/// GMS by numbers. Its memory without a Stribeck effect is in maxwell_slip_test.cpp, its lag in lugre_test.cpp.
#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

#include "bristle/models/gms.hpp"
#include "support/drive.hpp"
#include "support/flow.hpp"
#include "support/random.hpp"

using namespace bristle;

namespace {
/// One element, Fc = 1, Fs = 1.5, vs = 1 mm/s, alpha = 1: S = 1 + 0.5 exp(-|v|/vs).
Gms<> single() { return {{.alpha = 1, .k = {1e4}, .nu = {1}, .C = 100}}; }
constexpr double S_at_vs = 1.1839397205857212, S_at_2vs = 1.0676676416183063;  // 1 + 0.5/e, 1 + 0.5/e^2
}  // namespace

TEST(Gms, SticksAsASpringUpToItsShareOfTheStribeckForce) {
  Mover body(single());
  EXPECT_DOUBLE_EQ(body.move(1e-3, 0.1), 1);
  EXPECT_FALSE(body.q.slips(0));
  EXPECT_DOUBLE_EQ(body.move(1e-3, 0.1), S_at_vs);
  EXPECT_TRUE(body.q.slips(0));
  EXPECT_DOUBLE_EQ(body.move(-1e-3, 0.1), S_at_vs - 1);  // turned around it sticks again
  EXPECT_FALSE(body.q.slips(0));
}

/// In slip the force follows S with the rate C/S: from S(vs) towards S(2 vs) for 10 ms, with 40 digits.
TEST(Gms, SlippingElementFindsTheNewStribeckForce) {
  Mover body(single());
  body.move(1e-3, 1);
  EXPECT_DOUBLE_EQ(body.move(2e-3, 0.01), 1.1132404800839326);
  EXPECT_DOUBLE_EQ(body.move(2e-3, 10), S_at_2vs);
  EXPECT_DOUBLE_EQ(body.move(1e-3, 10), S_at_vs);  // and back up: lag in both directions
}

/// Loaded to 1.5 N at a crawl and stopped, then moved fast, where S = 1: the stuck element lies above the curve and
/// relaxes, 1 + 0.5 exp(-C t) = 1 + 0.5/e after 10 ms, instead of being cut off or loaded further.
TEST(Gms, StuckElementAboveTheFallenCurveRelaxes) {
  Mover body(single());
  body.move(1e-12, 1e9);
  EXPECT_NEAR(body.move(0, 1), 1.5, 1e-9);
  EXPECT_FALSE(body.q.slips(0));
  EXPECT_NEAR(body.move(1, 0.01), 1 + 0.5 / std::exp(1), 1e-9);  // S(1e-12) is 1.5 - 5e-10
  EXPECT_TRUE(body.q.slips(0));
}

TEST(Gms, AllElementsStickAtRestAndKeepTheirForce) {
  Mover body(Gms<>{});
  const double F = body.move(5e-3, 1);
  EXPECT_EQ(body.q.slipping, 0b1111u);
  EXPECT_EQ(body.move(0, 100), F);
  EXPECT_EQ(body.q.slipping, 0u);
  EXPECT_EQ(body.q.dir, 0);
  const auto rate = body.c.rate(body.s, body.q, {});
  for (const double e : rate.f) EXPECT_EQ(e, 0);
}

/// A slow start from rest: S has risen to 1.5, so elements left at nu S(5 mm/s) are springs again: 1e5 N/m together.
TEST(Gms, AfterARestItIsElasticAgain) {
  Mover body(Gms<>{});
  const double F = body.move(5e-3, 1);
  body.move(0, 1e-3);
  EXPECT_NEAR(body.move(1e-9, 1), F + 1e-4, 1e-15);
}

/// sigma = 5 in stick adds sigma/k df/dt = sigma v. In slip at f = 0.5, S = 1, df/dt = C (1 - 0.5) = 50 N/s adds 0.25;
/// backwards at the same f it is C (1 + 0.5) = 150 N/s the other way.
TEST(Gms, ElementDampingActsOnTheRateOfForce) {
  const Gms<> c{{.Fc = 1, .Fs = 1, .k = {1e3}, .nu = {1}, .C = 100, .sigma = {5}, .kv = 2}};
  EXPECT_DOUBLE_EQ(c.force({{0.5}}, {0, 1}, {.v = 0.01}), 0.5 + 0.05 + 0.02);
  EXPECT_DOUBLE_EQ(c.force({{0.5}}, {1, 1}, {.v = 0.01}), 0.5 + 0.25 + 0.02);
  EXPECT_DOUBLE_EQ(c.force({{0.5}}, {1, -1}, {.v = -0.01}), 0.5 - 0.75 - 0.02);
  EXPECT_DOUBLE_EQ(c.force({{0.5}}, {1, 1}, {.v = 0.01, .r = 2}), 2 * 0.75 + 0.02);
}

TEST(Gms, DampingBelongsToItsOwnElement) {
  const Gms<> c{{.Fc = 1, .Fs = 1, .k = {1e3, 4e3}, .nu = {0.25, 0.75}, .sigma = {5, 8}}};
  EXPECT_DOUBLE_EQ(c.force({{0, 0}}, {0, 1}, {.v = 0.01}), 0.13);  // (5 + 8) v
  EXPECT_DOUBLE_EQ(c.force({{0.25, 0}}, {1, 1}, {.v = 0.01}), 0.25 + 0.08);
}

/// Equal elements in parallel are one element.
TEST(Gms, SixtyFourEqualElementsAreOne) {
  Gms<> many{{.alpha = 1}};
  many.p.k = many.p.nu = Vec<double>::zeros(64);
  for (std::size_t i = 0; i < 64; ++i) {
    many.p.k[i] = 1e4 / 64;
    many.p.nu[i] = 1.0 / 64;
  }
  Mover body(many), one(single());
  for (const double v : {1e-3, 2e-3, -1e-3, 0.0, -5e-3, 3e-4})
    EXPECT_NEAR(body.move(v, 0.07), one.move(v, 0.07), 1e-13) << v;
}

/// At slip the rate is C (nu - f/S) in the direction of motion; S(vs) as above.
TEST(Gms, RatesInStickAndSlip) {
  const Gms<> c = single();
  EXPECT_DOUBLE_EQ(c.rate({{0.5}}, {0, 1}, {.v = 1e-3}).f[0], 10);
  EXPECT_DOUBLE_EQ(c.rate({{0.5}}, {1, 1}, {.v = 1e-3}).f[0], 100 * (1 - 0.5 / S_at_vs));
  EXPECT_DOUBLE_EQ(c.rate({{0.5}}, {1, -1}, {.v = -1e-3}).f[0], -100 * (1 + 0.5 / S_at_vs));
}

/// A jump announced by guard -1 sticks everything and turns the direction; guard i releases element i.
TEST(Gms, GuardsAndJumps) {
  const Gms<> c{{.Fc = 1, .Fs = 1, .k = {1e4, 1e4}, .nu = {0.25, 0.75}}};
  Gms<>::State s{{0.5, 0.5}};
  Elements q{0b10, 1};
  std::vector<std::pair<int, double>> seen;
  c.guards(s, q, {.v = 0.25}, [&](int id, double g) { seen.emplace_back(id, g); });
  EXPECT_EQ(seen, (std::vector<std::pair<int, double>>{{-1, -0.25}, {0, 0.25}}));
  c.jump(s, q, {.v = 0.25}, 0);
  EXPECT_EQ(q.slipping, 0b11u);
  c.jump(s, q, {.v = 0}, -1);
  EXPECT_EQ(q.slipping, 0u);
  EXPECT_EQ(q.dir, -1);
}

/// GMS with the work done on it as one more state, so that the integrator carries it through every switch.
template <class T> struct Metered : Gms<T> {
  struct State : Gms<T>::State {
    T work{};
    static constexpr auto fields() {
      return Gms<T>::State::fields() + Fields{Field{&State::work, "work", "J", "work done on the contact"}};
    }
  };
  State rest() const { return {Gms<T>::rest(), T(0)}; }
  State rate(const State& s, const Elements& q, const Motion<T>& u) const {
    return {Gms<T>::rate(s, q, u), this->force(s, q, u) * u.v};
  }
};

/// Reference values: v = 0.005 sin 2 pi f t, energy per cycle and force at reversal to the printed digits. Half a cycle is
/// sufficient by symmetry; slipping elements forget their history at C/S = 67 1/s or more.
TEST(Gms, PeriodicMotionOfTheReference) {
  using L = long double;
  const struct {
    L frequency;
    int before, steps;
    double energy, energy_half_digit, force, force_half_digit;
  } cases[] = {{0.5L, 1, 10000, 0.00637045622359, 0.5e-14, 1.4088022049, 0.5e-10},
               {5, 5, 2000, 0.00054808794617, 0.5e-14, 1.1675513978, 0.5e-10}};
  for (const auto& k : cases) {
    FlowIntegrator<Metered<L>> flow({{{.alpha = 1}}});
    const L w = L(two_pi) * k.frequency, half = 0.5L / k.frequency;
    const auto v = [w](L t) { return 0.005L * std::sin(w * t); };
    flow.advance(v, k.before * half, k.before * k.steps);
    const L start = flow.s.work;
    flow.advance(v, half, k.steps);
    EXPECT_NEAR(static_cast<double>(2 * (flow.s.work - start)), k.energy, k.energy_half_digit);
    EXPECT_NEAR(static_cast<double>(std::abs(flow.force(v))), k.force, k.force_half_digit);
  }
}

/// With a Stribeck effect memory holds in the limit of slow motion. Along legs that start and stop as half a sine the
/// slipping elements end late by acceleration/C, so the gap of an inner loop shrinks as (leg time)^-2.
TEST(Gms, InnerLoopsCloseQuadraticallyInTheLegTime) {
  auto gap = [](double leg_time) {
    Mover body(Gms<>{{.alpha = 1}});
    std::vector<double> F;
    for (const double goal : {30e-6, -30e-6, 15e-6, -10e-6, 15e-6}) {
      const double mean = (goal - body.x) / leg_time;
      const int n = 5000;
      for (int i = 0; i < n; ++i) body.move(mean * two_pi / 4 * std::sin(two_pi / 2 * (i + 0.5) / n), leg_time / n);
      body.x = goal;
      F.push_back(body.F);
    }
    return std::abs(F[4] - F[2]);
  };
  const double order = std::log2(gap(1) / gap(2));
  EXPECT_NEAR(order, 2, 0.1);
}

namespace {
/// Work done on a contact along legs at constant velocity, by trapezoids, each leg from just behind its beginning.
struct Meter {
  Mover<Gms<>> body;
  double work = 0;
  void leg(double v, double time, int n = 400) {
    double F = body.move(v, 1e-12 * time);
    for (int i = 0; i < n; ++i) {
      const double next = body.move(v, time / n);
      work += 0.5 * (F + next) * v * time / n;
      F = next;
    }
  }
};
/// Slide at v, creep until the elements have regained Fs, back by `stretch`, slowly, and forward again at v.
double gain_to_one_side(const Gms<>& c, double v, double stretch) {
  Meter m{Mover(c)};
  const double creep = 1e-12 * c.p.vs;
  m.leg(v, 4 * c.scales().displacement / v);
  double before = 0;
  for (int n = 0; n < 3; ++n) {
    before = m.work;
    m.leg(creep, 50 * c.p.Fs / c.p.C);
    m.leg(-1e-5 * c.p.vs, stretch / (1e-5 * c.p.vs), 4000);
    m.leg(v, stretch / v, 4000);
  }
  return before - m.work;
}
}  // namespace

/// nu^2 (Fs - S(v))^2/(2 k), whatever C: for one element, and as the sum over several where each goes back by its own
/// stretch nu (Fs - S)/k and none yields backwards.
TEST(Gms, GainsEnergyInACycleToOneSide) {
  for (const double k : {1e4, 3e5}) {
    for (const double C : {10., 1000.}) {
      const Gms<> c{{.Fc = 2, .Fs = 3.5, .k = {k}, .nu = {1}, .C = C}};
      for (const double v : {0.5e-3, 1e-3, 1e-2}) {
        const double fall = 3.5 - stribeck_force(c.p, v), want = fall * fall / (2 * k);
        EXPECT_NEAR(gain_to_one_side(c, v, fall / k), want, 1e-5 * want) << k << " " << C << " " << v;
        EXPECT_NEAR(gain_to_one_side(c, v, 1.5 * fall / k), want, 1e-5 * want);  // the spring returns what it took
      }
      EXPECT_NEAR(gain_to_one_side(c, 1e-2, 1.5 / k), 2.25 / (2 * k), 1e-4 / k);  // S = Fc: the most
    }
  }
  const Gms<> four{};
  double want = 0, stretch = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    want += std::pow(four.p.nu[i] * 0.5, 2) / (2 * four.p.k[i]);
    stretch = std::max(stretch, four.p.nu[i] * 0.5 / four.p.k[i]);
  }
  ASSERT_GT(stretch, four.p.nu[0] * 2.5 / four.p.k[0]);  // the first yields backwards, and loses
  EXPECT_LT(gain_to_one_side(four, 1e-2, stretch), want);
  Gms<> alike = four;
  for (std::size_t i = 0; i < 4; ++i) alike.p.k[i] = 1e5 * alike.p.nu[i];  // all by the same stretch
  EXPECT_NEAR(gain_to_one_side(alike, 1e-2, 0.5e-5), 0.25 / (2e5), 1e-4 * 0.25 / 2e5);
}

/// max (Fs - S(v))/(2 v): (Fs - Fc)/(2 vs) for alpha = 1 and 0.31908634 (Fs - Fc)/vs for alpha = 2. At every v the loss to
/// kv in the forward motion exceeds the gain, and equals it at the v of the maximum.
TEST(Gms, ViscousFrictionCompensatesTheCycleToOneSide) {
  for (const double alpha : {1., 2.}) {
    Gms<> c{{.alpha = alpha, .k = {1e5}, .nu = {1}}};
    const double kv = alpha == 1 ? 0.5 / (2 * c.p.vs) : 0.31908634 * 0.5 / c.p.vs;
    auto gain = [&](double v) { return gain_to_one_side(c, v, (1.5 - stribeck_force(c.p, v)) / c.p.k[0]); };
    const double critical = alpha == 1 ? 0.01e-3 : 1.12090642e-3;
    for (double v = 1e-5; v < 0.1; v *= 2) {
      c.p.kv = 1.001 * kv;
      EXPECT_LT(gain(v), 1e-9 * 1.25e-6) << alpha << " " << v;
    }
    c.p.kv = 0.98 * kv;
    EXPECT_GT(gain(critical), 0) << alpha;
  }
}

/// To both sides, fast for an instant where an element stands at nu Fc and slow otherwise: each reversal gains
/// nu^2 (Fs^2 - Fc^2)/(2 k), and no kv compensates that.
TEST(Gms, GainsEnergyAtEachReversalWhateverTheViscousFriction) {
  for (const double kv : {0., 1e2, 1e5}) {
    const Gms<> c{{.k = {1e5}, .nu = {1}, .kv = kv}};
    const double vs = c.p.vs, slow = 1e-6 * vs, stroke = 2.5 / 1e5 * (1 + 1e-6);
    Meter m{Mover(c)};
    m.leg(10 * vs, 1e-4 / (10 * vs));
    double before = 0, x = 0;
    for (int n = 0; n < 3; ++n) {
      before = m.work;
      x = m.body.x;
      for (const double side : {1., -1.}) {
        m.leg(side * 10 * vs, 1e-14);
        m.leg(side * 1e-9 * vs, 50 * 1.5 / c.p.C);
        m.leg(-side * slow, stroke / slow, 4000);
      }
    }
    const double most = (1.5 * 1.5 - 1) / 2e5;
    EXPECT_NEAR(before - m.work, 2 * most, 1e-3 * most) << kv;
    EXPECT_NEAR(m.body.x, x, 1e-12);
  }
}

/// And never more: of random motions, the work taken out since rest is at most the sum of these over the reversals.
TEST(Gms, GainPerReversalIsBounded) {
  Draw draw(23);
  const Gms<> c{};
  double most = 0;
  for (std::size_t i = 0; i < 4; ++i) most += std::pow(c.p.nu[i], 2) * 1.25 / (2 * c.p.k[i]);
  for (int n = 0; n < 300; ++n) {
    Meter m{Mover(c)};
    int reversals = 0;
    double last = 1;
    for (int leg = 0; leg < 40; ++leg) {
      const double v = draw.sign() * c.p.vs * draw.log_uniform(1e-6, 1e2);
      reversals += v * last < 0 ? 1 : 0;
      last = v;
      m.leg(v, draw.chance(0.5) ? draw.log_uniform(1e-9, 0.1) : 4e-5 / std::abs(v) * draw.log_uniform(1e-3, 1), 100);
      ASSERT_GT(m.work, -(reversals + 1) * most) << n << " " << leg;
    }
  }
}

namespace {
Gms<> own_curves() {
  Gms<> c{};
  c.p.k = {4e4, 2e4, 1e4};
  c.p.Fc_i = {0.2, 0.3, 0.5};
  c.p.Fs_i = {0.35, 0.45, 0.6};
  c.p.vs_i = {1e-3, 2e-3, 5e-3};
  c.p.alpha_i = {1, 2, 1};
  c.p.C_i = {20, 50, 80};
  c.p.kv = 0.4;
  return c;
}
}  // namespace

/// Elements with curves of their own, along legs of constant velocity (two independent integrations).
TEST(Gms, ElementsWithCurvesOfTheirOwn) {
  const Gms<> c = own_curves();
  Mover body(c);
  EXPECT_NEAR(body.move(1e-4, 0.2), 0.9357656127, 1e-9);
  EXPECT_NEAR(body.move(2e-3, 0.01), 1.033810524, 1e-9);
  EXPECT_NEAR(body.move(-2e-3, 0.05), -1.143314213, 1e-9);
  EXPECT_NEAR(body.move(5e-3, 0.003), -0.2692032287, 1e-9);
  EXPECT_FALSE(c.passive());
  Gms<> level = c;
  level.p.Fs_i = level.p.Fc_i;
  EXPECT_TRUE(level.passive());
  Mover slides(c);
  EXPECT_NEAR(slides.move(3e-3, 100), c.steady(3e-3), 1e-12);
}

/// Along a sine, with the state equation and its events.
TEST(Gms, OwnCurvesAlongASine) {
  FlowIntegrator<Gms<long double>> run{rebind<long double>(own_curves())};
  const long double w = 4 * std::acos(-1.0L);
  auto v = [w](long double t) { return 4e-3L * std::sin(w * t); };
  const std::array<double, 4> times{0.1, 0.2, 0.3, 0.6}, want{1.059115866, 1.098976789, -0.5880769, 1.059071637};
  for (std::size_t i = 0; i < 4; ++i) {
    run.advance(v, static_cast<long double>(times[i]) - run.t, 6000);
    EXPECT_NEAR(static_cast<double>(run.force(v)), want[i], 1e-7 * std::abs(want[i])) << times[i];
  }
}

/// Arrays that say what the common curve says change nothing.
TEST(Gms, OwnCurvesThatAreShares) {
  Gms<> common{};
  common.p.kv = 0.3;
  Gms<> own = common;
  for (std::size_t i = 0; i < own.p.k.n; ++i) {
    own.p.Fc_i = own.p.Fs_i = own.p.C_i = own.p.nu;
    own.p.vs_i = own.p.alpha_i = own.p.nu;
  }
  for (std::size_t i = 0; i < own.p.k.n; ++i) {
    own.p.Fc_i[i] = common.p.nu[i] * common.p.Fc;
    own.p.Fs_i[i] = common.p.nu[i] * common.p.Fs;
    own.p.C_i[i] = common.p.nu[i] * common.p.C;
    own.p.vs_i[i] = common.p.vs;
    own.p.alpha_i[i] = common.p.alpha;
  }
  Mover a(common), b(own);
  Draw draw(9);
  for (int i = 0; i < 2000; ++i) {
    const double v = draw.uniform(-1, 1) * draw.log_uniform(1e-5, 1e-1), dt = draw.log_uniform(1e-6, 1e-1);
    ASSERT_NEAR(b.move(v, dt), a.move(v, dt), 1e-12);
  }
}
