/// Fits of [friction.heat]: recovery of its numbers with and without a measured temperature, and what a recording leaves open.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "bristle/identify.hpp"
#include "bristle/registry/any.hpp"
#include "support/random.hpp"

using namespace bristle;
using identify::Estimate;
using identify::Recording;

namespace {

struct Joint {
  double Fc = 8, kv = 6, C = 510, h = 1.2, b = 0.025, ambient = 25;
  double lead = 0;  // s: time of the motion at the first row
};

/// A joint that swings with 0.3 to 3 rad/s for some time, with noise of 1 % of the force and of 0.05 K.
Recording recording(const Joint& j, double duration, bool temperature, std::uint64_t seed) {
  const Made made = make("coulomb", {{"Fc", j.Fc}, {"kv", j.kv}},
                         {{"heat.capacity", j.C},
                          {"heat.conductance", j.h},
                          {"heat.ambient", j.ambient},
                          {"heat.viscous", "exponential"},
                          {"heat.viscous_coefficient", j.b}});
  for (const Problem& p : made.problems) ADD_FAILURE() << p.line();
  Draw draw(seed);
  auto noise = [&] {  // nearly normal, standard deviation 1
    double sum = 0;
    for (int i = 0; i < 12; ++i) sum += draw.uniform(-0.5, 0.5);
    return sum;
  };
  Recording r;
  r.name = "joint";
  r.rotational = true;
  const double dt = 0.05;
  double x = 0;
  for (double t = 0; t <= duration; t += dt) {
    auto speed = [&](double s) {
      s += j.lead;
      return 2.4 * std::sin(0.7 * s) * (1 + 0.4 * std::sin(0.05 * s));
    };
    const double v = speed(t), step = t > 0 ? 0.5 * (v + speed(t - dt)) * dt : 0;
    x += step;
    double F = j.lead > 0 ? made.contact->force({.v = v}) : 0;
    if (t > 0) F = made.contact->step({.x = x, .v = v == 0 ? 1e-9 : v}, dt);
    r.t.push_back(t);
    r.x.push_back(x);
    r.v.push_back(v);
    r.F.push_back(F + 0.1 * noise());
    if (temperature) {
      const auto states = made.contact->states();
      r.T.push_back(std::ranges::find(states, "T", &Variable::name)->value + 0.05 * noise());
    }
  }
  return r;
}

identify::Fit fit(const Recording& r, const Table& fixed, std::vector<std::string>* notes = nullptr) {
  identify::Options o;
  o.models = {"coulomb"};
  o.effects = {"heat"};
  o.fixed = fixed;
  o.threads = 1;
  const identify::Ranking ranking = identify::identify({r}, o);
  if (notes) *notes = ranking.notes;
  if (ranking.fits.empty()) {
    ADD_FAILURE() << (ranking.failed.empty() ? "no fit" : ranking.failed.front().message);
    return {};
  }
  return ranking.fits.front();
}

Estimate estimate(const identify::Fit& f, const std::string& name) {
  const auto at = std::ranges::find(f.friction, name, &Estimate::name);
  EXPECT_NE(at, f.friction.end()) << name;
  return at == f.friction.end() ? Estimate{} : *at;
}

/// The estimate is within 5 % and agrees with the truth within twice its interval, which is not wider than 20 %.
void recovers(const identify::Fit& f, const std::string& name, double truth) {
  const Estimate e = estimate(f, name);
  EXPECT_TRUE(e.identifiable) << name << ": " << e.diagnosis;
  EXPECT_NEAR(e.value, truth, 0.05 * truth) << name;
  EXPECT_NEAR(e.value, truth, e.high - e.low + 0.005 * truth) << name;
  EXPECT_LT(e.high - e.low, 0.2 * truth) << name;
}

}  // namespace

