#include "bristle/asperity/distribution.hpp"

#include <algorithm>
#include <cmath>

namespace bristle::asperity {
namespace {

using Row = std::array<double, 8>;

/// Quotient of two polynomials of degree 7 in r.
double quotient(const Row& above, const Row& below, double r) {
  double a = 0, b = 0;
  for (std::size_t i = 8; i-- > 0;) {
    a = a * r + above[i];
    b = b * r + below[i];
  }
  return a / b;
}

/// Midpoints in U, closer together towards both ends: the tails of the wide kinds matter for means.
template <class F> double average(F&& f) {
  constexpr int n = 4096;
  double sum = 0;
  for (int k = 0; k < n; ++k) {
    const double s = (k + 0.5) / n;  // U = s^2 (3 - 2 s), dU = 6 s (1 - s) ds
    sum += f(std::clamp(s * s * (3 - 2 * s), 0x1p-54, 1 - 0x1p-53)) * 6 * s * (1 - s) / n;
  }
  return sum;
}

}  // namespace

double normal_probability(double x) { return 0.5 * std::erfc(-x * 0.7071067811865475244); }

double normal_quantile(double p) {
  constexpr Row middle{3.3871328727963666080e0,  1.3314166789178437745e+2, 1.9715909503065514427e+3,
                       1.3731693765509461125e+4, 4.5921953931549871457e+4, 6.7265770927008700853e+4,
                       3.3430575583588128105e+4, 2.5090809287301226727e+3};
  constexpr Row middle_below{1,
                             4.2313330701600911252e+1,
                             6.8718700749205790830e+2,
                             5.3941960214247511077e+3,
                             2.1213794301586595867e+4,
                             3.9307895800092710610e+4,
                             2.8729085735721942674e+4,
                             5.2264952788528545610e+3};
  constexpr Row side{1.42343711074968357734e0,  4.63033784615654529590e0, 5.76949722146069140550e0,
                     3.64784832476320460504e0,  1.27045825245236838258e0, 2.41780725177450611770e-1,
                     2.27238449892691845833e-2, 7.74545014278341407640e-4};
  constexpr Row side_below{1,
                           2.05319162663775882187e0,
                           1.67638483018380384940e0,
                           6.89767334985100004550e-1,
                           1.48103976427480074590e-1,
                           1.51986665636164571966e-2,
                           5.47593808499534494600e-4,
                           1.05075007164441684324e-9};
  constexpr Row tail{6.65790464350110377720e0,  5.46378491116411436990e0,  1.78482653991729133580e0,
                     2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
                     2.71155556874348757815e-5, 2.01033439929228813265e-7};
  constexpr Row tail_below{1,
                           5.99832206555887937690e-1,
                           1.36929880922735805310e-1,
                           1.48753612908506148525e-2,
                           7.86869131145613259100e-4,
                           1.84631831751005468180e-5,
                           1.42151175831644588870e-7,
                           2.04426310338993978564e-15};
  const double q = p - 0.5;
  if (std::abs(q) <= 0.425) return q * quotient(middle, middle_below, 0.180625 - q * q);
  const double r = std::sqrt(-std::log(q < 0 ? p : 1 - p));
  const double x = r <= 5 ? quotient(side, side_below, r - 1.6) : quotient(tail, tail_below, r - 5);
  return q < 0 ? -x : x;
}

double Distribution::quantile(double U) const {
  switch (kind) {
    case Kind::constant: return a;
    case Kind::uniform: return from + (to - from) * U;
    case Kind::gaussian: return a + b * normal_quantile(U);
    case Kind::exponential: return b - a * std::log1p(-U);
    case Kind::lognormal: return a * std::exp(b * normal_quantile(U));
    case Kind::weibull: return a * std::pow(-std::log1p(-U), 1 / b);
    case Kind::table: break;
  }
  const double place = U * static_cast<double>(values->size() - 1);
  const std::size_t i = std::min(static_cast<std::size_t>(place), values->size() - 2);
  return (*values)[i] + ((*values)[i + 1] - (*values)[i]) * (place - static_cast<double>(i));
}

double Distribution::probability(double x) const {
  switch (kind) {
    case Kind::gaussian: return normal_probability((x - a) / b);
    case Kind::exponential: return x > b ? -std::expm1(-(x - b) / a) : 0;
    case Kind::lognormal: return x > 0 ? normal_probability(std::log(x / a) / b) : 0;
    case Kind::weibull: return x > 0 ? -std::expm1(-std::pow(x / a, b)) : 0;
    case Kind::constant:
    case Kind::uniform:
    case Kind::table: break;
  }
  return x < lowest() ? 0 : 1;
}

double Distribution::lowest() const {
  switch (kind) {
    case Kind::constant: return a;
    case Kind::table: return values->front();
    case Kind::exponential: return std::max(from, b);
    case Kind::lognormal:
    case Kind::weibull: return std::max(from, 0.0);
    case Kind::uniform:
    case Kind::gaussian: break;
  }
  return from;
}
double Distribution::highest() const { return kind == Kind::constant ? a : kind == Kind::table ? values->back() : to; }

bool operator==(const Distribution& a, const Distribution& b) {
  const bool tables = a.values && b.values ? *a.values == *b.values : a.values == b.values;
  return tables && a.kind == b.kind && a.a == b.a && a.b == b.b && a.from == b.from && a.to == b.to;
}

std::vector<DistributionKey> keys_of(Distribution::Kind kind) {
  using D = Distribution;
  std::vector<DistributionKey> out;
  switch (kind) {
    case D::Kind::constant: return {{"value", &D::a, any_real, "the value"}};
    case D::Kind::uniform:
      return {{"from", &D::from, any_real, "least value"}, {"to", &D::to, any_real, "greatest value"}};
    case D::Kind::table: return {};
    case D::Kind::gaussian:
      out = {{"mean", &D::a, any_real, "mean"}, {"sd", &D::b, positive, "standard deviation"}};
      break;
    case D::Kind::exponential:
      out = {{"mean", &D::a, positive, "mean above offset"}, {"offset", &D::b, any_real, "least value", 0.0}};
      break;
    case D::Kind::lognormal:
      out = {{"median", &D::a, positive, "median"},
             {"sd_log", &D::b, Range{1e-6, 5}, "standard deviation of the logarithm"}};
      break;
    case D::Kind::weibull:
      out = {{"scale", &D::a, positive, "scale"},
             {"shape", &D::b, Range{0.1, 100}, "shape: 1 exponential, 2 Rayleigh"}};
      break;
  }
  out.push_back({"from", &D::from, any_real, "truncation below", -inf});
  out.push_back({"to", &D::to, any_real, "truncation above", inf});
  return out;
}

Sampler::Sampler(Distribution d) : d_(std::move(d)) {
  if (!d_.can_be_truncated()) return;
  below_ = d_.from > -inf ? d_.probability(d_.from) : 0;
  width_ = (d_.to < inf ? d_.probability(d_.to) : 1) - below_;
}

double Sampler::mean() const {
  using Kind = Distribution::Kind;
  const bool whole = !d_.can_be_truncated() || (d_.from == -inf && d_.to == inf);
  switch (whole ? d_.kind : Kind::table) {
    case Kind::constant: return d_.a;
    case Kind::uniform: return 0.5 * (d_.from + d_.to);
    case Kind::gaussian: return d_.a;
    case Kind::exponential: return d_.b + d_.a;
    case Kind::lognormal: return d_.a * std::exp(0.5 * d_.b * d_.b);
    case Kind::weibull: return d_.a * std::tgamma(1 + 1 / d_.b);
    case Kind::table: break;
  }
  return average([&](double U) { return (*this)(U); });
}
double Sampler::mean_above(double x) const {
  return average([&](double U) { return std::max(0.0, (*this)(U)-x); });
}

}  // namespace bristle::asperity
