// The loader of bristle::models agrees with the reader of scenarios: it accepts and refuses the same friction files.
#include "bristle/registry/friction_file.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "bristle/scenario.hpp"

namespace bristle {
namespace {

const std::string fitted = R"(schema = 1
title = "joint 3"
[friction]
model = "lugre"
Fc = 1.2
Fs = 1.5
vs = 0.01
sigma0 = 1e4
sigma1 = 10
[friction.effects]
offset = 0.25
[friction.negative]
Fc = 1.4
[friction.initial]
z = 1e-5
[fitted]
mass = 0.3
gravity = 2
offset = 0.5
units = "rotational"
role = "u"
[fitted.terms]
cable = -0.1
[measured]
v = [-1, 2]
[system]
kind = "prescribed"
)";

std::string changed(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(FrictionFile, GivesContactAndNumbersOfTheFit) {
  const LoadedContact in = read_contact(fitted, "joint.toml");
  for (const Problem& p : in.problems) ADD_FAILURE() << p.line();
  ASSERT_TRUE(in.contact);
  EXPECT_EQ(in.contact->model(), "lugre");
  EXPECT_EQ(in.title, "joint 3");
  EXPECT_TRUE(in.rotational);
  EXPECT_EQ(in.fitted.mass, 0.3);
  EXPECT_EQ(in.fitted.constant_force(), 2.5);  // without a phase, gravity is a constant force
  EXPECT_TRUE(std::isnan(in.fitted.normal_load));
  ASSERT_EQ(in.fitted.terms.size(), 1U);
  EXPECT_EQ(*in.fitted.terms[0].value.as<double>(), -0.1);
  ASSERT_EQ(in.measured.ranges.size(), 1U);
  EXPECT_FALSE(in.measured.ranges[0].left_by(2.05));
  EXPECT_TRUE(in.measured.ranges[0].left_by(2.2));
  // Far above vs, for a long time: Fc of the direction plus the offset, which the effects contain.
  for (int i = 0; i < 1000; ++i) in.contact->step({.v = 1}, 1e-3);
  EXPECT_NEAR(in.contact->force({.v = 1}), 1.45, 1e-9);
  for (int i = 0; i < 1000; ++i) in.contact->step({.v = -1}, 1e-3);
  EXPECT_NEAR(in.contact->force({.v = -1}), -1.15, 1e-9);
}

TEST(FrictionFile, AcceptsABlockAtTopLevel) {
  const LoadedContact in = read_contact("model = \"coulomb\"\nFc = 2\nkv = 0.5\n", "block.toml");
  ASSERT_TRUE(in.contact);
  EXPECT_NEAR(in.contact->step({.v = 1}, 1e-3), 2.5, 1e-12);
}

TEST(FrictionFile, RefusesWithPlaceAndReason) {
  const std::pair<std::string, std::string> wrong[]{
      {changed(fitted, "sigma0", "sigma_0"), "sigma_0"},
      {changed(fitted, "Fc = 1.2", "Fc = -1"), "Fc = -1"},
      {changed(fitted, "Fs = 1.5", "Fs = 1.0"), "Fs"},
      {changed(fitted, "\"lugre\"", "\"lugra\""), "did you mean 'lugre'"},
      {changed(fitted, "[measured]", "[mesured]"), "did you mean 'measured'"},
      {changed(fitted, "v = [-1, 2]", "v = [2, -1]"), "least and the greatest"},
      {changed(fitted, "v = [-1, 2]", "w = [-1, 2]"), "unknown key 'w' in [measured]"},
      {changed(fitted, "mass = 0.3", "mass = -0.3"), "mass"},
      {changed(fitted, "mass = 0.3", "mas = 0.3"), "mas"},
      {changed(fitted, "mass = 0.3", "mass = \"0.3\""), "mass"},
      {changed(fitted, "role = \"u\"", "role = \"w\""), "role"},
      {changed(fitted, "\"rotational\"", "\"turning\""), "units"},
      {changed(fitted, "schema = 1", "schema = 2"), "schema"},
      {changed(fitted, "schema = 1", "shcema = 1"), "shcema"},
      {changed(fitted, "cable = -0.1", "cable = true"), "cable"},
      {changed(fitted, "offset = 0.25", "ofset = 0.25"), "ofset"},
      {changed(fitted, "z = 1e-5", "y = 1e-5"), "y"},
      {changed(fitted, "model = \"lugre\"", "file = \"other.toml\""), "file"},
      {changed(fitted, "model = \"lugre\"\n", ""), "model"},
      {changed(fitted, "[friction]\n", "[[friction]]\nmodel = \"viscous\"\nkv = 1\n[[friction]]\n"), "one per file"},
      {"title = \"nothing\"\n", "missing section [friction]"},
      {"[friction]\nmodel = 3\n", "model"},
      {"[friction\n", "wrong.toml:1"},
  };
  for (const auto& [text, reason] : wrong) {
    const LoadedContact in = read_contact(text, "wrong.toml");
    EXPECT_FALSE(in.contact) << text;
    ASSERT_FALSE(in.problems.empty()) << text;
    std::string all;
    for (const Problem& p : in.problems) all += p.line() + "\n";
    EXPECT_NE(all.find("wrong.toml"), std::string::npos) << all;
    EXPECT_NE(all.find(reason), std::string::npos) << "expected " << reason << " in " << all;
  }
  EXPECT_FALSE(load_contact("/nonexistent/lugre.toml").problems.empty());
}

TEST(FrictionFile, AgreesWithTheReaderOfScenarios) {
  const std::string folder = ::testing::TempDir();
  const std::string path = folder + "friction_file_test.toml";
  auto both = [&](const std::string& text) {
    std::ofstream(path) << text;
    const LoadedContact in = load_contact(path);
    const FrictionRead other = load_friction(path);
    EXPECT_EQ(in.contact != nullptr, other.file.has_value()) << text;
    if (!in.contact || !other.file) return;
    EXPECT_EQ(in.contact->settings().size(), other.file->contact->settings().size());
    for (const Entry& e : in.contact->settings()) EXPECT_EQ(e.value, other.file->contact->parameter(e.key)) << e.key;
    EXPECT_EQ(in.rotational, other.file->rotational.value_or(false));
    EXPECT_EQ(in.contact->state(), other.file->contact->state());
    EXPECT_EQ(std::isnan(in.fitted.mass), std::isnan(other.file->fitted.mass));
  };
  both(fitted);
  both("model = \"coulomb\"\nFc = 2\n");
  both("units = \"rotational\"\n[friction]\nmodel = \"coulomb\"\nmu_c = 0.2\nnormal_load = 10\n");
  // All sections below [friction], right and wrong.
  const std::string hot =
      "[friction]\nmodel = \"coulomb\"\nFc = 2\n[friction.heat]\ncapacity = 0.5\nconductance = 0.1\n";
  both(hot);
  ASSERT_TRUE(read_contact(hot, "").contact);
  EXPECT_EQ(*read_contact(hot, "").contact->parameter("heat.capacity").as<double>(), 0.5);
  both(hot + "colour = 1\n");
  both(hot + "[friction.heat.capacity]\nx = 1\n");
  both("[friction]\nmodel = \"coulomb\"\nFc = 2\n[friction.heat]\n");
  const std::string drawn =
      "[friction]\nmodel = \"gfm\"\nasperities = 20\n[friction.distribution]\nh = { kind = \"exponential\", mean = 3e-5 }\n";
  both(drawn);
  ASSERT_TRUE(read_contact(drawn, "").contact);
  both(changed(drawn, "mean", "maen"));
  both(changed(drawn, "gfm", "lugre"));
  // Any single line removed, or doubled.
  std::vector<std::size_t> ends;
  for (std::size_t at = fitted.find('\n'); at != std::string::npos; at = fitted.find('\n', at + 1)) ends.push_back(at);
  for (std::size_t i = 0, begin = 0; i < ends.size(); begin = ends[i++] + 1) {
    const std::string line = fitted.substr(begin, ends[i] + 1 - begin);
    std::string without = fitted;
    both(without.erase(begin, line.size()));
    std::string twice = fitted;
    both(twice.insert(begin, line));
  }
}

}  // namespace
}  // namespace bristle
