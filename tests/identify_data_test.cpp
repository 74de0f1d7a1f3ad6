/// Measured files: problems of the rows, and velocities.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "data/smooth.hpp"
#include "support/recording.hpp"

using namespace bristle;
using namespace bristle::identify;

namespace {

// Rows

TEST(Rows, AGoodRecordingHasNoWarnings) {
  const Read read = reading_of(Bench{}.trace());
  EXPECT_TRUE(read.problems.empty());
  for (const Finding& f : read.findings) EXPECT_FALSE(f.warning) << f.text;
  EXPECT_NE(find(read, "4,000 rows, 3.999 s at 1000 Hz"), nullptr) << all(read);
  EXPECT_EQ(read.recording.name, "d");
  EXPECT_EQ(read.recording.stretches, std::vector<std::size_t>{0});
}

TEST(Rows, MissingAndRepeatedOnesAreLeftOut) {
  Trace t = Bench{}.trace();
  t.columns[2].values[100] = NAN;
  t.columns[1].values[101] = INFINITY;
  t.columns[0].values[200] = t.columns[0].values[199];
  const Read read = reading_of(t);
  EXPECT_EQ(read.recording.size(), 3997U);
  EXPECT_NE(find(read, "2 rows with missing values skipped"), nullptr) << all(read);
  EXPECT_NE(find(read, "1 row with repeated time skipped"), nullptr) << all(read);
  for (std::size_t i = 1; i < read.recording.t.size(); ++i) EXPECT_GT(read.recording.t[i], read.recording.t[i - 1]);
  t.columns.push_back({"temp_C", "", Series(4000, NAN)});
  EXPECT_EQ(reading_of(t).recording.size(), 3997U) << "rows are not lost for a temperature";
  EXPECT_TRUE(warns(reading_of(t), "values of T missing"));
}

TEST(Rows, TimeMustNotGoBackwards) {
  Trace t = Bench{}.trace();
  t.columns[0].values[41] = 0.02;
  const Read read = reading_of(t);
  ASSERT_EQ(read.problems.size(), 1U);
  EXPECT_EQ(read.problems[0].line(), "d.csv: row 42: t = 0.02 s follows t = 0.04 s; time must not decrease");
  EXPECT_EQ(read.recording.size(), 0U);
}

TEST(Rows, GapsBeginNewStretches) {
  Trace t = Bench{}.trace();
  erase_rows(t, 2000, 2300);
  erase_rows(t, 1000, 1100);
  const Read read = reading_of(t);
  EXPECT_EQ(read.recording.stretches, (std::vector<std::size_t>{0, 1000, 1900})) << all(read);
  EXPECT_TRUE(warns(read, "2 gaps, the longest 0.301 s"));
  // Nothing is carried across: the velocity is right up to the gap.
  for (const std::size_t i : {999U, 1000U, 1899U, 1900U})
    EXPECT_NEAR(read.recording.v[i], 0.01 * 2 * pi * std::cos(2 * pi * read.recording.t[i]), 1e-3) << i;
}

TEST(Rows, TooFewBetweenGaps) {
  Trace t = Bench{.rate = 10, .seconds = 1}.trace();
  for (std::size_t i = 5; i < 10; ++i) t.columns[0].values[i] += 100;
  EXPECT_EQ(reading_of(t).problems.at(0).line(),
            "d.csv: no segment of 8 rows without a gap; longer segments are required");
}

TEST(Rows, SpikesAreLeftOut) {
  Trace t = Bench{}.trace();
  t.columns[1].values[1234] += 0.005;
  const Read read = reading_of(t);
  EXPECT_TRUE(warns(read, "1 row skipped: spikes of position or velocity")) << all(read);
  EXPECT_EQ(read.recording.size(), 3999U);
  EXPECT_LT(largest_error(read.recording.v, reading_of(Bench{}.trace()).recording.v, 3000), 1e-3);
}

TEST(Rows, WrappedAnglesAreUnwrapped) {
  for (const double turn : {2 * pi, 360.0}) {
    Trace t = Bench{}.trace();
    t.columns[1].name = turn == 360 ? "angle_deg" : "angle_rad";
    for (std::size_t i = 0; i < 4000; ++i)
      t.columns[1].values[i] =
          std::fmod(turn * t.columns[0].values[i] * 1.3 + 1e-5 * std::sin(static_cast<double>(i)), turn);
    const Read read = reading_of(t);
    EXPECT_NE(find(read, "5 jumps"), nullptr) << all(read);
    EXPECT_NEAR(read.recording.v[2000], 2 * pi * 1.3, 0.1);
  }
}

TEST(Rows, ClippedSensorsAreSaid) {
  Trace t = Bench{}.trace();
  EXPECT_EQ(find(reading_of(t), "saturated sensor"), nullptr);
  for (double& f : t.columns[2].values) f = std::min(f, 2.25);
  EXPECT_TRUE(warns(reading_of(t), "F stays at its maximum 2.25")) << all(reading_of(t));
  t = Bench{.seconds = 10}.trace();
  std::fill_n(t.columns[2].values.begin() + 5000, 6, 2.5);
  EXPECT_EQ(find(reading_of(t), "saturated sensor"), nullptr) << "six of ten thousand samples";
  // A simulated law that is constant in sliding is no sensor at its limit.
  for (double& f : t.columns[2].values) f = f > 0 ? 2 : -2;
  EXPECT_EQ(find(reading_of(t), "saturated sensor"), nullptr);
}

TEST(Rows, ClippedPositionsAreSaid) {
  Trace t = Bench{}.trace();
  for (double& x : t.columns[1].values) x = std::max(x, -0.008);
  EXPECT_TRUE(warns(reading_of(t), "x stays at its minimum -0.008 for")) << all(reading_of(t));
  // Rest at the end of a stroke is none, also without noise.
  t = Bench{}.trace();
  for (std::size_t i = 0; i < 4000; ++i) {
    const double phase = std::fmod(t.columns[0].values[i], 2.0), stroke = 1 - std::cos(pi * std::min(phase, 1.0));
    t.columns[1].values[i] = t.columns[0].values[i] < 2 ? stroke : 2 - stroke;
  }
  EXPECT_EQ(find(reading_of(t), "saturated sensor"), nullptr) << all(reading_of(t));
}

/// Numbers too large for a sum of squares are reported with their cell, in any column; infinite ones count as missing.
TEST(Rows, NumbersTooLargeAreNamed) {
  for (const double x : {1e300, 1e200, -1e308, 1e160, 9.91e37}) {
    for (std::size_t c = 0; c < 3; ++c) {
      Trace t = Bench{}.trace();
      t.columns[c].values[1233] = x;
      const Read read = reading_of(t);
      ASSERT_EQ(read.problems.size(), 1U) << all(read);
      EXPECT_EQ(read.problems[0].line(),
                "d.csv: row 1234: " + to_text(x) + " in column " + t.columns[c].name +
                    " must be at most 1e+30 in size; an empty cell is accepted for a missing value");
    }
  }
  Trace t = Bench{}.trace();
  t.columns[2].values[7] = t.columns[2].values[9] = 1e300;
  t.columns[1].values[8] = 1e31;
  const Read read = reading_of(t, {{"x", "x_m"}, {"F", "friction_N * x_m"}});
  ASSERT_EQ(read.problems.size(), 2U) << all(read);
  EXPECT_TRUE(has(read.problems[0].line(), "d.csv: row 9: 1e+31 in column x_m must")) << all(read);
  EXPECT_TRUE(has(read.problems[1].line(), "d.csv: row 8: F = friction_N * x_m = ")) << all(read);
  EXPECT_TRUE(has(read.problems[1].line(), " in size (2 rows more exceed this); an")) << all(read);
  t = Bench{}.trace();
  t.columns[2].values[7] = std::numeric_limits<double>::infinity();
  EXPECT_NE(find(reading_of(t), "1 row with missing values skipped"), nullptr);
}

TEST(Rows, WhatMakesNoSenseIsSaid) {
  Trace t = Bench{}.trace();
  t.columns[2].values.assign(4000, 3);
  EXPECT_EQ(reading_of(t).problems.at(0).line(), "d.csv: F is constant (3); a varying force is required");
  t = Bench{}.trace();
  t.columns[1].values.assign(4000, 3);
  EXPECT_EQ(reading_of(t).problems.at(0).line(), "d.csv: x is constant (3); motion is required");
  t = Bench{.amplitude = 3000}.trace();
  EXPECT_TRUE(warns(reading_of(t), "x reaches 3e+03 m in row ")) << all(reading_of(t));
  EXPECT_TRUE(warns(reading_of(t), ", which is implausible: possibly in mm or um; --column \"x=... [unit]\" sets"));
  t = Bench{}.trace();
  t.columns[2].values[1233] = -1e12;
  EXPECT_TRUE(warns(reading_of(t), "F reaches 1e+12 N in row 1234, which is implausible")) << all(reading_of(t));
  t = Bench{}.trace();
  for (double& s : t.columns[0].values) s *= 1e6;
  EXPECT_TRUE(warns(reading_of(t), "one row every 1e+03 s, which is implausible"));
  t = Bench{}.trace();
  t.columns.push_back({"temp_C", "", Series(4000, 20)});
  EXPECT_NE(find(reading_of(t), "T is constant (20)"), nullptr);
  EXPECT_TRUE(warns(reading_of(Bench{.rate = 10, .seconds = 1}.trace()), "only 10 rows"));
  EXPECT_EQ(reading_of(Bench{.rate = 5, .seconds = 1}.trace()).problems.at(0).line(),
            "d.csv: 5 rows with distinct times and numbers for motion and force; at least 8 are required");
  EXPECT_EQ(reading_of({}).problems.at(0).line(), "d.csv: contains no rows of numbers; a table of numbers is required");
}

TEST(Rows, FrictionResists) {
  Trace t = Bench{}.trace();
  for (double& f : t.columns[2].values) f = -f;
  const Read read = reading_of(t);
  EXPECT_TRUE(warns(read, "F points along the motion, but friction resists it: sign changed"));
  EXPECT_NEAR(read.recording.F[0], 2.3, 0.1);
}

TEST(Rows, ASpringDoesNotSlide) {
  Trace t = Bench{}.trace();
  for (std::size_t i = 0; i < 4000; ++i)
    t.columns[2].values[i] = 300 * t.columns[1].values[i] + 0.01 * t.columns[2].values[i];
  EXPECT_TRUE(warns(reading_of(t), "follows the position like a spring"));
  EXPECT_EQ(find(reading_of(Bench{}.trace()), "like a spring"), nullptr);
  t = Bench{}.trace();  // a spring parallel to the friction
  for (std::size_t i = 0; i < 4000; ++i) t.columns[2].values[i] += 300 * t.columns[1].values[i];
  EXPECT_EQ(find(reading_of(t), "like a spring"), nullptr);
}

TEST(Rows, SteadyPointsNeedNoTime) {
  const Trace t{{{"v_mean_radps", "", {-2, -1, 1, 2, 3}},
                 {"torque_mNm", "", {-5, -4, 4, 5, NAN}},
                 {"torque_std_mNm", "", {1, 1, 1, 2, 1}}}};
  const Read read = reading_of(t);
  ASSERT_TRUE(read.problems.empty()) << all(read);
  EXPECT_TRUE(read.recording.steady());
  EXPECT_EQ(read.recording.v, (Series{-2, -1, 1, 2}));
  EXPECT_EQ(read.recording.F, (Series{-0.005, -0.004, 0.004, 0.005}));
  EXPECT_EQ(read.recording.sigma, (Series{0.001, 0.001, 0.001, 0.002}));
  EXPECT_TRUE(read.recording.rotational);
  EXPECT_EQ(read.bandwidth, 0);
}

// Motion

struct Signal {
  Series t{}, y{};
  std::vector<std::size_t> stretches{0};
  Samples samples() const { return {t, y, stretches}; }
};
Signal sine(double frequency, double rate, std::size_t n) {
  Signal out;
  for (std::size_t i = 0; i < n; ++i) {
    out.t.push_back(static_cast<double>(i) / rate);
    out.y.push_back(std::sin(2 * pi * frequency * out.t.back()));
  }
  return out;
}

/// The gain of a zero-phase filter is real: the part in phase, and nothing at a right angle to it.
TEST(Smoother, HasItsResponseAndNoPhase) {
  for (const int m : {2, 3}) {
    for (const double ratio : {0.3, 1.0, 1.5}) {
      const double fc = 20, f = ratio * fc;
      const Signal s = sine(f, 2000, 8000);
      const Smoothed out = smooth(s.samples(), fc, m);
      double in_phase = 0, across = 0, norm = 0;
      for (std::size_t i = 2000; i < 6000; ++i) {
        in_phase += out.y[i] * s.y[i];
        across += out.y[i] * std::cos(2 * pi * f * s.t[i]);
        norm += s.y[i] * s.y[i];
      }
      const double gain = 1 / (1 + std::pow(ratio, 2 * m));
      EXPECT_NEAR(in_phase / norm, gain, 2e-3) << m << " " << ratio;
      EXPECT_NEAR(across / norm, 0, 1e-3) << m << " " << ratio;
    }
  }
}

TEST(Smoother, DifferentiatesUnevenSamples) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> step(0.2e-3, 1.8e-3);
  Signal s;
  Series v, a;
  const double w = 2 * pi * 3;
  for (double t = 0; t < 2; t += step(random)) {
    s.t.push_back(t);
    s.y.push_back(std::sin(w * t));
    v.push_back(w * std::cos(w * t));
    a.push_back(-w * w * std::sin(w * t));
  }
  const Smoothed out = smooth(s.samples(), 100, 3);
  EXPECT_LT(largest_error(out.rate, v, 50), 1e-3 * w);
  EXPECT_LT(largest_error(out.second, a, 50), 2e-2 * w * w);
  const Smoothed from_v = smooth({s.t, v, s.stretches}, 200, 2);
  EXPECT_LT(largest_error(from_v.rate, a, 50), 2e-2 * w * w);
  // A parabola goes through unchanged, to its ends: the prior of the first samples is loose, not wrong.
  for (std::size_t i = 0; i < s.t.size(); ++i) s.y[i] = 1 + 2 * s.t[i] + 3 * s.t[i] * s.t[i];
  const Smoothed p = smooth(s.samples(), 5, 3);
  for (std::size_t i = 0; i < s.t.size(); ++i) {
    EXPECT_NEAR(p.rate[i], 2 + 6 * s.t[i], 1e-5);
    EXPECT_NEAR(p.second[i], 6, 1e-3);
  }
}

