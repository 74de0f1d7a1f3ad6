#pragma once
#include "identify/population_surrogate.hpp"

namespace bristle::identify {

constexpr std::size_t n_free = 6;  // scale, kt, mu0, tau, wavelength, mass

/// The lowest point of quadratic forms, whose range becomes smaller.
struct Refined {
  PopulationSurrogate form;
  PopulationCandidate best;
};
Refined refined(const PopulationSearch& search, const PopulationShape& start, const Crowd& crowd);

/// Values with their intervals, from the spread over the seeds, the noise of the recording and the profile of wavelengths.
std::vector<PopulationEstimate> estimates(const PopulationSearch& search, const Refined& refined,
                                          const std::vector<PopulationCandidate>& profile, const Crowd& crowd);

}  // namespace bristle::identify
