/// Reversals of a bristle model, where |v| has a kink: steps end there and continue with the same length. Times of
/// events that only report come from the dense output. Smooth laws of the velocity change between an implicit and an
/// explicit method.
#include <gtest/gtest.h>

#include "support/experiment.hpp"

using namespace bristle;

namespace {

Experiment stick_slip(double rtol) {
  Experiment e =
      slider(contact("lugre",
                     {{"Fc", 1}, {"Fs", 1.5}, {"vs", 1e-3}, {"sigma0", 1e5}, {"sigma1", std::sqrt(1e5)}, {"kv", 0.4}}),
             1, 2, position(Ramp{0.1, 0}), 20);
  e.solver.output_step = 0.01;
  e.solver.rtol = rtol;
  return e;
}
/// Rings on its bristles without damping for seconds.
Experiment ringing(double rtol) {
  Experiment e = slider(contact("dahl", {{"Fc", 0.981}, {"sigma0", 98100}}), 1, 100, position(StepAt{0, 0.1}), 5);
  e.solver.output_step = 5e-4;
  e.solver.rtol = rtol;
  return e;
}
double largest_difference(const Run& a, const Run& b, const char* column) {
  const auto &x = a.trace.find(column)->values, &y = b.trace.find(column)->values;
  double worst = 0, size = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    worst = std::max(worst, std::abs(x[i] - y[i]));
    size = std::max(size, std::abs(y[i]));
  }
  return worst / size;
}
long reversals(const Run& run) {
  const auto& v = run.trace.find("v")->values;
  long n = 0;
  for (std::size_t i = 1; i < v.size(); ++i) n += v[i] * v[i - 1] < 0 ? 1 : 0;
  return n;
}
void expect_same_events(const Run& a, const Run& b, double within, const std::string& what) {
  ASSERT_EQ(a.events.size(), b.events.size()) << what;
  for (std::size_t i = 0; i < a.events.size(); ++i) {
    EXPECT_EQ(a.events[i].kind, b.events[i].kind) << what << ' ' << i;
    EXPECT_NEAR(a.events[i].t, b.events[i].t, within) << what << ' ' << i;
  }
}

}  // namespace

/// The tolerance of the steps is some thousand times smaller than rtol for such a long ringing.
TEST(Kinks, CostAFewStepsEach) {
  const auto run = simulate(ringing(1e-2)), tight = simulate(ringing(1e-11));
  const long kinks = reversals(tight);
  EXPECT_GT(kinks, 300);
  EXPECT_LT(run.summary.steps, 14 * kinks);
  EXPECT_LT(run.summary.rejected, 4 * kinks);
  EXPECT_LT(largest_difference(run, tight, "x"), 1e-6);
}

TEST(Kinks, DoNotHideAnError) {  // a step over a kink looks better than it is
  Experiment e = slider(contact("lugre", {{"Fc", 0.981}, {"Fs", 1.962}, {"vs", 0.5}, {"sigma0", 400}, {"sigma1", 0.1}}),
                        1, 10, position(Ramp{0.4, 0}), 10);
  e.solver.output_step = 0.01;
  e.solver.rtol = 1e-12;
  const auto tight = simulate(e);
  for (double digits = 3; digits <= 8; digits += 0.25) {
    const double rtol = e.solver.rtol = std::pow(10, -digits);
    const auto run = simulate(e);
    EXPECT_LT(largest_difference(run, tight, "x"), 2 * rtol) << rtol;
    EXPECT_LT(largest_difference(run, tight, "v"), 4.5 * rtol) << rtol;
  }
}

TEST(Kinks, LeaveStickSlipCheap) {
  const auto run = simulate(stick_slip(1e-6)), tight = simulate(stick_slip(1e-12));
  EXPECT_LT(run.summary.steps, 450);
  EXPECT_LT(largest_difference(run, tight, "x"), 1e-6);
  EXPECT_LT(largest_difference(run, tight, "v"), 1e-6);
}

TEST(Reports, AreAsExactAsTheSteps) {
  const auto tight = simulate(stick_slip(1e-12));
  EXPECT_GE(tight.events.size(), 5U);
  expect_same_events(simulate(stick_slip(1e-6)), tight, 5e-6, "1e-6");
  expect_same_events(simulate(stick_slip(1e-9)), tight, 5e-8, "1e-9");
}

TEST(Reports, AreNotLostInLongSteps) {  // one step goes up and down through the threshold
  Experiment e = slider(contact("viscous", {{"kv", 0.01}}), 1, 1, position(Constant{0}), 60);
  e.body.v0 = 1;
  e.solver.stick_velocity = 0.2;
  e.solver.rtol = 1e-2;
  const auto loose = simulate(e);
  e.solver.rtol = 1e-11;
  const auto tight = simulate(e);
  EXPECT_GT(tight.events.size(), 35U);
  EXPECT_LT(static_cast<double>(loose.summary.steps), 4.0 * static_cast<double>(tight.events.size()));
  expect_same_events(loose, tight, 0.05, "a swing");
}

TEST(SmoothLaws, AreStiffOnlyNearRest) {
  auto made = [](double steep, Method method) {  // on a belt that swings
    Experiment e =
        slider(contact("coulomb_tanh", {{"Fc", 1}, {"k_tanh", steep}}), 1, 10, position(Sine{0.2, 0.3, 0, 0}), 10);
    e.method = method;
    e.solver.rtol = 1e-6;
    return simulate(e);
  };
  const auto gentle = made(5, Method::automatic), steep = made(1e5, Method::automatic);
  EXPECT_LT(gentle.summary.jacobians, gentle.summary.steps / 6);
  EXPECT_GT(steep.summary.jacobians, steep.summary.steps / 5);
  for (const double k : {5.0, 1e5}) {
    const auto here = made(k, Method::automatic), implicit = made(k, Method::rodas);
    EXPECT_EQ(implicit.summary.method, "rodas4");
    EXPECT_LT(here.summary.steps, implicit.summary.steps) << k;
    EXPECT_LT(largest_difference(here, implicit, "x"), 1e-6) << k;
    EXPECT_LT(largest_difference(here, implicit, "v"), 2e-6) << k;
  }
  const auto explicit_only = made(1e5, Method::explicit_pair);  // bound by stability
  EXPECT_EQ(explicit_only.summary.method, "dopri5");
  EXPECT_GT(explicit_only.summary.steps, 5 * steep.summary.steps);
}
