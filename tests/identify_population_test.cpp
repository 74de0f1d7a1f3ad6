#include "bristle/identify/population.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numbers>
#include <random>

#include "bristle/simulate.hpp"

namespace {

using namespace bristle;
using identify::PopulationFit;
using identify::Recording;

/// Box-Muller from the hash.
double normal(std::uint64_t seed, std::uint64_t i) {
  return std::sqrt(-2 * std::log(1 - uniform(seed, 60, i))) * std::cos(2 * std::numbers::pi * uniform(seed, 61, i));
}

/// Rows every `dt`: strokes of +-amplitude at a low speed, steps of speed over distances, then a periodic speed.
struct Motion {
  std::vector<std::array<double, 2>> strokes{{0.1, 0.01}, {-0.1, 0.01}, {0.1, 0.01}};  // end, speed
  std::vector<std::array<double, 2>> slides{{0.03, 3}, {0.1, 6}, {0.3, 12}, {1, 20}, {3, 40}, {10, 60}};
  double periodic = 40, dt = 0.1;
};
Recording recorded(const GfmParams& truth, const Motion& m, double noise, double length = 1, double time = 1) {
  Recording r{.name = "test"};
  r.t.push_back(0);
  r.x.push_back(0);
  auto row = [&](double v) {
    r.t.push_back(r.t.back() + time * m.dt);
    r.x.push_back(r.x.back() + length * v * m.dt);
  };
  double at = 0;
  for (const auto& [end, speed] : m.strokes) {
    const int n = static_cast<int>(std::lround(std::abs(end - at) / speed / m.dt));
    for (int i = 0; i < n; ++i) row(std::copysign(speed, end - at));
    at = end;
  }
  for (const auto& [v, distance] : m.slides) {
    for (int i = 0; i < static_cast<int>(std::lround(distance / v / m.dt)); ++i) row(v);
  }
  for (int i = 0; i < static_cast<int>(m.periodic / m.dt); ++i)
    row(0.6 + 0.5 * std::sin(0.5 * std::numbers::pi * (i + 0.5) * m.dt));
  Gfm g(truth, false);
  r.F.push_back(0);
  double size = 0;
  for (std::size_t i = 1; i < r.t.size(); ++i) {
    const auto record = g.step(r.x[i], r.t[i] - r.t[i - 1]);
    const double path = r.x[i] - r.x[i - 1];
    r.F.push_back(truth.scale * (record.F + std::copysign(record.W_imp / std::abs(path), path)));
    size += r.F.back() * r.F.back() / static_cast<double>(r.t.size());
  }
  for (std::size_t i = 0; i < r.F.size(); ++i) r.F[i] += noise * std::sqrt(size) * normal(7, i);
  r.v.assign(r.t.size(), 0.0);
  return r;
}

GfmParams truth_of_the_test() {
  GfmParams p;
  p.asperities = 40000;
  p.seed = 77;
  p.kt = 20;
  p.mu0 = 0.3;
  p.tau = 0.7;
  p.wavelength = 1.2;
  p.mass = 0.04;
  p.scale = 1.5;
  return p;
}

// Weak impacts: wavelength, tau and mass lie along a valley.
GfmParams valley() {
  GfmParams p = truth_of_the_test();
  p.kt = 12;
  p.mu0 = 0.25;
  p.tau = 1.6;
  p.wavelength = 0.7;
  p.mass = 0.05;
  return p;
}
std::array<double, 6> free_of(const GfmParams& p) { return {p.scale, p.kt, p.mu0, p.tau, p.wavelength, p.mass}; }

void expect_near_truth(const PopulationFit& fit, const std::array<double, 6>& truth,
                       const std::array<double, 6>& tolerance) {
  for (std::size_t k = 0; k < 6; ++k) {
    const auto& e = fit.parameters[k];
    EXPECT_NEAR(e.value / truth[k], 1, tolerance[k]) << e.name;
    EXPECT_LE(e.low, truth[k]) << e.name;
    EXPECT_GE(e.high, truth[k]) << e.name;
  }
}

// N 4000, 5 seeds; BRISTLE_LONG_TESTS: runs for minutes.
TEST(PopulationFit, FindsTheTruthWithinTheRequiredAccuracy) {
  if (std::getenv("BRISTLE_LONG_TESTS") == nullptr) GTEST_SKIP() << "runs in make check-figures";
  for (const GfmParams& truth : {truth_of_the_test(), valley()}) {
    SCOPED_TRACE(truth.wavelength);
    const PopulationFit fit = identify::fit_gfm({recorded(truth, {}, 0.01)});
    expect_near_truth(fit, free_of(truth), {0.04, 0.04, 0.06, 0.1, 0.1, 0.1});
    EXPECT_LE(fit.row_error, 0.025);
    for (const auto& e : fit.parameters) EXPECT_TRUE(e.determined) << e.name;
  }
}

// Populations that nothing was tuned on; docs/surface.md has the numbers.
TEST(PopulationFit, FindsRandomPopulationsWithinTheRequiredAccuracy) {
  if (std::getenv("BRISTLE_LONG_TESTS") == nullptr) GTEST_SKIP() << "runs in make check-figures";
  constexpr std::array tolerance{0.04, 0.04, 0.06, 0.1, 0.1, 0.1};
  std::array<double, 6> worst{};
  int inside = 0, all = 0;
  for (unsigned k = 0; k < 10; ++k) {
    std::mt19937 random(1000 + k);
    const auto between = [&](double low, double high) {
      return low * std::pow(high / low, std::uniform_real_distribution<>(0, 1)(random));
    };
    GfmParams p;
    p.asperities = 40000;
    p.seed = 5000 + static_cast<int>(k);
    p.kt = between(6, 50);
    p.mu0 = between(0.15, 0.5);
    p.tau = between(0.3, 2.5);
    p.wavelength = between(0.5, 2.5);
    p.mass = between(0.015, 0.08);
    p.scale = between(1e-3, 1e3);
    Motion m;
    m.dt = between(0.06, 0.15);
    const PopulationFit fit = identify::fit_gfm({recorded(p, m, between(0.003, 0.02))});
    const std::array<double, 6> truth = free_of(p);
    for (std::size_t i = 0; i < 6; ++i) {
      const auto& e = fit.parameters[i];
      EXPECT_NEAR(e.value / truth[i], 1, tolerance[i]) << e.name << " of population " << k;
      worst[i] = std::max(worst[i], std::abs(e.value / truth[i] - 1));
      inside += e.low <= truth[i] && truth[i] <= e.high ? 1 : 0;
      ++all;
    }
  }
  EXPECT_GE(inside, all - 6);  // 95 %: 3 of 60 outside, 7 or more with a probability of 3 %
  std::printf("inside: %d of %d; worst:", inside, all);
  for (const double e : worst) std::printf(" %.1f %%", 100 * e);
  std::printf("\n");
}

/// Few rows and asperities.
Motion short_motion() {
  return {.strokes = {{0.1, 0.05}, {-0.1, 0.05}, {0.1, 0.05}},
          .slides = {{0.1, 1.5}, {0.3, 5}, {1, 10}, {3, 20}, {10, 30}},
          .periodic = 12};
}
GfmParams small_truth() {
  GfmParams p = truth_of_the_test();
  p.asperities = 8000;
  return p;
}

// Small fits: parameters within the noise of 250 asperities.
TEST(PopulationFit, FindsTheTruthRoughlyWithFewAsperities) {
  const PopulationFit fit =
      identify::fit_gfm({recorded(valley(), short_motion(), 0.01)}, {.asperities = 250, .seeds = 3, .seed = 10});
  expect_near_truth(fit, free_of(valley()), {0.3, 0.3, 0.4, 0.4, 0.4, 0.4});
  EXPECT_LT(fit.row_error, 0.1);
  ASSERT_FALSE(fit.notes.empty());
  EXPECT_NE(fit.notes.back().find("750 asperities in all"), std::string::npos);
}

TEST(PopulationFit, HasTheSameBitsForAnyNumberOfThreads) {
  const Motion brief{
      .strokes = {{0.1, 0.1}, {-0.1, 0.1}}, .slides = {{0.3, 2}, {1, 5}, {3, 10}, {10, 15}}, .periodic = 8};
  const std::array<double, 6> start{1.4, 18, 0.3, 0.8, 1.1, 0.04};
  const Recording r = recorded(small_truth(), brief, 0.01);
  const PopulationFit one = identify::fit_gfm({r}, {.asperities = 100, .seeds = 2, .threads = 1, .start = start});
  const PopulationFit two = identify::fit_gfm({r}, {.asperities = 100, .seeds = 2, .threads = 2, .start = start});
  for (std::size_t k = 0; k < 6; ++k) {
    EXPECT_EQ(one.parameters[k].value, two.parameters[k].value);
    EXPECT_EQ(one.parameters[k].high, two.parameters[k].high);
  }
}

TEST(PopulationFit, ListsTheParametersThatTheMotionDoesNotDetermine) {
  auto refusal = [](const Motion& m) -> std::string {
    try {
      (void)identify::fit_gfm({recorded(small_truth(), m, 0.01)}, {.asperities = 300, .seeds = 2});
    } catch (const identify::NotDetermined& e) { return e.what(); }
    return "";
  };
  EXPECT_NE(refusal({.strokes = {}, .periodic = 0}).find("kt"), std::string::npos);
  EXPECT_NE(refusal({.slides = {}, .periodic = 0}).find("wavelength"), std::string::npos);
}

TEST(PopulationFit, StopsWhenAsked) {
  const std::atomic<bool> stop = true;
  EXPECT_THROW(identify::fit_gfm({recorded(small_truth(), short_motion(), 0.01)},
                                 {.asperities = 300, .seeds = 2, .stop = &stop}),
               Stopped);
}

}  // namespace
