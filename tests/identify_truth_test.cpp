#include <gtest/gtest.h>

#include <cmath>

#include "support/synthetic.hpp"

using namespace bristle;
using namespace bristle::identify;

/// Recordings whose truth is known. The long study is bench/fit/study.cpp, its numbers are in docs/trust.md.
namespace {

Options quick(const synthetic::Truth& truth) {
  Options o;
  o.models = {variant_names(*find_model(truth.model)).front()};  // with its typical choice
  o.fixed = truth.fixed;
  o.elements = {4};
  o.starts = truth.model == "leuven" || truth.model == "rate_state" ? 4 : 1;
  o.folds = 2;
  o.global = false;
  o.profiles = false;
  return o;
}

struct Count {
  int inside = 0, all = 0;
  double share() const { return static_cast<double>(inside) / all; }
};
void count(Count& c, const synthetic::Truth& truth, const synthetic::Noise& noise) {
  const Ranking ranking = identify::identify({truth.recording(noise)}, quick(truth));
  ASSERT_EQ(ranking.fits.size(), 1U) << truth.model;
  for (const Estimate& e : ranking.fits[0].friction) {
    const double value = truth.value(e.name);
    const bool inside = e.low <= value && value <= e.high;
    EXPECT_TRUE(inside || std::abs(e.value - value) < 0.5 * std::abs(value))  // the right valley
        << truth.model << " " << e.name << " = " << e.value << ", truth " << value;
    c.inside += inside ? 1 : 0;
    ++c.all;
  }
}

/// 95 % of the 95 % intervals of all parameters of all models contain the true value: with independent noise, and with a
/// correlation of 0.8 between neighbours, where intervals for independent noise would do so in about half of the cases.
TEST(Truth, IntervalsHoldItAsOftenAsTheySay) {
  for (const double memory : {0.0, 0.8}) {
    Count c;
    for (const ModelInfo& info : model_infos()) {
      if (info.has.random || info.level == "contact" || info.name == "film") continue;  // not fitted
      const synthetic::Truth truth = synthetic::truth_of(info.name, info.name == "rate_state" ? 6 : 3, 2e-3);
      for (std::uint64_t seed = 1; seed <= (memory > 0 ? 2U : 3U); ++seed) count(c, truth, {0.01, memory, 100 * seed});
    }
    // About 300 intervals, those of one fit correlated: two standard deviations are 4 %.
    EXPECT_GT(c.share(), 0.90) << c.inside << " of " << c.all << ", memory " << memory;
    EXPECT_LT(c.share(), 0.995) << c.inside << " of " << c.all << ", memory " << memory;
  }
}

/// Different models are distinguished; the simpler one is preferred if they agree.
TEST(Truth, ModelsAreNotConfused) {
  for (const char* model : {"coulomb", "stribeck", "dankowicz", "lugre", "maxwell_slip"}) {
    Options options;
    options.models = {"coulomb", "stribeck", "dankowicz", "stribeck_dankowicz", "lugre", "maxwell_slip"};
    options.elements = {1, 4};
    options.starts = 2;
    options.profiles = false;
    const synthetic::Truth truth = synthetic::truth_of(model, 4, 2e-3);
    const Ranking ranking = identify::identify({truth.recording({0.01})}, options);
    EXPECT_EQ(ranking.recommended, model) << ranking.why;
    EXPECT_FALSE(ranking.why.empty());
  }
}

}  // namespace
