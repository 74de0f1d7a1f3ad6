/// The eight phenomena of the 2008 article with reference values: means over seeds 1 to 5, 4000 asperities.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

#include "bristle/asperity/gfm.hpp"

using namespace bristle;
using asperity::Record;
using asperity::Step;

namespace {

constexpr double pi = std::numbers::pi;

/// One run, with what is measured on it.
struct Path {
  std::vector<Step> steps{};
  double u = 0, t = 0;
  void to(double goal, double dt) {
    u = goal;
    t += dt;
    steps.push_back({u, dt});
  }
  std::vector<Record> on(const GfmParams& p) const {
    std::vector<Record> out(steps.size());
    Gfm(p).run(steps, out);
    return out;
  }
};

double mean_over_seeds(const std::function<double(const GfmParams&)>& measure, GfmParams p = {}) {
  double sum = 0;
  for (p.seed = 1; p.seed <= 5; ++p.seed) sum += measure(p);
  return sum / 5;
}

/// Work over 50 wavelengths after 20, without impact.
double steady(const GfmParams& p, double v) {
  Path path;
  for (int i = 1; i <= 70; ++i) path.to(i, 1 / v);
  const auto r = path.on(p);
  double work = r.back().E - r[19].E;
  for (std::size_t i = 20; i < r.size(); ++i) work += r[i].W_adh + r[i].W_def;
  return work / 50;
}

/// The steady force between a few speeds of at most 1.
class Curve {
 public:
  explicit Curve(const GfmParams& p) {
    for (double v = lowest; v < 1.01; v *= 2) F_.push_back(steady(p, v));
  }
  double operator()(double v) const {
    const double at = std::log2(v / lowest);
    const auto i = static_cast<std::size_t>(std::clamp(at, 0.0, static_cast<double>(F_.size()) - 1.001));
    return F_[i] + (at - static_cast<double>(i)) * (F_[i + 1] - F_[i]);
  }

 private:
  static constexpr double lowest = 1.0 / 16;
  std::vector<double> F_{};
};

/// v = mean + amplitude sin(2 pi f t), in pieces per period.
Path sine(double mean, double amplitude, double f, int periods, int pieces) {
  Path path;
  for (int i = 1; i <= periods * pieces; ++i) {
    const double t = i / (f * pieces);
    path.to(mean * t + amplitude / (2 * pi * f) * (1 - std::cos(2 * pi * f * t)), 1 / (f * pieces));
  }
  return path;
}

}  // namespace

TEST(GfmPhenomena, HysteresisIsRateIndependentWhereContactsAreOld) {
  auto forces = [](const GfmParams& p, double v) {
    Path path;
    const std::vector<double> corners{0.1, -0.1, 0.05, -0.03, 0.05, 0.1, -0.1, 0.1};
    for (const double goal : corners) {
      const double from = path.u;
      constexpr int n = 40;
      for (int i = 1; i <= n; ++i) path.to(from + (goal - from) * i / n, std::abs(goal - from) / n / v);
    }
    std::vector<double> F;
    for (const Record& r : path.on(p)) F.push_back(r.F);
    return F;
  };
  GfmParams p{.age0 = 1000};
  const auto slow = forces(p, 1e-4), fast = forces(p, 1e-3);
  double squares = 0;
  for (std::size_t i = 0; i < slow.size(); ++i) squares += (slow[i] - fast[i]) * (slow[i] - fast[i]);
  EXPECT_LT(std::sqrt(squares / static_cast<double>(slow.size())), 1e-6);
  for (const auto* F : {&slow, &fast}) {
    EXPECT_NEAR((*F)[5 * 40 - 1], (*F)[3 * 40 - 1], 1e-15) << "the inner loop closes";
    EXPECT_NEAR((*F)[8 * 40 - 1], (*F)[6 * 40 - 1], 1e-15) << "and is wiped out";
  }
  const auto young = forces(p, 1e-2);
  EXPECT_NEAR(young[5 * 40 - 1], young[3 * 40 - 1], 2e-5);
  EXPECT_GT(std::abs(young[5 * 40 - 1] - young[3 * 40 - 1]), 1e-7) << "at this speed contacts age on the way";
}

