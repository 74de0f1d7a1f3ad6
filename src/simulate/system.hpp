#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bristle/simulate.hpp"
#include "kernels/step.hpp"
#include "piece.hpp"
#include "servo.hpp"
#include "simulate/shared/flow.hpp"

/// The equations of one experiment between two events: states in one array, their rates, Jacobian, guards and jumps.
namespace bristle {

/// Dense rows of derivatives: one row per state and work integral, one column per state.
struct Jacobian {
  std::size_t columns{};
  std::size_t apart{};           // first states whose rates depend on none of the others of them
  std::vector<double> a{}, t{};  // t: derivative in time at fixed states
  double* row(std::size_t i) { return a.data() + i * columns; }
  const double* row(std::size_t i) const { return a.data() + i * columns; }
};

inline Spring<double> spring_of(const BodyParams& b) {
  return {b.stiffness, b.damping, b.rest_length, b.gravity, b.gravity_phase};
}

/// The change at an event, for the list of events.
struct Change {
  bool happened = false;
  Event::Kind kind = Event::stick;
  std::size_t body = 1;
};

/// Coupling of a block of a chain with its neighbours, whose states are before and after its own in one array.
struct Links {
  bool left = false, right = false, pulled = true;  // pulled: the drive acts on it
  double coupling{}, damping{};                     // N/m, N s/m, of the link to the left and of each damper
  double coupling_right{};
  std::ptrdiff_t to_left = -1, to_right = 1;  // neighbours, in blocks
  double push{};                              // constant force on an end
};

/// A range of states in one array.
struct States {
  std::size_t from, to;
};

class System {
 public:
  explicit System(const Experiment& experiment, const Links& links = {});

  /// States first (contact states, then the others, velocity last), then three work integrals without influence on
  /// states.
  std::size_t states() const { return n_; }
  std::size_t size() const { return n_ + works; }
  static constexpr std::size_t works = 3;
  static constexpr bool may_be_prescribed = true;
  static constexpr std::size_t bodies() { return 1; }
  std::size_t velocity_of(std::size_t /*body*/) const { return n_ - 1; }
  double position_of(std::size_t /*body*/, const double* y) const { return x_ != none ? y[x_] : 0; }
  States states_of(std::size_t /*body*/) const { return {0, size()}; }
  std::vector<double> start() const;
  const std::vector<double>& scales() const { return scale_; }  // natural size of every state
  /// Upper limit of a state in its tolerance: of a position only the distance to the drive counts.
  const std::vector<double>& largest() const { return largest_; }
  double longest_step() const {
    return std::min({longest_step_, drive_piece_.longest_step(), load_piece_.longest_step()});
  }
  double load(double t) const { return loaded_ ? load_piece_.at(t).value : 1; }  // normal load ratio
  /// Factor on the tolerances of long oscillations, where errors of steps add up.
  double caution() const { return caution_; }
  double slow_time() const;  // period of the body on its spring, or the whole run
  bool may_oscillate() const { return kind_ != SystemKind::prescribed && !quasi_static_ && !holding(); }
  /// No mass: the last row of rates and Jacobian, that of the velocity, is F_app - F = 0.
  bool quasi_static() const { return quasi_static_; }
  double spring_rate(const Jacobian& j) const { return std::max(-j.row(v_)[x_], 0.0); }  // stiffness over mass
  bool stiff() const;       // some contact has states or is steep
  bool smooth_law() const;  // no contact has states or switches
  const std::vector<std::string>& state_names() const { return names_; }

  /// Smooth pieces: the next time of an abrupt external change, and the change itself.
  double next_corner(double t) const;
  /// Whether the end of a piece at t is a corner for the limits of a run: the samples of a servo are none.
  bool corner_shown(double t) const {
    const double before = std::nextafter(t, 0.0);
    return !sampled_ || drive_.next_corner(before) <= t || load_.next_corner(before) <= t;
  }
  static constexpr bool shows(std::size_t /*body*/) { return true; }  // whether rows contain it
  /// Bound of the difference between the slip velocity of a prescribed motion and its linear interpolation over a step.
  double slip_curvature(double t, double h) const {
    return drive_piece_.curve(t, moves_by_position()).curvature * h * h / 8;
  }
  Change enter_piece(double t, double end, std::span<double> y) {
    leave_piece(t, y);
    return begin_piece(t, end, y);
  }
  void leave_piece(double t, std::span<double> y);
  Change begin_piece(double t, double end, std::span<double> y);

