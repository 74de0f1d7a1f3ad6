#pragma once
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "mechanism/recorded.hpp"
#include "simulate/shared/methods.hpp"

namespace bristle::mechanism {

inline constexpr const auto& K = rodas5p;
inline constexpr double caution = 0.5;          // on the tolerances: errors of a run stay below rtol (measured)
inline constexpr double force_tolerance = 1e3;  // error of a friction force over the largest force, in units of rtol
inline constexpr std::size_t S = K.alpha.size(), Dense = K.dense.size();

/// A quantity whose zero is an event.
struct Watch {
  enum Kind { rest, own, release, branch, kink, loss, report, saturation, dead_band } kind;
  std::size_t joint;
  int id;
  double value;    // an event is a rise through zero
  double ahead{};  // place within the step that decides, where the beginning does not
};

/// Variable steps by Rodas5P between exact events.
class VariableRun : Recorded {
 public:
  VariableRun(const Mechanism& m, const Experiment& e, const RunOptions& options)
      : Recorded(m, e, options), solver_(e.solver), duration_(e.solver.duration) {}

  Run run();

 private:
  void begin();
  Experiment e_sizes() const;
  Run finish();
  void enter_piece();
  /// The check of momentum does not see an impulse.
  void impulses();
  /// Directions of set-valued laws in joints with a prescribed motion; at rest they keep the last one.
  void follow_motions();
  double speed_size() const { return sizes_.empty() ? 1 : 10 * sizes_[3 * eq_.bodies]; }
  double first_step();
  void step();
  bool advance(double h);
  /// Guards of reactions and forces are inexact within a step: the length of the step that ends at the event by the secant
  /// rule. False: h is a better length, or with tries = 0 there is no event.
  struct Landing {
    double h{}, g{};  // the last length and its guard
    int tries{};
  };
  bool lands(const Watch& event, Landing& l, double& h);
  void settle_point(double t);
  double norm(double h) const;
  void dense(double theta, std::vector<double>& y, std::vector<double>& w) const;
  /// Keeps the step: rows, work, projection.
  void accept(double h, bool exact, double end);
  /// Powers and forces at one place of a step, and their part of the integrals.
  void look_at_forces(double t, const double* y, const double* w);
  void weigh(double weight);
  /// Projects y and solves for w in the present modes; unless `exact`, w keeps the error of the step where no mode depends
  /// on it.
  void settle(bool exact = true);
  void record(double until, bool last);
  /// The solution within the step, on the constraints.
  void exact(double t, double theta);
  double slip_velocity(const JointState& j, const std::vector<double>& y) const {
    return j.slip * eq_.slip_of(j, y.data(), zero()).rate;
  }
  const double* zero() const;
  auto row_now() {
    return [this](double t, double* row) { row_of(eq_, t, y_.data(), w_.data(), row); };
  }
  void watch(double t, const std::vector<double>& y, const std::vector<double>& w, std::vector<Watch>& out) const;
  void own_guards(const JointState& j, std::size_t i, const Motion<double>& u, const std::vector<double>& y,
                  std::vector<Watch>& out) const;
  /// The first rise of a guard through zero within the step.
  bool first_event(double h, Watch& found, double& theta);
  void look(double h, double theta, std::vector<Watch>& out);
  /// Illinois' method.
  double refine(double h, std::size_t i, double a, double fa, double b, double fb);
  /// An event with its left and right limits.
  void meet(const Watch& event);
  void at_event(const Watch& event);
  /// Adds the impulse that stopped a joint: a law with a stick zone stops at once.
  void stop(const std::vector<double>& moving);
  /// Chooses stick and slip, and reports changes.
  void choose(const JointState* leaving, bool start);
  void note(std::size_t i, int direction, bool start) { note(i, direction, start, t_); }
  void note(std::size_t i, int direction, bool start, double time);
  [[noreturn]] void fail_balance();
  [[noreturn]] void fail(const std::string& why) const;

  const SolverParams& solver_;
  double duration_, t_{}, h_{}, h_done_{}, piece_end_{}, corner_{inf}, last_err_{}, last_event_{-1};
  int at_once_{}, sign_{};
  bool guarded_ = true;                     // modes or friction depend on reactions
  bool continued_ = false;                  // the last step ended without an event
  bool jumped_ = false, happened_ = false;  // happened: an event was reported
  const JointState* stopped_ = nullptr;
  std::vector<double> y1_{}, w1_{}, point_{}, w_point_{}, error_{}, rates_{}, force_{}, sizes_{}, y0_{};
  std::vector<double> noise_{}, kink_slack_{}, threshold_{}, since_{}, impulse_{}, gross_{};
  mutable std::vector<double> zero_{};
  std::array<std::vector<double>, S> u_{}, uw_{};
  std::array<std::vector<Watch>, 7> seen_{};
  std::vector<Watch> probe_{};
  mutable std::vector<Guard> guards_{};
  std::map<std::pair<std::size_t, int>, double>
      guard_size_{};  // largest value of a guard of a law, for its rounding error
  Equations::Powers powers_{};
  double held_{}, largest_kinetic_{};
  double log_force_{};  // sum of the logarithms of the largest reactions
  std::size_t forces_{};
};

}  // namespace bristle::mechanism
