#pragma once
#include <array>
#include <string>
#include <vector>

#include "mechanism/equations.hpp"
#include "simulate/shared/limits.hpp"

namespace bristle::mechanism {

/// A compliance of stuck joints, equal for all, selects the least sum of F^2 where stuck joints depend on each other;
/// projections remove the motion that it allows. Relative to the most mobile joint; no joint gets more than `most_softness`
/// of its own mobility, so that the force of a heavy body remains exact.
inline constexpr double stuck_softness = 1e-12, most_softness = 5e-10;
/// Mobilities and compliances of the joints with friction.
void set_softness(Equations& eq, const double* y);

/// Stick or slip of the joints at rest, found together: every combination is tried.
struct Decision {
  int solutions = 0;                   // with different accelerations
  bool all = true;                     // all combinations were tried; otherwise there may be more solutions
  const JointState* opened = nullptr;  // a contact that all solutions lose
};
/// Chooses the modes at fixed y, keeping present ones where it can, and solves for w. `leaving`: a joint that cannot
/// remain stuck; `stopped`: one that has just come to rest.
Decision decide(Equations& eq, double t, const double* y, std::vector<double>& w, const JointState* leaving,
                const JointState* stopped);
/// Text about a decision without a solution, or with several; "" for one.
std::string objection_to(const Decision& d, const Equations& eq, double t);
/// Joint whose reaction grows at least as fast as its friction: no unique solution; or nullptr.
const JointState* runaway(Equations& eq, double t, const double* y, const double* w);
/// Slip accelerations below this are rounding errors, or the compliance of stuck joints.
double negligible_acceleration(const Equations& eq, const JointState& j, const double* y, const double* w);
/// The largest force of joints.
double force_size(const Equations& eq, const double* w);
/// Whether stuck joints leave a joint no motion.
bool is_held(Equations& eq, const JointState& j, const double* y);
void set_direction(Equations& eq, JointState& j, int direction, const double* y);

/// Natural sizes of y, the basis of tolerances: from quantities of the mechanism, so that results do not depend on units.
std::vector<double> sizes_of(const Equations& eq, const Experiment& e, const double* y, const double* w);

/// Whether the joints allow a joint no motion, in any position.
std::vector<char> locked_joints(const Equations& eq, const double* y);
/// Demands on positions and velocities, for messages: the joints, and the motions prescribed in some of them.
std::string demands_of(const Equations& eq);
/// Assembles the initial positions and velocities; remarks about changes.
std::vector<double> assembled(Equations& eq, std::vector<std::string>& notes);

/// Gains and inertias of compensations against the inertia that their joints have at the start: outside proofs, or unstable.
void examine_compensation(Equations& eq, const double* y, std::vector<std::string>& notes);

/// Rows of the trace.
std::vector<Column> columns_of(const Mechanism& m, const Experiment& e);
void row_of(const Equations& eq, double t, const double* y, const double* w, double* out);

/// Collects rows and probes.
class Rows {
 public:
  Rows(std::vector<Column> columns, std::vector<double> times);
  bool due(double until) const { return next_ < times_.size() && times_[next_] < until; }
  double time() const { return times_[next_]; }
  bool done() const { return next_ == times_.size(); }
  void put(const double* row);
  Trace trace{};

 private:
  std::vector<double> times_;
  std::size_t next_ = 0;
};

/// Hands the limits over to a run.
void finish_limits(const SolverParams& solver, Limits& limits, Run& run);

Run run_variable(const Mechanism& m, const Experiment& e, const RunOptions& options);
Run run_fixed(const Mechanism& m, const Experiment& e, const RunOptions& options);

}  // namespace bristle::mechanism
