/// Runs that grow without limit stop; no other run does.
#include "bristle/simulate/ensemble.hpp"
#include "support/experiment.hpp"
#include "support/random.hpp"

namespace {

using namespace bristle;

/// m x'' = kp (r - x) + 0.5 m x': grows as exp(t/4).
Experiment negative_damping(double units = 1) {
  return ::servo(contact("viscous", {{"kv", 0}}), units, {.kp = 2 * units, .kd = -0.5 * units, .derivative_weight = 0},
                 ::position(Constant{0.1}), 2000);
}
/// A servo with an unstable gain: a negative derivative, or a gain too large for its samples.
Experiment unstable_servo(bool sampled) {
  return ::servo(
      contact("coulomb", {{"Fc", 0.1}}), 1,
      sampled ? ControllerParams{.kp = 5e3, .kd = 1, .sample_time = 0.05} : ControllerParams{.kp = 100, .kd = -3},
      ::position(Sine{0.1, 1, 0, 0}), 200);
}

TEST(Growth, StopsRunsThatDiverge) {
  for (const Method method : {Method::automatic, Method::cvode, Method::fixed}) {
    std::vector<Experiment> all;
    all.push_back(negative_damping());
    all.push_back(unstable_servo(false));
    all.push_back(unstable_servo(true));
    for (Experiment& e : all) {
      e.method = method;
      if (method == Method::fixed) e.solver.step = 1e-3;
      EXPECT_THROW(simulate(e), RunDiverged) << static_cast<int>(method);
    }
  }
}

/// v grows as exp(0.25 t): the alarm comes between the bound and 64^2 times that, a few time constants later.
TEST(Growth, SoonAndInAllUnits) {
  std::string first;
  for (const double units : {1.0, 4.0, 65536.0}) {
    try {
      simulate(negative_damping(units));
      ADD_FAILURE();
    } catch (const RunDiverged& e) {
      const std::string text = e.what();
      const double t = std::stod(text.substr(text.find("t = ") + 4));
      // The bound is (2 0.1 + 0.5 0) 2000 = 400 N s per kg. The velocity is 0.14 exp(t/4) m/s at its peaks.
      EXPECT_GT(t, 4 * std::log(400 / 0.15));
      EXPECT_LT(t, 4 * std::log(4096 * 400 / 0.1) + 5);
      const std::string when = text.substr(text.find("t = "), 12);
      if (first.empty()) first = when;
      EXPECT_EQ(when, first) << "units";
    }
  }
}

TEST(Growth, OfOneMemberLeavesTheOthers) {
  std::vector<Experiment> all;
  for (int i = 0; i < 6; ++i) {
    all.push_back(i == 2 ? negative_damping()
                         : ::slider(contact("lugre", typical("lugre")), 1, 2, ::position(Ramp{0.1, 0}), 60));
  }
  const auto outcomes = simulate_all(all, {.rows = false});
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(outcomes[i].diverged, i == 2);
    EXPECT_EQ(outcomes[i].failure.empty(), i != 2) << outcomes[i].failure;
  }
}

TEST(Growth, LegitimateRunsGoOn) {
  // A free body under a constant force, one under a growing force, resonance without damping, a long drive far away.
  std::vector<Experiment> all;
  all.push_back(::slider(contact("coulomb", {{"Fc", 1e-9}}), 1, 0, ::force(Constant{10}), 1e6));
  all.push_back(::slider(contact("viscous", {{"kv", 0}}), 1, 0, ::force(Ramp{3, 0}), 1e5));
  all.push_back(::slider(contact("viscous", {{"kv", 0}}), 1, 100, ::position(Sine{0.1, 10 / (2 * M_PI), 0, 0}), 100));
  all.push_back(
      ::slider(contact("stribeck", {{"Fc", 1}, {"Fs", 1.5}, {"vs", 1e-3}}), 1, 1e4, ::position(Ramp{50, 0}), 20));
  all.push_back(::slider(contact("coulomb", {{"Fc", 1}}), 1, 50, ::position(StepAt{5, 3}), 20));
  all.push_back(::slider(contact("viscous", {{"kv", 0.1}}, {{"offset", -5}}), 1, 0, ::force(Constant{0}), 300));
  all.push_back(
      ::servo(contact("coulomb", {{"Fc", 5}}), 1, {.kp = 1e3, .ki = 1e3, .kd = 60}, ::position(Ramp{0.001, 0}), 50));
  Experiment thrown = ::slider(contact("viscous", {{"kv", 0}}), 1, 1, ::position(Constant{0}), 100);
  thrown.body.v0 = 40;
  all.push_back(std::move(thrown));
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_NO_THROW(simulate(all[i], {.rows = false})) << i;
}

/// Passive bodies at random: the bound of the momentum is a theorem.
TEST(Growth, PassiveBodiesStayBelowTheBound) {
  Draw random(5);
  for (int i = 0; i < 200; ++i) {
    const double k = std::exp(random.uniform(-3, 8)), m = std::exp(random.uniform(-4, 4)),
                 f = std::sqrt(k / m) / (2 * M_PI) * random.uniform(0.5, 2), T = random.uniform(1, 30) / f;
    Experiment e = ::slider(contact("viscous", {{"kv", random.uniform(0, 0.01) * std::sqrt(k * m)}}), m, k,
                            i % 3 == 0   ? ::position(Sine{random.uniform(0.1, 2), f, random.uniform(0, 6), 0})
                            : i % 3 == 1 ? ::velocity(Triangle{random.uniform(0.1, 2), f})
                                         : ::force(Sine{random.uniform(0.1, 9), f, 0, 0}),
                            T);
    e.body.x0 = random.uniform(-1, 1);
    e.body.v0 = random.uniform(-1, 1);
    e.solver.rtol = 1e-5;
    EXPECT_NO_THROW(simulate(e, {.rows = false})) << i;
  }
}

TEST(Rest, IsNoted) {
  Experiment e = ::slider(contact("coulomb", {{"Fc", 1}}), 1, 2, ::position(Ramp{0.1, 0}), 4);
  for (const Method method : {Method::automatic, Method::cvode, Method::fixed}) {
    e.method = method;
    e.solver.step = method == Method::fixed ? 1e-3 : 0;
    e.solver.duration = 4;  // the spring reaches 0.8 N
    const auto held = simulate(e).summary.notes;
    ASSERT_EQ(held.size(), 1U);
    EXPECT_NE(held.front().find("did not move"), std::string::npos);
    e.solver.duration = 6;
    EXPECT_TRUE(simulate(e).summary.notes.empty());
  }
  e.method = Method::automatic;
  e.solver.step = 0;
  e.drive = ::position(Constant{0});
  EXPECT_TRUE(simulate(e).summary.notes.empty()) << "nothing drives it";

  Experiment massless = ::slider(contact("viscous", {{"kv", 2}}), 0, 2, ::position(Ramp{0.1, 0}), 4);
  for (const Method method : {Method::automatic, Method::fixed}) {
    massless.method = method;
    massless.solver.step = method == Method::fixed ? 1e-2 : 0;
    const auto moved = simulate(massless).summary.notes;
    EXPECT_TRUE(moved.empty()) << "it moves without momentum: " << moved.front();
  }

  Experiment chain = ::slider(contact("coulomb", {{"Fc", 1}}), 1, 10, ::position(Ramp{0.1, 0}), 1.5);
  chain.kind = SystemKind::chain;
  chain.chain = {.blocks = 3, .coupling = 3};
  const auto notes = simulate(chain).summary.notes;
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_EQ(notes.front().substr(0, 8), "block 2 ") << "block 3 has no force on it: " << notes.front();
}

}  // namespace
