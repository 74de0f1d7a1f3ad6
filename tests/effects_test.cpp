/// Effects around a model, one at a time by hand and all together.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "bristle/dual.hpp"
#include "bristle/effects.hpp"
#include "bristle/models.hpp"
#include "support/drive.hpp"
#include "support/random.hpp"

using namespace bristle;

using Dry = WithEffects<Coulomb, double>;
/// An effect keeps the level of its model.
static_assert(Hybrid<Dry> && SetValued<Dry> && Hybrid<With<Dry, Effects<>>> && SetValued<With<Dry, Effects<>>>);
static_assert(Flow<WithEffects<LuGre, double>> && !Hybrid<WithEffects<LuGre, double>> &&
              !SetValued<WithEffects<LuGre, double>>);
static_assert(Hybrid<WithEffects<Gms, double>> && !SetValued<WithEffects<Gms, double>>);
static_assert(Flow<WithEffects<Viscous, float>> && Hybrid<WithEffects<Stribeck, Dual<double>>>);
struct Barest {  // level 1 and nothing more
  using Scalar = double;
  using State = NoState;
  using Mode = NoMode;
  State rest() const { return {}; }
  double force(State, Mode, const Motion<double>&) const { return 1; }
  void step(State&, Mode&, const Motion<double>&, double) const {}
};
static_assert(Contact<With<Barest, Effects<>>> && !Flow<With<Barest, Effects<>>> && !Hybrid<With<Barest, Effects<>>>);
static_assert(std::is_same_v<rebound<With<Dry, Effects<>>, float>, With<WithEffects<Coulomb, float>, Effects<float>>>);

namespace {
/// The effect on Coulomb friction with Fc = 2 N, Fs = 3 N.
Dry with(const Effects<>& e, double kv = 0) { return {{{.Fc = 2, .Fs = 3, .kv = kv}}, e}; }
/// Sliding force in direction v.
double slip(const Dry& c, const Motion<double>& u) { return c.force({}, {side(u.v)}, u); }
/// The load at which a stuck contact starts to slip, upwards or downwards, by bisection of its guard.
double breakaway(const Dry& c, double dir, Motion<double> u = {}) {
  double held = 0, lost = 100;
  for (int i = 0; i < 100; ++i) {
    const double mid = 0.5 * (held + lost);
    u.F_app = dir * mid;
    c.guards({}, {0}, u, [&](int, double g) { (g > 0 ? lost : held) = mid; });
  }
  return dir * held;
}
}  // namespace

TEST(Effects, NeutralByDefault) {
  Mover plain(LuGre<>{});
  Mover wrapped(WithEffects<LuGre, double>{});
  Draw draw(1);
  for (int i = 0; i < 200; ++i) {
    const double v = draw.sign() * draw.log_uniform(1e-5, 1e-1), dt = draw.log_uniform(1e-4, 1e-1);
    EXPECT_EQ(plain.move(v, dt), wrapped.move(v, dt));
  }
}

TEST(Effects, AsymmetryFollowsTheSignOfTheForce) {
  const Dry c = with({.asymmetry = 0.25});
  EXPECT_EQ(slip(c, {.v = 1}), 2.5);
  EXPECT_EQ(slip(c, {.v = -1}), -1.5);
  // Not of the velocity: just after a reversal the bristle still pushes forwards, and the force does not jump.
  const WithEffects<LuGre, double> bristle{{{.sigma1 = 0}}, {.asymmetry = 0.25}};
  EXPECT_DOUBLE_EQ(bristle.force({1e-5}, {}, {.v = -1e-9}), 1.25);
}

TEST(Effects, OffsetIsAConstantForce) {
  const Dry c = with({.offset = 0.5});
  EXPECT_EQ(slip(c, {.v = 1}), 2.5);
  EXPECT_EQ(slip(c, {.v = -1}), -1.5);
}

