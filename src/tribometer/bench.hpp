#pragma once
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bristle/simulate.hpp"
#include "bristle/tribometer.hpp"

/// What the experiments are made of: a contact moved at will, a body pushed by forces, a run of the solver.
namespace bristle::tribometer {

inline constexpr double none = std::numeric_limits<double>::quiet_NaN();

inline double or_else(double given, double automatic) { return given > 0 ? given : automatic; }
inline std::vector<double> or_else(const Values& given, std::vector<double> automatic) {
  return given.size() > 0 ? std::vector<double>(given.begin(), given.end()) : std::move(automatic);
}
/// From a to b, `n` values at equal ratios.
std::vector<double> logarithmic(double a, double b, std::size_t n);

/// Throws Stopped when that is wanted.
void look_for_stop(const Specimen& s);

/// A contact whose motion is prescribed, piece by piece at constant velocity. A copy goes its own way.
class Mover {
 public:
  explicit Mover(const Specimen& s);
  Mover(const Mover& other);
  Mover& operator=(const Mover&) = delete;

  /// The force after dt at velocity v.
  double move(double velocity, double dt);
  /// To x in n pieces at that speed; seen(x, F) after each. The first piece is short, so that a force that jumps with the
  /// direction counts for all of the way.
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
  /// At v until the force stays as it is, or for as long as that could take.
  void settle(double velocity);

  /// Velocity that a body at rest on it takes up within dt under a load: 0 if the contact holds it.
  double released(double load, double mass, double dt) const;

  double dry() const { return F - kv_ * v; }  // without the viscous part
  double x = 0, t = 0, path = 0, v = 0, F = 0, work = 0;

 private:
  static constexpr double tiny = 1e-9;
  void leg(double velocity, double dt, bool counts);
  const Specimen& s_;
  std::unique_ptr<AnyContact> contact_;
  double kv_;
  double own_step_;
};

/// Friction at constant velocity for ever, viscous part included: mean, and the standard error of a force that fluctuates.
struct Steady {
  double F, error;
};
Steady steady_force(const Specimen& s, double v);

/// A body on the contact, in the real-time coupling with a fixed step.
class Body {
 public:
  Body(const Specimen& s, double mass);
  void push(double force, double dt);
  double x = 0, v = 0, t = 0, path = 0, F = 0;

 private:
  std::unique_ptr<AnyContact> contact_;
  double mass_, longest_;
};

/// Populations of asperities: no state equation, and a long way costs as much as it is long.
bool takes_steps_only(const AnyContact& contact);
/// Of them, those whose time passes in steps of their own, and costs; 0 for others. What is slower than V/20 is done at that
/// speed, where their friction no longer depends on it, but in 20 steps at least; what is faster than 10 V at that; and rests end
/// after 1000 X/V.
double own_step(const AnyContact& contact);
/// Contacts that only know a step, or draw at random, are no case for the variable-step solver.
bool takes_small_steps(const AnyContact& contact);

/// A run with the variable-step solver, or with small fixed steps.
struct Plan {
  SystemKind kind = SystemKind::prescribed;
  Drive drive{};
  double duration{}, rows{1000};
  BodyParams body{};
  std::vector<double> probes{};
};
Run run(const Specimen& s, const Plan& plan);

/// A column of a run, which always has t, x, v, F, F_app and drive.
const std::vector<double>& column(const Trace& trace, const char* name);

/// With few digits, for titles: "omega = 1.5 rad/s".
std::string text(const char* name, double value, const char* unit);

}  // namespace bristle::tribometer
