/// Extremes: stiff bristles, tiny masses, sharp Stribeck curves, loose tolerances, and runs that must fail.
#include <gtest/gtest.h>

#include "support/experiment.hpp"

using namespace bristle;

namespace {

struct Limit {
  double sigma0, mass, vs;
};
Table stiff(const std::string& model, const Limit& l) {
  Table p{{"Fc", 1}, {"Fs", 1.5}, {"vs", l.vs}};
  if (model == "gms") {
    p.push_back({"k", {0.6 * l.sigma0, 0.4 * l.sigma0}});
    p.push_back({"nu", {0.4, 0.6}});
    p.push_back({"C", 100});
    p.push_back({"sigma", {0.1 * std::sqrt(l.sigma0 * l.mass), 0.1 * std::sqrt(l.sigma0 * l.mass)}});
  } else if (model != "stribeck" && model != "brown_mcphee") {
    p.push_back({"sigma0", l.sigma0});
    p.push_back({"sigma1", std::sqrt(l.sigma0 * l.mass)});
    if (model == "elasto_plastic") p.push_back({"z_ba", 0.7 / l.sigma0});
  }
  return p;
}
Experiment stick_slip(const std::string& model, const Limit& l) {
  return slider(contact(model, stiff(model, l)), l.mass, 2, position(Ramp{0.1, 0}), 20);
}
const Table lugre{{"Fc", 1}, {"Fs", 1.5}, {"vs", 1e-3}, {"sigma0", 1e5}, {"sigma1", std::sqrt(1e5)}, {"kv", 0.4}};

}  // namespace

/// Slow pulling, all combinations: default and tight tolerances agree, the energy balances, and the number
/// of steps is bounded. A slip of a body of a microgram lasts 30 us: positions in a row during one are left out.
TEST(Limits, StiffBristlesSmallMassesSharpCurves) {
  for (const std::string model : {"lugre", "elasto_plastic", "stribeck", "brown_mcphee"}) {
    for (const double sigma0 : {1e5, 1e8, 1e12}) {
      for (const double mass : {1.0, 1e-3, 1e-9}) {
        for (const double vs : {1e-3, 1e-6}) {
          const Limit l{sigma0, mass, vs};
          const std::string what = model + " " + to_text(sigma0) + " " + to_text(mass) + " " + to_text(vs);
          Experiment e = stick_slip(model, l);
          const auto run = simulate(e);
          EXPECT_LT(run.summary.energy.error, 1e-6) << what;
          EXPECT_LT(run.summary.steps, 20000) << what;
          e.solver.rtol = 1e-10;
          const auto tight = simulate(e);
          EXPECT_EQ(count_of(run, Event::stick), count_of(tight, Event::stick)) << what;
          const auto &a = column(run.trace, "x"), &b = column(tight.trace, "x"), &v = column(tight.trace, "v");
          double worst = 0;
          for (std::size_t i = 0; i < a.size(); ++i) {
            if (std::abs(v[i]) < 0.2) worst = std::max(worst, std::abs(a[i] - b[i]));
          }
          EXPECT_LT(worst, 1e-5) << what;
        }
      }
    }
  }
}

/// Very stiff bristles approach a dry contact: the exact law is the limit, with an error like 1/sigma0.
TEST(Limits, StiffBristlesBecomeDryFriction) {
  const auto dry = simulate(stick_slip("stribeck", {0, 1, 1e-3}));
  double last = 1;
  for (const double sigma0 : {1e6, 1e8, 1e10}) {
    const auto run = simulate(stick_slip("lugre", {sigma0, 1, 1e-3}));
    const double off = std::abs(column(run.trace, "x").back() - column(dry.trace, "x").back());
    EXPECT_LT(off, last / 5) << sigma0;
    last = off;
  }
  EXPECT_LT(last, 1e-4);
}

/// At any tolerance every stick phase is there: this is where solvers silently go wrong.
TEST(Limits, LooseTolerancesKeepTheStickPhases) {
  for (const double rtol : {1e-2, 1e-3, 1e-4, 1e-5, 1e-6}) {
    auto phases = [&](Experiment e) {
      e.solver.rtol = rtol;
      return kinds_of(simulate(e));
    };
    Experiment e = slider(contact("lugre", lugre), 1, 2, position(Ramp{0.1, 0}), 30);
    e.solver.stick_velocity = 0.01;
    EXPECT_EQ(phases(std::move(e)), "stick slip+ stick slip+ stick slip+ stick slip+ stick") << rtol;
    EXPECT_EQ(phases(stick_slip("stribeck", {0, 1, 1e-3})), "stick slip+ stick slip+ stick") << rtol;
    EXPECT_EQ(phases(stick_slip("brown_mcphee", {0, 1, 1e-3})), "stick slip+ stick slip+ stick") << rtol;
  }
}

