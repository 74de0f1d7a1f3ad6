#include <array>
#include <cmath>
#include <vector>

#include "base/parallel.hpp"
#include "surface/filter.hpp"

namespace bristle::surface {
namespace {

constexpr std::size_t most_terms = 6;
using Terms = std::array<double, most_terms>;
struct Sums {
  std::array<std::array<double, most_terms>, most_terms> A{};
  Terms b{};
};

/// 1, x, y, x^2, x y, y^2 with x and y from -1 to 1; a profile has 1, x, x^2.
Terms terms_at(const Heights& h, std::size_t i, std::size_t j) {
  const double x = h.nx > 1 ? 2 * static_cast<double>(i) / static_cast<double>(h.nx - 1) - 1 : 0;
  const double y = h.ny > 1 ? 2 * static_cast<double>(j) / static_cast<double>(h.ny - 1) - 1 : 0;
  if (h.is_profile()) return {1, x, x * x};
  return {1, x, y, x * x, x * y, y * y};
}
std::size_t count_of(Level kind, bool profile) {
  if (kind == Level::mean) return 1;
  if (kind == Level::plane) return profile ? 2 : 3;
  return profile ? 3 : 6;
}

/// Gaussian elimination of the symmetric positive definite system, with pivots.
Terms solve(Sums s, std::size_t n) {
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t r = k + 1; r < n; ++r) {
      if (std::abs(s.A[r][k]) > std::abs(s.A[pivot][k])) pivot = r;
    }
    std::swap(s.A[k], s.A[pivot]);
    std::swap(s.b[k], s.b[pivot]);
    for (std::size_t r = k + 1; r < n; ++r) {
      const double f = s.A[r][k] / s.A[k][k];
      for (std::size_t c = k; c < n; ++c) s.A[r][c] -= f * s.A[k][c];
      s.b[r] -= f * s.b[k];
    }
  }
  Terms out{};
  for (std::size_t k = n; k-- > 0;) {
    double rest = s.b[k];
    for (std::size_t c = k + 1; c < n; ++c) rest -= s.A[k][c] * out[c];
    out[k] = rest / s.A[k][k];
  }
  return out;
}

}  // namespace

void level(Heights& h, Level kind, unsigned threads) {
  if (kind == Level::none) return;
  const std::size_t n = count_of(kind, h.is_profile());
  for (int round = 0; round < 2; ++round) {  // the second removes rounding errors of a large offset
    std::vector<Sums> rows(h.ny);
    in_parallel(h.ny, threads, [&](std::size_t j) {
      Sums& s = rows[j];
      for (std::size_t i = 0; i < h.nx; ++i) {
        const double z = h.z[j * h.nx + i];
        if (std::isnan(z)) continue;
        const Terms t = terms_at(h, i, j);
        for (std::size_t r = 0; r < n; ++r) {
          for (std::size_t c = 0; c < n; ++c) s.A[r][c] += t[r] * t[c];
          s.b[r] += t[r] * z;
        }
      }
    });
    Sums all;
    for (const Sums& s : rows) {
      for (std::size_t r = 0; r < n; ++r) {
        for (std::size_t c = 0; c < n; ++c) all.A[r][c] += s.A[r][c];
        all.b[r] += s.b[r];
      }
    }
    const Terms f = solve(all, n);
    in_parallel(h.ny, threads, [&](std::size_t j) {
      for (std::size_t i = 0; i < h.nx; ++i) {
        const Terms t = terms_at(h, i, j);
        double form = 0;
        for (std::size_t r = 0; r < n; ++r) form += f[r] * t[r];
        h.z[j * h.nx + i] -= form;
      }
    });
  }
}

}  // namespace bristle::surface
