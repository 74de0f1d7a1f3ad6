/// Runs that begin in steady sliding, bodies without mass, and coefficients of friction.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <set>

#include "support/experiment.hpp"

using namespace bristle;

namespace {

const Table rocks{{"mu0", 0.6}, {"a", 0.01}, {"b", 0.015}, {"Dc", 1e-5}, {"V0", 1e-6}, {"normal_load", 1}};

Experiment rock(double stiffness, double mass, Drive drive, double duration, const Table& more = {}) {
  Experiment e = slider(contact("rate_state", rocks + more), mass, stiffness, std::move(drive), duration);
  e.solver.rtol = 1e-9;
  return e;
}

/// Classical Runge-Kutta.
template <std::size_t N, class F> void rk4(std::array<double, N>& y, double t, double h, F&& f) {
  auto plus = [](std::array<double, N> a, const std::array<double, N>& b, double s) {
    for (std::size_t i = 0; i < N; ++i) a[i] += s * b[i];
    return a;
  };
  const auto a = f(t, y), b = f(t + h / 2, plus(y, a, h / 2)), c = f(t + h / 2, plus(y, b, h / 2)),
             d = f(t + h, plus(y, c, h));
  for (std::size_t i = 0; i < N; ++i) y[i] += h / 6 * (a[i] + 2 * b[i] + 2 * c[i] + d[i]);
}

}  // namespace

/// Every model that can slide steadily does so: the body follows the drive at a constant distance, on a spring stiff enough
/// that no velocity weakening makes the motion unstable, and the force is the steady one.
TEST(Start, SteadySlidingIsSteady) {
  std::set<std::string> refused;
  for (const std::string& model : flow_names()) {
    for (const double sign : {1.0, -1.0}) {
      auto c = contact(model, typical(model));
      const auto scales = c->scales();
      const double V = sign * 3 * (scales.velocity > 0 ? scales.velocity : 1e-3),
                   F = scales.force > 0 ? scales.force : 1, X = scales.displacement > 0 ? scales.displacement : 1e-3;
      const double k = 1e3 * F / X, mass = 1e-4 * k * std::pow(X / V, 2);
      Experiment e = slider(std::move(c), mass, k, position(Ramp{V, 0.3 * X}), 20 * X / std::abs(V));
      e.body.start = Beginning::steady;
      e.body.rest_length = 0.7 * X;
      e.body.damping = 20 * F / std::abs(V);  // more than the steady curve falls
      if (const std::string why = objection_to(e); !why.empty()) {
        refused.insert(model);
        continue;
      }
      e.solver.max_steps = 20000;
      SCOPED_TRACE(model);
      const auto run = simulate(e);
      const auto &t = column(run.trace, "t"), &x = column(run.trace, "x"), &f = column(run.trace, "F");
      const double travel = std::abs(V) * e.solver.duration;
      for (std::size_t i = 0; i < t.size(); ++i) {
        ASSERT_NEAR(x[i] - V * t[i], x[0], 1e-7 * travel) << model << " at " << t[i];
        ASSERT_NEAR(f[i], f[0], 1e-6 * F + 1e-6 * std::abs(f[0])) << model << " at " << t[i];
      }
      EXPECT_NEAR(k * (0.3 * X - x[0] - 0.7 * X), f[0], 1e-9 * F + 1e-9 * std::abs(f[0])) << model;
      EXPECT_EQ(column(run.trace, "v")[0], V) << model;
    }
  }
  EXPECT_EQ(refused, (std::set<std::string>{"haessig_friedland"}));
}

/// A prescribed motion begins with the steady states, so that its force does not change.
TEST(Start, PrescribedMotion) {
  for (const std::string model : {"lugre", "gms", "rate_state", "dahl", "bouc_wen"}) {
    auto c = contact(model, typical(model));
    const auto scales = c->scales();
    const double V = 5 * (scales.velocity > 0 ? scales.velocity : 1e-3);
    for (const Drive& drive : {position(Ramp{V, 0}), velocity(Constant{V})}) {
      Experiment e = prescribed(c->clone(), drive, 10 * scales.displacement / V);
      e.body.start = Beginning::steady;
      const auto run = simulate(e);
      const auto& F = column(run.trace, "F");
      for (const double f : F) ASSERT_NEAR(f, F[0], 1e-7 * std::abs(F[0])) << model;
    }
  }
}

