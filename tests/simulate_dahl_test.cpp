/// Dahl with exponents below 1, where |g|^i has no slope at the limit: full sliding is an event. i = 0 is one Maxwell-slip
/// element; others are checked by the closed form at constant velocity, by CVODE and by fixed steps.
#include <gtest/gtest.h>

#include <functional>

#include "bristle/models/dahl.hpp"
#include "support/drive.hpp"
#include "support/experiment.hpp"
#include "support/random.hpp"

using namespace bristle;

namespace {

struct Parameters {
  double Fc, sigma0, kv;
};
using Make = std::function<std::unique_ptr<AnyContact>(const Parameters&)>;
Make dahl(double i) {
  return [i](const Parameters& p) {
    return contact("dahl", {{"Fc", p.Fc}, {"sigma0", p.sigma0}, {"i", i}, {"kv", p.kv}});
  };
}
std::unique_ptr<AnyContact> element(const Parameters& p) {
  return contact("maxwell_slip", {{"k", {p.sigma0}}, {"W", {p.Fc}}, {"kv", p.kv}});
}

/// Motions of every kind, with reversals inside and beyond pre-sliding, which is Fc/sigma0 = 10 um to 3 mm.
std::vector<Experiment> motions(const Make& make) {
  std::vector<Experiment> out;
  out.push_back(slider(make({1, 1e3, 0.4}), 1, 20, position(Sine{0.2, 0.5, 0, 0}), 4));
  out.push_back(slider(make({0.8, 400, 0}), 1, 0, force(Sine{1.2, 0.7, 0, 0.1}), 3));
  out.push_back(roller(make({1, 300, 0.1}), 1, 10, 0.1, position(Ramp{0.2, 0}), 5));
  out.push_back(prescribed(make({1, 1e5, 0}), velocity(Sine{1e-4, 1, 0, 2e-5}), 3));
  out.push_back(prescribed(make({2, 1e5, 0.1}), position(Points{{0, 1, 2, 3.5, 4}, {0, 3e-5, 1e-5, -5e-5, 0}}), 4));
  out.push_back(servo(make({1, 2e3, 0}), 1, {.kp = 500, .kd = 10}, position(Sine{0.02, 1, 0, 0}), 2));
  out.push_back(slider(make({1, 500, 0.2}), 1, 20, position(Sine{0.2, 0.5, 0, 0}), 2));
  out.back().load = force(Sine{0.4, 0.3, 0, 1});
  out.push_back(slider(make({1, 500, 0.2}), 1, 20, position(Sine{0.3, 0.5, 0, 0}), 2));
  out.back().kind = SystemKind::chain;
  out.back().chain = {.blocks = 3, .coupling = 50};
  return out;
}
/// Of a body the position, of a given motion the force.
double error_of(const bristle::Run& run, const bristle::Run& exact, bool prescribed) {
  const auto &a = column(run.trace, prescribed ? "F" : "x"), &b = column(exact.trace, prescribed ? "F" : "x");
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) worst = std::max(worst, std::abs(a[i] - b[i]));
  return worst / largest(b);
}
bristle::Run simulated(Experiment& e, Method method, double rtol) {
  e.method = method;
  e.solver.rtol = rtol;
  return simulate(e);
}

/// The block of README.md, 1 kg pulled through 2 N/m at 0.1 m/s, with newtons, metres and seconds of another size.
Experiment block(double i, double newton = 1, double metre = 1, double second = 1) {
  return slider(dahl(i)({newton, 1e5 * newton / metre, 0}), newton * second * second / metre, 2 * newton / metre,
                position(Ramp{0.1 * metre / second, 0}), 20 * second);
}

}  // namespace

TEST(SimulateDahl, ExponentZeroIsOneMaxwellSlipElement) {
  auto ours = motions(dahl(0)), theirs = motions(element);
  for (std::size_t n = 0; n < ours.size(); ++n) {
    const auto reference = simulated(theirs[n], Method::automatic, 1e-12);
    const Difference d = difference(simulated(ours[n], Method::automatic, 1e-12), reference);
    EXPECT_LT(d.worst, 1e-9) << n << " " << d.name << " at " << d.t;
    const Difference c = difference(simulated(ours[n], Method::cvode, 1e-11), reference);
    EXPECT_LT(c.worst, 1e-8) << n << " " << c.name << " at " << c.t;
  }
}

