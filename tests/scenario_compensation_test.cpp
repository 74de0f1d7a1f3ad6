/// Compensations in scenario files: every kind runs with its defaults, estimates are columns, and gains outside a proof, models
/// that do not fit and hostile values are refused or noted in a line.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/experiment.hpp"
#include "support/scenario.hpp"

using namespace bristle;

namespace {

std::string axis(const std::string& compensation, const std::string& model = "lugre", const std::string& more = "") {
  const std::string friction =
      model == "lugre"
          ? "model = \"lugre\"\nFc = 20\nFs = 25\nvs = 2e-3\nsigma0 = 4e6\nsigma1 = 1000\nkv = 100\n"
          : "model = \"gms\"\nFc = 20\nFs = 25\nvs = 2e-3\nk = [3e6, 1e6]\nnu = [0.5, 0.5]\nC = 2000\nkv = 100\n";
  return "schema = 1\n[friction]\n" + friction +
         "[system]\nkind = \"slider\"\nmass = 10\n[drive]\nkind = \"sine\"\namplitude = 0.02\nfrequency = 0.5\n"
         "[solver]\nduration = 2\n[controller]\nkp = 4e5\nki = 8e6\nkd = 3000\nsample_time = 1e-3\n" +
         more + compensation;
}
Lines said(const std::string& text) {
  Lines out;
  for (const std::string& line : problems(text)) out.push_back(line.substr(line.find(": ") + 2));
  return out;
}
std::string table(const std::string& keys) { return "[controller.compensation]\n" + keys; }
double rms_error(const Scenario& s) {
  const bristle::Run run = simulate(s.experiment);
  double sum = 0;
  const auto& x = run.trace.find("x")->values;
  const auto& r = run.trace.find("reference")->values;
  for (std::size_t i = x.size() / 2; i < x.size(); ++i) sum += (x[i] - r[i]) * (x[i] - r[i]);
  return std::sqrt(sum);
}
const std::vector<std::string> all{"lugre_observer", "friedland_park", "disturbance_observer", "ekf",
                                   "adaptive_rls",   "adaptive_lugre"};

}  // namespace

TEST(ScenarioCompensation, EveryKindReducesTheErrorWithItsDefaults) {
  const double none = rms_error(good(axis("compensation = \"none\"\n")));
  EXPECT_EQ(none, rms_error(good(axis(""))));
  for (const std::string& kind : all) {
    EXPECT_LT(rms_error(good(axis("compensation = \"" + kind + "\"\n"))), none) << kind;
    EXPECT_EQ(said(axis(table("kind = \"" + kind + "\"\nstart = 0.5\nblend = 0.1\n"))), Lines{}) << kind;
  }
  EXPECT_LT(rms_error(good(axis("compensation = \"gms_observer\"\n", "gms"))), rms_error(good(axis("", "gms"))));
}

/// With exact models, velocities from differences and no viscous friction the estimates stay near the truth, and the loop
/// remains stable for stiff bristles.
TEST(ScenarioCompensation, ExactModelsRemainExact) {
  const std::string rest =
      "[system]\nkind = \"slider\"\nmass = 1\n[drive]\nkind = \"sine\"\namplitude = 0.1\nfrequency = 0.5\n"
      "[solver]\nduration = 2\nrtol = 1e-5\n[controller]\nkp = 400\nki = 100\nkd = 40\nsample_time = 1e-3\n";
  const std::string head = "schema = 1\n[friction]\n",
                    stiff = "model = \"lugre\"\nFc = 1\nFs = 1.5\nvs = 0.001\nsigma0 = 1e5\nsigma1 = 316\n";
  for (const std::string& friction : {std::string("model = \"coulomb\"\nFc = 1\n"), stiff}) {
    for (const std::string kind : {"ekf", "adaptive_rls"}) {
      const bristle::Run run = simulate(good(head + friction + rest + "compensation = \"" + kind + "\"\n").experiment);
      EXPECT_NEAR(run.trace.find("Fc")->values.back(), 1, 0.1) << friction << kind;
      for (const double Fc : run.trace.find("Fc")->values) EXPECT_LT(Fc, 1.5) << friction << kind;
    }
  }
}

TEST(ScenarioCompensation, FeedforwardIsTheSameByEitherName) {
  EXPECT_EQ(rms_error(good(axis("compensation = \"feedforward\"\n"))),
            rms_error(good(axis("feedforward = \"model\"\n"))));
}

TEST(ScenarioCompensation, EstimatesAreColumns) {
  const Scenario s = good(axis(table("kind = \"ekf\"\nestimate = [\"Fc\", \"kv\"]\n")) +
                          "[expect]\n\"mean(Fc)\" = { value = 20, rel = 0.1 }\n\"max(z_hat)\" = { max = 1 }\n");
  const bristle::Run run = simulate(s.experiment);
  EXPECT_NEAR(run.trace.find("Fhat")->values.back(), run.trace.find("F")->values.back(), 5);
  EXPECT_NEAR(run.trace.find("kv")->values.front(), 100, 1e-9);
  const bristle::Run fixed =
      simulate(good(axis(table("kind = \"adaptive_rls\"\nestimate = [\"Fc\", \"offset\"]\n"))).experiment);
  EXPECT_NEAR(fixed.trace.find("offset")->values.back(), 0, 2);
  EXPECT_EQ(said(axis("") + "[expect]\n\"max(Fhat)\" = { max = 1 }\n").size(), 1U);
}

