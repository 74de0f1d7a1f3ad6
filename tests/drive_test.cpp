/// Drives: values by hand, exact derivatives, exact corners.
#include "bristle/simulate/drive.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/random.hpp"

using namespace bristle;

namespace {

using Shape = decltype(Term::shape);
Drive one(Shape shape, double soft_start = 0) { return {DriveOf::position, {{std::move(shape), 0}}, soft_start}; }

/// Every kind, alone, softly started and in sums.
std::vector<Drive> zoo() {
  const std::vector<Shape> shapes{
      Constant{2},          StepAt{0.7, 3},     Ramp{-0.4, 1}, Sine{2, 0.8, 0.3, -1},
      Chirp{1, 0.2, 3, 2},  Triangle{1.5, 0.9}, StepAt{0, -1}, Points{{0.5, 1, 2.25}, {1, -2, 4}},
      Chirp{2, 4, 0, 1.25}, Points{{1}, {3}}};
  std::vector<Drive> out;
  for (const Shape& s : shapes) {
    out.push_back(one(s));
    out.push_back(one(s, 1.7));
    out.push_back({DriveOf::position, {{s, 0.9}, {Sine{0.5, 2, 0, 0}, 0}, {Triangle{1, 0.35}, 0.4}}, 2.1});
  }
  return out;
}

/// All corners up to `end`; each must be later than the one before.
std::vector<double> corners(const Drive& d, double end) {
  std::vector<double> out;
  for (double t = 0; (t = d.next_corner(t)) < end;) {
    EXPECT_GT(t, out.empty() ? 0 : out.back());
    out.push_back(t);
    if (out.size() > 1000) break;
  }
  return out;
}

}  // namespace

/// Values as the contract words them.
TEST(Drive, ValuesByHand) {
  EXPECT_EQ(one(Constant{2}).at(5).value, 2);
  EXPECT_EQ(one(StepAt{1, 3}).at(0.999).value, 0);
  EXPECT_EQ(one(StepAt{1, 3}).at(1).value, 3);
  EXPECT_EQ(one(StepAt{0, 3}).at(0).value, 3);  // at 0 it already holds
  EXPECT_EQ(one(Ramp{0.5, 1}).at(4).value, 3);
  EXPECT_DOUBLE_EQ(one(Sine{2, 0.25, 0, 1}).at(1).value, 3);  // a quarter period
  EXPECT_DOUBLE_EQ(one(Sine{2, 0.25, two_pi / 4, 1}).at(0).value, 3);
  // Chirp: phase 2 pi (f0 t + (f1 - f0) t^2/(2 T)): at T half of f0 + f1 turns are done, from there f1 turns a second.
  const Drive chirp = one(Chirp{1, 1, 2.5, 3});
  EXPECT_NEAR(chirp.at(1).value, std::sin(two_pi * 1.25), 1e-14);
  EXPECT_NEAR(chirp.at(3).value, std::sin(two_pi * 5.25), 1e-14);
  EXPECT_NEAR(chirp.at(3.1).value, std::sin(two_pi * 5.5), 1e-14);
  EXPECT_NEAR(one(Chirp{1, 3, 1, 2}).at(1).value, std::sin(two_pi * 2.5), 1e-14);
  // A triangle starts at 0 and rises: +1 after a quarter, -1 after three.
  const Drive triangle = one(Triangle{2, 0.5});
  EXPECT_DOUBLE_EQ(triangle.at(0).value, 0);
  EXPECT_DOUBLE_EQ(triangle.at(0.25).value, 1);
  EXPECT_DOUBLE_EQ(triangle.at(0.5).value, 2);
  EXPECT_DOUBLE_EQ(triangle.at(1).value, 0);
  EXPECT_DOUBLE_EQ(triangle.at(1.5).value, -2);
  EXPECT_DOUBLE_EQ(triangle.at(2).value, 0);
  const Drive points = one(Points{{1, 2, 4}, {5, 7, 3}});
  EXPECT_DOUBLE_EQ(points.at(0).value, 5);
  EXPECT_DOUBLE_EQ(points.at(1.5).value, 6);
  EXPECT_DOUBLE_EQ(points.at(3).value, 5);
  EXPECT_DOUBLE_EQ(points.at(9).value, 3);
}

/// sin^2(pi t/2T): 0, a half at T/2, 1 from T on. A term's own start and that of the sum multiply.
TEST(Drive, SoftStart) {
  const Drive soft = one(Constant{4}, 2);
  EXPECT_EQ(soft.at(0).value, 0);
  EXPECT_DOUBLE_EQ(soft.at(1).value, 2);
  EXPECT_DOUBLE_EQ(soft.at(0.5).value, 4 * std::pow(std::sin(two_pi / 16), 2));
  EXPECT_EQ(soft.at(2).value, 4);
  EXPECT_EQ(soft.at(3).value, 4);
  const Drive both{DriveOf::force, {{Constant{4}, 2}, {Ramp{1, 0}, 0}}, 4};
  EXPECT_DOUBLE_EQ(both.at(1).value, (2 + 1) * std::pow(std::sin(two_pi / 16), 2));
}

/// Rates against central differences inside the smooth pieces: errors of h^2 f'''/6 and h^2 f''''/12 and rounding over h
/// and h^2. The swings here have omega < 30, amplitudes < 10.
TEST(Drive, RatesAreTheDerivatives) {
  Draw draw(1);
  for (const Drive& d : zoo()) {
    for (int n = 0; n < 40; ++n) {
      const double t = draw.uniform(0.01, 3), h = 1e-4;
      if (d.next_corner(t - h) < t + h) continue;
      const double a = d.at(t - h, t).value, b = d.at(t, t).value, c = d.at(t + h, t).value;
      EXPECT_NEAR(d.at(t).rate, (c - a) / (2 * h), 5e-4) << t;
      EXPECT_NEAR(d.at(t).rate2, (d.at(t + h, t).rate - d.at(t - h, t).rate) / (2 * h), 2e-2) << t;
      EXPECT_NEAR(d.at(t).rate2, (c - 2 * b + a) / (h * h), 2e-2) << t;
    }
  }
}

