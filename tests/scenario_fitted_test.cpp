/// [fitted] and [measured] of friction files: the body of a slider, units, and the range of the measurements.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "support/scenario.hpp"

using namespace bristle;

namespace {

/// A folder with a fitted file and a slider that refers to it.
class Fitted : public testing::Test {
 protected:
  Fitted() { std::filesystem::create_directories(folder_); }
  ~Fitted() override { std::filesystem::remove_all(folder_); }
  void write(const std::string& name, const std::string& text) const { std::ofstream(folder_ / name) << text; }
  Loaded read(const std::string& text, const std::vector<std::string>& changes = {}) const {
    return read_scenario(text, (folder_ / "s.toml").string(), changes);
  }
  Scenario scenario(const std::string& text, const std::vector<std::string>& changes = {}) const {
    Loaded out = read(text, changes);
    for (const Problem& p : out.problems) ADD_FAILURE() << p.line();
    return out.scenario ? std::move(*out.scenario) : Scenario{};
  }
  std::string last_problem(const std::string& text) const {
    const Loaded out = read(text);
    return out.problems.empty() ? "" : out.problems.back().text;  // those of the scenario itself come first
  }

  const std::string friction = "[friction]\nmodel = \"coulomb\"\nFc = 1\n";
  const std::string body =
      "[fitted]\nmass = 0.5\ngravity = 2\ngravity_phase = 0.3\noffset = 0.25\nunits = \"rotational\"\n";
  const std::string slider =
      "[friction]\nfile = \"fit.toml\"\n[system]\nkind = \"slider\"\n[drive]\nof = \"force\"\nkind = \"constant\"\n"
      "value = 3\n[solver]\nduration = 1\n";

