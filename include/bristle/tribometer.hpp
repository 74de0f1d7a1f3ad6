#pragma once
#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "registry/any.hpp"
#include "trace.hpp"
#include "tribometer/settings.hpp"

/// The virtual tribometer: the classical experiments on any contact, and what they say about it.
namespace bristle::tribometer {

/// What the experiments are laid out on.
struct Sizes {
  double force{}, velocity{}, travel{}, mass{};
  double sliding{}, offset{};  // dry friction at speed, and the part of it that does not change sign
  double kv{};                 // viscous coefficient: F - kv v is the dry part
  double time() const { return travel / velocity; }
};
Sizes sizes_of(const AnyContact& contact, const SizeSettings& settings = {});

/// A contact on its way through the experiments.
struct Specimen {
  const AnyContact& contact;
  Sizes sizes;
  double rtol = 1e-8;
  const std::atomic<bool>* stop = nullptr;  // set from outside: throws Stopped
};
Specimen specimen(const AnyContact& contact, const Settings& settings = {});

/// A number that an experiment ends in; NaN where it does not apply.
struct Quantity {
  std::string name, unit, meaning;
  double value;
};
/// One picture of an experiment: a column against another.
struct Chart {
  std::string name;       // of the file
  std::string title, at;  // at: what tells charts of the same kind apart, "omega = 1 rad/s"
  Trace trace;            // the columns to be drawn come first
  std::string x_label, y_label;
  bool x_log = false, y_log = false, points = false;
  bool alone = false;  // means nothing beside that of another contact
  double y_most =
      0;  // end of the axis in natural units, where one contact would dwarf the others; 0: what the data need
};
struct Measurement {
  std::string experiment;
  std::vector<Quantity> quantities{};
  std::vector<Chart> charts{};
  std::string failure{};  // why there is no more of it
  double cpu_ms{};

  /// NaN if there is none of that name.
  double operator[](std::string_view name) const;
};

// The experiments. None of them changes the contact.
Measurement loops(const Specimen& s, const LoopSettings& settings = {});
Measurement curve(const Specimen& s, const CurveSettings& settings = {});
Measurement lag(const Specimen& s, const LagSettings& settings = {});
Measurement steps(const Specimen& s, const StepSettings& settings = {});
Measurement hold(const Specimen& s, const HoldSettings& settings = {});
Measurement breakaway(const Specimen& s, const BreakawaySettings& settings = {});
Measurement dwell(const Specimen& s, const DwellSettings& settings = {});
Measurement reversal(const Specimen& s, const ReversalSettings& settings = {});
Measurement drift(const Specimen& s, const DriftSettings& settings = {});
Measurement stick_slip(const Specimen& s, const StickSlipSettings& settings = {});
Measurement cycles(const Specimen& s, const CycleSettings& settings = {});
Measurement energy(const Specimen& s, const EnergySettings& settings = {});

/// What a bench would have recorded: time, position, velocity and friction along loops and along strokes of all sizes, and
/// the points of the steady `curve`. `bristle identify` reads them.
struct RecordedMotion {
  std::string name;
  Trace trace;
};
std::vector<RecordedMotion> recordings(const Specimen& s, const Measurement& curve, bool rotational = false);

/// The battery as a list, in the order of reports.
struct ExperimentInfo {
  const char *name, *title, *text;
  Measurement (*run)(const Specimen&, const Settings&);
};
const std::vector<ExperimentInfo>& experiments();

/// A property of the literature, measured.
struct Finding {
  const char *name, *title, *brief, *rule;  // rule: "creep under half of the sliding friction / V < 1e-9"
  bool holds = false;
  double number{};               // what it rests on; NaN if it follows from another property
  double threshold{};            // on which side of it the answer changes
  std::optional<bool> declared;  // by the model's header, where it says so
  std::string note{};            // why, where the number alone does not tell
  std::string detail{};          // of a property that holds, in a word: "falls", "depth 6"
  bool known = true;             // false: an experiment that it needs has failed
};
std::vector<Finding> findings(const AnyContact& contact, const std::vector<Measurement>& measurements);

struct Subject {
  std::string label;
  std::unique_ptr<AnyContact> contact;
  Settings settings{};
};
struct Characterization {
  std::string label, model;
  Sizes sizes{};
  std::vector<Measurement> measurements{};  // as in experiments()
  std::vector<Finding> findings{};
  double cpu_ms{};
};
struct Hooks {
  std::function<void(double)> progress{};   // told the part done, 0 to 1, from one thread at a time
  const std::atomic<bool>* stop = nullptr;  // set from outside: throws Stopped
  unsigned threads = 0;                     // 0: one per core; the result is the same for any number
};
std::vector<Characterization> characterize(const std::vector<Subject>& subjects, const Hooks& hooks = {});

/// Reads a friction block: of a scenario, of a file with a [friction] section, or at top level. [tribometer] holds settings.
struct SubjectRead {
  std::optional<Subject> subject{};  // empty if there are problems
  bool rotational = false;
  std::string text{};
  std::vector<std::string> notes{};
  Problems problems{};
};
SubjectRead load_subject(const std::string& path, const std::vector<std::string>& changes = {});
SubjectRead read_subject(const std::string& text, const std::string& path,
                         const std::vector<std::string>& changes = {});

}  // namespace bristle::tribometer