/// Balance and motion at loose tolerance are as good as the tolerance says.
TEST(Limits, LooseTolerancesKeepTheirWord) {
  for (const char* model : {"lugre", "stribeck", "gms", "elasto_plastic", "dahl", "leuven"}) {
    Experiment e = slider(contact(model, typical(model)), 1, 100, position(Sine{0.05, 0.5, 0, 0}), 4);
    const auto exact = simulate(e);
    for (const double rtol : {1e-2, 1e-3, 1e-4, 1e-5}) {
      e.solver.rtol = rtol;
      const auto run = simulate(e);
      const auto &a = column(exact.trace, "x"), &b = column(run.trace, "x");
      double worst = 0;
      for (std::size_t i = 0; i < a.size(); ++i) worst = std::max(worst, std::abs(a[i] - b[i]));
      EXPECT_LT(worst / largest(a), 30 * rtol) << model << " " << rtol;
    }
  }
}

/// The message of a failed run contains time, step and state.
TEST(Limits, GivesUpWithTimeStepAndState) {
  Experiment e = slider(contact("lugre", lugre), 1, 2, position(Ramp{0.1, 0}), 20);
  e.solver.max_steps = 50;
  for (const Method method : {Method::automatic, Method::cvode}) {
    e.method = method;
    try {
      simulate(e);
      FAIL() << "it should have given up";
    } catch (const RunFailed& failed) {
      const std::string text = failed.what();
      for (const char* part : {"max_steps", "t = ", " s with step ", "state:", "z = ", "x = ", "v = "})
        EXPECT_NE(text.find(part), std::string::npos) << part << " in " << text;
      EXPECT_EQ(text.find('\n'), std::string::npos);
    }
  }
}

TEST(Limits, StopsWhenTold) {
  std::atomic<bool> stop = false;
  double reached = 0;
  Experiment e = slider(contact("dahl", {{"Fc", 1}, {"sigma0", 1e8}}), 1e-6, 2, position(Ramp{0.1, 0}), 1000);
  RunOptions options;
  options.stop = &stop;
  options.progress = [&](double t) {
    EXPECT_GE(t, reached);
    reached = t;
    stop = true;
  };
  EXPECT_THROW(simulate(e, options), Stopped);
  EXPECT_LT(reached, 1000);
}

TEST(Limits, SaysWhatItCannotDo) {
  auto objection = [](auto change) {
    Experiment e = slider(contact("coulomb", {{"Fc", 1}}), 1, 10, position(StepAt{1, 0.1}), 2);
    change(e);
    const std::string text = objection_to(e);
    if (!text.empty()) { EXPECT_THROW(simulate(e), BadInput); }
    return text;
  };
  EXPECT_EQ(objection([](Experiment&) {}), "");
  EXPECT_NE(objection([](Experiment& e) { e.contacts.clear(); }), "");
  EXPECT_NE(objection([](Experiment& e) { e.body.damping = 1; }), "");
  EXPECT_NE(objection([](Experiment& e) { e.kind = SystemKind::prescribed; }), "");
  EXPECT_NE(objection([](Experiment& e) { e.solver.output_step = 1e-9; }), "");
  EXPECT_NE(objection([](Experiment& e) { e.controller = ControllerParams{.kp = 1, .encoder_step = 1e-3}; }), "");
  EXPECT_NE(objection([](Experiment& e) {
              e.controller = ControllerParams{};
              e.kind = SystemKind::roller;
            }),
            "");
}

/// Rows: every output_step from 0 to the duration, which is always the last; probes at their times exactly.
TEST(Limits, RowsAndProbes) {
  Experiment e = slider(contact("coulomb", {{"Fc", 1}}), 1, 10, position(Ramp{0.4, 0}), 1);
  for (const double step : {0.3, 0.25, 1.0, 0.1, 1.0 / 3, 2.0}) {
    e.solver.output_step = step;
    const auto run = simulate(e, {.probes = {0, 0.1234, 1}});
    const auto& t = column(run.trace, "t");
    EXPECT_EQ(t.front(), 0);
    EXPECT_EQ(t.back(), 1);
    EXPECT_EQ(static_cast<double>(t.size()), row_count(e.solver));
    for (std::size_t i = 1; i < t.size(); ++i) EXPECT_GT(t[i], t[i - 1]);
    for (std::size_t i = 0; i + 1 < t.size(); ++i) EXPECT_DOUBLE_EQ(t[i], step * static_cast<double>(i));
    EXPECT_EQ(column(run.probes, "t"), (std::vector<double>{0, 0.1234, 1}));
    for (const auto& c : run.trace.columns) EXPECT_EQ(c.values.size(), t.size()) << c.name;
  }
}
