/// Figure files: what they say, what is wrong with them, and that their runs come out the same however they are run.
#include "bristle/papers.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <mutex>

#include "support/scenario.hpp"

using namespace bristle;
using namespace bristle::papers;
namespace fs = std::filesystem;

namespace {

/// A mass on a spring whose far end jumps: without friction x = 0.1 (1 - cos 10 t).
const std::string wall_step = R"toml(title = "Wall step"
[paper]
figure = "Fig 1"
caption = "What it shows."
differs = "Nothing."
[system]
kind = "slider"
mass = 1
stiffness = 100
[drive]
kind = "step"
size = 0.1
[solver]
duration = 5
output_step = 0.02
rtol = 1e-9
[[variant]]
label = "free"
set = { friction = { model = "coulomb", Fc = 0 }, solver.duration = 1 }
expect = { "x(1)" = { value = 0.18390715291, rel = 1e-6 } }
[[variant]]
label = "Coulomb"
set = { "friction" = { model = "coulomb", Fc = 0.981 }, "solver.output_step" = 0.01 }
expect = { "max(F)" = { value = 0.981, rel = 1e-9 }, "max(x)" = { max = 0.19 } }
printed = { cpu_s = 0.31 }
[[variant]]
label = "lugre"
set = { friction = { model = "lugre", Fc = 0.981, Fs = 1.4, vs = 0.01, sigma0 = 1e5, sigma1 = 300 }, "solver" = { duration = 2 } }
[[figure]]
y = "x"
[[figure]]
y = "z"
variants = ["lugre"]
[[figure]]
y = ["x", "v"]
variants = ["lugre", "free"]
[expect]
"max(x)" = { max = 0.2001 }
)toml";

FigureFile read(const std::string& text) {
  FigureRead out = read_figure_file(text, "p/fig1.toml");
  EXPECT_EQ(lines(out.problems), Lines{});
  return std::move(out.file);
}
Lines problems_of(const std::string& text) { return lines(read_figure_file(text, "p/fig1.toml").problems); }

std::vector<VariantResult> results_of(const FigureFile& file) {
  std::vector<VariantResult> out;
  papers::run({&file}, [&](std::size_t, const std::vector<VariantResult>& r) {
    for (const VariantResult& v : r) out.push_back({v.run, v.checks, v.cpu_ms, v.failure});
  });
  return out;
}

TEST(FigureFile, HasVariantsOfOneScenario) {
  const FigureFile f = read(wall_step);
  EXPECT_EQ(f.name, "fig1");
  EXPECT_EQ(f.title, "Wall step");
  EXPECT_EQ(f.figure + "/" + f.caption + "/" + f.differs, "Fig 1/What it shows./Nothing.");
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
                   "p/fig1.toml:40: value = \"printed.cpu\": no variant gives it in printed",
                   "p/fig1.toml:40: \"mx(x)\" in [[table]]: unknown function 'mx', did you mean 'max'?"}));
}

TEST(FigureFile, WrongShapes) {
  const auto first = [](const std::string& text) {
    const Lines all = problems_of(text);
    return all.empty() ? "" : all[0];
  };
  EXPECT_EQ(first("title = \"T\""), "p/fig1.toml: missing section [paper]: a figure file needs figure and caption");
  EXPECT_EQ(first(with(wall_step, "label = \"free\"\n", "")),
            "p/fig1.toml:17: missing key 'label' in [[variant]]: its name in legends and tables");
  EXPECT_EQ(first(with(wall_step, "\"free\"\nset", "\"lugre\"\nset")),
            "p/fig1.toml:27: label = \"lugre\" is given twice");
  EXPECT_EQ(first(with(wall_step, "{ cpu_s = 0.31 }", "{ cpu_s = \"fast\" }")),
            "p/fig1.toml:25: cpu_s = \"fast\" in printed must be a number");
  EXPECT_EQ(first(with(wall_step, "{ cpu_s = 0.31 }", "3")),
            "p/fig1.toml:25: printed = 3 in [[variant]] must be a table { ... }");
  EXPECT_EQ(first(with(wall_step, "y = \"x\"\n", "y = \"x\"\nevents = true\n")),
            "p/fig1.toml:31: events = true in [[figure]] needs variants = [...] with one of them");
  EXPECT_EQ(first(with(wall_step, "[[variant]]\nlabel = \"free\"", "[variants]\nlabel = \"free\"")),
            "p/fig1.toml:17: unknown section 'variants', there are schema, title, units, friction, load, system, "
            "controller, drive, solver, figure, expect");
  EXPECT_EQ(first(wall_step + "[[table]]\n"),
            "p/fig1.toml:39: [[table]] needs columns = [{ head = \"Model\", value = \"label\" }, ...]");
  // A scenario it is not.
  EXPECT_EQ(problems(wall_step), (Lines{"s.toml:2: [paper] makes this a figure file, with a run per variant: 'bristle "
                                        "papers' runs it"}));
}

TEST(FigureRuns, AreTheSameOnAnyNumberOfThreads) {
  const FigureFile f = read(wall_step), other = read(with(wall_step, "mass = 1", "mass = 0.9"));
  const std::vector<const FigureFile*> all{&f, &other, &f, &f};
  const auto pictures = [&](unsigned threads) {
    Lines out;
    std::vector<std::size_t> order;
    papers::run(all,
                [&](std::size_t i, const std::vector<VariantResult>& r) {
                  order.push_back(i);
                  out.push_back(plot::svg(picture(*all[i], r)));
                },
                {.threads = threads});
    EXPECT_EQ(order, (std::vector<std::size_t>{0, 1, 2, 3}));
    return out;
  };
  const Lines one = pictures(1);
  EXPECT_EQ(one[0], one[2]);
  EXPECT_NE(one[0], one[1]);
  EXPECT_EQ(one, pictures(4));
}

