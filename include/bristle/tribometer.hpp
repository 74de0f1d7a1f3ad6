#pragma once
#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "registry/any.hpp"
#include "stribeck.hpp"
#include "trace.hpp"
#include "tribometer/settings.hpp"

/// The virtual tribometer: classical experiments on any contact, and its properties.
namespace bristle::tribometer {

/// Natural sizes of a contact, which scale the experiments.
struct Sizes {
  double force{}, velocity{}, travel{}, mass{};  // mass: mass of the block in stick-slip, kg
  double sliding{}, offset{};                    // dry friction at speed, and its mean over both directions
  double kv{}, kv_exponent{1};                   // viscous coefficient and exponent: F - viscous(v) is the dry part
  /// Viscous part of friction at v, N.
  double viscous(double v) const { return viscous_force(*this, v); }
  /// Time of the typical travel at the typical velocity, s.
  double time() const { return travel / velocity; }
};
/// Typical magnitudes of a contact.
Sizes sizes_of(const AnyContact& contact, const SizeSettings& settings = {});

/// A contact in the experiments.
struct Specimen {
  const AnyContact& contact;
  Sizes sizes;  // its typical magnitudes
  double rtol = 1e-8;
  const std::atomic<bool>* stop = nullptr;  // if set, experiments throw Stopped
};
/// A contact with its typical magnitudes.
Specimen specimen(const AnyContact& contact, const Settings& settings = {});

/// A numerical result of an experiment; NaN if not applicable.
struct Quantity {
  std::string name, unit, meaning;
  double value;  // its value; NaN if undefined
};
/// One chart of an experiment: a column over another.
struct Chart {
  std::string name;              // file name
  std::string title, at;         // at: distinguishes charts of the same kind, "omega = 1 rad/s"
  Trace trace;                   // drawn columns come first
  std::string x_label, y_label;  // x_label: label of the x axis; y_label: label of the y axis
  // x_log: whether the x axis is logarithmic; y_log: whether the y axis is logarithmic;
  // points: whether points are drawn instead of lines
  bool x_log = false, y_log = false, points = false;
  bool alone = false;  // not comparable between contacts
  double y_most = 0;   // limit of the axis in natural units, if one contact would dominate; 0: from the data
};
/// Result of one experiment.
struct Measurement {
  std::string experiment;
  std::vector<Quantity> quantities{};
  std::vector<Chart> charts{};  // its figures
  std::string failure{};        // reason of a failure
  double cpu_ms{};

  /// NaN if no quantity has this name.
  double operator[](std::string_view name) const;
};

// The experiments do not change the contact.
/// Hysteresis loops of growing stroke.
Measurement loops(const Specimen& s, const LoopSettings& settings = {});
/// Steady friction against velocity.
Measurement curve(const Specimen& s, const CurveSettings& settings = {});
/// Friction while the velocity oscillates.
Measurement lag(const Specimen& s, const LagSettings& settings = {});
/// Steps of the velocity.
Measurement steps(const Specimen& s, const StepSettings& settings = {});
/// Slide, hold, slide.
Measurement hold(const Specimen& s, const HoldSettings& settings = {});
/// Breakaway force against the rate of the force.
Measurement breakaway(const Specimen& s, const BreakawaySettings& settings = {});
/// Breakaway force against the time at rest.
Measurement dwell(const Specimen& s, const DwellSettings& settings = {});
/// Motion through zero velocity.
Measurement reversal(const Specimen& s, const ReversalSettings& settings = {});
/// Motion under an oscillating force below breakaway.
Measurement drift(const Specimen& s, const DriftSettings& settings = {});
/// A mass on a slowly moving spring.
Measurement stick_slip(const Specimen& s, const StickSlipSettings& settings = {});
/// A given number of cycles of a motion.
Measurement cycles(const Specimen& s, const CycleSettings& settings = {});
/// Energy that random motions gain or lose.
Measurement energy(const Specimen& s, const EnergySettings& settings = {});

/// Synthetic recordings: time, position, velocity and friction along loops and strokes of all sizes, and points of the
/// steady `curve`. `bristle identify` reads them.
struct RecordedMotion {
  std::string name;
  Trace trace;  // the recorded columns
};
std::vector<RecordedMotion> recordings(const Specimen& s, const Measurement& curve, bool rotational = false);

/// The battery as a list, in the order of reports.
struct ExperimentInfo {
  const char *name, *title, *text;
  /// Runs the experiment.
  Measurement (*run)(const Specimen&, const Settings&);
};
/// All experiments, in the order of the battery.
const std::vector<ExperimentInfo>& experiments();

/// A property of the literature, measured.
struct Verdict {
  const char *name, *title, *brief, *rule;  // rule: "creep under half of the sliding friction / V < 1e-9"
  bool holds = false;                       // whether the contact has the property
  double number{};                          // measured number; NaN if the property follows from another one
  double threshold{};                       // limit of the number
  std::optional<bool> declared;             // declared by the header of the model
  std::string note{};                       // explanation, if the number does not suffice
  std::string detail{};                     // detail of a property that holds: "falls", "depth 6"
  bool known = true;                        // false: a required experiment failed
};
/// Properties that the measurements show.
std::vector<Verdict> findings(const AnyContact& contact, const std::vector<Measurement>& measurements);

/// A contact to characterize.
struct Subject {
  std::string label;
  std::unique_ptr<AnyContact> contact;
  Settings settings{};  // settings of its experiments
};
/// Results of all experiments.
struct Characterization {
  std::string label, model;
  Sizes sizes{};                            // typical magnitudes of the contact
  std::vector<Measurement> measurements{};  // in the order of experiments()
  std::vector<Verdict> findings{};          // properties that the measurements show
  double cpu_ms{};
};
/// Progress and interruption.
struct Hooks {
  std::function<void(double)> progress{};   // called with the finished fraction, 0 to 1, from one thread at a time
  const std::atomic<bool>* stop = nullptr;  // if set, experiments throw Stopped
  unsigned threads = 0;                     // 0: one per core; the result is the same for any number
};
/// Runs all experiments on each contact.
std::vector<Characterization> characterize(const std::vector<Subject>& subjects, const Hooks& hooks = {});

/// Reads a friction block: of a scenario, of a file with a [friction] section, or at top level; and [tribometer].
struct SubjectRead {
  std::optional<Subject> subject{};  // empty if there are problems
  bool rotational = false;
  std::string text{};
  std::vector<std::string> notes{};
  Problems problems{};
};
/// Reads a contact and its settings from a file.
SubjectRead load_subject(const std::string& path, const std::vector<std::string>& changes = {});
/// Reads a contact and its settings from text.
SubjectRead read_subject(const std::string& text, const std::string& path,
                         const std::vector<std::string>& changes = {});

}  // namespace bristle::tribometer