/// Period 8 mm: sin is 1 a quarter of it on, -1 there with a phase of pi, and 1/2 at the start with a phase of pi/6.
TEST(Effects, RippleFollowsTheDisplacement) {
  const Dry c = with({.ripple = 0.25, .ripple_period = 8e-3}),
            turned = with({.ripple = 0.25, .ripple_period = 8e-3, .ripple_phase = two_pi / 2});
  EXPECT_DOUBLE_EQ(slip(c, {.x = 0, .v = 1}), 2);
  EXPECT_DOUBLE_EQ(slip(c, {.x = 2e-3, .v = 1}), 2.5);
  EXPECT_DOUBLE_EQ(slip(c, {.x = 6e-3, .v = 1}), 1.5);
  EXPECT_DOUBLE_EQ(slip(c, {.x = 10e-3, .v = -1}), -2.5);
  EXPECT_DOUBLE_EQ(slip(turned, {.x = 2e-3, .v = 1}), 1.5);
  EXPECT_DOUBLE_EQ(slip(with({.ripple = 0.25, .ripple_period = 8e-3, .ripple_phase = two_pi / 12}), {.v = 1}), 2.25);
}

/// Cogging does not change sign with the motion, and a load that is held at rest is held with it too.
TEST(Effects, CoggingFollowsTheDisplacementAlone) {
  const Dry c = with({.cogging = 0.5, .cogging_period = 8e-3});
  EXPECT_DOUBLE_EQ(slip(c, {.x = 2e-3, .v = 1}), 2.5);
  EXPECT_DOUBLE_EQ(slip(c, {.x = 2e-3, .v = -1}), -1.5);
  EXPECT_DOUBLE_EQ(slip(c, {.x = 6e-3, .v = -1}), -2.5);
  EXPECT_DOUBLE_EQ(breakaway(c, 1, {.x = 2e-3}), 3.5);
  EXPECT_DOUBLE_EQ(breakaway(c, -1, {.x = 2e-3}), -2.5);
}

/// r = 4 with exponent 1/2 doubles the dry force and leaves the viscous one; exponent 0 ignores the load.
TEST(Effects, LoadExponentActsOnTheDryForceAlone) {
  EXPECT_DOUBLE_EQ(slip(with({.load_exponent = 0.5}, 0.25), {.v = 2, .r = 4}), 4.5);
  EXPECT_DOUBLE_EQ(slip(with({.load_exponent = 0}, 0.25), {.v = 2, .r = 4}), 2.5);
  EXPECT_DOUBLE_EQ(slip(with({}, 0.25), {.v = 2, .r = 4}), 8.5);
  EXPECT_EQ(slip(with({.load_exponent = 0.5}), {.v = 2, .r = 0}), 0);
}

/// Fc = 2 N: F = 2 (0.5 + r), with the exponent 2 (0.5 + r)^2; a negative sum is no load.
TEST(Effects, LoadOffsetAddsToTheLoad) {
  EXPECT_DOUBLE_EQ(slip(with({.load_offset = 0.5}, 0.25), {.v = 2, .r = 2}), 5.5);
  EXPECT_DOUBLE_EQ(slip(with({.load_exponent = 2, .load_offset = 0.5}), {.v = 2, .r = 1}), 4.5);
  EXPECT_DOUBLE_EQ(slip(with({.load_offset = 0.5}), {.v = -1, .r = 0}), -1);
  EXPECT_EQ(slip(with({.load_offset = -0.5}), {.v = 1, .r = 0.25}), 0);
}

/// Phases count from the reference position.
TEST(Effects, PhasesCountFromTheReferencePosition) {
  const Effects<> e{
      .ripple = 0.25, .ripple_period = 8e-3, .cogging = 0.5, .cogging_period = 4e-3, .reference_position = 5};
  EXPECT_NEAR(slip(with(e), {.x = 5.002, .v = 1}), 2.5, 1e-12);
  EXPECT_NEAR(slip(with(e), {.x = 5.001, .v = -1}), -2 * (1 + 0.25 * std::sqrt(0.5)) + 0.5, 1e-12);
}

