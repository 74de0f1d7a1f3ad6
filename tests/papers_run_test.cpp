/// Figures do not depend on the number of threads, and papers are found in their folders.
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>

#include "support/papers.hpp"

using namespace bristle;
using namespace bristle::gallery;
namespace fs = std::filesystem;

namespace {

TEST(FigureRuns, AreTheSameOnAnyNumberOfThreads) {
  const FigureFile f = read(wall_step), other = read(with(wall_step, "mass = 1", "mass = 0.9"));
  const std::vector<const FigureFile*> all{&f, &other, &f, &f};
  const auto pictures = [&](unsigned threads) {
    Lines out;
    std::vector<std::size_t> order;
    gallery::run(all,
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

TEST(FigureRuns, OverSeveralValues) {
  const std::string text = with(wall_step, "differs = \"Nothing.\"",
                                "differs = \"Nothing.\"\nover = { \"drive.size\" = [0.1, 0.08, 0.09] }");
  const FigureFile f = read(with(text, "[[figure]]\ny = \"x\"", R"toml([[table]]
columns = [{ head = "a", value = "max(drive)" }, { head = "b", value = "x(1)" }]
plot = { x = "a", y = "b" }
variants = ["free"]
[[figure]]
y = "x")toml"));
  ASSERT_EQ(f.variants[0].again.size(), 2U);
  const auto results = results_of(f);
  ASSERT_EQ(results[0].again.size(), 2U);
  EXPECT_NEAR(results[0].checks[1].computed, 0.9 * 0.18390715291, 1e-7) << "the mean";
  EXPECT_NEAR(results[0].checks[1].deviation, 0.1 * 0.18390715291, 1e-7);
  EXPECT_EQ(table(f, f.tables[0], results)[1], (Lines{"0.09 ± 0.01", "0.17 ± 0.02"}));
  const plot::Figure drawn = picture(f, results);
  ASSERT_EQ(drawn.panels.size(), 4U);
  EXPECT_TRUE(drawn.panels[0].bands.empty()) << "bodies go their own ways";
  ASSERT_EQ(drawn.panels[3].bands.size(), 1U);
  EXPECT_NEAR(drawn.panels[3].bands[0].hi[0] - drawn.panels[3].bands[0].lo[0], 0.2 * 0.18390715291, 1e-7);
  EXPECT_EQ(lines(read_figure_file(with(text, "[0.1, 0.08, 0.09]", "3"), "p/fig1.toml").problems),
            Lines{"p/fig1.toml:6: drive.size = 3 in over must be a list of numbers, such as [1, 2, 3]"});
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
  gallery::run(all,
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
  gallery::run({&f}, [](std::size_t, const auto&) {},
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
      for (const gallery::FigureFile& f : p.figures) out.push_back(p.name + "/" + f.name);
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