/// A load ratio acts on the force from the start.
TEST(Start, WithALoad) {
  Experiment e = slider(contact("lugre", typical("lugre")), 1, 1e5, position(Ramp{0.1, 0}), 1);
  e.load = Drive{DriveOf::position, {{Constant{2.5}, 0}}};
  e.body.start = Beginning::steady;
  const auto run = simulate(e);
  const auto& F = column(run.trace, "F");
  for (const double f : F) ASSERT_NEAR(f, F[0], 1e-6 * F[0]);
  EXPECT_NEAR(F[0], 2.5 * contact("lugre", typical("lugre"))->scales().force, 2);
}

TEST(Start, RefusedWithAReason) {
  auto base = [] {
    Experiment e = slider(contact("lugre", typical("lugre")), 1, 1e5, position(Ramp{0.1, 0}), 1);
    e.body.start = Beginning::steady;
    return e;
  };
  EXPECT_EQ(objection_to(base()), "");
  auto refused = [&](const std::function<void(Experiment&)>& change, const std::string& word) {
    Experiment e = base();
    change(e);
    EXPECT_NE(objection_to(e).find(word), std::string::npos) << objection_to(e);
    EXPECT_THROW(simulate(e), BadInput);
  };
  refused([](Experiment& e) { e.drive = position(Constant{1}); }, "no velocity");
  refused([](Experiment& e) { e.drive = force(Ramp{1, 0}); }, "not a force");
  refused([](Experiment& e) { e.body.stiffness = 0; }, "stiffness");
  refused([](Experiment& e) { e.body.x0 = 1; }, "x0");
  refused([](Experiment& e) { e.body.gravity = 1; }, "gravity");
  refused([](Experiment& e) { e.drive = position(Ramp{0.1, 0}, 1.0); }, "no velocity");
  refused([](Experiment& e) { e.kind = SystemKind::roller; }, "rolls");
  refused(
      [](Experiment& e) {
        e.contacts.front().contact = contact("lugre", typical("lugre"), {{"ripple", 0.1}, {"ripple_period", 0.1}});
      },
      "position");
  refused(
      [](Experiment& e) {
        e.body.stiffness = 0;
        e.controller = ControllerParams{.kp = 1};
      },
      "servo");
}

/// The stability boundary of a spring-slider with the ageing law, k_c = (b - a) N/Dc, and the period there,
/// 2 pi Dc/V sqrt(a/(b - a)) (Ruina 1983): a small step of the velocity rings, and its decay changes sign at k_c.
TEST(QuasiStatic, StabilityBoundary) {
  const double V = 1e-6, period = two_pi * 10 * std::sqrt(2.0);
  struct Ringing {
    double growth, period;
  };
  auto ringing = [&](double k) {
    Drive drive{DriveOf::velocity, {{Constant{V}, 0}, {StepAt{1, 1e-3 * V}, 0}}};
    Experiment e = rock(k, 0, drive, 6 * period);
    e.body.start = Beginning::steady;
    e.solver.output_step = period / 400;
    const auto run = simulate(e);
    const auto &t = column(run.trace, "t"), &v = column(run.trace, "v");
    std::vector<double> peaks, times;
    for (std::size_t i = 1; i + 1 < v.size(); ++i) {
      if (t[i] < 2 || !(v[i] > v[i - 1] && v[i] >= v[i + 1])) continue;
      const double a = v[i - 1] - 2 * v[i] + v[i + 1], b = (v[i + 1] - v[i - 1]) / 2, s = -b / a;  // parabola
      times.push_back(t[i] + s * (t[1] - t[0]));
      peaks.push_back(v[i] - b * b / (2 * a) - 1.001 * V);
    }
    const std::size_t n = peaks.size();
    EXPECT_GE(n, 4U);
    return Ringing{std::log(peaks[n - 1] / peaks[0]) / static_cast<double>(n - 1),
                   (times[n - 1] - times[0]) / static_cast<double>(n - 1)};
  };
  const Ringing below = ringing(495), above = ringing(505);
  EXPECT_GT(below.growth, 0);
  EXPECT_LT(above.growth, 0);
  const double critical = 495 + 10 * below.growth / (below.growth - above.growth);
  EXPECT_NEAR(critical, 500, 0.1);
  EXPECT_NEAR((below.period + above.period) / 2, period / 1.001, 0.01);  // at the velocity after the step
}

