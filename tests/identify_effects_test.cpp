#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "data/shared/motion.hpp"
#include "data/smooth.hpp"
#include "support/synthetic.hpp"

using namespace bristle;
using namespace bristle::identify;

namespace {

const Table coulomb{{"Fc", 20.0}, {"kv", 40.0}};

/// A slide moves back and forth over 0.2 m; its friction is measured with some noise, and load, temperature and
/// transmitted force as requested.
struct Bench {
  Table effects{};
  double noise = 0.2, rate = 200, seconds = 20;
  std::function<double(double)> r = [](double) { return 1.0; }, T = [](double) { return 20.0; },
                                load = [](double) { return 0.0; };

  Recording recording(std::uint64_t seed = 1) const {
    const Made made = make("coulomb", coulomb, effects);
    if (!made.contact) throw BadInput(made.problems.front().line());
    Recording out;
    out.name = "bench";
    double x = 0, held = 0;
    const auto n = static_cast<std::size_t>(seconds * rate);
    for (std::size_t i = 0; i < n; ++i) {
      const double t = static_cast<double>(i) / rate, swell = 0.3 + 0.7 * t / seconds;
      const double v = 0.1 * swell * std::sin(two_pi * 0.2 * t + 0.3);
      if (i > 0) x += v / rate;
      bristle::Motion<double> u{.x = x, .v = v, .F_app = held, .r = r(t), .t = t, .temperature = T(t), .load = load(t)};
      held = made.contact->step(u, 1 / rate);
      out.t.push_back(t);
      out.x.push_back(x);
      out.v.push_back(v);
      out.a.push_back(0.1 * swell * two_pi * 0.2 * std::cos(two_pi * 0.2 * t + 0.3) +
                      0.07 / seconds * std::sin(two_pi * 0.2 * t + 0.3));
      out.F.push_back(held + noise * synthetic::normal(seed, i));
      out.N.push_back(100 * r(t));
      out.T.push_back(T(t));
      out.load.push_back(load(t));
    }
    return out;
  }
};

Ranking fitted(const Recording& r, std::vector<std::string> effects, std::vector<std::string> models = {"coulomb"}) {
  Options o;
  o.models = std::move(models);
  o.effects = std::move(effects);
  o.starts = 2;
  return identify::identify({r}, o);
}
bool has(const Fit& fit, const std::string& name) {
  return std::ranges::find(fit.friction, name, &Estimate::name) != fit.friction.end();
}
void expect_inside(const Fit& fit, const std::string& name, double truth) {
  const auto e = std::ranges::find(fit.friction, name, &Estimate::name);
  ASSERT_NE(e, fit.friction.end()) << name;
  // Four times out of a hundred thousand beyond twice the half width.
  const double centre = 0.5 * (e->low + e->high), half = 0.5 * (e->high - e->low);
  EXPECT_NEAR(centre, truth, 2 * half + 1e-12) << name << " " << e->low << " to " << e->high;
  EXPECT_LT(half, 0.2 * std::abs(truth)) << name;
}
std::string complaint(const Recording& r, const std::string& effect) {
  try {
    fitted(r, {effect});
  } catch (const BadInput& e) { return e.what(); }
  return "";
}

struct Case {
  std::string name;
  Bench bench;
  std::vector<std::pair<std::string, double>> truth;
};
double warming(double t) { return 20 + t; }
double pressing(double t) { return 1 + 0.5 * std::sin(two_pi * 4 * t / 20); }
double carrying(double t) { return 30 * std::sin(1.7 * t); }
const Case cases[]{
    {"asymmetry", {.effects = {{"asymmetry", -0.1}}}, {{"asymmetry", -0.1}}},
    {"offset", {.effects = {{"offset", 2.0}}}, {{"offset", 2.0}}},
    {"ripple",
     {.effects = {{"ripple", 0.08}, {"ripple_period", 7.3e-3}, {"ripple_phase", 0.6}}},
     {{"ripple", 0.08}, {"ripple_period", 7.3e-3}, {"ripple_phase", 0.6}}},
    {"cogging",
     {.effects = {{"cogging", 1.5}, {"cogging_period", 4.1e-3}, {"cogging_phase", -1.0}}},
     {{"cogging", 1.5}, {"cogging_period", 4.1e-3}, {"cogging_phase", -1.0}}},
    {"temperature",
     {.effects = {{"temperature_coefficient", -0.01}, {"reference_temperature", 30.0}}, .T = warming},
     {{"temperature_coefficient", -0.01}}},
    {"load_exponent", {.effects = {{"load_exponent", 0.7}}, .r = pressing}, {{"load_exponent", 0.7}}},
    {"transmitted",
     {.effects = {{"load_drive", 0.01}, {"load_backdrive", 0.03}}, .load = carrying},
     {{"load_drive", 0.01}, {"load_backdrive", 0.03}}},
};

class Effect : public testing::TestWithParam<Case> {};
TEST_P(Effect, IsFoundAndMeasured) {
  const Case& c = GetParam();
  const Fit fit = fitted(c.bench.recording(), {"auto"}).fits.at(0);
  for (const auto& [name, value] : c.truth) expect_inside(fit, name, value);
  expect_inside(fit, "Fc", 20);
  std::size_t known = c.truth.size() + (c.name == "temperature" ? 1 : 0);
  EXPECT_EQ(fit.effects.size(), known);  // and no other one
  EXPECT_TRUE(make(fit.model, fit.parameters, fit.effects).contact);
  const std::vector<double> again = predict(fit, c.bench.recording());
  ASSERT_EQ(again.size(), fit.predicted.at(0).size());
  for (std::size_t i = 0; i < again.size(); i += 97) EXPECT_NEAR(again[i], fit.predicted[0][i], 1e-9);
}
INSTANTIATE_TEST_SUITE_P(All, Effect, testing::ValuesIn(cases), [](const auto& p) { return p.param.name; });

TEST(Effects, AreNotClaimedWhereThereAreNone) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const Bench bench{.r = pressing, .T = warming, .load = carrying};
    EXPECT_TRUE(fitted(bench.recording(seed), {"auto"}).fits.at(0).effects.empty()) << seed;
  }
}

