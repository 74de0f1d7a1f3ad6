/// [[check]] of figure files: quantities of several runs. Means over cycles, and points of tables in panels.
#include <gtest/gtest.h>

#include <cmath>

#include "support/papers.hpp"

using namespace bristle;
using namespace bristle::gallery;

namespace {

/// Straight motions with viscous friction: F = 3 v and F = 6 v, after v = 1, 2, 4.
std::string motions(const std::string& more) {
  std::string out = R"toml(title = "Viscous"
[paper]
figure = "Fig 1"
caption = "Content."
[friction]
model = "viscous"
kv = 3
[system]
kind = "prescribed"
[drive]
kind = "ramp"
[solver]
duration = 1
output_step = 0.01
[[table]]
title = "light"
variants = ["a1", "a2", "a4"]
columns = [{ head = "v", value = "mean(v)" }, { head = "F", value = "mean(F)" }, { head = "power", value = "mean(F * v)" },
           { head = "shifted", value = "mean(F)", factor = 2, offset = 1 }, { head = "time", value = "printed.time" }]
plot = { x = "v", y = "F", line = false, fit = true }
[[table]]
title = "heavy"
variants = ["b1", "b2", "b4", "b8"]
columns = [{ head = "v", value = "mean(v)" }, { head = "power", value = "mean(F * v)" }]
)toml";
  for (const int v : {1, 2, 4})
    out += "[[variant]]\nlabel = \"a" + std::to_string(v) + "\"\nset = { \"drive.velocity\" = " + std::to_string(v) +
           " }\nprinted = { time = 1 }\n";
  for (const int v : {1, 2, 4, 8}) {
    out += "[[variant]]\nlabel = \"b" + std::to_string(v) +
           "\"\nset = { \"friction.kv\" = 6, \"drive.velocity\" = " + std::to_string(v) + " }\n";
  }
  return out + more;
}

std::vector<Checked> checks_of(const FigureFile& file) {
  std::vector<Checked> out;
  for (const VariantResult& r : results_of(file)) out.insert(out.end(), r.checks.begin(), r.checks.end());
  return out;
}

std::string check(const std::string& text) { return "[[check]]\ntitle = \"it\"\n" + text + "\n"; }

TEST(CrossChecks, KnowTheLawsOfViscousFriction) {
  const std::string curve = "table = \"light\"\nx = \"v\"\n";
  const std::string other = "to = { table = \"heavy\", x = \"v\", y = \"power\" }\n";
  const std::pair<std::string, double> all[] = {
      {"of = \"slope\"\ny = \"F\"\n" + curve, 3},
      {"of = \"slope\"\nxlog = true\nylog = true\ny = \"power\"\n" + curve, 2},
      {"of = \"residual\"\ny = \"F\"\n" + curve, 0},
      {"of = \"proportion\"\ny = \"F\"\n" + curve, 3},
      {"of = \"slope\"\ny = \"shifted\"\n" + curve, 6},
      {"of = \"ratio\"\nvariants = [\"a4\", \"a1\"]\ntable = \"light\"\ny = \"power\"", 16},
      {"of = \"difference\"\nvariants = [\"a4\", \"a1\"]\ntable = \"light\"\ny = \"shifted\"", 18},
      {"of = \"distance\"\nvariants = [\"a1\", \"b1\"]\ny = \"x\"", 0},
  };
  for (const auto& [text, value] : all) {
    const auto made = [&](double at) {
      return read(motions(check(text + "\nvalue = " + std::to_string(at) + "\nabs = 1e-5")));
    };
    const FigureFile file = made(value), off = made(value + 1e-3);
    const auto good = checks_of(file), bad = checks_of(off);
    ASSERT_EQ(good.size(), 1U) << text;
    EXPECT_TRUE(good[0].held) << good[0].line;
    EXPECT_FALSE(bad[0].held) << bad[0].line;
    EXPECT_EQ(good[0].expectation->text, "it");
  }
  // Power 3 v^2 of a contact and 6 v^2 of the other one: C 3 v^2 = 6 (D v)^2 for every D with C = 2 D^2.
  const auto pairs = [&](const char* of) {
    return checks_of(
        read(motions(check("of = \"" + std::string(of) + "\"\ny = \"power\"\n" + curve + other + "min = -1e9"))));
  };
  const double D = pairs("stretch")[0].computed, C = pairs("factor")[0].computed;
  EXPECT_NEAR(C, 2 * D * D, 0.05 * C) << "cubics in ln v between few points";
}

