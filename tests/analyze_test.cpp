/// Stability, limit cycles and describing functions against closed forms, on random parameters in random units.
#include "bristle/sweep/analyze.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "bristle/registry/any.hpp"
#include "bristle/registry/describe.hpp"

using namespace bristle;
using namespace bristle::analysis;

namespace {

constexpr double pi = std::numbers::pi;

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  double ratio(double lo, double hi) { return lo * std::pow(hi / lo, std::uniform_real_distribution<>(0, 1)(engine_)); }
  double between(double lo, double hi) { return std::uniform_real_distribution<>(lo, hi)(engine_); }

 private:
  std::mt19937_64 engine_;
};

/// Units of force, length and time.
struct Units {
  double F, L, T;
  explicit Units(Random& r) : F(r.ratio(1e-3, 1e3)), L(r.ratio(1e-3, 1e3)), T(r.ratio(1e-2, 1e2)) {}
  double mass(double m) const { return m * F * T * T / L; }
  double stiffness(double k) const { return k * F / L; }
  double velocity(double v) const { return v * L / T; }
  double damping(double c) const { return c * F * T / L; }
};

Experiment slider(const std::string& model, const Table& parameters, double m, double K, double c, double V,
                  double duration) {
  Experiment e;
  Made made = make(model, parameters);
  EXPECT_TRUE(made.problems.empty()) << model;
  e.contacts.push_back({"", std::move(made.contact)});
  e.body.mass = m;
  e.body.stiffness = K;
  e.body.damping = c;
  e.drive = {.of = DriveOf::position, .terms = {Term{Ramp{V, 0}}}};
  e.solver.duration = duration;
  return e;
}

TEST(Stability, RateAndStateHasTheCriticalStiffnessOfRiceAndRuina) {
  Random r(1);
  for (int n = 0; n < 20; ++n) {
    const Units u(r);
    const double a = r.ratio(0.003, 0.03), b = a * r.between(1.1, 3), Dc = r.ratio(0.1, 10) * u.L,
                 N = r.ratio(0.1, 10) * u.F, V = u.velocity(r.ratio(0.1, 10)),
                 m = n % 4 == 0 ? 0 : u.mass(r.ratio(1e-3, 1e-1));
    const double K = (b - a) * N / Dc * (1 + m * V * V / (N * a * Dc)), w = V / Dc * std::sqrt((b - a) / a);
    const Table p{{"mu0", 0.6},
                  {"a", a},
                  {"b", b},
                  {"Dc", Dc},
                  {"V0", u.velocity(1)},
                  {"normal_load", N},
                  {"law", std::string(n % 2 == 0 ? "ageing" : "slip")}};
    const auto critical = stability_at(slider("rate_state", p, m, K, 0, V, u.T), V).critical;
    EXPECT_NEAR(critical.stiffness, K, 1e-6 * K);
    EXPECT_NEAR(critical.omega, w, 1e-6 * w);
    EXPECT_GT(stability_at(slider("rate_state", p, m, 0.99 * K, 0, V, u.T), V).growth_rate, 0);
    EXPECT_LT(stability_at(slider("rate_state", p, m, 1.01 * K, 0, V, u.T), V).growth_rate, 0);
    const StabilityPoint at = stability_at(slider("rate_state", p, m, K, 0, V, u.T), V);
    EXPECT_NEAR(at.growth_rate, 0, 1e-6 * w);
    EXPECT_NEAR(at.omega, w, 1e-6 * w);
  }
}

