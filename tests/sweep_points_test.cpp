#include "sweep/points.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "bristle/random.hpp"
#include "simulate/shared/slider_task.hpp"

/// Points of a sweep on a GPU: numbers that are set in an experiment give the same task as reading the scenario again.
namespace {

using namespace bristle;

const std::string of_friction = R"([friction]
model = "lugre"
Fc = 1.0
Fs = 1.5
vs = 0.001
sigma0 = 1e5
sigma1 = 316.0
)";
std::string scenario(const std::string& drive, const std::string& method = "") {
  return "schema = 1\n" + of_friction +
         "[system]\nkind = \"slider\"\nmass = 1.5\nstiffness = 2.0\ndamping = 0.1\nrest_length = 0.01\nx0 = 0.02\nv0 = 0.0\n" +
         "[drive]\n" + drive + "\n[solver]\nduration = 3.0\n" + method + "\n[measure]\npeak = \"max(F)\"\n";
}

sweep::PointReader reader_of(const std::string& text, const std::vector<std::string>& keys) {
  FamilyRead read = read_family(text, "s.toml");
  EXPECT_TRUE(read.family) << (read.problems.empty() ? "" : read.problems.front().line());
  std::vector<ScenarioFamily::Key> all;
  for (const std::string& k : keys) all.push_back({k, k});
  read.family->vary(std::move(all));
  return sweep::PointReader(std::move(*read.family), keys);
}

plain::Task task_of(const Experiment* e) {
  EXPECT_NE(e, nullptr);
  const plain::Written w = e ? plain::write_task(*e, true) : plain::Written{};
  EXPECT_EQ(w.objection, "");
  return w.task;
}

struct Case {
  std::string text;
  std::vector<std::string> keys;
  bool sets;
};
std::vector<Case> cases() {
  const std::string ramp = scenario("kind = \"ramp\"\nvelocity = 0.1\nstart = 0.01"),
                    force = scenario("kind = \"ramp\"\nof = \"force\"\nrate = 0.1"),
                    held = scenario("kind = \"constant\"\nvalue = 0.1"),
                    fixed = scenario("kind = \"ramp\"\nvelocity = 0.1", "method = \"fixed\"\nstep = 1e-3");
  return {{ramp, {"drive.velocity", "system.stiffness"}, true},
          {ramp, {"drive.start", "system.mass", "system.damping"}, true},
          {ramp, {"system.x0", "system.v0", "system.rest_length"}, true},
          {force, {"drive.rate", "drive.start", "system.stiffness"}, true},
          {held, {"drive.value", "system.v0"}, true},
          {fixed, {"drive.velocity", "system.mass"}, true},
          {ramp, {"friction.Fs", "system.stiffness"}, false},
          {ramp, {"system.stiffness", "solver.duration"}, false}};
}

TEST(SweepPoints, NumbersSetInAnExperimentGiveTheTaskOfTheScenario) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.keys.front());
    sweep::PointReader quick = reader_of(c.text, c.keys), slow = reader_of(c.text, c.keys);
    std::string problem;
    for (unsigned i = 0; i < 40; ++i) {
      std::vector<double> values;
      for (unsigned k = 0; k < c.keys.size(); ++k)
        values.push_back(std::pow(10.0, 6 * uniform(11, i, k) - 3) + (c.keys[k] == "friction.Fs" ? 1.0 : 0.0));
      const plain::Task a = task_of(quick.at(values, problem)), b = task_of(slow.at(values, problem, true));
      EXPECT_EQ(std::memcmp(&a, &b, sizeof a), 0) << i;
    }
    EXPECT_EQ(quick.sets(), c.sets);
    EXPECT_EQ(quick.measures().size(), 1U);
  }
}

TEST(SweepPoints, ValuesOutOfRangeHaveTheMessageOfTheScenario) {
  sweep::PointReader reader = reader_of(cases()[0].text, cases()[0].keys);
  std::string problem;
  ASSERT_NE(reader.at(std::vector{0.1, 2.0}, problem), nullptr);
  for (const double bad : {-1.0, inf, std::nan("")}) {
    problem.clear();
    EXPECT_EQ(reader.at(std::vector{0.1, bad}, problem), nullptr);
    EXPECT_NE(problem.find("stiffness"), std::string::npos) << problem;
    const Experiment* e = reader.at(std::vector{0.2, 3.0}, problem);  // the next point is read again
    ASSERT_NE(e, nullptr);
    EXPECT_EQ(e->body.stiffness, 3.0);
    EXPECT_EQ(std::get<Ramp>(e->drive.terms.front().shape).velocity, 0.2);
  }
}

TEST(SweepPoints, ConditionsBetweenKeysAreThoseOfTheScenario) {
  // A quasi-static body is another system, and a jump of the drive excludes a damper.
  sweep::PointReader reader = reader_of(cases()[0].text, {"system.mass", "system.damping"});
  std::string problem;
  ASSERT_NE(reader.at(std::vector{1.0, 0.1}, problem), nullptr);
  const Experiment* e = reader.at(std::vector{0.0, 0.1}, problem);
  EXPECT_TRUE(e == nullptr || !plain::write_task(*e, false).objection.empty());
}

}  // namespace