/// Values at the knots; a parabola is reproduced between them; constant beyond the ends, or periodic.
TEST(Effects, CurvesPassThroughTheirKnots) {
  const Dry c = with({.curve_x = {1, 2, 4, 5}, .curve_F = {1, 4, 16, 25}});
  for (const double x : {1.0, 1.3, 2.0, 2.9, 4.0, 4.7, 5.0}) {
    EXPECT_NEAR(slip(c, {.x = x, .v = 1}), 2 + x * x, 1e-12) << x;
    EXPECT_NEAR(slip(c, {.x = x, .v = -1}), -2 + x * x, 1e-12) << x;
  }
  EXPECT_DOUBLE_EQ(slip(c, {.x = 0, .v = 1}), 3);
  EXPECT_DOUBLE_EQ(slip(c, {.x = 9, .v = 1}), 27);
  const Dry ring = with({.curve_x = {0, 1, 3}, .curve_gain = {0, 0.5, -0.5}, .curve_period = 4});
  for (const double turn : {0.0, 4.0, -8.0}) {
    EXPECT_NEAR(slip(ring, {.x = turn, .v = 1}), 2, 1e-12);
    EXPECT_NEAR(slip(ring, {.x = turn + 1, .v = -1}), -3, 1e-12);
    EXPECT_NEAR(slip(ring, {.x = turn + 3, .v = 1}), 1, 1e-12);
    // The slope is continuous where the period ends: at the knot 0 it is (0 - (-0.5) + 0.5 - 0)/2.
    EXPECT_NEAR((slip(ring, {.x = turn + 1e-5, .v = 1}) - slip(ring, {.x = turn - 1e-5, .v = 1})) / 2e-5, 1, 1e-4);
  }
  EXPECT_DOUBLE_EQ(breakaway(c, 1, {.x = 2}), 7);
}

/// (1 + x^2) times dry friction, and viscous friction as it was; curve_gain changes both.
TEST(Effects, CurvesOfTheLoadLeaveViscousFrictionAlone) {
  const Effects<> square{.curve_x = {0, 1, 2, 3}, .curve_load = {0, 1, 4, 9}};
  const WithEffects<Coulomb, double> c{{{.Fc = 2, .kv = 5}}, square};
  const WithEffects<Coulomb, double> all{{{.Fc = 2, .kv = 5}},
                                         {.curve_x = square.curve_x, .curve_gain = square.curve_load}};
  for (const double x : {0.0, 0.4, 1.0, 2.7}) {
    for (const double v : {0.5, -3.0}) {
      EXPECT_NEAR(slip(c, {.x = x, .v = v}), std::copysign(2 * (1 + x * x), v) + 5 * v, 1e-12) << x;
      EXPECT_NEAR(slip(all, {.x = x, .v = v}), (1 + x * x) * (std::copysign(2.0, v) + 5 * v), 1e-12) << x;
    }
    EXPECT_NEAR(breakaway(c, 1, {.x = x}), 2 * (1 + x * x), 1e-12);
  }
}

/// A coefficient of ln 2 per 10 K doubles the force every 10 K above the reference.
TEST(Effects, TemperatureActsExponentially) {
  const Dry c = with({.temperature_coefficient = std::log(2) / 10, .reference_temperature = 30});
  EXPECT_DOUBLE_EQ(slip(c, {.v = 1, .temperature = 30}), 2);
  EXPECT_DOUBLE_EQ(slip(c, {.v = 1, .temperature = 50}), 8);
  EXPECT_DOUBLE_EQ(slip(c, {.v = -1}), -1);  // 20 degrees by default
}

/// All at once: 2 N, r^2 = 4, gain 1.25 * 1.5 * 2 forwards and 0.75 * 1.5 * 2 backwards, and 0.1 N.
TEST(Effects, Compose) {
  const Dry c = with({.asymmetry = 0.25,
                      .offset = 0.1,
                      .ripple = 0.5,
                      .ripple_period = 4,
                      .load_exponent = 2,
                      .temperature_coefficient = std::log(2) / 10});
  EXPECT_DOUBLE_EQ(slip(c, {.x = 1, .v = 1, .r = 2, .temperature = 30}), 30.1);
  EXPECT_DOUBLE_EQ(slip(c, {.x = 1, .v = -1, .r = 2, .temperature = 30}), -17.9);
}

/// A stuck law returns the applied force through any effects: to two roundings of the largest term.
TEST(Effects, StuckLawCarriesTheAppliedForce) {
  const Dry c = with({.asymmetry = 0.3,
                      .offset = 0.7,
                      .ripple = 0.5,
                      .ripple_period = 0.01,
                      .load_exponent = 1.5,
                      .noise = 0.2,
                      .temperature_coefficient = 0.02});
  Draw draw(2);
  for (int i = 0; i < 1000; ++i) {
    const double F = draw.uniform(-2, 2);
    const Motion<double> u{
        .x = draw.uniform(-1, 1), .F_app = F, .r = draw.uniform(0, 2), .t = draw.uniform(0, 10), .temperature = 35};
    EXPECT_NEAR(c.force({}, {0}, u), F, 1e-15);
  }
}

