/// Left and right limits of runs at events and corners: jumps with closed forms, seen by measures between any rows.
#include "simulate/limits.hpp"

#include <set>

#include "bristle/simulate/ensemble.hpp"
#include "support/experiment.hpp"
#include "support/random.hpp"
#include "support/scenario.hpp"

namespace {

using namespace bristle;

struct Pair {
  double left, right;
};
/// The limits of a column at a time.
Pair limits_at(const bristle::Run& run, const char* name, double t) {
  const auto &times = ::column(run.limits, "t"), &values = ::column(run.limits, name);
  for (std::size_t i = 0; i + 1 < times.size(); i += 2) {
    EXPECT_EQ(times[i], times[i + 1]);
    if (std::abs(times[i] - t) <= 1e-9 * t) return {values[i], values[i + 1]};
  }
  ADD_FAILURE() << "no limits at " << t;
  return {NAN, NAN};
}
double most(const bristle::Run& run, const char* name) {
  const auto values = column_of(run, name)->values;
  return *std::max_element(values.begin(), values.end());
}

constexpr Method variable_steps[]{Method::automatic, Method::rodas, Method::cvode};

TEST(Jumps, DirectEffectOfRateAndState) {
  const double a = 0.012, N = 3, v1 = 1e-6, v2 = 2e-5, t = 40.0123;
  Experiment e = ::prescribed(
      contact("rate_state", {{"mu0", 0.6}, {"a", a}, {"b", 0.02}, {"Dc", 1e-5}, {"V0", v1}, {"normal_load", N}}),
      {DriveOf::velocity, {{Constant{v1}, 0}, {StepAt{t, v2 - v1}, 0}}, 0}, 60);
  e.solver.output_step = 0.7;
  for (const Method method : variable_steps) {
    e.method = method;
    const bristle::Run run = simulate(e);
    const Pair F = limits_at(run, "F", t);
    // In steady sliding before the step mu = mu0; asinh differs from its asymptote by exp(-2 mu0/a).
    EXPECT_NEAR(F.left, 0.6 * N, 1e-6 * N);
    EXPECT_NEAR(F.right - F.left, N * a * std::log(v2 / v1), 1e-7 * N);
    EXPECT_NEAR(most(run, "F"), N * (0.6 + a * std::log(v2 / v1)), 1e-6 * N) << "a row later it has decayed";
    EXPECT_EQ(limits_at(run, "v", t).left, v1);
    EXPECT_EQ(limits_at(run, "drive", t).right, v2);
    EXPECT_EQ(run.limits.rows(), 2U);
  }
}

TEST(Jumps, ReversalOfDryFriction) {
  const double Fc = 2.5, f = 0.37;
  Experiment e = ::prescribed(contact("coulomb", {{"Fc", Fc}}), ::position(Sine{0.01, f, 0, 0}), 4 / f);
  e.solver.output_step = 0.3;
  for (const Method method : variable_steps) {
    e.method = method;
    const bristle::Run run = simulate(e);
    for (int k = 0; k < 8; ++k) {
      const Pair F = limits_at(run, "F", (2 * k + 1) / (4 * f));
      const double sign = k % 2 == 0 ? 1 : -1;
      EXPECT_EQ(F.left, sign * Fc);
      EXPECT_EQ(F.right, -sign * Fc);
    }
    EXPECT_EQ(run.limits.rows(), 16U);
  }
}

TEST(Jumps, StepOfTheLoad) {
  for (const bool given : {true, false}) {
    Experiment e = given ? ::prescribed(contact("coulomb", {{"Fc", 2}}), ::velocity(Constant{0.1}), 3)
                         : ::slider(contact("coulomb", {{"Fc", 2}}), 1, 0, ::force(Constant{7}), 3);
    e.load = Drive{DriveOf::position, {{Constant{1}, 0}, {StepAt{1.23456, 0.5}, 0}}, 0};
    e.solver.output_step = 0.5;
    for (const Method method : variable_steps) {
      e.method = method;
      const bristle::Run run = simulate(e);
      EXPECT_EQ(limits_at(run, "F", 1.23456).left, 2);
      EXPECT_EQ(limits_at(run, "F", 1.23456).right, 3);
      EXPECT_EQ(limits_at(run, "v", 1.23456).left, limits_at(run, "v", 1.23456).right);
    }
  }
}

/// A release without inertia of the load: the force drops from Fs to what slip needs; rows see neither.
TEST(Jumps, LargestForceOfStickSlipAtRandom) {
  Draw random(77);
  for (int i = 0; i < 40; ++i) {
    const double Fc = random.uniform(0.5, 5), Fs = Fc * random.uniform(1.2, 2), v = random.uniform(0.01, 0.2),
                 k = random.uniform(1, 50), m = random.uniform(0.1, 5);
    Experiment e = ::slider(contact(i % 2 == 0 ? "stribeck" : "karnopp",
                                    i % 2 == 0 ? Table{{"Fc", Fc}, {"Fs", Fs}, {"vs", 1e-3}}
                                               : Table{{"Fc", Fc}, {"Fs", Fs}, {"vs", 1e-3}, {"dv", 1e-4}}),
                            m, k, ::position(Ramp{v, 0}), 3 * Fs / (k * v));
    e.solver.output_step = e.solver.duration / random.uniform(3, 20);
    const bristle::Run run = simulate(e);
    EXPECT_NEAR(most(run, "F"), Fs, 1e-6 * Fs) << i;
    ASSERT_GE(run.events.size(), 2U);
    EXPECT_NEAR(run.events[1].t, Fs / (k * v), 1e-6 * Fs / (k * v));
    EXPECT_NEAR(limits_at(run, "F", run.events[1].t).left, Fs, 1e-6 * Fs);
  }
}

TEST(Jumps, BreakawayOfGms) {
  // Rigid, so that the elements yield one after the other along a given motion: F is continuous, its peak is an event.
  const Table gms{{"Fc", 1}, {"Fs", 1}, {"vs", 1e-3}, {"k", {400, 300}}, {"nu", {0.5, 0.5}}, {"C", 100}};
  Experiment e = ::prescribed(contact("gms", gms), ::position(Triangle{0.01, 0.25}), 6);
  e.solver.output_step = 0.9;
  const bristle::Run run = simulate(e);
  EXPECT_NEAR(most(run, "x"), 0.01, 1e-15) << "a corner of the drive between rows";
  const Pair v = limits_at(run, "v", 1);
  EXPECT_NEAR(v.left, 0.01, 1e-12);
  EXPECT_NEAR(v.right, -0.01, 1e-12);
  EXPECT_NEAR(limits_at(run, "F", 1).left, limits_at(run, "F", 1).right, 1e-12) << "springs follow x";
}

TEST(Jumps, SamplesOfAServoAreNone) {
  Experiment e = ::servo(contact("coulomb", {{"Fc", 0.1}}), 1, {.kp = 100, .kd = 10, .sample_time = 1e-3},
                         ::position(StepAt{0.50005, 1}), 1);
  const bristle::Run run = simulate(e);
  std::size_t shown = 0;
  for (const Event& event : run.events) shown += event.t > 0 ? 1 : 0;
  EXPECT_EQ(run.limits.rows(), 2 * (shown + 1)) << "events, and the step of the reference";
  EXPECT_EQ(limits_at(run, "reference", 0.50005).left, 0);
  EXPECT_EQ(limits_at(run, "reference", 0.50005).right, 1);
}

TEST(Jumps, FixedStepsShowTheStepAround) {
  Experiment e = ::prescribed(contact("coulomb", {{"Fc", 2}}), ::position(Triangle{1, 0.25}), 3.5);
  e.method = Method::fixed;
  e.solver.step = 1e-3;
  e.solver.output_step = 0.35;
  const bristle::Run run = simulate(e);
  EXPECT_EQ(limits_at(run, "F", 1).left, 2);
  EXPECT_NEAR(most(run, "x"), 1, 1e-3 + 1e-12) << "one step";
}

TEST(Jumps, RecordedBlocksOfAChain) {
  Experiment e = ::slider(contact("coulomb", {{"Fc", 1}}), 1, 10, ::position(Ramp{0.1, 0}), 8);
  e.kind = SystemKind::chain;
  e.chain = {.blocks = 4, .coupling = 30};
  const bristle::Run all = simulate(e);
  e.solver.record = {2};
  const bristle::Run one = simulate(e);
  std::set<double> times, own;
  for (const Event& event : all.events) {
    if (event.t > 0) times.insert(event.t);
    if (event.t > 0 && event.body == 2) own.insert(event.t);
  }
  EXPECT_EQ(all.limits.rows(), 2 * times.size());
  EXPECT_EQ(one.limits.rows(), 2 * own.size());
  ASSERT_GT(own.size(), 0U);
  EXPECT_LT(own.size(), times.size());
}

TEST(Jumps, LanesAndSingleRuns) {
  std::vector<Experiment> all;
  for (int i = 0; i < 5; ++i) {
    all.push_back(::slider(contact("lugre", typical("lugre")), 1, 2 + 0.1 * i, ::position(Ramp{0.1, 0}), 20));
    all.back().solver.event_rows = i == 4;
  }
  const auto together = simulate_all(all);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bristle::Run alone = simulate(all[i]);
    const bristle::Run& run = together[i].run;
    ASSERT_EQ(run.limits.rows(), alone.limits.rows());
    EXPECT_EQ(run.limits.rows(), 2 * (alone.events.size() - 1)) << "the first event is at t = 0";
    for (std::size_t k = 0; k < run.limits.rows(); ++k)
      EXPECT_NEAR(::column(run.limits, "F")[k], ::column(alone.limits, "F")[k], 1e-5);
    EXPECT_EQ(run.trace.rows(), 1001 + (i == 4 ? run.limits.rows() : 0));
  }
}

