#include "identify/statistics.hpp"

#include <algorithm>
#include <cmath>

namespace bristle::identify {

double mean(std::span<const double> x) {
  double sum = 0;
  for (const double e : x) sum += e;
  return sum / static_cast<double>(x.size());
}

double rms(std::span<const double> x) {
  double sum = 0;
  for (const double e : x) sum += e * e;
  return std::sqrt(sum / static_cast<double>(std::max<std::size_t>(x.size(), 1)));
}

double chi_squared_beyond(double x, double k) {
  const double a = 0.5 * k, z = 0.5 * x;
  if (!(z > 0)) return 1;
  const double front = std::exp(-z + a * std::log(z) - std::lgamma(a));
  if (z < a + 1) {  // series of the lower incomplete gamma function
    double term = 1 / a, sum = term;
    for (int n = 1; n < 1000 && std::abs(term) > 1e-15 * std::abs(sum); ++n) sum += term *= z / (a + n);
    return std::max(0.0, 1 - front * sum);
  }
  double b = z + 1 - a, c = 1e300, d = 1 / b, h = d;  // continued fraction of the upper one (Lentz)
  for (int n = 1; n < 1000; ++n) {
    const double step = -n * (n - a);
    b += 2;
    d = 1 / (std::abs(step * d + b) < 1e-300 ? 1e-300 : step * d + b);
    c = b + step / c;
    h *= d * c;
    if (std::abs(d * c - 1) < 1e-15) break;
  }
  return front * h;
}

double student_95(double k) {
  constexpr double z = 1.959963984540054;
  if (!(k > 0)) return 1e6;
  if (k < 3) return k < 2 ? 12.706 : 4.303;
  const double z3 = z * z * z, z5 = z3 * z * z, z7 = z5 * z * z;  // expansion in 1/k, good to 1e-2 at k = 3
  return z + (z3 + z) / (4 * k) + (5 * z5 + 16 * z3 + 3 * z) / (96 * k * k) +
         (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * k * k * k);
}

double Autoregression::inflation() const {
  double sum = 1;
  for (const double e : phi) sum -= e;
  return innovation / (sum * sum) / variance;
}

Autoregression autoregression(const std::vector<double>& x, const std::vector<std::size_t>& breaks, std::size_t most) {
  Autoregression best;
  const std::size_t n = x.size();
  most = std::min(most, n / 10);
  std::vector<double> covariance(most + 1, 0.0);
  for (std::size_t b = 0; b < breaks.size(); ++b) {
    const std::size_t from = breaks[b], to = b + 1 < breaks.size() ? breaks[b + 1] : n;
    for (std::size_t lag = 0; lag <= most; ++lag) {
      for (std::size_t i = from + lag; i < to; ++i) covariance[lag] += x[i] * x[i - lag];
    }
  }
  for (double& e : covariance) e /= static_cast<double>(n);
  best.variance = best.innovation = covariance[0];
  if (!(covariance[0] > 0)) return best;
  // Levinson-Durbin recursion over the order.
  std::vector<double> phi;
  double error = covariance[0], best_bic = static_cast<double>(n) * std::log(error);
  for (std::size_t order = 1; order <= most; ++order) {
    double reflection = covariance[order];
    for (std::size_t k = 0; k < phi.size(); ++k) reflection -= phi[k] * covariance[order - 1 - k];
    reflection /= error;
    std::vector<double> next(order);
    for (std::size_t k = 0; k + 1 < order; ++k) next[k] = phi[k] - reflection * phi[order - 2 - k];
    next[order - 1] = reflection;
    phi = next;
    error *= 1 - reflection * reflection;
    if (!(error > 0)) break;
    const double bic =
        static_cast<double>(n) * std::log(error) + static_cast<double>(order) * std::log(static_cast<double>(n));
    if (bic < best_bic) {
      best_bic = bic;
      best.phi = phi;
      best.innovation = error;
    }
  }
  return best;
}

}  // namespace bristle::identify