/// A held body does not move at all, for any effects.
TEST(Effects, HeldBodyStaysExactlyAtRest) {
  Body body(with({.asymmetry = 0.3, .offset = 0.2, .ripple = 0.5, .ripple_period = 0.01, .noise = 0.05}));
  for (int i = 0; i < 500; ++i) {
    body.push(std::sin(0.1 * i), 1e-3);
    ASSERT_EQ(body.v, 0) << i;
    ASSERT_DOUBLE_EQ(body.F, std::sin(0.1 * i)) << i;
  }
}

/// (1 + asymmetry) Fs + offset upwards, -(1 - asymmetry) Fs + offset downwards; r^exponent, ripple and heat scale Fs.
TEST(Effects, BreakawayShifts) {
  EXPECT_DOUBLE_EQ(breakaway(with({}), 1), 3);
  const Dry shifted = with({.asymmetry = 0.25, .offset = 0.5});
  EXPECT_DOUBLE_EQ(breakaway(shifted, 1), 4.25);
  EXPECT_DOUBLE_EQ(breakaway(shifted, -1), -1.75);
  EXPECT_DOUBLE_EQ(breakaway(with({.load_exponent = 0.5}), 1, {.r = 4}), 6);
  EXPECT_DOUBLE_EQ(breakaway(with({.ripple = 0.5, .ripple_period = 4}), -1, {.x = -1}), -1.5);
  EXPECT_DOUBLE_EQ(breakaway(with({.temperature_coefficient = std::log(2) / 10}), 1, {.temperature = 30}), 6);
}

/// In stick the contact holds while |F_app - P| <= Fs.
TEST(Effects, NoiseShiftsBreakaway) {
  const Dry c = with({.noise = 0.1});
  for (const double t : {0.1, 0.2, 0.3}) {
    const double P = c.p.random_force({.t = t});
    EXPECT_NE(P, 0);
    EXPECT_DOUBLE_EQ(breakaway(c, 1, {.t = t}), 3 + P);
    EXPECT_DOUBLE_EQ(breakaway(c, -1, {.t = t}), -3 + P);
  }
}

/// Released by prescribed motion, by a step at rest and by a jump: all three see the load the model itself carries.
TEST(Effects, ModeLogicSeesTheInnerLoad) {
  const Dry c = with({.asymmetry = 0.25, .offset = 0.5});
  auto after = [&](double F_app, auto&& act) {
    NoState s;
    StickSlip q;
    act(s, q, Motion<double>{.F_app = F_app});
    return q.dir;
  };
  auto step = [&](NoState& s, StickSlip& q, const Motion<double>& u) { c.step(s, q, u, 0.1); };
  auto jump = [&](NoState& s, StickSlip& q, const Motion<double>& u) { c.jump(s, q, u, 0); };
  for (const double F : {4.26, 4.24, -1.74, -1.76}) {
    const int want = F > 4.25 ? 1 : F < -1.75 ? -1 : 0;
    EXPECT_EQ(after(F, step), want) << F;
    EXPECT_EQ(after(F, jump), want) << F;
  }
}

/// Two wrappers: 1.5 N offset twice, gains multiply: (2 * 1.25 + 1.5) * 0.5 (ripple -0.5) + 1.5.
TEST(Effects, NestInEachOther) {
  const With<Dry, Effects<>> c{with({.asymmetry = 0.25, .offset = 1.5}),
                               {.offset = 1.5, .ripple = 0.5, .ripple_period = 4}};
  EXPECT_DOUBLE_EQ(c.force({}, {1}, {.x = 3, .v = 1}), 3.5);
  EXPECT_DOUBLE_EQ(c.force({}, {0}, {.x = 3, .F_app = 3.25}), 3.25);
  NoState s;
  StickSlip q;
  c.step(s, q, {.x = 3, .F_app = 4.1}, 0.1);  // breakaway at (3 * 1.25 + 1.5) * 0.5 + 1.5 = 4.125
  EXPECT_TRUE(c.holds(q));
  c.step(s, q, {.x = 3, .F_app = 4.15}, 0.1);
  EXPECT_FALSE(c.holds(q));
  EXPECT_EQ(rebind<float>(c).inner.p.offset, 1.5f);
}

