/// Ramps of force on a body with LuGre friction, measured with few rows per period of its bristles: what the rows do not
/// resolve must be in the intervals, and is no effect.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "bristle/trace.hpp"
#include "support/synthetic.hpp"

using namespace bristle;
using namespace bristle::identify;

namespace {

struct Ramps {
  double mass, Fc, Fs, vs, sigma0, sigma1, kv, period;
  bool shaken = false, held = false;  // waves instead of ramps; a force that stays from row to row

  explicit Ramps(std::uint64_t seed) {
    std::uint64_t draws = 0;
    auto between = [&](double a, double b) { return a * std::pow(b / a, uniform(seed, 91, draws++)); };
    period = between(3e-4, 0.3);
    mass = between(0.01, 1000);
    Fc = between(0.1, 1000);
    const double omega = two_pi / period, speed = Fc / (mass * omega);
    sigma0 = mass * omega * omega;
    sigma1 = between(0.2, 2) * std::sqrt(sigma0 * mass);
    Fs = Fc * between(1.2, 2);
    vs = speed * between(0.2, 2.5);
    kv = Fc / (speed * between(8, 60));
  }
  double value(const std::string& name) const {
    return name == "Fc"       ? Fc
           : name == "Fs"     ? Fs
           : name == "vs"     ? vs
           : name == "sigma0" ? sigma0
           : name == "sigma1" ? sigma1
           : name == "kv"     ? kv
           : name == "offset" ? 0
                              : mass;
  }
  double curve(double v) const { return Fc + (Fs - Fc) * std::exp(-v * v / (vs * vs)); }
  /// Up to a sudden release, in both directions.
  double force(double t) const {
    const double phi = two_pi * t / period;
    if (shaken)
      return 1.6 * Fs * (0.55 * std::sin(phi / 37) + 0.35 * std::sin(phi / 9.3 + 1) + 0.3 * std::sin(phi / 3.1));
    const double ramp = 120 * period, phase = std::fmod(t, ramp) / ramp, side = std::fmod(t, 2 * ramp) < ramp ? 1 : -1;
    return phase < 0.95 ? side * (Fc + 1.5 * (Fs - Fc)) * std::min(1.0, phase / 0.8) : 0;
  }
  /// Strang's splitting: the bristles exactly over a step, the velocity with the slope of the force.
  Trace run(double rows_per_period, double noise, std::uint64_t seed) const {
    constexpr std::size_t steps = 100;
    const double h = period / rows_per_period / steps;
    const auto rows = static_cast<std::size_t>(480 * rows_per_period);
    std::vector<double> t, x, u;
    double way = 0, v = 0, z = 0, of_row = 0;
    auto kick = [&](double now) {
      const double share = 1 - sigma0 * std::abs(z) / curve(v), slope = sigma1 * std::max(0.0, share) + kv;
      const double friction = sigma0 * z + sigma1 * (v - sigma0 * std::abs(v) * z / curve(v)) + kv * v;
      v += ((held ? of_row : force(now)) - friction) / (mass + h / 4 * slope) * h / 2;
    };
    for (std::size_t i = 0; i < rows; ++i) {
      const double now = static_cast<double>(i * steps) * h;
      t.push_back(now);
      of_row = force(now);
      x.push_back(way + noise * Fc / sigma0 * synthetic::normal(seed, 2 * i));
      u.push_back(force(now) + 0.01 * Fc * synthetic::normal(seed, 2 * i + 1));
      for (std::size_t k = 0; k < steps; ++k) {
        const double middle = now + (static_cast<double>(k) + 0.5) * h;
        kick(middle);
        if (v != 0) {
          const double end = std::copysign(curve(v) / sigma0, v);
          z = end + (z - end) * std::exp(-sigma0 * std::abs(v) / curve(v) * h);
        }
        way += h * v;
        kick(middle);
      }
    }
    return {{{"t", "s", t}, {"x", "m", x}, {"u", "N", u}}};
  }
};

Ranking fitted(const Trace& trace, const Reading& reading = {}) {
  const Read read = make_recording(trace, reading, "ramps");
  EXPECT_TRUE(read.problems.empty());
  Options o;
  o.models = {"lugre"};
  o.effects = {"auto"};
  o.starts = 2;
  o.global = false;
  return identify::identify({read.recording}, o);
}

bool says(const Ranking& ranking, const std::string& text) {
  return std::ranges::any_of(ranking.notes,
                             [&](const std::string& note) { return note.find(text) != std::string::npos; });
}

TEST(Sampling, WhatTheRowsDoNotResolveIsInTheIntervals) {
  int inside = 0, all = 0;
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const Ramps truth(seed);
    const Ranking ranking = fitted(truth.run(5, seed == 1 ? 0 : 1e-3, seed));
    ASSERT_EQ(ranking.fits.size(), 1U);
    EXPECT_TRUE(ranking.fits[0].effects.empty()) << seed;
    for (const auto* list : {&ranking.fits[0].friction, &ranking.fits[0].body}) {
      for (const Estimate& e : *list) {
        const double value = truth.value(e.name);
        inside += e.low <= value && value <= e.high ? 1 : 0;
        ++all;
        EXPECT_LT(std::abs(value - e.value), e.high - e.low) << seed << " " << e.name << " " << e.value << " " << value;
      }
    }
    EXPECT_TRUE(says(ranking, "every second row")) << seed;
  }
  EXPECT_GE(inside, 0.9 * all) << inside << " of " << all;
}