TEST(GfmPhenomena, FrictionLag) {
  struct Case {
    double f, rising, falling, area;
  };
  for (const auto& [f, rising, falling, area] : {Case{0.02, 0.293, 0.283, 0.0145},
                                                 {0.1, 0.333, 0.268, 0.0597},
                                                 {0.25, 0.382, 0.251, 0.0979},
                                                 {0.5, 0.366, 0.239, 0.0990},
                                                 {1, 0.328, 0.252, 0.0594},
                                                 {5, 0.295, 0.279, 0.0121}}) {
    constexpr int pieces = 80;
    const int before = static_cast<int>(std::ceil(4 * f)) + 1;
    const int periods = before + std::max(1, static_cast<int>(std::ceil(30 / 0.6 * f)));
    const Path path = sine(0.6, 0.5, f, periods, pieces);
    std::vector<double> F(pieces);  // by phase
    for (std::int64_t seed = 1; seed <= 5; ++seed) {
      const auto r = path.on({.seed = seed});
      for (int i = before * pieces; i < periods * pieces; ++i)
        F[static_cast<std::size_t>((i + 1) % pieces)] += r[static_cast<std::size_t>(i)].F / (5.0 * (periods - before));
    }
    double loop = 0;
    for (int i = 0; i < pieces; ++i)
      loop += F[static_cast<std::size_t>(i)] * pi / pieces * std::cos(2 * pi * i / pieces);
    EXPECT_NEAR(F[0], rising, 0.02 * rising) << f;
    EXPECT_NEAR(F[pieces / 2], falling, 0.02 * falling) << f;
    EXPECT_NEAR(loop, area, 0.05 * area + 0.001) << f;
  }
}

TEST(GfmPhenomena, BreakawayFallsWithTheRateOfReversals) {
  // Of the accelerating quarters after the first half-stroke, over the steady force at the same speed.
  auto breakaway = [](const GfmParams& p, const Curve& steady_at, double f) {
    constexpr int pieces = 400;
    const auto r = sine(0, 1, f, 4, pieces).on(p);
    double sum = 0;
    for (int half = 1; half <= 6; ++half) {
      double most = 0, speed = 0;
      for (int i = 0; i < pieces / 4; ++i) {
        const int at = half * pieces / 2 + i;
        const double F = (half % 2 == 0 ? 1 : -1) * r[static_cast<std::size_t>(at)].F;
        if (F <= most) continue;
        most = F;
        speed = std::abs(std::sin(2 * pi * (at + 1) / pieces));
      }
      sum += most / steady_at(speed) / 6;
    }
    return sum;
  };
  const std::vector<double> frequencies{0.02, 0.05, 0.1, 0.2}, expected{1.14, 1.27, 1.36, 1.40};
  std::vector<double> ratios(4);
  double none = 0;
  for (std::int64_t seed = 1; seed <= 5; ++seed) {
    const GfmParams p{.seed = seed}, grown{.seed = seed, .mu0 = 1};
    const Curve curve(p);
    for (std::size_t i = 0; i < 4; ++i) ratios[i] += breakaway(p, curve, frequencies[i]) / 5;
    none += breakaway(grown, Curve(grown), 0.1) / 5;
  }
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(ratios[i], expected[i], 0.024) << frequencies[i];
  EXPECT_GT(none, 1.0);
  EXPECT_LT(none, 1.05) << "without growth of adhesion";
}

TEST(GfmPhenomena, StaticAndSlidingFrictionAreOneCurve) {
  // mu(D0/v) against C F(v), v from 0.01 to 10.
  std::vector<double> v, F;
  for (int i = 0; i <= 6; ++i) v.push_back(std::pow(10.0, -2 + 0.5 * i));
  for (const double x : v) F.push_back(mean_over_seeds([x](const GfmParams& p) { return steady(p, x); }));
  double best = inf, D0 = 0, C = 0;
  for (double d = 0.2; d < 0.4; d += 0.0005) {
    double fm = 0, ff = 0, mm = 0;
    for (std::size_t i = 0; i < v.size(); ++i) {
      const double mu = 1 - 0.8 * std::exp(-d / v[i]);
      fm += F[i] * mu;
      ff += F[i] * F[i];
      mm += mu * mu;
    }
    if (const double left = mm - fm * fm / ff; left < best) {
      best = left;
      D0 = d;
      C = fm / ff;
    }
  }
  EXPECT_NEAR(D0, 0.299, 4 * 0.0014);
  EXPECT_NEAR(C, 1.827, 0.027);
  EXPECT_LT(std::sqrt(best / static_cast<double>(v.size())), 0.016 * 0.8) << "rms over the range of mu";
}

TEST(GfmPhenomena, TheForceFluctuatesWithTheSizeOfThePopulation) {
  auto noise = [](int n) {
    return mean_over_seeds(
        [](const GfmParams& p) {
          Path path;
          for (int i = 1; i <= 700; ++i) path.to(0.1 * i, 0.1);
          const auto r = path.on(p);
          double sum = 0, squares = 0;
          for (std::size_t i = 200; i < r.size(); ++i) {
            sum += r[i].F;
            squares += r[i].F * r[i].F;
          }
          const double mean = sum / 500;
          return std::sqrt(squares / 500 - mean * mean) / mean;
        },
        {.asperities = n});
  };
  EXPECT_NEAR(noise(4000), 0.019, 0.004);
  EXPECT_NEAR(noise(1000), 0.034, 0.008);
}
