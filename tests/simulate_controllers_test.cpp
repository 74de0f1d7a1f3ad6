/// Cascades, sensors and the options of a servo, against the laws written out here with other integrators.
#include <gtest/gtest.h>

#include <array>
#include <deque>

#include "bristle/simulate/ensemble.hpp"
#include "support/experiment.hpp"
#include "support/units.hpp"

using namespace bristle;

namespace {

constexpr double m = 0.8, Fc = 1, k_tanh = 50, kv = 0.5;

using State = std::array<double, 4>;  // x, v, integral, filter
template <class F> void rk4(State& y, double t, double h, F&& f) {
  auto plus = [](State a, const State& b, double s) {
    for (std::size_t i = 0; i < a.size(); ++i) a[i] += s * b[i];
    return a;
  };
  const State a = f(t, y), b = f(t + h / 2, plus(y, a, h / 2)), c = f(t + h / 2, plus(y, b, h / 2)),
              d = f(t + h, plus(y, c, h));
  for (std::size_t i = 0; i < y.size(); ++i) y[i] += h / 6 * (a[i] + 2 * b[i] + 2 * c[i] + d[i]);
}

double dead(double e, double band) { return e > band ? e - band : e < -band ? e + band : 0; }

/// A continuous law: u without limit, rate of the integral without and with the limit, rate of the filter.
struct Written {
  ControllerParams c;
  double A, w;  // reference A sin(w t)
  double ref(double t) const { return A * std::sin(w * t); }
  double rate(double t) const { return A * w * std::cos(w * t); }
  double raw(double t, const State& y) const {
    const double e = dead(ref(t) - y[0], c.dead_band), a = -A * w * w * std::sin(w * t) * c.acceleration_feedforward;
    if (c.kind == ControllerKind::cascade) return c.velocity_gain * inner(t, y) + c.velocity_integral * y[2] + a;
    const double de = c.derivative_filter > 0 ? (c.derivative_weight * ref(t) - y[0] - y[3]) / c.derivative_filter
                                              : c.derivative_weight * rate(t) - y[1];
    return c.kp * e + c.ki * y[2] + c.kd * de + a;
  }
  double inner(double t, const State& y) const {
    const double v = c.derivative_filter > 0 ? (y[0] - y[3]) / c.derivative_filter : y[1];
    return c.position_gain * dead(ref(t) - y[0], c.dead_band) + c.velocity_feedforward * rate(t) - v;
  }
  double u(double t, const State& y) const { return std::clamp(raw(t, y), -c.limit, c.limit); }
  State rates(double t, const State& y) const {
    const bool cascade = c.kind == ControllerKind::cascade;
    double wind = cascade ? inner(t, y) : dead(ref(t) - y[0], c.dead_band);
    if (c.anti_windup) wind += (u(t, y) - raw(t, y)) / (cascade ? c.velocity_gain : c.kp);
    const double watched = cascade ? y[0] : c.derivative_weight * ref(t) - y[0];
    return {y[1], (u(t, y) - Fc * std::tanh(k_tanh * y[1]) - kv * y[1]) / m, wind,
            c.derivative_filter > 0 ? (watched - y[3]) / c.derivative_filter : 0};
  }
};

std::unique_ptr<AnyContact> smooth() { return contact("coulomb_tanh", {{"Fc", Fc}, {"k_tanh", k_tanh}, {"kv", kv}}); }

/// Constant force on a body with dry friction for a time h, exactly.
void coast(double& x, double& v, double u, double h) {
  constexpr double Fs = 1.4;
  for (int n = 0; n < 3 && h > 0; ++n) {
    if (v == 0 && std::abs(u) <= Fs) return;
    const double side = v != 0 ? (v > 0 ? 1 : -1) : (u > 0 ? 1 : -1), a = (u - side * Fc) / m;
    const double stop = a * side < 0 ? -v / a : 2 * h, dt = std::min(h, stop);
    x += v * dt + a * dt * dt / 2;
    v = stop <= h ? 0 : v + a * dt;
    h -= dt;
  }
}
std::unique_ptr<AnyContact> dry() { return contact("coulomb", {{"Fc", Fc}, {"Fs", 1.4}}); }

}  // namespace

