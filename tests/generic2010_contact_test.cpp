/// The asperity model of 2010 as a contact: names, errors, units, steps of any length, scenarios, snapshots.
#include <gtest/gtest.h>

#include <cmath>

#include "bristle/registry/any.hpp"
#include "bristle/simulate.hpp"
#include "bristle/simulate/snapshot.hpp"

using namespace bristle;

namespace {

Table quick(Table more = {}) {
  Table t{{"asperities", 200.0}, {"settle", 1.0}, {"L_sd", 0.02}};
  for (Entry& e : more) {
    std::erase_if(t, [&](const Entry& old) { return old.key == e.key; });
    t.push_back(std::move(e));
  }
  return t;
}
std::unique_ptr<AnyContact> contact(Table more = {}) {
  Made made = make("generic2010", quick(std::move(more)));
  for (const Problem& p : made.problems) ADD_FAILURE() << p.line();
  return std::move(made.contact);
}
std::string complaint(const Table& parameters, const Table& initial = {}) {
  const Made made = make("generic2010", parameters, {}, initial);
  std::string all;
  for (const Problem& p : made.problems) all += (all.empty() ? "" : "\n") + p.text;
  return all;
}
double state(const AnyContact& c, const std::string& name) {
  for (const Variable& v : c.states()) {
    if (v.name == name) return v.value;
  }
  return NAN;
}

TEST(Errors, SayWhatWouldBeRight) {
  EXPECT_NE(complaint({{"wTe", std::vector{75.0, 25.0}}}).find("wTe = [from, to]"), std::string::npos);
  EXPECT_NE(complaint({{"rN", std::vector{1.0}}}).find("rN = [from, to]"), std::string::npos);
  EXPECT_NE(complaint({{"A", 0.05}}).find("R > A"), std::string::npos);
  EXPECT_NE(complaint({{"zeta_N", 0.0}}).find("tail_share = 0"), std::string::npos);
  EXPECT_NE(complaint({{"dt", 2.1e-3}}).find("dt^2 (wP^2 + wTe^2 + wTp^2) < 4"), std::string::npos);
  EXPECT_NE(complaint({{"settle", 1e5}}).find("settle <= 1e8 dt"), std::string::npos);
  EXPECT_NE(complaint({{"profile", "round"}}).find("\"circular\""), std::string::npos);
  EXPECT_NE(complaint({{"asperities", 1.5}}).find("whole number"), std::string::npos);
  EXPECT_EQ(complaint({}, {{"Y", 1.0}}),
            "'Y' in [friction.initial] is not accepted: generic2010 starts from its seed, settled under its load");
  EXPECT_EQ(complaint({{"m", std::vector{0.0, 1e-5}}, {"adhesion", "normal"}}), "");
}

/// A main mass that is lighter than its asperities cannot be stepped explicitly.
TEST(Errors, ARunThatDivergesFails) {
  bristle::Experiment e;
  e.kind = SystemKind::prescribed;
  e.contacts.push_back({"", contact({{"m", std::vector{0.0, 100.0}}})});
  e.drive.terms = {{Ramp{.velocity = 1}, 0}};
  e.solver.duration = 2;
  EXPECT_THROW(simulate(e), RunFailed);
}

TEST(Start, IsSettledUnderItsLoad) {
  const auto c = contact({{"settle", 20.0}});
  c->reset();
  EXPECT_NEAR(state(*c, "Fn"), 5, 0.2);
  EXPECT_GT(state(*c, "contacts"), 150);
  const auto again = c->clone();
  again->reset();
  EXPECT_EQ(state(*again, "Y"), state(*c, "Y"));
}

/// Same motion, other units.
TEST(Scales, MapForceLengthAndTime) {
  const double N = 3, m = 0.02, s = 0.5;
  const auto plain = contact(), scaled = contact({{"scale_force", N}, {"scale_length", m}, {"scale_time", s}});
  double F = 0;
  for (int k = 0; k < 400; ++k) {
    F = plain->step({.v = 0.7}, 5e-4);
    ASSERT_NEAR(scaled->step({.v = 0.7 * m / s}, 5e-4 * s), N * F, 1e-9);
  }
  EXPECT_GT(std::abs(F), 0.1);
  EXPECT_NEAR(state(*scaled, "Y"), m * state(*plain, "Y"), 1e-12);
  EXPECT_NEAR(state(*scaled, "Vn"), m / s * state(*plain, "Vn"), 1e-12);
  EXPECT_NEAR(state(*scaled, "Fn"), N * state(*plain, "Fn"), 1e-9);
}

/// Long steps are divided, short ones saved up.
TEST(Steps, OfAnyLengthGoTheSameWay) {
  const auto own = contact(), longer = contact(), shorter = contact();
  double a = 0, b = 0, c = 0;
  for (int k = 0; k < 400; ++k) a = own->step({.v = 0.7}, 5e-4);
  for (int k = 0; k < 40; ++k) b = longer->step({.v = 0.7}, 5e-3);
  for (int k = 0; k < 1600; ++k) c = shorter->step({.v = 0.7}, 1.25e-4);
  EXPECT_NEAR(b, a, 1e-7);
  EXPECT_NEAR(c, a, 1e-7);
  EXPECT_NEAR(state(*shorter, "Y"), state(*own, "Y"), 1e-9);
}

/// mass (w - v)/dt = F_app - F whatever the step.
TEST(Coupling, BalancesTheMass) {
  for (const double dt : {1e-4, 5e-4, 3e-3}) {
    const auto c = contact();
    double v = 0;
    for (int k = 0; k < 50; ++k) {
      const auto out = c->couple({.v = v, .F_app = 2}, 1.5, dt);
      ASSERT_NEAR(1.5 * (out.v - v) / dt, 2 - out.F, 1e-9);
      v = out.v;
    }
    EXPECT_NE(v, 0);
  }
}

Experiment prescribed(std::unique_ptr<AnyContact> c, Drive drive, double duration) {
  Experiment e;
  e.kind = SystemKind::prescribed;
  e.drive = std::move(drive);
  e.solver.duration = duration;
  e.solver.output_step = 0.05;
  e.contacts.push_back({"", std::move(c)});
  return e;
}
Drive at_rest() { return {DriveOf::position, {{Constant{0}, 0}}}; }

TEST(Scenario, LoadFollowsItsRatio) {
  Experiment e = prescribed(contact({{"settle", 20.0}}), at_rest(), 12);
  e.load = Drive{DriveOf::position, {{Constant{2}, 0}}};
  const auto r = simulate(e);
  EXPECT_NEAR(r.trace.find("Fn")->values.back(), 10, 0.3);
  EXPECT_LT(r.trace.find("Y")->values.back(), r.trace.find("Y")->values.front());
}

TEST(Scenario, DepthIsPrescribed) {
  Experiment e = prescribed(contact({{"control", "depth"}, {"depth", 0.1}}), at_rest(), 1);
  e.load = Drive{DriveOf::position, {{Ramp{1, 0}, 0}}};
  const auto r = simulate(e);
  const auto& Y = r.trace.find("Y")->values;
  EXPECT_NEAR(Y.front() - Y.back(), 0.1, 1e-9);
  EXPECT_GT(r.trace.find("Fn")->values.back(), 1);
}

TEST(Scenario, ColumnsAndSnapshot) {
  const auto r = simulate(prescribed(contact(), {DriveOf::position, {{Ramp{0.5, 0}, 0}}}, 1));
  for (const char* name : {"Y", "Vn", "Fn", "contacts"}) EXPECT_NE(r.trace.find(name), nullptr) << name;
  ASSERT_NE(r.population.find("phase"), nullptr);
  const auto &phase = r.population.find("phase")->values, &force = r.population.find("force")->values,
             &gap = r.population.find("gap")->values;
  ASSERT_EQ(phase.size(), 200u);
  double touching = 0, sum = 0;
  for (std::size_t i = 0; i < phase.size(); ++i) {
    EXPECT_EQ(phase[i] > 0, gap[i] < 0);
    touching += phase[i] > 0 ? 1 : 0;
    sum += force[i];
  }
  EXPECT_EQ(touching, r.trace.find("contacts")->values.back());
  EXPECT_NEAR(sum, r.trace.find("F")->values.back(), 0.5);  // dampers are not in the springs
}

TEST(Scenario, RefusesWhatItCannotDo) {
  Experiment e = prescribed(contact(), at_rest(), 1);
  e.method = Method::rodas;
  EXPECT_NE(objection_to(e).find("generic2010"), std::string::npos);
}

}  // namespace
