#pragma once
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "bristle/mechanism.hpp"
#include "mechanism/band.hpp"
#include "mechanism/geometry.hpp"
#include "mechanism/servo.hpp"
#include "simulate/shared/flow.hpp"

/// The equations of a mechanism as a differential-algebraic system of index 1:
///   q' = v,  v' = a,  z' = rate(z, slip velocity, load)
///   0 = forces + Phi_q' lambda - D' F + D' tau - M a      bodies
///   0 = -(d2 Phi/dt2)                                     joints
///   0 = law(z, s, v, N(lambda)) - F, or stuck: -(d2 s/dt2)  friction
///   0 = s'' (prescribed) - d2 s/dt2                       prescribed motions
/// Differential unknowns y = (q, v, z), algebraic ones w = (a, lambda, F, tau).
namespace bristle::mechanism {

inline constexpr std::size_t none = ~std::size_t{0};

struct JointState {
  const MechanismJoint* of{};
  JointFrame frame{};
  std::size_t rows{}, row{none}, force{none}, drive{none};  // places in w
  double slip{1};                                           // slip velocity over ds/dt: the radius of a bearing, else 1
  double side{1};                                           // N = side lambda of rolling and point joints
  std::unique_ptr<ContactFlow> flow{};
  std::size_t z{}, states{};  // in y: of the contact, then the slip distance where an effect reads it
  bool loaded = false, unilateral = false, sticky = false, rolls = false;  // rolls: without slip
  const Drive* motion = nullptr;
  std::vector<const MechanismSpring*> springs{};
  std::vector<const Drive*> forces{};
  std::unique_ptr<JointServo> servo{};

  // Changed by events only.
  int direction{};      // of a set-valued law: 0 stuck
  int branch{};         // of the normal load of a prismatic joint
  int kink{};           // sign of the slip velocity, for laws with a kink at rest
  bool held = false;    // slips by its law, but other stuck joints hold it
  bool locked = false;  // a set-valued law where the joints allow no motion: any force would do, and it gets none
  bool open = false;    // a separated contact, tried for the number of solutions
  double s_stuck{};
  int reported{};     // direction of the last event
  double mobility{};  // slip acceleration per force, of the two bodies alone
  double weight{};    // compliance of a stuck joint, where several forces are possible

  bool stuck() const { return rolls || (sticky && direction == 0 && !motion && !locked); }
};

/// Kinematics and forces of one joint, and their derivatives, where a step begins.
struct JointLinear {
  std::array<std::array<double, 6>, 3> J{}, acc_q{}, acc_v{};
  std::array<double, 6> D{}, rate_q{}, acc2_q{}, acc2_v{};
  std::array<std::array<double, 6>, 6> Q_q{}, Q_v{};  // of the forces on the two bodies
  std::array<double, 3> load_slope{};                 // of N
  double F_v{}, F_r{}, F_x{}, F_t{}, Q_t{};
  std::vector<double> F_z{}, rate_v{}, rate_r{}, rate_x{}, rate_z{}, inverse{}, to_rate{};
  double F_v_all{}, F_r_all{}, F_x_all{};  // with the states of the contact eliminated
  ServoLinear servo{};
};

class Equations {
 public:
  Equations(const Mechanism& m, const Experiment& e);

  const Mechanism& m;
  std::vector<JointState> joints{};
  std::size_t bodies{}, y_size{}, w_size{}, rows{};  // rows: of constraints
  double extent{1};                                  // of the mechanism, m
  double inside{};                                   // a time within the present smooth piece of the drives
  double temperature{20};
  bool soft = true;  // stuck joints have a tiny compliance, see stuck_softness

  std::vector<double> start() const;
  double next_corner(double t) const;  // of drives and references
  double next_sample(double t) const;  // of the servos
  double longest_step(double t) const;

  /// Residuals of the algebraic equations and rates of the contact states; without `laws` those of bodies and joints alone.
  void residual(double t, const double* y, const double* w, double* G, double* z_rate, bool laws = true) const;
  void linearise(double t, const double* y, const double* w);
  enum class Matrix { stage, balance, projection, frictionless };  // frictionless: a stage with given F
  /// Factors the matrix of a stage with g = gamma h, of the balance at fixed y, or of projections.
  bool factor(Matrix kind, double g = 0);
  double least_pivot() const { return matrix_.least_pivot(); }
  int determinant() const { return matrix_.sign(); }
  std::string place_of(std::size_t unknown) const;  // the joint or body of an unknown
  std::string weakest() const { return place_of(matrix_.weakest()); }
  /// One stage: r = right-hand sides of y, G of w; solutions U_y, U_w in their place.
  void solve_stage(double g, double* r, double* G, bool friction = true) const;
  void solve(double* x) const { matrix_.solve(x); }
  const std::vector<double>& in_time() const { return G_t_; }        // derivative of the residuals in time
  const std::vector<double>& rates_in_time() const { return z_t_; }  // of the rates of y after the velocities

