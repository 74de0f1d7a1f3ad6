#include "data/smooth.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace bristle::identify {
namespace {

/// The filter in the time s = omega_c t and in units of the measurement noise: all entries of the covariance then have
/// the same order of magnitude for any bandwidth.
template <std::size_t M> struct Filter {
  using Vector = std::array<double, M>;
  using Matrix = std::array<std::array<double, M>, M>;

  Vector x{};
  Matrix P{};
  double intensity;  // of the process noise

  explicit Filter(double mean_step) : intensity(mean_step) {}

  /// Initial state from a polynomial through the first samples, with a large covariance.
  void begin(const double* t, const double* y, std::size_t n, double omega) {
    constexpr double loose = 1e4;
    x = polynomial(t, y, n, omega);
    P = {};
    for (std::size_t i = 0; i < M; ++i) P[i][i] = loose;
  }
  void predict(double d) {
    Matrix A{};  // transition matrix: 1, d, d^2/2
    Matrix Q{};
    if constexpr (M == 2) {
      A = {{{1, d}, {0, 1}}};
      Q = {{{d * d * d / 3, d * d / 2}, {d * d / 2, d}}};
    } else {
      const double d2 = d * d, d3 = d2 * d;
      A = {{{1, d, d2 / 2}, {0, 1, d}, {0, 0, 1}}};
      Q = {{{d3 * d2 / 20, d2 * d2 / 8, d3 / 6}, {d2 * d2 / 8, d3 / 3, d2 / 2}, {d3 / 6, d2 / 2, d}}};
    }
    Vector next{};
    Matrix AP{}, out{};
    for (std::size_t i = 0; i < M; ++i) {
      for (std::size_t j = i; j < M; ++j) next[i] += A[i][j] * x[j];
      for (std::size_t j = 0; j < M; ++j) {
        for (std::size_t k = i; k < M; ++k) AP[i][j] += A[i][k] * P[k][j];
      }
    }
    for (std::size_t i = 0; i < M; ++i) {
      for (std::size_t j = i; j < M; ++j) {
        double sum = intensity * Q[i][j];
        for (std::size_t k = j; k < M; ++k) sum += AP[i][k] * A[j][k];
        out[i][j] = out[j][i] = sum;
      }
    }
    x = next;
    P = out;
  }
  double variance() const { return P[0][0] + 1; }
  void update(double innovation) {
    const double S = variance();
    Vector K{};
    for (std::size_t i = 0; i < M; ++i) K[i] = P[i][0] / S;
    for (std::size_t i = 0; i < M; ++i) x[i] += K[i] * innovation;
    for (std::size_t i = 0; i < M; ++i) {
      for (std::size_t j = i; j < M; ++j) P[i][j] = P[j][i] = P[i][j] - K[i] * K[j] * S;
    }
  }

 private:
  static Vector polynomial(const double* t, const double* y, std::size_t n, double omega) {
    std::size_t used = std::min(n, M);
    while (used < n && omega * (t[used] - t[0]) < 1 && used < 1000) ++used;
    // Least squares of degree M-1 by the normal equations in powers of s, small and well scaled.
    const double width = std::max(omega * (t[used - 1] - t[0]), 1e-300);
    std::array<std::array<double, M + 1>, M> normal{};
    const std::size_t degree = std::min(used, M);
    for (std::size_t k = 0; k < used; ++k) {
      const double s = omega * (t[k] - t[0]) / width;
      std::array<double, M> power{};
      double p = 1;
      for (std::size_t i = 0; i < degree; ++i, p *= s) power[i] = p;
      for (std::size_t i = 0; i < degree; ++i) {
        for (std::size_t j = 0; j < degree; ++j) normal[i][j] += power[i] * power[j];
        normal[i][M] += power[i] * y[k];
      }
    }
    for (std::size_t i = 0; i < degree; ++i) {  // elimination; the matrix is positive definite
      for (std::size_t r = i + 1; r < degree; ++r) {
        const double f = normal[r][i] / normal[i][i];
        for (std::size_t c = i; c < degree; ++c) normal[r][c] -= f * normal[i][c];
        normal[r][M] -= f * normal[i][M];
      }
    }
    Vector out{};
    for (std::size_t i = degree; i-- > 0;) {
      double sum = normal[i][M];
      for (std::size_t c = i + 1; c < degree; ++c) sum -= normal[i][c] * out[c];
      out[i] = sum / normal[i][i];
    }
    double scale = 1;
    for (std::size_t i = 1; i < M; ++i) {
      scale *= static_cast<double>(i) / width;
      out[i] *= scale;
    }
    return out;
  }
};

std::size_t end_of(const Samples& s, std::size_t stretch) {
  return stretch + 1 < s.stretches.size() ? s.stretches[stretch + 1] : s.t.size();
}

/// Values of a step for the backward pass.
template <std::size_t M> struct Stored {
  typename Filter<M>::Vector x;
  std::array<double, M*(M + 1) / 2> P;
  double innovation;
};

template <std::size_t M>
void smooth_stretch(const double* t, const double* y, std::size_t n, double omega, double step, double* out,
                    double* rate, double* second) {
  std::vector<Stored<M>> stored(n);
  Filter<M> filter(omega * step);
  filter.begin(t, y, n, omega);
  for (std::size_t i = 0; i < n; ++i) {
    if (i > 0) filter.predict(omega * (t[i] - t[i - 1]));
    Stored<M>& s = stored[i];
    s.x = filter.x;
    std::size_t k = 0;
    for (std::size_t r = 0; r < M; ++r) {
      for (std::size_t c = r; c < M; ++c) s.P[k++] = filter.P[r][c];
    }
    s.innovation = y[i] - filter.x[0];
    filter.update(s.innovation);
  }
  // Bryson-Frazier smoother: the adjoint runs backwards without inverting a covariance.
  std::array<double, M> adjoint{};
  for (std::size_t i = n; i-- > 0;) {
    if (i + 1 < n) {
      const double d = omega * (t[i + 1] - t[i]);
      if constexpr (M == 3) adjoint[2] += d * adjoint[1] + d * d / 2 * adjoint[0];
      adjoint[1] += d * adjoint[0];
    }
    const Stored<M>& s = stored[i];
    std::array<std::array<double, M>, M> P{};
    std::size_t k = 0;
    for (std::size_t r = 0; r < M; ++r) {
      for (std::size_t c = r; c < M; ++c) P[r][c] = P[c][r] = s.P[k++];
    }
    const double S = P[0][0] + 1;
    double along = 0;
    for (std::size_t r = 0; r < M; ++r) along += P[r][0] / S * adjoint[r];
    adjoint[0] += -along - s.innovation / S;
    std::array<double, M> x = s.x;
    for (std::size_t r = 0; r < M; ++r) {
      for (std::size_t c = 0; c < M; ++c) x[r] -= P[r][c] * adjoint[c];
    }
    out[i] = x[0];
    rate[i] = omega * x[1];
    if constexpr (M == 3) second[i] = omega * omega * x[2];
  }
}

template <std::size_t M> Smoothed smooth_all(const Samples& s, double bandwidth) {
  const std::size_t n = s.t.size();
  Smoothed out{std::vector<double>(n), std::vector<double>(n), std::vector<double>(M == 3 ? n : 0)};
  const double omega = 2 * std::numbers::pi * bandwidth, step = median_step(s);
  for (std::size_t k = 0; k < s.stretches.size(); ++k) {
    const std::size_t begin = s.stretches[k], end = end_of(s, k);
    if (end > begin) {
      smooth_stretch<M>(&s.t[begin], &s.y[begin], end - begin, omega, step, &out.y[begin], &out.rate[begin],
                        M == 3 ? &out.second[begin] : nullptr);
    }
  }
  return out;
}

using Pieces = std::vector<std::array<std::size_t, 2>>;  // begin and end

struct Likelihood {
  double squares = 0, logs = 0;
  std::size_t n = 0;
  double value() const {
    return static_cast<double>(n) * std::log(squares / static_cast<double>(n)) + logs;  // -2 log, up to a constant
  }
};

template <std::size_t M> Likelihood likelihood(const Samples& s, const Pieces& pieces, double omega, double step) {
  Likelihood out;
  for (const auto& [begin, end] : pieces) {
    Filter<M> filter(omega * step);
    filter.begin(&s.t[begin], &s.y[begin], end - begin, omega);
    for (std::size_t i = begin; i < end; ++i) {
      if (i > begin) filter.predict(omega * (s.t[i] - s.t[i - 1]));
      const double innovation = s.y[i] - filter.x[0];
      if (i >= begin + M) {
        out.squares += innovation * innovation / filter.variance();
        out.logs += std::log(filter.variance());
        ++out.n;
      }
      filter.update(innovation);
    }
  }
  return out;
}

/// The whole recording, or pieces spread evenly over a long one.
Pieces pieces_of(const Samples& s) {
  constexpr std::size_t enough = 40000, pieces = 8;
  const std::size_t n = s.t.size();
  Pieces out;
  for (std::size_t k = 0; k < s.stretches.size(); ++k) {
    const std::size_t begin = s.stretches[k], end = end_of(s, k);
    if (n <= enough) {
      out.push_back({begin, end});
      continue;
    }
    for (std::size_t p = 0; p < pieces; ++p) {
      const std::size_t at = p * (n / pieces), until = at + enough / pieces;
      const std::size_t a = std::max(at, begin), b = std::min(until, end);
      if (a + 100 < b) out.push_back({a, b});
    }
  }
  return out;
}

/// Fraction of a sample's noise in its smoothed value: the mean response up to Nyquist, d in rad per sample.
template <std::size_t M> double leverage(double d) {
  constexpr int n = 2000;
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += 1 / (1 + std::pow(std::numbers::pi * (i + 0.5) / n / d, 2.0 * M));
  return sum / n;
}

/// Generalised cross-validation error.
template <std::size_t M> double left_out(const Samples& s, const Pieces& pieces, double omega, double step) {
  double squares = 0;
  std::size_t n = 0;
  std::vector<double> y, rate, second;
  for (const auto& [begin, end] : pieces) {
    for (auto* v : {&y, &rate, &second}) v->resize(end - begin);
    smooth_stretch<M>(&s.t[begin], &s.y[begin], end - begin, omega, step, y.data(), rate.data(), second.data());
    for (std::size_t i = begin; i < end; ++i) squares += (s.y[i] - y[i - begin]) * (s.y[i] - y[i - begin]);
    n += end - begin;
  }
  const double own = 1 - leverage<M>(omega * step);
  return squares / static_cast<double>(n) / (own * own);
}

/// Maximum likelihood overestimates the bandwidth of a smooth motion; a lower one with a smaller cross-validation error
/// is preferred.
template <std::size_t M>
double lowered(const Samples& s, const Pieces& pieces, double omega, double step, double lowest) {
  double best = omega, least = left_out<M>(s, pieces, omega, step);
  int worse = 0;
  for (double w = omega / 1.25; w * step > lowest && worse < 3; w /= 1.25) {
    const double error = left_out<M>(s, pieces, w, step);
    worse = error < least ? 0 : worse + 1;
    if (error >= least) continue;
    least = error;
    best = w;
  }
  return best;
}

template <std::size_t M> Bandwidth choose(const Samples& s) {
  const double step = median_step(s);
  const auto pieces = pieces_of(s);
  std::size_t longest = 0;
  for (const auto& [begin, end] : pieces) longest = std::max(longest, end - begin);
  const double lowest = std::log(std::max(1e-4, 4 / static_cast<double>(longest))), highest = std::log(10.0);
  double noise = 0;
  auto at = [&](double log_d) {
    const Likelihood l = likelihood<M>(s, pieces, std::exp(log_d) / step, step);
    noise = l.n == 0 ? 0 : std::sqrt(l.squares / static_cast<double>(l.n));
    return l.n == 0 || l.squares <= 0 ? -1e300 * log_d : l.value();
  };
  constexpr int grid = 20;
  double best = highest, least = at(highest);
  const double width = (highest - lowest) / grid;
  for (int i = grid - 1; i >= 0; --i) {
    if (const double value = at(lowest + width * i); value < least) {
      least = value;
      best = lowest + width * i;
    }
  }
  double a = std::max(lowest, best - width), b = std::min(highest, best + width);
  constexpr double golden = 0.3819660112501051;
  double p = a + golden * (b - a), q = b - golden * (b - a), at_p = at(p), at_q = at(q);
  for (int i = 0; i < 12; ++i) {
    if (at_p < at_q) {
      b = q;
      q = p;
      at_q = at_p;
      at_p = at(p = a + golden * (b - a));
    } else {
      a = p;
      p = q;
      at_p = at_q;
      at_q = at(q = b - golden * (b - a));
    }
  }
  const double found = at_p < at_q ? p : q;
  at(found);
  const double omega = lowered<M>(s, pieces, std::exp(found) / step, step, std::exp(lowest));
  return {omega / (2 * std::numbers::pi), noise};
}

}  // namespace

double median_step(const Samples& s) {
  std::vector<double> steps;
  steps.reserve(s.t.size());
  for (std::size_t k = 0; k < s.stretches.size(); ++k) {
    for (std::size_t i = s.stretches[k] + 1; i < end_of(s, k); ++i) steps.push_back(s.t[i] - s.t[i - 1]);
  }
  if (steps.empty()) return 0;
  const auto middle = steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2);
  std::nth_element(steps.begin(), middle, steps.end());
  return *middle;
}

Smoothed smooth(const Samples& samples, double bandwidth, int m) {
  return m == 2 ? smooth_all<2>(samples, bandwidth) : smooth_all<3>(samples, bandwidth);
}
Bandwidth choose_bandwidth(const Samples& samples, int m) { return m == 2 ? choose<2>(samples) : choose<3>(samples); }

}  // namespace bristle::identify