/// Any dependence on position contains all periods with small amplitudes; only a sine contains one with a large amplitude.
TEST(Effects, AWaveMustStandOut) {
  Recording r = Bench{}.recording();
  for (std::size_t i = 0; i < r.F.size(); ++i) {
    for (int k = 1; k <= 8; ++k) r.F[i] += 0.5 * std::sin(r.x[i] * (150 + 97.0 * k) + k * k);
  }
  EXPECT_TRUE(fitted(r, {"auto"}).fits.at(0).effects.empty());
}

TEST(Effects, OfAskedPeriodAreHeld) {
  const Bench bench{.effects = {{"ripple", 0.08}, {"ripple_period", 7.3e-3}, {"ripple_phase", 0.6}}};
  Options o;
  o.models = {"coulomb"};
  o.effects = {"ripple"};
  o.fixed = {{"ripple_period", 7.3e-3, "--fix"}};
  o.starts = 2;
  const Fit fit = identify::identify({bench.recording()}, o).fits.at(0);
  EXPECT_FALSE(has(fit, "ripple_period"));
  expect_inside(fit, "ripple", 0.08);
}

/// A difference between the directions hides the Stribeck effect unless an offset describes it.
TEST(Effects, LetTheRightModelBeFound) {
  Recording r;
  r.name = "points";
  for (int i = 1; i <= 15; ++i) {
    for (const double side : {-1.0, 1.0}) {
      const double v = side * 0.02 * i * i / 15;
      r.v.push_back(v);
      r.F.push_back(side * (1 + 0.4 * std::exp(-(v / 0.03) * (v / 0.03)) + 2 * std::abs(v)) - 0.3 +
                    0.01 * synthetic::normal(7, r.v.size()));
    }
  }
  EXPECT_EQ(fitted(r, {}, {"coulomb", "stribeck"}).recommended, "coulomb");
  const Ranking with = fitted(r, {"auto"}, {"coulomb", "stribeck"});
  EXPECT_EQ(with.recommended, "stribeck");
  expect_inside(with.fits.at(0), "offset", -0.3);
}