double relative_error(const Series& a, const Series& b) {
  double difference = 0, size = 0;
  for (std::size_t i = a.size() / 20; i < a.size() - a.size() / 20; ++i) {
    difference += (a[i] - b[i]) * (a[i] - b[i]);
    size += b[i] * b[i];
  }
  return std::sqrt(difference / size);
}

TEST(Smoother, ChoosesItsBandwidthByTheNoise) {
  std::mt19937_64 random(11);
  std::normal_distribution<double> normal;
  struct Case {
    double noise, most;
  };
  double last = 1e9;
  for (const Case& c : {Case{1e-5, 1e-4}, Case{1e-3, 2e-3}, Case{3e-2, 2e-2}}) {
    Signal s = sine(3, 1000, 6000);
    Series v;
    for (std::size_t i = 0; i < s.t.size(); ++i) {
      s.y[i] += c.noise * normal(random);
      v.push_back(2 * pi * 3 * std::cos(2 * pi * 3 * s.t[i]));
    }
    const Bandwidth chosen = choose_bandwidth(s.samples(), 3);
    EXPECT_NEAR(chosen.noise, c.noise, 0.1 * c.noise);
    EXPECT_GT(chosen.hertz, 3);
    EXPECT_LT(chosen.hertz, last);
    last = chosen.hertz;
    EXPECT_LT(relative_error(smooth(s.samples(), chosen.hertz, 3).rate, v), c.most);
  }
}

