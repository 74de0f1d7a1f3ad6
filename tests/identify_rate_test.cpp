/// Rate and state friction in fits: both laws in the ranking, exact steps, and honest intervals.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "bristle/report/fit.hpp"
#include "support/synthetic.hpp"

using namespace bristle;
using namespace bristle::identify;

namespace {

constexpr double mu0 = 0.6, a = 0.008, b = 0.012, Dc = 1e-5, V0 = 1e-6;

/// The closed form along constant speeds, each for 100 s, from steady sliding at the first. A row at a step has the limit
/// from the left or from the right.
Recording steps(const std::vector<double>& speeds, bool slip_law, bool left, double noise = 0) {
  Recording r;
  r.name = "steps";
  r.coefficient = true;
  double theta = Dc / speeds.front(), x = 0;
  auto add = [&](double t, double v) {
    r.t.push_back(t);
    r.x.push_back(x);
    r.v.push_back(v);
    r.F.push_back(mu0 + a * std::log(v / V0) + b * std::log(V0 * theta / Dc) +
                  noise * synthetic::normal(5, r.t.size()));
  };
  constexpr int rows = 200;
  for (std::size_t k = 0; k < speeds.size(); ++k) {
    const double v = speeds[k], dt = 0.5, decay = std::exp(-v * dt / Dc);
    if (k == 0) add(0, v);
    for (int i = 1; i <= rows; ++i) {
      const double w = v * theta / Dc;
      theta = Dc / v * (slip_law ? std::pow(w, decay) : 1 + (w - 1) * decay);
      x += v * dt;
      const double next = i == rows && !left && k + 1 < speeds.size() ? speeds[k + 1] : v;
      add(dt * static_cast<double>(rows * static_cast<int>(k) + i), next);
    }
  }
  return r;
}
Options quick(const std::vector<std::string>& models) {
  Options o;
  o.models = models;
  o.starts = 2;
  o.profiles = false;
  return o;
}
const Estimate& estimate(const Fit& fit, const std::string& name) {
  return *std::ranges::find(fit.friction, name, &Estimate::name);
}
bool fits(const Fit& fit, const std::string& name) {
  return std::ranges::find(fit.friction, name, &Estimate::name) != fit.friction.end();
}

TEST(RateState, StepsAreReadExactly) {
  for (const bool slip_law : {false, true}) {
    for (const bool left : {false, true}) {
      const Ranking ranking = identify::identify({steps({1e-6, 1e-5}, slip_law, left)}, quick({"rate_state"}));
      ASSERT_EQ(ranking.fits.size(), 2U);
      const Fit& fit = ranking.fits[0];
      EXPECT_EQ(fit.model, slip_law ? "rate_state_slip" : "rate_state_ageing");
      EXPECT_EQ(ranking.recommended, fit.model);
      EXPECT_NEAR(estimate(fit, "a").value, a, 1e-4 * a);
      EXPECT_NEAR(estimate(fit, "b").value, b, 1e-4 * b);
      EXPECT_NEAR(estimate(fit, "Dc").value, Dc, 1e-4 * Dc);
      EXPECT_FALSE(fits(fit, "kv"));  // of a coefficient only if requested
    }
  }
}

/// A jump between two rows: only the displacement shows its time.
TEST(RateState, StepsBetweenRowsAreReadExactly) {
  const Recording fine = steps({1e-6, 1e-5}, false, false);
  Recording r = fine;
  for (const auto series : {&Recording::t, &Recording::x, &Recording::v, &Recording::F}) {
    (r.*series).clear();
    for (std::size_t i = 0; i < fine.size(); i += 3) (r.*series).push_back((fine.*series)[i]);
  }
  ASSERT_NE(fine.v[198], fine.v[201]);  // the jump is at row 200
  const Fit fit = identify::identify({r}, quick({"rate_state_ageing"})).fits.at(0);
  EXPECT_NEAR(estimate(fit, "a").value, a, 1e-4 * a);
  EXPECT_NEAR(estimate(fit, "Dc").value, Dc, 1e-4 * Dc);
}

TEST(RateState, ALawIsChosenByItsNameOrItsField) {
  const Recording r = steps({1e-6, 1e-5}, true, false, 1e-4);
  const std::vector<std::string> files{"r.csv"};
  for (const auto& [model, law] : {std::pair{"rate_state_slip", ""}, {"rate_state", "slip"}}) {
    Options options = quick({model});
    if (*law != 0) options.fixed = {{"law", std::string(law)}};
    const Ranking ranking = identify::identify({r}, options);
    ASSERT_EQ(ranking.fits.size(), 1U);
    EXPECT_EQ(ranking.fits[0].model, "rate_state_slip");
    const std::vector<Recording> recordings{r};
    const report::Fitted fitted{&ranking, recordings, files, {}, {}, {}};
    const std::string file = report::friction_file(ranking.fits[0], fitted);
    EXPECT_NE(file.find("model = \"rate_state\"\n"), std::string::npos) << file;
    EXPECT_NE(file.find("law = \"slip\""), std::string::npos) << file;
  }
  Options wrong = quick({"rate_state"});
  wrong.fixed = {{"law", std::string("fast")}};
  EXPECT_THROW(identify::identify({r}, wrong), BadInput);
  wrong = quick({"rate_state_slip"});
  wrong.fixed = {{"law", std::string("ageing")}};
  EXPECT_THROW(identify::identify({r}, wrong), BadInput);
}

/// Two speeds do not separate the direct effect from viscous friction; three do.
TEST(RateState, TwoSpeedsDoNotSeparateAFromViscousFriction) {
  Options with_kv = quick({"rate_state_ageing"});
  with_kv.free = {"kv"};
  const Fit two = identify::identify({steps({1e-6, 1e-5}, false, false, 1e-5)}, with_kv).fits.at(0);
  EXPECT_LE(estimate(two, "a").low, a);
  EXPECT_GE(estimate(two, "a").high, a);
  EXPECT_GT(estimate(two, "a").high / estimate(two, "a").low, 1.2);
  EXPECT_GT(estimate(two, "kv").high, 100);  // 1e-3 at 1e-5 m/s: a hundred times the noise
  const Fit three = identify::identify({steps({1e-6, 1e-5, 1e-4}, false, false, 1e-5)}, with_kv).fits.at(0);
  EXPECT_NEAR(estimate(three, "a").value, a, 0.01 * a);
  EXPECT_LT(estimate(three, "a").high / estimate(three, "a").low, 1.05);
}

/// A steady curve does not show a sliding distance, nor a and b one by one.
TEST(RateState, SteadyPointsDetermineOneDifference) {
  Recording r;
  r.name = "points";
  r.coefficient = true;
  for (int i = 0; i < 30; ++i) {
    r.v.push_back(1e-6 * std::pow(10, 0.1 * i));
    r.F.push_back(mu0 + (a - b) * std::log(r.v.back() / V0) +
                  1e-4 * synthetic::normal(1, static_cast<std::uint64_t>(i)));
  }
  const Ranking all = identify::identify({r}, {.starts = 1, .profiles = false});
  for (const Fit& f : all.fits) EXPECT_FALSE(f.model.starts_with("rate_state")) << f.model;
  const Fit named = identify::identify({r}, quick({"rate_state_slip"})).fits.at(0);
  for (const char* name : {"a", "b", "Dc"})
    EXPECT_FALSE(estimate(named, name).identifiable)
        << name << " " << estimate(named, name).low << " " << estimate(named, name).high;
}

/// Files at different speeds each start from steady sliding at their own.
TEST(RateState, EveryRecordingStartsAtItsOwnSpeed) {
  std::vector<Recording> files{steps({1e-6, 1e-5}, false, false, 1e-5), steps({1e-5, 1e-4}, false, false, 1e-5),
                               steps({1e-4, 1e-6}, false, false, 1e-5)};
  const Fit fit = identify::identify(files, quick({"rate_state_ageing"})).fits.at(0);
  EXPECT_NEAR(fit.rmse, 1e-5, 1e-6);
  EXPECT_NEAR(estimate(fit, "a").value, a, 0.005 * a);
  EXPECT_NEAR(estimate(fit, "Dc").value, Dc, 0.005 * Dc);
}

/// Without a normal load the coefficients are a convention, which is stated.
TEST(RateState, AnAssumedLoadIsReported) {
  Recording r = steps({1e-6, 1e-5}, false, false);
  r.coefficient = false;
  for (double& F : r.F) F *= 50;
  Options options = quick({"rate_state_ageing"});
  options.fixed = {{"kv", 0.0}};  // two speeds
  const Ranking ranking = identify::identify({r}, options);
  ASSERT_EQ(ranking.notes.size(), 1U);
  EXPECT_NE(ranking.notes[0].find("normal load unknown"), std::string::npos);
  EXPECT_NEAR(estimate(ranking.fits[0], "a").value, a, 1e-3 * a);
  Options known = quick({"rate_state_ageing"});
  known.fixed = {{"normal_load", 100.0}, {"kv", 0.0}};
  const Ranking other = identify::identify({r}, known);
  EXPECT_TRUE(other.notes.empty());
  EXPECT_NEAR(estimate(other.fits[0], "a").value, a / 2, 1e-3 * a);
}

}  // namespace