  void rates(double t, const double* y, double* f) const;
  void jacobian(double t, const double* y, Jacobian& j) const;

  /// Whether a guard may switch; if not, guards that report stick and slip depend on the slip velocity alone.
  bool may_switch() const {
    return any_hybrid_ || kind_ == SystemKind::prescribed ||
           (servo_ && !sampled_ && (servo_law_.c.limit < inf || servo_law_.c.dead_band > 0));
  }
  /// Whether no event can occur while the slip velocity stays within `near` of the values v0 and v1.
  bool nothing_to_tell(std::size_t /*body*/, double v0, double v1, double near) const {
    if (direction_ == 0) return std::max(std::abs(v0), std::abs(v1)) + near < stick_velocity_ || !(stick_velocity_ > 0);
    return std::min(direction_ * v0, direction_ * v1) - near > stick_velocity_;
  }
  /// Guards in an order that only events and pieces change.
  void guards(double t, const double* y, std::vector<Guard>& out) const {
    out.clear();
    add_guards(t, y, out);
  }
  void guards_of(std::size_t /*body*/, double t, const double* y, std::vector<Guard>& out) const { guards(t, y, out); }
  void add_guards(double t, const double* y, std::vector<Guard>& out) const;
  /// Whether the event of a guard is a zero of the slip velocity, as far as this is known.
  bool at_rest_guard(const Guard& g, double t, const double* y) const;
  bool is_at_rest(const Guard& g, double t, const double* y) const;
  bool follows_slip(const Guard& g, const double* y) const;  // differs from +-slip velocity by a constant
  /// The state from which a guard differs by its limit and sign; negative if none is known.
  int guarded_state(const Guard& g) const {
    if (g.owner < 0 || g.id < 0) return -1;
    const Part& p = parts_[static_cast<std::size_t>(g.owner)];
    const int first = p.flow->traits().guarded_states;
    return first < 0 || (p.flow->traits().limits_fall && prescribed()) ? -1 : static_cast<int>(p.at) + first + g.id;
  }
  /// Whether the limit of a guarded state falls with the slip speed; else it is constant.
  bool limit_falls(const Guard& g) const {
    return parts_[static_cast<std::size_t>(g.owner)].flow->traits().limits_fall;
  }
  /// Executes a switch. `ahead_*` is a point shortly after the event, which decides ambiguous cases.
  Change jump(const Guard& g, double t, std::span<double> y, double ahead_t, const double* ahead_y);

