/// Sweeps: designs, chunks, shards, a stability boundary in closed form, optima in closed form.
#include "bristle/sweep.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>
#include <set>

#include "bristle/output.hpp"
#include "bristle/sweep/compare.hpp"
#include "bristle/sweep/optimize.hpp"
#include "support/scenario.hpp"
#include "sweep/sobol.hpp"

using namespace bristle;
using namespace bristle::sweep;

namespace {

namespace fs = std::filesystem;
constexpr double pi = std::numbers::pi;

class Sweep : public testing::Test {
 protected:
  Sweep() : folder_(fs::temp_directory_path() / ("bristle_sweep_test_" + std::to_string(::getpid()))) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~Sweep() override { fs::remove_all(folder_); }
  std::string at(const std::string& name) const { return (folder_ / name).string(); }
  std::string file(const std::string& name, const std::string& text) const {
    std::ofstream(at(name)) << text;
    return at(name);
  }
  static Varied varied(const std::string& text) {
    Problems problems;
    auto out = parse_varied(text, problems);
    EXPECT_EQ(lines(problems), Lines{});
    return out.value_or(Varied{});
  }
  /// Runs a whole sweep; the text of its table.
  std::string table(const std::string& scenario, const SweepSpec& spec, const std::string& out, const Shard& shard = {},
                    unsigned threads = 0) const {
    FamilyRead read = load_family(scenario, changes_);
    EXPECT_TRUE(read.family);
    PlanRead made = make_plan(*read.family, spec, shard, {});
    EXPECT_EQ(lines(made.problems), Lines{});
    Store store(at(out), *made.plan, true);
    run(*read.family, *made.plan, store, {.threads = threads});
    store.finish();
    return read_file(store.table(), 1 << 26);
  }
  Changes changes_{};
  fs::path folder_;
};

const std::string fast =
    with(stick_slip, "duration = 20.0", "duration = 3.0") + "[measure]\nn = \"count(stick)\"\nF = \"max(F)\"\n";

/// Minimum of w = v - V after breakaway, m w'' + c w' + k w = 0, w(0) = -V, w'(0) = dF/m: stick-slip lasts if it reaches
/// -V. Integrated here with small steps, independent of the file of the example.
bool sticks_again(double m, double c, double k, double dF, double V) {
  double w = -V, a = dF / m, t = 0;
  const double h = 1e-4 / std::sqrt(k / m);
  for (; t < 20 / std::sqrt(k / m); t += h) {  // midpoint rule
    const double w2 = w + 0.5 * h * a, a2 = a + 0.5 * h * (-c * a - k * w) / m;
    w += h * a2;
    a += h * (-c * a2 - k * w2) / m;
    if (t > 0 && a < 0 && w <= -V) return true;
  }
  return false;
}

}  // namespace

TEST(Sobol, FirstPoints) {  // Joe and Kuo 2008
  const double expected[8][3]{{0, 0, 0},
                              {0.5, 0.5, 0.5},
                              {0.75, 0.25, 0.25},
                              {0.25, 0.75, 0.75},
                              {0.375, 0.375, 0.625},
                              {0.875, 0.875, 0.125},
                              {0.625, 0.125, 0.875},
                              {0.125, 0.625, 0.375}};
  for (std::uint64_t i = 0; i < 8; ++i) {
    for (std::size_t d = 0; d < 3; ++d) EXPECT_EQ(sobol(i, d) / sobol_whole, expected[i][d]) << i << " " << d;
  }
}

TEST(Sobol, EveryIntervalOnce) {
  std::set<std::vector<std::uint32_t>> all;
  for (std::size_t d = 0; d < sobol_dimensions; ++d) {
    std::set<std::uint32_t> cells;
    std::vector<std::uint32_t> points;
    for (std::uint64_t i = 0; i < 1024; ++i) {
      points.push_back(sobol(i, d));
      cells.insert(points.back() >> 22);
    }
    EXPECT_EQ(cells.size(), 1024U) << d;
    EXPECT_TRUE(all.insert(points).second) << "dimension " << d << " repeats another one";
  }
  // Two dimensions: every rectangle of the right area, for the first pair.
  for (int a = 0; a <= 8; ++a) {
    std::set<std::pair<std::uint32_t, std::uint32_t>> cells;
    for (std::uint64_t i = 0; i < 256; ++i)
      cells.insert({a == 0 ? 0 : sobol(i, 0) >> (32 - a), a == 8 ? 0 : sobol(i, 1) >> (24 + a)});
    EXPECT_EQ(cells.size(), 256U) << a;
  }
}

