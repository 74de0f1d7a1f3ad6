/// Effects around a law, in simulations: closed forms, and integrations written out here.
#include <gtest/gtest.h>

#include "support/experiment.hpp"

using namespace bristle;

namespace {

const Table dry{{"Fc", 1}, {"Fs", 1.5}};

/// The noise of a contact, as a function of time or path: what it adds to a law without dry friction.
double noise_of(AnyContact& viscous, double t, double path) {
  return viscous.step({.v = 0, .path = path, .t = t}, 1e-9);
}

}  // namespace

/// Force (1 + a) Fc forward and (1 - a) Fc backward: on a spring, half-cycles lose 2 (1 +- a) Fc/k in turns.
TEST(Effects, AsymmetryInAFreeSwing) {
  Experiment e = slider(contact("coulomb", {{"Fc", 1}}, {{"asymmetry", 0.2}}), 1, 100, force(Constant{0}), 3);
  e.body.x0 = -0.1;
  const auto run = simulate(e);
  // 0.1 -> 0.1 - 0.024 -> 0.076 - 0.016 -> 0.06 - 0.024 -> 0.036 - 0.016 = 0.02 -> below 0.012 it would stay; 0.02 - 0.024
  // turns at -(...): from 0.02 it moves forward by 2 (0.02 - 0.012).
  EXPECT_EQ(kinds_of(run), "slip+ slip- slip+ slip- slip+ stick");
  EXPECT_NEAR(column(run.trace, "x").back(), -0.02 + 2 * (0.02 - 0.012), 1e-9);
  EXPECT_NEAR(run.events.back().t, 5 * two_pi / 20, 1e-8);
}

/// An offset acts like a force on the body: held between offset - Fs and offset + Fs.
TEST(Effects, OffsetShiftsTheBreakaway) {
  for (const double way : {1.0, -1.0}) {
    const auto run = simulate(slider(contact("coulomb", dry, {{"offset", 0.3}}), 1, 0, force(Ramp{way, 0}), 4));
    ASSERT_GE(run.events.size(), 2U);
    EXPECT_NEAR(run.events[1].t, 1.5 + 0.3 * way, 1e-10);
    const auto &t = column(run.trace, "t"), &v = column(run.trace, "v");
    const double from = run.events[1].t;  // v' = way t - way - 0.3
    EXPECT_NEAR(v.back(), way * (t.back() * t.back() - from * from) / 2 - (way + 0.3) * (t.back() - from), 1e-8);
  }
}

/// Asymmetry applies to the force of the law, and breakaway follows it: (1 + a) Fs forward, (1 - a) Fs backward.
TEST(Effects, AsymmetricBreakaway) {
  for (const double way : {1.0, -1.0}) {
    const auto run = simulate(slider(contact("coulomb", dry, {{"asymmetry", 0.2}}), 1, 0, force(Ramp{way, 0}), 4));
    ASSERT_GE(run.events.size(), 2U);
    EXPECT_NEAR(run.events[1].t, 1.5 * (1 + 0.2 * way), 1e-10);
  }
}

/// Ripple along x: a body coasts until friction has taken m v0^2/2 = x + (rho lambda/2 pi)(cos phi - cos(2 pi x/lambda + phi)).
TEST(Effects, RippleTakesTheEnergyOfItsIntegral) {
  const double rho = 0.5, lambda = 0.01, phi = 0.7;
  Experiment e =
      slider(contact("coulomb", {{"Fc", 1}}, {{"ripple", rho}, {"ripple_period", lambda}, {"ripple_phase", phi}}), 1, 0,
             force(Constant{0}), 2);
  e.body.v0 = 0.5;
  const auto run = simulate(e);
  EXPECT_EQ(kinds_of(run), "slip+ stick");
  auto work = [&](double x) {
    return x + rho * lambda / two_pi * (std::cos(phi) - std::cos(two_pi * x / lambda + phi));
  };
  EXPECT_NEAR(work(column(run.trace, "x").back()), 0.125, 1e-9);
  EXPECT_NEAR(run.summary.energy.friction, 0.125, 1e-9);
}