  /// One body on one contact, as steps of fixed size take it; none for other systems.
  struct Single {
    kernel::Body body;
    ContactFlow::Inside contact;
    Spring<double> spring;
    double mass, slip_mass, roll_mass, slip_part, temperature;
    bool usual;  // nothing but the spring, its drive and the contact with its usual options count
  };
  std::optional<Single> single() const;
  /// A slider whose spring, damper and drive act at the nominal load.
  static bool is_plain(const Experiment& e) {
    return e.kind == SystemKind::slider && !e.controller && !e.load && e.contacts.size() == 1 &&
           e.drive.of != DriveOf::velocity && e.body.gravity == 0 && e.body.mass > 0 &&
           e.body.start == Beginning::given;
  }
  /// All that acts from outside, where the end of the spring is no state: the drive is its position, a force, or the
  /// velocity that is given; or the servo holds its output.
  struct Acts {
    double on_end{}, on_body{}, held{};  // 1 where the drive is the end of the spring, and where it is a force
    bool by_velocity = false;
    [[gnu::always_inline]] Input<double> operator()(const Signal& d, double load = 1) const {
      return {on_end * d.value, by_velocity ? d.value : on_end * d.rate, on_body * d.value + held, load};
    }
  };
  const Acts& acts() const { return acts_; }
  [[gnu::always_inline]] Input<double> input(double t) const { return acts_(drive_at(t), load(t)); }
  Input<double> input_at(double t, const double* y) const {
    Input<double> in = input(t);
    if (xd_ != none) in.end = y[xd_];
    return in;
  }
  /// The derivatives of it in time; of the end, the acceleration.
  struct InputRates {
    double end_a, external;
  };
  [[gnu::always_inline]] InputRates input_rates(const Signal& d) const {
    return {acts_.by_velocity ? d.rate : acts_.on_end * d.rate2, acts_.on_body * d.rate};
  }
  double load_rate(double t) const { return loaded_ ? load_piece_.at(t).rate : 0; }
  /// Whether position, force and load go on as they begin.
  bool input_is_straight() const {
    return (sampled_ || (drive_piece_.straight() && !acts_.by_velocity)) && (!loaded_ || load_piece_.straight());
  }
  bool moves_by_position() const { return drive_.of == DriveOf::position; }
  const ContactFlow& contact() const { return *parts_.front().flow; }
  Signal drive_at(double t) const { return drive_piece_.at(t); }  // on the current piece
  void foresee(const double* t, std::size_t n) const { drive_piece_.foresee(t, n); }
  bool drives_straight() const { return drive_piece_.straight(); }
  DrivePiece::Line drive_line() const { return drive_piece_.line(); }
  bool holding() const;
  /// Slip velocity for derivatives of the contacts: on the side of a kink at rest to which the body leaves, and no
  /// nearer to a cusp than the tolerance resolves. The slope is infinite at a cusp: an implicit step with it would not
  /// move under any load, and its error estimate would be zero.
  double slope_velocity(double v) const {
    const int leaves = any_set_valued_ && direction_ != 0 ? direction_ : side_;
    if (rest_ > 0 && std::abs(v) < rest_) {
      if (v * leaves > 0 && std::abs(v) > 1e-6 * rest_) return v;
      return leaves < 0 || (leaves == 0 && v < 0) ? -rest_ : rest_;
    }
    return kink_ && leaves != 0 && v * leaves <= 0 ? leaves * std::max(std::abs(v), beside_rest()) : v;
  }
  /// A tiny slip velocity in units of the law, whose slope may depend on it logarithmically.
  double beside_rest() const { return 1e-250 * (contact_scales_.velocity > 0 ? contact_scales_.velocity : 1); }
  void take_side(std::size_t /*body*/, int side) { side_ = side; }  // of the kink, where the body goes next