TEST_F(Sweep, GridInOrderWithExactEnds) {
  const Design d{{varied("a=0:1:11"), varied("b=1e-3:10:5:log")}, {}};
  ASSERT_EQ(d.size(), 55U);
  EXPECT_EQ(d.point(0), (std::vector{0.0, 1e-3}));
  EXPECT_EQ(d.point(1), (std::vector{0.0, 1e-2}));
  EXPECT_EQ(d.point(15), (std::vector{0.3, 1e-3})) << "the last key varies fastest";
  EXPECT_EQ(d.point(54), (std::vector{1.0, 10.0}));
  const Design down{{varied("a=5:-5:3"), varied("b=-1:-100:3:log")}, {}};
  EXPECT_EQ(down.point(4), (std::vector{0.0, -10.0}));
  const Design sample{{varied("a=0:1"), varied("b=1:100:log")}, 4};
  EXPECT_EQ(sample.point(1), (std::vector{0.5, 10.0}));
}

TEST_F(Sweep, RangesThatAreRefused) {
  for (const char* text :
       {"a", "a=", "=1:2:3", "a=1:2:0", "a=1:2:2.5", "a=1:2:-3", "a=0:1:5:log", "a=-1:1:5:log", "a=1:1:5", "a=1:2:1",
        "a=nan:1:3", "a=1:inf:3", "a=1:2:3:4", "a=1:2:3:lin", "a=1:2:1e12", "a=1", "a=1e300:1:3", "a=x:1:3"}) {
    Problems problems;
    EXPECT_FALSE(parse_varied(text, problems)) << text;
    ASSERT_EQ(problems.size(), 1U) << text;
    EXPECT_EQ(problems[0].where, std::string("--vary ") + text);
  }
  for (const char* text : {"0/4", "5/4", "1", "1/0", "a/b", "1.5/2", "-1/2", "1/2/3"}) {
    Problems problems;
    EXPECT_FALSE(parse_shard(text, problems)) << text;
    EXPECT_EQ(problems.size(), 1U) << text;
  }
  for (const char* text : {"sobol", "sobol:0", "sobol:1.5", "halton:10", "sobol:-1"}) {
    Problems problems;
    EXPECT_FALSE(parse_sample(text, "", problems)) << text;
  }
}

TEST_F(Sweep, ShardsCoverEveryRowOnce) {
  for (const std::uint64_t size : {0U, 1U, 7U, 100U}) {
    for (const std::uint64_t count : {1U, 3U, 8U}) {
      std::uint64_t at = 0;
      for (std::uint64_t i = 1; i <= count; ++i) {
        const Shard s{i, count};
        EXPECT_EQ(s.begin(size), at);
        at = s.end(size);
      }
      EXPECT_EQ(at, size);
    }
  }
}

