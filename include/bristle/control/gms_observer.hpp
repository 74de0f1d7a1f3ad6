#pragma once
#include "../models/gms.hpp"
#include "interval.hpp"
#include "proof.hpp"

namespace bristle::control {

/// The GMS model driven by the measured velocity. The position error corrects the elements that stick, df_i/dt = k_i (v - gain
/// e), within |f_i| <= nu_i Fs; a slipping element forgets its error by itself. In pre-sliding it is the observer of the LuGre
/// model with sigma0 = sum of k_i and sigma1 = sum of sigma_i, whose proof it shares where the model is passive (Fs = Fc).
template <class T = double> struct GmsObserver {
  Gms<T> model{};
  T gain{};  // 1/s
  /// States of the elements.
  typename Gms<T>::State s{model.rest()};
  Elements mode{};  // which elements slip
  Hold<T> hold{};   // against failed sensors

  /// Conditions under which the loop is proven stable.
  constexpr Proof<T> conditions(const Loop<T>& loop) const {
    return proof(loop, bristle::detail::sum_of_elements(model.p.k), bristle::detail::sum_of_elements(model.p.sigma));
  }
  constexpr T step(const Interval<T>& given) {
    const Interval<T>& in = hold(given);
    const Motion<T> u{.v = in.v};
    model.step(s, mode, u, in.dt);
    for (std::size_t i = 0; i < model.p.k.n; ++i) {
      const T bound = model.curve(i).Fs, correction = mode.slips(i) ? T(0) : model.p.k[i] * gain * in.e * in.dt;
      s.f[i] = projected(s.f[i] - correction, -bound, bound);
    }
    return model.force(s, mode, u);
  }
};

}  // namespace bristle::control
