#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

#include "identify/candidate.hpp"
#include "support/synthetic.hpp"

using namespace bristle;
using namespace bristle::identify;

/// The recommendation, and the data that it is based on.
namespace {

/// A law of sliding along strokes of two frequencies, 2 s at 1 kHz.
template <class Law> Recording strokes(std::uint64_t seed, double noise, const Law& law) {
  Recording r;
  r.name = "strokes";
  double x = 0;
  for (std::size_t i = 0; i < 2000; ++i) {
    const double t = 1e-3 * static_cast<double>(i);
    const double v = 0.1 * std::sin(two_pi * t + 0.3) + 0.04 * std::sin(two_pi * 2.7 * t);
    x += 1e-3 * v;
    r.t.push_back(t);
    r.x.push_back(x);
    r.v.push_back(v);
    r.F.push_back(law(x, v, t) + noise * synthetic::normal(seed, i));
    r.line.push_back(i + 2);
  }
  return r;
}
double side_of(double v) { return v > 0 ? 1 : v < 0 ? -1 : 0; }
double coulomb(double, double v, double) { return side_of(v) + 0.5 * v; }
double stribeck(double, double v, double) { return side_of(v) * (1 + 0.5 * std::exp(-v * v / 4e-4)) + 0.5 * v; }

Options quick(std::vector<std::string> models) {
  Options o;
  o.models = std::move(models);
  o.starts = 1;
  o.global = false;
  o.profiles = false;
  return o;
}

const Fit& fit_of(const Ranking& ranking, const std::string& model) {
  return *std::ranges::find(ranking.fits, model, &Fit::model);
}

TEST(Ranking, EvaluatesAModelWithNothingToFit) {
  Options options = quick({"coulomb", "stribeck"});
  options.fixed = {{"Fc", 1.0}, {"kv", 0.5}};
  const Ranking ranking = identify::identify({strokes(1, 0.02, coulomb)}, options);
  ASSERT_EQ(ranking.fits.size(), 2U);
  const Fit& fit = fit_of(ranking, "coulomb");
  EXPECT_EQ(fit.used, 0U);
  EXPECT_TRUE(fit.friction.empty());
  EXPECT_NEAR(fit.rmse, 0.02, 1e-3);
  EXPECT_NEAR(fit.held_out, fit.rmse, 1e-12);  // nothing to fit to the other blocks
  EXPECT_EQ(ranking.recommended, "coulomb");
}

/// One part of twenty must not decide, three of them may.
TEST(Ranking, NoSinglePartDecides) {
  Series data;
  data.weight.assign(2000, 1.0);
  data.used = 2000;
  data.stretches = {{0, 2000}};
  const Features features{.reversals = 10};
  const Options options;
  const Control control(1e6);
  const Setting s{data, features, options, control};
  for (const std::size_t parts : {1U, 3U}) {
    Candidate better, worse;
    for (std::size_t i = 0; i < 2000; ++i) {
      const auto r = static_cast<float>(synthetic::normal(3, i));
      better.held_out.push_back(r);
      worse.held_out.push_back((i / 100) % 6 == 0 && i < 600 * parts ? 10 * r : r + 1e-3F);
    }
    EXPECT_EQ(clearly_better(better, worse, s), parts == 3) << parts;
    EXPECT_FALSE(clearly_better(worse, better, s));
  }
}

TEST(Ranking, ListsOutliersOfTheForceAndIgnoresThem) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    Recording clean = strokes(seed, 0.02, stribeck), r = clean;
    std::vector<std::size_t> rows;
    for (std::size_t k = 0; k < 10; ++k) {  // the first and the last row too
      const std::size_t inside = 20 + 190 * k + static_cast<std::size_t>(100 * uniform(seed, 5, k));
      rows.push_back(k == 0 ? 0 : k == 9 ? r.size() - 1 : inside);
      r.F[rows.back()] += (uniform(seed, 6, k) < 0.5 ? 1 : -1) * (2 + 8 * uniform(seed, 7, k));
    }
    const Options options = quick({"coulomb", "stribeck", "coulomb_tanh"});
    const Ranking before = identify::identify({clean}, options), after = identify::identify({r}, options);
    EXPECT_TRUE(before.outliers.empty());
    ASSERT_EQ(after.outliers.size(), 1U);
    EXPECT_EQ(after.outliers.front(), rows);
    EXPECT_NE(after.notes.back().find("10 outliers of the force"), std::string::npos) << after.notes.back();
    EXPECT_NE(after.notes.back().find(std::to_string(rows.back() + 2)), std::string::npos) << after.notes.back();
    EXPECT_EQ(after.recommended, "stribeck") << after.why;
    EXPECT_NEAR(after.fits.front().held_out, before.fits.front().held_out, 0.01 * before.fits.front().held_out);
    EXPECT_NEAR(after.fits.front().r_squared, before.fits.front().r_squared, 1e-4);
  }
}

/// A peak at every reversal and a jump of the force belong to the friction, even if no model has them.
TEST(Ranking, PeaksAtReversalsAreNoOutliers) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    Recording r = strokes(seed, 0.02, coulomb);
    for (std::size_t i = 1; i < r.size(); ++i) {
      if (r.v[i] * r.v[i - 1] < 0) r.F[i] += side_of(r.v[i]) * (0.8 + 0.4 * uniform(seed, 8, i));
      if (i > 1200 && i < 1300) r.F[i] += 0.4;
    }
    EXPECT_TRUE(identify::identify({r}, quick({"coulomb", "coulomb_tanh"})).outliers.empty()) << seed;
  }
}

