/// The servo against references written out here, with other integrators.
#include <gtest/gtest.h>

#include <array>
#include <functional>

#include "support/experiment.hpp"

using namespace bristle;

namespace {

using State = std::array<double, 3>;
/// Classical Runge-Kutta with fixed steps.
template <class F> void rk4(State& y, double t, double h, F&& f) {
  auto plus = [](State a, const State& b, double s) {
    for (std::size_t i = 0; i < 3; ++i) a[i] += s * b[i];
    return a;
  };
  const State a = f(t, y), b = f(t + h / 2, plus(y, a, h / 2)), c = f(t + h / 2, plus(y, b, h / 2)),
              d = f(t + h, plus(y, c, h));
  for (std::size_t i = 0; i < 3; ++i) y[i] += h / 6 * (a[i] + 2 * b[i] + 2 * c[i] + d[i]);
}

/// Constant force on a body with dry friction for a time h, exactly; v = 0 may lie inside.
void coast(double& x, double& v, double u, double Fc, double Fs, double m, double h) {
  for (int n = 0; n < 3 && h > 0; ++n) {
    if (v == 0 && std::abs(u) <= Fs) return;
    const double way = v != 0 ? (v > 0 ? 1 : -1) : (u > 0 ? 1 : -1), a = (u - way * Fc) / m;
    const double stop = a * way < 0 ? -v / a : 2 * h, dt = std::min(h, stop);
    x += v * dt + a * dt * dt / 2;
    v = stop <= h ? 0 : v + a * dt;
    h -= dt;
  }
}

constexpr double m = 0.8;

}  // namespace

/// PID with a limit on u, smooth friction, a sine to follow: in and out of the limit. The kinks leave an error of about
/// h^2 times the jump of the slope in the reference.
TEST(Servo, ContinuousWithSaturation) {
  const ControllerParams pid{.kp = 300, .ki = 400, .kd = 12, .limit = 2.5};
  const double Fc = 1, k_tanh = 50, kv = 0.5, w = two_pi * 0.8;
  const auto run = simulate(servo(contact("coulomb_tanh", {{"Fc", Fc}, {"k_tanh", k_tanh}, {"kv", kv}}), m, pid,
                                  position(Sine{0.05, 0.8, 0, 0}), 3),
                            {.probes = {0.5, 1, 1.7, 3}});
  auto control = [&](double t, const State& y) {
    const double e = 0.05 * std::sin(w * t) - y[0], de = 0.05 * w * std::cos(w * t) - y[1];
    return std::clamp(pid.kp * e + pid.ki * y[2] + pid.kd * de, -pid.limit, pid.limit);
  };
  State y{};
  const double h = 1e-5;
  int saturated = 0;
  for (int i = 0; i <= 300000; ++i) {
    const double t = i * h;
    for (const double at : {0.5, 1.0, 1.7, 3.0}) {
      if (i != static_cast<int>(std::lround(at / h))) continue;
      EXPECT_NEAR(probe(run, "x", at), y[0], 2e-8) << at;
      EXPECT_NEAR(probe(run, "v", at), y[1], 2e-7) << at;
      EXPECT_NEAR(probe(run, "u", at), control(t, y), 3e-5) << at;
      EXPECT_NEAR(probe(run, "reference", at), 0.05 * std::sin(w * at), 1e-12) << at;
    }
    saturated += std::abs(control(t, y)) == pid.limit;
    rk4(y, t, h, [&](double s, const State& z) -> State {
      return {z[1], (control(s, z) - Fc * std::tanh(k_tanh * z[1]) - kv * z[1]) / m, 0.05 * std::sin(w * s) - z[0]};
    });
  }
  EXPECT_GT(saturated, 3000);
  EXPECT_LT(saturated, 297000);
  EXPECT_LT(run.summary.energy.error, 1e-6);
}