namespace {
/// Statistics of a signal over 6000 cycles of its stated frequency, five samples each.
struct Signal {
  double mean = 0, rms = 0, kurtosis = 0, within_one = 0, rms_frequency = 0;
  explicit Signal(const std::function<double(double)>& at) {
    std::vector<double> all;
    double fourth = 0, slopes = 0;
    for (int i = 0; i < 30000; ++i) {
      const double x = 0.2 * i, h = 1e-4, P = at(x), slope = (at(x + h) - at(x - h)) / (2 * h);
      all.push_back(P);
      mean += P / 30000;
      rms += P * P / 30000;
      fourth += P * P * P * P / 30000;
      slopes += slope * slope / 30000;
    }
    kurtosis = fourth / (rms * rms);
    rms_frequency = std::sqrt(slopes / rms) / two_pi;
    rms = std::sqrt(rms);
    for (const double P : all) within_one += std::abs(P) < rms ? 1.0 / 30000 : 0;
  }
};
/// A mean over n correlated samples is off by about 1/sqrt(6000) = 1.3 %: three of those, relative to A = 0.3. The
/// kurtosis of a Gaussian is 3 (a single cosine has 1.5), 68.3 % of it lie within a standard deviation (cosine: 50 %).
void expect_gaussian(const Signal& s) {
  EXPECT_NEAR(s.mean, 0, 0.04 * 0.3);
  EXPECT_NEAR(s.rms, 0.3, 0.04 * 0.3);
  EXPECT_NEAR(s.rms_frequency, 1, 0.04);
  EXPECT_NEAR(s.kurtosis, 3, 0.15);
  EXPECT_NEAR(s.within_one, 0.683, 0.02);
}
}  // namespace

TEST(Noise, InTimeIsGaussianWithTheStatedSizeAndFrequency) {
  const Effects<> e{.noise = 0.3, .noise_frequency = 50};
  expect_gaussian(Signal([&](double cycles) { return e.random_force({.t = cycles / 50}); }));
}

TEST(Noise, AlongThePathIsGaussianWithTheStatedSizeAndLength) {
  const Effects<> e{.noise = 0.3, .noise_length = 2e-3, .seed = 5};
  expect_gaussian(Signal([&](double cycles) { return e.random_force({.path = 2e-3 * cycles}); }));
}

/// The frequencies are Rayleigh distributed: no line stands out, the median is sqrt(ln 2) of the rms.
TEST(Noise, FrequencyContentIsRayleigh) {
  double squares = 0;
  for (std::size_t k = 0; k < 64; ++k) squares += std::pow(Effects<>::relative_frequency(k), 2) / 64;
  EXPECT_NEAR(squares, 1, 1e-14);
  const double median = 0.5 * (Effects<>::relative_frequency(31) + Effects<>::relative_frequency(32));
  EXPECT_NEAR(median, 0.83255, 0.01);  // 64 quantiles, scaled to the exact rms
  EXPECT_LT(Effects<>::relative_frequency(63), 2.5);
}

TEST(Noise, ReproducibleFromItsSeed) {
  const Effects<> one{.noise = 1, .seed = 1}, same{.noise = 1, .seed = 1}, other{.noise = 1, .seed = 2};
  double product = 0;
  for (int i = 0; i < 2000; ++i) {
    const Motion<double> u{.t = 0.013 * i};
    EXPECT_EQ(one.random_force(u), same.random_force(u));
    product += one.random_force(u) * other.random_force(u) / 2000;
  }
  // Both have the same 64 lines, so what is left of the correlation is the mean of 64 cosines of random phases, 0.09.
  EXPECT_LT(std::abs(product), 4 * 0.09);
}

/// The signal belongs to the time, not to the steps taken to get there.
TEST(Noise, IndependentOfTheStep) {
  const Dry c = with({.noise = 0.3, .noise_frequency = 50});
  Mover coarse(c), fine(c);
  for (int i = 0; i < 20; ++i) {
    const double F = coarse.move(1, 0.125);
    for (int k = 0; k < 8; ++k) fine.move(1, 0.015625);
    EXPECT_EQ(fine.F, F);
    EXPECT_NE(F, 2);
  }
}

