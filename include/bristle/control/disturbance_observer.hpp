#pragma once
#include "interval.hpp"

namespace bristle::control {

/// All force that a nominal inertia does not explain, through a first-order low-pass Q (K. Ohnishi; W.-H. Chen et al.):
///   d = Q(s) (u - m dv/dt)
/// No model of friction. In samples, with a true inertia m0, the inner loop has the pole 1 - (1 - exp(-dt/filter)) m/m0.
template <class T = double> struct DisturbanceObserver {
  T inertia{1}, filter{T(0.01)};              // kg, s
  T bound{T(std::numeric_limits<T>::max())};  // of |d|, N
  ForceBalance<T> balance{inertia};           // measures the disturbance by the balance of forces
  LowPass<T> d{};                             // the filtered disturbance, N
  Hold<T> hold{};                             // against failed sensors

  /// Pole of the estimation error, if the actual inertia differs from the nominal one.
  static constexpr T pole(const T& nominal, const T& actual, const T& filter, const T& dt) {
    return T(1) - (filter > T(0) ? gone(dt / filter) : T(1)) * nominal / actual;
  }
  /// One sample; returns the force that compensates the disturbance, N.
  constexpr T step(const Interval<T>& given) {
    const Interval<T>& in = hold(given);
    balance.inertia = inertia;
    return d.y = clamped(d(balance(in), in.dt, filter), bound);
  }
};

}  // namespace bristle::control
