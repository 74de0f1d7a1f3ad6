/// Figure files: content and error messages.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/papers.hpp"

using namespace bristle;
using namespace bristle::gallery;

namespace {

Lines problems_of(const std::string& text) { return lines(read_figure_file(text, "p/fig1.toml").problems); }

TEST(FigureFile, HasVariantsOfOneScenario) {
  const FigureFile f = read(wall_step);
  EXPECT_EQ(f.name, "fig1");
  EXPECT_EQ(f.title, "Wall step");
  EXPECT_EQ(f.figure + "/" + f.caption + "/" + f.differs, "Fig 1/Content./Nothing.");
  ASSERT_EQ(f.variants.size(), 3U);
  const auto& free = f.variants[0].scenario.experiment;
  const auto& coulomb = f.variants[1].scenario.experiment;
  const auto& lugre = f.variants[2].scenario.experiment;
  EXPECT_EQ(coulomb.contacts[0].contact->model(), "coulomb");
  EXPECT_EQ(parameter(*coulomb.contacts[0].contact, "Fc"), 0.981);
  EXPECT_EQ(coulomb.solver.duration, 5);
  EXPECT_EQ(coulomb.solver.output_step, 0.01);
  EXPECT_EQ(coulomb.solver.rtol, 1e-9);
  // Dotted keys change one value, quoted or not; braces replace the section.
  EXPECT_EQ(free.solver.duration, 1);
  EXPECT_EQ(free.solver.rtol, 1e-9);
  EXPECT_EQ(lugre.solver.duration, 2);
  EXPECT_EQ(lugre.solver.rtol, SolverParams{}.rtol);
  EXPECT_EQ(f.variants[1].printed, (std::vector<std::pair<std::string, double>>{{"cpu_s", 0.31}}));
}

TEST(FigureFile, ExpectationsAreTheCommonOnesAndTheVariants) {
  const FigureFile f = read(wall_step);
  const auto texts = [&](std::size_t i) {
    Lines out;
    for (const Expectation& e : f.variants[i].scenario.expectations) out.push_back(e.text);
    return out;
  };
  EXPECT_EQ(texts(0), (Lines{"max(x)", "x(1)"}));
  EXPECT_EQ(texts(1), (Lines{"max(x)", "max(F)"}));
  EXPECT_EQ(texts(2), (Lines{"max(x)"}));
  EXPECT_EQ(f.variants[1].scenario.expectations[0].max, 0.19);  // its own in place of the common one
  EXPECT_EQ(f.variants[0].scenario.expectations[1].where, "p/fig1.toml:20");
}

TEST(FigureFile, PanelsShowTheirVariants) {
  const FigureFile f = read(wall_step);
  ASSERT_EQ(f.panels.size(), 3U);
  EXPECT_EQ(f.panels[0].variants, (std::vector<std::size_t>{0, 1, 2}));
  EXPECT_EQ(f.panels[1].variants, (std::vector<std::size_t>{2}));
  EXPECT_EQ(f.panels[1].spec.y, (Lines{"z"}));  // which the others do not have
  EXPECT_EQ(f.panels[2].variants, (std::vector<std::size_t>{2, 0}));
  EXPECT_EQ(f.panels[2].spec.y, (Lines{"x", "v"}));

  const plot::Figure drawn = picture(f, results_of(f));
  ASSERT_EQ(drawn.panels.size(), 3U);
  EXPECT_EQ(drawn.panels[0].series.size(), 3U);
  EXPECT_EQ(drawn.panels[0].series[1].label, "Coulomb");
  EXPECT_EQ(drawn.panels[1].series[0].color, drawn.panels[0].series[2].color);  // lugre stays lugre
}

TEST(FigureFile, NeedsNoVariantAndNoPanel) {
  const FigureFile f = read("title = \"T\"\n[paper]\nfigure = \"1\"\ncaption = \"C\"\n" +
                            stick_slip.substr(stick_slip.find("[friction]")));
  ASSERT_EQ(f.variants.size(), 1U);
  EXPECT_EQ(picture(f, results_of(f)).panels.size(), 3U);  // those that suit a slider
}

TEST(FigureFile, TablesSetTheRunsSideBySide) {
  const FigureFile f = read(wall_step + R"toml([[table]]
title = "First"
columns = [{ head = "z", value = "max(z)" }]
variants = ["lugre"]
[[table]]
columns = [
  { head = "Model", value = "label" }, { head = "x", value = "x(1)" }, { head = "early", value = "max(x)", to = 0.2 },
  { head = "printed", value = "printed.cpu_s" }, { head = "steps", value = "steps" }, { head = "ms", value = "cpu_ms" },
  { head = "balance", value = "balance" } ]
variants = ["lugre", "free", "Coulomb"]
[[table]]
columns = [{ head = "printed", value = "printed.cpu_s" }]
)toml");
  const auto results = results_of(f);
  const auto rows = table(f, f.tables[1], results);
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[0], (Lines{"Model", "x", "early", "printed", "steps", "ms", "balance"}));
  EXPECT_EQ(rows[1][0], "lugre");
  EXPECT_NEAR(std::stod(rows[1][1]), results[2].run.trace.find("x")->values[500], 1e-6);  // 1 s in steps of 2 ms
  EXPECT_EQ(rows[2][0], "free");
  EXPECT_EQ(rows[2][1], "0.183907");
  EXPECT_EQ(rows[2][2], "0.141615");  // 0.1 (1 - cos 2)
  EXPECT_EQ(rows[2][3], "–");
  EXPECT_EQ(rows[3][3], "0.31");
  EXPECT_EQ(rows[2][4], std::to_string(results[0].run.summary.steps));
  EXPECT_GT(std::stod(rows[2][5]), 0);
  EXPECT_LT(std::stod(rows[2][6]), 1e-6);
  EXPECT_NEAR(std::stod(table(f, f.tables[0], results)[1][0]), 1.4e-5, 0.5e-5);  // near Fs/sigma0
  EXPECT_EQ(table(f, f.tables[2], results)[2], (Lines{"0.31"}));
}

