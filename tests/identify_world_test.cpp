/// Directions, curves along x, loads with an offset, terms of the user, priors, gravity: truth that the test made.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "support/synthetic.hpp"

using namespace bristle;
using namespace bristle::identify;

namespace {

/// Back and forth with a growing amplitude; friction of a contact and whatever else acts.
struct Slide {
  Table friction{{"Fc", 20.0}, {"kv", 40.0}}, effects{};
  double noise = 0.2, rate = 200, seconds = 20, x0 = 0, amplitude = 0.08;
  std::function<double(double)> r = [](double) { return 1.0; };
  std::function<double(double x, double a)> body{};  // then u is recorded
  std::string model = "coulomb";

  Recording recording(std::uint64_t seed = 1) const {
    const Made made = make(model, friction, effects);
    if (!made.contact) throw BadInput(made.problems.front().line());
    Recording out;
    out.name = "slide";
    double held = 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(seconds * rate); ++i) {
      const double t = static_cast<double>(i) / rate, w = two_pi * 0.2, swell = 0.3 + 0.7 * t / seconds;
      const double x = x0 - amplitude * (swell * std::cos(w * t + 0.3) + 0.2 * std::cos(2.7 * w * t));
      const double v = amplitude * (swell * w * std::sin(w * t + 0.3) - 0.7 / seconds * std::cos(w * t + 0.3) +
                                    0.54 * w * std::sin(2.7 * w * t));
      const double a = amplitude * (swell * w * w * std::cos(w * t + 0.3) + 1.4 / seconds * w * std::sin(w * t + 0.3) +
                                    1.458 * w * w * std::cos(2.7 * w * t));
      held = made.contact->step({.x = x, .v = v, .F_app = held, .r = r(t), .t = t}, 1 / rate);
      out.t.push_back(t);
      out.x.push_back(x);
      out.v.push_back(v);
      out.a.push_back(a);
      (body ? out.u : out.F).push_back(held + (body ? body(x, a) : 0) + noise * synthetic::normal(seed, i));
      out.N.push_back(100 * r(t));
    }
    out.rotational = body != nullptr;
    return out;
  }
};

Options options(std::vector<std::string> effects, std::vector<std::string> models = {"coulomb"}) {
  Options o;
  o.models = std::move(models);
  o.effects = std::move(effects);
  o.starts = 2;
  return o;
}
const Estimate* find(const Fit& fit, const std::string& name) {
  for (const auto* list : {&fit.friction, &fit.body}) {
    const auto e = std::ranges::find(*list, name, &Estimate::name);
    if (e != list->end()) return &*e;
  }
  return nullptr;
}
bool has_effect(const Fit& fit, const std::string& key) {
  return std::ranges::find(fit.effects, key, &Entry::key) != fit.effects.end();
}
/// Four times out of a hundred thousand beyond twice the half width.
void expect_inside(const Fit& fit, const std::string& name, double truth) {
  const Estimate* e = find(fit, name);
  ASSERT_NE(e, nullptr) << name;
  const double centre = 0.5 * (e->low + e->high), half = 0.5 * (e->high - e->low);
  EXPECT_NEAR(centre, truth, 2 * half + 1e-12) << name << " " << e->low << " to " << e->high;
  EXPECT_LT(half, 0.2 * std::abs(truth) + 0.05) << name;
}
std::string complaint(const Recording& r, const Options& o) {
  try {
    identify::identify({r}, o);
  } catch (const BadInput& e) { return e.what(); }
  return "";
}

TEST(Directions, AreFoundWhereLevelAndSlopeDiffer) {
  const Slide slide{.effects = {{"negative.Fc", 24.0}, {"negative.kv", 5.0}}};
  const Fit fit = identify::identify({slide.recording()}, options({"auto"})).fits.at(0);
  expect_inside(fit, "Fc", 20);
  expect_inside(fit, "kv", 40);
  expect_inside(fit, "negative.Fc", 24);
  expect_inside(fit, "negative.kv", 5);
  EXPECT_FALSE(has_effect(fit, "asymmetry"));
  EXPECT_EQ(find(fit, "negative.Fs"), nullptr);  // follows Fc, as in positive motion
  ASSERT_TRUE(make(fit.model, fit.parameters, fit.effects).contact);
  const std::vector<double> again = predict(fit, slide.recording());
  for (std::size_t i = 0; i < again.size(); i += 97) EXPECT_NEAR(again[i], fit.predicted.at(0)[i], 1e-9);
}