/// Starts, strokes and stops measured by an encoder: no other bandwidth gives a much better velocity.
TEST(Smoother, ChoosesNearlyTheBestForAnEncoder) {
  for (const double step : {1e-4, 1e-3}) {
    Signal s;
    Series v;
    double x = 0;
    for (int i = 0; i < 6000; ++i) {
      const double t = i * 1e-3, phase = std::fmod(t, 1.0), half = std::fmod(phase, 0.5),
                   ramp = std::min({half, 0.5 - half, 0.1}) * 10;
      v.push_back(phase < 0.5 ? ramp : -ramp);
      x += v.back() * 1e-3;
      s.t.push_back(t);
      s.y.push_back(step * std::round(x / step));
    }
    double best = 1;
    for (double hertz = 2; hertz < 400; hertz *= 1.2)
      best = std::min(best, relative_error(smooth(s.samples(), hertz, 3).rate, v));
    const double hertz = choose_bandwidth(s.samples(), 3).hertz;
    EXPECT_LT(relative_error(smooth(s.samples(), hertz, 3).rate, v), 1.15 * best) << hertz;
  }
}

TEST(Motion, FromPositionOnly) {
  const Read read = reading_of(Bench{}.trace());
  const Recording& r = read.recording;
  EXPECT_GT(read.bandwidth, 1);
  EXPECT_NE(find(read, "v and a from x, zero-phase smoothing at"), nullptr);
  for (std::size_t i = 100; i < 3900; i += 100) {
    EXPECT_NEAR(r.v[i], 0.01 * 2 * pi * std::cos(2 * pi * r.t[i]), 1e-4);
    EXPECT_NEAR(r.a[i], -0.01 * 4 * pi * pi * std::sin(2 * pi * r.t[i]), 0.02);
  }
  EXPECT_EQ(make_recording(Bench{}.trace(), {.bandwidth = 12}, "d.csv").bandwidth, 12);
}