TEST(FigureRuns, SayWhetherTheirChecksHold) {
  const auto results = results_of(read(wall_step));
  for (const VariantResult& r : results) EXPECT_TRUE(r.held());
  const auto wrong = results_of(read(with(wall_step, "value = 0.981, rel", "value = 0.982, rel")));
  EXPECT_TRUE(wrong[0].held());
  EXPECT_FALSE(wrong[1].held());
  // A run that cannot go on is no reason to stop the others.
  const auto failed = results_of(read(with(wall_step, "solver.duration = 1 }", "solver.max_steps = 3 }")));
  EXPECT_FALSE(failed[0].held());
  EXPECT_NE(failed[0].failure, "");
  EXPECT_TRUE(failed[1].held());
}

TEST(FigureRuns, WhatIsFinishedWhenStoppedIsHandedOver) {
  const FigureFile f = read(wall_step);
  const std::vector<const FigureFile*> all{&f, &f, &f};
  std::atomic<bool> stop = false;
  std::size_t handed = 0;
  papers::run(all,
              [&](std::size_t, const std::vector<VariantResult>&) {
                ++handed;
                stop = true;
              },
              {.stop = &stop, .threads = 1});
  EXPECT_EQ(handed, 1U);
}

TEST(FigureRuns, TellTheirProgress) {
  const FigureFile f = read(wall_step);
  double last = 0;
  papers::run({&f}, [](std::size_t, const auto&) {},
              {.progress =
                   [&](double part) {
                     EXPECT_GE(part, last - 1e-12);
                     last = part;
                   },
               .threads = 1});
  EXPECT_NEAR(last, 1, 1e-12);
}

class Papers : public testing::Test {
 protected:
  Papers() : folder_(fs::temp_directory_path() / ("bristle-papers-" + std::to_string(::getpid()))) {
    for (const char* name : {"fig2", "fig10", "table1"}) write(std::string("one/") + name + ".toml", wall_step);
    write("one/paper.toml", "title = \"First\"\nreference = \"Here\"\n");
    write("two/fig1.toml", wall_step);
    write("two/paper.toml", "title = \"Second\"\nauthors = \"A. Nobody\"\nreference = \"There\"\n");
    write("notes/readme.txt", "not a paper");
  }
  ~Papers() override { fs::remove_all(folder_); }
  Papers(const Papers&) = delete;
  Papers& operator=(const Papers&) = delete;

  void write(const std::string& name, const std::string& text) {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << text;
  }
  Lines ids(const std::string& selection, const std::string& inside = "") {
    Lines out;
    const Library all = load((folder_ / inside).string(), selection);
    for (const Problem& p : all.problems) out.push_back(p.text);
    for (const Paper& p : all.papers) {
      for (const papers::FigureFile& f : p.figures) out.push_back(p.name + "/" + f.name);
    }
    return out;
  }
  fs::path folder_;
};

TEST_F(Papers, AreFoldersInNaturalOrder) {
  EXPECT_EQ(ids(""), (Lines{"one/fig2", "one/fig10", "one/table1", "two/fig1"}));
  EXPECT_EQ(ids("two"), (Lines{"two/fig1"}));
  EXPECT_EQ(ids("one/fig10"), (Lines{"one/fig10"}));
  EXPECT_EQ(ids("", "one"), (Lines{"one/fig2", "one/fig10", "one/table1"}));
  EXPECT_EQ(ids("one/table1", "one/"), (Lines{"one/table1"}));
  EXPECT_EQ(ids("table1", "one"), (Lines{"one/table1"}));
  EXPECT_EQ(load(folder_.string(), "two").papers[0].authors, "A. Nobody");
}

TEST_F(Papers, CanGiveTheirOwnOrder) {
  write("one/paper.toml", "title = \"First\"\nreference = \"Here\"\norder = [\"table1\", \"fig2\", \"fig10\"]\n");
  EXPECT_EQ(ids("one"), (Lines{"one/table1", "one/fig2", "one/fig10"}));
  write("one/paper.toml", "title = \"First\"\nreference = \"Here\"\norder = [\"table1\", \"fig2\", \"fig3\"]\n");
  const Lines all = ids("one");
  ASSERT_GE(all.size(), 2U);
  EXPECT_EQ(all[0], "order names 'fig3', but there is no fig3.toml");
  EXPECT_EQ(all[1], "order must name 'fig10' once");
}

TEST_F(Papers, UnknownOnesAreNamed) {
  EXPECT_EQ(ids("tow"), (Lines{"unknown paper 'tow', did you mean 'two'?"}));
  EXPECT_EQ(ids("one/fig3"), (Lines{"unknown figure 'fig3' of one, did you mean 'fig2'?"}));
  EXPECT_EQ(ids("", "nowhere"), (Lines{"holds no papers: folders with a paper.toml"}));
  write("one/paper.toml", "titel = \"First\"\n");
  EXPECT_EQ(ids("one/fig2"), (Lines{"unknown key 'titel' in the file, did you mean 'title'?", "missing key 'title'",
                                    "missing key 'reference'", "one/fig2"}));
}

}  // namespace
