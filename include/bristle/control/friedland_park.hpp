#pragma once
#include "../field.hpp"
#include "interval.hpp"

namespace bristle::control {

/// Adaptive Coulomb observer (B. Friedland, Y.-J. Park, On adaptive friction compensation, IEEE Trans. Autom. Control 37 (1992)):
///   a = z - k |v|^mu,   dz/dt = k mu |v|^(mu - 1) (u - a sgn v - kv v)/m sgn v
/// The error of a decays at the rate k mu |v|^(mu - 1)/m; in samples it does so below 2/dt. Below `least` the level is frozen,
/// and z continues from it without a jump. The compensation has the direction of the reference.
template <class T = double> struct FriedlandPark {
  T inertia{1}, gain{1}, exponent{1}, kv{};  // kg, N (s/m)^mu, 1, N s/m
  T least{}, smooth{};                       // m/s; width of the reversal of the compensation
  T lowest{}, highest{T(limit::most)};       // admissible levels, N
  T level{}, z{};                            // level: estimated level a, N
  int moved{};                               // direction of motion in which z is valid
  Hold<T> hold{};                            // against failed sensors

  /// Decay of the error per interval: stable below 2.
  constexpr T step_factor(const T& v, const T& dt) const {
    using std::abs;
    using std::pow;
    return gain * exponent * (exponent == T(1) ? T(1) : pow(abs(v), exponent - T(1))) * dt / inertia;
  }
  /// One sample; returns the force that compensates friction, N.
  constexpr T step(const Interval<T>& given) {
    const Interval<T>& in = hold(given);
    using std::abs;
    using std::pow;
    const T speed = abs(in.v), sign = sgn(in.v), power = exponent == T(1) ? speed : pow(speed, exponent);
    const int now = speed >= least ? side(in.v) : 0;
    if (now == 0 || now != moved) {
      z = level + gain * power;
    } else {
      z = z + step_factor(in.v, in.dt) * (sign * (in.u - kv * in.v) - level);
      level = projected(z - gain * power, lowest, highest);
      z = level + gain * power;
    }
    moved = now;
    return level * (smooth > T(0) ? sat(in.v_ref / smooth) : sgn(in.v_ref)) + kv * in.v_ref;
  }
};

}  // namespace bristle::control
