/// Several recordings: their order does not matter, their borders are no reversals, and none of their rows is dropped.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "identify/evaluator.hpp"
#include "support/synthetic.hpp"

using namespace bristle;
using namespace bristle::identify;

namespace {

/// A joint at constant speeds, one file each: u = Fc sgn v + kv v.
constexpr double Fc = 10, kv = 3, sigma = 0.2;
std::vector<Recording> constant_speeds(std::uint64_t seed) {
  std::vector<Recording> out;
  for (const double v : {0.02, -0.02, 0.2, -0.2, 1.0, -1.0}) {
    std::vector<double> t, x, u;
    for (std::uint64_t i = 0; i < 500; ++i) {
      t.push_back(0.01 * static_cast<double>(i));
      x.push_back(v * t.back());
      u.push_back(std::copysign(Fc, v) + kv * v + sigma * synthetic::normal(seed + out.size(), i));
    }
    const Read read = make_recording({{{"t", "s", t}, {"x", "m", x}, {"u", "N", u}}}, {}, "run.csv");
    EXPECT_TRUE(read.problems.empty());
    out.push_back(read.recording);
  }
  return out;
}
Options quick(std::vector<std::string> models) {
  Options o;
  o.models = std::move(models);
  o.starts = 1;
  o.global = false;
  return o;
}
const Estimate& estimate(const Fit& fit, const std::string& name) {
  return *std::ranges::find(fit.friction, name, &Estimate::name);
}

TEST(Recordings, AtConstantSpeedsAreAllFitted) {
  for (const std::uint64_t seed : {10U, 20U, 30U}) {
    const Ranking ranking = identify::identify(constant_speeds(seed), quick({"coulomb"}));
    const Fit& fit = ranking.fits.at(0);
    EXPECT_TRUE(ranking.notes.empty());
    for (const auto& [name, truth] : {std::pair{"Fc", Fc}, {"kv", kv}}) {
      EXPECT_LE(estimate(fit, name).low, truth) << name << " " << seed;
      EXPECT_GE(estimate(fit, name).high, truth) << name << " " << seed;
    }
    // 3000 rows: standard errors of the least-squares line through three speeds.
    EXPECT_NEAR(estimate(fit, "Fc").high - estimate(fit, "Fc").low, 4 * 0.0051, 0.004);
    EXPECT_NEAR(estimate(fit, "kv").high - estimate(fit, "kv").low, 4 * 0.0086, 0.006);
    EXPECT_NEAR(fit.rmse, sigma, 0.05 * sigma);
  }
}

void expect_same(const Fit& a, const Fit& b) {
  EXPECT_EQ(a.model, b.model);
  EXPECT_EQ(a.rmse, b.rmse) << a.model;
  EXPECT_EQ(a.held_out, b.held_out) << a.model;
  EXPECT_EQ(a.bic, b.bic) << a.model;
  EXPECT_EQ(a.correlation, b.correlation) << a.model;
  EXPECT_EQ(a.validation.rmse, b.validation.rmse) << a.model;
  EXPECT_EQ(a.rest.rmse, b.rest.rmse) << a.model;
  for (const auto list : {&Fit::friction, &Fit::body}) {
    ASSERT_EQ((a.*list).size(), (b.*list).size()) << a.model;
    for (std::size_t i = 0; i < (a.*list).size(); ++i) {
      EXPECT_EQ((a.*list)[i].value, (b.*list)[i].value) << a.model;
      EXPECT_EQ((a.*list)[i].low, (b.*list)[i].low) << a.model;
      EXPECT_EQ((a.*list)[i].high, (b.*list)[i].high) << a.model;
    }
  }
}

/// Equal bits for any order, also with equal recordings among them, and results at the place of their recording.
TEST(Recordings, MayComeInAnyOrder) {
  std::vector<Recording> given = constant_speeds(1);
  given.push_back(given[2]);
  Options options = quick({"coulomb", "stribeck", "lugre", "rate_state"});
  options.train = 0.7;
  options.validation = constant_speeds(7);
  const Ranking first = identify::identify(given, options);
  for (const std::vector<std::size_t>& order : {std::vector<std::size_t>{6, 5, 4, 3, 2, 1, 0}, {3, 0, 6, 5, 1, 4, 2}}) {
    std::vector<Recording> permuted;
    Options other = options;
    for (const std::size_t k : order) permuted.push_back(given[k]);
    permuted.front().name = "a";  // names do not matter
    std::ranges::reverse(other.validation);
    const Ranking ranking = identify::identify(permuted, other);
    EXPECT_EQ(ranking.recommended, first.recommended);
    EXPECT_EQ(ranking.why, first.why);
    ASSERT_EQ(ranking.fits.size(), first.fits.size());
    for (std::size_t m = 0; m < first.fits.size(); ++m) {
      expect_same(ranking.fits[m], first.fits[m]);
      for (std::size_t k = 0; k < order.size(); ++k) {
        EXPECT_EQ(ranking.fits[m].predicted[k], first.fits[m].predicted[order[k]]);
        EXPECT_EQ(ranking.fitted_rows[k], first.fitted_rows[order[k]]);
      }
      for (std::size_t k = 0; k < 6; ++k)
        EXPECT_EQ(ranking.fits[m].validation_predicted[k], first.fits[m].validation_predicted[5 - k]);
    }
  }
}

/// A recording that continues where another one ends in the opposite direction is not a reversal.
TEST(Features, ABorderOfRecordingsIsNoReversal) {
  std::vector<Recording> there_and_back;
  for (const double v : {0.1, -0.1}) {
    Recording r;
    for (int i = 0; i < 100; ++i) {
      r.t.push_back(0.01 * i);
      r.v.push_back(v);
      r.x.push_back(5 + v * r.t.back());
      r.F.push_back(std::copysign(2.0, v));
    }
    there_and_back.push_back(r);
  }
  for (double& x : there_and_back[1].x) x += 1000;  // another origin
  const Features f = features_of(joined(there_and_back, 2), Gravity::none);
  EXPECT_EQ(f.reversals, 0U);
  EXPECT_NEAR(f.travel, 0.099, 1e-9);
}

class EveryModel : public testing::TestWithParam<std::string> {};

/// A recording that begins in the middle of the motion: the model that made it continues it, without its earlier motion.
TEST_P(EveryModel, ContinuesFromAnUnknownState) {
  if (GetParam() == "haessig_friedland") GTEST_SKIP() << "its bristles snap at random";
  if (GetParam() == "film") GTEST_SKIP() << "not fitted: the film at the start is unknown";
  const synthetic::Truth truth = synthetic::truth_of(GetParam(), 4, 2e-3);
  const Recording whole = truth.recording({0});
  const auto model = evaluator(GetParam(), truth.parameters);
  const std::vector<double> p = model->values();
  const double largest = features_of(joined({whole}, 2), Gravity::none).force;
  for (const double begin : {0.3, 0.43, 0.57}) {  // of the time
    Recording later;
    auto from = static_cast<std::size_t>(begin * static_cast<double>(whole.size()));
    while (std::abs(whole.v[from + 1]) > std::abs(whole.v[from])) ++from;  // the middle of a stroke
    for (const auto series : {&Recording::t, &Recording::x, &Recording::v, &Recording::F})
      (later.*series).assign((whole.*series).begin() + static_cast<std::ptrdiff_t>(from), (whole.*series).end());
    Series data = joined({later}, 2);
    estimate_initial_states(data, features_of(data, Gravity::none));
    EXPECT_EQ(data.used, data.size());
    double worst = 0;
    model->evaluate(data, {p.data()}, [&](const Rows& rows) {
      for (std::size_t k = 0; k < rows.n; ++k)
        worst = std::max(worst, std::abs(rows.F[k] - later.F[rows.from + k]) / largest);
      return true;
    });
    EXPECT_LT(worst, 0.1)
        << begin;  // the earlier speed is unknown to laws with a lag; from rest most errors exceed 0.4
  }
}

INSTANTIATE_TEST_SUITE_P(Models, EveryModel, testing::ValuesIn(synthetic::lumped_models()),
                         [](const auto& model) { return model.param; });

}  // namespace