/// Continuous laws along a sine, in and out of limit and dead band. Kinks leave errors of h^2 times the jump of a slope in the
/// Runge-Kutta reference.
TEST(Controllers, ContinuousLaws) {
  const double w = two_pi * 0.8, A = 0.05;
  std::vector<ControllerParams> laws;
  laws.push_back({.kp = 300, .ki = 400, .kd = 12, .limit = 2.5, .anti_windup = true});
  laws.push_back({.kp = 300, .ki = 400, .kd = 12, .derivative_weight = 0.3, .derivative_filter = 4e-3});
  laws.push_back({.kp = 300, .kd = 12, .limit = 3, .dead_band = 4e-3, .acceleration_feedforward = 0.7});
  laws.push_back({.kind = ControllerKind::cascade, .position_gain = 25, .velocity_gain = 15, .velocity_integral = 200});
  laws.push_back({.limit = 2.5,
                  .kind = ControllerKind::cascade,
                  .position_gain = 25,
                  .velocity_gain = 15,
                  .velocity_integral = 200,
                  .velocity_feedforward = 0.6,
                  .anti_windup = true,
                  .derivative_filter = 5e-3,
                  .dead_band = 2e-3,
                  .acceleration_feedforward = 0.4});
  for (const ControllerParams& c : laws) {
    Experiment e = servo(smooth(), m, c, position(Sine{A, 0.8, 0, 0}), 2);
    const auto run = simulate(e, {.probes = {0.31, 1, 1.7, 2}});
    const Written law{c, A, w};
    State y{};
    const double h = 2e-5;
    for (int i = 0; i <= 100000; ++i) {
      for (const double at : {0.31, 1.0, 1.7, 2.0}) {
        if (i != static_cast<int>(std::lround(at / h))) continue;
        EXPECT_NEAR(probe(run, "x", at), y[0], 1e-7) << at;
        EXPECT_NEAR(probe(run, "v", at), y[1], 2e-6) << at;
        EXPECT_NEAR(probe(run, "u", at), law.u(at, y), 1e-4) << at;
      }
      rk4(y, i * h, h, [&](double t, const State& s) { return law.rates(t, s); });
    }
    EXPECT_LT(run.summary.energy.error, 1e-6);
    e.method = Method::cvode;  // other steps through the same modes
    EXPECT_LT(difference(run, simulate(e), 1e-6).worst, 1e-5);
  }
}

/// A velocity as the reference of a cascade: the same as its integral as a position.
TEST(Controllers, CascadeFollowsAVelocity) {
  for (const double sample_time : {0.0, 2e-3}) {
    const ControllerParams c{.sample_time = sample_time,
                             .kind = ControllerKind::cascade,
                             .position_gain = 20,
                             .velocity_gain = 12,
                             .velocity_integral = 90,
                             .velocity_feedforward = 1,
                             .acceleration_feedforward = 0.5};
    const auto a = simulate(servo(smooth(), m, c, velocity(Sine{0.1, 0.5, two_pi / 4, 0}), 2)),
               b = simulate(servo(smooth(), m, c, position(Sine{0.1 / (two_pi * 0.5), 0.5, 0, 0}), 2));
    EXPECT_LT(difference(a, b, 1e-6).worst, 1e-6) << sample_time;
  }
}

