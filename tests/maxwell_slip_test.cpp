/// Maxwell-slip and GMS without a Stribeck effect: hysteresis with nonlocal memory, exact at any rate and step.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "bristle/models/gms.hpp"
#include "bristle/models/maxwell_slip.hpp"
#include "support/drive.hpp"
#include "support/flow.hpp"
#include "support/random.hpp"

using namespace bristle;

namespace {
/// The elements yield at W/k = 2.5, 7.5, 15 and 37.5 um.
const Vec<double> k{4e4, 3e4, 2e4, 1e4}, W{0.1, 0.225, 0.3, 0.375};
constexpr double um = 1e-6;
}  // namespace

template <class C> class Hysteresis : public ::testing::Test {
 public:
  static C contact() {
    if constexpr (requires(C c) { c.p.nu; }) {
      return {{.Fc = 1, .Fs = 1, .k = k, .nu = W}};
    } else {
      return {{.k = k, .W = W}};
    }
  }
  /// Visits the points in turn at some speed, from micrometres to metres per second, in one to seven steps each.
  static Mover<C> visit(const std::vector<double>& points, Draw& draw, Mover<C> body = Mover(contact())) {
    for (const double x : points) body.go(x, draw.log_uniform(1e-6, 1), 1 + static_cast<int>(draw.uniform(0, 7)));
    return body;
  }
  static double virgin(double x) {
    Draw draw(1);
    return static_cast<double>(visit({x}, draw).F);
  }
  static void expect_same(const Mover<C>& a, const Mover<C>& b) {
    for (std::size_t i = 0; i < k.n; ++i) EXPECT_NEAR(a.s.f[i], b.s.f[i], 1e-12) << "element " << i;
  }
};
using WithMemory = ::testing::Types<MaxwellSlip<>, Gms<>>;
TYPED_TEST_SUITE(Hysteresis, WithMemory);

/// Stiffnesses 10, 6, 3, 1e4 N/m between the yield points: at 5 um 0.1 + 0.15 + 0.1 + 0.05 N.
TYPED_TEST(Hysteresis, VirginCurveIsPiecewiseLinear) {
  EXPECT_NEAR(this->virgin(2.5 * um), 0.25, 1e-15);
  EXPECT_NEAR(this->virgin(5 * um), 0.4, 1e-15);
  EXPECT_NEAR(this->virgin(7.5 * um), 0.55, 1e-15);
  EXPECT_NEAR(this->virgin(15 * um), 0.775, 1e-15);
  EXPECT_NEAR(this->virgin(37.5 * um), 1, 1e-15);
  EXPECT_NEAR(this->virgin(-1000 * um), -1, 1e-15);
}

/// After a reversal at 50 um, the curve above with twice its size and the opposite sign: kinks after 5, 15, 30 and 75 um.
TYPED_TEST(Hysteresis, UnloadingCurveByHand) {
  Draw draw(2);
  const auto top = this->visit({50 * um}, draw);
  const double points[][2] = {{45, 0.5}, {35, -0.1}, {20, -0.55}, {-25, -1}, {-40, -1}};
  for (const auto& [x, F] : points) EXPECT_NEAR(this->visit({x * um}, draw, top).F, F, 1e-14) << x;
}

/// Each element that yields dissipates 4 W (30 um - W/k): 4 (0.1 * 27.5 + 0.225 * 22.5 + 0.3 * 15) um = 49.25 uJ, and
/// the fourth stays elastic. Steps of 0.5 um meet every kink, so trapezoids are exact.
TYPED_TEST(Hysteresis, LoopDissipatesTheReferenceEnergy) {
  Mover body(this->contact());
  double F = body.go(30 * um, 1e-3, 1), work = 0;
  for (const double v : {-1e-3, 1e-3}) {
    for (int i = 0; i < 120; ++i) {
      const double next = body.move(v, 0.5e-3);
      work += 0.5 * (F + next) * v * 0.5e-3;
      F = next;
    }
  }
  EXPECT_NEAR(work, 4.925e-5, 1e-17);  // 240 roundings of 0.5 uJ
}

/// Masing: every branch is the virgin curve doubled, from its turning point on.
TYPED_TEST(Hysteresis, MasingsRule) {
  Draw draw(3);
  for (int n = 0; n < 200; ++n) {
    const double top = draw.uniform(1, 60) * um, bottom = draw.uniform(-top, top), x = draw.uniform(bottom, top);
    const auto up = this->visit({top}, draw);
    EXPECT_NEAR(this->visit({x}, draw, up).F, up.F - 2 * this->virgin((top - x) / 2), 1e-12);
    const auto down = this->visit({bottom}, draw, up);
    EXPECT_NEAR(this->visit({x}, draw, down).F, down.F + 2 * this->virgin((x - bottom) / 2), 1e-12);
  }
}