TEST(Directions, KeepTheRelationsOfTheModel) {
  const Slide slide{.friction = {{"Fc", 20.0}, {"Fs", 30.0}, {"vs", 0.01}, {"kv", 40.0}},
                    .effects = {{"negative.Fc", 26.0}, {"negative.Fs", 27.0}},
                    .model = "stribeck"};
  const Fit fit = identify::identify({slide.recording()}, options({"directions"}, {"stribeck"})).fits.at(0);
  expect_inside(fit, "Fs", 30);
  expect_inside(fit, "negative.Fc", 26);
  expect_inside(fit, "negative.Fs", 27);
}

/// A bump that is no sine: a force, or a tight place of the guide.
TEST(Curve, IsFoundAsAForceOrAsAGain) {
  const Value knots({-0.1, -0.03, 0.0, 0.04, 0.1});
  const Slide force{.effects = {{"curve_x", knots}, {"curve_F", Value({0.0, 1.0, 5.0, -2.0, 0.0})}}};
  const Fit one = identify::identify({force.recording()}, options({"auto"})).fits.at(0);
  EXPECT_TRUE(has_effect(one, "curve_F"));
  EXPECT_LT(one.held_out, 1.6 * force.noise);
  const Slide gain{.effects = {{"curve_x", knots}, {"curve_gain", Value({0.0, 0.1, 0.4, -0.1, 0.0})}}};
  const Ranking ranking = identify::identify({gain.recording()}, options({"auto"}));
  const Fit& other = ranking.fits.at(0);
  EXPECT_TRUE(has_effect(other, "curve_gain"));
  EXPECT_TRUE(std::ranges::any_of(ranking.notes, [](const std::string& note) {
    return note.starts_with("coulomb: Fc is that at x = -0.") && note.ends_with("m, the first knot of the curve");
  }));
  EXPECT_LT(other.held_out, 1.6 * gain.noise);
  for (const Fit* fit : {&one, &other}) EXPECT_TRUE(make(fit->model, fit->parameters, fit->effects).contact);
  const std::vector<double> again = predict(one, force.recording());
  for (std::size_t i = 0; i < again.size(); i += 97) EXPECT_NEAR(again[i], one.predicted.at(0)[i], 1e-9);
}

TEST(LoadOffset, IsToldFromThePowerLaw) {
  const Slide slide{.friction = {{"Fc", 10.0}, {"kv", 40.0}}, .effects = {{"load_offset", 1.5}}, .r = [](double t) {
                      return 1 + 0.9 * std::sin(1.3 * t);
                    }};
  const Recording r = slide.recording();
  std::vector<double> N = r.N;
  std::ranges::sort(N);
  const double nominal = N[N.size() / 2] / 100;  // fits refer to the median
  const Fit fit = identify::identify({r}, options({"auto"})).fits.at(0);
  expect_inside(fit, "load_offset", 1.5 / nominal);
  expect_inside(fit, "Fc", 10 * nominal);
  EXPECT_FALSE(has_effect(fit, "load_exponent"));
}

TEST(Terms, AreFittedBesidesFriction) {
  Slide slide;
  Recording r = slide.recording();
  identify::Term one{"spring", {}}, other{"ghost", {}};
  for (std::size_t i = 0; i < r.t.size(); ++i) {
    one.values.push_back(std::sin(30 * r.x[i]));
    other.values.push_back(std::sin(7 * r.t[i]));
    r.F[i] += 15 * one.values[i];
  }
  r.terms = {one, other};
  const Fit fit = identify::identify({r}, options({})).fits.at(0);
  expect_inside(fit, "spring", 15);
  const Estimate& ghost = *find(fit, "ghost");
  EXPECT_TRUE(ghost.low < 0 && ghost.high > 0);
  expect_inside(fit, "Fc", 20);
  const std::vector<double> again = predict(fit, r);
  for (std::size_t i = 0; i < again.size(); i += 97) EXPECT_NEAR(again[i], fit.predicted.at(0)[i], 1e-9);
  r.terms.back().name = "Fc";
  EXPECT_EQ(complaint(r, options({})), "term 'Fc' cannot be fitted; the name is taken, another one is required");
  r.terms.back().name = "spring";
  EXPECT_EQ(complaint(r, options({})), "term 'spring' cannot be fitted; the name is taken, another one is required");
}

