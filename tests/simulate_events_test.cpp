/// Stick and slip: times and directions in closed form, several contacts, loads, corners, nothing missed, no chattering.
#include <gtest/gtest.h>

#include "support/experiment.hpp"

using namespace bristle;

namespace {

const Table coulomb{{"Fc", 1}};
const Table sticky{{"Fc", 1}, {"Fs", 2}};

}  // namespace

/// A force ramp of 0.5 N/s passes Fs = 2 at 4 s; then m v' = 0.5 t - Fc: v = (0.5 (t^2 - 16)/2 - (t - 4))/m.
TEST(Events, ReleaseUnderARamp) {
  for (const double way : {1.0, -1.0}) {
    const auto run = simulate(slider(contact("coulomb", sticky), 2, 0, force(Ramp{0.5 * way, 0}), 6), {.probes = {5}});
    EXPECT_EQ(kinds_of(run), way > 0 ? "stick slip+" : "stick slip-");
    ASSERT_EQ(run.events.size(), 2U);
    EXPECT_NEAR(run.events[1].t, 4, 1e-12);
    EXPECT_NEAR(probe(run, "v", 5), way * (0.25 * 9 - 1) / 2, 1e-9);
    EXPECT_EQ(probe(run, "F", 5), way);
  }
}

/// v0 = 1 with Fc = 1 and no load: stops after m v0/Fc at m v0^2/(2 Fc); the work of friction is all the energy.
TEST(Events, CoastsToRest) {
  Experiment e = slider(contact("coulomb", coulomb), 3, 0, force(Constant{0}), 10);
  e.body.v0 = -1;
  const auto run = simulate(e);
  EXPECT_EQ(kinds_of(run), "slip- stick");
  EXPECT_NEAR(run.events.back().t, 3, 1e-9);
  EXPECT_NEAR(column(run.trace, "x").back(), -1.5, 1e-9);
  EXPECT_EQ(column(run.trace, "v").back(), 0);
  EXPECT_NEAR(run.summary.energy.friction, 1.5, 1e-9);
}

/// A load of 1.5 N against the motion: it turns around without a stick if Fs < 1.5, and sticks if Fs > 1.5.
TEST(Events, TurnsOrSticksByItsBreakaway) {
  for (const double Fs : {1.0, 1.49, 1.51, 2.0}) {
    Experiment e = slider(contact("coulomb", {{"Fc", 1}, {"Fs", Fs}}), 1, 0, force(Constant{-1.5}), 2);
    e.body.v0 = 1;
    const auto run = simulate(e);
    EXPECT_EQ(kinds_of(run), Fs < 1.5 ? "slip+ slip-" : "slip+ stick") << Fs;
    EXPECT_NEAR(run.events.back().t, 0.4, 1e-9);  // decelerates with 2.5
    const double left = 2 - 0.4;                  // then accelerates with 0.5
    EXPECT_NEAR(column(run.trace, "v").back(), Fs < 1.5 ? -0.5 * left : 0, 1e-9);
  }
}

/// The load touches the breakaway force and falls again: with slightly more it slips, with slightly less it does not. The
/// touch lasts 0.3 ms of 1.5 s and lies inside one step.
TEST(Events, ShortExcursionsOfTheLoadAreSeen) {
  for (const double top : {1 + 1e-7, 1 - 1e-7}) {
    const auto run =
        simulate(slider(contact("coulomb", {{"Fc", 0.9}, {"Fs", 1}}), 1, 0, force(Sine{top, 0.25, 0, 0}), 1.5));
    if (top < 1) {
      EXPECT_EQ(kinds_of(run), "stick");
    } else {
      ASSERT_GE(run.events.size(), 2U);
      EXPECT_NEAR(run.events[1].t, 1 - std::acos(1 / top) / (two_pi / 4), 1e-7);  // sqrt of the excess
    }
  }
  // With Fc = Fs it would stop again at once; the velocity reached is of the order of 1e-11 m/s.
  const auto run = simulate(slider(contact("coulomb", coulomb), 1, 0, force(Sine{1 + 1e-7, 0.25, 0, 0}), 1.5));
  EXPECT_LE(run.events.size(), 3U);
  EXPECT_LT(largest(column(run.trace, "v")), 1e-10);
}