/// Friction of a prescribed motion: the ripple is there, and its work too.
TEST(Effects, RippleUnderPrescribedMotion) {
  const Table ripple{{"ripple", 0.3}, {"ripple_period", 0.02}};
  const auto run = simulate(prescribed(contact("lugre", typical("lugre"), ripple), position(Ramp{0.01, 0}), 10));
  const auto plain = simulate(prescribed(contact("lugre", typical("lugre")), position(Ramp{0.01, 0}), 10));
  for (std::size_t i = 0; i < run.trace.rows(); i += 50) {
    const double x = column(run.trace, "x")[i], gain = 1 + 0.3 * std::sin(two_pi * x / 0.02);
    EXPECT_NEAR(column(run.trace, "F")[i], gain * column(plain.trace, "F")[i], 1e-7) << x;
  }
  EXPECT_LT(run.summary.energy.error, 1e-6);
}

/// Load r(t) = 1 + t with an exponent 2: m v' = -Fc (1 + t)^2 from v0 = 7/3 stops at t = 1.
TEST(Effects, LoadExponent) {
  Experiment e = slider(contact("coulomb", {{"Fc", 1}}, {{"load_exponent", 2}}), 1, 0, force(Constant{0}), 2);
  e.load = force(Ramp{1, 1});
  e.body.v0 = 7.0 / 3;
  const auto run = simulate(e);
  ASSERT_EQ(kinds_of(run), "slip+ stick");
  EXPECT_NEAR(run.events[1].t, 1, 1e-9);
  EXPECT_LT(run.summary.energy.error, 1e-6);
}

/// Warmer by 10 K with -0.02/K: every force times exp(-0.2).
TEST(Effects, Temperature) {
  Experiment e = slider(contact("coulomb", dry, {{"temperature_coefficient", -0.02}}), 1, 0, force(Ramp{1, 0}), 2);
  e.body.temperature = 30;
  const auto run = simulate(e);
  ASSERT_GE(run.events.size(), 2U);
  EXPECT_NEAR(run.events[1].t, 1.5 * std::exp(-0.2), 1e-10);
}

/// Friction of 1 N, and as much again as the load where the body drives the actuator. A load that grows by 1 N/s sets a
/// body of 1 kg in motion after a second: v = (t - 1)^2/2. A load of -1.5 N brakes one that moves at 1 m/s by 1.5 + 2.5 N
/// until it rests, and then pulls it back by 0.5 N.
TEST(Effects, BackdrivenBodyIsBrakedAndPulledBack) {
  const auto on = [](const std::string& model, Drive drive, double v0) {
    const Table dry = model == "coulomb" ? Table{{"Fc", 1.0}} : Table{{"Fc", 1.0}, {"Fs", 1.0}, {"vs", 0.1}};
    Experiment e = slider(contact(model, dry, {{"load_backdrive", 1.0}}), 1, 0, std::move(drive), 2);
    e.body.v0 = v0;
    return simulate(e, {.probes = {0.2, 0.75, 2}});
  };
  for (const std::string model : {"coulomb", "stribeck", "karnopp"}) {
    const double zone = model == "karnopp" ? 1e-2 : 1e-6;  // karnopp stops what is slower than vs/100
    EXPECT_NEAR(probe(on(model, force(Ramp{1, 0}), 0), "v", 2), 0.5, 1e-6) << model;
    const auto back = on(model, force(Constant{-1.5}), 1);
    EXPECT_NEAR(probe(back, "v", 0.2), 1 - 4 * 0.2, 1e-6) << model;
    EXPECT_NEAR(probe(back, "v", 0.75), -0.5 * (0.75 - 0.25), zone) << model;
    EXPECT_NEAR(probe(back, "x", 0.75), 0.125 - 0.25 * 0.25, zone) << model;
  }
}