/// One level from n points of standard deviation s: the prior is one more point. With w = n/s^2 and W = 1/S^2 the mean is
/// (w level + W prior)/(w + W), its standard error 1/sqrt(w + W).
TEST(Priors, AreOneMoreResidual) {
  Recording r;
  r.name = "points";
  double sum = 0;
  constexpr int n = 400;
  for (int i = 0; i < n; ++i) {
    r.v.push_back((i % 2 == 0 ? 1 : -1) * (0.1 + 1e-3 * i));
    const double noise = 0.5 * synthetic::normal(5, static_cast<std::uint64_t>(i));
    r.F.push_back(std::copysign(2.0, r.v.back()) + noise);
    sum += std::copysign(1.0, r.v.back()) * r.F.back();
  }
  Options o = options({});
  o.loss = Loss::squares;
  o.fixed = {{"kv", 0.0}};
  const Estimate plain = *find(identify::identify({r}, o).fits.at(0), "Fc");
  const double error = (plain.high - plain.low) / 2 / 1.966, S = 0.5 * error;
  EXPECT_NEAR(plain.value, sum / n, 1e-3 * error);
  o.priors = {{"Fc", 2.2, S}};
  const Estimate e = *find(identify::identify({r}, o).fits.at(0), "Fc");
  const double w = 1 / (error * error), W = 1 / (S * S);
  EXPECT_NEAR(e.value, (w * plain.value + W * 2.2) / (w + W), 0.1 * error);  // the noise is estimated robustly
  EXPECT_NEAR((e.high - e.low) / 2 / 1.966, 1 / std::sqrt(w + W), 0.1 * error);
  o.priors = {{"Fd", 1, 1}};
  EXPECT_EQ(complaint(r, o), "a prior on 'Fd' is not possible; a fitted parameter is required");
  o.priors = {{"kv", 1, 1}};
  EXPECT_EQ(complaint(r, o), "a prior on 'kv' is not possible; it is fixed");
}