/// Velocity dips through zero for a moment inside a step: F_app = -1.5 + 4 t on v0: v = v0 - 2.5 t + 2 t^2 in slip, with
/// its lowest point at 5/8 s where v0 = 0.78125 would just touch. Below that it must stop.
TEST(Events, ShortDipsOfTheVelocityAreSeen) {
  for (const double excess : {-1e-3, -1e-6, -1e-7, 1e-7, 1e-6}) {
    Experiment e = slider(contact("coulomb", coulomb), 1, 0, force(Ramp{4, -1.5}), 2);
    e.body.v0 = 0.78125 + excess;
    const auto run = simulate(e);
    EXPECT_EQ(count_of(run, Event::stick), excess < 0 ? 1U : 0U) << excess;
    if (excess > 0) continue;
    ASSERT_EQ(run.events.size(), 3U);
    EXPECT_NEAR(run.events[1].t, 0.625 - std::sqrt(-excess / 2), 1e-9 + 1e-10 / std::sqrt(-excess));
  }
}

/// Two dry contacts under one body share the load in proportion, hold it together and start to slip together.
TEST(Events, TwoDryContactsActAsOne) {
  Experiment two = slider(contact("coulomb", {{"Fc", 0.4}, {"Fs", 0.5}}), 1, 10, position(Ramp{0.4, 0}), 5);
  two.contacts.front().name = "front";
  two.contacts.push_back({"rear", contact("coulomb", {{"Fc", 0.6}, {"Fs", 1.5}})});
  const auto together = simulate(two, {.probes = {0.25}});
  const auto one = simulate(slider(contact("coulomb", sticky), 1, 10, position(Ramp{0.4, 0}), 5));
  EXPECT_EQ(kinds_of(together), kinds_of(one));
  ASSERT_EQ(together.events.size(), one.events.size());
  for (std::size_t i = 0; i < one.events.size(); ++i) EXPECT_NEAR(together.events[i].t, one.events[i].t, 1e-8);
  EXPECT_NEAR(column(together.trace, "x").back(), column(one.trace, "x").back(), 1e-8);
  EXPECT_NEAR(probe(together, "F", 0.25), 1, 1e-12);  // held: the spring has 10 * 0.4 * 0.25
  EXPECT_NEAR(probe(together, "F_front", 0.25), 0.25, 1e-12);
  EXPECT_NEAR(probe(together, "F_rear", 0.25), 0.75, 1e-12);
  EXPECT_LT(together.summary.energy.error, 1e-6);
}

/// A bristle and a dry contact: the body creeps as soon as the dry contact slips, at F = Fs; before that it cannot move and
/// the bristle carries no load.
TEST(Events, DryContactBesideABristle) {
  Experiment e = slider(contact("coulomb", sticky), 1, 0, force(Ramp{1, 0}), 3);
  e.contacts.front().name = "dry";
  e.contacts.push_back({"soft", contact("dahl", {{"Fc", 1}, {"sigma0", 1e4}})});
  const auto run = simulate(e, {.probes = {1.9}});
  EXPECT_NEAR(run.events[1].t, 2, 1e-12);
  EXPECT_EQ(probe(run, "F_soft", 1.9), 0);
  EXPECT_NEAR(probe(run, "F_dry", 1.9), 1.9, 1e-12);
  Experiment other = slider(contact("coulomb", sticky), 1, 0, force(Ramp{1, 0}), 3);
  other.contacts.front().name = "dry";
  other.contacts.push_back({"soft", contact("dahl", {{"Fc", 1}, {"sigma0", 1e4}})});
  other.method = Method::cvode;
  EXPECT_LT(difference(run, simulate(other)).worst, 1e-6);
}

