/// Chains of many blocks: cost, events that come together, and the columns that are kept.
#include <gtest/gtest.h>

#include <ctime>
#include <functional>

#include "bristle/scenario.hpp"
#include "support/experiment.hpp"

using namespace bristle;

namespace {

const Table lugre{{"Fc", 1}, {"Fs", 1.5}, {"vs", 1e-3}, {"sigma0", 1e5}, {"sigma1", 316.22776601}, {"kv", 0.4}};

Experiment chain(const std::string& model, int blocks, Pulled pulled, double duration) {
  Experiment e =
      slider(contact(model, model == "lugre" ? lugre : typical(model)), 1, 2, position(Ramp{0.4, 0}), duration);
  e.kind = SystemKind::chain;
  e.chain.blocks = blocks;
  e.chain.coupling = 10;
  e.chain.pulled = pulled;
  e.solver.output_step = duration;
  return e;
}
std::vector<double> times_of(const Run& run, int body, Event::Kind kind) {
  std::vector<double> out;
  for (const Event& e : run.events) {
    if (e.body == body && e.kind == kind && e.t > 0) out.push_back(e.t);
  }
  return out;
}

}  // namespace

/// The same steps for four times as many blocks take about four times as long: sixteen times, if every block were searched
/// for events at the cost of all.
TEST(LongChain, CostGrowsWithTheBlocks) {
  for (const std::string model : {"lugre", "stribeck", "gms"}) {
    auto cost = [&](int blocks, long& steps) {
      double least = inf;
      for (int n = 0; n < 2; ++n) {
        const std::clock_t begin = std::clock();
        Experiment e = chain(model, blocks, Pulled::first, model == "gms" ? 0.01 : 2);
        steps = simulate(e).summary.steps;
        least = std::min(least, static_cast<double>(std::clock() - begin));
      }
      return least;
    };
    long few = 0, many = 0;
    const double a = cost(300, few), b = cost(1200, many);
    EXPECT_EQ(few, many) << model;
    EXPECT_GT(few, 30) << model;
    EXPECT_LT(b, 7 * a) << model;
  }
}

/// Where every block has its own spring to the drive, all do what one slider does: at the same times, in as many steps.
TEST(LongChain, BlocksThatMoveAlikeTakeTheStepsOfOne) {
  for (const std::string model : {"coulomb", "stribeck", "lugre", "karnopp", "maxwell_slip"}) {
    Experiment e = chain(model, 300, Pulled::all, 8);
    const auto all = simulate(e);
    e.chain.blocks = 2;
    const auto two = simulate(e);
    e.kind = SystemKind::slider;
    const auto one = simulate(e);
    EXPECT_LT(static_cast<double>(all.summary.steps), 1.05 * static_cast<double>(two.summary.steps) + 5) << model;
    for (const Event::Kind kind : {Event::slip_forward, Event::slip_backward, Event::stick}) {
      const auto expected = times_of(one, 1, kind);
      for (const int body : {1, 2, 150, 300}) {
        const auto found = times_of(all, body, kind);
        ASSERT_EQ(found.size(), expected.size()) << model << " " << body << " " << to_string(kind);
        for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-6) << model << " " << body;
      }
    }
    EXPECT_NE(times_of(one, 1, Event::slip_forward).empty(), model != "maxwell_slip") << model;
    EXPECT_TRUE(std::is_sorted(all.events.begin(), all.events.end(), [](const Event& a, const Event& b) {
      return a.t < b.t;
    })) << model;
    EXPECT_LT(all.summary.energy.error, 1e-6) << model;
  }
}

/// Each block is its own: those at the ends of a symmetric chain move alike, and not like the ones between them.
TEST(LongChain, BlocksKeepTheirOwnPast) {
  Experiment e = chain("stribeck", 5, Pulled::first, 12);
  e.solver.output_step = 0.01;
  const auto run = simulate(e);
  std::vector<double> first;
  for (int body = 1; body <= 3; ++body) first.push_back(times_of(run, body, Event::slip_forward).at(0));
  EXPECT_LT(first[0], first[1]);
  EXPECT_LT(first[1], first[2]);
  const double spring = 2 * 0.4 * first[0];  // the first breaks away when its spring alone carries Fs
  EXPECT_NEAR(spring, 1.5, 1e-8);
}