TEST(FigureFile, ColumnsOfATableAreDrawnAgainstEachOther) {
  const std::string columns = R"toml([[table]]
title = "Quantities"
columns = [{ head = "Model", value = "label" }, { head = "Time (s)", value = "final(t)" },
           { head = "x (m)", value = "max(x)" }, { head = "printed", value = "printed.cpu_s" }]
)toml";
  const FigureFile f =
      read(wall_step + columns + R"toml(plot = { x = "Time (s)", y = ["x (m)", "printed"], xlog = true }
)toml");
  const auto results = results_of(f);
  const plot::Figure drawn = picture(f, results);
  ASSERT_EQ(drawn.panels.size(), 4U);
  const plot::Panel& p = drawn.panels.back();
  EXPECT_EQ(p.title, "Quantities");
  EXPECT_EQ(p.x.label, "Time (s)");
  EXPECT_TRUE(p.x.log && !p.y.log);
  ASSERT_EQ(p.series.size(), 2U);
  EXPECT_EQ(p.series[0].label, "x (m)");
  EXPECT_EQ(p.series[0].x, (std::vector<double>{1, 5, 2}));
  const Trace whole = with_limits(results[0].run);  // the largest x is that of the event of stick
  const auto& x = whole.find("x")->values;
  EXPECT_EQ(p.series[0].y[0], *std::max_element(x.begin(), x.end()));
  EXPECT_EQ(p.series[1].y[1], 0.31);
  EXPECT_TRUE(std::isnan(p.series[1].y[0]));  // nothing printed: a gap
  auto said = [&](const std::string& plot) { return problems_of(wall_step + columns + plot); };
  EXPECT_EQ(said("plot = { x = \"Time (s)\", y = \"x (mm)\" }"),
            Lines{"p/fig1.toml:43: unknown column of numbers 'x (mm)' in [[table]], did you mean 'x (m)'?"});
  EXPECT_EQ(said("plot = { x = \"Model\", y = \"x (m)\" }").size(), 1U);
  EXPECT_EQ(said("plot = { x = \"Time (s)\" }"),
            Lines{"p/fig1.toml:43: plot in [[table]] requires x and y, heads of its columns"});
  EXPECT_EQ(said("plot = { x = \"Time (s)\", y = \"x (m)\", yolg = true }"),
            Lines{"p/fig1.toml:43: unknown key 'yolg' in plot of [[table]], did you mean 'ylog'?"});
}