TEST(Jumps, EventRows) {
  Experiment e = ::prescribed(contact("coulomb", {{"Fc", 1}}), ::position(Triangle{1, 0.25}), 6);
  e.solver.output_step = 0.4;  // rows at 0, 0.4 ... 6: none at the corner 1, 3 and 5
  const bristle::Run plain = simulate(e);
  e.solver.event_rows = true;
  const bristle::Run more = simulate(e);
  EXPECT_EQ(plain.trace.rows(), 16U);
  EXPECT_EQ(more.trace.rows(), 22U);
  EXPECT_EQ(with_limits(plain).columns[3].values, more.trace.columns[3].values);
  EXPECT_EQ(with_limits(more).columns[3].values, more.trace.columns[3].values) << "not twice";
  const auto& t = ::column(more.trace, "t");
  EXPECT_TRUE(std::is_sorted(t.begin(), t.end()));
  e.solver.output_step = 0.5;  // rows at the corners: the right limit
  const bristle::Run at = simulate(e);
  EXPECT_EQ(at.trace.rows(), 13U + 3U);
  EXPECT_EQ(::column(at.trace, "t")[2], 1);
  EXPECT_EQ(::column(at.trace, "t")[3], 1);
  EXPECT_EQ(::column(at.trace, "v")[2], 1);
  EXPECT_EQ(::column(at.trace, "v")[3], -1);
}

