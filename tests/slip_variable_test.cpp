/// The slip variable of Olsson and Astrom (1993): closed forms where there are, the numbers of their figures elsewhere.
/// Parameters of the paper: Fs 1.5, Fc 1, kv 0.6, ks 1e4, ds 1100, tau_del 0.01, tau_r 0.001, vs 0.04.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "bristle/dual.hpp"
#include "bristle/models/slip_variable.hpp"
#include "support/drive.hpp"
#include "support/flow.hpp"
#include "support/random.hpp"

using namespace bristle;

namespace {

template <class T = double> SlipVariable<T> paper() { return {{.kv = T(0.6)}}; }
using State = SlipVariable<>::State;

int after_jump(const State& s, StickSlip q, const Motion<double>& u) {
  State copy = s;
  paper().jump(copy, q, u, 0);
  return q.dir;
}
double guard(const State& s, StickSlip q, const Motion<double>& u) {
  double g = 0;
  paper().guards(s, q, u, [&](int, double x) { g = x; });
  return g;
}

}  // namespace

/// s_v = 1/4, d = 50 um: the spring has 0.5 N, at 1 mm/s with its damper 1.6 N, cut at Fs = 1.5.
/// F = 3/4 * 1.5 + 1/4 (1 + 0.6e-3).
TEST(SlipVariable, BlendsSpringAndSlidingFriction) {
  const auto c = paper();
  EXPECT_DOUBLE_EQ(c.force({0.25, 5e-5}, {1}, {.v = 1e-3}), 1.125 + 0.25 + 0.15e-3);
  EXPECT_DOUBLE_EQ(c.force({0.25, 5e-5}, {1}, {.v = 1e-4}), 0.75 * 0.61 + 0.25 + 0.15e-4);
  EXPECT_DOUBLE_EQ(c.force({0.25, -5e-5}, {-1}, {.v = -1e-4}), -(0.75 * 0.61 + 0.25 + 0.15e-4));
  EXPECT_DOUBLE_EQ(c.force({0.25, 5e-5}, {-1}, {.v = -1e-4}), 0.75 * 0.39 - 0.25 - 0.15e-4);
  EXPECT_DOUBLE_EQ(c.force({0, 1e-4}, {1}, {}), 1);
  EXPECT_DOUBLE_EQ(c.force({1, 1}, {1}, {.v = 2}), 2.2);  // no spring in full slip
  EXPECT_DOUBLE_EQ(c.force({0.25, 5e-5}, {1}, {.v = 1e-4, .r = 3}), 3 * (0.75 * 0.61 + 0.25) + 0.15e-4);
}

/// f(vs) = 1 - 1/e. ds_v/dt = (f - s_v)/tau_del, dd/dt = (1 - s_v) v - s_v d/tau_r.
TEST(SlipVariable, RatesByHand) {
  const auto rate = paper().rate({0.25, 2e-5}, {1}, {.v = -0.04});
  EXPECT_DOUBLE_EQ(rate.s_v, 100 * (0.63212055882855768 - 0.25));
  EXPECT_DOUBLE_EQ(rate.d, -0.03 - 0.005);
}

/// A body at rest is held while |F_app - (1 - s_v) sat(Fs, ks d)| <= s_v Fc: with s_v = 1/2, d = 50 um the spring part
/// is 0.25 and the width 0.5, so from -0.25 to 0.75 N; with three times the normal load from -0.75 to 2.25 N.
TEST(SlipVariable, HoldsWhatSlidingFrictionCanCarryBeyondTheSpring) {
  const State s{0.5, 5e-5};
  for (const double F : {-0.25, 0., 0.75}) {
    EXPECT_EQ(after_jump(s, {1}, {.F_app = F}), 0) << F;
    EXPECT_EQ(after_jump(s, {1}, {.F_app = 3 * F, .r = 3}), 0) << F;
    EXPECT_EQ(paper().force(s, {0}, {.F_app = F}), F);
  }
  EXPECT_EQ(after_jump(s, {1}, {.F_app = 0.76}), 1);
  EXPECT_EQ(after_jump(s, {1}, {.F_app = -0.26}), -1);
  EXPECT_EQ(after_jump(s, {0}, {.F_app = 2.26, .r = 3}), 1);
  EXPECT_DOUBLE_EQ(guard(s, {0}, {.F_app = 0.5}), -0.25);
  EXPECT_DOUBLE_EQ(guard(s, {0}, {.F_app = -0.5}), 0.25);
  EXPECT_DOUBLE_EQ(guard(s, {0}, {.F_app = 0.5, .r = 3}), -1.25);  // |0.5 - 0.75| - 1.5
  EXPECT_DOUBLE_EQ(guard(s, {1}, {.v = -0.125}), 0.125);           // slip ends when v passes zero
  EXPECT_EQ(after_jump({0.5, 1}, {1}, {.F_app = 1.25}), 0);        // the spring is cut at Fs: 0.75 + 0.5
  EXPECT_EQ(after_jump({0.5, 1}, {1}, {.F_app = 1.26}), 1);
  EXPECT_EQ(after_jump({0, 5e-5}, {1}, {.F_app = 0.4}), -1);  // nothing but the spring: it drives the body back
}

