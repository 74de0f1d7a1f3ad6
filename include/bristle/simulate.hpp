#pragma once
#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "registry/any.hpp"
#include "simulate/drive.hpp"
#include "trace.hpp"

/// Simulation of an experiment (body, contacts, drive): trajectory, events and energy balance.
namespace bristle {

enum class SystemKind { prescribed, slider, roller, chain, multibody };

/// The moving body and its spring. F_app = stiffness (drive - x - rest_length) + damping (drive' - v)
///                                         - gravity sin(x - gravity_phase), for a pendulum with angle x.
struct BodyParams {
  double mass{1}, stiffness{0}, damping{0}, rest_length{0}, x0{0}, v0{0}, temperature{20}, gravity{0}, gravity_phase{0};
  static constexpr auto fields() {
    using B = BodyParams;
    return Fields{
        Field{&B::mass, "mass", "kg", "mass", positive},
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
        Field{&B::gravity_phase, "gravity_phase", "rad", "rest position of the pendulum", any_real, role::optional}};
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
/// Equal blocks in a row, each with its own contact; positions are relative to relaxed couplings. The spring of the
/// drive pulls the first block, or each block has one (R. Burridge, L. Knopoff, Bull. Seismol. Soc. Am. 57 (1967)).
enum class Pulled { first, all };
constexpr std::array<const char*, 2> choices(Pulled) { return {"first", "all"}; }
struct ChainParams {
  int blocks{3};
  double coupling{1}, coupling_damping{0};
  Pulled pulled{Pulled::first};
  static constexpr auto fields() {
    using C = ChainParams;
    return Fields{Field{&C::blocks, "blocks", "1", "number of blocks", Range{1, 1e5}, role::optional},
                  Field{&C::coupling, "coupling", "N/m", "spring between neighbours", nonnegative},
                  Field{&C::coupling_damping, "coupling_damping", "N s/m", "damper between neighbours", nonnegative,
                        role::optional},
                  Field{&C::pulled, "pulled", "1", "blocks that the drive acts on", any_real, role::optional}};
  }
};
/// A servo that replaces the spring: u = kp e + ki int(e) + kd de/dt + feedforward, e = drive - x; the rate of the
/// drive enters de/dt with the factor derivative_weight.
struct ControllerParams {
  double kp{0}, ki{0}, kd{0}, sample_time{0}, limit{inf}, encoder_step{0}, derivative_weight{1};
  /// Whether u contains the derivative of the reference, which must then not jump.
  bool differentiates() const { return !(sample_time > 0) && kd * derivative_weight != 0; }
  static constexpr auto fields() {
    using C = ControllerParams;
    return Fields{
        Field{&C::kp, "kp", "N/m", "proportional gain", any_real, role::optional},
        Field{&C::ki, "ki", "N/(m s)", "integral gain", any_real, role::optional},
        Field{&C::kd, "kd", "N s/m", "derivative gain", any_real, role::optional},
        Field{&C::sample_time, "sample_time", "s", "interval of a sampled u; 0: continuous", nonnegative,
              role::optional},
        Field{&C::limit, "limit", "N", "largest |u|; the integral keeps growing", positive_or_off, role::optional},
        Field{&C::encoder_step, "encoder_step", "m", "resolution of the measured x; requires sample_time", nonnegative,
              role::optional},
        Field{&C::derivative_weight, "derivative_weight", "1",
              "weight of the reference in the derivative; 0: feedback of the measured velocity alone", Range{0, 1},
              role::optional}};
  }
};

enum class Method { automatic, rodas, explicit_pair, cvode, fixed };

struct SolverParams {
  double duration{1}, rtol{1e-8}, atol{0}, output_step{0}, step{0}, max_steps{1e7}, stick_velocity{0};
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
              "a law without exact stick counts as stuck below this; vs unless given", positive, role::optional}};
  }
};

