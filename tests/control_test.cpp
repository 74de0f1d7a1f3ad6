/// Observers and adaptive laws of the header core, in sampled loops around a body with friction.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <complex>
#include <random>
#include <vector>

#include "bristle/control/adaptive_lugre.hpp"
#include "bristle/control/disturbance_observer.hpp"
#include "bristle/control/friedland_park.hpp"
#include "bristle/control/gms_observer.hpp"
#include "bristle/control/kalman.hpp"
#include "bristle/control/least_squares.hpp"
#include "bristle/couple.hpp"
#include "bristle/models.hpp"

namespace bristle::control {
namespace {

/// A machine axis in units of its own: friction level F, mass m, stroke A and time scale given, all else in proportion.
struct Axis {
  double force = 20, mass = 10, stroke = 0.02, period = 1;
  double omega() const { return two_pi / period; }
  double speed() const { return stroke * omega(); }
  LuGre<double>::Params friction() const {
    return {.Fc = force,
            .Fs = 1.25 * force,
            .vs = 0.02 * speed(),
            .sigma0 = force / (1e-4 * stroke),
            .sigma1 = 0.02 * force / speed(),
            .kv = 0.3 * force / speed()};
  }
};

/// A body in small implicit steps, under a PID servo in samples and a compensator that receives v and e of the samples.
template <class C> struct Bench {
  Axis axis{};
  C plant{};
  typename C::State s{plant.rest()};
  typename C::Mode q{};
  double x = 0, v = 0, t = 0, u = 0, integral = 0, compensation = 0, r = 1, ripple = 0;
  double dt = axis.period / 1000, rest_after = inf, step = 0;
  int substeps = 20;
  bool integrates = true;
  double bandwidth = 60 * axis.omega() / two_pi * 2;

  struct Target {
    double x, v, a;
  };
  Target target() const {
    if (t >= rest_after) return {at(rest_after).x, 0, 0};
    return at(t);
  }
  /// Two tones, so that speed and direction are not tied to each other; it starts smoothly.
  Target at(double time) const {
    const double A = axis.stroke, w = axis.omega(), a = w * time, b = 0.37 * w * time;
    return {A * (0.6 * (1 - std::cos(a)) + 0.6 * (1 - std::cos(b))),
            A * w * (0.6 * std::sin(a) + 0.6 * 0.37 * std::sin(b)),
            A * w * w * (0.6 * std::cos(a) + 0.6 * 0.37 * 0.37 * std::cos(b))};
  }
  double kp() const { return 3 * axis.mass * bandwidth * bandwidth; }
  double ki() const { return !integrates ? 0 : axis.mass * bandwidth * bandwidth * bandwidth; }
  double kd() const { return 3 * axis.mass * bandwidth; }
  /// One interval; returns it as a compensator sees it.
  Interval<double> move() {
    const Target d = target();
    const double measured = step > 0 ? step * std::round(x / step) : x, e = d.x - measured;
    integral += e * dt;
    u = kp() * e + ki() * integral + kd() * (d.v - v) + axis.mass * d.a + compensation;
    for (int i = 0; i < substeps; ++i) {
      const double h = dt / substeps, gain = 1 + ripple * std::sin(two_pi * x / (0.3 * axis.stroke));
      const auto out = couple(plant, s, q, Motion<double>{.x = x, .v = v, .F_app = u, .r = r * gain}, axis.mass, h);
      v = out.v;
      x += v * h;
    }
    t += dt;
    const Target now = target();
    return {.v = v, .e = x - now.x, .u = u, .v_ref = now.v, .dt = dt};
  }
};

std::vector<Axis> axes() {
  std::vector<Axis> out{{},
                        {.force = 0.05, .mass = 1e-3, .stroke = 3, .period = 0.2},
                        {.force = 1e4, .mass = 2e5, .stroke = 5, .period = 30}};
  std::mt19937 random(7);
  std::uniform_real_distribution<double> decades(-2, 2);
  for (int i = 0; i < 3; ++i) {  // inertia force of the size of friction
    Axis a{.force = std::pow(10, decades(random)),
           .mass = 1,
           .stroke = std::pow(10, decades(random)),
           .period = std::pow(10, decades(random) / 2)};
    a.mass = 2 * a.force / (a.speed() * a.omega());
    out.push_back(a);
  }
  return out;
}

TEST(LuGreObserver, ConditionsOfTheProof) {
  // Real part of G(jw) on a grid against the closed condition, with random gains.
  std::mt19937 random(3);
  std::uniform_real_distribution<double> decade(-1, 1);
  auto draw = [&](double size) { return size * std::pow(10, decade(random)); };
  int good = 0, bad = 0;
  for (int n = 0; n < 500; ++n) {
    const Loop<double> l{draw(1), draw(100), draw(100), draw(20)};
    const double s0 = draw(1000), s1 = draw(100);
    const Proof<double> p = proof(l, s0, s1);
    if (!p.stable_loop()) continue;
    double least = inf;
    for (double w = 1e-6; w < 1e6; w *= 1.05) {
      const std::complex<double> s(0, w), G = (s1 * s + s0) * s / (l.mass * s * s * s + l.kd * s * s + l.kp * s + l.ki);
      least = std::min(least, G.real() / std::abs(G));
    }
    if (std::abs(least) < 1e-9) continue;
    EXPECT_EQ(p.positive_real(), least > -1e-9);
    (p.positive_real() ? good : bad) += 1;
  }
  EXPECT_GT(good, 20);
  EXPECT_GT(bad, 20);
}

TEST(LuGreObserver, LargestGainIsTheLimitOfStability) {
  // Roots of m s^3 + kd s^2 + (kp + sigma1 k) s + ki + sigma0 k by Routh on both sides of most_gain.
  const Loop<double> l{10, 4e5, 8e6, 3000};
  const Proof<double> p = proof(l, 4e6, 100.0);
  ASSERT_FALSE(p.positive_real());
  for (const double part : {0.99, 1.01}) {
    const double k = part * p.most_gain();
    EXPECT_EQ(l.kd * (l.kp + 100 * k) > l.mass * (l.ki + 4e6 * k), part < 1);
  }
  EXPECT_EQ(proof(l, 4e6, 2e4).most_gain(), inf);
}

TEST(LuGreObserver, FindsTheDeflection) {
  for (const Axis& axis : axes()) {
    const LuGre<double> model{axis.friction()};
    const double reach = model.p.Fs / model.p.sigma0;
    LuGreObserver<double> o{model};
    LuGreObserver<float> f{rebind<float>(model)};
    auto s = model.rest();
    LuGre<double>::Mode q{};
    o.z = reach;  // wrong by the largest possible deflection
    f.z = static_cast<float>(reach);
    double worst = 0, worst_float = 0;
    for (int k = 0; k < 3000; ++k) {
      const double dt = axis.period / 1000, v = axis.speed() * std::sin(axis.omega() * k * dt);
      model.step(s, q, {.v = v}, dt);
      o.step({.v = v, .dt = dt});
      f.step({.v = static_cast<float>(v), .dt = static_cast<float>(dt)});
      if (k < 1000) continue;
      worst = std::max(worst, std::abs(o.z - s.z));
      worst_float = std::max(worst_float, std::abs(static_cast<double>(f.z) - s.z));
    }
    EXPECT_LT(worst, 1e-9 * reach);
    EXPECT_LT(worst_float, 2e-3 * reach) << "rounding of float in 1000 steps";  // near rest travels add up
  }
}

TEST(GmsObserver, FindsTheElementsAndIsTheModelWithoutGain) {
  Gms<double> model{};
  GmsObserver<double> o{model, 0};
  auto s = model.rest();
  Elements q{};
  for (std::size_t i = 0; i < 4; ++i) o.s.f[i] = model.p.nu[i] * model.p.Fs;
  double F = 0, G = 0;
  for (int k = 0; k < 4000; ++k) {
    const double v = 0.005 * std::sin(two_pi * k / 1000.0);
    F = advance(model, s, q, {.v = v}, 1e-3);
    G = o.step({.v = v, .dt = 1e-3});
    if (k > 2000) { ASSERT_NEAR(F, G, 1e-9) << k; }
  }
}

TEST(GmsObserver, PositionErrorPullsStickingElementsWithinTheirBounds) {
  GmsObserver<double> o{Gms<double>{}, 5};
  for (int k = 0; k < 1000; ++k) o.step({.v = 0, .e = -1e-5, .dt = 1e-3});
  // At rest, one second with e = -10 um and 5/s: f_i = k_i 50 um, or nu_i Fs.
  for (std::size_t i = 0; i < 4; ++i)
    EXPECT_NEAR(o.s.f[i], std::min(o.model.p.k[i] * 5e-5, o.model.p.nu[i] * o.model.p.Fs), 1e-12);
}

TEST(Observers, ConvergeInTheLoopWithinTheProof) {
  // A servo and a bristle damping for which G is positive real: with exact parameters, e and the error of z vanish although
  // the observer starts with z at its bound and the position error is all that tells.
  Axis axis;
  auto p = axis.friction();
  p.Fs = p.Fc;
  p.sigma0 = 4e4;
  Bench<LuGre<double>> b{.axis = axis, .plant = {p}};
  p.sigma1 = 1.2 * p.sigma0 * axis.mass / b.kd();
  b.plant.p = p;
  LuGreObserver<double> o{b.plant, 2.0, p.Fs / p.sigma0};
  ASSERT_TRUE(o.conditions({axis.mass, b.kp(), b.ki(), b.kd()}).positive_real());
  for (int k = 0; k < 8000; ++k) b.compensation = o.step(b.move());
  EXPECT_LT(std::abs(o.z - b.s.z), 0.01 * p.Fs / p.sigma0);
}

TEST(DisturbanceObserver, FollowsAConstantForceAtTheRateOfItsFilter) {
  DisturbanceObserver<double> o{.inertia = 2, .filter = 0.05};
  double v = 0, d = 0;
  for (int k = 0; k <= 100; ++k) {  // 5 N of drive, 3 N of disturbance on 2 kg, 100 ms
    d = o.step({.v = v, .u = 5, .dt = 1e-3});
    v += (5 - 3) / 2.0 * 1e-3;
  }
  EXPECT_NEAR(d, 3 * (1 - std::exp(-2)), 1e-9);
  EXPECT_LT(std::abs(DisturbanceObserver<double>::pole(2, 2, 0.05, 1e-3)), 1);
  EXPECT_LT(DisturbanceObserver<double>::pole(5, 2, 0, 1e-3), -1) << "inertia 2.5 times too large without a filter";
}

TEST(DisturbanceObserver, PoleIsThatOfTheLoop) {
  // u = d fed back on a body without other forces: an impulse in v decays or grows with the pole.
  for (const double ratio : {0.5, 1.0, 1.9, 2.1}) {
    DisturbanceObserver<double> o{.inertia = ratio, .filter = 0};
    double v = 1, u = 0, before = 0;
    for (int k = 0; k < 40; ++k) {
      before = u;
      u = o.step({.v = v, .u = u, .dt = 1e-3}) + (k == 0 ? 1 : 0);
      v += u * 1e-3;
    }
    const double pole = DisturbanceObserver<double>::pole(ratio, 1, 0, 1e-3);
    EXPECT_NEAR(u, pole * before, 1e-9 * std::abs(before) + 1e-12) << ratio;
  }
}

template <class T> FriedlandPark<T> friedland_park(const Axis& a) {
  const auto p = a.friction();
  const double dt = a.period / 1000;
  return {.inertia = T(a.mass),
          .gain = T(a.mass / (50 * dt)),
          .kv = T(p.kv),
          .least = T(0.1 * a.speed()),
          .smooth = T(0.01 * a.speed()),
          .highest = T(5 * a.force),
          .level = T(0.5 * a.force)};
}

TEST(FriedlandPark, FindsTheCoulombForceInAnyUnits) {
  for (const Axis& axis : axes()) {
    auto p = axis.friction();
    p.Fs = p.Fc;
    Bench<LuGre<double>> b{.axis = axis, .plant = {p}};
    auto o = friedland_park<double>(axis);
    auto f = friedland_park<float>(axis);
    for (int k = 0; k < 2250; ++k) {  // not at rest at the end
      const Interval<double> in = b.move();
      b.compensation = o.step(in);
      f.step({static_cast<float>(in.v), static_cast<float>(in.e), static_cast<float>(in.u),
              static_cast<float>(in.v_ref), static_cast<float>(in.dt)});
    }
    EXPECT_NEAR(o.level, p.Fc, 0.01 * p.Fc);
    EXPECT_NEAR(static_cast<double>(f.level), p.Fc, 0.01 * p.Fc);
  }
}

template <class T> FrictionLeastSquares<T> least_squares(const Axis& a) {
  const double dt = a.period / 1000;
  const auto p = a.friction();
  FrictionLeastSquares<T> o{.inertia = T(a.mass),
                            .filter = T(5 * dt),
                            .forgetting = T(0.05 * a.period),
                            .speed = T(a.speed()),
                            .smooth = T(0.01 * a.speed()),
                            .excitation = {T(0.1 * a.speed()), T(20 * dt)}};
  o.value = {T(p.Fc), T(p.kv), T(0), T(0)};
  o.weight = {T(1), T(0.3), T(0.1), T(0.1)};
  o.lowest = {T(0), T(0), T(-p.Fc), T(-p.kv)};
  o.highest = {T(5 * p.Fc), T(5 * p.kv), T(p.Fc), T(p.kv)};
  return o;
}
template <class T> AdaptiveLuGre<T> adaptive_lugre(const Axis& a, int factors) {
  const double dt = a.period / 1000;
  AdaptiveLuGre<T> o{.observer = {rebind<T>(LuGre<double>{a.friction()})},
                     .factors = factors,
                     .inertia = T(a.mass),
                     .filter = T(5 * dt),
                     .adaptation_time = T(0.1 * a.period)};
  o.excitation = {T(0.1 * a.speed()), T(20 * dt)};
  return o;
}
template <class T> auto kalman(const Axis& a) {
  const auto p = a.friction();
  KalmanObserver<LuGre<T>, 4> o;
  o.model = rebind<T>(LuGre<double>{p});
  o.inertia = T(a.mass);
  o.velocity_noise = T(1e-4 * a.speed());
  o.force_noise = T(0.02 * a.force);
  o.excitation = {T(0.1 * a.speed()), T(20 * a.period / 1000)};
  for (const char* name : {"Fc", "Fs", "kv"}) {
    const std::size_t place = o.place_of(name);
    const double value = static_cast<double>(o.parameter(place));
    o.estimate(place, T(0.2 * value), T(0.2 * value), T(5 * value), T(0.2 * value / std::sqrt(a.period)));
  }
  return o;
}
template <class T> Interval<T> cast(const Interval<double>& in) {
  return {T(in.v), T(in.e), T(in.u), T(in.v_ref), T(in.dt)};
}

/// Fc and kv move by 30 % in 20 s, up and down; after 2 s of motion no estimate is off by more than 5 %.
template <class T> void follows_drift(double sign) {
  const Axis axis;
  Bench<LuGre<double>> b{.axis = axis, .plant = {axis.friction()}};
  auto rls = least_squares<T>(axis);
  auto two = adaptive_lugre<T>(axis, 2);
  auto one = adaptive_lugre<T>(axis, 1);
  auto ekf = kalman<T>(axis);
  const auto p = axis.friction();
  double worst[7]{};
  for (int k = 0; k < 20000; ++k) {
    const double grown = 1 + sign * 0.3 * b.t / 20;
    b.plant.p.Fc = p.Fc * grown;
    b.plant.p.Fs = p.Fs * grown;
    b.plant.p.sigma0 = p.sigma0 * grown;
    b.plant.p.kv = p.kv * grown;
    const Interval<T> in = cast<T>(b.move());
    b.compensation = static_cast<double>(rls.step(in));
    two.step(in);
    one.step(in);
    ekf.step(in);
    if (b.t < 2) continue;
    auto look = [&](int i, T value, double truth) {
      worst[i] = std::max(worst[i], std::abs(static_cast<double>(value) / truth - 1));
    };
    look(0, rls.value[rls.Fc], b.plant.p.Fc);
    look(1, rls.value[rls.kv], b.plant.p.kv);
    look(2, two.level, grown);
    look(3, two.viscous, grown);
    look(4, one.level, grown);
    look(5, ekf.model.p.Fc, b.plant.p.Fc);
    look(6, ekf.model.p.kv, b.plant.p.kv);
  }
  for (int i = 0; i < 7; ++i) EXPECT_LT(worst[i], 0.05) << i;
}
TEST(Adaptation, FollowsDriftUpwards) { follows_drift<double>(1); }
TEST(Adaptation, FollowsDriftDownwards) { follows_drift<double>(-1); }
TEST(Adaptation, FollowsDriftInFloat) { follows_drift<float>(1); }

/// By the tracking error of a servo without integral part: levels that begin 40 % too low and 30 % too high are found to 5 %, in any
/// units, and the tracking error falls below a third of that without compensation.
TEST(Adaptation, FindsTheLevelFromTheTrackingError) {
  int tried = 0;
  for (const Axis& axis : axes()) {
    // The servo also makes up for the inertia force that its sampled output misses, m da/dt T/2: no sign of friction.
    const double missed = axis.mass * axis.stroke * std::pow(axis.omega(), 3) * axis.period / 2000;
    if (missed > 0.05 * axis.force) continue;
    ++tried;
    for (const double begin : {0.6, 1.3}) {
      double errors[2]{};
      for (const bool on : {false, true}) {
        Bench<LuGre<double>> b{.axis = axis, .plant = {axis.friction()}};
        b.integrates = false;
        auto o = adaptive_lugre<double>(axis, 1);
        o.kp = b.kp();
        o.kd = b.kd();
        o.level = o.viscous = begin;
        for (int k = 0; k < 6000; ++k) {
          const Interval<double> in = b.move();
          const double F = o.step(in);
          b.compensation = on ? F : 0;
          if (b.t > 4 * axis.period) errors[on ? 1 : 0] += in.e * in.e;
        }
        if (on) { EXPECT_NEAR(o.level, 1, 0.05) << begin; }
      }
      EXPECT_LT(std::sqrt(errors[1]), std::sqrt(errors[0]) / 3) << begin;
    }
  }
  EXPECT_GE(tried, 4);
}

TEST(Adaptation, StaysAtRest) {
  const Axis axis;
  Bench<LuGre<double>> b{.axis = axis, .plant = {axis.friction()}, .rest_after = 5, .step = 1e-7};
  b.substeps = 2;
  auto rls = least_squares<float>(axis);
  auto two = adaptive_lugre<float>(axis, 2);
  auto ekf = kalman<float>(axis);
  auto park = friedland_park<float>(axis);
  auto values = [&] {
    return std::array{rls.value[rls.Fc], rls.value[rls.kv], two.level,      two.viscous,
                      ekf.model.p.Fc,    ekf.model.p.Fs,    ekf.model.p.kv, park.level};
  };
  decltype(values()) before{};
  for (int k = 0; k < 605000; ++k) {  // 5 s of motion, 10 minutes at rest under the noise of the encoder
    const Interval<float> in = cast<float>(b.move());
    b.compensation = static_cast<double>(two.step(in));
    rls.step(in);
    ekf.step(in);
    park.step(in);
    if (k == 5500) before = values();
    if (k > 20000) b.substeps = 1;
  }
  const auto after = values();
  for (std::size_t i = 0; i < after.size(); ++i) EXPECT_NEAR(after[i], before[i], 0.1F * std::abs(before[i])) << i;
}

TEST(Adaptation, UnmodelledRippleLeavesLessErrorThanNoCompensation) {
  for (const Axis& axis : axes()) {
    auto error_with = [&](auto&& compensate) {
      Bench<LuGre<double>> b{.axis = axis, .plant = {axis.friction()}};
      b.ripple = 0.1;
      b.substeps = 6;
      double squares = 0;
      for (int k = 0; k < 6000; ++k) {
        const Interval<double> in = b.move();
        b.compensation = compensate(in);
        if (b.t > 2 * axis.period) squares += in.e * in.e;
      }
      return std::sqrt(squares);
    };
    const double none = error_with([](const Interval<double>&) { return 0.0; });
    EXPECT_LT(error_with([o = least_squares<double>(axis)](const auto& in) mutable { return o.step(in); }), none);
    EXPECT_LT(error_with([o = adaptive_lugre<double>(axis, 1)](const auto& in) mutable { return o.step(in); }), none);
    EXPECT_LT(error_with([o = adaptive_lugre<double>(axis, 2)](const auto& in) mutable { return o.step(in); }), none);
    EXPECT_LT(error_with([o = kalman<double>(axis)](const auto& in) mutable { return o.step(in); }), none);
    EXPECT_LT(error_with([o = friedland_park<double>(axis)](const auto& in) mutable { return o.step(in); }), none);
  }
}

TEST(LeastSquares, RecoversFourParametersFromData) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> part(-1, 1);
  for (int n = 0; n < 10; ++n) {
    const Axis axis{.force = std::pow(10, 2 * part(random)),
                    .mass = std::pow(10, part(random)),
                    .stroke = std::pow(10, part(random))};
    const auto p = axis.friction();
    auto o = least_squares<double>(axis);
    o.estimated = {true, true, true, true};
    const std::array truth{p.Fc * (1 + 0.3 * part(random)), p.kv * (1 + 0.3 * part(random)), 0.3 * p.Fc * part(random),
                           0.3 * p.kv * part(random)};
    double v = 0;
    const double dt = 1e-3;
    for (int k = 0; k < 30000; ++k) {
      const double next =
                       axis.speed() * (std::sin(axis.omega() * k * dt) + 0.6 * std::sin(2.3 * axis.omega() * k * dt)),
                   mean = (v + next) / 2;
      const double F = truth[0] * (sgn(v) + sgn(next)) / 2 + truth[1] * mean + truth[2] +
                       truth[3] * (std::abs(v) + std::abs(next)) / 2;
      const double u = F + axis.mass * (next - v) / dt;
      v = next;
      o.observe({.v = v, .u = u, .dt = dt});
    }
    for (std::size_t i = 0; i < 4; ++i)
      EXPECT_NEAR(o.value[i], truth[i], 1e-3 * (i % 2 == 0 ? p.Fc : p.kv)) << n << ' ' << i;
  }
}

TEST(LeastSquares, ProjectsToTheAdmissibleSet) {
  const Axis axis;
  auto o = least_squares<double>(axis);
  for (int k = 0; k < 3000; ++k) o.observe({.v = axis.speed(), .u = -100 * axis.force, .dt = 1e-3});
  EXPECT_GE(o.value[o.Fc], 0);
  EXPECT_GE(o.value[o.kv], 0);
}

TEST(Kalman, IsConsistent) {
  // Synthetic data with the noise that the filter assumes: the squared innovations over their variance have mean 1, and the
  // errors of the estimates lie within three standard deviations.
  const Axis axis;
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  auto o = kalman<double>(axis);
  o.state_noise = 0;
  LuGre<double> truth{axis.friction()};
  truth.p.Fc *= 1.2;
  truth.p.kv *= 0.85;
  auto s = truth.rest();
  LuGre<double>::Mode q{};
  double v = 0, nis = 0;
  const double dt = 1e-3;
  int n = 0;
  for (auto& e : o.parameters) e.drift = 0;
  for (int k = 0; k < 10000; ++k) {
    const double w = axis.speed() * (std::sin(axis.omega() * k * dt) + 0.5 * std::sin(2.7 * axis.omega() * k * dt));
    truth.step(s, q, {.v = w}, dt / 2);
    const double F = truth.force(s, q, {.v = w});
    // The filter moves its model with the measured velocity: noise there would be noise of the model too.
    const double u = F + axis.mass * (w - v) / dt + o.force_noise * normal(random);
    truth.step(s, q, {.v = w}, dt / 2);
    v = w;
    o.step({.v = w + o.velocity_noise * normal(random), .u = u, .dt = dt});
    if (k < 1000) continue;
    nis += o.innovation * o.innovation / o.variance;
    ++n;
  }
  EXPECT_NEAR(nis / n, 1, 0.25);
  EXPECT_LT(std::abs(o.model.p.Fc - truth.p.Fc), 0.02 * truth.p.Fc);
  EXPECT_LT(std::abs(o.model.p.kv - truth.p.kv), 0.03 * truth.p.kv);
  for (std::size_t i = 0; i <= o.states + o.count; ++i) EXPECT_GE(o.P[i][i], 0);
}

TEST(Kalman, EveryFlowModel) {
  int models = 0;
  Models::each([&]<template <class> class M>() {
    if constexpr (Flow<M<double>>) {
      KalmanObserver<M<double>, 8> o{};
      if (!o.begin()) return;  // more than eight states
      ++models;
      const M<double> model{};
      const auto scales = model.scales();
      const double speed = 5 * (scales.velocity > 0       ? scales.velocity
                                : scales.displacement > 0 ? 100 * scales.displacement
                                                          : 1);
      o.velocity_noise = 1e-3 * speed;
      auto s = model.rest();
      typename M<double>::Mode q{};
      double v = 0, F = 0, G = 0, most = 0;
      for (int k = 0; k < 2250; ++k) {
        const double w = speed * std::sin(two_pi * k * 1e-3), u = F + (w - v) / 1e-3;
        F = advance(model, s, q, {.v = w, .F_app = u}, 1e-3);
        v = w;
        G = o.step({.v = w, .u = u, .dt = 1e-3});
        most = std::max(most, std::abs(F));
      }
      EXPECT_NEAR(F, G, 0.03 * most) << M<double>::card.name;
    }
  });
  EXPECT_GT(models, 12);
}

TEST(Bumpless, SwitchesWithoutAJump) {
  Bumpless<double> b{.blend = 0.1};
  EXPECT_EQ(b(5, false, 1e-3), 0);
  EXPECT_NEAR(b(5, true, 1e-3), 5 * (1 - std::exp(-0.01)), 1e-12);
  for (int k = 0; k < 1000; ++k) b(5, true, 1e-3);
  EXPECT_NEAR(b(5, true, 1e-3), 5, 1e-3);
  EXPECT_NEAR(b(5, false, 1e-3), 5 * std::exp(-0.01), 1e-3);
}

// Everything is constexpr: an observer of a resting body holds its force.
static_assert([] {
  LuGreObserver<float> o{LuGre<float>{}, 1, 1e-6F};
  return o.step({.v = 0, .e = 0, .dt = 1e-3F});
}() == 1e5F * 1e-6F);

}  // namespace
}  // namespace bristle::control