/// Breakaway is proportional to the normal load: with r(t) = 1 - t/2, Fs = 1 and a constant force of 0.5 N the body slips at
/// t = 1, and sticks again when the load returns.
TEST(Events, LoadLetsGoAndCatches) {
  Experiment e = slider(contact("coulomb", coulomb), 1, 0, force(Constant{0.5}), 6);
  e.load = force(Points{{0, 2, 4}, {1, 0, 2}});
  const auto run = simulate(e, {.probes = {2}});
  EXPECT_EQ(kinds_of(run), "stick slip+ stick");
  EXPECT_NEAR(run.events[1].t, 1, 1e-12);
  EXPECT_NEAR(probe(run, "v", 2), 0.25, 1e-9);  // v' = 0.5 - (1 - t/2)
  // v' = 0.5 - (t - 2) from v = 0.25 at 2: v = 0.25 + 0.5 s - s^2/2 = 0 at s = (1 + sqrt 3)/2.
  EXPECT_NEAR(run.events[2].t, 2 + (1 + std::sqrt(3.0)) / 2, 1e-9);
}

/// Steps of the force release at their time exactly, and a pull that is taken away lets the body coast.
TEST(Events, StepsOfTheDrive) {
  Experiment e = slider(contact("coulomb", coulomb), 1, 0, force(StepAt{1, 3}), 6);
  e.drive.terms.push_back({StepAt{2, -3}, 0});
  const auto run = simulate(e);
  EXPECT_EQ(kinds_of(run), "stick slip+ stick");
  EXPECT_EQ(run.events[1].t, 1);
  EXPECT_NEAR(run.events[2].t, 4, 1e-9);  // 2 m/s after a second, lost in two
  EXPECT_NEAR(column(run.trace, "x").back(), 3, 1e-8);
  // A jump of the spring's end puts energy into the spring: 10 * 0.5^2/2, not through the motion of the end.
  const auto pulled = simulate(slider(contact("coulomb", coulomb), 1, 10, position(StepAt{1, 0.5}), 6));
  EXPECT_NEAR(pulled.summary.energy.drive, 1.25, 1e-12);
  EXPECT_LT(pulled.summary.energy.error, 1e-8);
}

/// Corners: a triangle under force, whose slope changes sign exactly at breakaway or just above.
TEST(Events, CornersOfTheDrive) {
  const auto below = simulate(slider(contact("coulomb", coulomb), 1, 0, force(Triangle{1, 0.25}), 8));
  EXPECT_EQ(kinds_of(below), "stick");
  const auto above = simulate(slider(contact("coulomb", coulomb), 1, 0, force(Triangle{1.001, 0.25}), 2));
  EXPECT_EQ(kinds_of(above), "stick slip+ stick");
  EXPECT_NEAR(above.events[1].t, 1 / 1.001, 1e-12);
  EXPECT_NEAR(above.events[2].t, 1 / 1.001 + (1 - 1 / 1.001) * (2 + std::sqrt(2)), 1e-7);  // by hand, area zero
}

/// Karnopp tends to the exact law as its zone shrinks, linearly at most.
TEST(Events, KarnoppTendsToStribeck) {
  const Table p{{"Fc", 1}, {"Fs", 1.5}, {"vs", 0.05}};
  const Drive drive = position(Ramp{0.1, 0});
  const auto exact = simulate(slider(contact("stribeck", p), 1, 10, drive, 12));
  double last = 1;
  for (const double dv : {1e-3, 1e-4, 1e-5}) {
    const auto run = simulate(slider(contact("karnopp", p + Table{{"dv", dv}}), 1, 10, drive, 12));
    EXPECT_EQ(kinds_of(run), kinds_of(exact)) << dv;
    const double off = std::abs(run.events.back().t - exact.events.back().t);
    EXPECT_LT(off, last / 5) << dv;
    EXPECT_LT(run.summary.energy.error, 1e-6) << dv;
    last = std::max(off, 1e-9);
  }
}

/// At a balance on the edge of breakaway nothing may switch back and forth.
TEST(Events, NoChattering) {
  for (const char* model : {"coulomb", "stribeck", "karnopp"}) {
    for (const double pull : {1 - 1e-15, 1.0, 1 + 1e-15}) {
      const Table p = typical(model);
      double Fs = 0;
      for (const auto& v : contact(model, p)->parameters()) {
        if (v.name == "Fs") Fs = v.value;
      }
      Experiment e = slider(contact(model, p), 1, 100, force(Constant{pull * Fs}), 10);
      const auto run = simulate(e);
      EXPECT_LE(run.events.size(), 3U) << model;
      EXPECT_LT(run.summary.switches, 10) << model;
    }
  }
}