/// The equations of PyRSF and others, dmu/dt = k/N (V - v), v = V0 exp((mu - mu0 - b ln(V0 theta/Dc))/a), by Runge-Kutta:
/// a velocity step on a spring with a damped oscillation.
TEST(QuasiStatic, VelocityStepAgreesWithTheOdeInMu) {
  for (const char* law : {"ageing", "slip"}) {
    const double k = 800, a = 0.01, b = 0.015, Dc = 1e-5, V0 = 1e-6;
    Drive drive{DriveOf::velocity, {{Constant{1e-6}, 0}, {StepAt{5, 0.5e-6}, 0}}};
    Experiment e = rock(k, 0, drive, 40, {{"law", law}});
    e.body.start = Beginning::steady;
    e.solver.output_step = 0.5;
    const auto run = simulate(e);
    std::array<double, 2> y{0.6, Dc / 1e-6};  // mu, theta
    auto speed = [&](const std::array<double, 2>& s) {
      return V0 * std::exp((s[0] - 0.6 - b * std::log(V0 * s[1] / Dc)) / a);
    };
    const auto &mu = column(run.trace, "mu"), &theta = column(run.trace, "theta"), &v = column(run.trace, "v");
    const int per = 2000;
    for (std::size_t row = 0; row < mu.size(); ++row) {
      EXPECT_NEAR(mu[row], y[0], 1e-8) << row;
      EXPECT_NEAR(theta[row], y[1], 1e-6 * y[1]) << row;
      EXPECT_NEAR(v[row], speed(y), 1e-6 * speed(y)) << row;
      const double V = row < 10 ? 1e-6 : 1.5e-6;
      for (int i = 0; i < per; ++i)
        rk4(y, 0, 0.5 / per, [&](double, const std::array<double, 2>& s) -> std::array<double, 2> {
          const double w = speed(s) * s[1] / Dc;
          return {k * (V - speed(s)), std::string(law) == "ageing" ? 1 - w : -w * std::log(w)};
        });
    }
    EXPECT_LT(run.summary.momentum.error, 1e-7);
    EXPECT_LT(run.summary.energy.error, 1e-6);
  }
}

/// Two state variables: mu = mu0 + a ln(v/V0) + b1 ln(V0 theta1/Dc1) + b2 ln(V0 theta2/Dc2) as two contacts with half of mu0
/// and of a each, against the equations in mu. Both laws, a step up and down.
TEST(QuasiStatic, TwoStateVariables) {
  const double k = 3000, a = 0.01, V0 = 1e-6;
  const std::array<double, 2> b{0.012, -0.004}, Dc{4e-6, 3e-5};
  for (const char* law : {"ageing", "slip"}) {
    const Table half{{"mu0", 0.3}, {"a", a / 2}, {"V0", V0}, {"normal_load", 1}, {"law", law}};
    Drive drive{DriveOf::velocity, {{Constant{1e-6}, 0}, {StepAt{5, 1e-6}, 0}, {StepAt{20, -1.5e-6}, 0}}};
    Experiment e = slider(contact("rate_state", half + Table{{"b", b[0]}, {"Dc", Dc[0]}}), 0, k, drive, 40);
    e.contacts.front().name = "fast";
    e.contacts.push_back({"slow", contact("rate_state", half + Table{{"b", b[1]}, {"Dc", Dc[1]}})});
    e.body.start = Beginning::steady;
    e.solver.rtol = 1e-9;
    e.solver.output_step = 0.5;
    const auto run = simulate(e);
    const auto &F = column(run.trace, "F"), &fast = column(run.trace, "fast.theta"),
               &slow = column(run.trace, "slow.theta"), &mu = column(run.trace, "mu_fast");
    std::array<double, 3> y{0.6, Dc[0] / V0, Dc[1] / V0};
    auto speed = [&](const std::array<double, 3>& s) {
      return V0 * std::exp((s[0] - 0.6 - b[0] * std::log(V0 * s[1] / Dc[0]) - b[1] * std::log(V0 * s[2] / Dc[1])) / a);
    };
    auto ageing = [&](double w) { return std::string(law) == "ageing" ? 1 - w : -w * std::log(w); };
    for (std::size_t row = 0; row < F.size(); ++row) {
      EXPECT_NEAR(F[row], y[0], 2e-8) << row;
      EXPECT_NEAR(fast[row], y[1], 1e-6 * y[1]) << row;
      EXPECT_NEAR(slow[row], y[2], 1e-6 * y[2]) << row;
      EXPECT_NEAR(mu[row], 0.3 + a / 2 * std::log(speed(y) / V0) + b[0] * std::log(V0 * y[1] / Dc[0]), 2e-8) << row;
      const double V = row < 10 ? 1e-6 : row < 40 ? 2e-6 : 0.5e-6;
      for (int i = 0; i < 2000; ++i)
        rk4(y, 0, 0.5 / 2000, [&](double, const std::array<double, 3>& s) -> std::array<double, 3> {
          const double v = speed(s);
          return {k * (V - v), ageing(v * s[1] / Dc[0]), ageing(v * s[2] / Dc[1])};
        });
    }
  }
}

