/// The battery as a whole: properties of every model, independence of the number of threads, and settings.
#include <gtest/gtest.h>

#include <map>
#include <utility>

#include "bristle/scenario.hpp"
#include "bristle/tribometer.hpp"
#include "support/experiment.hpp"

using namespace bristle;
using namespace bristle::tribometer;

namespace {

std::vector<std::string> lines(const std::string& text, const std::vector<std::string>& changes = {}) {
  std::vector<std::string> out;
  for (const Problem& p : read_subject(text, "f.toml", changes).problems) out.push_back(p.line());
  return out;
}
using Lines = std::vector<std::string>;
const std::string lugre = R"([friction]
model = "lugre"
Fc = 1.0
Fs = 1.5
vs = 0.001
sigma0 = 1e5
sigma1 = 316.2
)";

std::vector<Subject> subjects(const std::vector<std::string>& models) {
  std::vector<Subject> out;
  for (const std::string& m : models) out.push_back({m, contact(m, typical(m))});
  return out;
}

}  // namespace

/// Only the experiments that properties rest on.
class EveryModel : public ::testing::TestWithParam<std::string> {
 protected:
  std::map<std::string, Verdict> found() const {
    const auto c = contact(GetParam(), typical(GetParam()));
    const Specimen s = specimen(*c);
    std::map<std::string, Verdict> out;
    for (const Verdict& f :
         findings(*c, {loops(s), curve(s), lag(s), hold(s), breakaway(s), dwell(s), drift(s), energy(s)}))
      out.insert({f.name, f});
    return out;
  }
};

TEST_P(EveryModel, HasTheDeclaredProperties) {
  std::size_t declared = 0;
  for (const auto& [name, f] : found()) {
    EXPECT_TRUE(f.known) << name;
    if (!f.declared) continue;
    ++declared;
    EXPECT_EQ(f.holds, *f.declared) << name << " rests on " << f.number;
  }
  EXPECT_EQ(declared, 10u);
}
INSTANTIATE_TEST_SUITE_P(All, EveryModel, ::testing::ValuesIn(flow_names()), [](const auto& p) { return p.param; });

/// Al-Bender and Swevers (2008), sidebar S3 and Fig 13, and what the later literature adds.
TEST(Literature, OnMemoryAndDrift) {
  struct Case {
    const char* model;
    bool memory, non_drift;
  };
  for (const auto& [model, memory, non_drift] :
       {Case{"dahl", false, false}, Case{"lugre", false, false}, Case{"elasto_plastic", false, true},
        Case{"gms", true, true}, Case{"leuven", true, false}, Case{"maxwell_slip", true, true}}) {
    const auto c = contact(model, typical(model));
    const Specimen s = specimen(*c);
    for (const Verdict& f : findings(*c, {loops(s), drift(s)})) {
      const std::string name = f.name;
      EXPECT_TRUE(name != "memory" || f.holds == memory) << model;
      EXPECT_TRUE(name != "non_drift" || f.holds == non_drift) << model;
    }
  }
}
/// Nothing to remember where inner loops are elastic: one yield force, or a bond. Several remember as many loops inside one
/// another as are wider than twice the smallest yield travel: of 42, 29.4, 20.6, 14.4, 10.1, 7.06, 4.94 um six exceed 5 um.
TEST(Literature, DepthOfMemory) {
  auto memory = [](const std::string& model, const Table& parameters) {
    const auto c = contact(model, parameters);
    const Specimen s = specimen(*c);
    for (const Verdict& f : findings(*c, {loops(s)})) {
      if (f.name == std::string("memory")) return std::pair(f.holds, f.detail);
    }
    return std::pair(false, std::string("none"));
  };
  const std::pair nothing(false, std::string());
  EXPECT_EQ(memory("maxwell_slip", {{"k", {1e5}}, {"W", {1}}}), nothing);
  EXPECT_EQ(memory("dahl", {{"Fc", 1}, {"sigma0", 1e5}, {"i", 0}}), nothing);
  EXPECT_EQ(memory("dahl", typical("dahl")), nothing);
  EXPECT_EQ(memory("reset_integrator", typical("reset_integrator")), nothing);
  EXPECT_EQ(memory("armstrong", typical("armstrong")), nothing);
  EXPECT_EQ(memory("slip_variable", typical("slip_variable")), nothing);
  EXPECT_EQ(memory("maxwell_slip", typical("maxwell_slip")), std::pair(true, std::string("depth 6")));
  EXPECT_EQ(memory("gms", typical("gms")), std::pair(true, std::string("depth 6")));
  EXPECT_EQ(memory("maxwell_slip", {{"k", {2, 1}}, {"W", {1, 2}}}), std::pair(true, std::string("depth 3")));
}