/// Noise in time on a body with viscous friction: m v' = f - kv v - P(t), integrated here with the classical rule.
TEST(Effects, NoiseInTime) {
  const Table noise{{"noise", 0.3}, {"noise_frequency", 20}, {"seed", 5}};
  const auto run =
      simulate(slider(contact("viscous", {{"kv", 2}}, noise), 0.5, 0, force(Constant{1}), 2), {.probes = {0.5, 1, 2}});
  const auto source = contact("viscous", {{"kv", 2}}, noise);
  double v = 0, x = 0;
  const double h = 5e-5;
  for (int i = 0; i <= 40000; ++i) {
    const double t = i * h;
    if (i == 10000 || i == 20000 || i == 40000) {
      const double at = i == 10000 ? 0.5 : i == 20000 ? 1 : 2;
      EXPECT_NEAR(probe(run, "v", at), v, 1e-8) << at;
      EXPECT_NEAR(probe(run, "x", at), x, 1e-8) << at;
    }
    const double a = noise_of(*source, t, 0), b = noise_of(*source, t + h / 2, 0), c = noise_of(*source, t + h, 0);
    auto rate = [&](double P, double w) { return (1 - P - 2 * w) / 0.5; };
    const double k1 = rate(a, v), k2 = rate(b, v + h / 2 * k1), k3 = rate(b, v + h / 2 * k2), k4 = rate(c, v + h * k3);
    x += h * v + h * h / 6 * (k1 + k2 + k3);
    v += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  }
  EXPECT_LT(run.summary.energy.error, 1e-6);
}

/// Noise along the path: the same with P(s), s' = |v|, through a reversal.
TEST(Effects, NoiseAlongThePath) {
  const Table noise{{"noise", 0.3}, {"noise_length", 0.05}, {"seed", 5}};
  Experiment e = slider(contact("viscous", {{"kv", 2}}, noise), 0.5, 0, force(Sine{2, 0.7, 0, 0}), 2);
  const auto run = simulate(e, {.probes = {2}});
  const auto source = contact("viscous", {{"kv", 2}}, noise);
  double v = 0, s = 0;
  const double h = 1e-4;
  auto rate = [&](double t, double w, double path) {
    return (2 * std::sin(two_pi * 0.7 * t) - noise_of(*source, t, path) - 2 * w) / 0.5;
  };
  for (int i = 0; i < 20000; ++i) {
    const double t = i * h;
    const double k1 = rate(t, v, s), v2 = v + h / 2 * k1, k2 = rate(t + h / 2, v2, s + h / 2 * std::abs(v)),
                 v3 = v + h / 2 * k2, k3 = rate(t + h / 2, v3, s + h / 2 * std::abs(v2)), v4 = v + h * k3,
                 k4 = rate(t + h, v4, s + h * std::abs(v3));
    s += h / 6 * (std::abs(v) + 2 * std::abs(v2) + 2 * std::abs(v3) + std::abs(v4));
    v += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  }
  EXPECT_NEAR(probe(run, "v", 2), v, 1e-6);  // the kinks of |v| at reversals: h^2 of the slope of the noise
  EXPECT_LT(run.summary.energy.error, 1e-6);
}

/// A stuck body is held while |F_app - P(t)| <= Fs: it leaves when that first fails, found here by scanning.
TEST(Effects, NoiseShakesTheBodyLoose) {
  const Table noise{{"noise", 0.2}, {"noise_frequency", 50}, {"seed", 9}};
  const auto source = contact("viscous", {{"kv", 1}}, noise);
  const auto run = simulate(slider(contact("coulomb", dry, noise), 1, 0, force(Ramp{0.5, 0}), 4));
  double t = 1.5;  // before, the noise would have to be -0.75 N
  for (const double step : {1e-4, 1e-6, 1e-8}) {
    while (0.5 * t - noise_of(*source, t, 0) <= 1.5) t += step;
    t -= step;
  }
  ASSERT_GE(run.events.size(), 2U);
  EXPECT_EQ(run.events[1].kind, Event::slip_forward);
  EXPECT_NEAR(run.events[1].t, t, 2e-8);
}

namespace {

/// A disk of half m r^2 that is thrown without spin on a law with effects: m/3 of its mass slips.
Experiment thrown(std::unique_ptr<AnyContact> c, double x0, double v0, Method method) {
  Experiment e = roller(std::move(c), 3, 0, 0.2, force(Constant{0}), 3);
  e.body.x0 = x0;
  e.body.v0 = v0;
  e.method = method;
  e.solver.step = 2e-5;
  return e;
}
double slip_distance(const Run& run) { return column(run.trace, "x").back() - 0.2 * column(run.trace, "phi").back(); }
constexpr Method methods[]{Method::automatic, Method::cvode, Method::fixed};

}  // namespace