TEST_F(Sweep, SameBitsForThreadsChunksAndShards) {
  const std::string s = file("s.toml", fast);
  const SweepSpec spec{.vary = {varied("drive.velocity=0.05:0.5:9"), varied("system.stiffness=1:20:7:log")}};
  const std::string one = table(s, spec, "one", {}, 1);
  EXPECT_EQ(std::count(one.begin(), one.end(), '\n'), 64);
  EXPECT_EQ(table(s, spec, "three", {}, 3), one);
  std::vector<std::string> shards;
  for (std::uint64_t i = 1; i <= 4; ++i) {
    shards.push_back(at("shard" + std::to_string(i)));
    table(s, spec, "shard" + std::to_string(i), {i, 4});
  }
  std::swap(shards[0], shards[2]);  // in any order
  merge(shards, at("merged"));
  EXPECT_EQ(read_file(at("merged/table.csv"), 1 << 26), one);
  EXPECT_THROW(merge({shards[0], shards[1], shards[2]}, at("less")), BadFolder) << "a shard is missing";
  EXPECT_THROW(merge({shards[0], shards[0], shards[1], shards[2]}, at("less")), BadFolder) << "one twice";
  EXPECT_THROW(merge(shards, at("merged")), BadFolder) << "not empty";
  EXPECT_FALSE(fs::exists(at("less")));
  // A part of the chunks, one of them damaged.
  FamilyRead read = load_family(s);
  PlanRead made = make_plan(*read.family, spec, {}, {});
  const Plan& plan = *made.plan;
  std::vector<std::string> rows;
  for (std::size_t begin = one.find('\n') + 1; begin < one.size();) {
    const std::size_t end = one.find('\n', begin) + 1;
    rows.push_back(one.substr(begin, end - begin));
    begin = end;
  }
  {
    Store store(at("part"), plan, false);
    store.write({3, 5}, rows[3] + rows[4]);
    store.write({40, 41}, rows[40]);
    store.write({50, 60}, rows[50]);
    ASSERT_EQ(store.missing().size(), 3U);
    EXPECT_THROW(Store(at("part"), plan, true), BadFolder) << "in use";
  }
  EXPECT_THROW(Store(at("part"), plan, false), BadFolder) << "without --resume";
  EXPECT_EQ(table(s, spec, "part"), one);
  EXPECT_FALSE(fs::exists(at("part/chunks")));
}

TEST_F(Sweep, AnotherSweepIsRefused) {
  const std::string s = file("s.toml", with(fast, "model = \"lugre\"", "file = \"f.toml\"\n#"));
  const std::string friction = "model = \"lugre\"\nFc = 1\nFs = 1.5\nvs = 0.001\nsigma0 = 1e5\nsigma1 = 316\n";
  file("f.toml", friction);
  const SweepSpec spec{.vary = {varied("drive.velocity=0.05:0.5:3")}};
  auto plan = [&](const SweepSpec& of, const Changes& changes = {}) {
    FamilyRead read = load_family(s, changes);
    return *make_plan(*read.family, of, {}, changes.set).plan;
  };
  const Plan first = plan(spec);
  EXPECT_EQ(difference(first, plan(spec)), "");
  EXPECT_NE(difference(first, plan({.vary = {varied("drive.velocity=0.05:0.5:4")}})), "");
  EXPECT_NE(difference(first, plan(spec, Changes({"system.mass=3"}))), "");
  Changes measures;
  measures.measure = {"n=count(slip+)"};
  EXPECT_NE(difference(first, plan(spec, measures)), "");
  file("f.toml", friction + "# a comment\n");
  EXPECT_NE(difference(first, plan(spec)).find("f.toml"), std::string::npos);
  // The description survives its file, with any characters.
  Plan odd = first;
  odd.title = "a \"b\" \\ c\t\x01 @ é";
  odd.changes = {"x=\"y\""};
  const PlanRead read = read_plan(sweep::to_text(odd), "p");
  ASSERT_TRUE(read.plan) << read.problems.front().line();
  EXPECT_EQ(read.plan->title, odd.title);
  EXPECT_EQ(difference(odd, *read.plan), "");
}

TEST_F(Sweep, FailedRunsAreRows) {
  // Fs below Fc is invalid; a body at rest has no period.
  const std::string s = file("s.toml", fast + "T = \"period(slip+)\"\n");
  const std::string text = table(s, {.vary = {varied("friction.Fs=0.5:2:4")}}, "out");
  EXPECT_NE(text.find("\n0.5,,,,failed,"), std::string::npos) << text;
  EXPECT_NE(text.find("\n2,1,"), std::string::npos) << text;
  EXPECT_NE(text.find(",,done,\"T is undefined: "), std::string::npos) << text;
  FamilyRead read = load_family(s);
  for (const char* bad : {"friction.Fz=1:2:3", "drvie.velocity=1:2:3", "friction.model=1:2:3", "system.mass=-2:-1:3"}) {
    PlanRead made = make_plan(*read.family, {.vary = {varied(bad)}}, {}, {});
    EXPECT_FALSE(made.plan) << bad;
    ASSERT_FALSE(made.problems.empty()) << bad;
    EXPECT_TRUE(made.problems[0].where.starts_with("--vary")) << made.problems[0].line();
  }
}