TEST(Stability, WithoutStatesTheSlopeOfTheCurveDecides) {
  Random r(2);
  for (int n = 0; n < 20; ++n) {
    const Units u(r);
    const double Fc = u.F, Fs = r.between(1.1, 2) * Fc, vs = u.velocity(r.ratio(0.1, 10)), V = vs * r.ratio(0.05, 3),
                 m = u.mass(r.ratio(0.1, 10)), K = u.stiffness(r.ratio(0.1, 10));
    const double slope = -2 * (Fs - Fc) * V / (vs * vs) * std::exp(-V * V / (vs * vs));
    const Table p{{"Fc", Fc}, {"Fs", Fs}, {"vs", vs}, {"alpha", 2.0}};
    for (const double part : {0.5, 1.5}) {
      const double c = -part * slope;
      const StabilityPoint at = stability_at(slider("stribeck", p, m, K, c, V, u.T), V);
      const Complex root = std::sqrt(Complex((c + slope) * (c + slope) - 4 * m * K));
      const Complex expected = (-(c + slope) + root) / (2 * m);
      EXPECT_NEAR(at.slope, slope, 1e-9 * std::abs(slope));
      EXPECT_NEAR(at.growth_rate, expected.real(), 1e-9 * std::abs(expected));
      EXPECT_NEAR(at.omega, std::abs(expected.imag()), 1e-9 * std::abs(expected));
      EXPECT_TRUE(std::isnan(at.critical.stiffness));
    }
  }
}

/// Every model that slides steadily: the eigenvalues solve the characteristic equation with the impedance of the contact.
TEST(Stability, EigenvaluesSolveTheCharacteristicEquationOfEveryModel) {
  int analysed = 0;
  for (const ModelInfo& info : model_infos()) {
    if (info.level == "contact" || info.has.random) continue;
    Table p;
    for (const FieldInfo& f : info.parameters) {
      if (f.required) p.push_back({f.name, f.value});
    }
    const Experiment e = slider(info.name, p, 0.7, 30, 0.1, 0.002, 1);
    const LinearRead read = linearize(e, 0.002);
    if (!read.linear) {
      ADD_FAILURE() << info.name << ": " << read.reason;
      continue;
    }
    ++analysed;
    const Linear& l = *read.linear;
    for (const Complex s : l.eigenvalues()) {
      const Complex Z = l.impedance(s);
      const double size = std::abs(l.mass * s * s) + std::abs(s * (l.damping + Z)) + l.stiffness;
      EXPECT_LT(std::abs(l.mass * s * s + s * (l.damping + Z) + l.stiffness), 1e-6 * size) << info.name << " " << s;
    }
  }
  EXPECT_GT(analysed, 20);
}

/// Coulomb friction with Fs > Fc: in slip, y = stretch - Fc/K turns around 0 on a circle of radius R.
TEST(LimitCycle, StickSlipOnCoulombFrictionHasItsPeriodAndAmplitude) {
  Random r(3);
  for (int n = 0; n < 12; ++n) {
    const Units u(r);
    const double Fc = u.F, d = r.ratio(0.05, 1) * Fc, m = u.mass(r.ratio(0.1, 10)), K = u.stiffness(r.ratio(0.1, 10)),
                 w = std::sqrt(K / m), V = r.ratio(0.01, 2) * d * w / K * (n % 3 == 0 ? -1 : 1);
    const double slip = (pi + 2 * std::atan(std::abs(V) * K / (w * d))) / w, stick = 2 * d / (K * std::abs(V)),
                 R = std::hypot(d / K, V / w);
    const CycleRead read = limit_cycle(slider("coulomb", {{"Fc", Fc}, {"Fs", Fc + d}}, m, K, 0, V, slip));
    ASSERT_TRUE(read.cycle) << read.reason;
    const Cycle& c = *read.cycle;
    EXPECT_NEAR(c.period, slip + stick, 1e-7 * (slip + stick));
    EXPECT_NEAR(c.amplitude, R, 1e-6 * R);
    EXPECT_NEAR(V > 0 ? c.v_most : -c.v_least, std::abs(V) + w * R, 1e-4 * (std::abs(V) + w * R));
    EXPECT_LT(c.multiplier(), 1e-3);  // stick forgets the slip before
  }
}

TEST(LimitCycle, StrongDampingLeavesSteadySliding) {
  const CycleRead read = limit_cycle(slider("coulomb", {{"Fc", 1.0}, {"Fs", 1.5}}, 1, 2, 3, 0.5, 10));
  EXPECT_FALSE(read.cycle);
  EXPECT_FALSE(read.reason.empty());
}

