#pragma once
#include <span>

#include "../simulate.hpp"

/// Many runs on all cores. Like runs (one contact on a slider, a law without branches) share the vector units of a core,
/// one run per lane. The same experiments give the same bits for any number of threads.
namespace bristle {

struct Outcome {
  Run run{};
  std::string failure{};  // why the run could not go on; empty if it did
};

struct EnsembleOptions {
  unsigned threads = 0;                         // 0: as many as there are cores
  bool lanes = true;                            // false: one run after the other on every core
  std::vector<double> probes{};                 // as in RunOptions, for every run
  std::function<void(std::size_t)> progress{};  // told how many runs are done, now and then, one caller at a time
  const std::atomic<bool>* stop = nullptr;      // set from outside: throws Stopped
  /// Gets every outcome with its place among the experiments, in any order, one caller at a time. Nothing is kept then:
  /// for ensembles whose traces are too many to hold.
  std::function<void(std::size_t, Outcome&&)> take{};
};

/// In the order of the experiments, or nothing if they are taken. Throws Stopped, or BadInput if there is an objection to one of them.
std::vector<Outcome> simulate_all(std::span<const Experiment> experiments, const EnsembleOptions& options = {});

}  // namespace bristle