/// The two pieces at a corner: each is the smooth continuation of its own side.
TEST(Drive, PiecesContinueOverTheirCorners) {
  for (const Drive& d : zoo()) {
    std::vector<double> ends = corners(d, 4);
    ends.insert(ends.begin(), 0);
    ends.push_back(4);
    for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
      const double inside = (ends[i] + ends[i + 1]) / 2, h = 1e-3 * (ends[i + 1] - ends[i]);
      for (const auto& [edge, way] : {std::pair{ends[i], h}, std::pair{ends[i + 1], -h}}) {
        const Signal at = d.at(edge, inside), near = d.at(edge + way, inside);
        const double taylor = at.value + way * at.rate + way * way / 2 * at.rate2;
        EXPECT_NEAR(near.value, taylor, 1e4 * h * h * h + 1e-12) << edge;
        EXPECT_NEAR(d.at(edge + way).value, near.value, 1e-15) << edge;  // and it is what holds there
      }
    }
  }
}

TEST(Drive, Corners) {
  EXPECT_EQ(one(Ramp{1, 0}).next_corner(0), inf);
  EXPECT_EQ(one(Sine{1, 1, 0, 0}).next_corner(3), inf);
  EXPECT_EQ(one(StepAt{2, 1}).next_corner(0), 2);
  EXPECT_EQ(one(StepAt{2, 1}).next_corner(2), inf);
  EXPECT_EQ(one(StepAt{0, 1}).next_corner(0), inf);
  EXPECT_EQ(one(Chirp{1, 1, 2, 3}).next_corner(1), 3);
  EXPECT_EQ(one(Sine{1, 1, 0, 0}, 5).next_corner(1), 5);
  EXPECT_EQ(corners(one(Points{{0, 1, 2.5}, {1, 2, 3}}), 9), (std::vector<double>{1, 2.5}));
  const std::vector<double> turns = corners(one(Triangle{1, 0.5}), 4.6);
  EXPECT_EQ(turns, (std::vector{0.5, 1.5, 2.5, 3.5, 4.5}));
  const Drive sum{DriveOf::position, {{StepAt{2, 1}, 0}, {Triangle{1, 0.25}, 1.5}}, 0.5};
  EXPECT_EQ(corners(sum, 4), (std::vector<double>{0.5, 1, 1.5, 2, 3}));
}

/// Strictly increasing corners and sane values for frequencies that do not divide, and so late that neighbouring
/// corners are a few rounding errors apart.
TEST(Drive, CornersAdvanceAtAnyTime) {
  for (const double frequency : {0.1, 1.0 / 3, 7.0, 1e3 / 7, 1e9}) {
    const Drive d = one(Triangle{2, frequency});
    for (const double start : {0.0, 1.0, 12345.678, 1e9, 4e15 / frequency}) {
      double t = start;
      for (int n = 0; n < 200; ++n) {
        const double next = d.next_corner(t);
        ASSERT_GT(next, t) << frequency << " " << start;
        ASSERT_LE(next - t, 0.5 / frequency + 4e-16 * next) << frequency << " " << start;
        EXPECT_LE(std::abs(d.at(t, (t + next) / 2).value), 2 + 1e-14 * t * frequency);  // slope times the spacing of t
        t = next;
      }
    }
  }
  EXPECT_TRUE(std::isfinite(one(Sine{1, 3, 0, 0}).at(1e12).value));
  EXPECT_EQ(one(Points{{0, 1}, {1, 2}}).at(1e300).value, 2);
}

TEST(Drive, OnlyStepsJump) {
  EXPECT_FALSE(one(StepAt{0, 1}).first_jump());
  EXPECT_FALSE(one(StepAt{2, 0}).first_jump());
  EXPECT_FALSE(one(Triangle{1, 1}).first_jump());
  EXPECT_FALSE(one(Points{{0, 1}, {1, 9}}).first_jump());
  const Drive two{DriveOf::position, {{StepAt{3, 1}, 0}, {StepAt{2, -1}, 0}}};
  ASSERT_TRUE(two.first_jump());
  EXPECT_EQ(*two.first_jump(), 2);
  EXPECT_FALSE(two.first_jump(1.9));
  EXPECT_TRUE(two.first_jump(2));
  // Steps at the same time that cancel, also in binary fractions, and one that a soft start leaves a part of.
  const Drive none{DriveOf::position, {{StepAt{2, 0.1}, 0}, {StepAt{2, 0.2}, 0}, {StepAt{2, -0.3}, 0}}};
  EXPECT_FALSE(none.first_jump());
  const Drive part{DriveOf::position, {{StepAt{2, 1}, 0}, {StepAt{2, -1}, 5}}};
  EXPECT_EQ(part.first_jump(), 2);
  EXPECT_EQ(one(StepAt{2, 1}, 5).first_jump(), 2);
}

/// A step must not be longer than the swings it has to see.
TEST(Drive, LongestStep) {
  EXPECT_EQ(one(Ramp{1, 0}).longest_step(0), inf);
  EXPECT_LE(one(Sine{1, 50, 0, 0}).longest_step(0), 0.25 / 50);
  EXPECT_LE(one(Chirp{1, 0, 40, 9}).longest_step(8), 0.25 / 40);
  EXPECT_LE(one(Constant{1}, 0.1).longest_step(0.05), 0.05);
  EXPECT_EQ(one(Constant{1}, 0.1).longest_step(0.1), inf);
}
