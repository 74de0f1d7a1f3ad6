#pragma once
#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "registry/any.hpp"
#include "simulate/chain.hpp"
#include "simulate/compensation.hpp"
#include "simulate/drive.hpp"
#include "trace.hpp"

/// Simulation of an experiment (body, contacts, drive): trajectory, events and energy balance.
namespace bristle {

/// The systems.
enum class SystemKind { prescribed, slider, roller, chain, multibody };

/// The moving body and its spring. F_app = stiffness (drive - x - rest_length) + damping (drive' - v)
///                                         - gravity sin(x - gravity_phase), for a pendulum with angle x.
/// A body without mass is quasi-static: F_app = F at all times.
enum class Beginning { given, steady };
constexpr std::array<const char*, 2> choices(Beginning) { return {"given", "steady"}; }
/// The body of a slider or roller.
struct BodyParams {
  double mass{1}, stiffness{0}, damping{0}, rest_length{0}, x0{0}, v0{0}, temperature{20}, gravity{0}, gravity_phase{0};
  Beginning start{Beginning::given};
  static constexpr auto fields() {
    using B = BodyParams;
    return Fields{
        Field{&B::mass, "mass", "kg", "mass, or 0 for a quasi-static body", Range{0, limit::most}},
        Field{&B::stiffness, "stiffness", "N/m", "spring between drive and body", nonnegative, role::optional},
        Field{&B::damping, "damping", "N s/m", "damper parallel to the spring", nonnegative, role::optional},
        Field{&B::rest_length, "rest_length", "m", "length of the spring at rest", any_real, role::optional},
        Field{&B::x0, "x0", "m", "position at t = 0", any_real, role::optional},
        Field{&B::v0, "v0", "m/s", "velocity at t = 0", any_real, role::optional},
        Field{&B::temperature, "temperature", "degC", "temperature of the contact", Range{-273.15, 5000},
              role::optional},
        Field{&B::gravity, "gravity", "N",
              "largest force of gravity on a pendulum, a quarter turn from its rest position", nonnegative,
              role::optional},
        Field{&B::gravity_phase, "gravity_phase", "rad", "rest position of the pendulum", any_real, role::optional},
        Field{&B::start, "start", "1",
              "given: x0, v0 and the initial states; steady: steady sliding at the velocity of the drive", any_real,
              role::optional}};
  }
};
/// A rolling disk with the mass of the body: slip = v - omega radius.
struct DiskParams {
  double radius{1}, inertia{0}, omega0{0};
  static constexpr auto fields() {
    using D = DiskParams;
    return Fields{
        Field{&D::radius, "radius", "m", "radius", positive},
        Field{&D::inertia, "inertia", "kg m^2", "moment of inertia; half m r^2 unless given", positive, role::optional},
        Field{&D::omega0, "omega0", "rad/s", "angular velocity at t = 0; v0/radius unless given", any_real,
              role::optional}};
  }
};
/// Measurement in the loop of a servo: x(t - delay) + noise, rounded to `step`, once per sample.
enum class MeasuredVelocity { automatic, exact, difference, filter };
constexpr std::array<const char*, 4> choices(MeasuredVelocity) { return {"auto", "exact", "difference", "filter"}; }
/// The sensor of a servo.
struct SensorParams {
  double step{0}, noise{0}, delay{0};
  MeasuredVelocity velocity{MeasuredVelocity::automatic};
  int seed{1};
  static constexpr auto fields() {
    using S = SensorParams;
    return Fields{
        Field{&S::step, "step", "m", "resolution of the measured x; requires sample_time", nonnegative, role::optional},
        Field{&S::noise, "noise", "m",
              "standard deviation of the measured x, new in every sample; requires sample_time", nonnegative,
              role::optional},
        Field{&S::delay, "delay", "s", "age of the measured x and v when the servo uses them; requires sample_time",
              nonnegative, role::optional},
        Field{
            &S::velocity, "velocity", "1",
            "exact: v itself; difference: of two samples of x; filter: of x by derivative_filter; auto: filter with a "
            "derivative_filter, otherwise exact for a continuous servo and difference for a sampled one",
            any_real, role::optional},
        Field{&S::seed, "seed", "1", "of the noise", Range{0, 2147483647}, role::optional}};
  }
};

/// A servo that replaces the spring, e = drive - x without the dead band:
/// pid:     u = kp e + ki int(e) + kd de/dt; the rate of the drive enters de/dt with the factor derivative_weight
/// cascade: u = velocity_gain w + velocity_integral int(w), w = position_gain e + velocity_feedforward drive' - v
/// both:    + acceleration_feedforward drive'' + the friction of a model along the reference, limited to +-limit
enum class ControllerKind { pid, cascade };
constexpr std::array<const char*, 2> choices(ControllerKind) { return {"pid", "cascade"}; }
/// A servo.
struct ControllerParams {
  double kp{0}, ki{0}, kd{0}, sample_time{0}, limit{inf}, encoder_step{0}, derivative_weight{1};
  ControllerKind kind{ControllerKind::pid};
  double position_gain{0}, velocity_gain{0}, velocity_integral{0}, velocity_feedforward{0};
  bool anti_windup{false};
  double derivative_filter{0}, dead_band{0}, acceleration_feedforward{0};
  SensorParams sensor{};              // its sensor
  CompensationParams compensation{};  // its compensation of friction