TEST(FigureFile, ProblemsAreAllSaidWithTheirLines) {
  std::string text = with(wall_step, "caption", "captoin");
  text = with(text, "rtol = 1e-9", "rtl = 1e-9");  // said once, not once per variant
  text = with(text, "label = \"lugre\"\nset = { friction = { model = \"lugre\", Fc = 0.981, Fs = 1.4",
              "label = \"lugre\"\nset = { friction = { model = \"lugre\", Fc = 0.981, Fs = -1");
  text = with(text, "variants = [\"lugre\"]", "variants = [\"luger\"]");
  EXPECT_EQ(problems_of(text + "[[table]]\ncolumns = [{ head = \"a\", value = \"mx(x)\" }, { head = \"b\", value = "
                               "\"speed\" }, { hed = \"c\", value = \"printed.cpu\" }]\n"),
            (Lines{"p/fig1.toml:4: unknown key 'captoin' in [paper], did you mean 'caption'?",
                   "p/fig1.toml:16: unknown key 'rtl' in [solver], did you mean 'rtol'?",
                   "p/fig1.toml:28: Fs = -1 N must be > 0",
                   "p/fig1.toml:33: unknown variant 'luger' in [[figure]], did you mean 'lugre'?",
                   "p/fig1.toml:40: value = \"speed\" in columns of [[table]] must be label, cpu_ms, steps, balance, "
                   "printed.KEY or a function such as max(F)",
                   "p/fig1.toml:40: unknown key 'hed' in columns of [[table]], did you mean 'head'?",
                   "p/fig1.toml:40: value = \"printed.cpu\" requires this key in printed of a variant",
                   "p/fig1.toml:40: \"mx(x)\" in [[table]]: unknown function 'mx', did you mean 'max'?"}));
}

TEST(FigureFile, WrongShapes) {
  const auto first = [](const std::string& text) {
    const Lines all = problems_of(text);
    return all.empty() ? "" : all[0];
  };
  EXPECT_EQ(first("title = \"T\""), "p/fig1.toml: missing section [paper]; required: figure and caption");
  EXPECT_EQ(first(with(wall_step, "label = \"free\"\n", "")),
            "p/fig1.toml:17: missing key 'label' in [[variant]]; required: the name in legends and tables");
  EXPECT_EQ(first(with(wall_step, "\"free\"\nset", "\"lugre\"\nset")),
            "p/fig1.toml:27: label = \"lugre\" is given twice; labels must differ");
  EXPECT_EQ(first(with(wall_step, "{ cpu_s = 0.31 }", "{ cpu_s = \"fast\" }")),
            "p/fig1.toml:25: cpu_s = \"fast\" in printed must be a number");
  EXPECT_EQ(first(with(wall_step, "{ cpu_s = 0.31 }", "3")),
            "p/fig1.toml:25: printed = 3 in [[variant]] must be a table { ... }");
  EXPECT_EQ(first(with(wall_step, "y = \"x\"\n", "y = \"x\"\nevents = true\n")),
            "p/fig1.toml:31: events = true in [[figure]] requires variants = [...] with one variant");
  EXPECT_EQ(
      first(with(wall_step, "[[variant]]\nlabel = \"free\"", "[variants]\nlabel = \"free\"")),
      "p/fig1.toml:17: unknown section 'variants'; accepted: schema, title, units, friction, load, system, "
      "body, joint, spring, actuator, controller, drive, solver, figure, expect, measure, sweep, tribometer, fitted, measured");
  EXPECT_EQ(first(wall_step + "[[table]]\n"),
            "p/fig1.toml:39: [[table]] requires columns = [{ head = \"Model\", value = \"label\" }, ...]");
  EXPECT_EQ(
      first(with(wall_step, "solver.duration = 1 }", "\"figure\" = [] }")),
      "p/fig1.toml:19: 'figure' is not accepted in set; variants share panels, and expectations are in expect = { ... "
      "}");
  EXPECT_EQ(first(with(wall_step,
                       "[[figure]]\ny = \"x\"\n[[figure]]\ny = \"z\"\nvariants = [\"lugre\"]\n[[figure]]\n"
                       "y = [\"x\", \"v\"]\nvariants = [\"lugre\", \"free\"]\n",
                       "[[figures]]\ny = \"x\"\n")),
            "p/fig1.toml:29: unknown section 'figures', did you mean 'figure'?");
  EXPECT_EQ(first("figure = [{ y = \"x\" }, 3]\n" + wall_step.substr(0, wall_step.find("[[figure]]"))),
            "p/fig1.toml:1: figure = [...] must be a section [[figure]]");
  // A scenario it is not.
  EXPECT_EQ(problems(wall_step), (Lines{"s.toml:2: [paper] marks a figure file with a run per variant; run it with "
                                        "'bristle papers'"}));
}

}  // namespace