TEST(IdentifyHeat, WithMeasuredTemperature) {
  Draw draw(5);
  for (int k = 0; k < 3; ++k) {
    Joint j{.Fc = draw.uniform(2, 10),
            .kv = draw.uniform(3, 8),
            .C = draw.log_uniform(200, 600),
            .h = draw.log_uniform(0.6, 2),
            .b = draw.uniform(0.015, 0.03)};
    const identify::Fit f = fit(recording(j, 900, true, 10 + static_cast<std::uint64_t>(k)),
                                {{"heat.ambient", j.ambient}, {"heat.dry_coefficient", 0.0}});
    recovers(f, "Fc", j.Fc);
    recovers(f, "kv", j.kv);
    recovers(f, "heat.capacity", j.C);
    recovers(f, "heat.conductance", j.h);
    recovers(f, "heat.viscous_coefficient", j.b);
    // The block of the fit runs, and has the truth's temperature.
    const Made again = make("coulomb", f.parameters, f.effects);
    EXPECT_TRUE(again.contact) << again.problems.front().line();
  }
}

/// A measured temperature changes viscous friction alone: the effect changes all of friction, so that a hint names heat.
TEST(IdentifyHeat, TheEffectNamesHeatWhereThePartsDiffer) {
  Joint j{.Fc = 4, .b = 0.02};
  for (const double b : {1e-6, 0.02}) {
    j.b = b;
    identify::Options o;
    o.models = {"coulomb"};
    o.effects = {"temperature_coefficient"};
    o.threads = 1;
    const identify::Ranking ranking = identify::identify({recording(j, 900, true, 7)}, o);
    ASSERT_EQ(ranking.fits.size(), 1U);
    const auto hint = std::ranges::find(ranking.fits.front().tests, "temperature", &identify::ResidualTest::name);
    EXPECT_EQ(hint != ranking.fits.front().tests.end(), b > 0.01);
  }
}

/// Friction alone, with the capacity given: the temperature follows from the work.
TEST(IdentifyHeat, WithoutTemperature) {
  const Joint j;
  const identify::Fit f = fit(recording(j, 900, false, 3),
                              {{"heat.capacity", j.C}, {"heat.ambient", j.ambient}, {"heat.dry_coefficient", 0.0}});
  recovers(f, "kv", j.kv);
  recovers(f, "heat.conductance", j.h);
  recovers(f, "heat.viscous_coefficient", j.b);
}

/// The first row only sets the states of the law: no time passes before it.
TEST(IdentifyHeat, ARecordingThatBeginsInMotion) {
  const Joint j{.C = 200, .lead = 2.2};
  const identify::Fit f = fit(recording(j, 900, false, 8),
                              {{"heat.capacity", j.C}, {"heat.ambient", j.ambient}, {"heat.dry_coefficient", 0.0}});
  recovers(f, "kv", j.kv);
  recovers(f, "heat.conductance", j.h);
  recovers(f, "heat.viscous_coefficient", j.b);
}

TEST(IdentifyHeat, AShortRecordingDeterminesNoHeat) {
  const Joint j;
  std::vector<std::string> notes;
  const identify::Fit f =
      fit(recording(j, 15, false, 4), {{"heat.capacity", j.C}, {"heat.ambient", j.ambient}}, &notes);
  EXPECT_FALSE(estimate(f, "heat.conductance").identifiable);
  EXPECT_TRUE(std::ranges::any_of(
      notes, [](const std::string& n) { return n.find("heat is not determined") != std::string::npos; }));
}

TEST(IdentifyHeat, RefusesWithAReason) {
  auto refused = [](const Recording& r, std::vector<std::string> effects, const char* part) {
    identify::Options o;
    o.models = {"coulomb"};
    o.effects = std::move(effects);
    try {
      (void)identify::identify({r}, o);
      ADD_FAILURE() << part;
    } catch (const BadInput& e) { EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what(); }
  };
  const Recording r = recording({}, 15, false, 5);
  refused(r, {"heat"}, "--fix heat.capacity=NUMBER");
  refused(recording({}, 15, true, 5), {"heat", "ripple"}, "not with ripple");
  Recording points = r;
  Recording gap = r;
  gap.stretches = {0, 120};
  refused(gap, {"heat"}, "after a gap in time");
  points.t.clear();
  points.x.clear();
  refused(points, {"heat"}, "requires measured friction F over time");
}