TEST_F(Sweep, StickSlipBeginsAtTheClosedForm) {
  const std::string example =
      (fs::path(__FILE__).parent_path().parent_path() / "examples/sweep/stick_slip_map.toml").string();
  FamilyRead read = load_family(example, Changes({"solver.rtol=1e-6"}));
  ASSERT_TRUE(read.family);
  Problems problems;
  SweepSpec spec = read.family->sweep(problems);
  ASSERT_EQ(lines(problems), Lines{});
  ASSERT_EQ(spec.curves.size(), 1U);
  for (std::size_t i = 0; i < spec.curves[0].x.size(); i += 6) {  // 6 digits in the file
    const double V = spec.curves[0].x[i], k = spec.curves[0].y[i];
    EXPECT_TRUE(sticks_again(1, 0.4, k, 0.5, 0.9999 * V)) << k;
    EXPECT_FALSE(sticks_again(1, 0.4, k, 0.5, 1.0001 * V)) << k;
  }
  for (Varied& v : spec.vary) v.points = 13;
  PlanRead made = make_plan(*read.family, spec, {}, {});
  ASSERT_TRUE(made.plan);
  Store store(at("map"), *made.plan, false);
  run(*read.family, *made.plan, store);
  store.finish();
  const sweep::Table t = read_table(store.table(), *made.plan);
  ASSERT_EQ(t.done, 169U);
  std::size_t stuck = 0;
  for (std::size_t i = 0; i < 169; ++i) {
    const bool expected = sticks_again(1, 0.4, t.keys[1][i], 0.5, t.keys[0][i]);
    EXPECT_EQ(t.measures[0][i] > 0, expected) << "V = " << t.keys[0][i] << ", k = " << t.keys[1][i];
    stuck += expected ? 1U : 0U;
  }
  EXPECT_GT(stuck, 40U);
  EXPECT_LT(stuck, 130U);
}

TEST_F(Sweep, OptimalDampingInClosedForm) {
  // The integral of the squared error of m x'' + kd x' + kp (x - 1) is (1 + 4 d^2)/(4 d w), least at d = 1/2: kd = m w.
  for (const auto& [m, w] : {std::pair{1.0, 10.0}, {0.02, 300.0}}) {
    const std::string s =
        file("servo.toml",
             "[friction]\nmodel = \"viscous\"\nkv = 0\n[system]\nkind = \"slider\"\nmass = " + to_text(m) +
                 "\n[controller]\nderivative_weight = 0\nkp = " + to_text(m * w * w) + "\nkd = " + to_text(m * w) +
                 "\n[drive]\nkind = \"constant\"\nvalue = 1\n[solver]\nduration = " + to_text(40 / w) +
                 "\noutput_step = " + to_text(0.02 / w) + "\n[measure]\ne = \"rms(reference - x)\"\n");
    FamilyRead read = load_family(s);
    Goal goal{.keys = {varied("controller.kd=" + to_text(0.05 * m * w) + ":" + to_text(20 * m * w) + ":log")},
              .measure = "e"};
    const PlanRead made = make_plan(*read.family, goal, {});
    ASSERT_TRUE(made.plan) << made.problems.front().line();
    const Optimum best = optimize(*read.family, goal);
    ASSERT_TRUE(best.found);
    EXPECT_TRUE(best.converged);
    // The minimum of a smooth function is found to the square root of the errors of its values, here of rows and rtol.
    EXPECT_NEAR(best.history[best.best].at[0] / (m * w), 1, 2e-3);
    EXPECT_NEAR(best.history[best.best].value, std::sqrt(1 / (w * 40 / w)), 1e-4) << "J = 1/w over 40/w";
    EXPECT_TRUE(best.at_bounds.empty());
    EXPECT_EQ(optimize(*read.family, goal, {.threads = 1}).history.size(), best.history.size());
    // Without its minimum in the range, the best value is at the end next to it.
    goal.keys = {varied("controller.kd=" + to_text(2 * m * w) + ":" + to_text(20 * m * w))};
    ASSERT_TRUE(make_plan(*read.family, goal, {}).plan);
    const Optimum bound = optimize(*read.family, goal);
    ASSERT_EQ(bound.at_bounds.size(), 1U);
    EXPECT_EQ(bound.history[bound.best].at[0], 2 * m * w);
  }
}

