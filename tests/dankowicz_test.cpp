/// Dankowicz by its closed form z = delta d + (z0 - delta d) exp(-s/delta), as Dahl in other variables, and with the wall
/// steps of andersson2007 (those of stribeck_dankowicz too).
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

#include "bristle/models/dahl.hpp"
#include "bristle/models/dankowicz.hpp"
#include "bristle/models/stribeck_dankowicz.hpp"
#include "support/drive.hpp"
#include "support/random.hpp"

using namespace bristle;

/// From rest over 10 um = delta: 1 - 1/e = 0.63212055882855768 of Fc; back by delta from full sliding: 2/e - 1; the
/// force passes zero after delta ln 2.
TEST(Dankowicz, ExactUpdateByHand) {
  Mover body(Dankowicz<>{{.Fc = 2, .delta = 1e-5, .kv = 0.5}});
  EXPECT_DOUBLE_EQ(body.move(1e-3, 0.01), 2 * 0.63212055882855768 + 0.0005);
  EXPECT_DOUBLE_EQ(body.s.z, 0.63212055882855768e-5);
  EXPECT_DOUBLE_EQ(body.move(1e-3, 10), 2.0005);
  EXPECT_DOUBLE_EQ(body.move(-1e-3, 0.01), 2 * (2 / std::exp(1) - 1) - 0.0005);
  body.s.z = 1e-5;
  EXPECT_NEAR(body.move(-1e-3, 0.01 * std::log(2)), -0.0005, 1e-15);  // 1 - 1
}

TEST(Dankowicz, StiffnessAtRestIsFcOverDelta) {
  const Dankowicz<> c{{.Fc = 2, .delta = 1e-5}};
  EXPECT_DOUBLE_EQ(c.force({1e-9}, {}, {}), 2e-4);
  EXPECT_DOUBLE_EQ(c.rate({0}, {}, {.v = 1e-3}).z, 1e-3);
  EXPECT_DOUBLE_EQ(c.rate({5e-6}, {}, {.v = 1e-3}).z, 0.5e-3);    // 1 - 1/2 forwards
  EXPECT_DOUBLE_EQ(c.rate({5e-6}, {}, {.v = -1e-3}).z, -1.5e-3);  // 1 + 1/2 backwards
}

TEST(Dankowicz, NormalLoadScalesTheOutputAndLeavesTheStateAlone) {
  const Dankowicz<> c{{.Fc = 2, .delta = 1e-5, .kv = 0.5}};
  Dankowicz<>::State s;
  NoMode q;
  const Motion<double> u{.v = 1e-3, .r = 3};
  c.step(s, q, u, 0.01);
  EXPECT_DOUBLE_EQ(s.z, 0.63212055882855768e-5);
  EXPECT_DOUBLE_EQ(c.force(s, q, u), 6 * 0.63212055882855768 + 0.0005);
}

/// Twenty contacts, each over a thousand random strokes: the same force as Dahl with i = 1 and sigma0 = Fc/delta. The
/// two write the same state in different units, so only roundings differ.
TEST(Dankowicz, IsDahlWithExponentOne) {
  Draw draw(21);
  for (int n = 0; n < 20; ++n) {
    const double Fc = draw.log_uniform(0.1, 100), delta = draw.log_uniform(1e-7, 1e-3), kv = draw.uniform(0, 2);
    Mover body(Dankowicz<>{{.Fc = Fc, .delta = delta, .kv = kv}});
    Mover dahl(Dahl<>{{.Fc = Fc, .sigma0 = Fc / delta, .kv = kv}});
    for (int i = 0; i < 1000; ++i) {
      const double v = draw.sign() * draw.log_uniform(1e-5, 1), dt = delta / std::abs(v) * draw.log_uniform(1e-3, 10);
      const double F = body.move(v, dt);
      ASSERT_NEAR(dahl.move(v, dt), F, 1e-12 * (Fc + std::abs(F))) << n << " " << i;
    }
  }
}

/// A body in random motion on either: the coupling amplifies the rounding of the force by the bristle's stiffness, so
/// positions agree to 1e-12 of the travel.
TEST(Dankowicz, IsDahlThroughTheCoupling) {
  Body body(Dankowicz<>{});
  Body dahl(Dahl<>{});
  Draw draw(22);
  double travel = 0;
  for (int i = 0; i < 3000; ++i) {
    const double load = draw.uniform(-2, 2), dt = draw.log_uniform(1e-4, 1e-2);
    body.push(load, dt);
    dahl.push(load, dt);
    travel += std::abs(body.v) * dt;
    ASSERT_NEAR(dahl.x, body.x, 1e-12 * travel) << i;
    ASSERT_NEAR(dahl.F, body.F, 1e-9) << i;
  }
  EXPECT_GT(travel, 0.01);  // a thousand times delta
}