/// Sampled laws with an encoder and a delay, whole samples or not: between samples the motion is a parabola.
TEST(Controllers, SampledLawsWithASensor) {
  std::vector<ControllerParams> laws;
  const SensorParams late{.step = 1e-5, .delay = 2.3e-3};
  laws.push_back(
      {.kp = 500, .ki = 300, .kd = 10, .sample_time = 1e-3, .limit = 4, .anti_windup = true, .sensor = late});
  laws.push_back({.kp = 500, .kd = 10, .sample_time = 1e-3, .derivative_filter = 3e-3, .sensor = {.delay = 2e-3}});
  laws.push_back({.kp = 500,
                  .kd = 10,
                  .sample_time = 1e-3,
                  .derivative_weight = 0.5,
                  .dead_band = 1e-3,
                  .acceleration_feedforward = 0.3,
                  .sensor = {.delay = 0.4e-3, .velocity = MeasuredVelocity::exact}});
  for (const MeasuredVelocity v : {MeasuredVelocity::automatic, MeasuredVelocity::exact, MeasuredVelocity::filter})
    laws.push_back({.sample_time = 1e-3,
                    .limit = 5,
                    .kind = ControllerKind::cascade,
                    .position_gain = 20,
                    .velocity_gain = 12,
                    .velocity_integral = 150,
                    .velocity_feedforward = 0.5,
                    .anti_windup = true,
                    .derivative_filter = v == MeasuredVelocity::filter ? 2e-3 : 0,
                    .dead_band = 1e-4,
                    .sensor = {.step = 2e-6, .delay = 1.5e-3, .velocity = v}});
  for (std::size_t n = 0; n < laws.size(); ++n) {
    const ControllerParams& c = laws[n];
    const double A = 0.02, w = two_pi, T = 1e-3;
    Experiment e = servo(dry(), m, c, position(Sine{A, 1, 0, 0}), 1);
    e.solver.output_step = T;
    const auto run = simulate(e);
    const auto &x = column(run.trace, "x"), &u = column(run.trace, "u");
    double rx = 0, rv = 0, held = 0, sum = 0, last = 0, slope = 0, worst = 0, worst_u = 0;
    std::deque<std::array<double, 3>> path;  // t, x, v at multiples of a tenth of the sample time
    for (int tick = 0; tick < 10000; ++tick) {
      path.push_back({tick * T / 10, rx, rv});
      if (path.size() > 100) path.pop_front();
      if (tick % 10 == 0) {
        const auto row = static_cast<std::size_t>(tick / 10);
        const double t = static_cast<double>(row) * T, ref = A * std::sin(w * t), rate = A * w * std::cos(w * t);
        double mx = 0, mv = 0;
        for (const auto& p : path) {
          if (std::abs(p[0] - (t - c.sensor.delay)) < T / 30) mx = p[1], mv = p[2];
        }
        if (c.sensor.step > 0) mx = c.sensor.step * std::round(mx / c.sensor.step);
        const bool cascade = c.kind == ControllerKind::cascade, filter = c.derivative_filter > 0;
        const double watched = cascade ? mx : c.derivative_weight * ref - mx;
        if (row == 0) last = watched;
        slope = c.sensor.velocity == MeasuredVelocity::exact ? (cascade ? mv : c.derivative_weight * rate - mv)
                : filter ? (c.derivative_filter * slope + watched - last) / (c.derivative_filter + T)
                         : (watched - last) / T;
        last = watched;
        const double error = dead(ref - mx, c.dead_band);
        double raw = -A * w * w * std::sin(w * t) * c.acceleration_feedforward;
        if (cascade) {
          const double ev = c.position_gain * error + c.velocity_feedforward * rate - slope;
          sum += ev * T;
          raw += c.velocity_gain * ev + c.velocity_integral * sum;
        } else {
          sum += error * T;
          raw += c.kp * error + c.ki * sum + c.kd * slope;
        }
        held = std::clamp(raw, -c.limit, c.limit);
        const double P = cascade ? c.velocity_gain : c.kp, I = cascade ? c.velocity_integral : c.ki;
        if (c.anti_windup) sum += T * I / P * (held - raw) / I;
        worst = std::max(worst, std::abs(x[row] - rx));
        worst_u = std::max(worst_u, std::abs(u[row] - held));
      }
      coast(rx, rv, held, T / 10);
    }
    EXPECT_LT(worst, 1e-9) << n;
    EXPECT_LT(worst_u, 1e-5) << n;
    EXPECT_LT(run.summary.energy.error, 1e-6);
  }
}

/// A body that is held: with anti_windup the integral part of u approaches the limit with the time constant kp/ki, so that u
/// leaves the limit at once when the error changes its sign. Without, it takes the time to unwind.
TEST(Controllers, AntiWindupByHand) {
  for (const double sample_time : {0.0, 1e-3}) {
    ControllerParams c{.kp = 100, .ki = 50, .sample_time = sample_time, .limit = 1};
    const Drive d{DriveOf::position, {{StepAt{0, 0.1}, 0}, {StepAt{10, -0.105}, 0}}};
    for (const bool anti : {false, true}) {
      c.anti_windup = anti;
      Experiment e = servo(contact("coulomb", {{"Fc", 2}}), m, c, d, 12);
      const auto run = simulate(e, {.probes = {5, 10.05, 11.99}});
      EXPECT_DOUBLE_EQ(probe(run, "u", 5), 1);
      // kp e = -0.5 N after the step, and ki int(e) = 1 N but for exp(-10 s ki/kp): u = 0.5 N, against 50 N without. In
      // samples the integral has taken the error of the present one already: ki e T = 5 mN.
      const double left = 0.5 - std::exp(-5), tolerance = sample_time > 0 ? 6e-3 : 1e-6;
      EXPECT_NEAR(probe(run, "u", 10.05), anti ? left - 50 * 0.005 * 0.05 : 1, tolerance) << sample_time << anti;
      if (anti) { EXPECT_NEAR(probe(run, "u", 11.99), left - 50 * 0.005 * 1.99, tolerance); }
    }
  }
}