TEST(Motion, IsZeroAtRest) {
  Trace t = Bench{}.trace();
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  for (std::size_t i = 0; i < 4000; ++i) {  // a stroke, a second of rest, a stroke back, rest
    const double s = t.columns[0].values[i], phase = std::fmod(s, 2.0),
                 stroke = 0.005 * (1 - std::cos(pi * std::min(phase, 1.0)));
    t.columns[1].values[i] = (s < 2 ? stroke : 0.01 - stroke) + 1e-6 * normal(random);
  }
  const Read read = reading_of(t);
  const Series& v = read.recording.v;
  EXPECT_NE(find(read, "rest in"), nullptr) << all(read);
  for (const std::size_t i : {1200U, 1500U, 1900U, 3200U, 3900U}) EXPECT_EQ(v[i], 0) << i;
  for (const std::size_t i : {100U, 500U, 900U, 2500U})
    EXPECT_NEAR(std::abs(v[i]), 0.005 * pi * std::sin(pi * t.columns[0].values[i % 2000]), 5e-4) << i;
  EXPECT_EQ(find(reading_of(Bench{}.trace()), "rest in"), nullptr);
}

/// A second of rest, two seconds of pre-sliding at a tenth of the noise per row, a stroke.
TEST(Motion, KeepsTheDisplacementOfACreep) {
  for (const unsigned seed : {1U, 2U, 3U}) {
    Trace t = Bench{}.trace();
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal;
    constexpr double noise = 3e-8, speed = 3e-6;
    for (std::size_t i = 0; i < 4000; ++i) {
      const double s = t.columns[0].values[i], creep = speed * std::clamp(s - 1, 0.0, 2.0),
                   stroke = s > 3 ? 0.005 * (1 - std::cos(pi * (s - 3))) : 0;
      t.columns[1].values[i] = creep + stroke + noise * normal(random);
    }
    const Read read = reading_of(t);
    double way = 0, rest = 0;
    for (std::size_t i = 0; i < 3000; ++i) (i < 1000 ? rest : way) += 1e-3 * read.recording.v[i];
    EXPECT_NEAR(way, 2 * speed, 0.2 * speed) << all(read);
    EXPECT_NEAR(rest, 0, 0.1 * speed) << all(read);
  }
}

