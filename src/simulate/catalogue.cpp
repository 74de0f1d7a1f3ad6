#include "bristle/simulate/catalogue.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace bristle {

/// With u = log(x/lo), a density x^-p is exp(-b u) on 0..L, b = p - 1, with the mean 1/b - L/(exp(b L) - 1).
PowerLaw fit_power_law(std::span<const double> values, double lo, double hi) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), L = std::log(hi / lo);
  PowerLaw out{nan, nan, 0};
  double sum = 0;
  for (const double x : values) {
    if (!(x >= lo && x <= hi)) continue;
    sum += std::log(x / lo);
    ++out.count;
  }
  if (out.count < 3 || !(L > 0)) return out;
  const double target = sum / static_cast<double>(out.count) / L;  // in units of L, with b L = q
  const auto mean = [](double q) { return std::abs(q) < 1e-4 ? 0.5 - q / 12 : 1 / q - 1 / std::expm1(q); };
  double a = -700, b = 700;
  for (int k = 0; k < 200; ++k) (mean((a + b) / 2) > target ? a : b) = (a + b) / 2;
  const double q = (a + b) / 2, s = std::sinh(q / 2);
  const double variance = std::abs(q) < 1e-3 ? 1.0 / 12 : 1 / (q * q) - 1 / (4 * s * s);
  out.exponent = 1 + q / L;
  out.error = 1 / (L * std::sqrt(static_cast<double>(out.count) * variance));
  return out;
}

SizeDistribution size_distribution(std::span<const double> moments, int bins_per_decade) {
  std::map<int, int> bins;
  for (const double m : moments) {
    if (m > 0) ++bins[static_cast<int>(std::floor(std::log10(m) * bins_per_decade))];
  }
  SizeDistribution out;
  for (const auto& [bin, count] : bins) {
    out.moment.push_back(std::pow(10.0, (bin + 0.5) / bins_per_decade));
    out.per_decade.push_back(count * bins_per_decade);
  }
  return out;
}

}  // namespace bristle
