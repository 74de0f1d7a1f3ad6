#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/synthetic.hpp"

using namespace bristle;
using namespace bristle::identify;

/// Numbers that the data do not determine.
namespace {

Options quick(std::vector<std::string> models) {
  Options o;
  o.models = std::move(models);
  o.starts = 2;
  o.profiles = false;
  return o;
}

const Fit& recommended(const Ranking& ranking) {
  return *std::ranges::find(ranking.fits, ranking.recommended, &Fit::model);
}

const Estimate& estimate(const Fit& fit, const std::string& name) {
  return *std::ranges::find(fit.friction, name, &Estimate::name);
}

bool contains(const std::vector<std::string>& list, const std::string& one) {
  return std::ranges::find(list, one) != list.end();
}

/// Sliding without a fall of friction: Fs and vs mean nothing, a law without them remains.
TEST(Bounds, DropsTermsThatTheDataDoNotDetermine) {
  for (const std::uint64_t seed : {1U, 2U}) {
    const synthetic::Truth truth = synthetic::truth_of("coulomb", 4, 2e-3);
    const Ranking ranking = identify::identify({truth.recording({0.01, 0, seed})}, quick({"stribeck", "lugre"}));
    EXPECT_TRUE(ranking.not_determined.empty()) << ranking.why;
    const Fit& fit = recommended(ranking);
    EXPECT_EQ(fit.model, "stribeck") << ranking.why;
    if (fit.used > 2) continue;  // noise may look like a fall
    const Estimate &Fc = estimate(fit, "Fc"), &Fs = estimate(fit, "Fs");
    EXPECT_NEAR(Fc.value, truth.value("Fc"), 0.01 * truth.value("Fc"));
    EXPECT_TRUE(Fs.dropped);
    EXPECT_EQ(Fs.value, Fc.value);
    EXPECT_NE(Fs.diagnosis.find("Fc is used"), std::string::npos) << Fs.diagnosis;
    EXPECT_TRUE(estimate(fit, "vs").dropped);
    EXPECT_FALSE(estimate(fit, "kv").dropped);
  }
}

/// Steady friction that falls below the slowest measured speed: Fs is larger than every force of the data.
Recording fall_before_the_data(std::uint64_t seed) {
  Recording r;
  r.name = "fall";
  for (std::size_t i = 0; i < 80; ++i) {
    const double v = 0.02 + 0.01 * static_cast<double>(i / 2), side = i % 2 == 0 ? 1 : -1;
    r.v.push_back(side * v);
    r.F.push_back(side * (2 + 6 * std::exp(-v / 0.012) + 0.5 * v) + 0.02 * synthetic::normal(seed, i));
  }
  return r;
}

TEST(Bounds, SaysWhichForceWasNeverMeasured) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const Recording r = fall_before_the_data(seed);
    const double largest = std::ranges::max(r.F);
    const Ranking ranking = identify::identify({r}, quick({"stribeck"}));
    const Fit& fit = recommended(ranking);
    ASSERT_GT(estimate(fit, "Fs").value, 1.2 * largest) << seed << ": " << ranking.why;
    EXPECT_TRUE(contains(ranking.not_determined, "Fs")) << ranking.why;
    EXPECT_NE(ranking.why.find("not determined: Fs"), std::string::npos) << ranking.why;
    for (const double force : predict(fit, r)) EXPECT_LT(std::abs(force), 1.2 * largest);
  }
}

/// Of models that predict equally well, the one whose numbers are determined is recommended.
TEST(Bounds, PrefersDeterminedNumbers) {
  for (const std::uint64_t seed : {1U, 2U}) {
    const synthetic::Truth truth = synthetic::truth_of("dahl", 4, 2e-3);
    Options options = quick({"dahl", "gms", "elasto_plastic"});
    options.elements = {4};
    const Ranking ranking = identify::identify({truth.recording({0.01, 0, seed})}, options);
    EXPECT_EQ(ranking.recommended, "dahl") << ranking.why;
    EXPECT_TRUE(ranking.not_determined.empty());
  }
}

}  // namespace