/// Overshoot after a large step: the reason for it all.
TEST(Controllers, AntiWindupReducesTheOvershoot) {
  auto highest = [&](bool anti) {
    ControllerParams c{.kp = 60, .ki = 80, .kd = 12, .limit = 3, .anti_windup = anti, .derivative_filter = 1e-2};
    const auto run = simulate(servo(smooth(), m, c, position(StepAt{0, 1}), 20));
    return largest(column(run.trace, "x")) - 1;
  };
  EXPECT_LT(highest(true), 0.3 * highest(false));
}

/// The error of a heavy body is that of its sensor: noise with its standard deviation, no correlation, the same bits in every
/// run and on any number of threads, and others for another seed.
TEST(Controllers, NoiseIsWhiteAndReproducible) {
  auto experiment = [](int seed) {
    Experiment e =
        servo(contact("coulomb", {{"Fc", 1e6}}), 1,
              {.kp = 2, .sample_time = 1e-3, .sensor = {.noise = 3e-4, .seed = seed}}, position(Constant{0}), 20);
    e.solver.output_step = 1e-3;
    return e;
  };
  const auto run = simulate(experiment(1)), again = simulate(experiment(1)), other = simulate(experiment(2));
  const auto& u = column(run.trace, "u");
  double sum = 0, square = 0, product = 0;
  const std::size_t n = u.size() - 1;
  for (std::size_t i = 0; i + 1 < n; ++i) {
    sum += u[i];
    square += u[i] * u[i];
    product += u[i] * u[i + 1];
  }
  const double N = static_cast<double>(n), variance = square / N;
  EXPECT_NEAR(std::sqrt(variance), 6e-4, 3 * 6e-4 / std::sqrt(2 * N));
  EXPECT_LT(std::abs(sum / N), 4 * 6e-4 / std::sqrt(N));
  EXPECT_LT(std::abs(product / N), 4 * variance / std::sqrt(N));
  EXPECT_EQ(u, column(again.trace, "u"));
  EXPECT_NE(u, column(other.trace, "u"));
  std::vector<Experiment> many;
  for (int seed = 1; seed <= 4; ++seed) many.push_back(experiment(seed));
  const auto one = simulate_all(many, {.threads = 1}), two = simulate_all(many, {.threads = 3});
  for (std::size_t i = 0; i < many.size(); ++i) EXPECT_EQ(column(one[i].run.trace, "u"), column(two[i].run.trace, "u"));
  EXPECT_EQ(column(one[0].run.trace, "u"), u);
}

/// encoder_step is another name for the step of the sensor.
TEST(Controllers, EncoderStepIsTheStepOfTheSensor) {
  const ControllerParams a{.kp = 500, .kd = 10, .sample_time = 1e-3, .encoder_step = 1e-4},
      b{.kp = 500, .kd = 10, .sample_time = 1e-3, .sensor = {.step = 1e-4}};
  const auto p = simulate(servo(dry(), m, a, position(Sine{0.02, 1, 0, 0}), 1)),
             q = simulate(servo(dry(), m, b, position(Sine{0.02, 1, 0, 0}), 1));
  EXPECT_EQ(column(p.trace, "u"), column(q.trace, "u"));
}