const Estimate& number(const Ranking& ranking, const std::string& name) {
  return *std::ranges::find(ranking.fits.at(0).friction, name, &Estimate::name);
}

/// With velocities that are held from row to row, vs and sigma0 err by 3 %, Fc by 2 %.
TEST(Sampling, FiveRowsPerPeriodAreEnoughWithTheMotionBetweenThem) {
  const Ramps truth(7);
  const Ranking ranking = fitted(truth.run(5, 1e-4, 7));
  for (const auto& [name, part] : {std::pair("vs", 0.015), {"sigma0", 0.005}, {"Fc", 0.005}, {"Fs", 0.005}})
    EXPECT_NEAR(number(ranking, name).value / truth.value(name), 1, part) << name;
}

TEST(Sampling, AForceThatIsHeldFromRowToRowIsFoundByItsDelay) {
  for (const std::uint64_t seed : {11U, 12U}) {
    for (const bool held : {false, true}) {
      Ramps truth(seed);
      truth.shaken = true;
      truth.held = held;
      const Ranking ranking = fitted(truth.run(8, 1e-3, seed));
      EXPECT_EQ(says(ranking, "half a sample later"), held) << seed;
      const Estimate& damping = number(ranking, "sigma1");
      EXPECT_LE(damping.low, truth.sigma1) << seed << held;
      EXPECT_GE(damping.high, truth.sigma1) << seed << held;
    }
  }
}

TEST(Sampling, StopsThatTheRowsDoNotResolveAreNoOutliersOfTheForce) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const Ranking ranking = fitted(Ramps(seed).run(3.3, 1e-4, seed));
    EXPECT_FALSE(says(ranking, "of the force left out")) << seed;
  }
}

TEST(Sampling, ReSampledForcesHaveTheIntervalsOfTheMotionBehindThem) {
  const Ramps truth(3);
  Reading reading;
  reading.rate = 2 / truth.period;
  const Ranking ranking = fitted(truth.run(6, 1e-3, 3), reading);
  EXPECT_TRUE(says(ranking, "every second row"));
  for (const char* name : {"Fc", "Fs", "sigma0", "kv"}) {
    EXPECT_LE(number(ranking, name).low, truth.value(name)) << name;
    EXPECT_GE(number(ranking, name).high, truth.value(name)) << name;
  }
}

}  // namespace
