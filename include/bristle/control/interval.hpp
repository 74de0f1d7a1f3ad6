#pragma once
#include <limits>

#include "../scalar.hpp"

/// Parts that observers and adaptive laws share. Each of them takes one interval of a sampled loop and returns the friction
/// force to be added to the output of the next one; the work is the same in every interval, and nothing allocates.
namespace bristle::control {

/// One interval of a sampled loop, as known at its end.
template <class T> struct Interval {
  T v{};      // measured velocity at the end, m/s
  T e{};      // measured position minus reference at the end, m
  T u{};      // force that acted on the body during the interval, N
  T v_ref{};  // velocity of the reference at the end, m/s
  T dt{};     // s
};

/// Replaces numbers that are not finite, from a failed sensor, by those of the sample before: filters and estimates would keep
/// them for ever.
template <class T> struct Hold {
  Interval<T> last{};  // the last finite numbers
  /// One sample; returns what is to be used of it.
  constexpr const Interval<T>& operator()(const Interval<T>& in) {
    const T least = std::numeric_limits<T>::lowest(), most = std::numeric_limits<T>::max();
    auto keep = [&](T& to, const T& from) {
      if (from >= least && from <= most) to = from;
    };
    keep(last.v, in.v);
    keep(last.e, in.e);
    keep(last.u, in.u);
    keep(last.v_ref, in.v_ref);
    last.dt = in.dt;
    return last;
  }
};

/// The nearest number of an interval: projection to the admissible set. NaN becomes `lo`.
template <class T> constexpr T projected(const T& x, const T& lo, const T& hi) { return x > hi ? hi : x > lo ? x : lo; }

/// (1 - exp(-q))/q, 1 at q = 0.
template <class T> constexpr T gone_over(const T& q) { return q > T(1e-6) ? gone(q) / q : T(1) - q / T(2); }

/// Mean friction force of an interval by the balance of momentum: u - m dv/dt. Zero in the first interval, without a velocity
/// before it.
template <class T> struct ForceBalance {
  T inertia{1};
  T v{};
  bool begun{};  // whether there was a sample before
  constexpr T operator()(const Interval<T>& in) {
    const T F = begun ? in.u - inertia * (in.v - v) / in.dt : T(0);
    v = in.v;
    begun = true;
    return F;
  }
};

/// First-order low-pass, exact for a constant input.
template <class T> struct LowPass {
  T y{};  // the filtered value
  /// One sample of the length dt.
  constexpr T operator()(const T& x, const T& dt, const T& time_constant) {
    return y = time_constant > T(0) ? relax(y, x, dt / time_constant) : x;
  }
};

/// Whether the motion determines sliding friction: at `least` or faster for `settle`, in one direction. Estimates are frozen
/// otherwise, so that they neither drift at rest nor take pre-sliding for sliding.
template <class T> struct Excitation {
  T least{}, settle{};  // settle: time after a reversal during which nothing is learned, s
  T since{};            // time of motion in this direction, s
  int direction{};      // +1, -1, or 0 below least
  /// One sample; true if estimates may follow it.
  constexpr bool operator()(const T& v, const T& dt) {
    using std::abs;
    const int now = abs(v) >= least ? side(v) : 0;
    since = now == direction ? since + dt : T(0);
    direction = now;
    return now != 0 && since >= settle;
  }
};

/// Switching without a jump: the difference to the output before the switch decays with the time constant `blend`.
template <class T> struct Bumpless {
  T blend{};       // time constant of the decay of gap, s
  T out{}, gap{};  // out: the last output; gap: difference that is still to be removed
  bool on{};       // whether the target acted in the last sample
  /// `active`: whether `target` acts, or nothing.
  constexpr T operator()(const T& target, bool active, const T& dt) {
    const T wanted = active ? target : T(0);
    if (active != on) gap = out - wanted;
    on = active;
    gap = blend > T(0) ? gap * decay(dt / blend) : T(0);
    return out = wanted + gap;
  }
};

}  // namespace bristle::control
