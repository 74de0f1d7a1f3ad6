/// Guarantees of a run: momentum balance, errors in proportion to rtol, no dependence on the distance.
#include <gtest/gtest.h>

#include <numbers>
#include <random>

#include "bristle/models/dahl.hpp"
#include "simulate/momentum.hpp"
#include "support/experiment.hpp"
#include "support/scenario.hpp"

using namespace bristle;

/// A force of 2 N on a body that does not move: the gap is the whole impulse.
TEST(Momentum, FrozenBodyIsSeen) {
  MomentumSum sum(1);
  for (int step = 0; step < 10; ++step) {
    sum.before[0] = sum.after[0] = 0;
    sum.first[0] = 2;
    std::fill(sum.net.begin(), sum.net.end(), 2.0);
    std::fill(sum.applied.begin(), sum.applied.end(), 2.0);
    sum.look(0.1);
    sum.add();
  }
  EXPECT_NEAR(sum.error(), 1, 1e-14);
}
/// p = t^7, whose force the rule integrates exactly.
TEST(Momentum, RuleHasOrderSeven) {
  MomentumSum sum(1);
  const double h = 0.5;
  for (double t = 0; t < 4; t += h) {
    sum.before[0] = std::pow(t, 7);
    sum.after[0] = std::pow(t + h, 7);
    sum.first[0] = 7 * std::pow(t, 6);
    for (std::size_t k = 0; k < MomentumSum::places; ++k)
      sum.net[k] = sum.applied[k] = 7 * std::pow(t + h * MomentumSum::nodes()[k], 6);
    sum.look(h);
    sum.add();
  }
  EXPECT_LT(sum.error(), 1e-14);
}
/// Every method, body and kind of law.
TEST(Momentum, HoldsInEveryRun) {
  for (const std::string& model : flow_names()) {
    if (model == "haessig_friedland") continue;
    for (const Method method : {Method::automatic, Method::cvode, Method::fixed}) {
      for (const bool rolls : {false, true}) {
        const Drive drive = position(Sine{0.05, 1, 0, 0});
        Experiment e = rolls ? roller(contact(model, typical(model)), 1, 400, 0.1, drive, 1.3)
                             : slider(contact(model, typical(model)), 1, 400, drive, 1.3);
        e.method = method;
        e.solver.rtol = 1e-7;
        e.solver.step = 1e-4;
        try {
          const double error = simulate(e).summary.momentum.error;
          EXPECT_LT(error, 1e-6) << model << (rolls ? " roller" : " slider");
        } catch (const RunFailed& failed) { EXPECT_EQ(method, Method::cvode) << model << ": " << failed.what(); }
      }
    }
  }
}

/// A thrown body that ends in creep under a load a thousandth of Fs: the forces in between belong to that load.
TEST(Momentum, HoldsInCreepUnderASmallLoad) {
  for (const double rtol : {1e-4, 1e-5, 1e-6, 1e-8}) {
    Experiment e = slider(contact("stribeck_tanh", {{"Fc", 1}, {"Fs", 1.5}, {"vs", 1e-3}, {"k_tanh", 1.4e4}}), 0.0113,
                          7.36, position(Sine{5.35e-5, 5.43, 0, 0}), 2);
    e.body.v0 = 0.1;
    e.solver.rtol = rtol;
    EXPECT_LT(simulate(e).summary.momentum.error, 10 * rtol) << rtol;
  }
}

/// m v' = F sin(w t) - kv v from rest, in closed form; no dry force gives the tolerances a size, and the drive is a force.
TEST(Tolerances, ForceDrivenViscousBody) {
  for (const double unit : {1e-6, 1e-3, 1.0, 1e3, 1e6}) {  // of force, and so of mass
    for (const double rtol : {1e-4, 1e-6, 1e-8, 1e-10}) {
      const double m = 2 * unit, kv = 0.7 * unit, F = 3 * unit, w = 2 * std::numbers::pi * 0.5;
      Experiment e = slider(contact("viscous", {{"kv", kv}}), m, 0, force(Sine{F, 0.5, 0, 0}), 10);
      e.solver.rtol = rtol;
      const auto run = simulate(e);
      const auto &t = column(run.trace, "t"), &v = column(run.trace, "v");
      double worst = 0;
      for (std::size_t i = 0; i < t.size(); ++i) {
        const double a = kv / m, c = F / m / (a * a + w * w);
        const double exact = c * (a * std::sin(w * t[i]) - w * std::cos(w * t[i]) + w * std::exp(-a * t[i]));
        worst = std::max(worst, std::abs(v[i] - exact));
      }
      EXPECT_LT(worst, 100 * rtol) << unit << " " << rtol;
    }
  }
}

