#pragma once
#include "../models/lugre.hpp"
#include "interval.hpp"
#include "proof.hpp"

namespace bristle::control {

/// The LuGre model driven by the measured velocity and corrected by the position error (1995, equation (12)):
///   dz/dt = v - sigma0 |v| z/S(v) - gain e,   F = sigma0 z + sigma1 dz/dt + kv v
/// The step is exact for constant v and e; |z| <= Fs/sigma0 is kept by projection.
template <class T = double> struct LuGreObserver {
  LuGre<T> model{};
  T gain{};        // 1/s
  T z{}, rate{};   // rate: rate of the estimated deflection, m/s
  Hold<T> hold{};  // against failed sensors

  /// Conditions under which the loop is proven stable.
  constexpr Proof<T> conditions(const Loop<T>& loop) const { return proof(loop, model.p.sigma0, model.p.sigma1); }
  /// One sample, which moves the estimate.
  constexpr void observe(const Interval<T>& given) {
    const Interval<T>& in = hold(given);
    using std::abs;
    const T inverse = model.inverse_reach(in.v), loss = abs(in.v) * inverse, q = loss * in.dt,
            bound = model.p.Fs / model.p.sigma0, push = in.v - gain * in.e;
    z = projected(z * decay(q) + push * in.dt * gone_over(q), -bound, bound);
    rate = push - loss * z;
  }
  /// The dry part alone, for adaptive laws.
  constexpr T dry(const T& v) const { return model.p.sigma0 * z + model.damping(v) * rate; }
  /// One sample; returns the force that compensates friction, N.
  constexpr T step(const Interval<T>& in) {
    observe(in);
    return dry(hold.last.v) + viscous_force(model.p, hold.last.v);
  }
};

}  // namespace bristle::control