Slide pendulum(double amplitude, double gravity) {
  return {
      .friction = {{"Fc", 1.8}, {"kv", 0.3}}, .noise = 0.05, .amplitude = amplitude, .body = [=](double x, double a) {
        return 0.5 * a + gravity * std::sin(x - 0.2);
      }};
}
TEST(Gravity, OfAPendulumIsFound) {
  Options o = options({"auto"}, {"coulomb", "gms"});
  o.elements = {2};
  const Ranking ranking = identify::identify({pendulum(1.3, 7).recording()}, o);
  EXPECT_EQ(ranking.recommended, "coulomb");
  const auto best = std::ranges::find(ranking.fits, "coulomb", &Fit::model);
  expect_inside(*best, "Fc", 1.8);
  expect_inside(*best, "gravity", 7);
  expect_inside(*best, "gravity_phase", 0.2);
  expect_inside(*best, "inertia", 0.5);
  EXPECT_TRUE(best->effects.empty());
}
/// Over a small angle an offset and a sine are the same: one of them is enough.
TEST(Gravity, OverASmallAngleNeedsNoOffset) {
  const Fit fit = identify::identify({pendulum(0.25, 7).recording()}, options({})).fits.at(0);
  expect_inside(fit, "Fc", 1.8);
  const Estimate* gravity = find(fit, "gravity");
  ASSERT_NE(gravity, nullptr);
  EXPECT_NEAR(gravity->value, 7, 0.35);
  EXPECT_EQ(find(fit, "offset")->value, 0);
}
/// An offset of the sensor is not other friction in each direction, although a sine contains a part of it; where the sine
/// contains all of it, a note says that it is assumed to be 0.
TEST(Gravity, OverASmallAngleAnOffsetIsNoEffect) {
  for (const double offset : {0.6, -0.9, 0.0}) {
    for (const double amplitude : {0.45, 0.6}) {
      Slide slide = pendulum(amplitude, 7);
      slide.body = [body = slide.body, offset](double x, double a) { return body(x, a) + offset; };
      const Ranking ranking = identify::identify({slide.recording()}, options({"auto"}));
      const Fit& fit = ranking.fits.at(0);
      EXPECT_TRUE(fit.effects.empty()) << offset << " " << amplitude;
      expect_inside(fit, "Fc", 1.8);
      expect_inside(fit, "inertia", 0.5);
      const bool assumed = find(fit, "offset")->high == 0,
                 noted = std::ranges::any_of(ranking.notes, [](const auto& n) {
                   return n.find("an offset of 0 is assumed; --gravity sine fits both") != std::string::npos;
                 });
      EXPECT_EQ(assumed, noted);
      EXPECT_TRUE(!assumed || offset == 0) << offset << " " << amplitude;
      const Estimate& found = *find(fit, "offset");
      if (!assumed) { EXPECT_NEAR(found.value, offset, found.high - found.low) << offset << " " << amplitude; }
    }
  }
}
/// A derived acceleration is far off at the ends of a recording, where the smoother knows one side only.
TEST(Gravity, IsNotHiddenByTheEndsOfTheAcceleration) {
  Recording r = pendulum(1.3, 7).recording();
  for (std::size_t i = r.size() - 10; i < r.size(); ++i) r.a[i] += 1000;
  const Fit fit = identify::identify({r}, options({})).fits.at(0);
  ASSERT_NE(find(fit, "gravity"), nullptr);
  expect_inside(fit, "gravity", 7);
}
TEST(Gravity, IsNotClaimedWithoutAPendulumOrAnAngle) {
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U}) {
    const Fit fit = identify::identify({pendulum(1.3, 0).recording(seed)}, options({})).fits.at(0);
    EXPECT_EQ(find(fit, "gravity"), nullptr);
  }
  Recording axis = pendulum(1.3, 7).recording();
  axis.rotational = false;
  EXPECT_EQ(find(identify::identify({axis}, options({})).fits.at(0), "gravity"), nullptr);
}

TEST(Waves, FarFromTheOriginReferToTheMiddleOfTheTravel) {
  const Slide slide{.effects = {{"ripple", 0.08}, {"ripple_period", 7.3e-3}, {"ripple_phase", 0.6}}, .x0 = 40};
  const Fit fit = identify::identify({slide.recording()}, options({"auto"})).fits.at(0);
  const auto origin = std::ranges::find(fit.effects, "reference_position", &Entry::key);
  ASSERT_NE(origin, fit.effects.end());
  const double x0 = *origin->value.as<double>();
  EXPECT_NEAR(x0, 40, 0.02);
  expect_inside(fit, "ripple_period", 7.3e-3);
  expect_inside(fit, "ripple_phase", std::remainder(0.6 + two_pi * x0 / 7.3e-3, two_pi));
  const Estimate& phase = *find(fit, "ripple_phase");
  EXPECT_LE(std::abs(phase.value), two_pi / 2);
  EXPECT_LT(phase.high - phase.low, 0.2);
}

TEST(Waves, OfTwoCyclesInTheTravelAreNoRipple) {
  const Slide slide{.effects = {{"ripple", 0.1}, {"ripple_period", 0.08}}};
  const Fit fit = identify::identify({slide.recording()}, options({"auto"})).fits.at(0);
  EXPECT_FALSE(has_effect(fit, "ripple"));
}

/// Errors of an encoder repeat every count.
TEST(Waves, OfFewEncoderCountsAreNotFound) {
  const double count = 2e-4;
  const Slide slide{.effects = {{"cogging", 1.0}, {"cogging_period", 5 * count}}, .rate = 1000};
  Recording r = slide.recording();
  r.x_step = count;
  EXPECT_FALSE(has_effect(identify::identify({r}, options({"auto"})).fits.at(0), "cogging"));
  r.x_step = 0;
  EXPECT_TRUE(has_effect(identify::identify({r}, options({"auto"})).fits.at(0), "cogging"));
}

}  // namespace
