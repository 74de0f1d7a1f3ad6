/// Situations that went wrong once, found by random scenarios, and what they have in common: the truth of reported events,
/// narrow peaks, starts from rest, loads at the edge, small excitations.
#include <gtest/gtest.h>

#include "support/experiment.hpp"

using namespace bristle;

namespace {

/// Rows between events against what the events say: slip in that direction, or rest.
void expect_true_events(const bristle::Run& run, const std::string& what) {
  const auto &t = column(run.trace, "t"), &v = column(run.trace, run.trace.find("v_slip") ? "v_slip" : "v");
  std::size_t next = 0;
  Event::Kind now = Event::stick;
  for (std::size_t i = 0; i < t.size(); ++i) {
    bool near = false;
    for (const Event& e : run.events) near = near || std::abs(e.t - t[i]) < 1e-7 * t.back();
    while (next < run.events.size() && run.events[next].t <= t[i]) now = run.events[next++].kind;
    if (near) continue;
    const double want = now == Event::stick ? 0 : now == Event::slip_forward ? 1 : -1;
    ASSERT_EQ(v[i] > 0 ? 1 : v[i] < 0 ? -1 : 0, want) << what << " at " << t[i];
  }
}

}  // namespace

/// A law with a spring of its own may let go backwards, against the load: what counts is the motion.
TEST(Traps, EventsTellTheMotion) {
  for (const std::string model : {"coulomb", "stribeck", "slip_variable"}) {
    const Drive sine = position(Sine{5e-3, 1, 0, 0});
    expect_true_events(simulate(slider(contact(model, typical(model)), 1, 1000, sine, 2.2)), model + " slider");
    expect_true_events(
        simulate(roller(contact(model, typical(model)), 1, 1000, 0.1, position(Sine{2e-2, 1, 0, 0}), 1.2)),
        model + " roller");
    expect_true_events(simulate(servo(contact(model, typical(model)), 1, {.kp = 2000, .kd = 20}, sine, 1.2)),
                       model + " servo");
  }
}

/// Fs far above Fc in a velocity range of 5 mm/s, passed within microseconds: every step must see it, also the one that
/// ends on v = 0. Where it is missed, the stop is off by a part of vs times the ratio.
TEST(Traps, NarrowStribeckPeakOnTheWayToRest) {
  auto run = [](double rtol, bool cvode) {
    Experiment e = slider(contact("stribeck", {{"Fc", 58}, {"Fs", 393}, {"vs", 5.5e-3}}), 0.115, 537,
                          position(Sine{4.5, 3.34, 0.4, 0}), 0.5);
    e.contacts.front().name = "one";
    e.contacts.push_back({"two", contact("coulomb", {{"Fc", 46}, {"Fs", 68}})});
    e.solver.rtol = rtol;
    if (cvode) {
      e.method = Method::cvode;
      e.drive.terms.push_back({Sine{0, 1e5, 0, 0}, 0});  // no amplitude: keeps the steps of CVODE below 2 us
    }
    return simulate(e);
  };
  const auto exact = run(1e-11, true);
  for (const double rtol : {1e-4, 1e-6, 1e-8, 1e-9, 1e-10}) {
    const auto r = run(rtol, false);
    EXPECT_EQ(kinds_of(r), kinds_of(exact)) << rtol;
    EXPECT_LT(difference(r, exact, 1e-6).worst, std::max(300 * rtol, 1e-7)) << rtol;
    expect_true_events(r, to_text(rtol));
  }
}

/// The same for the elements of GMS on a roller: errors follow the tolerance, also in the step that ends on a switch.
TEST(Traps, StepsThatEndOnASwitchAreAsGoodAsOthers) {
  Experiment e = roller(contact("gms", typical("gms")), 1, 1000, 0.1, position(Sine{2e-2, 1, 0, 0}), 0.4);
  e.solver.rtol = 1e-11;
  const auto exact = simulate(e);
  for (const double rtol : {1e-4, 3e-5, 1e-5, 3e-6, 1e-6, 3e-7}) {
    e.solver.rtol = rtol;
    EXPECT_LT(difference(simulate(e), exact).worst, 10 * rtol) << rtol;
  }
}

/// A prescribed motion that starts softly has neither velocity nor acceleration at t = 0.
TEST(Traps, SoftlyPrescribedMotion) {
  for (const std::string model : {"coulomb", "stribeck", "karnopp", "slip_variable", "lugre", "gms"}) {
    const auto by_position =
        simulate(prescribed(contact(model, typical(model)), position(Ramp{-0.01, 0}, 0.25), 0.75), {.probes = {0.7}});
    EXPECT_EQ(by_position.events.back().kind, Event::slip_backward) << model;
    EXPECT_LT(probe(by_position, "F", 0.7), 0) << model;
    const auto by_velocity =
        simulate(prescribed(contact(model, typical(model)), velocity(Constant{0.01}, 0.25), 0.75), {.probes = {0.7}});
    EXPECT_NEAR(probe(by_velocity, "F", 0.7), -probe(by_position, "F", 0.7), 1e-6) << model;
  }
}

