#pragma once
#include <array>
#include <atomic>
#include <complex>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../sweep.hpp"

/// Stability of steady sliding, limit cycles and describing functions of a body that a spring or a servo moves.
namespace bristle::analysis {

/// A complex number.
using Complex = std::complex<double>;
/// Stands for an undefined number.
inline constexpr double undefined = std::numeric_limits<double>::quiet_NaN();

/// The parts of an analysis.
enum class What { stability, limit_cycle, describing };
constexpr std::array<const char*, 3> choices(What) { return {"stability", "limit_cycle", "describing"}; }

/// The reason why an experiment cannot be analysed in this respect, or "".
std::string objection(const Experiment& experiment, What what);
/// Velocity of the drive, or of the reference of a servo, at the end of the run.
double sliding_velocity(const Experiment& experiment);

/// Small deviations from steady sliding, of position x, integral I of the position error, velocity v and states z:
///   m v' = -K x + ki I - (c + F_v) v - F_z z,  x' = v,  I' = -x,  z' = rate_v v + rate_z z
/// States that stand still or do not act on F are left out.
struct Linear {
  double velocity{}, friction{};                      // friction: steady friction, N
  double mass{}, damping{}, stiffness{}, integral{};  // mass: mass, kg; integral: integral gain of the servo
  double F_v{};                                       // derivative of friction by the velocity, N s/m
  std::vector<double> F_z{}, rate_v{}, rate_z{};      // rate_z: row by row

