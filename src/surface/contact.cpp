#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "bristle/surface.hpp"
#include "surface/contact.hpp"

namespace bristle::surface {
namespace {

using std::numbers::pi;

void require(Problems& out, const char* option, double value, bool good, const char* accepted) {
  if (!good) out.push_back({option, fmt::format("{} is not accepted; {}", to_text(value), accepted)});
}

}  // namespace

/// With s = h + t^2 the integrand is smooth; it ends where exp(-40) remains of it.
double gaussian_moment(double n, double h) {
  constexpr int steps = 2000;
  const double end = std::sqrt(-h + std::sqrt(h * h + 80)), dt = end / steps;
  double sum = 0;
  for (int k = 0; k <= steps; ++k) {  // Simpson
    const double t = k * dt, weight = k == 0 || k == steps ? 1 : k % 2 == 1 ? 4 : 2;
    sum += weight * std::pow(t, 2 * n + 1) * std::exp(-t * t * (h + t * t / 2));
  }
  return 2 * sum * dt / 3 * std::exp(-h * h / 2) / std::sqrt(2 * pi);
}

double Distribution::moment(double n, double h) const {
  if (heights.empty()) return gaussian_moment(n, h);
  double sum = 0;
  for (auto s = std::upper_bound(heights.begin(), heights.end(), h); s != heights.end(); ++s)
    sum += n == 0 ? 1 : std::pow(*s - h, n);
  return sum / static_cast<double>(heights.size());
}

double pressure_over_E(const SummitStatistics& s, const Distribution& d, double h) {
  return 4.0 / 3 * s.eta * std::sqrt(s.R()) * std::pow(*s.sigma_s, 1.5) * d.moment(1.5, h);
}

Contact contact_at(const SummitStatistics& s, const Distribution& d, const Moments& m, std::optional<double> E,
                   double h) {
  const double p = pressure_over_E(s, d, h);
  Contact out{.h = h,
              .separation = h * *s.sigma_s,
              .contacts = s.eta * d.moment(0, h),
              .area_gw = pi * s.eta * s.R() * *s.sigma_s * d.moment(1, h),
              .area_persson = std::erf(std::sqrt(2) * p / std::sqrt(2 * m.m2))};
  if (E) out.pressure = *E * p;
  return out;
}

double separation_for(const SummitStatistics& s, const Distribution& d, double wanted) {
  double lo = -5, hi = d.heights.empty() ? 12 : d.heights.back();
  if (pressure_over_E(s, d, lo) < wanted)
    throw BadSurface(
        "--load: the pressure exceeds that of full contact of the summits; a smaller load or a larger --area is accepted");
  if (pressure_over_E(s, d, hi) > wanted)
    throw BadSurface("--load: the highest summits alone carry more; a larger load is accepted");
  for (int k = 0; k < 200 && hi - lo > 1e-15 * (1 + std::abs(lo)); ++k) {
    const double middle = (lo + hi) / 2;
    (pressure_over_E(s, d, middle) > wanted ? lo : hi) = middle;
  }
  return (lo + hi) / 2;
}

Problems check(const Settings& s) {
  Problems out;
  auto positive = [&](const char* option, const std::optional<double>& x, const char* unit) {
    if (x && !(*x > 0 && std::isfinite(*x)))
      out.push_back({option, fmt::format("{} {} is not accepted; a finite number > 0 is required", to_text(*x), unit)});
  };
  positive("--E", s.E, "Pa");
  positive("--hardness", s.hardness, "Pa");
  positive("--shear", s.shear, "Pa");
  positive("--area", s.area, "m^2");
  positive("--mass", s.mass, "kg");
  positive("--load", s.load, "N");
  positive("--density", s.density, "kg/m^3");
  require(out, "--cutoff", s.cutoff, s.cutoff >= 0 && std::isfinite(s.cutoff), "a length > 0 in m is required");
  require(out, "--short", s.shortest, s.shortest >= 0 && std::isfinite(s.shortest), "a length > 0 in m is required");
  require(out, "--poisson", s.poisson, s.poisson > -1 && s.poisson <= 0.5,
          "a number above -1 and up to 0.5 is required");
  if (s.separation)
    require(out, "--separation", *s.separation, *s.separation >= -5 && *s.separation <= 12,
            "-5 to 12 standard deviations of the summit heights are accepted");
  if (s.load && s.separation) out.push_back({"--load", "excludes --separation; one of them is accepted"});
  if (s.load && !s.E) out.push_back({"--load", "requires --E, the effective modulus in Pa"});
  return out;
}

}  // namespace bristle::surface
