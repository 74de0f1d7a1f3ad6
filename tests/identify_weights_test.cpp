/// Recordings of one joint with different noise count by their information.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/synthetic.hpp"

using namespace bristle;
using namespace bristle::identify;

namespace {

constexpr double Fc = 2, kv = 0.5;

struct Noise {
  double level = 0.01, memory = 0;  // N; correlation of neighbours
  std::uint64_t seed = 1;
};

/// Coulomb and viscous friction along a sine, or at a constant speed.
Recording recorded(const char* name, std::size_t rows, double frequency, const Noise& noise, double factor = 1) {
  Recording r;
  r.name = name;
  double x = 0, e = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    const double t = 1e-3 * static_cast<double>(i), v = frequency > 0 ? std::sin(two_pi * frequency * t + 0.1) : 1;
    const double fresh = synthetic::normal(noise.seed, i);
    e = i == 0 ? fresh : noise.memory * e + std::sqrt(1 - noise.memory * noise.memory) * fresh;
    x += i > 0 ? 1e-3 * v : 0;
    r.t.push_back(t);
    r.x.push_back(x);
    r.v.push_back(v);
    r.F.push_back(factor * (std::copysign(Fc, v) + kv * v) + noise.level * e);
  }
  return r;
}

Options only_coulomb() {
  Options o;
  o.models = {"coulomb"};
  o.starts = 1;
  o.global = false;
  return o;
}
const Estimate& estimate(const Ranking& ranking, const std::string& name) {
  for (const Estimate& e : ranking.fits.at(0).friction) {
    if (e.name == name) return e;
  }
  throw std::runtime_error("no estimate " + name);
}
double width(const Estimate& e) { return e.high - e.low; }

/// A precise recording and a longer, noisy one with correlated noise: intervals contain the truth, and are those of the
/// precise one.
TEST(Weights, IntervalsHoldForDifferentNoise) {
  int inside = 0, all = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Recording precise = recorded("precise", 800, 1.7, {0.01, 0, seed});
    const Recording noisy = recorded("noisy", 3000, 2.3, {0.3, 0.9, seed + 100});
    const Ranking both = identify::identify({noisy, precise}, only_coulomb());
    const Ranking alone = identify::identify({precise}, only_coulomb());
    for (const auto& [name, truth] : {std::pair{"Fc", Fc}, {"kv", kv}}) {
      const Estimate& e = estimate(both, name);
      inside += e.low <= truth && truth <= e.high ? 1 : 0;
      ++all;
      EXPECT_LT(width(e), 1.3 * width(estimate(alone, name))) << seed << name;
    }
  }
  EXPECT_GE(inside, 0.875 * all);  // 35 of 40: of 40 intervals 38 contain the truth, standard deviation 1.4
}

/// A long run at one speed with a slow drift of its level must not outweigh a short recording of all speeds.
TEST(Weights, ALongRunDoesNotOutweighAShortRecording) {
  const Recording shorter = recorded("short", 1000, 1.7, {0.02, 0, 1});
  Recording run = recorded("run", 60'000, 0, {0.02, 0, 2});
  for (std::size_t i = 0; i < run.F.size(); ++i) run.F[i] += 0.2 * std::sin(two_pi * 1e-5 * static_cast<double>(i));
  const Ranking both = identify::identify({run, shorter}, only_coulomb());
  EXPECT_NEAR(estimate(both, "Fc").value, Fc, 0.01);
  EXPECT_NEAR(estimate(both, "kv").value, kv, 0.02);
}

TEST(Weights, RecordingsOfDifferentJointsAreReported) {
  const Recording one = recorded("joint1", 1000, 1.7, {0.02, 0, 1});
  auto disagree = [&](const Recording& other) {
    const Ranking ranking = identify::identify({one, other}, only_coulomb());
    return std::ranges::any_of(ranking.notes,
                               [](const std::string& n) { return n.find("disagree") != std::string::npos; });
  };
  EXPECT_TRUE(disagree(recorded("joint2", 1200, 1.9, {0.02, 0, 2}, 2)));
  EXPECT_FALSE(disagree(recorded("joint1 again", 1200, 1.9, {0.02, 0, 2})));
  EXPECT_FALSE(disagree(recorded("joint1 noisy", 1200, 1.9, {0.5, 0.5, 2})));
}

}  // namespace