/// Legs at constant velocity, of any length against pre-sliding: the force after each by `step`.
TEST(SimulateDahl, FollowsTheClosedFormAtConstantVelocity) {
  Draw draw(31);
  for (const double i : {0., 0.01, 0.3, 0.5, 0.9, 0.99}) {
    const double Fc = draw.log_uniform(0.1, 10), sigma0 = draw.log_uniform(1e3, 1e7);
    Mover body(Dahl<>{{.Fc = Fc, .sigma0 = sigma0, .i = i}});
    Points path{{0}, {0}};
    std::vector<double> F{0};
    for (int leg = 0; leg < 30; ++leg) {
      const double way = draw.sign() * Fc / sigma0 * draw.log_uniform(0.05, 20), time = draw.log_uniform(0.1, 10);
      path.t.push_back(path.t.back() + time);
      path.value.push_back(path.value.back() + way);
      F.push_back(body.move((path.value.back() - body.x) / time, time));
      body.x = path.value.back();
    }
    Experiment e = prescribed(dahl(i)({Fc, sigma0, 0}), position(path), path.t.back());
    for (const Method method : {Method::automatic, Method::cvode}) {
      e.method = method;
      e.solver.max_steps = 20000;
      const auto run = simulate(e, {.probes = path.t});
      for (std::size_t k = 0; k < F.size(); ++k)
        EXPECT_NEAR(column(run.probes, "F")[k], F[k], 3e-7 * Fc) << i << " leg " << k << " " << run.summary.method;
    }
  }
}

TEST(SimulateDahl, AgreesWithCvodeAndWithFixedSteps) {
  for (const double i : {0.3, 0.5, 0.9}) {
    for (Experiment& e : motions(dahl(i))) {
      const auto run = simulated(e, Method::automatic, 1e-10);
      const Difference d = difference(simulated(e, Method::cvode, 1e-10), run);
      EXPECT_LT(d.worst, 3e-7) << i << " " << d.name << " at " << d.t;
      EXPECT_LT(run.summary.energy.error, 1e-7) << i;
      if (e.kind == SystemKind::chain) continue;
      const bool prescribed = e.kind == SystemKind::prescribed;
      e.method = Method::fixed;
      e.solver.step = 2e-4;
      const double coarse = error_of(simulate(e), run, prescribed);
      e.solver.step = 2e-5;
      const double fine = error_of(simulate(e), run, prescribed);
      EXPECT_LT(fine, 5e-3) << i;
      EXPECT_LT(fine, std::max(coarse / 4, 1e-5))  // kv v jumps at the corners of a table
          << i << " " << coarse << " " << fine;
    }
  }
}

/// As many steps as other exponents take, in any units, and the same motion.
TEST(SimulateDahl, TakesAFewThousandStepsInAnyUnits) {
  for (const double i : {0., 0.01, 0.3, 0.5, 0.9, 0.99}) {
    Experiment plain = block(i);
    plain.solver.max_steps = 8000;
    const auto run = simulate(plain);
    EXPECT_LT(run.summary.energy.error, 1e-6) << i;
    const struct {
      double newton, metre, second;
    } units[] = {{1e4, 1, 1}, {1e-4, 1, 1}, {1, 1e4, 1}, {1, 1e-4, 1}, {1, 1, 1e4}, {1, 1, 1e-4}, {1e-3, 1e4, 1e-4}};
    for (const auto& [newton, metre, second] : units) {
      Experiment e = block(i, newton, metre, second);
      e.solver.max_steps = 8000;
      const auto other = simulate(e);
      const auto &x = column(run.trace, "x"), &y = column(other.trace, "x");
      double worst = 0;
      for (std::size_t k = 0; k < x.size(); ++k) worst = std::max(worst, std::abs(y[k] / metre - x[k]));
      EXPECT_LT(worst, 1e-5 * largest(x)) << i << " " << newton << " " << metre << " " << second;
    }
  }
}

/// A start above Fc, which only an initial state can make: it comes back to Fc, from above, and stays.
TEST(SimulateDahl, ReturnsFromAboveTheLimit) {
  for (const double i : {0., 0.5, 0.9}) {
    Mover body(Dahl<>{{.i = i}});
    body.s.f = 1.3;
    Experiment e = prescribed(contact("dahl", {{"Fc", 1}, {"sigma0", 1e5}, {"i", i}}, {}, {{"f", 1.3}}),
                              velocity(Constant{1e-6}), 20);
    const auto run = simulate(e);
    const auto& F = column(run.trace, "F");
    for (std::size_t k = 1; k < F.size(); ++k) ASSERT_NEAR(F[k], body.move(1e-6, 0.02), 1e-7) << i << " " << k;
    EXPECT_EQ(F.back(), i < 0.9 ? 1 : F.back());
  }
}
