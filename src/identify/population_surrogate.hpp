#pragma once
#include "identify/population_search.hpp"

namespace bristle::identify {

/// The mean force of populations near a point, quadratic in ln kt, mu0, tau and wavelength.
///
/// The error of a population has a jump wherever an event leaves a row: two wavelengths that differ by one part in the number
/// of wavelengths travelled are as independent as two seeds. A quadratic form through many points averages over them.
class PopulationSurrogate {
 public:
  /// Responses at points within `radius` of the centre in all parameters, 16 or more of every seed.
  PopulationSurrogate(const PopulationSearch& search, const PopulationShape& centre, double radius, const Crowd& crowd);

  Response response(const PopulationShape& q) const;
  /// The lowest error in the range of the form.
  PopulationCandidate lowest() const;
  /// Largest distance of a point from the centre, in radii.
  double distance(const PopulationShape& q) const;
  /// Scale times mass, or, without impacts, that whose impacts are as large as the other forces.
  double impact_scale(const PopulationCandidate& at) const;
  /// Derivatives of the weighted means by ln of scale, kt, mu0, tau, wavelength, mass.
  Eigen::MatrixXd jacobian(const PopulationCandidate& at) const;
  /// Weighted deviations of every seed from the mean.
  Eigen::MatrixXd deviations(const PopulationCandidate& at) const;

 private:
  Eigen::VectorXd terms(const PopulationShape& q) const;

  const PopulationSearch* search_;
  PopulationShape centre_;
  double radius_;
  Eigen::MatrixXd elastic_, impact_;  // coefficients of the terms
  Response seeds_;                    // deviations of every seed
};

}  // namespace bristle::identify