/// At rest s_v = s0 exp(-t/tau_del) and so d = d0 exp(-(s0 tau_del/tau_r)(1 - exp(-t/tau_del))): from 1/2 with
/// tau_del/tau_r = 10, after tau_del ln 2: s_v = 1/4, d = d0 exp(-2.5). The scheme is exact here, for any step.
TEST(SlipVariable, AtRestTheSpringRelaxesAndSlipDiesOut) {
  for (const int n : {1, 3, 100}) {
    Mover body(paper());
    body.s = {0.5, 5e-5};
    for (int i = 0; i < n; ++i) body.move(0, 0.01 * std::log(2) / n);
    EXPECT_NEAR(body.s.s_v, 0.25, 1e-15) << n;
    EXPECT_NEAR(body.s.d, 5e-5 * std::exp(-2.5), 1e-18) << n;
  }
}

/// Far above vs f = 1: s_v = 1 - (1 - s0) exp(-t/tau_del), and in full slip d forgets over tau_r.
TEST(SlipVariable, InFullSlipTheSpringForgets) {
  Mover body(paper());
  body.s = {0.5, 0};
  body.move(1, 0.01 * std::log(2));
  EXPECT_NEAR(body.s.s_v, 0.75, 1e-15);
  body.s = {1, 8e-5};
  EXPECT_NEAR(body.move(-1, 1e-3 * std::log(2)), -1.6, 1e-15);
  EXPECT_NEAR(body.s.d, 4e-5, 1e-19);
}

/// Equations (1) and (2) of the paper at constant v, by Runge-Kutta in long double, against steps of any length from
/// any state. A substep h = 0.045 tau_del takes s_v as its mean, off by up to h/tau_del = 4.5 % at its ends; of that
/// the mean itself takes out all but a tenth or so of what one relaxation time tau_r holds: 3e-3 of the largest
/// deflection.
TEST(SlipVariable, ConstantVelocityAgainstAnIndependentIntegration) {
  using L = long double;
  Draw draw(61);
  for (int n = 0; n < 60; ++n) {
    const double v = draw.sign() * 0.04 * draw.log_uniform(0.03, 3), dt = draw.log_uniform(1e-4, 0.02),
                 s0 = draw.uniform(), d0 = 1e-4 * draw.uniform(-1, 1);
    const L u = L(v) / 0.04L, f = 1 - std::exp(-u * u), h = L(dt) / 2000;
    L d = d0, largest = std::abs(d);
    auto slip = [&](L t) { return f + (L(s0) - f) * std::exp(-t / 0.01L); };  // exact
    for (int i = 0; i < 2000; ++i) {
      auto slope = [&](L t, L y) { return (1 - slip(t)) * L(v) - slip(t) * y / 0.001L; };
      const L t = i * h, a = slope(t, d), b = slope(t + h / 2, d + h / 2 * a), c = slope(t + h / 2, d + h / 2 * b),
              e = slope(t + h, d + h * c);
      d += h / 6 * (a + 2 * b + 2 * c + e);
      largest = std::max(largest, std::abs(d));
    }
    Mover body(paper());
    body.s = {s0, d0};
    body.move(v, dt);
    ASSERT_NEAR(body.s.s_v, static_cast<double>(slip(L(dt))), 1e-14) << n;
    ASSERT_NEAR(body.s.d, static_cast<double>(d), 3e-3 * static_cast<double>(largest)) << n;
  }
}

/// Half the step, a quarter of the error.
TEST(SlipVariable, StepIsOfSecondOrder) {
  auto d = [](int n) {
    Mover body(paper());
    for (int i = 0; i < n; ++i) body.move(0.02, 2e-4 / n);  // below one substep
    return body.s.d;
  };
  const double exact = (64 * d(64) - d(32) * 16) / 48;
  EXPECT_NEAR((d(1) - exact) / (d(2) - exact), 4, 0.1);
}

