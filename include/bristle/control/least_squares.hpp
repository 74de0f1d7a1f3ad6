#pragma once
#include <array>
#include <cstddef>

#include "interval.hpp"

namespace bristle::control {

/// Recursive least squares with forgetting of the friction that enters linearly,
///   F = Fc sgn v + kv v + offset + asymmetry |v|
/// from u - m dv/dt = F, both sides through the same low-pass. `offset` contains half the difference of the Coulomb forces of
/// the two directions, which no motion separates from a constant force; `asymmetry` is half the difference of their viscous
/// coefficients. Each parameter is forgotten in proportion to its size (a random walk), not to its covariance, which would let
/// a small kv take over the errors of a drifting Fc. Frozen below `least` and until `settle` after a reversal; the covariance
/// grows to that of ten samples and no further, where the motion does not excite a parameter.
template <class T = double> struct FrictionLeastSquares {
  static constexpr std::size_t n = 4;  // number of parameters
  /// Places of the parameters.
  enum Of : std::size_t { Fc, kv, offset, asymmetry };
  using Vector = std::array<T, n>;  // Vector: one number per parameter

  T inertia{1}, filter{T(0.01)}, forgetting{T(0.1)};  // kg, s, s: memory of the largest parameter
  T speed{1};                                         // scale of velocity, m/s
  T smooth{};                                         // width of the reversal of the compensation, m/s
  Excitation<T> excitation{};                         // decides when the motion can teach
  Vector value{};                                     // N, N s/m, N, N s/m
  Vector weight{1, 1, 1, 1};                          // sizes of the forces of the parameters, over the largest one
  Vector lowest{}, highest{};                         // admissible set
  std::array<bool, n> estimated{true, true, false, false};  // which parameters are estimated; the others stay

  ForceBalance<T> balance{};  // measures friction by the balance of forces
  LowPass<T> force{};
  std::array<LowPass<T>, n> regressors{};  // regressors, filtered as the measurement is
  std::array<Vector, n> P{};               // covariance of the values in N over that of one sample
  Vector last{};                           // regressors of the last sample
  bool begun{};                            // whether there was a sample before
  Hold<T> hold{};                          // against failed sensors

  /// Typical magnitude of a regressor.
  constexpr T scale(std::size_t i) const { return i == kv || i == asymmetry ? speed : T(1); }
  /// Derivatives of the force by the parameters.
  constexpr Vector regressor(const T& v) const {
    using std::abs;
    return {sgn(v), v / speed, T(1), abs(v) / speed};
  }
  constexpr void begin() {
    for (std::size_t i = 0; i < n; ++i) {
      P[i] = {};
      P[i][i] = estimated[i] ? T(1) : T(0);
    }
    begun = true;
  }
  constexpr void observe(const Interval<T>& given) {
    const Interval<T>& in = hold(given);
    if (!begun) begin();
    balance.inertia = inertia;
    const bool first = !balance.begun;
    const Vector now = regressor(in.v);
    const T y = force(balance(in), in.dt, filter);
    Vector phi{};
    for (std::size_t i = 0; i < n; ++i) phi[i] = regressors[i]((now[i] + last[i]) / T(2), in.dt, filter);
    last = now;
    if (!excitation(in.v, in.dt) || first) return;

    Vector gain{};
    T error = y, size = T(1);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = 0; k < n; ++k) gain[i] = gain[i] + P[i][k] * phi[k];
      error = error - value[i] * scale(i) * phi[i];
    }
    for (std::size_t i = 0; i < n; ++i) size = size + phi[i] * gain[i];
    const T forgotten = in.dt / forgetting;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = 0; k <= i; ++k) P[i][k] = P[k][i] = P[i][k] - gain[i] * gain[k] / size;
      const T grown = P[i][i] + forgotten * forgotten * weight[i] * weight[i];
      if (estimated[i]) P[i][i] = larger(P[i][i], smaller(grown, T(0.1)));
    }
    Vector next{};  // N
    for (std::size_t i = 0; i < n; ++i) next[i] = value[i] * scale(i) + gain[i] / size * error;
    for (std::size_t j = 0; j < n; ++j) {  // projection in the metric of P: the others follow a value at its bound
      const T over = projected(next[j], lowest[j] * scale(j), highest[j] * scale(j)) - next[j];
      if (!estimated[j] || over == T(0) || !(P[j][j] > T(0))) continue;
      const Vector column = P[j];
      for (std::size_t i = 0; i < n; ++i) next[i] = next[i] + column[i] / P[j][j] * over;
    }
    for (std::size_t i = 0; i < n; ++i) {
      if (estimated[i]) value[i] = projected(next[i] / scale(i), lowest[i], highest[i]);
    }
  }
  /// Friction at the velocity v, N.
  constexpr T force_at(const T& v) const {
    using std::abs;
    const T sign = smooth > T(0) ? sat(v / smooth) : sgn(v);
    return value[Fc] * sign + value[kv] * v + value[offset] + value[asymmetry] * abs(v);
  }
  /// One sample; returns the force that compensates friction, N.
  constexpr T step(const Interval<T>& in) {
    observe(in);
    return force_at(hold.last.v_ref);
  }
};

}  // namespace bristle::control