/// A sampled PID with an encoder and a limit on a body with dry friction: between samples the motion is a parabola.
TEST(Servo, SampledWithEncoder) {
  const ControllerParams pid{.kp = 500, .ki = 300, .kd = 10, .sample_time = 1e-3, .limit = 4, .encoder_step = 1e-4};
  Experiment e = servo(contact("coulomb", {{"Fc", 1}, {"Fs", 1.4}}), m, pid, position(Sine{0.02, 1, 0, 0}), 2);
  e.solver.output_step = 1e-3;
  const auto run = simulate(e);
  const auto &x = column(run.trace, "x"), &v = column(run.trace, "v"), &u = column(run.trace, "u");
  double rx = 0, rv = 0, sum = 0, last = 0, worst = 0, worst_v = 0;
  // A position within rounding of an encoder step may be read one step higher or lower: none is, in this run.
  for (std::size_t i = 0; i + 1 < x.size(); ++i) {
    const double t = 1e-3 * static_cast<double>(i);
    worst = std::max(worst, std::abs(x[i] - rx));
    worst_v = std::max(worst_v, std::abs(v[i] - rv));
    const double error = 0.02 * std::sin(two_pi * t) - 1e-4 * std::round(rx / 1e-4);
    if (i == 0) last = error;
    sum += error * 1e-3;
    const double out = std::clamp(500 * error + 300 * sum + 10 * (error - last) / 1e-3, -4.0, 4.0);
    last = error;
    EXPECT_NEAR(u[i], out, 1e-6) << t;
    coast(rx, rv, out, 1, 1.4, m, 1e-3);
  }
  EXPECT_LT(worst, 1e-9);
  EXPECT_LT(worst_v, 1e-8);
  EXPECT_GE(count_of(run, Event::stick), 5U);
  EXPECT_LT(run.summary.energy.error, 1e-6);
}

/// A perfect model of the friction in the feedforward: what is left of the tracking error is that of a body without
/// friction, but for the delay of the samples.
TEST(Servo, FeedforwardTakesFrictionAway) {
  const ControllerParams pd{.kp = 2000, .kd = 60, .sample_time = 1e-4};
  const Table p{{"kv", 30}};
  auto tracking = [&](double kv, bool feedforward) {
    Experiment e = servo(contact("viscous", {{"kv", kv}}), m, pd, position(Sine{0.02, 1, 0, 0}, 0.5), 3);
    if (feedforward) e.feedforward = contact("viscous", p);
    const auto run = simulate(e);
    const auto &x = column(run.trace, "x"), &r = column(run.trace, "reference");
    double worst = 0;
    for (std::size_t i = x.size() / 2; i < x.size(); ++i) worst = std::max(worst, std::abs(x[i] - r[i]));
    return worst;
  };
  const double free = tracking(1e-9, false), with = tracking(30, true), without = tracking(30, false);
  EXPECT_NEAR(with, free, 0.02 * free + 1e-6);
  EXPECT_GT(without, 4 * with);
}

/// Feedforward step by step: u = kp e + F_model(reference), the model advanced once per sample along the reference.
TEST(Servo, FeedforwardIsTheModelAlongTheReference) {
  const ControllerParams p{.kp = 100, .sample_time = 0.01};
  const Table lugre = typical("lugre");
  Experiment e = servo(contact("coulomb", {{"Fc", 1}}), m, p, position(Ramp{0.01, 0.002}), 0.2);
  e.feedforward = contact("lugre", lugre);
  e.solver.output_step = 0.01;
  const auto run = simulate(e);
  const auto model = contact("lugre", lugre);
  for (std::size_t i = 0; i + 1 < run.trace.rows(); ++i) {
    const double t = column(run.trace, "t")[i], reference = 0.002 + 0.01 * t;
    const double F = model->step({.x = reference, .v = 0.01, .F_app = 0, .t = t}, 0.01);
    EXPECT_NEAR(column(run.trace, "u")[i], 100 * (reference - column(run.trace, "x")[i]) + F, 1e-9) << t;
  }
}