/// Fig 1, the steady curve (5): minimum of 1.055861752268 N at 0.08366095071572 m/s; Fs at a crawl.
TEST(SlipVariable, SteadyCurveOfFigure1) {
  using D = Dual<double>;
  const D least_force = paper<D>().steady(D::variable(0.08366095071572));
  EXPECT_NEAR(least_force.a, 1.055861752268, 0.5e-12);
  EXPECT_NEAR(least_force.d[0], 0, 1e-10);  // of slopes near 0.6, at a place given to 1e-14
  EXPECT_NEAR(paper().steady(1e-9), 1.5, 1e-12);
  EXPECT_NEAR(paper().steady(-1e-9), -1.5, 1e-12);
  EXPECT_NEAR(paper().steady(10), 7, 1e-12);  // 1 + 0.6 * 10
}

/// Fig 2, v = 0.06 + 0.04 sin wt: area of the loop of F over v and the force at v = 0.06, to the digits printed. The
/// spring is cut at Fs all the way, so everything is smooth: trapezoids of a periodic function, Runge-Kutta below.
TEST(SlipVariable, LagLoopsOfFigure2) {
  using L = long double;
  const struct {
    L w;
    int steps;
    double area, area_digit, rising, falling, force_digit;
  } cases[] = {{4, 6000, 0.00090151704, 0.5e-11, 1.091334071, 1.0795612103, 0.5e-9},
               {20, 5000, 0.0043329814, 0.5e-10, 1.12610955242, 1.06587473312, 0.5e-11}};
  for (const auto& k : cases) {
    FlowIntegrator<SlipVariable<L>> flow(paper<L>());
    const L T = L(two_pi) / k.w;
    const auto v = [w = k.w](L t) { return 0.06L + 0.04L * std::sin(w * t); };
    flow.advance(v, 2 * T, 2 * k.steps);  // forgets over tau_del
    L area = 0;
    for (int i = 0; i < k.steps; ++i) {
      if (i == 0) { EXPECT_NEAR(static_cast<double>(flow.force(v)), k.rising, k.force_digit); }
      if (2 * i == k.steps) { EXPECT_NEAR(static_cast<double>(flow.force(v)), k.falling, k.force_digit); }
      area += flow.force(v) * 0.04L * k.w * std::cos(k.w * flow.t) * T / k.steps;
      flow.advance(v, T / k.steps, 1);
    }
    EXPECT_NEAR(static_cast<double>(area), k.area, k.area_digit);
  }
}

/// The model with the work done on it as one more state.
template <class T> struct MeteredSlip : SlipVariable<T> {
  struct State : SlipVariable<T>::State {
    T work{};
    static constexpr auto fields() {
      return SlipVariable<T>::State::fields() + Fields{Field{&State::work, "work", "J", "work done on the contact"}};
    }
  };
  State rest() const { return {SlipVariable<T>::rest(), T(0)}; }
  State rate(const State& s, const StickSlip& q, const Motion<T>& u) const {
    return {SlipVariable<T>::rate(s, q, u), this->force(s, q, u) * u.v};
  }
};

/// Fig 3, v = 0.1 sin 25t: energy per cycle 0.017693375494 J. Corners of the force (the spring reaches Fs) fall inside
/// steps: 1e-10 at this step size.
TEST(SlipVariable, EnergyPerCycleOfFigure3) {
  using L = long double;
  FlowIntegrator<MeteredSlip<L>> flow({{{.kv = 0.6L}}});
  const L half = L(two_pi) / 50;
  const auto v = [](L t) { return 0.1L * std::sin(25 * t); };
  flow.advance(v, 2 * half, 10000);
  const L start = flow.s.work;
  flow.advance(v, half, 10000);
  EXPECT_NEAR(static_cast<double>(2 * (flow.s.work - start)), 0.017693375494, 1e-10);
}

/// Storage E = integral of sat(Fs, ks d): at any state and velocity F v - dE/dt is the sum of three losses.
TEST(SlipVariable, LosesEnergyAtEveryState) {
  Draw draw(62);
  for (int n = 0; n < 20000; ++n) {
    const SlipVariable<> c{{.Fs = draw.uniform(1, 3),
                            .Fc = draw.uniform(0.1, 1),
                            .ks = draw.log_uniform(1e2, 1e6),
                            .ds = draw.chance(0.2) ? 0 : draw.log_uniform(1, 1e4),
                            .tau_del = draw.log_uniform(1e-4, 1),
                            .tau_r = draw.log_uniform(1e-4, 1),
                            .vs = draw.log_uniform(1e-4, 1),
                            .kv = draw.uniform(0, 2)}};
    const double s = draw.chance(0.1)   ? 0
                     : draw.chance(0.1) ? 1
                                        : draw.uniform(),
                 d = draw.sign() * c.p.Fs / c.p.ks * draw.log_uniform(1e-3, 1e2),
                 v = draw.sign() * c.p.vs * draw.log_uniform(1e-3, 1e2);
    auto sat = [&](double F) { return std::clamp(F, -c.p.Fs, c.p.Fs); };
    const double spring = sat(c.p.ks * d), F = c.force({s, d}, {v > 0 ? 1 : -1}, {.v = v}),
                 stored = spring * c.rate({s, d}, {}, {.v = v}).d;
    const double damper = (1 - s) * v * (sat(c.p.ks * d + c.p.ds * v) - spring),
                 sliding = s * (c.p.Fc * std::abs(v) + c.p.kv * v * v), relaxing = s * d * spring / c.p.tau_r;
    const double rounding = 1e-14 * (std::abs(F * v) + std::abs(stored) + damper + sliding + relaxing);
    ASSERT_NEAR(F * v - stored, damper + sliding + relaxing, rounding) << n;
    ASSERT_GE(std::min({damper, sliding, relaxing}), 0) << n;
  }
}