TEST_F(Sweep, UndefinedMeasuresHaveNoOptimum) {
  const std::string s =
      file("s.toml", with(stick_slip, "duration = 20.0", "duration = 0.1") + "[measure]\nT = \"period(slip+)\"\n");
  FamilyRead read = load_family(s);
  const Goal goal{.keys = {varied("drive.velocity=0.05:0.06")}, .measure = "T", .evaluations = 20};
  ASSERT_TRUE(make_plan(*read.family, goal, {}).plan);
  const Optimum none = optimize(*read.family, goal);
  EXPECT_FALSE(none.found);
  EXPECT_NE(none.history.front().reason, "");
  EXPECT_EQ(none.history.size(), 20U) << "a search without a value ends with its sample";
}

TEST_F(Sweep, DifferencesInClosedForm) {
  // F = kv v along x = X sin(w t): the difference is (kv2 - kv1) X w cos(w t).
  const double X = 0.01, f = 2;
  const std::string s = file(
      "v.toml", "[friction]\nmodel = \"viscous\"\nkv = 3\n[system]\nkind = \"prescribed\"\n[drive]\nkind = \"sine\"\n"
                "amplitude = 0.01\nfrequency = 2\n[solver]\nduration = 1\n[measure]\npeak = \"max(F)\"\n");
  ComparedRead read = read_compared({s}, {"friction.kv=3,5"}, {});
  ASSERT_EQ(lines(read.problems), Lines{});
  ASSERT_EQ(read.runs.size(), 2U);
  EXPECT_EQ(read.runs[1].name, "kv = 5");
  simulate(read.runs);
  const auto columns = common_columns(read.runs);
  for (const Difference& d : differences(read.runs[0], read.runs[1], columns)) {
    const double largest = d.column == "F" || d.column == "F_app" ? 2 * X * 2 * pi * f : 0;
    EXPECT_NEAR(d.largest, largest, 1e-9) << d.column;
    EXPECT_NEAR(d.rms, largest / std::sqrt(2), 1e-4 * largest) << "rows every 1/500 of a period";
    if (d.column != "F") continue;
    EXPECT_NEAR(d.relative, 1.0 / 3, 1e-6) << "2 of the range 2 x 3";
  }
  // Another model leaves out keys that it does not have, with a note; a value with commas is one value.
  const std::string lugre = file("l.toml", stick_slip);
  read = read_compared({lugre}, {"friction.model=lugre,dahl"}, {});
  ASSERT_EQ(lines(read.problems), Lines{});
  ASSERT_EQ(read.runs[1].scenario.notes.size(), 1U);
  EXPECT_EQ(read.runs[1].scenario.notes[0], "dahl has no Fs, vs, sigma1: left out");
  read = read_compared({lugre}, {R"(friction={model="dahl",Fc=1,sigma0=1e5},{model="viscous",kv=2})"}, {});
  EXPECT_EQ(read.runs.size(), 2U);
  EXPECT_FALSE(read_compared({lugre}, {"friction.model=lugre,gms"}, {}).problems.empty()) << "k is missing";
  EXPECT_FALSE(read_compared({lugre}, {"friction.Fc=1,,2"}, {}).problems.empty());
  EXPECT_FALSE(read_compared({lugre}, {"friction.Fc"}, {}).problems.empty());
}
