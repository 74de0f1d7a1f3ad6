#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <ctime>

#include "support/synthetic.hpp"

using namespace bristle;
using namespace bristle::identify;

namespace {

const Estimate& estimate(const Fit& fit, const std::string& name) {
  for (const auto* list : {&fit.friction, &fit.body}) {
    for (const Estimate& e : *list) {
      if (e.name == name) return e;
    }
  }
  throw std::runtime_error("no estimate " + name);
}
const Fit& fit_of(const Ranking& ranking, const std::string& model) {
  for (const Fit& f : ranking.fits) {
    if (f.model == model) return f;
  }
  throw std::runtime_error("no fit of " + model);
}
Options quick(std::vector<std::string> models) {
  Options o;
  o.models = std::move(models);
  o.starts = 2;
  o.profiles = false;
  return o;
}
synthetic::Truth lugre() { return synthetic::truth_of("lugre", 4, 2e-3); }

/// An actuator's force: friction, inertia, offset and a pendulum's weight.
Recording driven(const synthetic::Truth& truth, double inertia, double offset, double gravity, double phase) {
  Recording r = truth.recording({0.005});
  // Positions of order 1, so that the weight is seen: the same motion, with x in radians over the travel.
  const auto [low, high] = std::ranges::minmax_element(r.x);
  const double scale = 3 / (*high - *low);
  for (double& x : r.x) x *= scale;
  r.u = std::move(r.F);
  r.F.clear();
  for (std::size_t i = 0; i < r.u.size(); ++i) {
    const double h = truth.motion.dt * 1e-3, t = r.t[i];
    r.a.push_back((truth.motion.speed(t + h) - truth.motion.speed(t - h)) / (2 * h));
    r.u[i] += inertia * r.a[i] + offset + gravity * std::sin(r.x[i] - phase);
  }
  return r;
}

/// An element that never yields: its yield force has no effect at all, which says nothing against the stiffness.
TEST(Fit, WhatIsNotSeenLeavesTheOtherIntervalsAlone) {
  Recording r;
  r.name = "pre-sliding";
  for (std::size_t i = 0; i < 2000; ++i) {
    const double t = 1e-3 * static_cast<double>(i), omega = two_pi * 2;
    r.t.push_back(t);
    r.x.push_back(1e-6 * std::sin(omega * t));
    r.v.push_back(1e-6 * omega * std::cos(omega * t));
    r.F.push_back(1e6 * r.x.back() + 0.01 * synthetic::normal(5, i));
  }
  Options o = quick({"maxwell_slip"});
  o.elements = {1};
  o.fixed = {{"kv", 0.0, "--fix"}};
  const Ranking ranking = identify::identify({r}, o);
  const Estimate& k = estimate(ranking.fits.at(0), "k1");
  EXPECT_GT(k.high - k.low, 1e-5 * k.value);
  EXPECT_NEAR(0.5 * (k.low + k.high), 1e6, k.high - k.low);
  EXPECT_LT(k.high - k.low, 0.01 * k.value);
}

TEST(Fit, IsReadyForAFile) {
  const synthetic::Truth truth = lugre();
  const Ranking ranking = identify::identify({truth.recording({0.01})}, quick({"lugre"}));
  const Fit& fit = ranking.fits.at(0);
  EXPECT_TRUE(fit.converged) << fit.message;
  EXPECT_EQ(fit.used, 6U);
  EXPECT_TRUE(make("lugre", fit.parameters).contact);
  EXPECT_EQ(fit.correlation.size(), 36U);
  double largest = 0;
  for (const double F : truth.recording({0}).F) largest = std::max(largest, std::abs(F));
  EXPECT_NEAR(fit.rmse, 0.01 * largest, 0.0003);  // the noise; its standard error with 2000 samples is 1.6 %
  EXPECT_LT(fit.held_out, 1.05 * fit.rmse);
  ASSERT_EQ(fit.predicted.size(), 1U);
  const Recording again = truth.recording({0.01});
  const std::vector<double> predicted = predict(fit, again);
  for (std::size_t i = 0; i < predicted.size(); i += 50) EXPECT_NEAR(predicted[i], fit.predicted[0][i], 1e-9);
}

/// The same recording in other units of displacement and force: the same fit.
TEST(Fit, DoesNotDependOnUnits) {
  const Recording r = lugre().recording({0.01});
  const Fit plain = identify::identify({r}, quick({"lugre"})).fits.at(0);
  for (const auto& [length, force] : {std::pair{1e3, 1e-3}, {1e-6, 1e6}}) {
    Recording other = r;
    for (double& x : other.x) x *= length;
    for (double& v : other.v) v *= length;
    for (double& F : other.F) F *= force;
    const Fit fit = identify::identify({other}, quick({"lugre"})).fits.at(0);
    EXPECT_NEAR(fit.rmse / force, plain.rmse, 1e-7 * plain.rmse);
    EXPECT_NEAR(fit.held_out / force, plain.held_out, 1e-6 * plain.held_out);
    for (const auto& [name, unit] : {std::pair{"Fc", force},
                                     {"Fs", force},
                                     {"vs", length},
                                     {"sigma0", force / length},
                                     {"sigma1", force / length},
                                     {"kv", force / length}})
      EXPECT_NEAR(estimate(fit, name).value / unit, estimate(plain, name).value, 1e-4 * estimate(plain, name).value)
          << name;
  }
}

TEST(Fit, IsTheSameOnAnyNumberOfThreads) {
  const Recording r = lugre().recording({0.01});
  Options one = quick({"lugre", "stribeck", "maxwell_slip"});
  one.elements = {1, 3};
  one.threads = 1;
  Options three = one;
  three.threads = 3;
  const Ranking a = identify::identify({r}, one), b = identify::identify({r}, three);
  ASSERT_EQ(a.fits.size(), b.fits.size());
  for (std::size_t k = 0; k < a.fits.size(); ++k) {
    EXPECT_EQ(a.fits[k].model, b.fits[k].model);
    EXPECT_EQ(a.fits[k].held_out, b.fits[k].held_out);
    for (std::size_t i = 0; i < a.fits[k].friction.size(); ++i) {
      EXPECT_EQ(a.fits[k].friction[i].value, b.fits[k].friction[i].value);
      EXPECT_EQ(a.fits[k].friction[i].high, b.fits[k].friction[i].high);
    }
  }
}

TEST(Fit, OutliersHardlyMoveIt) {
  const synthetic::Truth truth = lugre();
  Recording r = truth.recording({0.01});
  for (std::size_t i = 100; i < r.F.size(); i += 40) r.F[i] += 20;  // one in forty, far out, all to one side
  const Ranking robust = identify::identify({r}, quick({"lugre"}));
  for (const Estimate& e : robust.fits[0].friction) EXPECT_NEAR(e.value / truth.value(e.name), 1, 0.1) << e.name;
  Options squares = quick({"lugre"});
  squares.loss = Loss::squares;
  const Ranking plain = identify::identify({r}, squares);
  double worst = 0;
  for (const Estimate& e : plain.fits[0].friction) worst = std::max(worst, std::abs(e.value / truth.value(e.name) - 1));
  EXPECT_GT(worst, 0.1);  // they do move the one without a robust loss
}

TEST(Fit, TheSimplexOfThePapersArrivesAtTheSamePlace) {
  const Recording r = synthetic::truth_of("stribeck", 2, 4e-3).recording({0.01});
  Options simplex = quick({"stribeck"});
  simplex.simplex = true;
  const Ranking slow = identify::identify({r}, simplex), fast = identify::identify({r}, quick({"stribeck"}));
  for (std::size_t i = 0; i < 4; ++i) {
    const Estimate &a = slow.fits[0].friction[i], &b = fast.fits[0].friction[i];
    EXPECT_NEAR(a.value, b.value, 0.1 * (b.high - b.low)) << a.name;
  }
}

TEST(Fit, FindsTheRigidBodyBesideFriction) {
  for (const bool pendulum : {false, true}) {
    const synthetic::Truth truth = synthetic::truth_of("lugre", 6, 2e-3);
    const Recording r = driven(truth, 20, -0.3, pendulum ? 2 : 0, 0.4);
    Options options = quick({"lugre"});
    options.gravity = pendulum ? Gravity::sine : Gravity::none;
    const Fit fit = identify::identify({r}, options).fits.at(0);
    EXPECT_NEAR(estimate(fit, "inertia").value, 20, 0.3);
    EXPECT_NEAR(estimate(fit, "offset").value, -0.3, 0.02);
    EXPECT_NEAR(estimate(fit, "Fc").value, 1, 0.03);
    EXPECT_NEAR(estimate(fit, "sigma0").value / 1e5, 1, 0.05);
    if (pendulum) {
      EXPECT_NEAR(estimate(fit, "gravity").value, 2, 0.03);
      EXPECT_NEAR(estimate(fit, "gravity_phase").value, 0.4, 0.02);
    }
    const std::vector<double> predicted = predict(fit, r);
    for (std::size_t i = 0; i < predicted.size(); i += 50) EXPECT_NEAR(predicted[i], fit.predicted[0][i], 1e-7);
  }
}

/// Points of the steady curve, without time.
Recording steady_points(double Fs, int n, double noise) {
  Recording r;
  r.name = "points";
  for (int i = 0; i < n; ++i) {
    const double v = (i % 2 == 0 ? 1 : -1) * 1e-4 * std::pow(10, 2.5 * i / n);
    const double S = 1 + (Fs - 1) * std::exp(-(v / 1e-3) * (v / 1e-3));
    r.v.push_back(v);
    r.F.push_back(std::copysign(S, v) + 5 * v + noise * synthetic::normal(5, static_cast<std::uint64_t>(i)));
  }
  return r;
}
TEST(Fit, SteadyPointsTellTheCurveAndNothingElse) {
  const Ranking with = identify::identify({steady_points(1.4, 60, 0.01)}, {});
  EXPECT_EQ(with.recommended, "stribeck") << with.why;
  const Fit& fit = fit_of(with, "stribeck");
  EXPECT_NEAR(estimate(fit, "Fs").value, 1.4, 0.03);
  EXPECT_NEAR(estimate(fit, "vs").value, 1e-3, 1e-4);
  for (const Fit& f : with.fits) EXPECT_FALSE(find_model(f.model)->has.presliding) << f.model;
  const Ranking without = identify::identify({steady_points(1, 60, 0.01)}, {});
  EXPECT_EQ(without.recommended, "coulomb") << without.why;
}

TEST(Fit, NamesWhatTheDataCannotTell) {
  synthetic::Truth truth = lugre();
  truth.motion.slowest = 100;  // no slow motion: every reversal is over between two samples
  truth.motion.fastest = 200;
  truth.motion.frequency = 7;
  truth.motion.dt = 1e-2;
  truth.motion.duration = 20;
  Recording r = truth.recording({0.02});
  for (auto* column :
       {&r.t, &r.x, &r.v, &r.F}) {  // in motion: the force of the damping at the start from rest shows sigma1
    if (!column->empty()) column->erase(column->begin(), column->begin() + 10);
  }
  const Fit fit = identify::identify({r}, quick({"lugre"})).fits.at(0);
  const Estimate& sigma1 = estimate(fit, "sigma1");
  EXPECT_FALSE(sigma1.identifiable);
  EXPECT_NE(sigma1.diagnosis.find("sigma1"), std::string::npos) << sigma1.diagnosis;
  EXPECT_FALSE(estimate(fit, "vs").identifiable);
  EXPECT_TRUE(estimate(fit, "kv").identifiable);
}

/// A slope at rest that no sample resolves reaches its limit, and is marked instead of reported as a result.
TEST(Fit, FlagsAParameterThatRunsAway) {
  synthetic::Truth truth = synthetic::truth_of("coulomb", 4, 2e-3);
  const Fit fit = identify::identify({truth.recording({0.01})}, quick({"coulomb_tanh"})).fits.at(0);
  const Estimate& slope = estimate(fit, "k_tanh");
  EXPECT_FALSE(slope.identifiable) << slope.value << " " << slope.low << " " << slope.high;
  EXPECT_FALSE(slope.diagnosis.empty());
  EXPECT_NEAR(estimate(fit, "Fc").value, 1, 0.01);
}

/// Friction that falls at all speeds would require a negative kv, which no model has.
TEST(Fit, FlagsALimit) {
  Recording r = synthetic::truth_of("coulomb", 4, 2e-3).recording({0.01});
  for (std::size_t i = 0; i < r.size(); ++i) r.F[i] -= 30 * r.v[i];
  const Fit fit = identify::identify({r}, quick({"coulomb"})).fits.at(0);
  const Estimate& kv = estimate(fit, "kv");
  EXPECT_TRUE(kv.at_bound);
  EXPECT_EQ(kv.value, 0);
  EXPECT_EQ(kv.diagnosis, "kv is at its lower limit 0: no visible effect");
}

TEST(Fit, ChoosesTheNumberOfElements) {
  const synthetic::Truth truth{"maxwell_slip",
                               {{"k", {4e4, 1e4}}, {"W", {0.3, 0.7}}, {"kv", 2.0}},
                               {.velocity = 2e-3, .duration = 4, .dt = 2e-3, .frequency = 1.3}};
  Options options = quick({"maxwell_slip"});
  options.elements = {1, 2, 3, 4};
  const Fit fit = identify::identify({truth.recording({0.01})}, options).fits.at(0);
  EXPECT_EQ(fit.elements, 2U);
  EXPECT_NEAR(estimate(fit, "k1").value, 4e4, 2e3);
  EXPECT_NEAR(estimate(fit, "W2").value, 0.7, 0.03);
}

/// A velocity step of the load point, with the spring of the machine between it and the contact. The truth is integrated
/// here from the printed law, in steps of 0.2 ms: v from mu and theta, then dmu/dt = K (V - v), dtheta/dt = 1 - v theta/Dc.
Recording velocity_step(double a, double b, double Dc, double K) {
  const double mu0 = 0.6, V0 = 1e-6, dt = 0.02;
  Recording r;
  r.name = "step";
  r.coefficient = true;
  double mu = mu0, theta = Dc / V0, x = 0;
  for (std::uint64_t i = 0; i < 2500; ++i) {
    const double t = static_cast<double>(i) * dt, V = t < 8 ? V0 : t < 28 ? 10 * V0 : 2 * V0;
    for (int k = 0; k < 100 && i > 0; ++k) {
      const double h = dt / 100, v = 2 * V0 * std::sinh(mu / a) * std::exp(-(mu0 + b * std::log(V0 * theta / Dc)) / a);
      mu += h * K * (V - v);
      theta += h * (1 - v * theta / Dc);
    }
    x += i > 0 ? V * dt : 0;
    r.t.push_back(t);
    r.x.push_back(x);
    r.v.push_back(V);
    r.F.push_back(mu + 2e-4 * synthetic::normal(11, i));
  }
  return r;
}
TEST(Fit, SeesTheMachineBehindAVelocityStep) {
  const Recording r = velocity_step(0.01, 0.014, 1e-5, 2000);
  const Fit fit = identify::identify({r}, quick({"rate_state"})).fits.at(0);
  EXPECT_NEAR(estimate(fit, "a").value, 0.01, 5e-4);
  EXPECT_NEAR(estimate(fit, "b").value, 0.014, 5e-4);
  EXPECT_NEAR(estimate(fit, "Dc").value, 1e-5, 5e-7);
  EXPECT_NEAR(estimate(fit, "machine_stiffness").value, 2000, 100);
  EXPECT_NEAR(fit.rmse, 2e-4, 1e-5);
  for (const Entry& e : fit.parameters) {
    if (e.key != "law") continue;
    EXPECT_EQ(*e.value.as<std::string>(), "ageing");
  }
  const std::vector<double> predicted = predict(fit, r);
  for (std::size_t i = 0; i < predicted.size(); i += 50) EXPECT_NEAR(predicted[i], fit.predicted[0][i], 1e-9);
}

TEST(Fit, ResidualsTellWhatIsMissing) {
  const synthetic::Truth truth = lugre();
  const Recording r = truth.recording({0.01});
  auto test_of = [](const Fit& fit, const std::string& name) {
    return *std::ranges::find(fit.tests, name, &ResidualTest::name);
  };
  const Ranking ranking = identify::identify({r}, quick({"lugre", "coulomb"}));
  EXPECT_GT(test_of(fit_of(ranking, "lugre"), "white").p, 0.01);
  EXPECT_GT(test_of(fit_of(ranking, "lugre"), "velocity").p, 0.01);
  EXPECT_LT(test_of(fit_of(ranking, "coulomb"), "white").p, 1e-6);
  Recording ripple = r;
  for (std::size_t i = 0; i < r.size(); ++i) ripple.F[i] += 0.02 * r.t[i];  // the force creeps away
  const Ranking drifting = identify::identify({ripple}, quick({"lugre"}));
  EXPECT_LT(test_of(drifting.fits[0], "time").p, 0.01);
}

TEST(Fit, KeepsWhatIsFixed) {
  Options options = quick({"lugre"});
  options.fixed = {{"vs", 1e-3}, {"Fs", 1.5}};
  const Fit fit = identify::identify({lugre().recording({0.01})}, options).fits.at(0);
  EXPECT_EQ(fit.used, 4U);
  for (const Entry& e : fit.parameters) {
    if (e.key != "vs" && e.key != "Fs") continue;
    EXPECT_EQ(*e.value.as<double>(), e.key == "vs" ? 1e-3 : 1.5);
  }
}

TEST(Fit, StopsWhenAskedAndWhenTheTimeIsUp) {
  const Recording r = synthetic::truth_of("gms", 20, 1e-3).recording({0.01});
  Options options;
  options.models = {"gms", "leuven"};
  options.seconds = 0.3;
  const std::clock_t begin = std::clock();  // of this process: a busy machine does not matter
  EXPECT_TRUE(identify::identify({r}, options).stopped);
  EXPECT_LT(static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC, 4);
  options.seconds = 300;
  double last = 0;
  options.progress = [&](double done, const std::string&) {
    EXPECT_GE(done, last);
    last = done;
    return done < 0.05;
  };
  EXPECT_TRUE(identify::identify({r}, options).stopped);
}

TEST(Fit, SaysWhatIsWrongWithItsInput) {
  auto message = [](const std::vector<Recording>& recordings, const Options& options = {}) {
    try {
      identify::identify(recordings, options);
    } catch (const BadInput& e) { return std::string(e.what()); }
    return std::string("nothing");
  };
  const Recording good = steady_points(1.4, 60, 0.01);
  Recording without_v = good, backwards = lugre().recording({0.01}), nan = good, empty;
  without_v.v.clear();
  backwards.t[7] = backwards.t[6];
  nan.F[3] = NAN;
  empty.name = "empty";
  EXPECT_EQ(message({}), "identify requires a recording");
  EXPECT_EQ(message({empty}), "empty: no rows; at least one is required");
  EXPECT_EQ(message({without_v}), "points: v has 0 values, must have 60");
  EXPECT_EQ(message({nan}), "points: F contains a value that is not a number");
  EXPECT_EQ(message({backwards}), "lugre: t must increase, row 8");
  EXPECT_EQ(message({good}, quick({"lugra"})), unknown_model("lugra"));
  Options fixed = quick({"coulomb"});
  fixed.fixed = {{"sigma0", 1e5}};
  EXPECT_EQ(message({good}, fixed), "'sigma0' cannot be fixed; a parameter of a fitted model is required");
  EXPECT_EQ(identify::identify({good}, quick({"haessig_friedland"})).failed.at(0).message,
            "a random model cannot reproduce a recording");
  Options few = quick({"stribeck"});
  const Ranking ranking = identify::identify({steady_points(1.4, 4, 0.01)}, few);
  ASSERT_EQ(ranking.failed.size(), 1U);
  EXPECT_EQ(ranking.failed[0].message, "4 rows are too few for 4 parameters");
}

}  // namespace