/// Jumps of the acceleration ask for a bandwidth at which the noise of the velocity hides a creep: it goes forward all the
/// same, without rests.
TEST(Motion, GoesForwardInACreep) {
  for (const double noise : {1e-8, 3e-8}) {
    for (const unsigned seed : {1U, 2U, 3U}) {
      Trace t = Bench{}.trace();
      std::mt19937_64 random(seed);
      std::normal_distribution<double> normal;
      constexpr double speed = 2e-5;
      for (std::size_t i = 0; i < 4000; ++i) {
        const double s = t.columns[0].values[i], up = std::clamp(s - 3, 0.0, 0.2),
                     down = std::clamp(s - 3.2, 0.0, 0.02);
        t.columns[1].values[i] =
            speed * std::min(s, 3.0) + 1.5 * up * up + 0.6 * down - 15 * down * down + noise * normal(random);
      }
      const Read read = reading_of(t);
      double way = 0, both = 0;
      for (std::size_t i = 200; i < 2900; ++i) {
        way += 1e-3 * read.recording.v[i];
        both += 1e-3 * std::abs(read.recording.v[i]);
      }
      EXPECT_NEAR(way, 2.7 * speed, 0.01 * 2.7 * speed) << noise << all(read);
      EXPECT_NEAR(both, 2.7 * speed, 0.01 * 2.7 * speed) << noise << all(read);
    }
  }
}