TEST(LimitCycle, AgreesWithASimulationOfLuGre) {
  const Table p{{"Fc", 1.0}, {"Fs", 1.5}, {"vs", 0.001}, {"sigma0", 1e5}, {"sigma1", 316.0}, {"kv", 0.4}};
  Experiment e = slider("lugre", p, 1, 2, 0, 0.1, 100);
  const CycleRead read = limit_cycle(e);
  ASSERT_TRUE(read.cycle) << read.reason;
  const auto run = simulate(e, {.rows = false});
  std::vector<double> times;
  for (const Event& event : run.events) {
    if (event.kind == Event::slip_forward) times.push_back(event.t);
  }
  ASSERT_GT(times.size(), 4);
  EXPECT_NEAR(read.cycle->period, times.back() - times[times.size() - 2], 1e-4 * read.cycle->period);
  EXPECT_LT(read.cycle->multiplier(), 0.1);
}

/// After breakaway w = v - V obeys m w'' + c w' + K w = 0 from w = -V, w' = (Fs - Fc)/m; the body sticks again if w returns
/// to -V. The cycle ends where the first trough just reaches it.
double trough(double m, double K, double c, double d, double V) {
  const double z = c / (2 * m), wd = std::sqrt(K / m - z * z), B = (d / m - z * V) / wd;
  double least = 0;
  for (int i = 1; i < 200000; ++i) {
    const double t = i * 2 * pi / wd / 200000;
    if (t < 0.5 * pi / wd) continue;
    least = std::min(least, std::exp(-z * t) * (-V * std::cos(wd * t) + B * std::sin(wd * t)));
  }
  return least + V;
}

/// Elements without damping ring while the body sticks: it passes the velocity of the drive several times in a cycle.
TEST(LimitCycle, FindsTheCycleOfBodiesThatRingInStick) {
  Random r(5);
  for (int n = 0; n < 2; ++n) {
    const Units u(r);
    const double V = u.velocity(0.05);
    const Experiment e = slider("gms",
                                {{"Fc", u.F},
                                 {"Fs", 1.5 * u.F},
                                 {"vs", u.velocity(0.1)},
                                 {"k", std::vector<double>{u.stiffness(60), u.stiffness(40)}},
                                 {"nu", std::vector<double>{0.4, 0.6}},
                                 {"C", 20 * u.F / u.T},
                                 {"kv", u.damping(0.1)}},
                                u.mass(1), u.stiffness(2), 0, V, 100 * u.T);
    const CycleRead read = limit_cycle(e);
    ASSERT_TRUE(read.cycle) << read.reason;
    Experiment longer = copy_of(e);
    longer.solver.duration = 200 * u.T;
    longer.solver.output_step = 0.01 * u.T;
    const auto run = simulate(longer);
    const auto &t = run.trace.find("t")->values, &x = run.trace.find("x")->values;
    auto stretch = [&](std::size_t i) { return V * t[i] - x[i]; };
    double lo = inf, hi = -inf;
    for (std::size_t i = t.size() / 2; i < t.size(); ++i) lo = std::min(lo, stretch(i)), hi = std::max(hi, stretch(i));
    std::vector<double> rises;
    for (std::size_t i = t.size() / 2; i < t.size(); ++i) {
      if (stretch(i - 1) < 0.5 * (lo + hi) && stretch(i) >= 0.5 * (lo + hi)) rises.push_back(t[i]);
    }
    ASSERT_GT(rises.size(), 3U);
    const double period = (rises.back() - rises.front()) / static_cast<double>(rises.size() - 1);
    EXPECT_NEAR(read.cycle->period, period, 3e-3 * period);
    EXPECT_NEAR(read.cycle->amplitude, 0.5 * (hi - lo), 3e-3 * (hi - lo));
  }
}

/// Close to the onset of small cycles, where all deviations grow or decay slowly.
Experiment near_onset(const std::string& model, double V) {
  Table p{{"Fc", 3.0}, {"Fs", 4.5}, {"vs", 0.05}};
  if (model == "gms") {
    p.emplace_back("k", std::vector<double>{2e4, 1e4, 5e3});
    p.emplace_back("nu", std::vector<double>{0.5, 0.3, 0.2});
    p.emplace_back("C", 200.0);
  } else {
    p.emplace_back("sigma0", 3e4);
    p.emplace_back("sigma1", 20.0);
  }
  return slider(model, p, 0.7, 90, 4, V, 20);
}

