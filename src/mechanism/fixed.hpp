#pragma once
#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "bristle/couple_all.hpp"
#include "mechanism/contacts.hpp"
#include "mechanism/recorded.hpp"

namespace bristle::mechanism {

/// Steps of fixed size, as a real-time simulation takes them: linearly implicit Euler for bodies, springs and
/// constraints, and one implicit solve of all contacts (couple_all) with the inertia that they feel through the
/// mechanism. Reactions and friction are iterated within a step.
class FixedRun : Recorded {
 public:
  FixedRun(const Mechanism& m, const Experiment& e, const RunOptions& options)
      : Recorded(m, e, options), e_(e), dt_(e.solver.step) {}

  Run run();

 private:
  void begin();
  struct Contact {
    std::size_t joint;
    std::unique_ptr<AnyContact> any;
    double F{}, path{};
    bool held{}, driven{},
        locked{};  // driven: friction does not change the slip velocity; locked: the joints allow none
  };
  JointState& joint(const Contact& c) { return eq_.joints[c.joint]; }
  double slip(const Contact& c) {
    const JointState& j = joint(c);
    return j.slip * eq_.slip_of(j, y_.data(), w_.data()).rate;
  }
  double threshold(const Contact& c) {
    if (e_.solver.stick_velocity > 0) return e_.solver.stick_velocity;
    return joint(c).sticky ? 0 : c.any->scales().velocity;
  }
  /// Rounding errors of the slip velocity after a step: a joint that the mechanism locks does not slip with them.
  double rounding(const Contact& c, double dt, const std::vector<double>& w) {
    return dt * negligible_acceleration(eq_, joint(c), y_.data(), w.data());
  }

  /// Accelerations, reactions and friction of a step from t to t + dt; the contacts advance. Returns why there are none, or "".
  std::string solve(double t, double dt);
  /// Forces of all contacts under given loads, none without a balance. `give`: what was added to the diagonal of W.
  std::vector<ContactStep> balance(const std::vector<ContactRef>& refs, const std::vector<double>& W,
                                   const std::vector<double>& give, const std::vector<Motion<double>>& u,
                                   const std::vector<double>& pull, const std::vector<std::size_t>& coupled,
                                   const std::vector<std::vector<double>>& states, double dt);

  void advance(double to);
  /// Energy that a step creates: bodies that turn far may leave their joints outwards, and return to them faster.
  double gain_of(const Equations::Powers& powers, double dt);
  /// A step has a solution even where accelerations have none: it stops the joint by an impulse (Painleve). The accelerations
  /// at its start tell such a stop from that of a body which friction slows down.
  void explain_stop(double t, const std::vector<double>& y, const std::vector<int>& slid);
  /// A step has no limits in between: the values before and after it take their place.
  void show_limits(double at);
  void make_row(double t);
  /// Rows between two steps are interpolated.
  void record(bool last);
  Run finish();
  [[noreturn]] void fail(const std::string& why) const { fail(why, t_); }
  [[noreturn]] void fail(const std::string& why, double t) const {
    throw RunFailed(fmt::format("{} at t = {:.6g} s with step {:.3g} s", why, t, dt_));
  }

  const Experiment& e_;
  double dt_, t_{}, t_before_{};
  std::vector<double> before_{}, load_{};
  std::vector<Contact> contacts_{};
  std::vector<int> reported_{};
  std::vector<std::vector<double>> free_{};
  // Parts of the largest kinetic energy: what all steps may create, of which one may take a twentieth, and what each may.
  // Steps beyond are halved, down to `finest_` of a step.
  static constexpr double most_gain_ = 0.01, least_gain_ = 1e-6, finest_ = 0.02;
  double energy_{}, gain_{};  // of the bodies; created by all steps
  double largest_{}, heaviest_{};
};

}  // namespace bristle::mechanism
