/// Velocity steps of rock friction: the law, the spring of the machine and a trend of the specimen.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "bristle/trace.hpp"
#include "support/synthetic.hpp"

using namespace bristle;
using namespace bristle::identify;

namespace {

struct Step {
  double a = 0.012, b = -0.006, Dc = 100e-6, K = 3000, trend = -6, noise = 2e-4;  // K, trend: 1/m
  bool slip_law = true;
  double V0 = 0.2e-6, faster = 10, before = 100, after = 500, dt = 0.5;
  double position_noise = 0;  // m
  std::uint64_t seed = 1;
};
constexpr double mu0 = 0.45;

/// dmu/dt = K (V - v) with fine Euler steps, nothing of the library.
Recording recorded(const Step& s) {
  Recording r;
  r.name = "step";
  r.coefficient = true;
  double mu = mu0, theta = s.Dc / s.V0, x = 0;
  const auto rows = static_cast<std::uint64_t>((s.before + s.after) / s.dt);
  for (std::uint64_t i = 0; i < rows; ++i) {
    const double t = static_cast<double>(i) * s.dt, V = t <= s.before ? s.V0 : s.faster * s.V0;
    constexpr int parts = 200;
    for (int k = 0; k < parts && i > 0; ++k) {
      const double h = s.dt / parts, v = s.V0 * std::exp((mu - mu0 - s.b * std::log(s.V0 * theta / s.Dc)) / s.a);
      mu += h * s.K * (V - v);
      const double w = v * theta / s.Dc;
      theta += h * (s.slip_law ? -w * std::log(w) : 1 - w);
    }
    x += i > 0 ? V * s.dt : 0;
    r.t.push_back(t);
    r.x.push_back(x + s.position_noise * synthetic::normal(s.seed + 100, i));
    r.v.push_back(V);
    r.F.push_back(mu + s.trend * x + s.noise * synthetic::normal(s.seed, i));
  }
  return r;
}
Options only_rate_state(const char* law = nullptr) {
  Options o;
  if (law) o.fixed = {{"law", std::string(law)}};
  o.models = {"rate_state"};
  o.starts = 2;
  o.profiles = false;
  return o;
}
const Estimate* find(const Fit& fit, const std::string& name) {
  for (const auto* list : {&fit.friction, &fit.body}) {
    for (const Estimate& e : *list) {
      if (e.name == name) return &e;
    }
  }
  return nullptr;
}
std::string law_of(const Fit& fit) {
  for (const Entry& e : fit.parameters) {
    if (e.key == "law") return *e.value.as<std::string>();
  }
  return "";
}
void expect_inside(const Fit& fit, const std::string& name, double truth) {
  const Estimate* e = find(fit, name);
  ASSERT_TRUE(e) << name;
  // Half again as wide: of twenty true intervals one may miss, and these are fixed draws.
  const double margin = 0.25 * (e->high - e->low);
  EXPECT_GT(truth, e->low - margin) << name << " " << e->value;
  EXPECT_LT(truth, e->high + margin) << name << " " << e->value;
}

TEST(VelocityStep, TheTruthIsInsideTheIntervals) {
  for (const bool slip_law : {true, false}) {
    {
      const Step truth{.slip_law = slip_law};
      const Recording r = recorded(truth);
      const Fit fit = identify::identify({r}, only_rate_state()).fits.at(0);
      SCOPED_TRACE(slip_law ? "slip" : "ageing");
      EXPECT_EQ(law_of(fit), slip_law ? "slip" : "ageing");
      expect_inside(fit, "a", truth.a);
      expect_inside(fit, "b", truth.b);
      expect_inside(fit, "Dc", truth.Dc);
      expect_inside(fit, "machine_stiffness", truth.K);
      expect_inside(fit, "trend", truth.trend);
      EXPECT_LT(find(fit, "a")->high / find(fit, "a")->low, 1.3);  // and they say something
      EXPECT_NEAR(fit.rmse, truth.noise, 0.1 * truth.noise);
      EXPECT_GT(fit.r_squared, 0.99);
      const std::vector<double> predicted = predict(fit, r);
      for (std::size_t i = 0; i < predicted.size(); i += 50) EXPECT_NEAR(predicted[i], fit.predicted[0][i], 1e-9);
    }
  }
}

/// Without the trend the fit attributes it to the law: the displacement over which friction evolves is wrong.
TEST(VelocityStep, AMissedTrendWouldSpoilTheLaw) {
  const Step truth{};
  Options without = only_rate_state("slip");
  without.fixed.push_back({"trend", 0.0});
  const Fit fit = identify::identify({recorded(truth)}, without).fits.at(0);
  EXPECT_EQ(find(fit, "trend")->value, 0);
  EXPECT_GT(std::abs(std::log(find(fit, "Dc")->value / truth.Dc)), 0.3);
  EXPECT_GT(fit.rmse, 1.2 * truth.noise);
}

TEST(VelocityStep, ATrendThatIsNotThereIsLeftOut) {
  const Fit fit = identify::identify({recorded({.trend = 0})}, only_rate_state("slip")).fits.at(0);
  EXPECT_FALSE(find(fit, "trend"));
}

TEST(VelocityStep, AKnownMachineIsHeld) {
  const Step truth{};
  Options known = only_rate_state("slip");
  known.fixed.push_back({"machine_stiffness", truth.K});
  const Recording r = recorded(truth);
  const Fit fit = identify::identify({r}, known).fits.at(0);
  EXPECT_EQ(find(fit, "machine_stiffness")->low, truth.K);
  EXPECT_EQ(find(fit, "machine_stiffness")->high, truth.K);
  expect_inside(fit, "a", truth.a);
  const std::vector<double> predicted = predict(fit, r);
  for (std::size_t i = 0; i < predicted.size(); i += 50) EXPECT_NEAR(predicted[i], fit.predicted[0][i], 1e-9);

  Options wrong = only_rate_state();
  wrong.fixed = {{"machine_stiffness", -1.0}};
  EXPECT_THROW(identify::identify({r}, wrong), BadInput);
  Recording both_ways = r;  // a spring or a trend is fitted only to motion in one direction
  for (std::size_t i = 0; i < r.size(); ++i) {
    const double phase = 0.05 * r.t[i];
    both_ways.v[i] = 1e-6 * std::cos(phase);
    both_ways.x[i] = 2e-5 * std::sin(phase);
    both_ways.F[i] = std::copysign(0.45, both_ways.v[i]);
  }
  try {
    identify::identify({both_ways}, known);
    ADD_FAILURE() << "no error";
  } catch (const BadInput& e) {
    EXPECT_NE(std::string(e.what()).find("machine_stiffness cannot be fixed"), std::string::npos);
  }
}

/// The load point as a noisy sensor gives it, through the differentiator.
TEST(VelocityStep, IsSeenThroughANoisyPosition) {
  const Step truth{.position_noise = 0.2e-6};
  const Recording r = recorded(truth);
  Trace trace{{{"time_s", "", r.t}, {"displacement_m", "", r.x}, {"friction_coeff", "", r.F}}};
  const Read read = make_recording(trace, {}, "step.csv");
  ASSERT_TRUE(read.problems.empty()) << read.problems.front().line();
  const Fit fit = identify::identify({read.recording}, only_rate_state("slip")).fits.at(0);
  expect_inside(fit, "a", truth.a);
  expect_inside(fit, "b", truth.b);
  expect_inside(fit, "Dc", truth.Dc);
  expect_inside(fit, "trend", truth.trend);
}

bool straight(const std::vector<double>& x, double& v_first, double& v_last, bool actuator = false) {
  std::vector<double> t(x.size()), F(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    t[i] = 0.5 * static_cast<double>(i);
    F[i] = 0.45 + 0.01 * synthetic::normal(9, i);
  }
  const Trace trace{{{"time_s", "", t}, {"x_m", "", x}, {actuator ? "motor_force_N" : "friction_N", "", F}}};
  const Read read = make_recording(trace, {}, "x.csv");
  if (!read.problems.empty()) throw std::runtime_error(read.problems.front().line());
  v_first = read.recording.v.front();
  v_last = read.recording.v.back();
  return read.bandwidth == 0;
}

/// Constant speeds are detected, but not in oscillating motion or with inertia.
TEST(ConstantSpeeds, AreTakenWhereThePositionsLieOnLines) {
  std::vector<double> step, swing, both_ways;
  for (std::uint64_t i = 0; i < 1200; ++i) {
    const double t = 0.5 * static_cast<double>(i), noise = 0.2e-6 * synthetic::normal(7, i);
    step.push_back(0.2e-6 * t + 1.8e-6 * std::max(0.0, t - 250) + noise);
    swing.push_back(1e-6 * t + 20e-6 * std::sin(0.05 * t) + noise);
    both_ways.push_back(1e-6 * (300 - std::abs(t - 300)) + noise);
  }
  double first = 0, last = 0;
  EXPECT_TRUE(straight(step, first, last));
  EXPECT_NEAR(first, 0.2e-6, 1e-9);  // 0.2 um on 50 um in 500 samples: 3.5e-10 m/s of standard error
  EXPECT_NEAR(last, 2e-6, 1e-9);
  EXPECT_FALSE(straight(step, first, last, true));
  EXPECT_FALSE(straight(swing, first, last));
  EXPECT_FALSE(straight(both_ways, first, last));
}

}  // namespace