TEST(LimitCycle, DecayingOscillationsAreNoCycles) {
  for (const double V : {0.0035, 0.0036, 0.0037, 0.0038}) {  // onset at 0.00387 m/s
    const Experiment e = near_onset("lugre", V);
    const LinearRead linear = linearize(e, V);
    ASSERT_TRUE(linear.linear);
    ASSERT_LT(linear.linear->eigenvalues().front().real(), 0);
    const CycleRead read = limit_cycle(e);
    EXPECT_FALSE(read.cycle) << V << ": amplitude " << read.cycle->amplitude;
  }
}

/// The branch begins at the onset with a vanishing cycle: neither a fold nor a hysteresis.
TEST(LimitCycle, BeginsAtItsOnset) {
  const Varied key{.key = "drive.velocity", .from = 0.0038, .to = 0.004, .points = 3};
  const Branch b =
      continue_cycle(key, [](double V, std::string&) -> std::optional<Experiment> { return near_onset("lugre", V); });
  ASSERT_EQ(b.onsets.size(), 1U);
  ASSERT_EQ(b.ends.size(), 1U);
  EXPECT_NEAR(b.ends[0].at, b.onsets[0], 1e-3 * b.onsets[0]);
  EXPECT_TRUE(b.ends[0].vanishes);
  EXPECT_FALSE(b.ends[0].fold);
  EXPECT_TRUE(b.hysteresis.empty());
}

TEST(LimitCycle, GrowsWithTheRootOfTheDistanceFromItsOnset) {
  double part[2]{};
  for (const int k : {0, 1}) {
    const double V = k == 0 ? 0.00357 : 0.0036;  // growth rates of 0.02 and 0.04 1/s
    const Experiment e = near_onset("gms", V);
    const CycleRead read = limit_cycle(e);
    ASSERT_TRUE(read.cycle) << V << ": " << read.reason;
    part[k] = std::pow(read.cycle->amplitude, 2) / linearize(e, V).linear->eigenvalues().front().real();
  }
  EXPECT_NEAR(part[0], part[1], 0.05 * part[1]);
}

TEST(LimitCycle, ADampedSliderLosesItsCycleWhereTheTroughReachesStick) {
  Random r(4);
  for (int n = 0; n < 3; ++n) {
    const Units u(r);
    const double Fc = u.F, d = r.between(0.3, 1) * Fc, m = u.mass(r.ratio(0.3, 3)), K = u.stiffness(r.ratio(0.3, 3)),
                 c = r.between(0.1, 0.4) * std::sqrt(K * m);
    double lo = 0.01 * d / std::sqrt(K * m), hi = 100 * lo;
    while (trough(m, K, c, d, hi) < 0) hi *= 2;
    const double from = lo, to = 2 * hi;
    for (int k = 0; k < 50; ++k) {
      const double V = std::sqrt(lo * hi);
      (trough(m, K, c, d, V) < 0 ? lo : hi) = V;
    }
    const Varied key{.key = "drive.velocity", .from = from, .to = to, .points = 6, .log = true};
    const Branch b = continue_cycle(key, [&](double V, std::string&) {
      return std::optional(slider("coulomb", {{"Fc", Fc}, {"Fs", Fc + d}}, m, K, c, V, u.T));
    });
    ASSERT_EQ(b.ends.size(), 1U);
    EXPECT_NEAR(b.ends[0].at, lo, 1e-5 * lo);
    EXPECT_FALSE(b.ends[0].fold);
    EXPECT_TRUE(b.onsets.empty());  // the damper makes steady sliding stable at any velocity
    ASSERT_EQ(b.hysteresis.size(), 1U);
    EXPECT_NEAR(b.hysteresis[0].first, from, 1e-9 * from);
    EXPECT_NEAR(b.hysteresis[0].second, lo, 1e-5 * lo);
  }
}