TEST(Motion, FromVelocityOnly) {
  Trace t = Bench{}.trace();
  t.columns[1].name = "v_mps";
  const Read read = reading_of(t);
  EXPECT_NE(find(read, "x from v by integration"), nullptr) << all(read);
  EXPECT_NEAR(read.recording.x[250] - read.recording.x[0], 0.01 / (2 * pi), 1e-6);
  EXPECT_NEAR(read.recording.a[1000], 0.01 * 2 * pi, 1e-3);
}

TEST(Motion, VelocityIsCheckedAgainstPosition) {
  Trace t = Bench{}.trace();
  Column v{"v", ""};
  for (const double s : t.columns[0].values) v.values.push_back(0.01 * 2 * pi * std::cos(2 * pi * s));
  t.columns.push_back(v);
  EXPECT_NE(find(reading_of(t), "v agrees with the derivative of x"), nullptr) << all(reading_of(t));
  EXPECT_EQ(reading_of(t).recording.v, v.values) << "and stays as it was measured";
  for (double& x : t.columns[3].values) x *= 60 / (2 * pi);
  const Read wrong = reading_of(t);
  EXPECT_TRUE(warns(wrong, "v is 9.55 times the derivative of x")) << all(wrong);
  EXPECT_NEAR(wrong.recording.v[1000], 0.01 * 2 * pi, 1e-4) << "then that is used";
  t.columns[3].values.assign(4000, 0);
  for (std::size_t i = 30; i < 4000; ++i) t.columns[3].values[i] = v.values[i - 30];
  EXPECT_TRUE(warns(reading_of(t), ", 30 ms late")) << all(reading_of(t));
  EXPECT_NE(find(reading_of(t, {{"x", "none"}}), "a from v"), nullptr);
}

TEST(Motion, RateIsReduced) {
  Trace t = Bench{.frequency = 0.5}.trace();
  for (std::size_t i = 0; i < 4000; ++i) {
    const double s = t.columns[0].values[i];
    t.columns[2].values[i] = std::sin(2 * pi * s) + std::sin(2 * pi * 90 * s);  // 90 Hz would fold to 10 Hz
  }
  const Read read = make_recording(t, {.rate = 50}, "d.csv");
  const Recording& r = read.recording;
  EXPECT_EQ(r.size(), 200U) << all(read);
  for (const Series* s : {&r.t, &r.x, &r.v, &r.a, &r.F}) EXPECT_EQ(s->size(), 200U);
  for (std::size_t i = 10; i < 190; ++i) {
    EXPECT_NEAR(r.t[i], 0.02 * static_cast<double>(i), 1e-9);
    EXPECT_NEAR(r.F[i], std::sin(2 * pi * r.t[i]), 1e-3);
    EXPECT_NEAR(r.v[i], 0.01 * pi * std::cos(pi * r.t[i]), 1e-3);
  }
  EXPECT_TRUE(warns(make_recording(t, {.rate = 900}, "d.csv"), "--rate ignored: 900 Hz"));
}

}  // namespace
