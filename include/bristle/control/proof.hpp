#pragma once
#include "../scalar.hpp"

/// Conditions under which a friction observer with the position error e = x - reference,
///   dz/dt = v - sigma0 |v| z/S(v) - gain e,   u = -(kp e + ki int(e) + kd de/dt) + m d2x_ref/dt2 + F_z,
/// makes e and the error of z vanish (C. Canudas de Wit et al., IEEE Trans. Autom. Control 40 (1995), theorem 3): the
/// transfer function from the error of z to -e,
///   G(s) = (sigma1 s + sigma0) s/(m s^3 + kd s^2 + kp s + ki),
/// is stable and positive real. Its real part has the sign of (sigma0 kp - sigma1 ki) + (sigma1 kd - sigma0 m) w^2.
namespace bristle::control {

/// The servo as a PID controller of a mass.
template <class T> struct Loop {
  T mass{}, kp{}, ki{}, kd{};  // mass: mass of the axis, kg
};

/// Margins of the conditions of stability; all must be positive.
template <class T> struct Proof {
  T stability{};  // kd kp - m ki > 0
  T damping{};    // sigma1 kd - sigma0 m >= 0
  T integral{};   // sigma0 kp - sigma1 ki >= 0
  /// Whether the loop without friction is stable.
  constexpr bool stable_loop() const { return stability > T(0); }
  /// Whether its transfer function is positive real.
  constexpr bool positive_real() const { return stable_loop() && damping >= T(0) && integral >= T(0); }
  /// In pre-sliding the loop with the observer is m s^3 + kd s^2 + (kp + sigma1 gain) s + ki + sigma0 gain: by Routh it is
  /// stable below this gain.
  constexpr T most_gain() const { return damping >= T(0) ? T(inf) : stability / -damping; }
};

/// The margins for a loop and the bristles of a model.
template <class T> constexpr Proof<T> proof(const Loop<T>& l, const T& sigma0, const T& sigma1) {
  return {l.kd * l.kp - l.mass * l.ki, sigma1 * l.kd - sigma0 * l.mass, sigma0 * l.kp - sigma1 * l.ki};
}

}  // namespace bristle::control