/// The same experiment in other units: powers of four give the same bits.
TEST(Controllers, UnitsDoNotMatter) {
  std::vector<ControllerParams> laws;
  laws.push_back({.kp = 300, .ki = 400, .kd = 12, .limit = 2.5, .anti_windup = true, .derivative_filter = 4e-3});
  laws.push_back({.sample_time = 1e-3,
                  .kind = ControllerKind::cascade,
                  .position_gain = 20,
                  .velocity_gain = 12,
                  .velocity_integral = 150,
                  .dead_band = 1e-4,
                  .acceleration_feedforward = 0.3,
                  .sensor = {.step = 1e-6, .noise = 1e-6, .delay = 1.5e-3}});
  const units::System u{4, 16, 0.25};
  for (const ControllerParams& c : laws) {
    for (const Drive& d : {position(SCurve{0.1, 0.2, 1, 20}), position(MinimumJerk{{{0, 0.05, 0.02}, {0.1, 0.6, 1}}}),
                           velocity(Staircase{0.02, 0.3, 3})}) {
      units::Recipes recipes{{{"", "lugre", typical("lugre")}}, {}};
      Experiment e = servo(recipes.contacts[0].made(), m, c, d, 1);
      const auto a = simulate(e), b = simulate(units::converted(e, recipes, u));
      for (const auto& name : {"x", "v", "u"}) {
        const auto &p = column(a.trace, name), &q = column(b.trace, name);
        const double factor = u.of(a.trace.find(name)->unit);
        for (std::size_t i = 0; i < p.size(); ++i) ASSERT_EQ(factor * p[i], q[i]) << name << " " << i;
      }
    }
  }
}

TEST(Controllers, RefusedWithAReason) {
  auto objection = [&](const ControllerParams& c, const Drive& d = position(Constant{0})) {
    return objection_to(servo(dry(), m, c, d, 1));
  };
  auto has = [&](const ControllerParams& c, const std::string& word) {
    EXPECT_NE(objection(c).find(word), std::string::npos) << objection(c);
  };
  has({.kp = 1, .sensor = {.step = 1e-3}}, "sample_time");
  has({.kp = 1, .sensor = {.noise = 1e-3}}, "sample_time");
  has({.kp = 1, .sensor = {.delay = 1e-3}}, "sample_time");
  has({.kp = 1, .sensor = {.velocity = MeasuredVelocity::difference}}, "sample_time");
  has({.kp = 1, .sensor = {.velocity = MeasuredVelocity::filter}}, "derivative_filter");
  has({.kp = 1, .derivative_filter = 1, .sensor = {.velocity = MeasuredVelocity::exact}}, "velocity");
  has({.kp = 1, .position_gain = 1}, "cascade");
  has({.kp = 1, .kind = ControllerKind::cascade}, "pid");
  has({.kp = 1, .ki = 1, .anti_windup = true}, "limit");
  has({.kp = 1, .limit = 1, .anti_windup = true}, "ki");
  has({.kp = -1, .ki = 1, .limit = 1, .anti_windup = true}, "> 0");
  has({.kp = 1, .sample_time = 1e-9, .sensor = {.delay = 1}}, "samples");
  const Drive jump = position(StepAt{0.5, 0.1});
  EXPECT_NE(objection({.kp = 1, .kd = 1}, jump).find("Dirac"), std::string::npos);
  EXPECT_EQ(objection({.kp = 1, .kd = 1, .derivative_filter = 1e-3}, jump), "");
  EXPECT_EQ(objection({.kind = ControllerKind::cascade, .position_gain = 1, .velocity_gain = 1}, jump), "");
  const ControllerParams fed{
      .kind = ControllerKind::cascade, .position_gain = 1, .velocity_gain = 1, .velocity_feedforward = 1};
  EXPECT_NE(objection(fed, jump).find("velocity_feedforward"), std::string::npos);
  for (const Drive& d : {position(Prbs{0.1, 0.1, 1}), position(Staircase{0.1, 0.1, 5})})
    EXPECT_NE(objection({.kp = 1, .kd = 1}, d).find("Dirac"), std::string::npos);
}

/// Fixed steps take the same laws, of first order.
TEST(Controllers, FixedStepsAgree) {
  const ControllerParams c{.sample_time = 1e-3,
                           .kind = ControllerKind::cascade,
                           .position_gain = 20,
                           .velocity_gain = 12,
                           .velocity_integral = 150,
                           .sensor = {.step = 1e-7, .delay = 2e-3}};
  Experiment e = servo(smooth(), m, c, position(MinimumJerk{{{0, 0.05}, {0.1, 0.8}}}), 1);
  const auto exact = simulate(e);
  e.method = Method::fixed;
  e.solver.step = 1e-5;
  EXPECT_LT(difference(exact, simulate(e)).worst, 5e-3);
}
