#pragma once
#include <cmath>
#include <cstdint>
#include <numbers>

#include "bristle/random.hpp"
#include "bristle/surface.hpp"

/// Surfaces of known waves.
namespace samples {

/// Three waves of 0.8, 0.1 and 0.02 mm on 8 mm.
inline bristle::surface::Heights profile() {
  bristle::surface::Heights out{.nx = 8000, .ny = 1, .dx = 1e-6};
  for (int i = 0; i < 8000; ++i) {
    const double x = 2 * std::numbers::pi * i * 1e-6;
    out.z.push_back(1e-6 * std::cos(x / 0.8e-3) + 0.3e-6 * std::cos(x / 0.1e-3 + 0.5) +
                    0.1e-6 * std::cos(x / 0.02e-3 + 1.1));
  }
  return out;
}

/// Isotropic waves of random phases, amplitudes (k/4)^-1.8 for 4 <= k <= 32, Sq 0.5 um: n x n points.
inline bristle::surface::Heights waves(int n, double dx, double dy, std::uint64_t seed) {
  bristle::surface::Heights out{
      .nx = static_cast<std::size_t>(n), .ny = static_cast<std::size_t>(n), .dx = dx, .dy = dy};
  struct Wave {
    int kx, ky;
    double a, phase;
  };
  std::vector<Wave> waves;
  double sum = 0;
  for (int ky = 0; ky <= 32; ++ky) {
    for (int kx = -32; kx <= 32; ++kx) {
      const double k = std::hypot(kx, ky);
      if ((ky == 0 && kx <= 0) || k < 4 || k > 32) continue;
      const double square = std::pow(k / 4, -3.6);
      const double phase = 2 * std::numbers::pi *
                           bristle::uniform(1, seed, static_cast<std::uint64_t>(static_cast<std::int64_t>(kx)),
                                            static_cast<std::uint64_t>(ky));
      waves.push_back({kx, ky, std::sqrt(square), phase});
      sum += square / 2;
    }
  }
  std::vector<double> table(static_cast<std::size_t>(n) * 2);
  for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(i) / n;
    table[2 * i] = std::cos(angle);
    table[2 * i + 1] = std::sin(angle);
  }
  out.z.assign(out.nx * out.ny, 0.0);
  const double scale = 0.5e-6 / std::sqrt(sum);
  for (const Wave& w : waves) {
    const double c = scale * w.a * std::cos(w.phase), s = scale * w.a * std::sin(w.phase);
    for (int j = 0; j < n; ++j) {
      int at = ((w.ky * j) % n + n) % n;
      const int step = (w.kx + n) % n;
      double* row = &out.z[static_cast<std::size_t>(j) * out.nx];
      for (int i = 0; i < n; ++i) {
        row[i] += c * table[2 * static_cast<std::size_t>(at)] - s * table[2 * static_cast<std::size_t>(at) + 1];
        at += step;
        if (at >= n) at -= n;
      }
    }
  }
  return out;
}

inline bristle::surface::Heights map(int n = 256, double dx = 1e-6, double dy = 1e-6, std::uint64_t seed = 13) {
  static const bristle::surface::Heights usual = waves(256, 1e-6, 1e-6, 13);  // takes a second without optimisation
  return n == 256 && dx == 1e-6 && dy == 1e-6 && seed == 13 ? usual : waves(n, dx, dy, seed);
}

inline bristle::surface::Settings steel() {
  return {.E = 115e9, .hardness = 2e9, .shear = 3e8, .area = 1e-4, .mass = 1, .separation = 2};
}

}  // namespace samples
