#pragma once
#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "../asperity/gfm.hpp"
#include "../data.hpp"

/// Fits of a population of asperities to recordings of motion and friction.
///
/// A population is random and its force has small jumps: means of the force over blocks of rows are fitted, not rows, and
/// quadratic forms through many points near the lowest error, each point with one of K seeds. An interval contains the
/// spread over the seeds, the noise of the recording, which is one population as well, and all other wavelengths whose
/// error is as low.
namespace bristle::identify {

/// Options of a fit of a population.
struct PopulationOptions {
  // asperities: asperities of each population; seeds: number of populations, whose mean is fitted
  int asperities = 4000, seeds = 5;
  std::uint64_t seed = 1;
  unsigned threads = 0;                     // 0: all cores; the same bits for any number
  std::function<void(double)> progress{};   // share done, from one thread at a time
  const std::atomic<bool>* stop = nullptr;  // throws Stopped
  std::array<double, 6> start{};            // of the free parameters in their order; 0: from the recording
};

/// An estimated parameter of the population.
struct PopulationEstimate {
  std::string name{}, unit{};
  double value{}, low{}, high{};  // 95 % interval
  // between_seeds: relative standard deviation of one seed; between_starts: over other wavelengths of an error as low;
  // of_fit: by the noise of the recording
  double between_seeds{}, between_starts{}, of_fit{};
  bool determined = true;  // false: the interval exceeds a factor of 3
};

/// A fitted population.
struct PopulationFit {
  std::vector<PopulationEstimate> parameters{};  // scale, kt, mu0, tau, wavelength, mass
  GfmParams population{};                        // with the estimates
  double block_error{}, row_error{};             // rms over the rms of the measured force
  std::size_t blocks{}, rows{}, runs{};          // blocks: number of blocks of data that the intervals are based on
  std::vector<double> measured{}, predicted{};   // means of the blocks
  std::vector<std::string> notes{};
};

/// The recordings lack the motion that determines parameters; what() lists them.
struct NotDetermined : std::runtime_error {
  using std::runtime_error::runtime_error;
};
/// Throws NotDetermined, BadInput for recordings without time and friction force, Stopped.
PopulationFit fit_gfm(const std::vector<Recording>& recordings, const PopulationOptions& options = {});

/// A friction file with the estimates and their intervals.
std::string population_file(const PopulationFit& fit);

}  // namespace bristle::identify
