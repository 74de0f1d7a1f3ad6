#pragma once
#include <span>

#include "../simulate.hpp"

/// Many runs on all cores. Similar runs (one contact on a slider, a law without branches) share the vector units of a
/// core, one run per lane. Results are bitwise equal for any number of threads.
namespace bristle {

/// Result of one run of an ensemble.
struct Outcome {
  Run run{};
  std::string failure{};  // reason of a failed run; empty on success
  bool diverged = false;  // the reason is RunDiverged
};

/// Options of an ensemble.
struct EnsembleOptions {
  unsigned threads = 0;          // 0: one per core
  bool lanes = true;             // false: single runs on every core
  std::vector<double> probes{};  // as in RunOptions, for every run
  bool rows = true;              // as in RunOptions
  std::function<void(std::size_t)>
      progress{};  // called regularly with the number of finished runs, by one thread at a time
  const std::atomic<bool>* stop = nullptr;  // if set, the ensemble throws Stopped
  /// Receives every outcome with the index of its experiment, in any order, from one thread at a time. Outcomes are
  /// then not kept: for ensembles with more traces than memory.
  std::function<void(std::size_t, Outcome&&)> take{};
};

/// Outcomes in the order of the experiments; empty with `take`. Throws Stopped, or BadInput for an invalid experiment.
std::vector<Outcome> simulate_all(std::span<const Experiment> experiments, const EnsembleOptions& options = {});

}  // namespace bristle
