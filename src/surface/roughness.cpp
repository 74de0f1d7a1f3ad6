#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/number.hpp"
#include "base/parallel.hpp"
#include "surface/filter.hpp"
#include "surface/sums.hpp"

namespace bristle::surface {
namespace {

using std::numbers::pi;

void check_record(const Heights& h, const Settings& s) {
  if (h.is_profile() ? h.nx < 32 : h.nx < 16 || h.ny < 16)
    throw BadSurface(h.is_profile()
                         ? fmt::format("{} points; a profile of at least 32 points is required", h.nx)
                         : fmt::format("{} x {} points; a map of at least 16 x 16 points is required", h.nx, h.ny));
  const double dy = h.is_profile() ? h.dx : h.dy;
  for (const double d : {h.dx, dy}) {
    if (!(d >= 1e-12 && d <= 1)) throw BadSurface(fmt::format("spacing {} m; 1e-12 to 1 m are accepted", to_text(d)));
  }
  const double shortest = h.is_profile() ? h.length_x() : std::min(h.length_x(), h.length_y());
  if (s.cutoff > shortest * (1 + 1e-12))
    throw BadSurface(fmt::format("--cutoff {} m exceeds the record of {} m; at most the record is accepted",
                                 to_text(s.cutoff), to_text(shortest)));
  if (s.shortest > 0 && s.shortest < 2 * std::max(h.dx, dy) * (1 - 1e-12))
    throw BadSurface(fmt::format("--short {} m is less than two points of {} m; at least {} m is accepted",
                                 to_text(s.shortest), to_text(std::max(h.dx, dy)), to_text(2 * std::max(h.dx, dy))));
  if (s.cutoff > 0 && s.shortest >= s.cutoff)
    throw BadSurface(fmt::format("--short {} m is not below --cutoff {} m", to_text(s.shortest), to_text(s.cutoff)));
}

/// Drops `x` columns and `y` rows at each end.
void crop(Heights& h, std::vector<char>& measured, std::size_t x, std::size_t y) {
  if (x == 0 && y == 0) return;
  const std::size_t nx = h.nx - 2 * x, ny = h.ny - 2 * y;
  auto cut = [&](auto& all) {
    if (all.empty()) return;
    for (std::size_t j = 0; j < ny; ++j) {
      const auto from = all.begin() + static_cast<std::ptrdiff_t>((j + y) * h.nx + x);
      std::copy(from, from + static_cast<std::ptrdiff_t>(nx), all.begin() + static_cast<std::ptrdiff_t>(j * nx));
    }
    all.resize(nx * ny);
  };
  cut(h.z);
  cut(measured);
  h.x0 += static_cast<double>(x) * h.dx;
  h.nx = nx;
  h.ny = ny;
}

/// Short waves first, then the heights above the mean line of the cutoff.
void filter(Heights& h, std::vector<char>& measured, const Settings& s, unsigned threads, Steps& steps,
            std::vector<std::string>& warnings) {
  if (s.shortest > 0) smooth(h, s.shortest, threads, steps);
  if (s.cutoff == 0) return;
  Heights line = h;
  smooth(line, s.cutoff, threads, steps);
  for (std::size_t i = 0; i < h.z.size(); ++i) h.z[i] -= line.z[i];
  auto ends = [&](double length, double spacing) -> std::size_t {
    if (length < 5 * s.cutoff * (1 - 1e-12)) return 0;
    return static_cast<std::size_t>(std::lround(s.cutoff / spacing));
  };
  const std::size_t x = ends(h.length_x(), h.dx), y = h.is_profile() ? 0 : ends(h.length_y(), h.dy);
  if (x == 0 || (y == 0 && !h.is_profile()))
    warnings.push_back(fmt::format("the record of {:.4g} m is shorter than 5 cutoffs of {:.4g} m: its ends are kept, "
                                   "where the mean line is less certain",
                                   h.is_profile() ? h.length_x() : std::min(h.length_x(), h.length_y()), s.cutoff));
  crop(h, measured, x, y);
}

SummitStatistics nayak_of(const Moments& m, double alpha) {
  SummitStatistics out{.eta = m.m4 / (6 * pi * std::sqrt(3) * m.m2),
                       .curvature = 8.0 / 3 * std::sqrt(m.m4 / pi),
                       .mean = 4 * std::sqrt(m.m0 / (pi * alpha))};
  if (const double square = (1 - 0.8968 / alpha) * m.m0; square > 0) out.sigma_s = std::sqrt(square);
  return out;
}

SummitStatistics counted_of(const Heights& h, const std::vector<Summit>& summits) {
  SummitStatistics out{};
  if (summits.empty()) return out;
  const auto n = static_cast<double>(summits.size());
  out.eta = n / (static_cast<double>(h.nx - 2) * h.dx * static_cast<double>(h.ny - 2) * h.dy);
  double squares = 0;
  for (const Summit& s : summits) {
    out.mean += s.height / n;
    out.curvature += 1 / s.radius / n;
  }
  for (const Summit& s : summits) squares += (s.height - out.mean) * (s.height - out.mean);
  if (squares > 0) out.sigma_s = std::sqrt(squares / n);
  return out;
}

/// Share of the mean square that a plane explains.
double tilt(const Heights& h, double Sq, unsigned threads) {
  Heights flat = h;
  level(flat, Level::plane, threads);
  double sum = 0;
  for (const double z : flat.z) sum += z * z;
  return 1 - sum / static_cast<double>(flat.z.size()) / (Sq * Sq);
}

double bias(double spacing, double wavelength) {
  const double half = pi * spacing / wavelength;
  return std::pow(std::sin(half) / half, 2);
}

}  // namespace

double Roughness::wavelength() const { return 2 * pi * std::sqrt(all.m0 / all.m2); }

Roughness roughness(Heights heights, const Settings& s, const Work& work) {
  check_record(heights, s);
  Roughness out;
  out.heights = std::move(heights);
  Heights& h = out.heights;
  out.is_profile = h.is_profile();
  const auto points = static_cast<double>(h.z.size());
  const auto missing = static_cast<double>(std::ranges::count_if(h.z, [](double v) { return std::isnan(v); }));
  out.missing = missing / points;
  if (out.missing > 0.05)
    throw BadSurface(fmt::format("{:.3g} % of the heights are missing; at most 5 % are accepted", 100 * out.missing));
  double size = 0;
  for (const double v : h.z) size = std::isnan(v) ? size : std::max(size, std::abs(v));
  if (size > 1)
    throw BadSurface(fmt::format(
        "height of {:.4g} m; at most 1 m is accepted: units in the header, such as z_um, are converted", size));

  const double passes = directions(h) * ((s.shortest > 0 ? 1 : 0) + (s.cutoff > 0 ? 1 : 0));
  Steps steps(work, points * (passes + 2));
  level(h, s.level, work.threads);
  std::vector<char> measured = fill_missing(h);
  if (missing > 0)
    out.warnings.push_back(fmt::format("{} missing heights ({:.2g} %) were interpolated for the filter and are not "
                                       "counted elsewhere",
                                       grouped(static_cast<std::size_t>(missing)), 100 * out.missing));
  filter(h, measured, s, work.threads, steps, out.warnings);

  const Field field{h, measured, work.threads};
  const HeightSums sums = height_sums(field, s.level != Level::none || s.cutoff > 0);
  if (sums.mean_removed != 0) {
    for (double& v : h.z) v -= sums.mean_removed;
  }
  out.Sa = sums.Sa;
  out.Sq = sums.Sq;
  out.Ssk = sums.Ssk;
  out.Sku = sums.Sku;
  out.Sp = sums.highest;
  out.Sv = -sums.lowest;
  if (!(out.Sq > 1e-12 * size)) throw BadSurface("all heights are equal; a rough surface is required");
  steps.done(points);
  const Slopes slopes = slope_sums(field);
  out.Sdq = slopes.Sdq;
  const double m0 = out.Sq * out.Sq;
  out.x = {m0, slopes.m2_x, slopes.m4_x};
  if (!out.is_profile) out.y = {m0, slopes.m2_y, slopes.m4_y};
  out.all = out.is_profile ? out.x : Moments{m0, (out.x.m2 + out.y.m2) / 2, (out.x.m4 + out.y.m4) / 2};
  out.alpha = m0 * out.all.m4 / (out.all.m2 * out.all.m2);
  out.nayak = nayak_of(out.all, out.alpha);
  out.summits = find_summits(field);
  if (!out.is_profile) out.counted = counted_of(h, out.summits);
  spectrum(field, out.spectrum_q, out.spectrum_C);
  steps.done(points);
  if (s.shortest > 0) {
    const double bx = bias(h.dx, s.shortest), by = out.is_profile ? bx : bias(h.dy, s.shortest);
    out.bias_m2 = (bx + by) / 2;
    out.bias_m4 = (bx * bx + by * by) / 2;
  }

  if (!(out.Sdq <= 10))
    throw BadSurface(fmt::format(
        "rms slope of {:.3g}; at most 10 is accepted: heights and spacing seem to have different units", out.Sdq));
  if (out.Sdq > 1)
    out.warnings.push_back(fmt::format("rms slope of {:.3g}: heights and spacing may have different units", out.Sdq));
  if (h.dx > 1e-3)
    out.warnings.push_back(fmt::format("spacing of {:.3g} m: lengths are in m, or in the units of the header", h.dx));
  if (s.level == Level::mean && s.cutoff == 0) {
    if (const double share = tilt(h, out.Sq, work.threads); share > 0.1)
      out.warnings.push_back(
          fmt::format("a tilted plane makes up {:.2g} % of Sq^2; --level plane or --cutoff removes it", 100 * share));
  }
  if (s.level == Level::none && s.cutoff == 0 && std::abs(sums.mean) > 0.01 * out.Sq)
    out.warnings.push_back(
        fmt::format("the mean height of {:.3g} m is part of Sq; --level mean removes it", sums.mean));
  if (out.alpha < 1.5)
    out.warnings.push_back(
        fmt::format("alpha = {:.4g} is below 1.5: the surface is not isotropic and Gaussian, and the "
                    "statistics of summits do not hold",
                    out.alpha));
  if (!out.is_profile && out.x.m2 > 0 && out.y.m2 > 0) {
    const double ratio = std::max(out.x.m2, out.y.m2) / std::min(out.x.m2, out.y.m2);
    if (ratio > 2)
      out.warnings.push_back(
          fmt::format("m2 differs by a factor of {:.3g} between x and y: the surface is not isotropic", ratio));
  }
  return out;
}

}  // namespace bristle::surface
