/// The lubricant film: steady curve, lag, dwell strengthening, exact steps, dissipation.
#include <gtest/gtest.h>

#include <cmath>

#include "bristle/couple.hpp"
#include "bristle/models/film.hpp"
#include "support/drive.hpp"
#include "support/random.hpp"

using namespace bristle;

namespace {
const Film<> oil{{.Fc = 0.2, .Fs = 1.5, .vs = 0.01, .kf = 2, .squeeze_length = 0.01}};
const double pi = std::acos(-1.0);

/// Along v = a + b sin(pi t) from rest for n cycles; the force at four phases of the last one.
std::array<double, 4> modulated(double a, double b, int cycles, int steps) {
  Mover body(oil);
  std::array<double, 4> out{};
  const double h = 2.0 / steps;
  for (int k = 0; k < cycles; ++k) {
    for (int i = 0; i < steps; ++i) {
      if (k + 1 == cycles && i % (steps / 4) == 0)
        out[static_cast<std::size_t>(4 * i / steps)] = oil.force(body.s, body.q, {.v = a + b * std::sin(pi * i * h)});
      body.move(a + b * std::sin(pi * (i + 0.5) * h), h);
    }
  }
  return out;
}
}  // namespace

TEST(Film, SteadyCurve) {
  EXPECT_NEAR(oil.steady(0.001), 1.3826132, 1e-6);
  EXPECT_NEAR(oil.steady(0.01), 0.698243274, 1e-9);
  EXPECT_NEAR(oil.steady(0.05), 0.253480691, 1e-9);
  for (const double v : {0.001, 0.01, -0.05}) {
    Mover body(oil);
    EXPECT_NEAR(body.move(v, 1e3), oil.steady(v), 1e-12);
  }
  // With twice the load the curve is that of half the speed: a function of v/(r vs).
  auto s = oil.rest();
  StickSlip q;
  for (int i = 0; i < 100; ++i) oil.step(s, q, {.v = 0.01, .r = 2}, 1);
  EXPECT_NEAR(oil.force(s, q, {.v = 0.01, .r = 2}), 2.00526399, 1e-8);
  const double F = oil.force(s, q, {.v = 0.01, .r = 2});
  EXPECT_NEAR(oil.steady(0.01, 2.0), F, 1e-12);
  auto s2 = oil.rest();
  for (int i = 0; i < 100; ++i) oil.step(s2, q, {.v = 0.01, .r = 2, .viscosity = 2}, 1);  // Hersey number of r = 1
  const double dry = 0.2 + 1.3 * std::exp(-1.0);
  EXPECT_NEAR(oil.force(s2, q, {.v = 0.01, .r = 2, .viscosity = 2}), 2 * dry + 2 * 2 * 0.01, 1e-12);
  EXPECT_GT(F, dry);
}

TEST(Film, LagsBehindTheSpeed) {
  const auto F = modulated(0.02, 0.015, 6, 80000);
  const std::array<double, 4> want{0.631694679, 0.304842197, 0.318759632, 0.603305493};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(F[i], want[i], 1e-6 * want[i]) << i;
  // A small modulation: H lags by atan(w tau), with the gain 1/sqrt(1 + (w tau)^2), tau = squeeze_length/(2 v).
  const double v = 0.02, tau = 0.01 / (2 * v), w = pi, b = 1e-6 * v;
  Mover body(oil);
  body.move(v, 100);
  const double H0 = body.s.H, h = 1e-4;
  double in_phase = 0, behind = 0;
  for (int i = 0; i < 200000; ++i) {
    const double t = (i + 1) * h;
    body.move(v + b * std::sin(w * (t - 0.5 * h)), h);
    if (i < 180000) continue;
    in_phase += (body.s.H - H0) * std::sin(w * t) * h;
    behind += (body.s.H - H0) * std::cos(w * t) * h;
  }
  EXPECT_NEAR(std::atan2(-behind, in_phase), std::atan(w * tau), 1e-4);
  EXPECT_NEAR(std::hypot(in_phase, behind), H0 * b / (2 * v) / std::sqrt(1 + w * w * tau * tau), 1e-4 * H0 * b / v);
}