/// Breakaway falls with the force rate where bristles or age have less time, rises where damping adds to the bond. Of a light
/// body rate_state does both: it ages less at first, then the direct effect shows.
TEST(Literature, SignOfTheVaryingBreakaway) {
  auto sign = [](const std::string& model, const Settings& settings) {
    const auto c = contact(model, typical(model));
    const Specimen s = specimen(*c, settings);
    for (const Verdict& f : findings(*c, {loops(s), breakaway(s, settings.breakaway)})) {
      if (f.name == std::string("varying_breakaway")) return f.detail;
    }
    return std::string("none");
  };
  EXPECT_EQ(sign("lugre", {}), "falls");
  EXPECT_EQ(sign("gms", {}), "falls");
  EXPECT_EQ(sign("armstrong", {}), "falls");
  EXPECT_EQ(sign("reset_integrator", {}), "rises");
  EXPECT_EQ(sign("rate_state", {}), "falls");
  EXPECT_EQ(sign("coulomb", {}), "");
  Settings light;
  light.sizes.mass = 1e-3;
  light.breakaway.sliding = 0.1;  // at fast rates the peak lies far above V
  light.breakaway.rates = {60, 6e-5, 0.06};
  EXPECT_EQ(sign("rate_state", light), "both");
  light.breakaway.rates = {0.06, 6, 60};
  EXPECT_EQ(sign("rate_state", light), "rises");
}
TEST(Literature, DwellAndBounds) {
  auto holds = [](const std::string& model, const std::string& property) {
    const auto c = contact(model, typical(model));
    const Specimen s = specimen(*c);
    for (const Verdict& f : findings(*c, {loops(s), dwell(s), energy(s)})) {
      if (f.name == property) return f.holds;
    }
    return false;
  };
  EXPECT_TRUE(holds("armstrong", "dwell"));
  EXPECT_TRUE(holds("rate_state", "dwell"));
  EXPECT_FALSE(holds("lugre", "dwell"));
  EXPECT_FALSE(holds("gms", "dwell"));
  EXPECT_TRUE(holds("gms", "bounded"));     // by the static friction
  EXPECT_FALSE(holds("lugre", "bounded"));  // sigma1 dz/dt at a fast reversal
}

TEST(Battery, GivesTheSameBitsForAnyNumberOfThreads) {
  const auto all = subjects({"coulomb", "dahl", "haessig_friedland"});
  const auto one = characterize(all, {.threads = 1}), many = characterize(all, {.threads = 5});
  ASSERT_EQ(one.size(), many.size());
  for (std::size_t i = 0; i < one.size(); ++i) {
    for (std::size_t k = 0; k < experiments().size(); ++k) {
      const Measurement &a = one[i].measurements[k], &b = many[i].measurements[k];
      ASSERT_EQ(a.quantities.size(), b.quantities.size());
      EXPECT_EQ(a.experiment, experiments()[k].name);
      EXPECT_EQ(a.failure, "");
      for (std::size_t q = 0; q < a.quantities.size(); ++q) {
        const double x = a.quantities[q].value, y = b.quantities[q].value;
        EXPECT_TRUE(x == y || (std::isnan(x) && std::isnan(y))) << one[i].label << " " << a.quantities[q].name;
      }
      ASSERT_EQ(a.charts.size(), b.charts.size());
      for (std::size_t c = 0; c < a.charts.size(); ++c) {
        for (std::size_t n = 0; n < 2; ++n) {
          EXPECT_EQ(a.charts[c].trace.columns[n].values, b.charts[c].trace.columns[n].values) << a.charts[c].name;
        }
      }
    }
  }
}
TEST(Battery, TellsHowFarItIsAndStopsWhenAsked) {
  const auto all = subjects({"coulomb"});
  double last = 0;
  characterize(all, {.progress =
                         [&](double part) {
                           EXPECT_GT(part, last);
                           last = part;
                         },
                     .threads = 2});
  EXPECT_EQ(last, 1);
  const std::atomic<bool> stop = true;
  EXPECT_THROW(characterize(all, {.stop = &stop}), Stopped);
}
TEST(Battery, LeavesTheContactAsItIs) {
  const auto all = subjects({"lugre"}), other = subjects({"lugre"});
  all[0].contact->step({.v = 0.01}, 1e-3);
  const double z = all[0].contact->states()[0].value;
  ASSERT_NE(z, 0);
  const auto moved = hold(specimen(*all[0].contact)), fresh = hold(specimen(*other[0].contact));
  EXPECT_EQ(all[0].contact->states()[0].value, z);
  EXPECT_EQ(moved["displacement"], fresh["displacement"]);  // and every experiment begins at the initial state
}