TEST(Ranking, MarksUnfinishedFits) {
  Options options = quick({"coulomb", "stribeck"});
  options.threads = 1;
  std::size_t validated = 0;
  options.progress = [&](double, const std::string& what) { return what != "cross-validation" || ++validated < 6; };
  const Ranking ranking = identify::identify({strokes(1, 0.02, stribeck)}, options);
  ASSERT_EQ(ranking.fits.size(), 2U);
  EXPECT_TRUE(ranking.stopped);
  EXPECT_TRUE(ranking.fits[0].finished);
  EXPECT_EQ(ranking.fits[0].model, "coulomb");
  EXPECT_FALSE(ranking.fits[1].finished);  // better, but without a prediction
  EXPECT_LT(ranking.fits[1].rmse, 0.5 * ranking.fits[0].rmse);
  EXPECT_TRUE(std::isnan(ranking.fits[1].held_out));
  EXPECT_EQ(ranking.recommended, "coulomb");
  EXPECT_EQ(ranking.unfinished, std::vector<std::string>{"stribeck"});
  EXPECT_NE(ranking.why.find("not finished within the time limit: stribeck"), std::string::npos) << ranking.why;

  options.progress = {};
  options.seconds = 1e-6;
  const Ranking none = identify::identify({strokes(1, 0.02, stribeck)}, options);
  for (const Fit& f : none.fits) EXPECT_FALSE(f.finished);
  EXPECT_EQ(none.unfinished.size(), 2U);
}

TEST(Ranking, SaysThatTheSearchWasCutShort) {
  Options options = quick({"coulomb", "stribeck", "dahl"});
  options.threads = 1;
  options.seconds = 1;
  options.progress = [&, begin = std::chrono::steady_clock::now()](double, const std::string&) {
    std::this_thread::sleep_until(begin + std::chrono::milliseconds(550));  // late from the second model on
    return true;
  };
  const Ranking ranking = identify::identify({strokes(1, 0.02, stribeck)}, options);
  if (ranking.stopped) GTEST_SKIP() << "the machine is too busy";
  EXPECT_NE(ranking.why.find("the time limit cut its search for starting points short"), std::string::npos)
      << ranking.why;
}

TEST(Ranking, RecommendsNothingForNoise) {
  for (const std::uint64_t seed : {1U, 2U}) {
    const Ranking noise = identify::identify({strokes(seed, 1, [](double, double, double) { return 0.0; })},
                                             quick({"coulomb", "stribeck", "dahl"}));
    EXPECT_EQ(noise.recommended, "");
    EXPECT_EQ(noise.why.find("no model explains the data"), 0U) << noise.why;
    // A constant force has no variance, but an error of 2 %.
    Recording constant = strokes(seed, 0.02, [](double, double, double) { return 1.0; });
    for (double& v : constant.v) v = std::abs(v) + 0.01;
    constant.x.clear();
    EXPECT_EQ(identify::identify({constant}, quick({"coulomb"})).recommended, "coulomb");
  }
}

/// Steady points do not determine the evolution of a state.
TEST(Ranking, SteadyPointsExcludeHiddenParameters) {
  Recording r;
  r.name = "points";
  for (std::size_t i = 0; i < 40; ++i) {
    r.v.push_back((i % 2 == 0 ? 1 : -1) * 0.01 * static_cast<double>(i + 1));
    r.F.push_back(coulomb(0, r.v.back(), 0) + 0.02 * synthetic::normal(4, i));
  }
  Options options = quick({});
  const Ranking ranking = identify::identify({r}, options);
  EXPECT_EQ(std::ranges::find(ranking.fits, "rate_state", &Fit::model), ranking.fits.end());
  EXPECT_EQ(ranking.recommended, "coulomb") << ranking.why;
}

/// The remark about a residual names the option that explains it.
TEST(Ranking, HintsAtTheMissingOption) {
  auto remarks = [](const Recording& r) {
    std::string out;
    const Ranking ranking = identify::identify({r}, quick({"coulomb"}));
    for (const ResidualTest& t : ranking.fits.at(0).tests) out += t.text + "\n";
    return out;
  };
  auto with = [](auto extra) {
    return strokes(5, 0.02, [&](double x, double v, double t) { return coulomb(x, v, t) + extra(x, v); });
  };
  EXPECT_EQ(remarks(strokes(5, 0.02, coulomb)).find("--"), std::string::npos);
  const std::string shifted = remarks(with([](double, double) { return 0.1; }));
  EXPECT_TRUE(shifted.find("--effects offset") != std::string::npos ||
              shifted.find("--effects asymmetry") != std::string::npos)
      << shifted;
  const std::string cogging = remarks(with([](double x, double) { return 0.1 * std::sin(two_pi * x / 0.02); }));
  EXPECT_NE(cogging.find("--effects cogging"), std::string::npos) << cogging;
  const std::string ripple =
      remarks(with([](double x, double v) { return 0.1 * side_of(v) * std::sin(two_pi * x / 0.02); }));
  EXPECT_NE(ripple.find("--effects ripple"), std::string::npos) << ripple;
  Recording held = strokes(5, 0.02, coulomb);
  for (std::size_t i = 700; i < 1000; ++i) {
    held.v[i] = 0;
    held.F[i] = 0.3;
  }
  const std::string rest = remarks(held);
  EXPECT_NE(rest.find("--scenario"), std::string::npos) << rest;
}

}  // namespace
