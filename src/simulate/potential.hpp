#pragma once
#include <memory>

#include "bristle/simulate/chain.hpp"
#include "simulate/shared/flow.hpp"

namespace bristle {

/// Force and stiffness of a periodic potential.
class Potential {
 public:
  explicit Potential(const PotentialParams& p, double factor = 1);
  double energy(double s) const;
  double slope(double s) const;
  double curvature(double s) const;
  double largest_slope() const { return largest_; }  // at most

 private:
  std::vector<double> amplitude_{};
  double wave_number_, largest_ = 0;
};

/// A contact on a potential: the sum of both forces. The load that a set-valued law has to hold is the rest.
std::unique_ptr<ContactFlow> on_potential(std::unique_ptr<ContactFlow> contact, const Potential& potential,
                                          double period);

}  // namespace bristle
