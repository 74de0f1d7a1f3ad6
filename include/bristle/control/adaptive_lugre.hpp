#pragma once
#include <array>

#include "lugre_observer.hpp"

namespace bristle::control {

/// The LuGre observer with scale factors that follow the friction level,
///   one:  F = level (sigma0 z + sigma1 dz/dt + kv v)            (wear, temperature)
///   two:  F = level (sigma0 z + sigma1 dz/dt) + viscous kv v    (normal load and lubricant)
/// (C. Canudas de Wit, P. Lischinsky, Adaptive friction compensation with partially known dynamic friction model, Int. J. Adapt.
/// Control Signal Process. 11 (1997)). The gradient is that of the error of u - m dv/dt - F, both through one low-pass and
/// normalised, so that the rate of adaptation does not depend on the servo:
///   d level/dt = F_part error/(rms F_part rms F)/adaptation_time
/// which lets a small part follow as a Kalman filter would, more slowly than a large one, instead of taking its errors over.
/// With `kd` > 0, kp e + kd de/dt of a servo takes the place of that error, with the opposite sign, as in the paper: no
/// acceleration is needed, but the servo must not have an integral part, which would remove e before the levels are right.
/// Frozen without exciting motion, projected to [lowest, highest].
template <class T = double> struct AdaptiveLuGre {
  LuGreObserver<T> observer{};  // estimates the deflection of the bristles
  int factors{1};               // number of estimated factors: 1 for all friction, 2 for its dry and viscous parts
  T inertia{1}, filter{T(0.01)}, adaptation_time{T(0.2)};  // kg, s, s
  T kp{}, kd{};                  // of the servo, N/m and N s/m: adaptation by the tracking error
  T lowest{T(0.2)}, highest{5};  // lowest: lower bound of the factors; highest: upper bound of the factors
  Excitation<T> excitation{};    // decides when the motion can teach
  T level{1}, viscous{1};     // level: estimated factor of dry friction; viscous: estimated factor of viscous friction
  ForceBalance<T> balance{};  // measures friction by the balance of forces
  LowPass<T> force{};
  std::array<LowPass<T>, 2> parts{};  // predicted parts, filtered as the measurement is
  std::array<LowPass<T>, 3> power{};  // mean squares
  Hold<T> hold{};                     // against failed sensors

  constexpr void observe(const Interval<T>& given) {
    const Interval<T>& in = hold(given);
    balance.inertia = inertia;
    const bool first = !balance.begun;
    const T measured = force(balance(in), in.dt, filter);
    const T before = observer.dry(in.v);
    observer.observe(in);
    // The balance is that of the middle of the interval.
    const T dry = parts[0]((before + observer.dry(in.v)) / T(2), in.dt, filter),
            oil = parts[1](viscous_force(observer.model.p, in.v), in.dt, filter);
    if (!excitation(in.v, in.dt) || first) return;
    using std::sqrt;
    const T floor = observer.model.p.Fc * observer.model.p.Fc / T(400), whole = dry + oil,
            error = kd > T(0) ? -kp * in.e - kd * (in.v - in.v_ref)
                              : measured - level * dry - (factors == 1 ? level : viscous) * oil,
            all = power[2](whole * whole, in.dt, T(5) * adaptation_time) + floor, now = dry * dry + oil * oil + floor;
    auto moved = [&](std::size_t i, const T& value, const T& part) {
      const T mean = power[i](part * part, in.dt, T(5) * adaptation_time) + floor,
              rate = smaller(in.dt / adaptation_time / sqrt(mean * all), T(0.5) / now);  // not beyond the error
      return projected(value + rate * part * error, lowest, highest);
    };
    level = moved(0, level, factors == 1 ? whole : dry);
    viscous = factors == 1 ? level : moved(1, viscous, oil);
  }
  /// One sample; returns the force that compensates friction, N.
  constexpr T step(const Interval<T>& in) {
    observe(in);
    return level * observer.dry(hold.last.v) + viscous * viscous_force(observer.model.p, hold.last.v);
  }
};

}  // namespace bristle::control
