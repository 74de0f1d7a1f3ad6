/// Numbers computed elsewhere, with other methods: the experiments of Andersson et al. (2007) and of the spring-mass
/// system and roller of multibody dynamics. To 1e-6 at default settings; to 1e-9, or the last printed digit, at tight ones.
#include <gtest/gtest.h>

#include "support/experiment.hpp"

using namespace bristle;

namespace {

constexpr double Fc = 0.981;
const Table curve{{"Fc", Fc}, {"Fs", 1.5 * Fc}, {"vs", 0.01}, {"kv", 0.4}};
const Table bristle_table{{"sigma0", Fc / 1e-5}, {"sigma1", 2 * std::sqrt(Fc / 1e-5)}};

/// Mass 1 kg, spring 100 N/m, in some law of the paper.
Experiment wall(const std::string& model, const Table& p, Drive drive, double duration) {
  return slider(contact(model, p), 1, 100, std::move(drive), duration);
}
const StepAt step{0, 0.1};

struct Setting {
  double rtol, relative;
};
constexpr Setting settings[]{{1e-8, 1e-6}, {1e-12, 1e-9}};

}  // namespace

struct Law {
  const char* model;
  Table p;
  const char *x1, *v1, *x5, *F5, *W5;
};
TEST(Andersson, EveryLawAfterAStepOfTheWall) {
  const Table sharp{{"Fc", Fc}, {"k_sat", 1000}}, dahl{{"Fc", Fc}, {"sigma0", Fc / 1e-5}};
  const std::vector<Law> laws{
      {"coulomb", {{"Fc", Fc}}, "0.13609811101", "-0.170441814", "0.1019", "-0.19", "0.4998195"},
      {"stribeck", curve, "0.12622254867", "-0.10138473", "0.091661068631", "0.833893137", "0.4965231112"},
      {"coulomb_sat", sharp, "0.13609237814", "-0.170530897", "0.10133995869", "-0.134009795", "0.4999102162"},
      {"coulomb_tanh",
       {{"Fc", Fc}, {"k_tanh", 1000}},
       "0.13608959004",
       "-0.170574911",
       "0.10133602023",
       "-0.13361626",
       "0.4999107431"},
      {"stribeck_sat", curve + Table{{"k_sat", 1000}}, "0.12620183333", "-0.101713389", "0.093534372581", "0.646592665",
       "0.4979096865"},
      {"stribeck_tanh", curve + Table{{"k_tanh", 1000}}, "0.12619078514", "-0.10189073", "0.093692365358",
       "0.630801723", "0.4980105822"},
      {"dankowicz",
       {{"Fc", Fc}, {"delta", 1e-5}},
       "0.13572119931",
       "-0.176367438",
       "0.1018857968",
       "-0.18582607",
       "0.4998221885"},
      {"dahl", dahl, "0.13572119931", "-0.176367438", "0.1018857968", "-0.18582607", "0.4998221885"},
      {"dahl", dahl + Table{{"i", 2}}, "0.13564047785", "-0.178462794", "0.10199382796", "-0.199470952",
       "0.4998012325"},
      {"lugre", curve + bristle_table, "0.12676775057", "-0.091360363", "0.091728789423", "0.827121058",
       "0.4965793538"},
      {"stribeck_dankowicz", curve + Table{{"delta", 1e-5}}, "0.12567361105", "-0.110011208", "0.091763894688",
       "0.821390124", "0.4966083284"}};
  for (const Law& law : laws) {
    for (const Setting& s : settings) {
      Experiment e = wall(law.model, law.p, position(step), 5);
      e.solver.rtol = s.rtol;
      const auto run = simulate(e, {.probes = {1, 5}});
      const std::string what = std::string(law.model) + " at " + to_text(s.rtol);
      expect_printed(probe(run, "x", 1), law.x1, s.relative, what);
      expect_printed(probe(run, "v", 1), law.v1, s.relative, what);
      expect_printed(probe(run, "x", 5), law.x5, s.relative, what);
      expect_printed(probe(run, "F", 5), law.F5, s.relative, what);
      expect_printed(run.summary.energy.friction, law.W5, s.relative, what);
      EXPECT_LT(run.summary.energy.error, 1e-6) << what;
    }
  }
}