  double slip(double t, const double* y) const {  // slip velocity
    if (kind_ != SystemKind::prescribed) return y[v_];
    const Signal d = drive_at(t);
    return moves_by_position() ? d.rate : d.value;
  }
  double body_velocity(const double* y) const { return roll_ != none ? y[roll_] + slip_part_ * y[v_] : y[v_]; }
  double spin(const double* y) const { return (y[roll_] - (1 - slip_part_) * y[v_]) / disk_.radius; }
  /// Slip velocities below this are rounding errors, far below the tolerance.
  double slip_noise(double rtol) const { return v_ != none ? 1e-4 * rtol * scale_[v_] : 0; }
  /// Whether a step keeps contact states in their invariant range; a wrong step, usually across a breakaway, does not.
  bool within_bounds(const double* from, const double* to) const;
  /// Characteristic slip velocity of the steady curve; negative if rest is an event of the law itself.
  double knee_velocity() const { return v_ != none && kink_ ? contact_scales_.velocity : -1; }
  double force_scale() const { return contact_scales_.force; }
  double work_scale() const { return work_scale_; }
  double stick_velocity() const { return stick_velocity_; }
  double rest_velocity() const { return rest_; }     // indistinguishable from rest, for a law with a cusp at rest; or 0
  double force_size() const { return force_size_; }  // largest force of friction and drive
  /// The momentum that the forces of the experiment can give to the body during the run; 0 if unknown.
  double momentum_bound() const { return momentum_bound_; }
  /// Number of momenta: of the body, and of the rim of a roller (inertia x omega / radius). None for a prescribed
  /// motion.
  std::size_t momenta() const { return prescribed() ? 0 : roll_ != none ? 2 : 1; }
  void momentum(const double* y, double* out) const;
  void net_forces(const double* rates, double* out) const {  // F_app - F, and F on the rim
    if (quasi_static_) {
      out[0] = rates[v_];
    } else {
      momentum(rates, out);
    }
  }
  void applied_forces(double t, const double* y, double* out) const;
  /// Columns of the trace and one row of it.
  std::vector<Column> columns() const;
  static constexpr std::size_t none = ~std::size_t{0};
  /// States behind the columns: x, v (slip velocity of a disk), its rolling velocity and slip distance, the reference of a
  /// servo; those of the contacts with their columns.
  struct Shown {
    std::size_t x{none}, v{none}, roll{none}, distance{none}, reference{none};
    double slip_part{1}, radius{1};
    bool servo{};
    std::size_t after_states{};  // the first column after those of the contacts
    std::vector<std::pair<std::size_t, std::size_t>> states{};
  };
  const Shown& shown() const { return shown_; }
  /// Of the compensator of a sampled servo, since its last sample.
  std::vector<double> estimates() const {
    const Compensator* c = sampled_servo_.compensator();
    std::vector<double> out(c ? c->size() : 0);
    if (c) c->estimates(out.data());
    return out;
  }
  void row(double t, const double* y, double* out) const;
  /// Friction times slip velocity. For a prescribed motion it is also the power of the drive, which add_work integrates
  /// independently of the solver, so that the balance is a check.
  double power(double t, const double* y) const {
    const Motion<double> u = motion(t, y);
    return friction(u, y, nullptr) * u.v;
  }
  bool prescribed() const { return kind_ == SystemKind::prescribed; }
  double mass() const { return body_.mass; }
  void add_work(double work) { put_in_ += work; }
  double stick_margin(double t, const double* y,
                      std::size_t body = 1) const;  // relative distance of the load from breakaway
  EnergyBalance energy(double t, std::span<const double> y) const;
  void begin_energy(std::span<const double> y);

  /// Memory of one body besides its states. The equal blocks of a chain share a system, each with its own memory and
  /// that of its contact.
  struct Memory {
    int side{}, direction{};
    double spring_before{}, initial_kinetic{}, initial_spring{}, put_in{};
    double place{};  // where the position of the block counts from
  };
  Memory memory() const {
    return {side_, direction_, spring_before_, initial_kinetic_, initial_spring_, put_in_, place_};
  }
  void recall(const Memory& m, void* contact) {
    side_ = m.side;
    direction_ = m.direction;
    spring_before_ = m.spring_before;
    initial_kinetic_ = m.initial_kinetic;
    initial_spring_ = m.initial_spring;
    put_in_ = m.put_in;
    place_ = m.place;
    parts_.front().flow->use_memory(contact);
  }

 private:
  struct Applied {  // everything but friction that acts on the body
    double F{}, F_x{}, F_v{}, F_xd{}, F_ei{}, F_filter{}, F_t{};
    double power{}, damper{};  // power of the drive; loss in the damper
    double load{}, load_x{};   // transmitted by drive, spring or servo: F without gravity and neighbours
  };
  struct Part {
    std::unique_ptr<ContactFlow> flow;
    std::string name;
    std::size_t at{};  // first state
    double share{};    // share of the holding force among set-valued laws
    double kept{};     // prescribed: last slip force, used at rest
    mutable Slopes slopes{};
  };

