/// Moves and random signals as drives: closed forms, limits, exact corners and derivatives.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <set>

#include "bristle/simulate/drive.hpp"
#include "support/random.hpp"

using namespace bristle;

namespace {

using Shape = decltype(Term::shape);
Drive one(Shape shape, double soft_start = 0) { return {DriveOf::position, {{std::move(shape), 0}}, soft_start}; }
MinimumJerk minimum_jerk(std::vector<double> points, std::vector<double> times) {
  return {{std::move(points), std::move(times)}};
}
PointToPoint point_to_point(std::vector<double> points, std::vector<double> times) {
  return {{std::move(points), std::move(times)}};
}

std::vector<double> corners(const Drive& d, double end = inf) {
  std::vector<double> out;
  for (double t = d.next_corner(0); t < end; t = d.next_corner(t)) {
    EXPECT_GT(t, out.empty() ? -inf : out.back());
    out.push_back(t);
    if (out.size() > 5000) break;
  }
  return out;
}
double before(double t) { return std::nextafter(t, -inf); }

/// Largest values of the derivatives over a move; differences of the second derivative for the jerk.
struct Most {
  double v{}, a{}, j{};
};
Most most_of(const Drive& d, double end) {
  Most out;
  const int n = 4001;
  const double h = end / n;
  for (int i = 0; i < n; ++i) {
    const double t = (i + 0.5) * h;
    const Signal s = d.at(t);
    out.v = std::max(out.v, std::abs(s.rate));
    out.a = std::max(out.a, std::abs(s.rate2));
    const double d3 = (d.at(t + 1e-4 * h, t).rate2 - d.at(t - 1e-4 * h, t).rate2) / (2e-4 * h);
    out.j = std::max(out.j, std::abs(d3));
  }
  return out;
}

/// The integral of the rate, by Simpson's rule, exact for the polynomials up to third order and close for fourth.
double travelled(const Drive& d, double from, double to) {
  double sum = 0, a = from;
  while (a < to) {
    const double b = std::min(d.next_corner(a), to), mid = (a + b) / 2;
    const int n = 64;
    for (int i = 0; i < n; ++i) {
      const double p = a + (b - a) * i / n, q = a + (b - a) * (i + 1) / n;
      sum += (q - p) / 6 * (d.at(p, mid).rate + 4 * d.at((p + q) / 2, mid).rate + d.at(q, mid).rate);
    }
    a = b;
  }
  return sum;
}

}  // namespace

/// Distance 1, velocity 0.5, acceleration 1: 0.5 s up, 1.5 s at 0.5 m/s, 0.5 s down.
TEST(Profiles, TrapezoidByHand) {
  const Drive d = one(Trapezoid{1, 0.5, 1});
  EXPECT_EQ(corners(d), (std::vector<double>{0.5, 2, 2.5}));
  EXPECT_DOUBLE_EQ(d.at(0.5).value, 0.125);
  EXPECT_DOUBLE_EQ(d.at(1).value, 0.375);
  EXPECT_DOUBLE_EQ(d.at(1).rate, 0.5);
  EXPECT_DOUBLE_EQ(d.at(2).value, 0.875);
  EXPECT_EQ(d.at(2.5).value, 1);
  EXPECT_EQ(d.at(2.5, before(2.5)).rate, 0);
  EXPECT_EQ(d.at(9).value, 1);
  EXPECT_DOUBLE_EQ(d.at(0.1).rate2, 1);
  EXPECT_DOUBLE_EQ(d.at(2.4).rate2, -1);
  EXPECT_TRUE(d.straight(1));
  EXPECT_FALSE(d.straight(0.2));
  // Too short for the velocity: a triangle with the peak sqrt(a d) after sqrt(d/a).
  const Drive short_move = one(Trapezoid{-0.04, 0.5, 1});
  EXPECT_EQ(corners(short_move), (std::vector<double>{0.2, 0.4}));
  EXPECT_DOUBLE_EQ(short_move.at(0.2).rate, -0.2);
  EXPECT_DOUBLE_EQ(short_move.at(0.2).value, -0.02);
  EXPECT_EQ(short_move.at(0.4).value, -0.04);
  EXPECT_EQ(one(Trapezoid{0, 1, 1}).at(1).value, 0);
}