TEST(Noise, WithALengthItIsAFunctionOfThePathAlone) {
  const Effects<> e{.noise = 0.3, .noise_frequency = 50, .noise_length = 2e-3};
  const double P = e.random_force({.path = 0.0137});
  EXPECT_EQ(e.random_force({.x = 5, .v = 3, .path = 0.0137, .t = 99}), P);
  EXPECT_NE(e.random_force({.path = 0.0138}), P);
  EXPECT_NE((Effects<>{.noise = 0.3, .noise_frequency = 50}.random_force({.t = 1})),
            (Effects<>{.noise = 0.3, .noise_frequency = 50}.random_force({.t = 99})));
}

/// Derivatives with respect to every parameter of the effects and of the model inside, to x, r and path, against
/// central differences in long double (truncation and rounding near 1e-10).
TEST(Effects, DerivativesFlowThrough) {
  using D = Dual<double>;
  using L = long double;
  const WithEffects<LuGre, double> plain{{{.kv = 3, .kv_exponent = 1.2}},
                                         {.asymmetry = 0.2,
                                          .offset = 0.1,
                                          .ripple = 0.3,
                                          .ripple_period = 0.05,
                                          .ripple_phase = 0.4,
                                          .cogging = 0.3,
                                          .cogging_period = 0.07,
                                          .cogging_phase = -0.8,
                                          .load_exponent = 1.3,
                                          .noise = 0.2,
                                          .noise_length = 3e-3,
                                          .temperature_coefficient = 0.02,
                                          .reference_temperature = 25,
                                          .load_drive = 0.4,
                                          .load_backdrive = 0.7,
                                          .transmission_exponent = 1.6,
                                          .load_offset = 0.3,
                                          .reference_position = 0.01,
                                          .curve_x = {0.012, 0.02, 0.03, 0.045},
                                          .curve_F = {0.1, 0.3, -0.2, 0.5},
                                          .curve_gain = {0.1, 0.4, 0.2, -0.3},
                                          .curve_load = {0.2, -0.1, 0.3, 0.1},
                                          .curve_period = 0.05}};
  auto force = []<class T>(const WithEffects<LuGre, T>& c, T x, T r, T path) {
    auto s = c.rest();
    NoMode q;
    T sum(0);
    for (const double v : {1e-3, -2e-3, 5e-4}) {
      const Motion<T> u{.x = x, .v = T(v), .r = r, .path = path, .t = 0.3, .temperature = 40, .load = T(1.5)};
      c.step(s, q, u, T(0.01));
      sum = sum + c.force(s, q, u) * T(1e3 * v);
    }
    return sum;
  };
  auto each = [](auto& c, auto& x, auto& r, auto& path, auto&& f) {
    each_scalar(c.p, [&](const auto& field, int, auto& e) { f(field.name, e); });
    each_scalar(c.inner.p, [&](const auto& field, int, auto& e) { f(field.name, e); });
    f("x", x);
    f("r", r);
    f("path", path);
  };
  for (int j = 0; j < 48; ++j) {
    auto c = rebind<D>(plain);
    D x(0.013), r(1.2), path(0.021);
    int i = 0;
    std::string name;
    bool off = false;  // an absent term
    each(c, x, r, path, [&](const char* n, D& e) {
      if (i++ != j) return;
      e.d[0] = 1;
      name = n;
      off = !std::isfinite(e.a);
    });
    ASSERT_EQ(i, 48);
    if (off) continue;
    L h = 0;
    auto moved = [&](L way) {
      auto m = rebind<L>(plain);
      L mx = 0.013, mr = 1.2, mpath = 0.021;
      int k = 0;
      each(m, mx, mr, mpath, [&](const char*, L& e) {
        if (k++ != j) return;
        h = 1e-6L * std::abs(e);
        e += way * h;
      });
      return force(m, mx, mr, mpath);
    };
    const L up = moved(1), down = moved(-1);
    const double want = static_cast<double>((up - down) / (2 * h)), got = force(c, x, r, path).d[0];
    EXPECT_NEAR(got, want, 1e-8 * std::abs(want)) << name;
    EXPECT_TRUE(want != 0 || name == "noise_frequency") << name;  // noise_length replaces it
  }
}