namespace {

/// A mass on a spring k to a wall, and the contact: the printed state equation with Newton's, in long double,
/// Runge-Kutta restarted at every turn.
template <class C> struct Slider {
  using L = long double;
  using Y = std::array<L, 4>;  // x, v, z, work
  C c;
  L k, wall, t = 0;
  Y y{};

  L force(const Y& s) const { return c.force({s[2]}, {}, {.v = s[1]}); }
  Y slope(const Y& s) const {
    const L F = force(s);
    return {s[1], k * (wall - s[0]) - F, c.rate({s[2]}, {}, {.v = s[1]}).z, F * s[1]};
  }
  static Y add(Y a, const Y& d, L h) {
    for (std::size_t i = 0; i < 4; ++i) a[i] += h * d[i];
    return a;
  }
  Y stepped(L h) const {
    const Y a = slope(y), b = slope(add(y, a, h / 2)), e = slope(add(y, b, h / 2)), f = slope(add(y, e, h));
    return add(add(add(add(y, a, h / 6), b, h / 3), e, h / 3), f, h / 6);
  }
  /// By h, or to the turn if there is one before; true at a turn.
  bool advance(L h) {
    Y next = stepped(h);
    const bool turns = (y[1] > 0 && next[1] < 0) || (y[1] < 0 && next[1] > 0);
    for (int i = 0; turns && i < 8 && next[1] != 0; ++i) {  // Newton from the far side: v is nearly linear in a step
      h -= next[1] / slope(next)[1];
      next = stepped(h);
    }
    y = next;
    t += h;
    if (turns) y[1] = 0;
    return turns;
  }
  void until(L end, L h) {
    while (end - t > std::numeric_limits<L>::epsilon() * 10) advance(std::min(h, end - t));
  }
};

}  // namespace

/// andersson2007 eq (14) has C Z with Z in units of delta: Fc = C, delta = 1, k = m = 1, wall at X0. First reversal,
/// reference values for C = 10, X0 = 50, to the printed digits.
TEST(Dankowicz, FirstTurnOfTheNondimensionalSystem) {
  Slider<Dankowicz<long double>> body{{{.Fc = 10, .delta = 1}}, 1, 50};
  for (int i = 0; i < 10000 && !body.advance(1e-3L); ++i) {}
  EXPECT_NEAR(static_cast<double>(body.t), 3.09709504646, 0.5e-11);
  EXPECT_NEAR(static_cast<double>(body.y[0]), 80.249223595, 0.5e-9);
}

/// Wall step of 0.1 m, m = 1, k = 100, Fc = 0.981, delta = 1e-5, reference values to the printed digits.
TEST(Dankowicz, WallStepOfTheReference) {
  Slider<Dankowicz<long double>> body{{{.Fc = 0.981L, .delta = 1e-5L}}, 100, 0.1L};
  body.until(1, 5e-6L);
  EXPECT_NEAR(static_cast<double>(body.y[0]), 0.13572119931, 0.5e-11);
  EXPECT_NEAR(static_cast<double>(body.y[1]), -0.176367438, 0.5e-9);
  body.until(5, 5e-6L);
  EXPECT_NEAR(static_cast<double>(body.y[0]), 0.1018857968, 0.5e-10);
  EXPECT_NEAR(static_cast<double>(body.force(body.y)), -0.18582607, 0.5e-8);
  EXPECT_NEAR(static_cast<double>(body.y[3]), 0.4998221885, 0.5e-10);
}

TEST(StribeckDankowicz, WallStepOfTheReference) {
  Slider<StribeckDankowicz<long double>> body{
      {{.Fc = 0.981L, .Fs = 1.4715L, .vs = 0.01L, .delta = 1e-5L, .kv = 0.4L}}, 100, 0.1L};
  body.until(1, 5e-6L);
  EXPECT_NEAR(static_cast<double>(body.y[0]), 0.12567361105, 0.5e-11);
  EXPECT_NEAR(static_cast<double>(body.y[1]), -0.110011208, 0.5e-9);
  body.until(5, 5e-6L);
  EXPECT_NEAR(static_cast<double>(body.y[0]), 0.091763894688, 0.5e-12);
  EXPECT_NEAR(static_cast<double>(body.force(body.y)), 0.821390124, 0.5e-9);
  EXPECT_NEAR(static_cast<double>(body.y[3]), 0.4966083284, 0.5e-10);
}

/// The same through the coupling: first-order steps, two powers of dt removed, leave 1e-8 m at 1 s, before it rings.
TEST(Dankowicz, CouplingConvergesToTheReference) {
  auto x = [](double dt) {
    Body body(Dankowicz<>{{.Fc = 0.981, .delta = 1e-5}});
    for (int i = 0; i < std::lround(1 / dt); ++i) body.pull(100, 0.1, dt);
    return body.x;
  };
  EXPECT_NEAR((x(1e-4) - 6 * x(5e-5) + 8 * x(2.5e-5)) / 3, 0.13572119931, 1e-8);
}
