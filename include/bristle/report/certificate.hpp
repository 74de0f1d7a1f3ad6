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
  std::string title{}, model{}, model_title{}, equations{}, file{}, sha256{}, canonical{};
  bool rotational = false;
  struct Parameter {
    std::string name{}, value{}, unit{}, interval{}, meaning{};
  };
  std::vector<Parameter> parameters{};
  std::vector<std::string> measured{};  // "v 0.001 to 0.5 m/s"
  bool fitted = false;                  // the file states intervals
  std::vector<std::string> undetermined{};

  struct Passivity {
    std::optional<bool> passive{};                // none: not decided
    std::string condition{}, margin{}, remark{};  // margin: "kv - 158 N s/m = -157.6 N s/m"; "" if there is no number
    double margin_value = 0;                      // NaN if there is no number
  } passivity{};
  /// A state with a bound that its law keeps, and the largest value in random steps over that bound.
  struct Bound {
    std::string state{};
    double bound{}, reached{};
  };
  std::vector<Bound> bounds{};
  int steps = 0;                // of the check; 0 for a population, which is not measured
  double force{}, top_speed{};  // largest |F| in it, and largest |v|; NaN without a check

  struct Cost {
    std::string machine{};
    double step_ns{}, couple_ns{}, couple_worst_ns{};
  } cost{};
  tribometer::Characterization battery{};
  std::vector<plot::Figure> figures{};
};
std::string certificate_page(const Certificate& certificate);

}  // namespace bristle::report
