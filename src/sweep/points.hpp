#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bristle/sweep.hpp"

/// The experiments of a sweep one after the other. Where the keys are plain numbers of the body and of a straight drive, they
/// are set in the experiment that was read last: reading a scenario takes a hundred times longer than its tasks.
namespace bristle::sweep {

class PointReader {
 public:
  explicit PointReader(ScenarioFamily family, std::vector<std::string> keys)
      : family_(std::move(family)), keys_(std::move(keys)) {}
  PointReader(PointReader&&) = delete;

  /// The experiment at these values, or null with the problem in `problem`. Valid until the next call. `afresh`: the scenario
  /// is read in any case.
  const Experiment* at(std::span<const double> values, std::string& problem, bool afresh = false);
  /// The measures of the scenario that was read last.
  const std::vector<Measure>& measures() const { return loaded_.scenario->measures; }
  /// Whether `at` sets numbers instead of reading.
  bool sets() const { return !places_.empty(); }

 private:
  struct Place {
    double* number;
    Range range;
  };
  void find_places();

  ScenarioFamily family_;
  std::vector<std::string> keys_;
  Loaded loaded_{};
  std::vector<Place> places_{};
};

}  // namespace bristle::sweep