/// Rest after sliding: the film sinks and breakaway grows.
TEST(Film, BreakawayGrowsWithTheTimeAtRest) {
  const std::array<double, 4> rest{0, 0.1, 1, 10}, want{0.375935868, 0.511546347, 1.07141606, 1.43810722};
  for (std::size_t i = 0; i < 4; ++i) {
    auto s = oil.rest();
    StickSlip q;
    oil.step(s, q, {.v = 0.02}, 1000);
    if (rest[i] > 0) oil.step(s, q, {.v = 0}, rest[i]);
    EXPECT_NEAR(oil.dry(s.H), want[i], 1e-8) << rest[i];
    oil.step(s, q, {.v = 0, .F_app = want[i] * (1 - 1e-6)}, 1e-12);
    EXPECT_TRUE(oil.holds(q));
    oil.step(s, q, {.v = 0, .F_app = want[i] * (1 + 1e-6)}, 1e-12);
    EXPECT_FALSE(oil.holds(q));
  }
}

/// One step equals many, at random parameters, loads and speeds, rest included; and the printed state equation (1).
TEST(Film, StepsAreExact) {
  Draw draw(4);
  for (int n = 0; n < 300; ++n) {
    Film<> c{};
    c.p.vs = draw.log_uniform(1e-4, 1);
    c.p.squeeze_length = draw.log_uniform(1e-4, 1);
    c.p.H_b = draw.log_uniform(1e-3, 0.5);
    auto a = c.rest();
    a.H = std::max(c.p.H_b, draw.log_uniform(0.1, 3));  // thicker ones are stiff for the reference
    auto b = a;
    double H = a.H;
    StickSlip q;
    const double v = draw.chance(0.2) ? 0 : draw.log_uniform(1e-3, 1e2) * c.p.vs, r = draw.log_uniform(0.1, 10);
    const double dt = draw.log_uniform(1e-3, 3) * c.p.squeeze_length / std::max(v, c.p.vs);
    const int parts = 4000;
    c.step(a, q, {.v = v, .r = r}, dt);
    for (int i = 0; i < 7; ++i) c.step(b, q, {.v = v, .r = r}, dt / 7);
    EXPECT_NEAR(b.H / a.H, 1, 1e-12);
    for (int i = 0; i < parts; ++i) {  // Runge-Kutta of (1), with the limit
      const double h = dt / parts;
      auto f = [&](double x) { return c.rate({x}, q, {.v = v, .r = r}).H; };
      const double k1 = f(H), k2 = f(H + h / 2 * k1), k3 = f(H + h / 2 * k2), k4 = f(H + h * k3);
      H = std::max(c.p.H_b, H + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4));
    }
    EXPECT_NEAR(H / a.H, 1, 1e-5);
  }
}

/// Friction never drives: F v >= 0 in every step, whatever the motion, load and viscosity.
TEST(Film, AlwaysDissipates) {
  Draw draw(5);
  auto s = oil.rest();
  StickSlip q;
  for (int i = 0; i < 20000; ++i) {
    const Motion<double> u{.v = draw.uniform(-1, 1) * draw.log_uniform(1e-6, 1),
                           .r = draw.uniform(0, 3),
                           .viscosity = draw.log_uniform(0.1, 10)};
    oil.step(s, q, u, draw.log_uniform(1e-6, 10));
    ASSERT_GE(oil.force(s, q, u) * u.v, 0);
    ASSERT_GE(s.H, oil.p.H_b * (1 - 1e-14));
  }
}

/// A loaded body at rest holds at any step, and starts when the load exceeds breakaway.
TEST(Film, CoupleHoldsAtAnyStep) {
  for (const double dt : {1e-9, 1e-3, 1.0, 1e6}) {
    auto s = oil.rest();
    StickSlip q;
    const auto r = couple(oil, s, q, Motion<double>{.v = 0, .F_app = 1.4}, 2.0, dt);
    EXPECT_TRUE(r.holds);
    EXPECT_EQ(r.v, 0);
    EXPECT_NEAR(r.F, 1.4, 1e-15);
    const auto slips = couple(oil, s, q, Motion<double>{.v = 0, .F_app = 1.6}, 2.0, dt);
    EXPECT_FALSE(slips.holds);
    EXPECT_GT(slips.v, 0);
    EXPECT_NEAR(2.0 * slips.v / dt + slips.F, 1.6, 1e-9);
  }
}

TEST(Film, FullFilmAlone) {
  const Film<> film{{.Fc = 0, .Fs = 0, .vs = 0.01, .kf = 2, .squeeze_length = 0.01}};
  EXPECT_NEAR(film.steady(0.04) / film.steady(0.01), 2, 1e-12);  // square-root law
}
