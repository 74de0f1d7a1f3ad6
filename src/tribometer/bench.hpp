#pragma once
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bristle/simulate.hpp"
#include "bristle/tribometer.hpp"

/// Parts of the experiments: prescribed motion of a contact, a body under forces, a run of the solver.
namespace bristle::tribometer {

inline constexpr double none = std::numeric_limits<double>::quiet_NaN();

inline double or_else(double given, double automatic) { return given > 0 ? given : automatic; }
inline std::vector<double> or_else(const Values& given, std::vector<double> automatic) {
  return given.size() > 0 ? std::vector<double>(given.begin(), given.end()) : std::move(automatic);
}
/// `n` values from a to b with equal ratios.
std::vector<double> logarithmic(double a, double b, std::size_t n);

/// Whether a picture is wanted, fast and rough.
inline bool draft(const Specimen& s) { return s.rtol > 1e-6; }

/// Throws Stopped after a request to stop.
void look_for_stop(const Specimen& s);

/// A contact under prescribed motion in pieces of constant velocity. Copies are independent.
class Mover {
 public:
  explicit Mover(const Specimen& s);
  Mover(const Mover& other);
  Mover& operator=(const Mover&) = delete;

  /// The force after dt at velocity v.
  double move(double velocity, double dt);
  /// Moves to x in n pieces at a speed; calls seen(x, F) after each. The first piece is short, so that a jump of the
  /// force at a reversal is at the start of the path.
  template <class Seen> void go(double goal, double speed, int n, Seen&& seen) {
    const double from = x, way = goal - from, velocity = way > 0 ? speed : -speed, whole = std::abs(way) / speed;
    if (way == 0) return;
    leg(velocity, tiny * whole, false);
    double done = tiny;
    for (int i = 1; i <= n; ++i) {
      const double part = static_cast<double>(i) / n;
      leg(velocity, (part - done) * whole, true);
      done = part;
      x = i == n ? goal : from + way * part;
      seen(x, F);
    }
  }
  void go(double goal, double speed, int n) {
    go(goal, speed, n, [](double, double) {});
  }
  /// Moves at v until the force is steady, up to a maximum distance.
  void settle(double velocity);

  /// Velocity of a body after dt under a load, from rest: 0 if the contact holds it.
  double released(double load, double mass, double dt) const;

  double dry() const { return F - s_.sizes.viscous(v); }  // without the viscous part
  double x = 0, t = 0, path = 0, v = 0, F = 0, work = 0;

 private:
  static constexpr double tiny = 1e-9;
  void leg(double velocity, double dt, bool counts);
  const Specimen& s_;
  std::unique_ptr<AnyContact> contact_;
  double own_step_;
};

/// Steady friction at constant velocity, with the viscous part: mean, and standard error of a fluctuating force.
struct Steady {
  double F, error;
};
Steady steady_force(const Specimen& s, double v);

/// A body on the contact with the real-time coupling of fixed step.
class Body {
 public:
  Body(const Specimen& s, double mass);
  void push(double force, double dt);
  double x = 0, v = 0, t = 0, path = 0, F = 0;

 private:
  std::unique_ptr<AnyContact> contact_;
  double mass_, longest_;
};

/// Populations of asperities: no state equation; cost is proportional to distance.
bool takes_steps_only(const AnyContact& contact);
/// The internal time step of a population whose cost is proportional to time; 0 for others. Speeds below V/20 are
/// replaced by V/20, where friction no longer depends on speed, with at least 20 steps; speeds above 10 V by 10 V;
/// rests end after 1000 X/V.
double own_step(const AnyContact& contact);
/// Whether a contact requires fixed steps: it has no state equation or is random.
bool takes_small_steps(const AnyContact& contact);

/// A run with the variable-step solver, or with small fixed steps.
struct Plan {
  SystemKind kind = SystemKind::prescribed;
  Drive drive{};
  double duration{}, rows{1000};
  BodyParams body{};
  std::vector<double> probes{};
  double fastest = inf;  // a run with fixed steps ends where the body is faster
  bool trace = true;     // false: the probes alone
};
Run run(const Specimen& s, const Plan& plan);

/// A column of a run, which always has t, x, v, F, F_app and drive.
const std::vector<double>& column(const Trace& trace, const char* name);

/// A value with few digits for titles: "omega = 1.5 rad/s".
std::string text(const char* name, double value, const char* unit);

}  // namespace bristle::tribometer