/// The limit m -> 0 of the slider: the difference is in proportion to the mass.
TEST(QuasiStatic, IsTheLimitOfSmallMasses) {
  auto run_with = [&](double mass) {
    Drive drive{DriveOf::position, {{Ramp{1e-6, 0}, 0}, {Sine{2e-6, 0.05, 0, 0}, 0}}};
    Experiment e = rock(700, mass, drive, 60);
    e.body.damping = 1e3;
    e.body.x0 = -0.6 / 700;
    if (mass > 0) e.body.v0 = 1e-6;
    e.solver.output_step = 0.5;
    return simulate(e);
  };
  const auto none = run_with(0), small = run_with(1e2), smaller = run_with(25);
  auto apart = [&](const bristle::Run& run) {
    double worst = 0;
    for (std::size_t i = 10; i < none.trace.rows(); ++i)
      worst = std::max(worst, std::abs(column(run.trace, "F")[i] - column(none.trace, "F")[i]));
    return worst;
  };
  EXPECT_LT(apart(small), 1e-4);
  EXPECT_NEAR(apart(small) / apart(smaller), 4, 0.2);
}

/// Fixed steps solve the same equations implicitly: first order, so half the step halves the difference.
TEST(QuasiStatic, FixedStepsConverge) {
  auto run_with = [&](double step) {
    Experiment e = rock(700, 0, velocity(Sine{1e-6, 0.05, 0, 2e-6}), 40);
    e.body.x0 = -0.6 / 700;
    e.solver.output_step = 0.5;
    if (step > 0) {
      e.method = Method::fixed;
      e.solver.step = step;
    }
    return simulate(e);
  };
  const auto exact = run_with(0), a = run_with(2e-3), b = run_with(1e-3);
  auto apart = [&](const bristle::Run& run) {
    double worst = 0;
    for (std::size_t i = 10; i < exact.trace.rows(); ++i)
      worst = std::max(worst, std::abs(column(run.trace, "F")[i] - column(exact.trace, "F")[i]));
    return worst;
  };
  EXPECT_LT(apart(b), 2e-5);
  EXPECT_NEAR(apart(a) / apart(b), 2, 0.1);
}

/// Below k_c a body without mass has no solution: the velocity grows without limit. With radiation damping it has one, and
/// sticks and slips.
TEST(QuasiStatic, InstabilityNeedsRadiationDamping) {
  Experiment e = rock(100, 0, velocity(Constant{1e-6}), 5000);
  e.body.x0 = -0.6 / 100;
  EXPECT_THROW(simulate(e), RunFailed);
  Experiment damped = rock(100, 0, velocity(Constant{1e-6}), 5000);
  damped.body.x0 = -0.6 / 100;
  damped.body.damping = 5;
  const auto run = simulate(damped);
  EXPECT_GT(largest(column(run.trace, "v")), 1e-5);
  EXPECT_GE(count_of(run, Event::stick), 3U);
  EXPECT_LT(run.summary.energy.error, 1e-5);
}