/// Pre-sliding over 1e-5 to 1e-7 of the stroke, at tolerances down to 1e-12. Between the corners of a triangle the step of
/// the model is exact.
TEST(Tolerances, PrescribedMotionOverLongStrokes) {
  for (const double sigma0 : {1e5, 1e6, 1e7}) {
    for (const double rtol : {1e-6, 1e-9, 1e-12}) {
      Experiment e = prescribed(contact("dahl", {{"Fc", 1}, {"sigma0", sigma0}}), position(Triangle{1, 1}), 3);
      e.solver.rtol = rtol;
      e.solver.max_steps = 50000;
      const auto run = simulate(e);
      const auto &t = column(run.trace, "t"), &x = column(run.trace, "x"), &F = column(run.trace, "F");
      const Dahl<double> law{{.Fc = 1, .sigma0 = sigma0}};
      auto state = law.rest();
      decltype(law)::Mode mode{};
      double now = 0, worst = 0;
      for (std::size_t i = 1; i < t.size(); ++i) {
        auto go = [&](double until, double v) {
          if (until > now) law.step(state, mode, {.v = v}, until - now);
          now = std::max(now, until);
        };
        const double turn = 0.25 + 0.5 * std::ceil((now - 0.25) / 0.5 + 1e-9),
                     v = std::fmod(now + 0.25, 1) < 0.5 ? 4 : -4;
        go(std::min(turn, t[i]), v);
        if (t[i] > turn) go(t[i], -v);
        if (std::abs(std::abs(x[i]) - 1) > 1e-3) worst = std::max(worst, std::abs(F[i] - state.f));
      }
      EXPECT_LT(worst, std::max(100 * rtol, 1e-9)) << sigma0 << " " << rtol;
    }
  }
}

/// Bodies that ring on their bristles for hundreds of periods: local errors add up, the sum stays within 100 rtol of the
/// size of each column.
TEST(Tolerances, LightlyDampedContacts) {
  std::mt19937 random(5);
  auto log_uniform = [&](double a, double b) {
    return a * std::pow(b / a, std::uniform_real_distribution<>()(random));
  };
  for (int i = 0; i < 24; ++i) {
    const double Fc = log_uniform(0.1, 10), length = log_uniform(1e-6, 1e-4), m = log_uniform(0.1, 10);
    const double omega = std::sqrt(Fc / length / m), duration = log_uniform(100, 2000) / omega;
    std::unique_ptr<AnyContact> law;
    switch (i % 4) {
      case 0: law = contact("bliman_sorine", {{"f1", 2 * Fc}, {"f2", Fc}, {"eta", 0.3}, {"eps_f", length}}); break;
      case 1: law = contact("dahl", {{"Fc", Fc}, {"sigma0", Fc / length}}); break;
      case 2:
        law = contact("lugre", {{"Fc", Fc},
                                {"Fs", 1.3 * Fc},
                                {"vs", omega * length},
                                {"sigma0", Fc / length},
                                {"sigma1", 1e-3 * Fc / length / omega}});
        break;
      default: law = contact("dankowicz", {{"Fc", Fc}, {"delta", length}});
    }
    Experiment e = slider(std::move(law), m, 0, force(StepAt{0, log_uniform(0.05, 0.7) * Fc}), duration);
    e.solver.rtol = 1e-7;
    const auto run = simulate(e);
    e.solver.rtol = 1e-10;
    const Difference d = difference(run, simulate(e));
    EXPECT_LT(d.worst, 100 * 1e-7) << i << " " << d.name << " at " << d.t;
  }
}

/// In creep the velocity (1e-20 m/s and less) is far below every tolerance, and the force goes with its logarithm: rows
/// must carry the load all the same.
TEST(Tolerances, RateAndStateCarriesTheLoadInCreep) {
  struct Case {
    const char *friction, *body;
  };
  const Case cases[]{
      {"mu0=0.5145\na=0.00432\nb=0.0277\nDc=3.43e-6\nV0=4.48e-4\nnormal_load=75.6",
       "mass=0.142\nstiffness=353\n[drive]\nkind=\"sine\"\namplitude=2.386e-4\nfrequency=4.908\n[solver]\nduration=0.6112\n"
       "rtol=1e-6"},
      {"mu0=0.2131\na=0.01128\nb=0.03676\nDc=3.694e-6\nV0=3.674e-4\nnormal_load=6.226\nkv=1",
       "mass=3.272\nstiffness=7.405\n[drive]\nkind=\"triangle\"\namplitude=6.022e-3\nfrequency=1.0543\n[solver]\n"
       "duration=2.8456\nrtol=1e-6"},
      {"mu0=0.52816\na=0.02028\nb=0.07584\nDc=1.381e-6\nV0=1.1705e-6\nnormal_load=6.792\nkv=1",
       "mass=0.36857\nstiffness=174.2\n[drive]\nkind=\"chirp\"\namplitude=1.3144e-3\nf0=0.1323\nf1=0.66158\n"
       "sweep_time=22.673\n[solver]\nduration=22.673\nrtol=1e-4"},
      {"mu0=0.66863\na=0.008738\nb=0.02577\nDc=2.918e-6\nV0=7.0723e-4\nnormal_load=12.6375\nkv=1",
       "mass=9.2714\nstiffness=0\n[drive]\nkind=\"sine\"\nof=\"force\"\namplitude=9.6616e-4\nfrequency=1.95377\n[solver]\n"
       "duration=1.5355\nrtol=1e-6"}};
  for (const Case& c : cases) {
    const Scenario s = good(std::string("[friction]\nmodel=\"rate_state\"\n") + c.friction +
                            "\n[system]\nkind=\"slider\"\n" + c.body + "\n");
    const auto run = simulate(s.experiment);
    const auto &v = column(run.trace, "v"), &F = column(run.trace, "F"), &load = column(run.trace, "F_app");
    const double size = s.experiment.contacts.front().contact->scales().force;
    std::size_t creeping = 0;
    for (std::size_t i = 1; i < v.size(); ++i) {
      if (!(std::abs(v[i]) < 1e-15)) continue;
      ++creeping;
      EXPECT_NEAR(F[i], load[i], 20 * s.experiment.solver.rtol * size) << c.friction << " row " << i;
    }
    EXPECT_GT(creeping, 100U) << c.friction;
  }
}
