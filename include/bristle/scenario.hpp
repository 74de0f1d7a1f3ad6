#pragma once
#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "simulate.hpp"
#include "value.hpp"

/// Scenario files: TOML in, an experiment and what is to be drawn and checked out.
namespace bristle {

/// One panel of a figure: columns against a column.
struct FigureSpec {
  std::string x = "t";
  std::vector<std::string> y{};
  std::string title{}, xlabel{}, ylabel{};
  std::vector<std::string> legend{};  // instead of the column names, as many as y
  bool xlog = false, ylog = false, events = false;
  double last = 1;  // part of the run that is drawn, from its end
  std::optional<std::array<double, 2>> xlim{}, ylim{};
};

/// One line of [expect]: "max(F)" = { value = 1.5, rel = 0.02 }.
/// One number of a run.
struct RunQuantity {
  std::string function{};              // max, min, mean, rms, final, integral, count, time, period, or at for x(5)
  std::string of{};                    // a column, or an event kind
  double argument{};                   // time of x(5), number of time(slip+, 2)
  std::optional<double> from{}, to{};  // s
};

struct Expectation : RunQuantity {
  char join = 0;         // '-' or '/': of this quantity and
  RunQuantity second{};  // another
  std::optional<double> value{}, abs{}, rel{}, min{}, max{};
  std::string text{}, where{};  // as written, and its line
};

struct Scenario {
  std::string name{};  // file name without folders and ending
  std::string path{}, text{};
  std::string title{};
  bool rotational = false;  // N m and rad in labels
  Experiment experiment{};
  std::vector<FigureSpec> figures{};
  std::vector<Expectation> expectations{};
  std::vector<Expectation> quantities{};  // without bounds: to be measured only
  std::vector<std::string> changes{};     // of the text, as after --set
  std::vector<std::string> notes{};       // worth telling, not wrong
};

struct Loaded {
  std::optional<Scenario> scenario{};  // empty if there are problems
  Problems problems{};
};

/// Reads a file; `changes` are "a.b=VALUE" as after --set.
Loaded load_scenario(const std::string& path, const std::vector<std::string>& changes = {});
/// The same from text; `path` is used for messages and to resolve relative file names.
Loaded read_scenario(const std::string& text, const std::string& path, const std::vector<std::string>& changes = {});

/// Times that the expectations and quantities ask for, to be handed to simulate as probes.
std::vector<double> probe_times(const Scenario& scenario);

struct Checked {
  const Expectation* expectation;
  double computed{};   // NaN if it could not be
  double deviation{};  // over several runs
  bool held = false;
  std::string expected{};  // "1.5 within 2 %"
  std::string line{};      // one line for people: "max(F) = 1.5003, expected 1.5 within 2 %: holds"
};
/// NaN if it is not known.
double measure(const Expectation& quantity, const Run& run);
/// Mean and standard deviation of a quantity over a run and others like it.
struct Measured {
  double mean{}, deviation{};
};
Measured measure(const Expectation& quantity, const Run& run, std::span<const Run> others);
/// With `others` the means are checked.
std::vector<Checked> check(const Scenario& scenario, const Run& run, std::span<const Run> others = {});

}  // namespace bristle