 private:
  std::filesystem::path folder_ = std::filesystem::path(testing::TempDir()) / ("fitted" + std::to_string(::getpid()));
};

TEST_F(Fitted, ASliderTakesTheValuesThatItDoesNotSet) {
  write("fit.toml", friction + body);
  const Scenario s = scenario(slider);
  EXPECT_TRUE(s.rotational);
  EXPECT_EQ(s.experiment.body.mass, 0.5);
  EXPECT_EQ(s.experiment.body.gravity, 2);
  EXPECT_EQ(s.experiment.body.gravity_phase, 0.3);
  EXPECT_EQ(*s.experiment.contacts[0].contact->parameter("offset").as<double>(), 0.25);
  ASSERT_EQ(s.notes.size(), 1U);
  EXPECT_EQ(s.notes[0], "taken from [fitted]: mass = 0.5, offset = 0.25, gravity = 2, gravity_phase = 0.3");

  const Scenario own =
      scenario(slider, {"system.mass=2", "system.gravity=0", "friction.effects.offset=0", "units=linear"});
  EXPECT_FALSE(own.rotational);
  EXPECT_EQ(own.experiment.body.mass, 2);
  EXPECT_EQ(own.experiment.body.gravity, 0);
  EXPECT_EQ(own.experiment.body.gravity_phase, 0);
  EXPECT_EQ(*own.experiment.contacts[0].contact->parameter("offset").as<double>(), 0);
  EXPECT_EQ(scenario(slider, {"fitted.mass=3"}).experiment.body.mass, 3);
}

/// m a = u - F - gravity sin(x - phase) - offset, as in a fit.
TEST_F(Fitted, TheBalanceOfForcesIsThatOfTheFit) {
  write("fit.toml", friction + body);
  const bristle::Run run = simulate(scenario(slider, {"solver.output_step=1e-4", "solver.duration=0.01"}).experiment);
  const auto &v = run.trace.find("v")->values, &t = run.trace.find("t")->values;
  const double start = (3 - 1 + 2 * std::sin(0.3) - 0.25) / 0.5;
  EXPECT_NEAR(v[10] / t[10], start, 1e-3 * start);
  write("fit.toml", friction + "[fitted]\nmass = 0.5\ngravity = 0.75\n");  // without a phase: a constant force
  const bristle::Run lifted =
      simulate(scenario(slider, {"solver.output_step=1e-4", "solver.duration=0.01"}).experiment);
  EXPECT_NEAR(lifted.trace.find("v")->values.back(), 0.01 * (3 - 1 - 0.75) / 0.5, 1e-9);
}

TEST_F(Fitted, OtherSystemsTakeNothing) {
  write("fit.toml", friction + body);
  const Scenario s =
      scenario("[friction]\nfile = \"fit.toml\"\n[system]\nkind = \"prescribed\"\n[drive]\nkind = \"ramp\"\n"
               "velocity = 1\n[solver]\nduration = 1\n");
  EXPECT_TRUE(s.rotational);
  EXPECT_TRUE(s.notes.empty());
  EXPECT_FALSE(s.experiment.contacts[0].contact->has_effects());
}

TEST_F(Fitted, TermsOfTheUserAreNotSimulated) {
  write("fit.toml", friction + "[fitted]\nmass = 0.5\n[fitted.terms]\nelbow = 2\n\"q1*q2\" = -1\n");
  const Scenario s = scenario(slider);
  ASSERT_EQ(s.notes.size(), 1U);
  EXPECT_EQ(s.notes[0], "taken from [fitted]: mass = 0.5, without the term elbow, without the term q1*q2");
  write("fit.toml", friction + "[fitted]\nmass = 0.5\n[fitted.terms]\nelbow = \"sin\"\n");
  EXPECT_EQ(last_problem(slider), "elbow = \"sin\" in [fitted.terms] must be a number");
  write("fit.toml", friction + "[fitted]\nmass = 0.5\nterms = 3\n");
  EXPECT_EQ(last_problem(slider), "terms = 3 must be a section [fitted.terms]");
}

TEST_F(Fitted, ProblemsAreReported) {
  write("fit.toml", friction + "[fitted]\nmas = 1\n");
  EXPECT_EQ(last_problem(slider), "unknown key 'mas' in [fitted], did you mean 'mass'?");
  write("fit.toml", friction + "[fitted]\nmass = -1\n");
  EXPECT_EQ(last_problem(slider), "mass = -1 kg must be >= 0");
  write("fit.toml", friction + "[fitted]\nunits = \"metric\"\n");
  EXPECT_EQ(last_problem(slider), "units = \"metric\" in [fitted] must be one of \"linear\", \"rotational\"");
  write("fit.toml", "units = \"linear\"\n" + friction + body);
  EXPECT_EQ(last_problem(slider), "units in [fitted] differ from those of the file; must be the same");
  write("fit.toml", friction + "[fitted]\ngravity = 2\n");
  EXPECT_EQ(last_problem(slider),
            "missing key 'mass' in [system]; required: mass, or 0 for a quasi-static body, typically 1 kg");
  for (const char* range : {"[1, 0]", "[1]", "3", "\"all\"", "[nan, 1]", "[0, inf]"}) {
    write("fit.toml", friction + "[fitted]\nmass = 1\n[measured]\nv = " + range + "\n");
    EXPECT_NE(last_problem(slider).find("in [measured] must be the least and the greatest value: [0, 1]"),
              std::string::npos)
        << range << last_problem(slider);
  }
  write("fit.toml", friction + "[fitted]\nmass = 1\n[measured]\nF = [0, 1]\n");
  EXPECT_EQ(last_problem(slider), "unknown key 'F' in [measured]; accepted: v, x, N, T");
  write("fit.toml", friction + "[fitted]\nmass = 1\n");
  write("other.toml", friction + "[fitted]\nmass = 2\n");
  const std::string both =
      "[[friction]]\nname = \"a\"\nfile = \"fit.toml\"\n[[friction]]\nname = \"b\"\nfile = \"other.toml\"\n" +
      slider.substr(slider.find("[system]"));
  EXPECT_NE(last_problem(both).find("differs from that of another friction file; mass in [system] decides"),
            std::string::npos)
      << last_problem(both);
}

TEST_F(Fitted, ARunOutsideTheMeasuredRangeIsNoted) {
  write("fit.toml",
        friction + "[fitted]\nmass = 1\nnormal_load = 10\n[measured]\nv = [0, 1]\nx = [-0.5, 0.5]\nN = [8, 12]\n");
  const auto note = [&](const std::vector<std::string>& changes) {
    const Scenario s = scenario(slider, changes);
    return outside_measured(s, simulate(s.experiment));
  };
  // a = 2: v = 2 t, x = t^2
  EXPECT_EQ(note({"solver.duration=0.5"}), "");
  EXPECT_EQ(note({"solver.duration=0.52"}), "");  // within 5 %
  EXPECT_EQ(note({"solver.duration=0.6"}), "the run leaves the range of the measurements behind the friction file: "
                                           "v 0 to 1.2, measured 0 to 1");
  EXPECT_EQ(note({"solver.duration=1"}), "the run leaves the range of the measurements behind the friction file: "
                                         "v 0 to 2, measured 0 to 1; x 0 to 1, measured -0.5 to 0.5");
  // The other direction was not measured.
  EXPECT_NE(note({"solver.duration=0.2", "drive.value=-3"}).find("v -0.4 to 0, measured 0 to 1"), std::string::npos);
  EXPECT_NE(
      note({"solver.duration=0.2", "load.kind=\"constant\"", "load.value=2"}).find("N 20 to 20, measured 8 to 12"),
      std::string::npos);
}

}  // namespace