struct NamedContact {
  std::string name;  // empty for a single contact
  std::unique_ptr<AnyContact> contact;
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

struct Experiment {
  SystemKind kind = SystemKind::slider;
  BodyParams body{};
  DiskParams disk{};  // roller; inertia 0: half m r^2
  ChainParams chain{};
  std::vector<NamedContact> contacts{};
  Drive drive{};
  std::optional<Drive> load{};
  std::optional<ControllerParams> controller{};
  std::unique_ptr<AnyContact> feedforward{};  // its force along the reference is added to u
  SolverParams solver{};
  Method method = Method::automatic;
  std::shared_ptr<const OwnSystem> own{};  // multibody
};

struct Event {
  double t;
  enum Kind { stick, slip_forward, slip_backward } kind;
  int body;  // 1, 2...
};
const char* to_string(Event::Kind kind);  // stick, slip+, slip-

/// work of the drive = changes of kinetic and potential energy + damper + friction. All in J; `spring` is the potential
/// energy of the spring and of gravity.
struct EnergyBalance {
  double drive{}, kinetic{}, spring{}, damper{}, friction{};
  double error{};  // residual, over the largest term or the largest kinetic energy of the run
};

/// m dv = integral of (F_app - F) dt for every body and for the rotation of a roller.
struct MomentumBalance {
  double error{};  // largest gap in the run, over the integral of |F_app| or the largest momentum
};

struct Summary {
  std::string method;
  std::int64_t steps{}, rejected{}, evaluations{}, jacobians{}, switches{};  // switches: restarts at events of any kind
  EnergyBalance energy{};
  MomentumBalance momentum{};
  double seconds{};
  struct Loss {
    std::string name;  // of a joint
    double friction;   // J
  };
  std::vector<Loss> losses{};  // of a mechanism, joint by joint
  double violation{-1};        // largest error of the constraints over the size of a mechanism; -1: there are none
};

struct Run {
  Trace trace;                // rows at output_step, from 0 to duration
  Trace probes;               // the same columns at RunOptions::probes
  std::vector<Event> events;  // in order of time
  Summary summary;
  Trace population{};                 // asperities at the end, see snapshot.hpp; empty for other models
  std::vector<std::string> bodies{};  // names for Event::body; empty: numbers
  std::vector<std::string> notes{};   // remarks of the run that are not errors
  std::string body_of(const Event& e) const {
    const auto i = static_cast<std::size_t>(e.body) - 1;
    return i < bodies.size() ? bodies[i] : std::to_string(e.body);
  }
};

/// A failed run; what() contains time, step and state.
struct RunFailed : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Stopped : std::runtime_error {
  Stopped() : std::runtime_error("stopped") {}
};
struct RunOptions {
  std::vector<double> probes{};             // times within the run
  std::function<void(double)> progress{};   // called regularly with the time reached
  const std::atomic<bool>* stop = nullptr;  // if set, simulate throws Stopped within a second
  void heed() const {
    if (stop && stop->load(std::memory_order_relaxed)) throw Stopped();
  }
};

/// Name of a column of block 1, 2...: x, x2; elements of arrays f1, f1_2.
std::string name_in_chain(const std::string& column, std::size_t block);

/// Rows of the trace and their size in bytes, and their limits.
double row_count(const SolverParams& solver);
std::vector<double> row_times(const SolverParams& solver);
inline constexpr double most_rows = 2e7;
double trace_bytes(const Experiment& experiment);
inline constexpr double most_trace_bytes = 2e9;
/// Problem with the size of the trace, or "".
std::string objection_to_size(const Experiment& experiment);
/// Problem with SolverParams::record, or "".
std::string objection_to_record(const Experiment& experiment);

/// Problem with an experiment as a whole, or "".
std::string objection_to(const Experiment& experiment);

/// Throws RunFailed, Stopped, or BadInput with the text of objection_to.
Run simulate(const Experiment& experiment, const RunOptions& options = {});

}  // namespace bristle