/// Effects along x of a roller follow the displacement of the rim over the ground, s = x - radius phi, which is x0 at first:
/// slip ends when friction has taken (m/3) v0^2/2 = the integral of Fc (1 + rho sin(2 pi s/lambda + phi)) from x0 on.
TEST(Effects, RippleOfARollerFollowsItsSlip) {
  const double rho = 0.9, lambda = 0.05, phi = 0.7, v0 = 0.5;
  const Table ripple{{"ripple", rho}, {"ripple_period", lambda}, {"ripple_phase", phi}};
  for (const double x0 : {0.0, 0.0123, -7.01}) {
    auto work = [&](double s) {
      return s - x0 +
             rho * lambda / two_pi * (std::cos(two_pi * x0 / lambda + phi) - std::cos(two_pi * s / lambda + phi));
    };
    for (const Method method : methods) {
      const auto run = simulate(thrown(contact("coulomb", {{"Fc", 1}}, ripple), x0, v0, method));
      const double first_order = method == Method::fixed ? 1e-4 : 1e-9;
      EXPECT_NEAR(work(slip_distance(run)), v0 * v0 / 2, first_order) << x0 << " " << run.summary.method;
      EXPECT_NEAR(column(run.trace, "v").back(), v0 * 2 / 3, first_order);  // rolls on
      EXPECT_GT(column(run.trace, "x").back() - x0, 0.8);
    }
  }
}

/// A disk that cannot turn is a slider, wherever both begin.
TEST(Effects, ADiskThatDoesNotTurnIsASlider) {
  const Table along{{"ripple", 0.5}, {"ripple_period", 0.03}, {"cogging", 0.4}, {"cogging_period", 0.07}};
  for (const Method method : methods) {
    Experiment a = thrown(contact("lugre", typical("lugre"), along), 0.019, 0.3, method),
               b = thrown(contact("lugre", typical("lugre"), along), 0.019, 0.3, method);
    a.disk.inertia = 1e12;
    b.kind = SystemKind::slider;
    a.body.stiffness = b.body.stiffness = 50;
    EXPECT_LT(difference(simulate(a), simulate(b)).worst, 1e-6) << to_string(Event::stick) << int(method);
  }
}

/// Cogging has a potential along the slip, so it neither creates nor dissipates energy: (m/3) v_slip^2/2 + its integral stays.
TEST(Effects, CoggingOfARollerKeepsItsEnergy) {
  const double cogging = 2, period = 0.04, x0 = 0.011;
  const Table poles{{"cogging", cogging}, {"cogging_period", period}};
  for (const Method method : {Method::automatic, Method::cvode}) {
    const auto run = simulate(thrown(contact("viscous", {{"kv", 0}}, poles), x0, 0.9, method));
    const auto &x = column(run.trace, "x"), &angle = column(run.trace, "phi"), &v = column(run.trace, "v_slip");
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double s = x[i] - 0.2 * angle[i];
      const double raised =
          cogging * period / two_pi * (std::cos(two_pi * x0 / period) - std::cos(two_pi * s / period));
      ASSERT_NEAR(v[i] * v[i] / 2 + raised, 0.9 * 0.9 / 2, 1e-6) << run.summary.method << " " << i;
    }
  }
}

/// The angle of a disk that does not begin at x = 0: the same from the kernels, from the general code and from omega.
TEST(Effects, AngleOfARollerBeginsAtZero) {
  for (const bool general : {false, true}) {  // effects, also neutral ones, have no kernel
    const Table none = general ? Table{{"offset", 0}} : Table{};
    Experiment e = thrown(contact("lugre", typical("lugre"), none), 2.5, 0.4, Method::automatic);
    e.solver.output_step = 1e-3;
    const auto run = simulate(e);
    const auto &angle = column(run.trace, "phi"), &omega = column(run.trace, "omega");
    double sum = 0;
    for (std::size_t i = 1; i < angle.size(); ++i) {
      sum += 1e-3 * (omega[i] + omega[i - 1]) / 2;
      ASSERT_NEAR(angle[i], sum, 1e-4) << general << " " << i;
    }
    EXPECT_GT(sum, 3);
  }
}