TEST(Reading, TakesScenariosFrictionFilesAndBlocks) {
  const auto block = read_subject(lugre, "a/f.toml");
  ASSERT_TRUE(block.subject);
  EXPECT_EQ(block.subject->label, "f");
  const auto scenario =
      read_subject(lugre + "[system]\nkind = \"slider\"\nmass = 1\n[solver]\nduration = 1\n", "f.toml");
  EXPECT_TRUE(scenario.subject);
  const auto top =
      read_subject("model = \"coulomb\"\nFc = 2\n[tribometer]\nvelocity = 0.1\n", "f.toml", {"friction.Fc=3"});
  ASSERT_TRUE(top.subject);
  EXPECT_EQ(top.subject->contact->model(), "coulomb");
  EXPECT_EQ(top.subject->contact->parameters()[0].value, 3);
  EXPECT_EQ(top.subject->settings.sizes.velocity, 0.1);
}
TEST(Reading, Settings) {
  const auto read = read_subject(lugre + "[tribometer]\nmass = 2\nrtol = 1e-9\n[tribometer.lag]\nomega = [1, 16]\n",
                                 "f.toml", {"tribometer.drift.cycles=10", "tribometer.stick_slip.critical=false"});
  ASSERT_TRUE(read.subject);
  const Settings& s = read.subject->settings;
  EXPECT_EQ(s.sizes.mass, 2);
  EXPECT_EQ(s.rtol, 1e-9);
  ASSERT_EQ(s.lag.omega.size(), 2u);
  EXPECT_EQ(s.lag.omega[1], 16);
  EXPECT_EQ(s.drift.cycles, 10);
  EXPECT_FALSE(s.stick_slip.critical);
  EXPECT_EQ(s.drift.mean, 0.35);
}
TEST(Reading, ScenariosMayHoldSettings) {
  const std::string scenario =
      lugre + "[system]\nkind = \"slider\"\nmass = 1\n[solver]\nduration = 1\n[tribometer]\nmass = ";
  EXPECT_TRUE(read_scenario(scenario + "1\n", "f.toml").problems.empty());
  const Problems wrong = read_scenario(scenario + "-1\n", "f.toml").problems;
  ASSERT_EQ(wrong.size(), 1u);
  EXPECT_EQ(wrong[0].line(), "f.toml:14: mass = -1 kg must be > 0");
}
TEST(Reading, SaysAllThatIsWrong) {
  EXPECT_EQ(
      lines(lugre + "[tribometer]\nvelocty = 1\nmass = -1\n[tribometer.lag]\nomegas = [1]\n[tribometer.lags]\na = 1\n"),
      (Lines{"f.toml:9: unknown key 'velocty' in [tribometer], did you mean 'velocity'?",
             "f.toml:10: mass = -1 kg must be > 0",
             "f.toml:12: unknown key 'omegas' in [tribometer.lag], did you mean 'omega'?",
             "f.toml:13: unknown key 'lags' in [tribometer], did you mean 'lag'?"}));
  EXPECT_EQ(lines("[frictoin]\nmodel = \"lugre\"\n"),
            (Lines{"f.toml:1: unknown section 'frictoin', did you mean 'friction'?"}));
  EXPECT_EQ(lines("title = \"nothing\"\n"),
            (Lines{"f.toml: missing section [friction]; required: the model and its parameters"}));
  EXPECT_EQ(lines(lugre + "[tribometer.loops]\ninner_top = -0.5\n"),
            (Lines{"f.toml:9: inner_top = -0.5, inner_bottom = -0.3 must satisfy inner_top > inner_bottom"}));
  EXPECT_EQ(
      lines(
          "[[friction]]\nname = \"a\"\nmodel = \"coulomb\"\nFc = 1\n[[friction]]\nname = \"b\"\nmodel = \"coulomb\"\nFc = 1\n"),
      (Lines{"f.toml:1: 2 friction blocks; characterize accepts one per file"}));
  EXPECT_EQ(lines(lugre, {"tribometer.lag=3"}),
            (Lines{"--set tribometer.lag: lag = 3 must be a section [tribometer.lag]"}));
  EXPECT_EQ(lines(lugre, {"friction.sigma_0=3"}),
            (Lines{"--set friction.sigma_0: unknown key 'sigma_0' in [friction], did you mean 'sigma0'?"}));
}
