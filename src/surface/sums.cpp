#include "surface/sums.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "base/parallel.hpp"
#include "surface/fourier.hpp"

namespace bristle::surface {
namespace {

/// Adds the sums of the rows in their order.
template <std::size_t N, class F> std::array<double, N> over_rows(const Field& f, F&& row) {
  std::vector<std::array<double, N>> parts(f.h.ny);
  in_parallel(f.h.ny, f.threads, [&](std::size_t j) {
    parts[j].fill(0);
    row(j, parts[j]);
  });
  std::array<double, N> out{};
  for (const auto& p : parts) {
    for (std::size_t k = 0; k < N; ++k) out[k] += p[k];
  }
  return out;
}

double square(double x) { return x * x; }
double ratio(double sum, double n) { return n > 0 ? sum / n : 0; }

}  // namespace

HeightSums height_sums(const Field& f, bool centred) {
  const Heights& h = f.h;
  const auto first = over_rows<2>(f, [&](std::size_t j, auto& s) {
    for (std::size_t k = j * h.nx; k < (j + 1) * h.nx; ++k) {
      if (!f.at(k)) continue;
      s[0] += h.z[k];
      ++s[1];
    }
  });
  HeightSums out;
  const double n = first[1];
  out.mean = ratio(first[0], n);
  out.mean_removed = centred ? out.mean : 0;
  const auto sums = over_rows<4>(f, [&](std::size_t j, auto& s) {
    for (std::size_t k = j * h.nx; k < (j + 1) * h.nx; ++k) {
      if (!f.at(k)) continue;
      const double z = h.z[k] - out.mean_removed;
      s[0] += std::abs(z);
      s[1] += z * z;
      s[2] += z * z * z;
      s[3] += z * z * z * z;
    }
  });
  out.Sa = ratio(sums[0], n);
  out.Sq = std::sqrt(ratio(sums[1], n));
  out.Ssk = ratio(sums[2], n) / (out.Sq * out.Sq * out.Sq);
  out.Sku = ratio(sums[3], n) / square(out.Sq * out.Sq);
  out.lowest = HUGE_VAL;
  out.highest = -HUGE_VAL;
  for (std::size_t k = 0; k < h.z.size(); ++k) {
    if (!f.at(k)) continue;
    out.lowest = std::min(out.lowest, h.z[k] - out.mean_removed);
    out.highest = std::max(out.highest, h.z[k] - out.mean_removed);
  }
  return out;
}

Slopes slope_sums(const Field& f) {
  const Heights& h = f.h;
  const std::size_t nx = h.nx;
  const bool map = !h.is_profile();
  /// Squares of first and second differences from k along the stride `step`.
  auto differences = [&](std::size_t k, std::size_t step, bool second, auto& s, std::size_t at) {
    const double a = h.z[k], b = h.z[k + step];
    if (!f.at(k) || !f.at(k + step)) return;
    s[at] += square(b - a);
    ++s[at + 1];
    if (!second || !f.at(k + 2 * step)) return;
    s[at + 2] += square(h.z[k + 2 * step] - 2 * b + a);
    ++s[at + 3];
  };
  /// Slope times the spacing.
  auto slope = [&](std::size_t k, std::size_t step, bool& good) {
    for (std::size_t d = 1; d <= 3; ++d) good = good && f.at(k - d * step) && f.at(k + d * step);
    const double* z = &h.z[k];
    const auto n = static_cast<std::ptrdiff_t>(step);
    return (z[3 * n] - z[-3 * n] - 9 * (z[2 * n] - z[-2 * n]) + 45 * (z[n] - z[-n])) / 60;
  };
  const auto s = over_rows<10>(f, [&](std::size_t j, auto& sums) {
    for (std::size_t i = 0; i < nx; ++i) {
      const std::size_t k = j * nx + i;
      if (i + 1 < nx) differences(k, 1, i + 2 < nx, sums, 0);
      if (map && j + 1 < h.ny) differences(k, nx, j + 2 < h.ny, sums, 4);
      if (i < 3 || i + 3 >= nx || (map && (j < 3 || j + 3 >= h.ny))) continue;
      bool good = true;
      const double x = slope(k, 1, good) / h.dx, y = map ? slope(k, nx, good) / h.dy : 0;
      if (!good) continue;
      sums[8] += x * x + y * y;
      ++sums[9];
    }
  });
  const double x2 = h.dx * h.dx, y2 = h.dy * h.dy;
  Slopes out{
      .m2_x = ratio(s[0], s[1]) / x2, .m4_x = ratio(s[2], s[3]) / (x2 * x2), .Sdq = std::sqrt(ratio(s[8], s[9]))};
  if (map) {
    out.m2_y = ratio(s[4], s[5]) / y2;
    out.m4_y = ratio(s[6], s[7]) / (y2 * y2);
  }
  return out;
}

std::vector<Summit> find_summits(const Field& f) {
  const Heights& h = f.h;
  const std::size_t nx = h.nx;
  const bool map = !h.is_profile();
  std::vector<std::vector<Summit>> rows(h.ny);
  in_parallel(h.ny, f.threads, [&](std::size_t j) {
    if (map && (j == 0 || j + 1 == h.ny)) return;
    for (std::size_t i = 1; i + 1 < nx; ++i) {
      const std::size_t k = j * nx + i;
      const double z = h.z[k];
      if (!(z > h.z[k - 1] && z > h.z[k + 1]) || !f.at(k) || !f.at(k - 1) || !f.at(k + 1)) continue;
      double curvature = -(h.z[k - 1] - 2 * z + h.z[k + 1]) / (h.dx * h.dx);
      if (map) {
        bool highest = true;
        for (const std::size_t row : {k - nx, k + nx}) {
          for (std::size_t n = row - 1; n <= row + 1; ++n) highest = highest && z > h.z[n] && f.at(n);
        }
        if (!highest) continue;
        curvature = (curvature - (h.z[k - nx] - 2 * z + h.z[k + nx]) / (h.dy * h.dy)) / 2;
      }
      rows[j].push_back({h.x0 + static_cast<double>(i) * h.dx, static_cast<double>(j) * h.dy, z, 1 / curvature});
    }
  });
  std::vector<Summit> out;
  for (const auto& r : rows) out.insert(out.end(), r.begin(), r.end());
  return out;
}

void spectrum(const Field& f, std::vector<double>& q, std::vector<double>& C) {
  const Heights& h = f.h;
  constexpr std::size_t most_rows = 256, bins = 120;
  const std::size_t every = (h.ny + most_rows - 1) / most_rows, rows = (h.ny + every - 1) / every;
  const Fourier fourier(h.nx);
  const std::size_t size = fourier.size();
  std::vector<double> window(h.nx), power(size / 2, 0.0);
  double norm = 0;
  for (std::size_t i = 0; i < h.nx; ++i) {
    window[i] = square(std::sin(std::numbers::pi * (static_cast<double>(i) + 0.5) / static_cast<double>(h.nx)));
    norm += window[i] * window[i];
  }
  std::vector<std::vector<double>> parts(rows);
  in_parallel(rows, f.threads, [&](std::size_t r) {
    std::vector<double> re(size, 0.0), im(size, 0.0);
    for (std::size_t i = 0; i < h.nx; ++i) re[i] = window[i] * h.z[r * every * h.nx + i];
    fourier.forward(re.data(), im.data());
    parts[r].resize(size / 2);
    for (std::size_t k = 0; k < size / 2; ++k) {
      const std::size_t at = fourier.place(k);
      parts[r][k] = re[at] * re[at] + im[at] * im[at];
    }
  });
  for (const auto& p : parts) {
    for (std::size_t k = 0; k < p.size(); ++k) power[k] += p[k] / static_cast<double>(rows);
  }
  const double step = 2 * std::numbers::pi / (static_cast<double>(size) * h.dx);
  const double most = std::log(static_cast<double>(size / 2));
  for (std::size_t k = 1, bin = 1; k < size / 2;) {
    double sum = 0, n = 0, at = 0;
    while (bin <= bins && static_cast<double>(bin) / bins * most < std::log(static_cast<double>(k) + 0.5)) ++bin;
    const double edge = std::exp(static_cast<double>(bin) / bins * most);
    do {
      sum += power[k];
      at += static_cast<double>(k);
      ++n;
      ++k;
    } while (k < size / 2 && static_cast<double>(k) + 0.5 < edge);
    q.push_back(step * at / n);
    C.push_back(sum / n * 2 * h.dx / (2 * std::numbers::pi * norm));
  }
}

}  // namespace bristle::surface