TEST(Jumps, MeasuresSeeThem) {
  const std::string steps = R"toml([friction]
model = "coulomb"
Fc = 2
[system]
kind = "prescribed"
[drive]
kind = "triangle"
amplitude = 1
frequency = 0.25
[solver]
duration = 6
output_step = 0.4
[measure]
half = { of = "mean(F)", from = 0, to = 2 }
up = { of = "min(F)", from = 0, to = 1 }
down = { of = "max(F)", from = 1, to = 3 }
rms = "rms(v)"
work = "integral(F * v)"
probe = "F(1)"
final = { of = "final(F)", to = 3 }
top = "max(x)"
)toml";
  const Scenario s = good(steps);
  const bristle::Run run = simulate(s.experiment, {.probes = probe_times(s)});
  const double expected[]{0, 2, -2, 1, 12, -2, -2, 1};
  for (std::size_t i = 0; i < std::size(expected); ++i)
    EXPECT_NEAR(number_of(s.measures[i].quantity, run).value, expected[i], 1e-12) << s.measures[i].name;
}

TEST(Jumps, MemoryIsBounded) {
  Experiment e = ::prescribed(contact("coulomb", {{"Fc", 1}}), ::position(Triangle{1, 1}), 10);
  const std::vector<Column> columns{{"t", "s"}, {"F", "N"}};
  Limits limits(columns, e.solver, true);
  auto row = [](double t, double* to) { to[0] = t, to[1] = 1; };
  for (int k = 1; k <= 2'000'000; ++k) limits.at(k, row);
  EXPECT_LE(static_cast<double>(limits.trace.rows()) * 2 * sizeof(double), 16e6);
  EXPECT_EQ(limits.full(), static_cast<double>(limits.trace.rows()) / 2 + 1);
  EXPECT_FALSE(limits.on());
  Limits none(columns, e.solver, false);
  none.at(1, row);
  EXPECT_EQ(none.trace.rows(), 0U);
}

}  // namespace