TEST(CrossChecks, AreViolatedByFailedRunsAndMissingValues) {
  const FigureFile file =
      read(motions(check("of = \"slope\"\ntable = \"light\"\nx = \"time\"\ny = \"F\"\nmin = -1e9")));
  const auto all = checks_of(file);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_FALSE(all[0].held);
  EXPECT_NE(all[0].line.find("undefined: the values do not determine it"), std::string::npos) << all[0].line;
}

TEST(CrossChecks, ReportMistakes) {
  const auto problems = [](const std::string& text) {
    return lines(read_figure_file(motions(check(text)), "p/fig1.toml").problems);
  };
  const auto has = [](const Lines& all, const std::string& part) {
    for (const std::string& l : all) {
      if (l.find(part) != std::string::npos) return true;
    }
    return false;
  };
  EXPECT_TRUE(has(problems("of = \"slop\"\nmin = 0"), "slope"));
  EXPECT_TRUE(
      has(problems("of = \"slope\"\ntable = \"lihgt\"\nx = \"v\"\ny = \"F\"\nmin = 0"), "did you mean 'light'?"));
  EXPECT_TRUE(
      has(problems("of = \"slope\"\ntable = \"light\"\nx = \"v\"\ny = \"G\"\nmin = 0"), "y = \"G\" must be the head"));
  EXPECT_TRUE(
      has(problems("of = \"slope\"\ntable = \"light\"\nx = \"v\"\ny = \"F\"\nvalue = 3"), "requires a tolerance"));
  EXPECT_TRUE(has(problems("of = \"slope\"\ntable = \"light\"\nx = \"v\"\ny = \"F\""), "bounds"));
  EXPECT_TRUE(has(problems("of = \"ratio\"\ntable = \"light\"\ny = \"F\"\nmin = 0"), "two of them"));
  EXPECT_TRUE(has(problems("of = \"distance\"\nvariants = [\"a1\", \"b1\"]\ny = \"x\"\ntable = \"light\"\nmin = 0"),
                  "not accepted"));
  EXPECT_TRUE(has(problems("of = \"slope\"\ntable = \"light\"\nx = \"v\"\ny = \"F\"\nmin = 0\ncolour = 1"), "colour"));
}

/// F = kv with kv = 2.9, 3, 3.1 at v = 1: mean 3, standard deviation 0.1, band 4 x 0.1/sqrt(3) = 0.2309.
std::string repeated(const std::string& expect, const std::string& more = "") {
  std::string text = with(motions(more), "caption = \"Content.\"",
                          "caption = \"Content.\"\nover = { \"friction.kv\" = [2.9, 3, 3.1] }");
  return with(text, "set = { \"drive.velocity\" = 1 }",
              "set = { \"drive.velocity\" = 1 }\nexpect = { " + expect + " }");
}