  /// Transfer function from velocity to friction: F_v + F_z (s - rate_z)^-1 rate_v.
  Complex impedance(Complex s) const;
  /// Slope of the steady curve.
  double slope() const;
  /// The largest real part first; of a pair the positive imaginary part first.
  std::vector<Complex> eigenvalues() const;
  /// Real part of the fastest growing eigenvalue, 1/s.
  double growth_rate() const { return eigenvalues().front().real(); }
};
/// A linearization, or the reason why there is none.
struct LinearRead {
  std::optional<Linear> linear{};  // empty if there is none
  std::string reason{};            // why there is none
};
/// Linearizes steady sliding at a velocity.
LinearRead linearize(const Experiment& experiment, double velocity);

/// The largest stiffness at which steady sliding changes its stability. On the imaginary axis the damping vanishes,
///   c + Re Z(jw) - ki/w^2 = 0,  and the stiffness is  K = m w^2 + w Im Z(jw).
struct Critical {
  double stiffness = undefined, omega = undefined;  // omega: angular frequency at the limit, rad/s
  std::string reason{};
};
/// Stiffness of the spring at the limit of stability.
Critical critical_stiffness(const Linear& linear);

/// Stability at one velocity.
struct StabilityPoint {
  // friction: steady friction, N; slope: slope of steady friction, N s/m; growth_rate: real part
  // of the fastest growing eigenvalue, 1/s; omega: its angular frequency, rad/s
  double velocity = undefined, friction = undefined, slope = undefined, growth_rate = undefined, omega = undefined;
  std::vector<Complex> eigenvalues{};  // all eigenvalues
  Critical critical{};                 // limit of stability
  std::string reason{};
};
/// Stability at one velocity.
StabilityPoint stability_at(const Experiment& experiment, double velocity);

/// Stability against velocity.
struct Stability {
  StabilityPoint own{};                 // at the velocity of the scenario
  std::vector<StabilityPoint> curve{};  // over the velocity
  /// A velocity where stability changes.
  struct Crossing {
    double velocity{}, omega{};  // omega: angular frequency there, rad/s
    bool gains = false;          // steady sliding is stable above this velocity
  };
  std::vector<Crossing> crossings{};  // all changes of stability
  /// The crossing nearest to the velocity of the scenario.
  double critical_velocity() const;
};
/// Stability over a range of velocities.
Stability stability(const Experiment& experiment, const std::atomic<bool>* stop = nullptr);

/// A periodic motion of a body on a spring, relative to the drive; of a servo, around its reference.
struct Cycle {
  double period = undefined;           // period, s
  double amplitude = undefined;        // half of the range of drive - x
  double v_least{}, v_most{};          // m/s
  std::vector<double> section{};       // drive - x and the states where the body leaves stick, or exceeds the velocity
  double residual{};                   // of the return map, over the scale of the stretch
  std::vector<Complex> multipliers{};  // of the return map, the largest first; empty: from simulation alone
  Trace orbit{};                       // t, stretch, v, F over one period
  /// Magnitude of the largest multiplier.
  double multiplier() const { return multipliers.empty() ? undefined : std::abs(multipliers.front()); }
};
/// A cycle, or the reason why there is none.
struct CycleRead {
  std::optional<Cycle> cycle{};  // empty if there is none
  std::string reason{};          // why there is none
  /// Whether there is a cycle or certainly none; otherwise the search ended without an answer.
  bool decided() const { return cycle || (reason.ends_with("no cycle") && !reason.starts_with("no settled")); }
};
/// By shooting on the return map, from a simulation that starts at rest or from another cycle. Throws Stopped.
CycleRead limit_cycle(const Experiment& experiment, const Cycle* start = nullptr,
                      const std::atomic<bool>* stop = nullptr);
/// The unstable cycle between stable steady sliding and a stable cycle, which bounds their regions of attraction; laws whose
/// stable cycle comes from a simulation have none here. Throws Stopped.
CycleRead unstable_cycle(const Experiment& experiment, const Cycle& stable, const std::atomic<bool>* stop = nullptr);
/// Settled cycle of a servo around a constant reference, from a simulation.
CycleRead hunting(const Experiment& experiment, const std::atomic<bool>* stop = nullptr);

/// A cycle continued along one key, with the stability of steady sliding.
struct BranchPoint {
  double at{};                     // value of the varied key
  CycleRead cycle{};               // the cycle there
  double growth_rate = undefined;  // real part of the fastest growing eigenvalue, 1/s
  CycleRead unstable{};            // where steady sliding is stable and the cycle exists
};
/// An end of a branch.
struct BranchEnd {
  double at{};                    // value of the varied key
  bool fold = false;              // a multiplier reaches 1; otherwise the cycle ends without it
  double multiplier = undefined;  // multiplier there
  bool upper = false;             // the cycle exists below
  bool vanishes = false;          // its amplitude becomes small there, as at an onset
};
/// Cycles over a varied key.
struct Branch {
  std::vector<BranchPoint> points{};  // in the order of the key
  std::vector<BranchEnd> ends{};      // its ends
  std::vector<double> onsets{};       // steady sliding changes its stability
  /// Ranges in which steady sliding is stable and the cycle exists too.
  std::vector<std::pair<double, double>> hysteresis{};
};
/// The experiment at a value of the varied key, fills the reason if there is none
using AtValue = std::function<std::optional<Experiment>(double, std::string&)>;
/// Follows a cycle over a varied key.
Branch continue_cycle(const Varied& key, const AtValue& at, const sweep::RunHooks& hooks = {});

/// First harmonic of the friction under x = A sin(wt): F = Re N A sin(wt) + Im N A cos(wt).
struct Describing {
  double amplitude{}, omega{};  // omega: angular frequency, rad/s
  Complex N{undefined, undefined};
  std::string reason{};
};
Describing describing_function(const Experiment& experiment, double amplitude, double omega,
                               const std::atomic<bool>* stop = nullptr);
/// A cycle that harmonic balance predicts: C(jw) - m w^2 + N(A, w) = 0 with the force C of spring or servo.
struct Predicted {
  double amplitude{}, omega{};  // omega: angular frequency, rad/s
  bool stable = false;          // by the criterion of Loeb
};
/// Describing functions, or the reason why there are none.
struct DescribingRead {
  // amplitudes: amplitudes of the motion; omegas: angular frequencies, rad/s
  std::vector<double> amplitudes{}, omegas{};
  std::vector<Describing> values{};  // at amplitude i and frequency j at i omegas.size() + j
  std::vector<Predicted> cycles{};   // predicted cycles
  std::string reason{};              // why no cycle is predicted
};
/// The progress is in thousandths.
DescribingRead describing(const Experiment& experiment, const sweep::RunHooks& hooks = {});
/// C(jw) of spring and damper, or of the servo; sample_time and delay count as a delay.
Complex loop_force(const Experiment& experiment, double omega);

/// Numbers of one point of a map, in the order of the columns.
std::vector<sweep::MeasureColumn> map_columns(const std::vector<What>& what, bool servo);
std::vector<Number> map_numbers(const Experiment& experiment, const std::vector<What>& what,
                                const std::atomic<bool>* stop = nullptr);
/// The plan of a map over the keys, with boundaries that are known without simulation.
sweep::PlanRead make_plan(ScenarioFamily& family, const SweepSpec& spec, const std::vector<What>& what,
                          const std::vector<std::string>& changes);

/// Everything about one scenario.
struct Analysis {
  std::string title{};
  bool rotational = false, servo = false;  // servo: whether a servo moves the body
  double velocity = 0;
  std::vector<What> what{};  // the parts that were asked for
  std::vector<std::string> notes{};
  std::optional<Stability> stability{};        // empty if not asked for
  std::optional<CycleRead> cycle{};            // empty if not asked for
  std::optional<DescribingRead> describing{};  // empty if not asked for
  std::optional<Branch> branch{};              // empty without a varied key
  std::optional<Varied> key{};                 // of the branch
};
/// Tables in CSV: of stability over the velocity, of the cycle or its branch, of the describing function.
std::string stability_csv(const Stability& stability);
/// Cycles as CSV.
std::string cycle_csv(const Analysis& analysis);
/// Describing functions as CSV.
std::string describing_csv(const DescribingRead& describing);

}  // namespace bristle::analysis
