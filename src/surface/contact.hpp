#pragma once
#include <optional>
#include <vector>

#include "bristle/surface.hpp"

namespace bristle::surface {

/// Heights of summits over sigma_s.
struct Distribution {
  const std::vector<double>& heights;  // sorted; empty: Gaussian
  double moment(double n, double h) const;
};

double pressure_over_E(const SummitStatistics& s, const Distribution& d, double h);
Contact contact_at(const SummitStatistics& s, const Distribution& d, const Moments& m, std::optional<double> E,
                   double h);
/// h of a pressure over E. Throws BadSurface.
double separation_for(const SummitStatistics& s, const Distribution& d, double wanted);

}  // namespace bristle::surface