/// A curve with a smooth minimum: the cycle of a law without stick ends at a fold, its multiplier reaches 1.
TEST(LimitCycle, ASmoothLawEndsAtAFold) {
  const Table p{{"Fc", 1.0}, {"Fs", 1.5}, {"vs", 0.1}, {"k_tanh", 500.0}};
  const Varied key{.key = "drive.velocity", .from = 0.1, .to = 0.5, .points = 9};
  const Branch b = continue_cycle(
      key, [&](double V, std::string&) { return std::optional(slider("stribeck_tanh", p, 1, 10, 0.5, V, 10)); });
  ASSERT_EQ(b.ends.size(), 1U);
  ASSERT_EQ(b.onsets.size(), 1U);
  EXPECT_GT(b.ends[0].at, b.onsets[0]);
  EXPECT_TRUE(b.ends[0].fold) << b.ends[0].multiplier;
  // The unstable branch joins the stable one at the fold.
  int unstable = 0;
  for (const BranchPoint& one : b.points) {
    if (!one.unstable.cycle) continue;
    ++unstable;
    EXPECT_GT(one.unstable.cycle->multiplier(), 1);
    EXPECT_LT(one.unstable.cycle->amplitude, one.cycle.cycle->amplitude);
  }
  EXPECT_GT(unstable, 1);
}

/// Between stable sliding and the stable cycle an unstable cycle bounds the regions of attraction: a plain simulation from just
/// inside decays to steady sliding, from just outside the body comes to rest; its multiplier is above 1, and towards the onset it
/// shrinks as the square root of the distance.
TEST(LimitCycle, TheUnstableCycleBoundsTheRegionsOfAttraction) {
  Random r(9);
  for (int n = 0; n < 2; ++n) {
    const Units u(r);
    const double Fc = u.F, Fs = 1.5 * Fc, vs = u.velocity(0.1), m = u.mass(1), K = u.stiffness(10), c = u.damping(0.5);
    const Table p{{"Fc", Fc}, {"Fs", Fs}, {"vs", vs}};
    auto at = [&](double V) { return slider("stribeck", p, m, K, c, V, 40 * u.T); };
    // Onset: the slope of Fc + (Fs - Fc) exp(-(v/vs)^2) equals -c.
    double lo = vs, hi = 4 * vs;
    for (int k = 0; k < 60; ++k) {
      const double V = 0.5 * (lo + hi), slope = -(Fs - Fc) * 2 * V / (vs * vs) * std::exp(-V * V / vs / vs);
      (slope + c < 0 ? lo : hi) = V;
    }
    std::vector<double> amplitudes;
    for (const double part : {1.002, 1.008, 1.5}) {
      const Experiment e = at(part * lo);
      const CycleRead stable = limit_cycle(e);
      ASSERT_TRUE(stable.cycle) << stable.reason;
      const CycleRead read = unstable_cycle(e, *stable.cycle);
      ASSERT_TRUE(read.cycle) << read.reason;
      EXPECT_GT(read.cycle->multiplier(), 1);
      EXPECT_LT(read.cycle->amplitude, stable.cycle->amplitude);
      EXPECT_GT(read.cycle->v_least, 0);
      amplitudes.push_back(read.cycle->amplitude);
      const double V = part * lo, middle = (Fc + (Fs - Fc) * std::exp(-V * V / vs / vs)) / K;
      for (const double away : {0.98, 1.02}) {
        Experiment run = at(V);
        run.drive = {.of = DriveOf::position,
                     .terms = {Term{Ramp{V, middle + away * (read.cycle->section[0] - middle)}}}};
        run.body.v0 = V;
        run.solver.duration = (part < 1.1 ? 3000 : 100) * u.T;
        run.solver.output_step = run.solver.duration / 10;
        const auto out = simulate(run);
        const bool rests = std::ranges::any_of(out.events, [](const Event& x) { return x.kind == Event::stick; });
        EXPECT_EQ(rests, away > 1) << part;
      }
    }
    EXPECT_NEAR(amplitudes[1] / amplitudes[0], 2, 0.1);
  }
}

/// With Coulomb friction and a damper every motion in slip decays: the regions meet at the motion that touches rest.
TEST(LimitCycle, DampedSlipHasNoUnstableCycle) {
  const Experiment e = slider("coulomb", {{"Fc", 1.0}, {"Fs", 1.5}}, 1, 1, 0.1, 0.3, 40);
  const CycleRead stable = limit_cycle(e);
  ASSERT_TRUE(stable.cycle) << stable.reason;
  const CycleRead read = unstable_cycle(e, *stable.cycle);
  EXPECT_FALSE(read.cycle);
  EXPECT_NE(read.reason.find("just touches rest"), std::string::npos) << read.reason;
}

