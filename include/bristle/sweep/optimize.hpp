#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "../sweep.hpp"

/// Values of keys that minimise a measure of the run.
namespace bristle::sweep {

/// The measure to optimize.
struct Goal {
  std::vector<Varied> keys{};
  std::string measure{};  // name of a measure
  bool maximize = false;  // whether the largest value is wanted
  int evaluations = 300;  // at most
  std::uint64_t seed = 1;
};

/// One run of an optimization.
struct Evaluation {
  std::vector<double> at{};  // values of the varied keys
  double value{};            // NaN: undefined
  std::string reason{};      // why it is undefined
};

/// Result of an optimization.
struct Optimum {
  std::vector<Evaluation> history{};  // in the order of the search
  std::size_t best = 0;               // index in the history
  bool found = false;                 // false: undefined everywhere
  bool converged = false;             // false: the number of evaluations ended the search
  /// Keys whose best value is an end of the range: "controller.kp = 1e4, the upper end of its range".
  std::vector<std::string> at_bounds{};
};

/// The plan of a sample of the box, which has title, units and sources; problems of the keys and of the measure. Sets
/// the keys of the family.
PlanRead make_plan(ScenarioFamily& family, const Goal& goal, const std::vector<std::string>& changes);

/// A Sobol sample of the box, then a controlled random search and downhill simplices from the best point. The same
/// input gives the same bits. Throws Stopped.
Optimum optimize(const ScenarioFamily& family, const Goal& goal, const RunHooks& hooks = {});

}  // namespace bristle::sweep
