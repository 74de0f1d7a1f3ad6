/// Predictions of data that were not fitted: the rest of a recording, and other recordings.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "bristle/report/fit.hpp"
#include "support/synthetic.hpp"

using namespace bristle;
using namespace bristle::identify;

namespace {

Options quick(std::vector<std::string> models) {
  Options o;
  o.models = std::move(models);
  o.starts = 1;
  o.profiles = false;
  o.global = false;
  return o;
}
Recording lugre(std::uint64_t seed, double level = 0.01) {
  return synthetic::truth_of("lugre", 4, 2e-3).recording({.level = level, .seed = seed});
}
double noise_of(const Recording& clean) {
  return 0.01 * std::abs(*std::ranges::max_element(clean.F, {}, [](double F) { return std::abs(F); }));
}

TEST(Validation, TheRestOfARecordingIsPredictedToTheNoise) {
  const Recording r = lugre(1);
  Options options = quick({"lugre", "coulomb"});
  options.train = 0.5;
  const Ranking ranking = identify::identify({r}, options);
  const Fit& fit = ranking.fits.front();
  ASSERT_EQ(fit.model, "lugre");
  ASSERT_EQ(ranking.fitted_rows.size(), 1U);
  EXPECT_EQ(std::ranges::count(ranking.fitted_rows[0], true), 1001);  // 2001 rows, the middle one among the first
  EXPECT_TRUE(ranking.fitted_rows[0][1000]);
  EXPECT_EQ(fit.rest.rows, 1000U);
  EXPECT_EQ(fit.predicted[0].size(), r.size());
  const double noise = noise_of(lugre(1, 0));
  EXPECT_NEAR(fit.rest.rmse, noise, 0.1 * noise);  // standard error of 1000 samples 2 %, and six parameters
  EXPECT_GT(ranking.fits[1].rest.rmse, 3 * noise);
  EXPECT_EQ(fit.validation.rows, 0U);

  // The error said is the one of the prediction, with the state carried on from the first row.
  double squares = 0, size = 0;
  const std::vector<double> again = predict(fit, r);
  for (std::size_t i = 1001; i < r.size(); ++i) {
    squares += (r.F[i] - again[i]) * (r.F[i] - again[i]);
    size += r.F[i] * r.F[i];
  }
  EXPECT_NEAR(fit.rest.rmse, std::sqrt(squares / 1000), 1e-12);
  EXPECT_NEAR(fit.rest.relative, 100 * std::sqrt(squares / size), 1e-9);
}

TEST(Validation, OnlyTheFirstPartIsFitted) {
  Recording r = lugre(1);
  Options options = quick({"coulomb"});
  options.train = 0.5;
  const Fit before = identify::identify({r}, options).fits.at(0);
  for (std::size_t i = 1001; i < r.size(); ++i) r.F[i] *= 3;  // what follows must not matter
  const Fit after = identify::identify({r}, options).fits.at(0);
  EXPECT_EQ(before.friction[0].value, after.friction[0].value);
  EXPECT_EQ(before.held_out, after.held_out);
  EXPECT_GT(after.rest.rmse, 2 * before.rest.rmse);
}

TEST(Validation, OtherRecordingsArePredicted) {
  Options options = quick({"lugre"});
  options.validation = {lugre(2), lugre(3)};
  const Fit fit = identify::identify({lugre(1)}, options).fits.at(0);
  ASSERT_EQ(fit.validation_predicted.size(), 2U);
  EXPECT_EQ(fit.validation.rows, 4002U);
  const double noise = noise_of(lugre(1, 0));
  EXPECT_NEAR(fit.validation.rmse, noise, 0.05 * noise);
  EXPECT_EQ(fit.rest.rows, 0U);
}

/// Half the load makes half the dry friction: the nominal load is that of the fit, not of what is predicted.
TEST(Validation, TheLoadCountsFromThatOfTheFit) {
  auto loaded = [](double N) {
    Recording r;
    r.name = "loaded";
    for (int i = 0; i < 400; ++i) {
      const double t = 0.01 * i, v = 0.1 * std::cos(3 * t);
      r.t.push_back(t);
      r.x.push_back(0.1 / 3 * std::sin(3 * t));
      r.v.push_back(v);
      r.N.push_back(N);
      r.F.push_back(std::copysign(0.3 * N, v));
    }
    return r;
  };
  Options options = quick({"coulomb"});
  options.validation = {loaded(5)};
  const Fit fit = identify::identify({loaded(10)}, options).fits.at(0);
  EXPECT_NEAR(fit.friction[0].value, 3, 0.01);
  EXPECT_LT(fit.validation.relative, 1);
}

TEST(Validation, OfSteadyPointsSomeAreLeftOutEvenly) {
  Recording r;
  r.name = "points";
  for (int i = 1; i <= 30; ++i) {
    r.v.push_back(i % 2 ? 0.01 * i : -0.01 * i);
    r.F.push_back(std::copysign(2.0, r.v.back()) + 3 * r.v.back());
  }
  Options options = quick({"coulomb"});
  options.train = 0.5;
  const Ranking ranking = identify::identify({r}, options);
  EXPECT_EQ(ranking.fits.at(0).rest.rows, 15U);
  EXPECT_LT(ranking.fits[0].rest.relative, 0.01);
  std::vector<std::pair<double, bool>> by_velocity;
  for (std::size_t i = 0; i < r.size(); ++i) by_velocity.emplace_back(r.v[i], ranking.fitted_rows[0][i]);
  std::ranges::sort(by_velocity);
  for (std::size_t i = 1; i < by_velocity.size(); ++i) EXPECT_NE(by_velocity[i].second, by_velocity[i - 1].second);
}

void expect_error(const std::vector<Recording>& recordings, const Options& options, const std::string& text) {
  try {
    identify::identify(recordings, options);
    ADD_FAILURE() << "no error: " << text;
  } catch (const BadInput& e) { EXPECT_EQ(e.what(), text); }
}

TEST(Validation, SaysWhatIsWrong) {
  const Recording r = lugre(1);
  for (const double train : {0.0, -0.5, 1.5, std::nan("")}) {
    Options options = quick({"coulomb"});
    options.train = train;
    expect_error({r}, options, "train = " + to_text(train) + " must be > 0 and < 1");
  }
  Options few = quick({"coulomb"});
  few.train = 0.001;
  expect_error({r}, few, "lugre: train = 0.001 keeps 3 of 2001 rows; must keep at least 8 and leave at least one");
  Options other = quick({"coulomb"});
  other.validation = {lugre(2)};
  other.validation[0].name = "other";
  other.validation[0].rotational = true;
  expect_error({r}, other, "other: has other units than lugre; all recordings must have the same");
  other.validation[0].rotational = false;
  other.validation[0].u = other.validation[0].F;
  other.validation[0].a = other.validation[0].F;
  other.validation[0].F.clear();
  expect_error({r}, other, "other: has u, but lugre has F; all recordings must have the same");
}

TEST(Validation, IsShownInTheReport) {
  const std::vector<Recording> recordings{lugre(1)};
  Options options = quick({"coulomb"});
  options.train = 0.5;
  options.validation = {lugre(2)};
  options.validation[0].name = "other";
  const Ranking ranking = identify::identify(recordings, options);
  const std::vector<std::string> files{"a.csv"}, others{"other.csv"};
  const report::Fitted fitted{&ranking, recordings, files, {}, options.validation, others};
  const plot::Figure own = report::overlay_figure(fitted, ranking.fits[0], 0);
  ASSERT_EQ(own.panels[0].vertical.size(), 1U);
  EXPECT_NEAR(own.panels[0].vertical[0].at, 2, 0.01);
  const plot::Figure further = report::overlay_figure(fitted, ranking.fits[0], 1);
  EXPECT_TRUE(further.panels[0].vertical.empty());
  EXPECT_EQ(further.panels[0].title, "Measured and predicted");
  const std::string page = report::fit_page(fitted);
  EXPECT_NE(page.find("Measured and predicted: other"), std::string::npos);
  const std::string csv = report::ranking_csv(fitted);
  EXPECT_NE(csv.find(",rest_rmse,rest_percent,validation_rmse,validation_percent\n"), std::string::npos);
  EXPECT_NE(csv.find(to_text(ranking.fits[0].rest.rmse) + "," + to_text(ranking.fits[0].rest.relative) + "," +
                     to_text(ranking.fits[0].validation.rmse)),
            std::string::npos);
}

/// One speed over time and others as steady points: both are needed, and both are used.
TEST(MixedRecordings, PointsAndTimeSeriesAreOneFit) {
  Recording strokes;
  strokes.name = "strokes";
  for (int i = 0; i < 400; ++i) {
    const double t = 0.01 * i, v = i / 100 % 2 == 0 ? 0.01 : -0.01;
    strokes.t.push_back(t);
    strokes.x.push_back(i == 0 ? 0 : strokes.x.back() + 0.01 * v);
    strokes.v.push_back(v);
    strokes.F.push_back(std::copysign(2, v) + 3 * v);
  }
  Recording points;
  points.name = "points";
  for (int i = 1; i <= 30; ++i) {
    points.v.push_back(0.02 * i);
    points.F.push_back(2 + 3 * points.v.back());
  }
  for (const auto& order : {std::vector{points, strokes}, std::vector{strokes, points}, {points, strokes, points}}) {
    const Fit fit = identify::identify(order, quick({"coulomb"})).fits.at(0);
    EXPECT_NEAR(fit.friction[0].value, 2, 1e-4);
    EXPECT_NEAR(fit.friction[1].value, 3, 1e-3);  // the strokes alone know one speed
    EXPECT_LT(fit.relative, 0.01);
  }
}

}  // namespace
