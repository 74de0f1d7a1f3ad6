/// Which systems the kernels take, and that their runs are those of the general steppers, which know nothing of the
/// structure: experiments and units drawn at random.
#include <gtest/gtest.h>

#include "simulate/hybrid.hpp"
#include "simulate/kernel_stepper.hpp"
#include "support/experiment.hpp"
#include "support/random_experiment.hpp"

using namespace bristle;
using random_experiment::Generator;
using random_experiment::Scenario;

namespace {

bool quick(const Experiment& e) { return make_kernel_stepper(System(e), e.method) != nullptr; }

std::unique_ptr<AnyContact> lugre(const Table& effects = {}) { return contact("lugre", typical("lugre"), effects); }
Experiment block(std::unique_ptr<AnyContact> c = lugre()) {
  return ::slider(std::move(c), 1, 1000, position(Sine{1e-2, 1, 0.3, 0}), 2);
}
Experiment sampled(double sample_time) {
  return servo(lugre(), 1, {.kp = 1000, .ki = 200, .kd = 20, .sample_time = sample_time}, position(Sine{1e-2, 1, 0, 0}),
               1);
}

/// The run of a general stepper.
bristle::Run general_run(const Experiment& e) {
  System system(e);
  const RunOptions options;
  Recorder out(system, e, options);
  const bool stiff = e.method == Method::rodas || (e.method == Method::automatic && system.stiff());
  const auto stepper = !stiff ? make_dopri5(system) : system.smooth_law() ? make_rodas4(system) : make_rodas5p(system);
  HybridRunOf<System> run(system, e, *stepper, out);
  while (run.start_step()) {
    const double h = run.choose();
    run.judge(h, stepper->attempt(h));
  }
  run.finish();
  return {std::move(out.rows.trace), std::move(out.probes.trace), std::move(out.events), out.summary, {}};
}

}  // namespace

TEST(Paths, OfEverySystem) {
  EXPECT_TRUE(quick(block()));
  const std::vector<Table> steady{{{"offset", 0.2}},
                                  {{"asymmetry", 0.3}},
                                  {{"ripple", 0.4}, {"ripple_period", 1e-3}},
                                  {{"cogging", 0.3}, {"cogging_period", 2e-3}},
                                  {{"load_exponent", 0.7}},
                                  {{"temperature_coefficient", -0.01}}};
  for (const Table& effects : steady) {
    EXPECT_TRUE(quick(block(lugre(effects)))) << effects.front().key;
    EXPECT_TRUE(quick(roller(lugre(effects), 1, 1000, 0.1, position(Ramp{1, 0}), 1))) << effects.front().key;
    EXPECT_TRUE(quick(prescribed(lugre(effects), position(Ramp{1, 0}), 1))) << effects.front().key;
    EXPECT_TRUE(quick(prescribed(lugre(effects), velocity(Constant{1}), 1))) << effects.front().key;
  }
  const std::vector<Table> others{{{"noise", 0.1}}, {{"noise", 0.1}, {"noise_length", 1e-3}}, {{"load_drive", 0.1}}};
  for (const Table& effects : others) EXPECT_FALSE(quick(block(lugre(effects)))) << effects.front().key;

  for (const Drive& load : {force(Constant{1.5}), force(Sine{0.4, 3, 0, 1})}) {
    for (Experiment& e : std::array{block(), roller(lugre(), 1, 1000, 0.1, position(Ramp{1, 0}), 1),
                                    prescribed(lugre(), velocity(Sine{1, 1, 0, 0}), 1)}) {
      e.load = load;
      EXPECT_TRUE(quick(e));
    }
  }
  Experiment pendulum = block();
  pendulum.body.gravity = 3;
  EXPECT_TRUE(quick(pendulum));
  EXPECT_TRUE(quick(sampled(1e-3)));
  EXPECT_FALSE(quick(sampled(0)));
  Experiment named = block();
  named.contacts.front().name = "rail";
  EXPECT_TRUE(quick(named));
  named.contacts.push_back({"seal", lugre()});
  EXPECT_FALSE(quick(named));
  EXPECT_FALSE(quick(::slider(lugre(), 1, 1000, velocity(Constant{1}), 1)));
  EXPECT_FALSE(quick(block(contact("gms", typical("gms")))));
  EXPECT_TRUE(quick(roller(contact("coulomb", {{"Fc", 1}}), 1, 1000, 0.1, position(Ramp{1, 0}), 1)));
}

/// As exactly as the general steppers, measured by theirs at a thousandth of the tolerance. With gravity, which the random
/// experiments lack.
TEST(Paths, LeadToTheSameRun) {
  int taken = 0;
  const auto check = [&](Experiment& e, const std::string& name) {
    if (!quick(e)) return;
    e.solver.max_steps = 2e4;
    const double rtol = e.solver.rtol;
    bristle::Run fast, general, truth;
    try {
      fast = simulate(e);
      general = general_run(e);
      e.solver.rtol = 1e-3 * rtol;
      truth = general_run(e);
    } catch (const RunFailed& failed) {
      ASSERT_EQ(std::string(failed.what()).find("max_steps"), 0U) << failed.what() << name;
      return;
    }
    ++taken;
    std::erase_if(fast.trace.columns, [](const Column& c) { return c.name == "mu"; });  // not of the general run
    ASSERT_EQ(fast.trace.columns.size(), truth.trace.columns.size());
    const auto& t = truth.trace.columns[0].values;
    const auto error = [&](const bristle::Run& run, std::size_t c, std::size_t i) {
      return std::abs(run.trace.columns[c].values[i] - truth.trace.columns[c].values[i]);
    };
    for (std::size_t c = 0; c < fast.trace.columns.size(); ++c) {
      const double size = std::max(largest(truth.trace.columns[c].values), 1e-300);
      double ours = 0, theirs = 0;
      for (std::size_t i = 0; i < t.size(); ++i) {
        const bool jumps = std::any_of(truth.events.begin(), truth.events.end(), [&](const Event& event) {
          return std::abs(event.t - t[i]) < 1e-6 * e.solver.duration;
        });
        if (jumps) continue;
        ours = std::max(ours, error(fast, c, i) / size);
        theirs = std::max(theirs, error(general, c, i) / size);
      }
      EXPECT_LT(ours, 10 * theirs + 100 * rtol) << name << " column " << fast.trace.columns[c].name;
    }
    EXPECT_NEAR(fast.summary.energy.error, 0, 1e-4) << name;
  };
  for (std::uint64_t seed = 1; seed <= 220; ++seed) {
    Scenario s = Generator(seed).scenario();
    if (s.text.find("haessig_friedland") == std::string::npos) check(s.e, std::to_string(seed) + s.text);
  }
  EXPECT_GT(taken, 60);
  for (const char* model : {"lugre", "coulomb", "stribeck_tanh", "dahl"}) {
    Experiment e = block(contact(model, typical(model)));
    e.body.stiffness = 5;
    e.body.gravity = 8;
    e.body.gravity_phase = 0.4;
    e.body.x0 = 2;
    e.load = force(Sine{0.3, 2, 0, 1});
    check(e, model);
  }
}