TEST(Effects, ThatCannotBeSeenAreRefused) {
  Recording r = Bench{.seconds = 5}.recording();
  r.T.clear();
  r.N.clear();
  r.load.clear();
  EXPECT_EQ(complaint(r, "temperature_coefficient"),
            "effect 'temperature_coefficient' cannot be fitted: there is no temperature T that varies");
  EXPECT_EQ(complaint(r, "load_exponent"),
            "effect 'load_exponent' cannot be fitted: there is no normal load N that varies");
  EXPECT_EQ(complaint(r, "load_backdrive"),
            "effect 'load_backdrive' cannot be fitted: there is no transmitted force: neither u nor load");
  EXPECT_EQ(complaint(r, "noise"), "effect 'noise' cannot be fitted: it is a setting, not a quantity to fit");
}

/// Friction of a body whose actuator was recorded, and a ripple too fine for the rate at which forces are compared.
Read reduced(const Bench& bench, double rate) {
  const Recording whole = bench.recording();
  Trace t;
  t.columns = {{"t", "s", whole.t}, {"x", "m", whole.x}, {"u", "N", whole.F}};
  for (std::size_t i = 0; i < whole.t.size(); ++i) t.columns[2].values[i] += 5 * whole.a[i] - 1;
  return make_recording(t, {.bandwidth = 40, .rate = rate}, "bench.csv");
}

TEST(Reduction, IsTheSmootherAtFewerRows) {
  const Read read = reduced({.seconds = 8}, 10);
  ASSERT_TRUE(read.problems.empty());
  const Reduction& reduce = *read.recording.reduction;
  const Recording& whole = reduce.whole;
  const Smoothed all = smooth({whole.t, whole.u, whole.stretches}, reduce.bandwidth, 3);
  const std::vector<double> few = reduce(whole.u);
  ASSERT_EQ(few.size(), read.recording.u.size());
  for (std::size_t k = 0; k < few.size(); ++k) {
    EXPECT_NEAR(few[k], all.y[reduce.kept[k]], 1e-4 * 20);  // weights end where they are small
    EXPECT_EQ(few[k], read.recording.u[k]);
  }
}

TEST(Reduction, LeavesTheParametersAlone) {
  const Bench bench{.effects = {{"cogging", 1.5}, {"cogging_period", 2e-3}}, .noise = 0.5, .seconds = 30};
  const Read read = reduced(bench, 10);
  const Ranking ranking = fitted(read.recording, {"auto"});
  const Fit& fit = ranking.fits.at(0);
  expect_inside(fit, "Fc", 20);
  const auto inertia = std::ranges::find(fit.body, "inertia", &Estimate::name);
  EXPECT_NEAR(inertia->value, 5, 2 * (inertia->high - inertia->low));
  // The fine wave was found in the whole recording.
  const auto period = std::ranges::find(fit.effects, "cogging_period", &Entry::key);
  ASSERT_NE(period, fit.effects.end());
  EXPECT_NEAR(*period->value.as<double>(), 2e-3, 2e-6);
  EXPECT_NE(ranking.notes.back().find("a cogging of 1."), std::string::npos) << ranking.notes.back();
  const std::vector<double> again = predict(fit, read.recording);
  ASSERT_EQ(again.size(), read.recording.size());
  for (std::size_t i = 0; i < again.size(); i += 7) EXPECT_NEAR(again[i], fit.predicted.at(0)[i], 1e-9);
}

}  // namespace
