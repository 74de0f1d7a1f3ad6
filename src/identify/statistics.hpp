#pragma once
#include <cstddef>
#include <vector>

namespace bristle::identify {

/// Probability that a chi-squared number with k degrees of freedom is larger than x.
double chi_squared_beyond(double x, double k);
/// Half width of a 95 % interval in standard errors, with k degrees of freedom (Student).
double student_95(double k);

/// An autoregressive process that explains how neighbouring values hang together; order by BIC.
struct Autoregression {
  std::vector<double> phi{};  // x_t = sum phi_k x_(t-k) + innovation
  double innovation = 1;      // variance
  double variance = 1;
  /// How many times the variance of a mean is larger than with independent values.
  double inflation() const;
};
/// `breaks`: places where a new stretch begins.
Autoregression autoregression(const std::vector<double>& x, const std::vector<std::size_t>& breaks, std::size_t most);

}  // namespace bristle::identify