TEST(ScenarioCompensation, AdaptiveLawsFollowTheLoad) {
  const std::string load = "[load]\nkind = \"constant\"\nvalue = 1.25\n";
  for (const auto& [kind, column, value] : {std::tuple{"adaptive_rls", "Fc", 25.0},
                                            {"friedland_park", "Fc", 25.0},
                                            {"ekf", "Fc", 25.0},
                                            {"adaptive_lugre", "level", 1.23}}) {
    const bristle::Run run = simulate(good(axis(std::string("compensation = \"") + kind + "\"\n") + load).experiment);
    EXPECT_NEAR(run.trace.find(column)->values.back(), value, 0.05 * value) << kind;
  }
}

TEST(ScenarioCompensation, RefusesOrNotesGainsOutsideTheProof) {
  // sigma1 kd = 3e6 < sigma0 m = 4e7; (kd kp - m ki)/(sigma0 m - sigma1 kd) = 1.12e9/3.7e7 = 30.27 1/s.
  const auto much = said(axis(table("kind = \"lugre_observer\"\ngain = 31\n")));
  ASSERT_EQ(much.size(), 1U);
  EXPECT_NE(much[0].find("below 30.27 1/s"), std::string::npos) << much[0];
  const Scenario little = good(axis(table("kind = \"lugre_observer\"\ngain = 5\n")));
  EXPECT_TRUE(std::ranges::any_of(
      little.notes, [](const std::string& n) { return n.find("outside the proof") != std::string::npos; }));
  const Scenario free = good(axis(table("kind = \"lugre_observer\"\n")));
  EXPECT_TRUE(
      std::ranges::none_of(free.notes, [](const std::string& n) { return n.find("proof") != std::string::npos; }));
}

TEST(ScenarioCompensation, NotesCoulombLawsThatAdaptWithinTheStribeckRange) {
  auto noted = [](const std::string& sample_time, const std::string& keys) {
    std::string text = axis(table("kind = \"adaptive_rls\"\n" + keys));
    text.replace(text.find("1e-3\n", text.find("sample_time")), 4, sample_time);
    return std::ranges::count_if(good(text).notes,
                                 [](const std::string& n) { return n.find("Stribeck") != std::string::npos; });
  };
  const std::string coulomb = "model = { model = \"coulomb\", Fc = 20, kv = 100 }\n";
  EXPECT_EQ(noted("1e-4", coulomb), 1);
  EXPECT_EQ(noted("5e-4", coulomb), 0);
  EXPECT_EQ(noted("1e-4", coulomb + "least_velocity = 0.01\n"), 0);
  EXPECT_EQ(noted("1e-4", ""), 0) << "LuGre has vs";
}

TEST(ScenarioCompensation, RefusesWhatDoesNotFit) {
  const std::vector<std::pair<std::string, std::string>> wrong{
      {axis("compensation = \"gms_observer\"\n"), "requires model gms, not lugre"},
      {axis("compensation = \"lugre_observer\"\n", "gms"), "requires model lugre, not gms"},
      {axis("compensation = \"kalman\"\n"), "must be one of"},
      {axis("compensation = 3\n"), "must be a kind in quotes or a section"},
      {axis(table("gain = 1\n")), "missing key 'kind'"},
      {axis(table("kind = \"lugre_observer\"\nfilter = 1\n")), "unknown key 'filter'"},
      {axis(table("kind = \"lugre_observer\"\ngain = -1\n")), "gain"},
      {axis(table("kind = \"ekf\"\nestimate = \"Fd\"\n")), "is not a real parameter of lugre"},
      {axis(table("kind = \"ekf\"\nestimate = [\"Fc\", \"Fc\"]\n")), "twice"},
      {axis(table("kind = \"adaptive_rls\"\nestimate = \"Fs\"\n")), "must be one of Fc, kv, offset, asymmetry"},
      {axis(table("kind = \"disturbance_observer\"\ninertia = 1000\nfilter = 1e-3\n")), "unstable"},
      {axis(table("kind = \"friedland_park\"\nadaptation_time = 1e-4\n")), "unstable"},
      {axis("compensation = \"lugre_observer\"\n", "lugre", "feedforward = \"model\"\n"), "twice"},
      {with(axis("compensation = \"ekf\"\n"), "sample_time = 1e-3\n", ""), "requires sample_time"},
      {axis("[controller.sensor]\nstep = 1e-20\n"), "finer than the arithmetic"},
  };
  for (const auto& [text, message] : wrong) {
    const Lines lines = said(text);
    ASSERT_EQ(lines.size(), 1U) << message << "\n" << ::testing::PrintToString(lines);
    EXPECT_NE(lines[0].find(message), std::string::npos) << lines[0];
  }
}

TEST(ScenarioCompensation, FixedStepsAndVariableStepsAgree) {
  for (const std::string& kind : all) {
    const Scenario a = good(axis("compensation = \"" + kind + "\"\n"));
    const Scenario b = good(with(axis("compensation = \"" + kind + "\"\n"), "duration = 2\n",
                                 "duration = 2\nmethod = \"fixed\"\nstep = 2e-5\n"));
    const bristle::Run x = simulate(a.experiment), y = simulate(b.experiment);
    ASSERT_EQ(x.trace.columns.size(), y.trace.columns.size());
    EXPECT_NEAR(x.trace.find("Fhat")->values.back(), y.trace.find("Fhat")->values.back(), 1) << kind;
  }
}
