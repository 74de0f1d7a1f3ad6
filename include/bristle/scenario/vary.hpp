#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "../value.hpp"

/// Keys of a scenario that vary from run to run.
namespace bristle {

/// A key and the range of its values: --vary KEY=FROM:TO:POINTS[:log], or a line of [sweep].
struct Varied {
  std::string key{};                      // as typed: drive.velocity
  double from{}, to{};                    // from: first value; to: last value
  std::optional<std::uint64_t> points{};  // of a grid
  bool log = false;                       // equal ratios instead of equal differences
  std::string where{};                    // of messages

  /// The value at the fraction part/whole of the range; exact at both ends.
  double at(double part, double whole) const;
};

/// A curve over the maps of a sweep, such as a boundary that is known in closed form.
struct SweepCurve {
  std::string label{};
  std::vector<double> x{}, y{};  // y: measures on the y axis
};

/// [sweep] of a scenario.
struct SweepSpec {
  std::vector<Varied> vary{};            // varied keys
  std::optional<std::uint64_t> sobol{};  // size of the sample; empty: a grid
  std::vector<SweepCurve> curves{};      // curves of the sweep's figure
};

/// Reads the text after --vary; reports problems.
std::optional<Varied> parse_varied(const std::string& text, Problems& problems);
/// Reads "sobol:1000" after --sample or in [sweep].
std::optional<std::uint64_t> parse_sample(const std::string& text, const std::string& where, Problems& problems);
/// Problem with a range, or "".
std::string objection_to(const Varied& varied);

}  // namespace bristle