/// Return-point memory: an excursion, itself with excursions, leaves no trace once it is back at its turning point, in
/// the force and in every element; nor in what follows.
TYPED_TEST(Hysteresis, ReturnPointMemory) {
  Draw draw(4);
  for (int n = 0; n < 200; ++n) {
    const double a = draw.uniform(-60, 60) * um, b = draw.uniform(-60, 60) * um, c = draw.uniform(a, b),
                 d = draw.uniform(c, b);
    const double e = draw.uniform(c, d), beyond = b + (b - a) * draw.uniform();
    const auto before = this->visit({a, b}, draw), after = this->visit({c, d, e, d, c, b}, draw, before);
    this->expect_same(before, after);
    this->expect_same(this->visit({beyond}, draw, before), this->visit({beyond}, draw, after));
  }
}

/// Wiping-out: a larger excursion erases smaller ones before it; beyond all of them only the virgin curve is left.
TYPED_TEST(Hysteresis, WipingOut) {
  Draw draw(5);
  for (int n = 0; n < 200; ++n) {
    const double A = draw.uniform(20, 60) * um, B = -A * draw.uniform(), a = draw.uniform(B, A), b = draw.uniform(B, a);
    const double further = draw.uniform(a, A), all = A * draw.uniform(1, 2);
    this->expect_same(this->visit({A, B, a, b, further}, draw), this->visit({A, B, further}, draw));
    this->expect_same(this->visit({A, B, a, b, all}, draw), this->visit({all}, draw));
  }
}

/// GMS with Fs = Fc is Maxwell-slip at any rate, rests included. Both clamp the same sums: equal to a rounding of 1 N.
TEST(MaxwellSlip, IsGmsWithoutStribeckEffect) {
  Mover plain(Hysteresis<MaxwellSlip<>>::contact());
  Mover general(Hysteresis<Gms<>>::contact());
  Draw draw(6);
  for (int i = 0; i < 20000; ++i) {
    const double v = draw.chance(0.1) ? 0 : draw.sign() * draw.log_uniform(1e-9, 10),
                 way = draw.log_uniform(1e-8, 1e-4);
    const double dt = v == 0 ? draw.log_uniform(1e-6, 10) : way / std::abs(v);
    ASSERT_NEAR(plain.move(v, dt), general.move(v, dt), 3e-16) << i;
  }
}

/// Leaving rest, four yields, a reversal and four yields again; the last element holds below 37.5 um.
TEST(MaxwellSlip, GuardsAnnounceEveryYieldAndReversal) {
  using L = long double;
  FlowIntegrator<MaxwellSlip<L>> flow(rebind<L>(Hysteresis<MaxwellSlip<>>::contact()));
  const auto forth = [](L) { return 1e-3L; };
  const auto back = [](L) { return -1e-3L; };
  flow.advance(forth, 36e-3L, 50);
  EXPECT_EQ(flow.events, 4);
  EXPECT_EQ(flow.q.slipping, 0b0111u);
  flow.advance(forth, 4e-3L, 10);
  EXPECT_EQ(flow.events, 5);
  EXPECT_EQ(flow.q.slipping, 0b1111u);
  flow.advance(back, 20e-3L, 30);  // two yield after 5 and 15 um, twice their virgin travel
  EXPECT_EQ(flow.events, 8);
  EXPECT_EQ(flow.q.slipping, 0b0011u);
}

TEST(MaxwellSlip, NormalLoadScalesTheDryPartAlone) {
  const MaxwellSlip<> c{{.k = {1e4, 1e4}, .W = {1, 2}, .kv = 0.5}};
  EXPECT_EQ(c.force({{0.75, -0.25}}, {}, {.v = 4, .r = 3}), 3.5);  // 3 * 0.5 + 0.5 * 4
  EXPECT_EQ(c.steady(-2), -4);
}

TEST(MaxwellSlip, OneAndSixtyFourElements) {
  Mover one(MaxwellSlip<>{{.k = {2e4}, .W = {0.5}}});
  EXPECT_DOUBLE_EQ(one.move(1e-3, 0.02), 0.4);
  EXPECT_EQ(one.move(1e-3, 0.02), 0.5);
  EXPECT_DOUBLE_EQ(one.move(-1e-3, 0.02), 0.1);

  MaxwellSlip<> many;
  many.p.k = many.p.W = Vec<double>::zeros(64);
  for (std::size_t i = 0; i < 64; ++i) {
    many.p.k[i] = 1e4;
    many.p.W[i] = 1e-2 * static_cast<double>(i + 1);  // yields after i + 1 um
  }
  Mover body(many);
  EXPECT_NEAR(body.move(1e-3, 0.0325), 5.28 + 10.4, 1e-13);  // 32 have yielded at sum W = 5.28; 32 carry 0.325 each
  EXPECT_NEAR(body.move(1, 1), 20.8, 1e-13);                 // 0.01 * 64 * 65/2
  EXPECT_EQ(body.q.slipping, ~std::uint64_t{0});
}