/// x = 0.1 - A cos 10t with A falling by 2 Fc/k per half-cycle: five of them, the last ends at pi/2 with 0.1019.
TEST(Andersson, ExactCoulombStopsAfterFiveHalfCycles) {
  const auto run = simulate(wall("coulomb", {{"Fc", Fc}}, position(step), 5));
  EXPECT_EQ(kinds_of(run), "slip+ slip- slip+ slip- slip+ stick");
  ASSERT_EQ(run.events.size(), 6U);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(run.events[i].t, static_cast<double>(i) * two_pi / 20, 1e-8);
  EXPECT_NEAR(column(run.trace, "x").back(), 0.1019, 1e-9);
  const auto other = simulate(wall("stribeck", curve, position(step), 5));
  expect_printed(other.events.back().t, "1.25721771741", 1e-7, "last stick");
  EXPECT_EQ(other.events.back().kind, Event::stick);
}

TEST(Andersson, BelowBreakawayOnlyRegularisedLawsCreep) {
  const auto held = simulate(wall("coulomb", {{"Fc", Fc}}, position(StepAt{0, 0.005}), 5));
  EXPECT_EQ(largest(column(held.trace, "x")), 0);
  EXPECT_EQ(kinds_of(held), "stick");
  const auto creeps =
      simulate(wall("coulomb_sat", {{"Fc", Fc}, {"k_sat", 1000}}, position(StepAt{0, 0.005}), 5), {.probes = {5}});
  expect_printed(probe(creeps, "x", 5), "0.001996420086385", 1e-8, "creep");
}

/// The spring force long after: the regularised law lets go, LuGre keeps it.
TEST(Andersson, DriftOfTheSpringForce) {
  const RunOptions at{.probes = {2, 10, 39, 40}};
  const auto sat = simulate(wall("coulomb_sat", {{"Fc", Fc}, {"k_sat", 1000}}, position(step), 40), at);
  expect_printed(probe(sat, "F_app", 2), "-0.1819", 0, "2 s");
  expect_printed(probe(sat, "F_app", 10), "-0.0805", 0, "10 s");
  expect_printed(probe(sat, "F_app", 40), "-0.0038", 0, "40 s");
  const auto exact = simulate(wall("coulomb", {{"Fc", Fc}}, position(step), 40), at);
  EXPECT_NEAR(probe(exact, "F_app", 40), -0.19, 1e-7);
  const auto lugre = simulate(wall("lugre", curve + bristle_table, position(step), 40), at);
  EXPECT_NEAR(probe(lugre, "F_app", 40), probe(lugre, "F_app", 39), 1e-9);
}

/// sigma1 is large here: a spike far above Fs right after the first reversal.
TEST(Andersson, LugreSpikeIsNotClamped) {
  Experiment e = wall("lugre", curve + bristle_table, position(step), 1);
  e.solver.output_step = 1e-5;
  const auto run = simulate(e);
  const auto& F = column(run.trace, "F");
  EXPECT_NEAR(*std::min_element(F.begin(), F.end()), -4.80, 0.005);
}

/// (14) with C = 10 from X0 = 50: m = k = delta = 1, Fc = 10.
TEST(Andersson, DankowiczWithoutDimensions) {
  const double turn = 3.09709504646;
  for (const Setting& s : settings) {
    Experiment e = slider(contact("dankowicz", {{"Fc", 10}, {"delta", 1}}), 1, 1, position(StepAt{0, 50}), 4);
    e.solver.rtol = s.rtol;
    const auto run = simulate(e, {.probes = {turn}});
    expect_printed(probe(run, "x", turn), "80.249223595", 1e-2 * s.relative, "turn");
    EXPECT_NEAR(probe(run, "v", turn), 0, 100 * s.relative);  // deceleration is 20
  }
}

/// Stick phases of the exact laws, at default and at loose tolerance: none may be stepped over.
TEST(Andersson, StickPhasesUnderSineAndChirp) {
  for (const double rtol : {1e-3, 1e-5, 1e-8}) {
    auto phases = [&](const char* model, const Table& p, Drive drive) {
      Experiment e = wall(model, p, std::move(drive), 10);
      e.solver.rtol = rtol;
      return count_of(simulate(e), Event::stick);
    };
    const Drive sine = position(Sine{0.05, 0.5, 0, 0}), chirp = position(Chirp{0.05, 0.1, 5, 10});
    EXPECT_EQ(phases("coulomb", {{"Fc", Fc}}, sine), 10U) << rtol;
    EXPECT_EQ(phases("stribeck", curve, sine), 11U) << rtol;
    EXPECT_EQ(phases("coulomb", {{"Fc", Fc}}, chirp), 3U) << rtol;
    EXPECT_EQ(phases("stribeck", curve, chirp), 2U) << rtol;
  }
}