  /// Whether a position loop contains a velocity loop.
  bool cascade() const { return kind == ControllerKind::cascade; }
  /// Whether it acts at samples.
  bool sampled() const { return sample_time > 0; }
  MeasuredVelocity velocity() const {
    if (sensor.velocity != MeasuredVelocity::automatic) return sensor.velocity;
    return derivative_filter > 0 ? MeasuredVelocity::filter
           : sampled()           ? MeasuredVelocity::difference
                                 : MeasuredVelocity::exact;
  }
  /// Step of the sensor, m.
  double resolution() const { return sensor.step > 0 ? sensor.step : encoder_step; }
  /// As a spring and a damper would act, and the gain of the integral of e or w.
  double stiffness() const { return cascade() ? velocity_gain * position_gain + velocity_integral : kp; }
  double damping() const { return cascade() ? velocity_gain : kd; }
  /// The integral gain of its kind.
  double integral() const { return cascade() ? velocity_integral : ki; }
  /// The gain on the velocity or position error of its kind.
  double proportional() const { return cascade() ? velocity_gain : kp; }
  /// Whether u contains the derivative of the reference, which must then not jump.
  bool differentiates() const {
    if (sampled() || velocity() == MeasuredVelocity::filter) return cascade() && !sampled() && feeds_velocity();
    return cascade() ? feeds_velocity() : kd * derivative_weight != 0;
  }
  /// Whether the reference velocity is fed forward.
  bool feeds_velocity() const { return velocity_gain * velocity_feedforward != 0; }
  static constexpr auto fields() {
    using C = ControllerParams;
    return Fields{
        Field{&C::kp, "kp", "N/m", "proportional gain", any_real, role::optional},
        Field{&C::ki, "ki", "N/(m s)", "integral gain", any_real, role::optional},
        Field{&C::kd, "kd", "N s/m", "derivative gain", any_real, role::optional},
        Field{&C::sample_time, "sample_time", "s", "interval of a sampled u; 0: continuous", nonnegative,
              role::optional},
        Field{&C::limit, "limit", "N", "largest |u|; the integral keeps growing without anti_windup", positive_or_off,
              role::optional},
        Field{&C::encoder_step, "encoder_step", "m", "the same as step in [controller.sensor]", nonnegative,
              role::optional},
        Field{&C::derivative_weight, "derivative_weight", "1",
              "weight of the reference in the derivative; 0: feedback of the measured velocity alone", Range{0, 1},
              role::optional},
        Field{&C::kind, "kind", "1", "pid, or cascade: a velocity loop inside a position loop", any_real,
              role::optional},
        Field{&C::position_gain, "position_gain", "1/s", "of a cascade: velocity per position error", any_real,
              role::optional},
        Field{&C::velocity_gain, "velocity_gain", "N s/m", "of a cascade: force per velocity error", any_real,
              role::optional},
        Field{&C::velocity_integral, "velocity_integral", "N/m",
              "of a cascade: force per integral of the velocity error", any_real, role::optional},
        Field{&C::velocity_feedforward, "velocity_feedforward", "1",
              "of a cascade: weight of the velocity of the reference in that of the inner loop", Range{0, 1},
              role::optional},
        Field{&C::anti_windup, "anti_windup", "1",
              "at the limit the integral follows u, with the time constant kp/ki (velocity_gain/velocity_integral)",
              any_real, role::optional},
        Field{&C::derivative_filter, "derivative_filter", "s",
              "time constant of a first-order low-pass on the derivative; 0: none", nonnegative, role::optional},
        Field{&C::dead_band, "dead_band", "m", "position errors up to this count as 0, larger ones less by it",
              nonnegative, role::optional},
        Field{&C::acceleration_feedforward, "acceleration_feedforward", "kg", "force per acceleration of the reference",
              any_real, role::optional}};
  }
};

/// Methods of integration.
enum class Method { automatic, rodas, explicit_pair, cvode, fixed };

/// Options of the solver.
struct SolverParams {
  double duration{1}, rtol{1e-8}, atol{0}, output_step{0}, step{0}, max_steps{1e7}, stick_velocity{0};
  bool event_rows{false};
  std::vector<int> record{};  // recorded blocks of a chain; empty: all
  static constexpr auto fields() {
    using S = SolverParams;
    return Fields{
        Field{&S::duration, "duration", "s", "length of the run", positive},
        Field{&S::rtol, "rtol", "1", "relative tolerance", Range{1e-13, 1e-2}, role::optional},
        Field{&S::atol, "atol", "1", "absolute tolerance of every state; rtol x its own scale unless given", positive,
              role::optional},
        Field{&S::output_step, "output_step", "s", "time between rows; duration/1000 unless given", positive,
              role::optional},
        Field{&S::step, "step", "s", "step of method fixed", positive, role::optional},
        Field{&S::max_steps, "max_steps", "1", "largest number of steps", Range{1, 1e12}, role::optional},
        Field{&S::stick_velocity, "stick_velocity", "m/s",
              "a law without exact stick counts as stuck below this; vs unless given", positive, role::optional},
        Field{&S::event_rows, "event_rows", "",
              "two more rows, the left and the right limit, at every event and corner of a drive", any_real,
              role::optional}};
  }
};

/// A contact with its name.
struct NamedContact {
  std::string name;  // empty for a single contact
  std::unique_ptr<AnyContact> contact;
  double normal_load{};  // nominal, N; 0: that of the model's parameter, if it has one
};

struct Experiment;
struct Run;
struct RunOptions;
/// A system with equations of its own: a mechanism, see mechanism.hpp. Its contacts are those of the experiment.
class OwnSystem {
 public:
  virtual ~OwnSystem() = default;
  virtual std::vector<Column> columns(const Experiment& e) const = 0;  // without values
  virtual std::string objection(const Experiment& e) const = 0;        // or ""
  virtual Run run(const Experiment& e, const RunOptions& options) const = 0;
};

/// A system with its contacts, drives and solver.
struct Experiment {
  SystemKind kind = SystemKind::slider;
  BodyParams body{};                     // mass, spring and start
  DiskParams disk{};                     // roller; inertia 0: half m r^2
  ChainParams chain{};                   // chain of blocks, for kind = "chain"
  std::vector<NamedContact> contacts{};  // contacts of the body
  Drive drive{};
  std::optional<Drive> load{};                   // normal load ratio; empty: 1
  std::optional<ControllerParams> controller{};  // the servo; empty: a spring
  std::unique_ptr<AnyContact> feedforward{};     // its force along the reference is added to u
  SolverParams solver{};                         // options of the solver
  Method method = Method::automatic;             // method of integration
  std::shared_ptr<const OwnSystem> own{};        // multibody
};

/// A change between stick and slip.
struct Event {
  double t;  // time, s
  /// The kinds of events.
  enum Kind { stick, slip_forward, slip_backward } kind;
  int body;    // 1, 2...
  double x{};  // its position
};
const char* to_string(Event::Kind kind);  // stick, slip+, slip-

/// work of the drive = changes of kinetic and potential energy + damper + friction. All in J; `spring` is the potential
/// energy of the spring and of gravity.
struct EnergyBalance {
  // kinetic: change of kinetic energy, J; spring: change of the energy of springs, J; damper: work of dampers, J;
  // friction: work of friction, J
  double drive{}, kinetic{}, spring{}, damper{}, friction{};
  double error{};  // residual, over the largest term or the largest kinetic energy of the run
};

/// m dv = integral of (F_app - F) dt for every body and for the rotation of a roller.
struct MomentumBalance {
  double error{};  // largest gap in the run, over the integral of |F_app| or the largest momentum; NaN: not computed
};

/// Numbers of a run.
struct Summary {
  std::string method;                                                        // the method that ran
  std::int64_t steps{}, rejected{}, evaluations{}, jacobians{}, switches{};  // switches: restarts at events of any kind
  EnergyBalance energy{};                                                    // balance of energy
  MomentumBalance momentum{};                                                // balance of momentum
  double duration{};                                                         // simulated time, s
  double seconds{};                                                          // computing time
  std::vector<std::string> notes{};
  /// Dissipated energy of one contact.
  struct Loss {
    std::string name;  // of a joint
    double friction;   // J
  };
  std::vector<Loss> losses{};  // of a mechanism, joint by joint
  double violation{-1};        // largest error of the constraints over the size of a mechanism; -1: there are none
};

/// The result of an experiment.
struct Run {
  Trace trace;                // rows at output_step, from 0 to duration; columns only without RunOptions::rows;
                              // with SolverParams::event_rows the limits are among them
  Trace probes;               // the same columns at RunOptions::probes
  std::vector<Event> events;  // in order of time
  Summary summary;            // numbers of the run
  Trace population{};         // asperities at the end, see snapshot.hpp; empty for other models
  /// Pairs of rows with the same time: left and right limits at events and at corners of drive and load. Kept with rows.
  Trace limits{};
  std::vector<std::string> bodies{};   // names for Event::body; empty: numbers
  std::vector<SlipEvent> catalogue{};  // of a chain, in order of the end
  /// The name of the body of an event.
  std::string body_of(const Event& e) const {
    const auto i = static_cast<std::size_t>(e.body) - 1;
    return i < bodies.size() ? bodies[i] : std::to_string(e.body);
  }
};
/// The rows of a run and its limits in order of time; the right limit replaces a row at its time.
Trace with_limits(const Run& run);
/// Values of a column, or of the difference, product or ratio of two, in the rows of with_limits.
std::optional<Column> column_of(const Run& run, std::string_view name);

/// A failed run; what() contains time, step and state.
struct RunFailed : std::runtime_error {
  using std::runtime_error::runtime_error;
};
/// The motion grew without limit.
struct RunDiverged : RunFailed {
  using RunFailed::RunFailed;
};

/// Thrown after RunOptions::stop was set.
struct Stopped : std::runtime_error {
  Stopped() : std::runtime_error("stopped") {}
};
/// Options of a run.
struct RunOptions {
  std::vector<double> probes{};                       // times within the run
  std::function<void(double)> progress{};             // called regularly with the time reached
  const std::atomic<bool>* stop = nullptr;            // if set, simulate throws Stopped within a second
  bool rows = true;                                   // false: no rows at output_step are computed or kept
  std::function<void(const SlipEvent&)> catalogue{};  // called with every event of a chain when it is over
  /// Throws Stopped if the run is to stop.
  void heed() const {
    if (stop && stop->load(std::memory_order_relaxed)) throw Stopped();
  }
};

/// Name of a column of block 1, 2...: x, x2; elements of arrays f1, f1_2.
std::string name_in_chain(const std::string& column, std::size_t block);

/// Rows of the trace and their size in bytes, and their limits.
double row_count(const SolverParams& solver);
/// Times of the rows.
std::vector<double> row_times(const SolverParams& solver);
inline constexpr double most_rows = 2e7;  // largest number of rows
/// Memory of the rows of an experiment.
double trace_bytes(const Experiment& experiment);
inline constexpr double most_trace_bytes = 2e9;  // largest memory of rows
/// Nominal normal load of a contact, for its column mu; 0 if it is not known.
double nominal_load(const NamedContact& contact);
/// Position, velocity and states of steady sliding for an experiment that starts in it, or the reason why it cannot.
std::string start_steadily(Experiment& experiment);
/// A copy with contacts of its own.
Experiment copy_of(const Experiment& experiment);
/// Problem with the size of the trace, or "".
std::string objection_to_size(const Experiment& experiment);
/// Problem with SolverParams::record, or "".
std::string objection_to_record(const Experiment& experiment);

/// Problem with a servo, and its key: "limit", "sensor.delay".
struct ServoObjection {
  std::string key, text;
};
/// The reason why the controller cannot run; empty if it can.
std::optional<ServoObjection> objection_to_servo(const ControllerParams& controller);
/// The same of its compensation ("compensation.gain"); `inertia` of the body, 0: not known. Notes: conditions of proofs that do
/// not hold.
std::optional<ServoObjection> objection_to_compensation(const ControllerParams& controller, double inertia,
                                                        std::vector<std::string>* notes = nullptr);
/// Columns of a compensation: Fhat and the estimates; none if it is wrong.
std::vector<Column> compensation_columns(const ControllerParams& controller, double inertia);
/// Problem with an experiment as a whole, or "".
std::string objection_to(const Experiment& experiment);

/// Throws RunFailed, Stopped, or BadInput with the text of objection_to.
Run simulate(const Experiment& experiment, const RunOptions& options = {});

}  // namespace bristle