/// Distance 10, velocity 2, acceleration 2, jerk 4: bent pieces of 0.5 s, constant acceleration 0.5 s, so 1.5 s up with
/// 1.5 m, 3.5 s of constant velocity.
TEST(Profiles, SCurveByHand) {
  const Drive d = one(SCurve{10, 2, 2, 4});
  const std::vector<double> all{0.5, 1, 1.5, 5, 5.5, 6, 6.5};
  const auto found = corners(d);
  ASSERT_EQ(found.size(), all.size());
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_NEAR(found[i], all[i], 1e-14);
  EXPECT_DOUBLE_EQ(d.at(0.5).value, 4 * 0.125 / 6);
  EXPECT_DOUBLE_EQ(d.at(0.75).rate2, 2);
  EXPECT_DOUBLE_EQ(d.at(1.5).value, 1.5);
  EXPECT_DOUBLE_EQ(d.at(1.5).rate, 2);
  EXPECT_EQ(d.at(6.5).value, 10);
  EXPECT_EQ(d.at(6.5, 6.4).rate, 0);
  EXPECT_EQ(d.at(6.5, 6.4).rate2, 0);
}

/// Half way after half the time; the largest velocity is 15/8 D/T, the largest acceleration 10/sqrt(3) D/T^2.
TEST(Profiles, MinimumJerkByHand) {
  const Drive d = one(minimum_jerk({1, 3, 3, -1}, {1, 3, 4, 5}));
  EXPECT_EQ(d.at(0).value, 1);
  EXPECT_DOUBLE_EQ(d.at(2).value, 2);
  EXPECT_DOUBLE_EQ(d.at(2).rate, 15.0 / 8 * 2 / 2);
  EXPECT_NEAR(d.at(2).rate2, 0, 1e-14);
  EXPECT_EQ(d.at(3.5).value, 3);
  EXPECT_EQ(d.at(3.5).rate, 0);
  EXPECT_DOUBLE_EQ(d.at(4.5).value, 1);
  EXPECT_EQ(d.at(5).value, -1);
  EXPECT_EQ(d.at(7).value, -1);
  for (const double t : {1.0, 3.0, 4.0, 5.0}) {
    EXPECT_EQ(d.at(t).rate, 0) << t;
    EXPECT_EQ(d.at(t, before(t)).rate, 0) << t;
    EXPECT_EQ(d.at(t, before(t)).rate2, 0) << t;
  }
  const double peak = 1 + 2 * (0.5 - std::sqrt(3) / 6);  // of the acceleration
  EXPECT_NEAR(d.at(peak).rate2, 10 / std::sqrt(3) * 2 / 4, 1e-12);
  EXPECT_EQ(corners(d), (std::vector<double>{1, 3, 4, 5}));
}

/// Thirds of the time: 1.5 D/T in the middle, 4.5 D/T^2 at both ends.
TEST(Profiles, PointToPointByHand) {
  const Drive d = one(point_to_point({0, 6, 0}, {0, 3, 9}));
  EXPECT_DOUBLE_EQ(d.at(1.5).rate, 3);
  EXPECT_DOUBLE_EQ(d.at(0.5).rate2, 3);
  EXPECT_DOUBLE_EQ(d.at(1).value, 1.5);
  EXPECT_DOUBLE_EQ(d.at(2).value, 4.5);
  EXPECT_EQ(d.at(3).value, 6);
  EXPECT_DOUBLE_EQ(d.at(6).rate, -1.5);
  EXPECT_EQ(d.at(9).value, 0);
  EXPECT_EQ(corners(d), (std::vector<double>{1, 2, 3, 5, 7, 9}));
}