  struct Excitation {
    double part;   // fraction of the holding force or stretch, at most 1, which scales the motion
    double swing;  // amplitude of the drive: m or N; a velocity times the duration
    double rate;   // m/s or N/s
    double force;  // largest force of drive, spring, servo and gravity, N
  };
  Excitation excitation() const;
  struct Sizes {
    double x, v, work;
    double slack;  // stretch of the spring at breakaway; 0 without a spring
  };
  Sizes natural_sizes(const SolverParams& solver);
  double momentum_of(const Excitation& drive) const;
  void along_velocity(double* row, double slope) const;  // derivative with respect to the velocity of the body
  Applied applied(double t, const double* y, Jacobian* j) const;
  double applied_force(double t, const double* y) const;  // F of it
  Motion<double> motion(double t, const double* y) const;
  /// Sum of the friction forces; rates of the contact states into f if given.
  double friction(const Motion<double>& u, const double* y, double* f, double* each = nullptr) const;
  double holding_force(double t, const double* y) const;  // force on the set-valued laws
  void stop_slip(std::span<double> y) const;
  Change report(int direction);
  void sample(double t, std::span<const double> y);
  ContinuousServo::In servo_in(double t, const double* y) const;
  /// Derivatives of a result of the servo with respect to states and time.
  void along_servo(const ContinuousServo::Slopes& s, double t, double* row, double& in_time) const;
  double reference_jerk(double t) const;
  double balanced_velocity(double t, const double* y) const;  // of a body without mass
  double mass_of_scale() const;                               // in its place in natural sizes
  double mechanical_energy(double t, const double* y, bool kinetic) const;

  SystemKind kind_;
  Links links_;
  BodyParams body_;
  Spring<double> spring_{};  // none of a servo
  DiskParams disk_;
  Drive drive_;
  Drive load_;
  DrivePiece drive_piece_{drive_}, load_piece_{load_};
  bool loaded_ = false, servo_ = false, sampled_ = false, quasi_static_ = false;
  ContinuousServo servo_law_{};
  SampledServo sampled_servo_{};
  std::vector<Part> parts_;
  double slip_mass_{}, stick_velocity_{}, duration_{};
  double slip_part_{1};  // v = rolling velocity + slip_part slip velocity
  double roll_mass_{};

  std::size_t n_{}, path_ = none, ei_ = none, filter_ = none, xd_ = none, x_ = none, s_ = none, roll_ = none,
                    v_ = none;  // roller: slip distance s = x - radius phi, rolling velocity; v_ is the slip velocity
  std::vector<double> scale_{}, largest_{};
  std::vector<std::string> names_{};
  Scales<double> contact_scales_{};
  double work_scale_{}, force_size_{}, momentum_bound_{}, caution_{1};
  bool any_set_valued_ = false, any_hybrid_ = false, kink_ = false, cusp_ = false, feels_load_ = false;

  // Changed by events and pieces only.
  double inside_{};                     // a time within the current piece
  double piece_end_{}, reversal_{inf};  // end of the piece; next reversal of a prescribed motion
  bool turns_known_ = false;            // reversals are known
  double longest_step_{};               // allowed by the contacts
  double rest_{};                       // slip velocity indistinguishable from rest, for a law with a cusp at rest
  int side_{};                          // sign of the slip velocity, for kinks
  int direction_{};                     // as last reported: 0 stuck
  bool resting_ = false;                // prescribed: the current piece is at rest
  Shown shown_{};
  Acts acts_{};
  double spring_before_{};  // energy at the end of a piece
  double initial_kinetic_{}, initial_spring_{}, put_in_{}, place_{};
  mutable std::vector<double> scratch_{}, gradient_{}, each_{}, moved_{};
  mutable std::vector<const double*> row_from_{};
  mutable std::vector<double*> row_to_{};
  mutable std::vector<Guard> guards_{};
};

inline double natural_or(double value, double fallback) { return value > 0 && std::isfinite(value) ? value : fallback; }

/// Error of the balance over the largest term or the largest kinetic energy of the run: an oscillating body may end in
/// its initial state.
double missing_part(const EnergyBalance& e, double kinetic_on_the_way = 0);

}  // namespace bristle