TEST(LongChain, RecordKeepsTheColumnsOfSomeBlocks) {
  for (const std::string model : {"lugre", "stribeck", "gms"}) {  // vectors of blocks, without states, with an array
    Experiment e = chain(model, 21, Pulled::first, model == "gms" ? 0.3 : 9);
    e.solver.output_step = e.solver.duration / 90;
    const RunOptions probed{.probes = {e.solver.duration / 7}};
    const auto all = simulate(e, probed);
    for (const std::vector<int>& record : {std::vector{1, 7}, {19, 2}, {21}, {1}}) {
      e.solver.record = record;
      const auto some = simulate(e, probed);
      const std::size_t each = 3 + e.contacts.front().contact->states().size();
      const bool first = record.front() == 1;
      EXPECT_EQ(some.trace.columns.size(), 2 + record.size() * each + (first ? 1 : 0)) << model;
      EXPECT_EQ(some.trace.columns[1].name, first ? "x" : "drive") << model;
      for (const auto& [whole, part] : {std::pair{&all.trace, &some.trace}, {&all.probes, &some.probes}}) {
        for (const Column& c : part->columns) {
          ASSERT_TRUE(whole->find(c.name)) << model << " " << c.name;
          EXPECT_EQ(c.values, whole->find(c.name)->values) << model << " " << c.name;
          EXPECT_EQ(c.unit, whole->find(c.name)->unit) << model << " " << c.name;
        }
      }
      for (const int b : record) EXPECT_TRUE(some.trace.find(name_in_chain("v", static_cast<std::size_t>(b)))) << b;
      EXPECT_EQ(some.events.size(), all.events.size()) << model;
      EXPECT_DOUBLE_EQ(trace_bytes(e), static_cast<double>(8 * some.trace.columns.size() * some.trace.rows()));
      e.solver.record.clear();
    }
    EXPECT_DOUBLE_EQ(trace_bytes(e), static_cast<double>(8 * all.trace.columns.size() * all.trace.rows()));
  }
}

TEST(LongChain, RecordIsChecked) {
  auto problems = [](const std::string& solver, const std::string& rest, int blocks = 60) {
    std::string out;
    const std::string text =
        "[friction]\nmodel = \"dahl\"\nFc = 1\nsigma0 = 1e4\n[drive]\nkind = \"ramp\"\nvelocity = 0.1\n[system]\n"
        "kind = \"chain\"\nmass = 1\nstiffness = 2\ncoupling = 10\nblocks = " +
        std::to_string(blocks) + "\n[solver]\nduration = 1\n" + solver + "\n" + rest;
    for (const auto& p : read_scenario(text, "a.toml").problems) out += p.line() + "\n";
    return out;
  };
  EXPECT_EQ(problems("record = [1, 50]", "[expect]\n\"max(x50)\" = { max = 1 }\n\"max(x50 - x)\" = { max = 1 }\n"), "");
  EXPECT_EQ(problems("record = [50]", "[[figure]]\ny = [\"x50\", \"drive\"]\n"), "");
  const std::string where = "a.toml:16: record = ";
  EXPECT_EQ(problems("record = [1, 61]", ""),
            where + "[1, 61] in [solver]: block 61 does not exist; blocks 1 to 60 are accepted\n");
  EXPECT_EQ(problems("record = [3, 1, 3]", ""),
            where + "[3, 1, 3] in [solver]: block 3 appears twice; each block is accepted once\n");
  for (const std::string wrong : {"[0]", "[1.5]", "[-1]", "[]", "7", "\"all\"", "[\"1\"]", "[1, true]", "[1e30]"})
    EXPECT_NE(problems("record = " + wrong, "").find("must be an array of block numbers, counted from 1"),
              std::string::npos)
        << problems("record = " + wrong, "");
  EXPECT_NE(problems("record = [1]", "[expect]\n\"final(f7)\" = { max = 1 }\n")
                .find("column 'f7' belongs to block 7, which is not recorded; recorded blocks: 1\n"),
            std::string::npos);
  EXPECT_NE(problems("record = [7, 2]", "[[figure]]\ny = [\"x7\", \"v7 - v\"]\n")
                .find("column 'v' in [[figure]] belongs to block 1, which is not recorded; recorded blocks: 2, 7\n"),
            std::string::npos);
  EXPECT_NE(problems("record = [7]", "[expect]\n\"final(F_app)\" = { max = 1 }\n").find("block 1"), std::string::npos);
  EXPECT_NE(problems("record = [7]", "[expect]\n\"final(x61)\" = { max = 1 }\n").find("unknown column 'x61'"),
            std::string::npos);

  // Too much to keep is refused with its size, at the line of what makes it: 1e5 blocks of 4 numbers, 1001 rows.
  EXPECT_EQ(
      problems("", "", 100000),
      "a.toml:14: 1001 rows of 400003 columns require 3.2 GB; at most 2 GB are accepted: choose a larger output_step, or record fewer "
      "blocks\n");
  EXPECT_EQ(problems("record = [1, 99999]", "", 100000), "");

  Experiment e = slider(contact("dahl", typical("dahl")), 1, 2, position(Ramp{0.1, 0}), 1);
  e.solver.record = {1};
  EXPECT_NE(objection_to(e).find("record requires a chain"), std::string::npos);
  Experiment wide = slider(contact("maxwell_slip", typical("maxwell_slip")), 1, 2, position(Ramp{0.1, 0}), 1);
  wide.contacts.push_back({"a", contact("gms", typical("gms"))});
  wide.contacts.push_back({"b", contact("gms", typical("gms"))});
  wide.solver.output_step = 1 / 1.9e7;
  EXPECT_NE(objection_to(wide).find("GB"), std::string::npos) << trace_bytes(wide);
}

/// A stop is heeded within a step of a large chain, however long that is.
TEST(LongChain, StopsWithinAStep) {
  for (const std::string model : {"lugre", "stribeck", "gms"}) {
    Experiment e = chain(model, 20000, Pulled::all, 1e4);
    e.solver.max_steps = 1e12;
    const std::atomic<bool> stop{true};
    EXPECT_THROW(simulate(e, {.stop = &stop}), Stopped) << model;
  }
}