TEST(Profiles, StaircaseByHand) {
  const Drive d = one(Staircase{0.5, 2, 3});
  EXPECT_EQ(d.at(0).value, 0);
  EXPECT_EQ(d.at(1.999).value, 0);
  EXPECT_EQ(d.at(2).value, 0.5);
  EXPECT_EQ(d.at(5.9).value, 1);
  EXPECT_EQ(d.at(6).value, 1.5);
  EXPECT_EQ(d.at(1e9).value, 1.5);
  EXPECT_EQ(corners(d), (std::vector<double>{2, 4, 6}));
  EXPECT_EQ(d.first_jump(), 2);
  EXPECT_FALSE(d.first_jump(1.9));
  EXPECT_FALSE(one(Staircase{0, 2, 3}).first_jump());
  // Products of a length without a binary form are the corners themselves.
  const Drive tenth = one(Staircase{1, 0.1, 1000});
  const auto all = corners(tenth);
  ASSERT_EQ(all.size(), 1000U);
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(all[i], static_cast<double>(i + 1) * 0.1);
    EXPECT_EQ(tenth.at(all[i]).value, static_cast<double>(i + 1));
    EXPECT_EQ(tenth.at(before(all[i])).value, static_cast<double>(i));
  }
}

/// Both values are equally likely and independent from bit to bit: over n bits, sums deviate by a few sqrt(n). Corners are the
/// changes alone. The seed decides, and nothing else.
TEST(Profiles, PrbsIsBalancedAndReproducible) {
  const int n = 20000;
  for (const int seed : {0, 1, 2147483647}) {
    const Drive d = one(Prbs{2, 0.1, seed}), again = one(Prbs{2, 0.1, seed});
    double sum = 0, product = 0;
    int changes = 0;
    for (int i = 0; i < n; ++i) {
      const double a = d.at(0.1 * (i + 0.5)).value, b = d.at(0.1 * (i + 1.5)).value;
      EXPECT_EQ(std::abs(a), 2);
      EXPECT_EQ(a, again.at(0.1 * (i + 0.5)).value);
      sum += a / 2;
      product += a * b / 4;
      changes += i + 1 < n && a != b;
    }
    EXPECT_LT(std::abs(sum), 4 * std::sqrt(n)) << seed;
    EXPECT_LT(std::abs(product), 4 * std::sqrt(n)) << seed;
    int found = 0;
    for (double t = d.next_corner(0); t < 0.1 * (n - 0.5); t = d.next_corner(t)) {
      EXPECT_EQ(d.at(t).value, -d.at(before(t)).value);
      ++found;
    }
    EXPECT_EQ(found, changes);
  }
  std::set<double> signs;
  for (int i = 0; i < 40; ++i) signs.insert(one(Prbs{1, 1, 1}).at(i).value * one(Prbs{1, 1, 2}).at(i).value);
  EXPECT_EQ(signs.size(), 2U);
  ASSERT_TRUE(one(Prbs{1, 1, 5}).first_jump());
  EXPECT_FALSE(one(Prbs{0, 1, 5}).first_jump());
}

/// Two equal signals of opposite sign cancel for ever.
TEST(Profiles, JumpsThatCancel) {
  const Drive none{DriveOf::position, {{Prbs{1, 1, 5}, 0}, {Prbs{-1, 1, 5}, 0}}};
  EXPECT_FALSE(none.first_jump());
  const Drive half{DriveOf::position, {{Staircase{1, 1, 3}, 0}, {StepAt{1, -1}, 0}}};
  EXPECT_EQ(half.first_jump(), 2);
}