/// A law without states: viscous with a spring decays with the time constant kv/k; the force of a step acts at once.
TEST(QuasiStatic, ViscousByHand) {
  Experiment e = slider(contact("viscous", {{"kv", 4}}), 0, 8, position(Constant{0.5}), 3);
  const auto run = simulate(e, {.probes = {0.25, 1}});
  for (const double t : {0.25, 1.0}) {
    EXPECT_NEAR(probe(run, "x", t), 0.5 * (1 - std::exp(-2 * t)), 1e-8);
    EXPECT_NEAR(probe(run, "v", t), std::exp(-2 * t), 1e-7);
    EXPECT_NEAR(probe(run, "F", t), probe(run, "F_app", t), 1e-7);
  }
  const auto step =
      simulate(slider(contact("viscous", {{"kv", 4}}), 0, 0, force(StepAt{1, 6}), 2), {.probes = {0.5, 1.5, 2}});
  EXPECT_EQ(probe(step, "v", 0.5), 0);
  EXPECT_NEAR(probe(step, "v", 1.5), 1.5, 1e-9);
  EXPECT_NEAR(probe(step, "x", 2), 1.5, 1e-9);
}

TEST(QuasiStatic, Refusals) {
  auto objection = [](Experiment e) { return objection_to(e); };
  auto base = [](const std::string& model) {
    return slider(contact(model, typical(model)), 0, 100, position(Ramp{1e-3, 0}), 1);
  };
  EXPECT_EQ(objection(base("rate_state")), "");
  for (const std::string& model : flow_names()) {
    const std::string why = objection(base(model));
    const bool fine = model == "rate_state" || model == "viscous";
    EXPECT_EQ(why.empty(), fine) << model << ": " << why;
  }
  Experiment damped = base("coulomb_tanh");
  damped.body.damping = 1;
  EXPECT_EQ(objection_to(damped), "");
  for (const Method method : {Method::cvode, Method::explicit_pair}) {
    Experiment e = base("rate_state");
    e.method = method;
    EXPECT_NE(objection_to(e).find("method"), std::string::npos);
  }
  Experiment servo = base("rate_state");
  servo.body.stiffness = 0;
  servo.controller = ControllerParams{.kp = 1};
  EXPECT_NE(objection_to(servo).find("servo"), std::string::npos);
  Experiment thrown = base("rate_state");
  thrown.body.v0 = 1;
  EXPECT_NE(objection_to(thrown).find("v0"), std::string::npos);
}

/// mu = F over the normal load, r(t) included; a column of its own at the end. Without a known load there is none.
TEST(Coefficient, IsForceOverLoad) {
  Experiment e = slider(contact("rate_state", rocks + Table{{"kv", 0.5}}), 1, 1e3, position(Ramp{1e-5, 0}), 10);
  e.load = Drive{DriveOf::position, {{Constant{2}, 0}, {Sine{0.5, 0.3, 0, 0}, 0}, {StepAt{5, 1}, 0}}};
  const auto run = simulate(e, {.probes = {3.3}});
  EXPECT_EQ(run.trace.columns.back().name, "mu");
  const auto &t = column(run.trace, "t"), &F = column(run.trace, "F"), &mu = column(run.trace, "mu");
  for (std::size_t i = 0; i < t.size(); ++i) EXPECT_DOUBLE_EQ(mu[i], F[i] / e.load->at(t[i]).value);
  EXPECT_DOUBLE_EQ(probe(run, "mu", 3.3), probe(run, "F", 3.3) / e.load->at(3.3).value);
  Experiment given = slider(contact("coulomb", {{"Fc", 6}}), 1, 1e3, position(Ramp{1e-2, 0}), 1);
  EXPECT_EQ(simulate(given).trace.find("mu"), nullptr);
  given.contacts.front().normal_load = 12;
  const auto known = simulate(given);
  EXPECT_NEAR(column(known.trace, "mu").back(), 0.5, 1e-12);
}
