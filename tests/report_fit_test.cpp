/// Output of identify: a ranking, friction files that run, a self-contained page.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "bristle/registry/any.hpp"
#include "bristle/report/fit.hpp"
#include "support/scenario.hpp"
#include "support/xml.hpp"

using namespace bristle;
using namespace bristle::identify;
using namespace bristle::report;

namespace {

bool has(const std::string& text, const std::string& piece) { return text.find(piece) != std::string::npos; }

/// A recording with two fits by hand: coulomb, which is recommended, and lugre with a doubtful sigma1.
struct Example {
  std::vector<Recording> recordings{1};
  Ranking ranking{};
  std::vector<std::string> files{"bench/run,1.csv"};
  std::vector<std::vector<Finding>> findings{{{false, "t = t_s, x = x_mm"}, {true, "1 gap <& more>"}}};

  explicit Example(std::size_t n = 1000) {
    Recording& r = recordings[0];
    r.name = "run,1";
    for (std::size_t i = 0; i < n; ++i) {
      const double t = 0.01 * static_cast<double>(i);
      r.t.push_back(t);
      r.x.push_back(0.1 * std::sin(t));
      r.v.push_back(0.1 * std::cos(t));
      r.a.push_back(-0.1 * std::sin(t));
      r.F.push_back(r.v.back() > 0 ? 2 : -2);
    }
    Fit coulomb{.model = "coulomb", .converged = true};
    coulomb.friction = {{.name = "Fc", .unit = "N", .value = 2, .low = 1.9, .high = 2.1, .profiled = true},
                        {.name = "kv", .unit = "N s/m", .value = 0, .low = 0, .high = 0.3, .at_bound = true}};
    coulomb.parameters = {{"Fc", 2.0}, {"kv", 0.0}};
    coulomb.correlation = {1, -0.97, -0.97, 1};
    coulomb.rmse = 0.125;
    coulomb.relative = 6.25;
    coulomb.held_out = 0.25;
    coulomb.held_out_relative = 12.5;
    coulomb.bic = -100.5;
    coulomb.used = 2;
    coulomb.tests = {{"white", 3.5, 0.00001, "the residual is not white"}};
    coulomb.predicted = {recordings[0].F};
    Fit lugre = coulomb;
    lugre.model = "lugre";
    lugre.used = 6;
    lugre.converged = false;
    lugre.message = "no convergence, after 200 steps";
    lugre.friction[1] = {.name = "sigma1",
                         .unit = "N s/m",
                         .value = 3,
                         .low = 0,
                         .high = 900,
                         .identifiable = false,
                         .diagnosis = "sigma1 is not identifiable: no motion\nbelow 10 vs"};
    lugre.parameters = {{"Fc", 2.0}, {"Fs", 3.0}, {"vs", 0.01}, {"sigma0", 1e4}, {"sigma1", 3.0}};
    lugre.effects = {{"asymmetry", 0.125}};
    lugre.friction.push_back({.name = "asymmetry", .unit = "1", .value = 0.125, .low = 0.1, .high = 0.15});
    ranking.fits = {lugre, coulomb};
    ranking.failed = {Fit{.model = "gms", .message = "too few rows"}};
    ranking.recommended = "coulomb";
    ranking.why = "coulomb is as good as lugre";
    ranking.notes = {"no motion below 1e-3 m/s"};
  }
  Fitted fitted() const { return {&ranking, recordings, files, findings}; }
};

TEST(RankingFile, HasALinePerModel) {
  Example e;
  e.ranking.fits[1].r_squared = 0.5;
  e.ranking.fits[1].rest = {10, 0.75, 37.5};
  EXPECT_EQ(
      ranking_csv(e.fitted()),
      "model,parameters,rmse,relative_percent,bic,held_out_rmse,held_out_percent,elements,recommended,seconds,message,"
      "r_squared,rest_rmse,rest_percent,validation_rmse,validation_percent\n"
      "lugre,6,0.125,6.25,-100.5,0.25,12.5,,no,0.000,\"no convergence, after 200 steps\",0,,,,\n"
      "coulomb,2,0.125,6.25,-100.5,0.25,12.5,,yes,0.000,,0.5,0.75,37.5,,\n"
      "gms,,,,,,,,no,0.000,too few rows,,,,,\n");
}

TEST(FrictionFile, HasIntervalsAndRemarks) {
  const Example e;
  const std::string text = friction_file(e.ranking.fits[0], e.fitted());
  for (const char* line :
       {"to bench/run,1.csv\n", "# rmse 0.125 N (6.25 %), held out 0.25 N\n",
        "# the fit did not converge: no convergence, after 200 steps\n", "[friction]\nmodel = \"lugre\"\n",
        "# N, 95 %: 1.9 to 2.1\n", "# sigma1 is not identifiable: no motion below 10 vs\n",
        "[friction.effects]\nasymmetry = 0.125", "Fs = 3\n"}) {
    EXPECT_TRUE(has(text, line)) << line << "in\n" << text;
  }
  EXPECT_TRUE(has(friction_file(e.ranking.fits[1], e.fitted()), "# N s/m, 95 %: 0 to 0.3, at a limit\n"));
}

TEST(FrictionFile, RunsAsItIs) {
  Example e;
  for (const Fit& fit : e.ranking.fits) {
    const Scenario s = good(friction_file(fit, e.fitted()));
    const auto run = simulate(s.experiment, {});
    const auto& v = run.trace.find("v")->values;
    EXPECT_NEAR(*std::max_element(v.begin(), v.end()), 0.1, 1e-3) << "as fast as the recording";
    EXPECT_NEAR(*std::min_element(v.begin(), v.end()), -0.1, 1e-3);
  }
  EXPECT_FALSE(good(friction_file(e.ranking.fits[0], e.fitted())).rotational);
  e.recordings[0].rotational = true;
  EXPECT_TRUE(good(friction_file(e.ranking.fits[0], e.fitted())).rotational);
  // Arrays, and a motion in one direction.
  Fit gms{.model = "maxwell_slip", .elements = 2};
  gms.parameters = {{"k", {4e4, 3e4}}, {"W", {1.0, 2.0}}};
  gms.friction = {{.name = "k1", .unit = "N/m", .value = 4e4, .low = 3.9e4, .high = 4.1e4},
                  {.name = "k2", .unit = "N/m", .value = 3e4, .low = 2.9e4, .high = 3.1e4}};
  for (double& v : e.recordings[0].v) v = 0.5;
  const std::string text = friction_file(gms, e.fitted());
  EXPECT_TRUE(has(text, "k = [40000, 30000]\n# k1: N m/rad, 95 %: 3.9e+04 to 4.1e+04\n")) << text;
  const auto run = simulate(good(text).experiment, {});
  EXPECT_NEAR(run.trace.find("F")->values.back(), 3, 1e-6);
}

TEST(FrictionFile, HoldsTheBodyAndTheMeasuredRange) {
  Example e;
  Fit& fit = e.ranking.fits[1];
  Recording& r = e.recordings[0];
  r.u = std::move(r.F);
  r.F.clear();
  r.T.assign(r.size(), 25);
  r.rotational = true;
  fit.normal_load = 40;
  fit.body = {{.name = "inertia", .unit = "kg", .value = 1.5, .low = 1.4, .high = 1.6},
              {.name = "offset", .unit = "N", .value = 0.25, .low = 0.2, .high = 0.3},
              {.name = "gravity", .unit = "N", .value = 2.5, .low = 2, .high = 3},
              {.name = "gravity_phase", .unit = "rad", .value = -0.5, .low = -0.6, .high = -0.4}};
  const std::string text = friction_file(fit, e.fitted());
  for (const char* line : {"\nmass = 1.5                       # kg m^2, 95 %: 1.4 to 1.6\n", "\noffset = 0.25 ",
                           "\ngravity = 2.5 ", "\ngravity_phase = -0.5 ", "\nnormal_load = 40 ", "\n[fitted]\n",
                           "\nunits = \"rotational\"\n", "\nrole = \"u\"\n", "\n[measured]\nv = [-", "\nT = [25, 25] "})
    EXPECT_TRUE(has(text, line)) << line << "in\n" << text;
  // The file itself, and its motion, stay within the range.
  const Scenario s = good(text);
  ASSERT_EQ(s.measured.size(), 1U);
  EXPECT_EQ(outside_measured(s, simulate(s.experiment, {})), "");
}

TEST(FrictionFile, TellsTheEndsOfAnIntervalApart) {
  using Pair = std::array<std::string, 2>;
  EXPECT_EQ(interval_of(Estimate{.low = 1.9, .high = 2.1}), (Pair{"1.9", "2.1"}));
  EXPECT_EQ(interval_of(Estimate{.low = 19.999812, .high = 20.000234}), (Pair{"19.99981", "20.00023"}));
  EXPECT_EQ(interval_of(Estimate{.low = 0, .high = 1234567}), (Pair{"0", "1.235e+06"}));
  EXPECT_EQ(interval_of(Estimate{.low = 3, .high = 3}), (Pair{"3", "3"}));
  EXPECT_EQ(interval_of(Estimate{.low = -INFINITY, .high = 3}), (Pair{"–", "3"}));
  // An end that says nothing about the size is open.
  EXPECT_EQ(interval_text({.value = 2, .low = 1.9, .high = 2.1}), "1.9 to 2.1");
  EXPECT_EQ(interval_text({.value = 1.2, .low = 0.89, .high = 3e172}), "> 0.89");
  EXPECT_EQ(interval_text({.value = 1.2, .low = 1e-9, .high = 5}), "< 5");
  EXPECT_EQ(interval_text({.value = 1.2, .low = 1e-9, .high = INFINITY}), "no limits");
  EXPECT_EQ(interval_text({.value = 1.2, .low = 0, .high = 3}), "0 to 3");
}

TEST(FrictionFile, UnitsOfACoefficient) {
  Recording r;
  r.coefficient = true;
  EXPECT_EQ(unit_of("N", r), "");
  EXPECT_EQ(unit_of("N/m", r), "1/m");
  EXPECT_EQ(unit_of("N s/m", r), "s/m");
  EXPECT_EQ(unit_of("m/s", r), "m/s");
  r.coefficient = false;
  r.rotational = true;
  EXPECT_EQ(unit_of("N/m", r), "N m/rad");
}

std::string body(const std::string& page) {
  const std::string head = "<!DOCTYPE html>\n";
  EXPECT_TRUE(page.starts_with(head));
  return page.substr(head.size());
}

TEST(FitPage, HasAllItsParts) {
  const Example e;
  const std::string page = fit_page(e.fitted());
  const std::vector<xml::Element> elements = xml::parse(body(page));
  Lines headings, cells;
  std::size_t figures = 0;
  for (const xml::Element& x : elements) {
    if (x.name == "h2") headings.push_back(x.text);
    if (x.name == "td") cells.push_back(x.text);
    figures += x.name == "svg" ? 1U : 0U;
    EXPECT_FALSE(x.attributes.contains("src"));  // the script that shows values is inline
    EXPECT_NE(x.name, "link");
  }
  EXPECT_EQ(headings, (Lines{"Parameters of coulomb", "Ranking", "Measured and fitted", "Friction", "Residual",
                             "Details of coulomb", "Other models", "Data"}));
  EXPECT_EQ(figures, 7U);
  // The answer comes first: errors, undetermined values and the picture before any section.
  const std::string first = page.substr(0, page.find("<h2>"));
  for (const char* part : {"0.25 N (12.50 % of its rms) of the friction", "Not determined", "kv", "<svg"})
    EXPECT_TRUE(has(first, part)) << part;
  for (const char* cell : {"recommended", "sigma1 is not identifiable: no motion\nbelow 10 vs", "at a limit", "profile",
                           "-0.97", "too few rows", "the residual is not white", "< 0.0001"}) {
    EXPECT_NE(std::find(cells.begin(), cells.end(), cell), cells.end()) << cell;
  }
  EXPECT_TRUE(has(page, "coulomb is as good as lugre"));
  EXPECT_TRUE(has(page, "1 gap &lt;&amp; more&gt;"));
  EXPECT_EQ(page, fit_page(e.fitted())) << "the same input gives the same bytes";
  Example stopped;
  for (Fit& fit : stopped.ranking.fits) fit.held_out = fit.held_out_relative = std::nan("");
  EXPECT_TRUE(has(fit_page(stopped.fitted()), "<dd>not computed</dd>"));
}

TEST(FitPage, LongRecordingsStaySmall) {
  const Example e(200000);
  const plot::Figure f = overlay_figure(e.fitted(), e.ranking.fits[1], 0);
  ASSERT_EQ(f.panels.size(), 3U);
  for (const plot::Panel& p : f.panels) {
    for (const plot::Series& s : p.series) EXPECT_LE(s.x.size(), 3000U);
  }
  EXPECT_EQ(f.panels[0].series[0].label, "measured");
  EXPECT_EQ(f.panels[0].y.label, "Friction force F (N)");
  EXPECT_LT(fit_page(e.fitted()).size(), 1000000U);
}

TEST(FitPage, AxesAreScaledByTheData) {
  Example e(2000);
  const auto [least, most] = std::ranges::minmax(e.recordings[0].F);
  const double width = most - least;
  for (Fit& fit : e.ranking.fits) {
    for (double& f : fit.predicted[0]) f *= 1000;  // a failed model
  }
  for (const plot::Figure& f : {overlay_figure(e.fitted(), e.ranking.fits[1], 0), velocity_figure(e.fitted(), 0),
                                detail_figure(e.fitted(), e.ranking.fits[1], 0)}) {
    for (const plot::Panel& p : f.panels) {
      ASSERT_TRUE(p.y.limits) << p.title;
      EXPECT_LE((*p.y.limits)[1] - (*p.y.limits)[0], 2.01 * width) << p.title;
    }
  }
}

TEST(FitPage, ResidualsHaveDistributionAndCorrelation) {
  Example e(5000);
  double last = 0;
  std::mt19937 random(1);
  for (std::size_t i = 0; i < 5000; ++i) {  // correlation 0.8 of neighbours
    last = 0.8 * last + static_cast<double>(random()) / 4294967296.0 - 0.5;
    e.recordings[0].F[i] = e.ranking.fits[1].predicted[0][i] + last;
  }
  const plot::Figure f = residual_figure(e.fitted(), e.ranking.fits[1]);
  ASSERT_EQ(f.panels.size(), 2U);
  double area = 0;  // of the histogram, without 0.1 % at both ends
  const plot::Series& steps = f.panels[0].series[0];
  for (std::size_t i = 1; i < steps.x.size(); ++i) area += steps.y[i] * (steps.x[i] - steps.x[i - 1]);
  EXPECT_NEAR(area, 0.998, 1e-3);
  EXPECT_NEAR(f.panels[1].series[0].y[1], 0.8, 0.04);
  EXPECT_NEAR(f.panels[1].series[0].y[4], 0.64, 0.07);  // four standard errors
}

TEST(FitPage, NoSpikeIsLost) {
  Example e(200000);
  e.recordings[0].F[123457] = 50;
  const plot::Figure f = overlay_figure(e.fitted(), e.ranking.fits[1], 0);
  const auto& y = f.panels[0].series[0].y;
  EXPECT_EQ(*std::max_element(y.begin(), y.end()), 50);
}

TEST(FitPage, CurvesAreThoseOfTheModels) {
  const Example e;
  const plot::Panel p = velocity_figure(e.fitted(), 0).panels.at(0);
  ASSERT_EQ(p.series.size(), 3U);
  EXPECT_EQ(p.series[0].label, "measured");
  EXPECT_EQ(p.series[1].label, "coulomb");  // the recommended one first
  for (std::size_t i = 0; i < p.series[1].x.size(); ++i) {
    if (std::isnan(p.series[1].x[i])) continue;
    EXPECT_NEAR(p.series[1].y[i], p.series[1].x[i] > 0 ? 2 : -2, 1e-12);
  }
  const plot::Series& lugre = p.series[2];  // Stribeck, times 1 + asymmetry
  EXPECT_NEAR(lugre.y.back(), 1.125 * 2, 1e-9);
  EXPECT_GT(*std::max_element(lugre.y.begin(), lugre.y.end()), 1.125 * 2.9);
}

TEST(FitPage, SteadyPointsHaveNoTime) {
  Example e(20);
  Recording& r = e.recordings[0];
  r.t.clear();
  r.x.clear();
  r.a.clear();
  EXPECT_EQ(overlay_figure(e.fitted(), e.ranking.fits[1], 0).panels.size(), 1U);
  EXPECT_EQ(velocity_figure(e.fitted(), 0).panels.size(), 1U);
  EXPECT_NO_THROW(xml::parse(body(fit_page(e.fitted()))));
  EXPECT_NO_THROW(good(friction_file(e.ranking.fits[1], e.fitted())));
}

}  // namespace
