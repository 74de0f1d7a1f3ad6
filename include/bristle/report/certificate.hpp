#pragma once
#include <optional>
#include <string>
#include <vector>

#include "../plot.hpp"
#include "../report.hpp"
#include "../tribometer.hpp"

namespace bristle::report {

/// A friction block with what is proved, measured and unknown about it.
struct Certificate {
  // model_title: title of the model; equations: its equations, as text; sha256: hash of the canonical text;
  // canonical: the block as text in canonical order
  std::string title{}, model{}, model_title{}, equations{}, file{}, sha256{}, canonical{};
  bool rotational = false;
  /// A parameter of the block.
  struct Parameter {
    // value: as in the file; interval: interval of the fit, empty: none
    std::string name{}, value{}, unit{}, interval{}, meaning{};
  };
  std::vector<Parameter> parameters{};
  std::vector<std::string> measured{};      // "v 0.001 to 0.5 m/s"
  bool fitted = false;                      // the file states intervals
  std::vector<std::string> undetermined{};  // parameters that the data do not determine

  /// Whether the block can create energy.
  struct Passivity {
    std::optional<bool> passive{};                // none: not decided
    std::string condition{}, margin{}, remark{};  // margin: "kv - 158 N s/m = -157.6 N s/m"; "" if there is no number
    double margin_value = 0;                      // NaN if there is no number
  } passivity{};                                  // the result for this block
  /// A state with a bound that its law keeps, and the largest value in random steps over that bound.
  struct Bound {
    std::string state{};        // name of the state
    double bound{}, reached{};  // bound: magnitude that it never exceeds; reached: magnitude that runs reached
  };
  std::vector<Bound> bounds{};  // bounds of the states
  int steps = 0;                // of the check; 0 for a population, which is not measured
  double force{}, top_speed{};  // largest |F| in it, and largest |v|; NaN without a check

  /// Computing time.
  struct Cost {
    std::string machine{};  // processor on which it was measured
    // step_ns: one step, ns; couple_ns: one coupled step, ns; couple_worst_ns: the slowest coupled step, ns
    double step_ns{}, couple_ns{}, couple_worst_ns{};
  } cost{};                                // measured times
  tribometer::Characterization battery{};  // the measurements of the virtual tribometer
  std::vector<plot::Figure> figures{};
};
/// The data sheet as a page.
std::string certificate_page(const Certificate& certificate);

}  // namespace bristle::report
