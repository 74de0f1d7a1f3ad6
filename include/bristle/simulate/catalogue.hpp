#pragma once
#include <span>
#include <vector>

#include "chain.hpp"

/// Statistics of the slip events of a chain.
namespace bristle {

/// A density proportional to x^-exponent between two bounds, by maximum likelihood.
struct PowerLaw {
  double exponent{}, error{};  // NaN: fewer than 3 values between the bounds; error: standard deviation
  std::size_t count{};         // values between the bounds
};
/// Exponent between lo and hi by maximum likelihood.
PowerLaw fit_power_law(std::span<const double> values, double lo, double hi);

/// Numbers of events per decade of moment at the centres of equal bins of log10 of the moment.
struct SizeDistribution {
  std::vector<double> moment{}, per_decade{};  // moment: middle of each bin; per_decade: events per decade
};
/// Number of events against their moment.
SizeDistribution size_distribution(std::span<const double> moments, int bins_per_decade);

}  // namespace bristle