/// Random moves over many decades: they end where they should and when they come to rest, keep every limit, reach one of
/// them in every phase, and the integral of the velocity is the distance.
TEST(Profiles, LimitsAreKept) {
  Draw draw(7);
  for (int n = 0; n < 300; ++n) {
    const double D = draw.sign() * draw.log_uniform(1e-6, 1e3), V = draw.log_uniform(1e-4, 1e2),
                 A = draw.log_uniform(1e-3, 1e4), J = draw.log_uniform(1e-3, 1e6);
    for (const bool s_curve : {false, true}) {
      const Drive d = s_curve ? one(SCurve{D, V, A, J}) : one(Trapezoid{D, V, A});
      const auto all = corners(d);
      const double T = all.back();
      EXPECT_EQ(d.at(T).value, D);
      EXPECT_EQ(d.at(T, before(T)).rate, 0);
      EXPECT_EQ(d.at(0).value, 0);
      EXPECT_EQ(d.at(0).rate, 0);
      const Most most = most_of(d, T);
      EXPECT_LE(most.v, V * (1 + 1e-12));
      EXPECT_LE(most.a, A * (1 + 1e-9));
      if (s_curve) { EXPECT_LE(most.j, J * (1 + 1e-5)); }
      // The fastest move that these limits allow: the peak is V, or there is no constant velocity.
      if (most.v < 0.999 * V) { EXPECT_NEAR(d.at(T / 2).value, D / 2, 1e-12 * std::abs(D)); }
      EXPECT_NEAR(travelled(d, 0, T), D, 1e-11 * std::abs(D));
      const double rounding = 4 * epsilon<double> * T;  // of the times
      for (const double t : all) {  // value and velocity are continuous, with a jerk limit the acceleration too
        const Signal a = d.at(t, before(t)), b = d.at(t, t);
        EXPECT_NEAR(a.value, b.value, 1e-12 * std::abs(D) + rounding * V) << t / T;
        EXPECT_NEAR(a.rate, b.rate, 1e-12 * V + rounding * A) << t / T;
        if (s_curve) { EXPECT_NEAR(a.rate2, b.rate2, 1e-12 * A + rounding * J) << t / T; }
      }
    }
  }
}

/// An infinite jerk is a trapezoid.
TEST(Profiles, SCurveWithLargeJerkIsATrapezoid) {
  for (const double D : {0.01, 3.0}) {
    const Drive a = one(Trapezoid{D, 0.7, 2}), b = one(SCurve{D, 0.7, 2, 1e12});
    for (double t = 0; t < 6; t += 0.0371) EXPECT_NEAR(a.at(t).value, b.at(t).value, 1e-11) << t;
  }
}

/// Derivatives against differences, also in sums and with soft starts; values next to corners by Taylor's formula.
TEST(Profiles, DerivativesAreExact) {
  Draw draw(3);
  const std::vector<Shape> shapes{Staircase{0.5, 0.7, 4},
                                  Trapezoid{2, 1.5, 3},
                                  SCurve{-2, 1.5, 3, 8},
                                  minimum_jerk({0, 1, -1}, {0.3, 1.5, 2.6}),
                                  point_to_point({1, 0.5, 2}, {-0.4, 1.2, 2.2}),
                                  Prbs{1, 0.6, 4}};
  for (const Shape& s : shapes) {
    for (const Drive& d : {one(s), one(s, 1.1), Drive{DriveOf::position, {{s, 0.8}, {Sine{0.4, 1, 0.2, 0}, 0}}, 0}}) {
      for (int n = 0; n < 60; ++n) {
        const double t = draw.uniform(0.001, 3), h = 1e-4;
        if (d.next_corner(t - h) < t + h) continue;
        EXPECT_NEAR(d.at(t).rate, (d.at(t + h).value - d.at(t - h).value) / (2 * h), 1e-6) << t;
        EXPECT_NEAR(d.at(t).rate2, (d.at(t + h).rate - d.at(t - h).rate) / (2 * h), 1e-5) << t;
      }
      const double corner = d.next_corner(0.9);
      if (!d.straight(0.9) && corner < inf) { EXPECT_LE(d.longest_step(0.9), corner); }
    }
  }
}

/// The number of corners of a run is known before it is run.
TEST(Profiles, TooManyCorners) {
  EXPECT_GT(one(Prbs{1, 1e-30, 1}).corners_until(1), Drive::most_corners);
  EXPECT_GT(one(Triangle{1, 1e20}).corners_until(1), Drive::most_corners);
  EXPECT_LE(one(Staircase{1, 1e-30, 1000}).corners_until(1), 1000);
  EXPECT_EQ(one(Sine{1, 1e20, 0, 0}).corners_until(1), 0);
}