TEST(Describing, HasTheClosedFormsOfCoulombViscousAndMaxwell) {
  Random r(5);
  for (int n = 0; n < 8; ++n) {
    const Units u(r);
    const double A = r.ratio(0.1, 10) * u.L, w = r.ratio(0.1, 10) / u.T, Fc = u.F, kv = u.damping(r.ratio(0.1, 10));
    auto N = [&](const char* model, const Table& p) {
      return describing_function(slider(model, p, u.mass(1), u.stiffness(1), 0, u.velocity(1), u.T), A, w).N;
    };
    const Complex coulomb = N("coulomb", {{"Fc", Fc}, {"kv", kv}}), expected(0, 4 * Fc / (pi * A) + kv * w);
    EXPECT_LT(std::abs(coulomb - expected), 1e-5 * std::abs(expected));
    EXPECT_LT(std::abs(N("viscous", {{"kv", kv}}) - Complex(0, kv * w)), 1e-5 * kv * w);
    // One elastic element that yields: N = k for small amplitudes; beyond, its loop has the area 4 Fc (A - Fc/k).
    const double k = Fc / A * r.ratio(0.5, 20), loss = k * A > Fc ? 4 * Fc * (A - Fc / k) / (pi * A * A) : 0;
    const double g = std::acos(1 - 2 * Fc / (k * A)), in_phase = k * A > Fc ? k / pi * (g - 0.5 * std::sin(2 * g)) : k;
    const Complex maxwell = N("maxwell_slip", {{"k", std::vector<double>{k}}, {"W", std::vector<double>{Fc}}});
    EXPECT_NEAR(maxwell.imag(), loss, 1e-4 * k);
    EXPECT_NEAR(maxwell.real(), in_phase, 1e-4 * k);
  }
}

/// PID with Coulomb friction: m w^2 = kp and 4 Fc/(pi A) = ki/w - kd w, a cycle that is unstable.
TEST(Describing, HarmonicBalanceOfPidWithCoulombFriction) {
  Random r(6);
  for (int n = 0; n < 3; ++n) {
    const Units u(r);
    const double m = u.mass(1), kp = u.stiffness(r.ratio(0.5, 2)), w = std::sqrt(kp / m), kd = 0.1 * std::sqrt(kp * m),
                 ki = kd * kp / m * r.between(1.5, 4), A = 4 * u.F / (pi * (ki / w - kd * w));
    Experiment e = slider("coulomb", {{"Fc", u.F}}, m, 0, 0, 0, 10 * u.T);
    e.controller = ControllerParams{.kp = kp, .ki = ki, .kd = kd};
    e.drive = {.of = DriveOf::position, .terms = {Term{Constant{0}}}};
    const DescribingRead d = describing(e, {.threads = 1});
    ASSERT_EQ(d.cycles.size(), 1U) << d.reason;
    EXPECT_NEAR(d.cycles[0].amplitude, A, 1e-4 * A);
    EXPECT_NEAR(d.cycles[0].omega, w, 1e-4 * w);
    EXPECT_FALSE(d.cycles[0].stable);
    e.controller->ki = 0.5 * kd * kp / m;
    EXPECT_TRUE(describing(e, {.threads = 1}).cycles.empty());
  }
}

TEST(Analyze, RefusesWithAReason) {
  Experiment e = slider("coulomb", {{"Fc", 1.0}}, 1, 1, 0, 0.1, 1);
  EXPECT_EQ(objection(e, What::stability), "");
  e.kind = SystemKind::prescribed;
  EXPECT_NE(objection(e, What::stability).find("prescribed"), std::string::npos);
  e = slider("coulomb", {{"Fc", 1.0}}, 1, 0, 0, 0.1, 1);
  EXPECT_NE(objection(e, What::limit_cycle).find("stiffness > 0"), std::string::npos);
  e = slider("coulomb", {{"Fc", 1.0}}, 1, 1, 0, 0, 1);
  EXPECT_NE(objection(e, What::stability).find("moves"), std::string::npos);
}

}  // namespace