/// Along random motions, the work done on the contact grows at least as fast as the energy stored: the printed equations by
/// Runge-Kutta. Sums of sines, from creep to far above vs, with reversals.
TEST(SlipVariable, IsPassiveAlongRandomMotions) {
  using L = long double;
  Draw draw(63);
  for (int n = 0; n < 12; ++n) {
    FlowIntegrator<MeteredSlip<L>> flow({{{.ds = n % 3 == 0 ? 0 : 1100.0L, .tau_r = n % 2 == 0 ? 1e-3L : 0.1L}}});
    const auto& p = flow.c.p;
    const double A = 0.04 * draw.log_uniform(1e-3, 30), w = draw.log_uniform(5, 200), a = draw.uniform(-1, 1),
                 b = draw.uniform(0, 6), c = draw.uniform(1, 4);
    const auto v = [&](L t) { return L(A) * (L(a) + std::sin(L(w) * t) + std::sin(L(c * w) * t + L(b))); };
    auto stored = [&] {
      const L reach = p.Fs / p.ks, d = std::abs(flow.s.d);
      return d < reach ? p.ks * d * d / 2 : p.Fs * (d - reach / 2);
    };
    L lost = 0, most = 0;
    for (int i = 0; i < 400; ++i) {
      flow.advance(v, L(two_pi / w) / 40, 50);
      most = std::max(most, std::abs(flow.s.work));
      const L now = flow.s.work - stored();
      ASSERT_GE(now, lost - 1e-9L * most) << n << " " << i;
      lost = now;
    }
    EXPECT_GT(lost, 0) << n;
  }
}

/// Fig 4, 1 kg under 1.4 sin 8t N: pre-sliding between 0.000106902442022 and -0.000103260339122 m. First-order steps,
/// two powers removed; what is left is the place of the turn within a step.
TEST(SlipVariable, PreslidingOfFigure4) {
  const double T = two_pi / 8;
  auto turns = [&](int n) {
    Body body(paper());
    double hi = 0, lo = 0;
    for (int i = 1; i <= 6 * n; ++i) {
      body.push(1.4 * std::sin(two_pi * i / n), T / n);
      if (i > 5 * n) hi = std::max(hi, body.x), lo = std::min(lo, body.x);
    }
    return std::vector{hi, lo};
  };
  const auto a = turns(4000), b = turns(8000), c = turns(16000);
  EXPECT_NEAR((a[0] - 6 * b[0] + 8 * c[0]) / 3, 0.000106902442022, 1e-11);
  EXPECT_NEAR((a[1] - 6 * b[1] + 8 * c[1]) / 3, -0.000103260339122, 1e-11);
}

/// Fig 5, 1 kg pulled by 2 N/m at 0.1 m/s: breaks away at 7.50147873073 s with 1.4999998746 N. Steps of 0.2 ms.
TEST(SlipVariable, BreakawayOfFigure5) {
  Body body(paper());
  double highest = 0, when = 0;
  while (body.t < 8) {
    body.pull(2, 0.1 * (body.t + 2e-4), 2e-4);
    if (body.F > highest) highest = body.F, when = body.t;
  }
  EXPECT_NEAR(highest, 1.4999998746, 1e-4);
  EXPECT_NEAR(when, 7.50147873073, 2e-3);
}

/// From rest, at rest or at a crawl, in every scalar type: a share of slip too small for the type is no slip.
TEST(SlipVariable, FloatStartsFromRest) {
  for (const float v : {0.F, 1e-30F, 1e-20F, 1e-6F}) {
    Mover body(paper<float>());
    const double F = body.move(static_cast<double>(v), 1e-3);
    EXPECT_NEAR(F, 1e4 * 1e-3 * static_cast<double>(v) + 1100 * static_cast<double>(v), 1e-6) << v;
    EXPECT_TRUE(std::isfinite(body.s.d)) << v;
  }
}