TEST(Bands, OfMeansFollowFromTheDeviationOfSingleRuns) {
  struct Case {
    const char* bounds;
    bool mean, deviation;
  };
  const Case all[] = {{"value = 3.23, sigma = 0.1", true, true},
                      {"value = 3.232, sigma = 0.1", false, true},
                      {"value = 3, sigma = 0.199", true, true},
                      {"value = 3, sigma = 0.201", true, false},  // stated too large: the band would be too wide
                      {"value = 3, sigma = 0.049", true, false}};
  for (const Case& c : all) {
    const auto checks = checks_of(read(repeated("\"mean(F)\" = { " + std::string(c.bounds) + " }")));
    ASSERT_EQ(checks.size(), 2U) << c.bounds;
    EXPECT_EQ(checks[0].held, c.mean) << checks[0].line;
    EXPECT_EQ(checks[1].held, c.deviation) << checks[1].line;
    EXPECT_NEAR(checks[1].computed, 0.1, 1e-9);
  }
  // Of several runs: F/v = 3, with the same deviation.
  const auto across = checks_of(read(motions("")));
  EXPECT_TRUE(across.empty());
  const std::string slope = check("of = \"slope\"\ntable = \"light\"\nx = \"v\"\ny = \"F\"\nvalue = 3.23\nsigma = 0.1");
  const auto checks = checks_of(read(repeated("", slope)));
  ASSERT_EQ(checks.size(), 2U);
  EXPECT_TRUE(checks[0].held) << checks[0].line;
  EXPECT_NEAR(checks[1].computed, 0.1, 1e-9) << checks[1].line;
}

TEST(Bands, ReportMistakes) {
  const auto problems = [](const std::string& text) { return lines(read_figure_file(text, "p/fig1.toml").problems); };
  const auto of = [&](const char* bounds) {
    return problems(repeated("\"mean(F)\" = { " + std::string(bounds) + " }"));
  };
  EXPECT_EQ(of("value = 3, sigma = 0.1"), Lines{});
  EXPECT_EQ(of("max = 4, reason = \"friction is finite\""), Lines{});
  EXPECT_EQ(of("value = 3, sigma = 0.1, abs = 1").size(), 1U);
  EXPECT_EQ(of("sigma = 0.1").size(), 2U) << "sigma and the missing value";
  EXPECT_EQ(of("value = 3, sigma = 0").size(), 1U);
  EXPECT_EQ(of("value = 3, abs = 1, reason = \"why not\"").size(), 1U);
  EXPECT_EQ(of("max = 4, reason = 1").size(), 1U);
  const std::string once = with(repeated("\"mean(F)\" = { value = 3, sigma = 0.1 }"), "[2.9, 3, 3.1]", "[3, 3.1]");
  EXPECT_EQ(problems(once).size(), 1U) << "a deviation of two runs says little";
}

/// v = sin 2 pi t with F = 3 v: the mean over cycles is one cycle; points of a table join a panel.
TEST(Panels, DrawMeanCyclesAndPoints) {
  const std::string panel = R"toml([[figure]]
title = "cycle"
x = "v"
y = "F"
last = 0.25
cycles = 3
variants = ["a1"]
)toml";
  std::string text =
      with(motions(panel), "kind = \"ramp\"", "kind = \"sine\"\nof = \"velocity\"\nfrequency = 4\namplitude = 1");
  const std::string old = "drive.velocity", name = "drive.amplitude";
  for (std::size_t at = text.find(old); at != std::string::npos; at = text.find(old, at))
    text.replace(at, old.size(), name);
  text =
      with(text, "y = \"F\", line = false, fit = true", "y = \"F\", line = false, in = \"cycle\", label = \"points\"");
  const FigureFile file = read(text);
  const plot::Figure figure = picture(file, results_of(file));
  ASSERT_EQ(figure.panels.size(), 1U);
  const auto& series = figure.panels[0].series;
  ASSERT_EQ(series.size(), 2U);
  EXPECT_EQ(series[0].x.size(), 26U) << "one window of 25 rows, with both ends";
  for (std::size_t i = 0; i < series[0].x.size(); ++i) EXPECT_NEAR(series[0].y[i], 3 * series[0].x[i], 1e-12);
  EXPECT_EQ(series[1].label, "points");
  EXPECT_NE(series[1].color, series[0].color);
  EXPECT_EQ(lines(read_figure_file(with(text, "cycles = 3", "cycles = 5"), "p/fig1.toml").problems).size(), 1U);
  EXPECT_EQ(lines(read_figure_file(with(text, "in = \"cycle\"", "in = \"cycel\""), "p/fig1.toml").problems).size(), 1U);
}

}  // namespace
