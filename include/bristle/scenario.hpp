#pragma once
#include <array>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "registry/friction_file.hpp"
#include "scenario/vary.hpp"
#include "simulate.hpp"
#include "simulate/statics.hpp"
#include "value.hpp"

/// Scenario files in TOML: an experiment, its figures and its expectations.
namespace bristle {

/// Content of a panel: curves of columns; of a chain, a column of all blocks over time and block, the sizes of its events, or
/// its blocks in the potential at the end.
enum class Show { curves, map, sizes, snapshot };
constexpr std::array<const char*, 4> choices(Show) { return {"curves", "map", "sizes", "snapshot"}; }

/// One panel of a figure.
struct FigureSpec {
  Show show = Show::curves;  // curves, or a view of a chain
  std::string x = "t";
  std::vector<std::string> y{};  // columns of the y axis
  // xlabel: label of the x axis, empty: made of the column; ylabel: label of the y axis, empty: made of the columns
  std::string title{}, xlabel{}, ylabel{};
  std::vector<std::string> legend{};  // replaces the column names; one for each of y
  bool xlog = false, ylog = false, events = false;
  double last = 1;                                      // fraction of the run that is drawn, up to its end
  std::optional<std::array<double, 2>> xlim{}, ylim{};  // xlim: ends of the x axis; ylim: ends of the y axis
  std::optional<std::array<double, 2>> fit{};           // moments between which a power law is fitted to sizes
};

/// One number of a run.
struct RunQuantity {
  std::string function{};                     // max, min..., see src/scenario/expect.cpp, or at for x(5)
  std::string of{};                           // a column, or an event kind
  double argument{};                          // time of x(5), number of time(slip+, 2), band of settling_time(x, 0.02)
  double argument2{};                         // the second number of size_exponent(0.001, 0.1)
  std::shared_ptr<const ChainSetup> chain{};  // of depinning(), phonon_gap(), barrier()
  std::optional<double> from{}, to{};         // s
};

/// One line of [expect]: "max(F)" = { value = 1.5, rel = 0.02 }.
struct Expectation : RunQuantity {
  char join = 0;         // '-' or '/': combines this quantity and `second`
  RunQuantity second{};  // the second quantity of a difference or ratio
  // value: expected value; abs: absolute tolerance; rel: tolerance relative to value; min: lower bound;
  // max: upper bound
  std::optional<double> value{}, abs{}, rel{}, min{}, max{};
  std::string text{}, where{};  // as written, and its place "file.toml:12"
};

/// One line of [measure]: peak = "max(F)".
struct Measure {
  std::string name{};
  Expectation quantity{};  // without bounds
};

/// A scenario file as read.
struct Scenario {
  std::string name{};  // file name without folder and extension
  std::string path{}, text{};
  std::string title{};
  bool rotational = false;  // N m and rad in labels
  Experiment experiment{};
  std::vector<FigureSpec> figures{};
  std::vector<Expectation> expectations{};  // [expect]
  std::vector<Expectation> quantities{};    // measured without bounds
  std::vector<Measure> measures{};
  SweepSpec sweep{};                       // [sweep]
  std::vector<std::string> files{};        // other files that the scenario refers to
  std::vector<std::string> changes{};      // changes by --set
  std::vector<std::string> notes{};        // remarks that are not errors
  std::vector<MeasuredRanges> measured{};  // of the friction files
};

/// Whether the numbers of all contacts have no units, as those of populations of asperities.
bool dimensionless(const Scenario& scenario);
/// The window of a quantity of a run, " from 5 s to 10 s"; empty for the whole run.
std::string window_text(const RunQuantity& quantity, const Scenario& scenario);

/// A scenario, or the problems of its file.
struct Loaded {
  std::optional<Scenario> scenario{};  // empty if there are problems
  Problems problems{};
};

/// Changes to a file that is read.
struct Changes {
  std::vector<std::string> set{};      // "a.b=VALUE", as after --set
  std::vector<std::string> measure{};  // "NAME=EXPR", as after --measure; replaces a measure of the same name
  /// Keys in [friction] of the model of the file that a model set by `set` does not have are left out, with a note.
  bool other_models = false;
  Changes() = default;
  /// Changes of single keys, as KEY=VALUE.
  Changes(std::vector<std::string> values) : set(std::move(values)) {}  // NOLINT(google-explicit-constructor)
};
/// Reads a file.
Loaded load_scenario(const std::string& path, const Changes& changes = {});
/// The same from text; `path` is used for messages and to resolve relative file names.
Loaded read_scenario(const std::string& text, const std::string& path, const Changes& changes = {});

/// The ranges of [measured] that a run leaves, in one line; empty if there are none.
std::string outside_measured(const Scenario& scenario, const Run& run);

/// A friction block with the part of its fit.
struct FrictionFile {
  std::string path{}, text{};
  std::unique_ptr<AnyContact> contact{};
  bool initial = false;              // the block sets an initial state
  std::optional<bool> rotational{};  // empty: `units` is not given
  FittedPart fitted{};               // [fitted]
  MeasuredRanges measured{};         // [measured]
  std::vector<std::string> notes{};
};
/// A friction file, or its problems.
struct FrictionRead {
  std::optional<FrictionFile> file{};  // empty if there are problems
  Problems problems{};
};
/// Reads the friction block of a scenario or friction file, which requires no [system]; `changes` as in load_scenario.
FrictionRead load_friction(const std::string& path, const std::vector<std::string>& changes = {});

/// Times in expectations, quantities and measures, passed to simulate as probes.
std::vector<double> probe_times(const Scenario& scenario);

/// An expectation and what the run gave.
struct Checked {
  const Expectation* expectation;  // the expectation
  double computed{};               // NaN if undefined
  double deviation{};              // standard deviation over several runs
  bool held = false;
  std::string expected{};  // "1.5 within 2 %"
  std::string line{};      // one line of text: "max(F) = 1.5003, expected 1.5 within 2 %: holds"
};
/// A quantity of a run.
struct Number {
  double value{};        // NaN if undefined
  std::string unit{};    // "1" without one
  std::string reason{};  // why it is undefined
};
/// The quantity of a run with its unit.
Number number_of(const Expectation& quantity, const Run& run);
/// The value alone.
double measure(const Expectation& quantity, const Run& run);
/// Mean and standard deviation of a quantity over several runs of a scenario.
struct Measured {
  double mean{}, deviation{};  // mean: mean over the runs; deviation: standard deviation over the runs
};
/// Mean and standard deviation over a run and its repetitions.
Measured measure(const Expectation& quantity, const Run& run, std::span<const Run> others);
/// Checks the expectations; with `others`, those of the means over all runs.
std::vector<Checked> check(const Scenario& scenario, const Run& run, std::span<const Run> others = {});

}  // namespace bristle
