#pragma once
#include <cstddef>
#include <span>
#include <vector>

namespace bristle::identify {

double mean(std::span<const double> x);
/// 0 without values.
double rms(std::span<const double> x);
/// Probability that a chi-squared variable with k degrees of freedom exceeds x.
double chi_squared_beyond(double x, double k);
/// Half width of a 95 % interval in standard errors, with k degrees of freedom (Student).
double student_95(double k);

/// An autoregressive model of correlated neighbours; order by BIC.
struct Autoregression {
  std::vector<double> phi{};  // x_t = sum phi_k x_(t-k) + innovation
  double innovation = 1;      // variance
  double variance = 1;
  /// Ratio of the variance of a mean to that for independent values.
  double inflation() const;
};
/// `breaks`: first indices of segments.
Autoregression autoregression(const std::vector<double>& x, const std::vector<std::size_t>& breaks, std::size_t most);

}  // namespace bristle::identify
