#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>

#include "experiment.hpp"
#include "random_experiment.hpp"

/// The difference between runs of a random experiment, and a comparison with CVODE.
namespace random_experiment {

/// Differences of velocity count against that of the energy that friction turns over.
inline Difference off(const Experiment& e, const bristle::Run& a, const bristle::Run& b) {
  const double energy = largest(column(a.trace, "F")) * largest(column(a.trace, "x"));
  return difference(a, b, 1e-6 * e.solver.duration, std::sqrt(energy / e.body.mass));
}

/// Error of the energy balance, divided by its largest term or by the work of the largest force.
inline double energy_gap(const bristle::Run& r) {
  const EnergyBalance& w = r.summary.energy;
  const double most = std::max({std::abs(w.drive), std::abs(w.kinetic), std::abs(w.spring), std::abs(w.friction)}),
               missing = std::abs(w.drive - w.kinetic - w.spring - w.damper - w.friction),
               scale = std::max(most, largest(column(r.trace, "F")) * largest(column(r.trace, "x")));
  return scale > 0 ? missing / scale : 0;
}

enum class Outcome { agrees, accumulates, sensitive, gives_up };

/// Ours at 1e-9 against CVODE at 1e-10, which is tighter than it sounds. If they differ, other
/// reasons are checked:
/// - CVODE steps over short features: it runs again with short steps;
/// - errors of thousands of reversals add up: both must then converge, to the same;
/// - the scenario itself is sensitive: a change of the mass by 1e-9 moves it by more than a hundredth of that.
class SecondOpinion {
 public:
  SecondOpinion(Scenario& s, const std::string& name) : s_(s), e_(s.e), name_(name) {}

  Outcome outcome() {
    try {
      return compare();
    } catch (const RunFailed& failed) {
      // At rest rate and state leaves 1e-36 m/s; a kink there (asymmetry) is more than numbers can resolve.
      const std::string what = failed.what();
      const bool understood = what.find("max_steps") == 0 || (what.find("the step size vanished") == 0 &&
                                                              s_.text.find("[rate_state") < s_.text.size());
      EXPECT_TRUE(understood) << name_ << ": " << what << "\n" << s_.text;
      return Outcome::gives_up;
    }
  }

 private:
  static constexpr double enough = 2e-6;

  bristle::Run run(Method method, double rtol, double most_steps = 4e6) {
    e_.method = method;
    e_.solver.rtol = rtol;
    e_.solver.max_steps = most_steps;
    return simulate(e_);
  }
  /// A drive that swings with no amplitude makes every method take that many steps at least.
  bristle::Run short_steps(Method method, double rtol, double steps) {
    const auto terms = e_.drive.terms;
    e_.drive.terms.push_back({Sine{0, steps / (8 * e_.solver.duration), 0, 0}, 0});
    std::optional<bristle::Run> out;
    try {
      out = run(method, rtol);
    } catch (const RunFailed&) {
      e_.drive.terms = terms;
      throw;
    }
    e_.drive.terms = terms;
    return std::move(*out);
  }
  Difference off(const bristle::Run& a, const bristle::Run& b) const { return random_experiment::off(e_, a, b); }

  Outcome compare() {
    const auto ours = run(Method::automatic, 1e-9, 1e5);
    EXPECT_LT(energy_gap(ours), 1e-6) << name_ << "\n" << s_.text;
    std::optional<bristle::Run> other;
    try {
      other = run(Method::cvode, 1e-10);
      for (const double steps : {1e5, 1.5e6}) {
        if (off(ours, *other).worst > enough) other = short_steps(Method::cvode, 1e-11, steps);
      }
    } catch (const RunFailed&) {
      if (!other) other = short_steps(Method::automatic, 1e-11, 1e4);
    }
    const Difference d = off(ours, *other);
    if (d.worst < enough) return Outcome::agrees;
    const auto tight = run(Method::automatic, 1e-12);
    const double own = off(ours, tight).worst, rest = off(tight, *other).worst;
    if (rest < std::max(enough, own / 20)) return Outcome::accumulates;
    if (rest < 3 * off(*other, run(Method::cvode, 1e-10)).worst && rest < own) return Outcome::accumulates;
    const double mass = e_.body.mass;
    e_.body.mass = mass * (1 + 1e-9);
    const double moved = off(tight, run(Method::automatic, 1e-12)).worst;
    e_.body.mass = mass;
    if (moved > 0.01 * d.worst) return Outcome::sensitive;
    ADD_FAILURE() << name_ << ": " << d.worst << " in " << d.name << " at " << d.t << " (own " << own << ", rest "
                  << rest << ", moved " << moved << ")\n"
                  << s_.text;
    return Outcome::agrees;
  }

  Scenario& s_;
  Experiment& e_;
  std::string name_;
};

inline long from_environment(const char* name, long otherwise) {
  const char* text = std::getenv(name);
  return text ? std::strtol(text, nullptr, 10) : otherwise;
}

}  // namespace random_experiment