  /// Moves q, v onto the constraints with the least change, weighted by mass; the largest error before, over the extent.
  double project_position(double t, double* y);
  double project_velocity(double t, double* y);
  bool project(double t, double* y);  // both, at small errors
  /// Errors of the constraints, over the extent (and over the velocity given).
  double violation(double t, const double* y) const;
  /// Whether friction depends on reactions; otherwise the balance is linear.
  bool loads_matter() const;
  /// Newton's method for w at fixed y and modes; false if there is no solution.
  bool balance(double t, const double* y, double* w);

  struct Slip {
    double s, rate, rate2;  // of the coordinate s
  };
  Slip slip_of(const JointState& j, const double* y, const double* w) const;
  double load_of(const JointState& j, const double* w) const;    // on the present branch
  double true_load(const JointState& j, const double* w) const;  // the largest over the branches
  int branch_count(const JointState& j) const;
  double form(const JointState& j, const double* w, int branch) const;
  Motion<double> motion_of(const JointState& j, double t, const double* y, const double* w) const;
  Motion<double> motion_of(const JointState& j, double t, const double* y, const double* w, const Slip& s) const;
  double friction_of(const JointState& j, const double* w) const { return j.force == none ? 0 : w[j.force]; }
  /// Force and moment of the first body on the second, without friction.
  std::array<double, 3> reaction_of(const JointState& j, const double* y, const double* w) const;

  /// Output of the servo of a joint, and its reference.
  double servo_force(const JointState& j, double t, const double* y, const double* w) const;
  double reference_of(const JointState& j, double t) const { return j.servo->of->reference.at(t, inside).value; }
  ContinuousServo::In servo_in(const JointState& j, double t, const double* y, double s, double rate) const;
  /// Sampled servos measure and compute their output where it is time for it; `T`: the step of a run with fixed steps.
  void sample(double t, const double* y, double T = 0);
  /// Modes of continuous servos at the start of a piece.
  void enter_servos(double t, const double* y);

  double kinetic(const double* y) const;
  double potential(const double* y) const;
  struct Powers {
    double drive{}, damper{}, held{};  // held: of stuck joints, by the rounding errors of their velocity
    std::vector<double> friction{};    // of each joint
  };
  void powers(double t, const double* y, const double* w, Powers& out) const;
  double mass_of(std::size_t coordinate) const {
    const MechanismBody& b = m.bodies[coordinate / 3];
    return coordinate % 3 == 2 ? b.inertia : b.mass;
  }
  std::vector<std::size_t> dependent{};  // rows that follow from others
  void find_dependent(const double* y);
  void follow_dependent(const double* y);  // after a change of y
  Pair<double> pair(const JointState& j, const double* y, const double* w) const;
  JointLinear linear_of(std::size_t joint) const { return linear_[joint]; }
  Signal prescribed(const JointState& j, double t) const { return j.motion->at(t, inside); }

 private:
  struct Link {  // a spring between points
    const MechanismSpring* of;
    int first, second;
    Point2 from, to;  // in the frames of the bodies
  };
  struct Push {  // an actuator on a body
    const MechanismActuator* of;
    int body;
    Point2 at;
  };
  struct LinkLinear {
    std::array<std::array<double, 6>, 6> Q_q{}, Q_v{};
  };
  double external(const JointState& j, double t, const double* y, double s, double rate, double& by_s, double& by_rate,
                  double& in_time) const;
  void linearise_servo(const JointState& j, double t, ServoLinear& out) const;
  struct Along {  // the force along s of a joint
    double force{}, by_s{}, by_rate{};
  };
  void linearise_joint(const JointState& j, const double* y, const double* w, const Along& along, JointLinear& l) const;
  void linearise_turn(const JointState& j, const double* y, const double* w, const Along& along, JointLinear& l) const;
  Pair<double> pair(int first, int second, const double* y, const double* w) const;
  template <class F> void each_local(int first, int second, F&& f) const {
    for (std::size_t k = 0; k < 3 && first >= 0; ++k) f(k, 3 * static_cast<std::size_t>(first) + k);
    for (std::size_t k = 0; k < 3 && second >= 0; ++k) f(3 + k, 3 * static_cast<std::size_t>(second) + k);
  }
  void shape();
  double slope_velocity(const JointState& j, double v) const;
  double softness(const JointState& j) const;
  void gradients(const double* y);
  void load_slopes(double t, const double* y, const double* w);
  bool near_manifold(double t, double* y, bool position, bool factored, double& before);

  std::vector<Link> links_{};
  std::vector<Push> pushes_{};
  std::vector<JointLinear> linear_{};
  std::vector<LinkLinear> link_linear_{};
  std::vector<double> push_turn_{}, G_t_{}, z_t_{};
  std::vector<std::vector<double>> null_{};  // combinations of rows that vanish, one per dependent row
  std::vector<char> replaced_{};             // dependent rows, by place in w
  bool projecting_ = false;                  // the matrix is that of projections
  BandMatrix matrix_{};
  struct Direction {
    double angle{}, c{1}, s{};
  };
  mutable std::vector<Direction> directions_{};  // of the frames of the bodies, at their last angles
  std::vector<double> still_{};                  // no accelerations
  mutable std::vector<double> unknown_{}, rate_{}, kq_{}, kv_{};
  mutable Slopes slopes_{};
};

}  // namespace bristle::mechanism