/// A reference that jumps has no derivative: a continuous kd on it is refused, whatever else is in the way.
TEST(Servo, DerivativeOfAJumpIsRefused) {
  const Drive jump = position(StepAt{1, 0.1});
  const Drive sum{DriveOf::position, {{Ramp{0.1, 0}, 0}, {StepAt{1.5, -0.2}, 0}}};
  auto objection = [&](const ControllerParams& c, const Drive& reference, Method method = Method::automatic) {
    Experiment e = servo(contact("viscous", {{"kv", 1}}), m, c, reference, 2);
    e.method = method;
    e.solver.step = 1e-3;
    return objection_to(e);
  };
  const std::string refused =
      "kd requires a reference without jumps, whose derivative is a Dirac impulse; use a sample_time, derivative_filter, "
      "derivative_weight = 0, a ramp or a table";
  for (const Drive& reference : {jump, sum, position(StepAt{2, 0.1})}) {
    EXPECT_EQ(objection({.kp = 10, .kd = 4}, reference), refused);
    EXPECT_EQ(objection({.kp = 10, .kd = -4}, reference), refused);
    EXPECT_EQ(objection({.kp = 10, .kd = 4, .limit = 1}, reference), refused);
    EXPECT_EQ(objection({.kp = 10, .kd = 4, .derivative_weight = 0.1}, reference), refused);
    for (const Method method : {Method::cvode, Method::fixed})
      EXPECT_EQ(objection({.kp = 10, .kd = 4}, reference, method), refused);
    EXPECT_EQ(objection({.kp = 10}, reference), "");
    EXPECT_EQ(objection({.kp = 10, .kd = 4, .derivative_weight = 0}, reference), "");
    EXPECT_EQ(objection({.kp = 10, .kd = 4, .sample_time = 1e-3}, reference), "");
  }
  for (const Drive& reference : {position(StepAt{0, 0.1}), position(StepAt{3, 0.1}), velocity(StepAt{1, 0.1}),
                                 position(Points{{0, 1, 1.001}, {0, 0, 1}}), position(Triangle{0.1, 2})})
    EXPECT_EQ(objection({.kp = 10, .kd = 4}, reference), "");
}

/// A velocity as reference may jump: its position does not, and u = kp e + kd (rate - v) does, by kd times the jump.
TEST(Servo, VelocityReferenceThatJumps) {
  const ControllerParams pd{.kp = 10, .kd = 4};
  const auto run = simulate(servo(contact("viscous", {{"kv", 1}}), m, pd, velocity(StepAt{1, 0.1}), 2),
                            {.probes = {1 - 1e-9, 1 + 1e-9, 2}});
  EXPECT_EQ(probe(run, "u", 1 - 1e-9), 0);
  EXPECT_NEAR(probe(run, "u", 1 + 1e-9), 4 * 0.1, 1e-7);
  State y{};  // x, v, reference
  for (int i = 0; i < 10000; ++i) {
    rk4(y, 0, 1e-4, [&](double, const State& z) -> State {
      return {z[1], (10 * (z[2] - z[0]) + 4 * (0.1 - z[1]) - z[1]) / m, 0.1};
    });
  }
  EXPECT_NEAR(probe(run, "x", 2), y[0], 1e-8);
  EXPECT_NEAR(probe(run, "v", 2), y[1], 1e-8);
  EXPECT_LT(run.summary.energy.error, 1e-6);
}

/// A velocity as reference: its integral is followed.
TEST(Servo, VelocityReference) {
  const ControllerParams pd{.kp = 1000, .ki = 100, .kd = 30};
  const Drive v = velocity(Sine{0.1, 0.5, two_pi / 4, 0}), x = position(Sine{0.1 / (two_pi * 0.5), 0.5, 0, 0});
  for (const double sample_time : {0.0, 2e-3}) {
    ControllerParams c = pd;
    c.sample_time = sample_time;
    const auto a = simulate(servo(contact("stribeck", typical("stribeck")), m, c, v, 2)),
               b = simulate(servo(contact("stribeck", typical("stribeck")), m, c, x, 2));
    EXPECT_LT(difference(a, b, 1e-6).worst, 1e-6) << sample_time;
  }
}

/// Integral action and a breakaway above the sliding force: the body hunts around its goal for ever, in equal cycles.
/// Without the difference it comes to rest.
TEST(Servo, Hunting) {
  const ControllerParams pid{.kp = 20, .ki = 20, .kd = 2};
  auto run_with = [&](double Fs, double duration, Method method) {
    Experiment e =
        servo(contact("stribeck", {{"Fc", 1}, {"Fs", Fs}, {"vs", 0.01}}), 1, pid, position(StepAt{0, 0.1}), duration);
    e.method = method;
    e.solver.rtol = 1e-10;
    return simulate(e);
  };
  const auto hunts = run_with(1.5, 120, Method::automatic);
  const auto slips = times_of(hunts, Event::slip_forward), back = times_of(hunts, Event::slip_backward);
  ASSERT_GT(slips.size(), 4U);
  ASSERT_GT(back.size(), 4U);
  const std::size_t n = slips.size();
  EXPECT_NEAR(slips[n - 1] - slips[n - 2], slips[n - 2] - slips[n - 3], 1e-6);
  EXPECT_LT(difference(run_with(1.5, 20, Method::automatic), run_with(1.5, 20, Method::cvode)).worst, 1e-6);
  const auto rests = run_with(1, 120, Method::automatic);
  EXPECT_LT(rests.events.back().t, 60);
}