/// On a rate-and-state contact the body creeps at 1e-30 m/s until the parallel dry contact is just able to hold: the
/// load equals its breakaway force when v reaches 0, to rounding.
TEST(Traps, AtTheEdgeOfBreakawayTheBodyStays) {
  Experiment e = slider(
      contact("rate_state",
              {{"mu0", 0.64}, {"a", 0.0124}, {"b", 0.0169}, {"Dc", 1.66e-6}, {"V0", 8.8e-8}, {"normal_load", 1380}}),
      4570, 0, force(Sine{2693, 0.0625, 1.2, 1000}), 20);
  e.contacts.front().name = "one";
  e.contacts.push_back({"two", contact("stribeck", {{"Fc", 543.8}, {"Fs", 2709.7}, {"vs", 8.7e-5}})});
  const auto run = simulate(e);
  EXPECT_LT(run.summary.switches, 50);
  EXPECT_LT(run.summary.energy.error, 1e-6);
}

/// The slip variable begins without any grip of its own, and under a load that begins at zero.
TEST(Traps, StartsWithoutGrip) {
  for (const double rtol : {1e-6, 1e-8, 1e-10, 1e-11, 1e-12}) {
    Experiment e = roller(contact("slip_variable", {{"Fs", 66.9},
                                                    {"Fc", 22.1},
                                                    {"ks", 1.06e5},
                                                    {"ds", 6350},
                                                    {"tau_del", 5.6e-3},
                                                    {"tau_r", 3.1e-4},
                                                    {"vs", 0.34}}),
                          2.7, 2700, 0.578, velocity(Ramp{-0.04, 0}), 1);
    e.solver.rtol = rtol;
    const auto run = simulate(e);
    EXPECT_LT(run.summary.energy.error, 1e-6) << rtol;
    expect_true_events(run, to_text(rtol));
  }
}

/// Elements of a contact that is at rest at first, and on their limit when motion resumes in the same direction, with
/// CVODE's own search for events.
TEST(Traps, CvodeSeesGuardsThatBeginAtZero) {
  const Table elements{{"k", {1e5, 2e5, 1e5}}, {"W", {0.3, 0.7, 1}}};
  for (const bool both : {false, true}) {
    auto run = [&](Method method) {
      Experiment e = slider(contact("maxwell_slip", elements), 1, 100, velocity(Chirp{0.4, 0.1, 3, 2}), 2);
      if (both) {
        e.contacts.front().name = "one";
        e.contacts.push_back({"two", contact("coulomb", {{"Fc", 1}, {"Fs", 1.5}, {"kv", 0.5}})});
      }
      e.solver.rtol = 1e-11;
      e.method = method;
      return simulate(e);
    };
    const auto ours = run(Method::automatic), other = run(Method::cvode);
    EXPECT_GT(ours.summary.switches, 10);
    EXPECT_EQ(ours.summary.switches, other.summary.switches) << both;
    EXPECT_LT(difference(ours, other).worst, 1e-7) << both;
  }
}

/// A drive that asks for a ten-millionth of what friction can hold: the same relative accuracy and the same balance.
TEST(Traps, SmallExcitations) {
  for (const std::string model : {"coulomb", "coulomb_tanh", "lugre", "gms", "dahl"}) {
    for (const double size : {1e-3, 1e-5, 1e-7}) {
      const Drive sine = position(Sine{size, 1, 0, 0});
      auto balance = [&](const Experiment& e) { EXPECT_LT(simulate(e).summary.energy.error, 1e-6) << model << size; };
      balance(slider(contact(model, typical(model)), 1, 1000, sine, 2.3));
      balance(roller(contact(model, typical(model)), 1, 1000, 0.1, sine, 2.3));
      balance(servo(contact(model, typical(model)), 1, {.kp = 1000, .ki = 100, .kd = 20}, sine, 2.3));
      balance(slider(contact(model, typical(model)), 1, 10, force(Sine{1e3 * size, 1, 0, 0}), 2.3));
      balance(prescribed(contact(model, typical(model)), sine, 2.3));
    }
  }
}

/// In creep, at 1e-30 m/s and less, rate and state friction carries all of the load, and breaks away when its time has come:
/// at 1e-4 as at 1e-12. The tolerance of the velocity says nothing about a force that depends on its logarithm.
TEST(Traps, ACreepingBodyFollowsItsLoad) {
  const Table law{{"mu0", 0.8678790015426168},    {"a", 0.005193660658457391},  {"b", 0.019575291552703142},
                  {"Dc", 2.9746306314560654e-05}, {"V0", 0.025569632411751076}, {"normal_load", 0.3968488471313296}};
  const Points reference{{1.0616407632236806, 2.582089993016289, 2.860681978640182, 5.054948512763836,
                          6.276183361875634, 8.97810349614731},
                         {-0.039612082106374395, 0.011152478707829658, -0.049563723598788745, 0.008266189316890602,
                          0.03488525338452739, 0.049693385890404486}};
  for (const double rtol : {1e-4, 1e-6, 1e-8}) {
    Experiment e = servo(
        contact("rate_state", law), 6.831945125956812,
        {.kp = 15.757448159959349, .ki = 2.770433033930796, .kd = 26.553369779383242, .limit = 1.0812391580242708},
        position(reference), 12.204196245185154);
    e.body.v0 = 0.0006776953937163251;
    e.solver.rtol = rtol;
    const auto run = simulate(e);
    const auto &v = column(run.trace, "v"), &F = column(run.trace, "F"), &load = column(run.trace, "F_app");
    double gap = 0;
    for (std::size_t i = 0; i < v.size(); ++i) {
      if (std::abs(v[i]) < 1e-15) gap = std::max(gap, std::abs(F[i] - load[i]));
    }
    EXPECT_LT(gap, 1e-2 * largest(F)) << rtol;
    EXPECT_NEAR(column(run.trace, "x").back(), 0.03360266543797, 100 * rtol * largest(column(run.trace, "x"))) << rtol;
  }
}
