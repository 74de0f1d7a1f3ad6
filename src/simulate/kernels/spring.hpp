#pragma once
#include <cmath>

/// All that acts on a body besides its contact. Templates over the scalar: a number, or one of the tagged scalars of the
/// kernels, see src/batch/kernels.cpp.
namespace bristle {

/// The drive at one time: the end of the spring, or the motion that is given; force on the body; normal load ratio.
template <class R> struct Input {
  R end{}, end_v{}, external{}, load{1};
};

/// F = k (end - x - rest length) + c (end' - v) + external force - gravity sin(x - phase)
template <class R> struct Spring {
  R stiffness{}, damping{}, rest_length{}, gravity{}, gravity_phase{};

  [[gnu::always_inline]] constexpr R stretch(const Input<R>& in, const R& x) const { return in.end - x - rest_length; }
  [[gnu::always_inline]] constexpr R pull(const Input<R>& in, const R& x, const R& v) const {
    return stiffness * stretch(in, x) + damping * (in.end_v - v);
  }
  [[gnu::always_inline]] constexpr R weight(const R& x) const {
    using std::sin;
    return gravity * sin(x - gravity_phase);
  }
  [[gnu::always_inline]] constexpr R weight_slope(const R& x) const {
    using std::cos;
    return gravity * cos(x - gravity_phase);
  }
  /// All but gravity, which costs a sine; all of it.
  [[gnu::always_inline]] constexpr R transmitted(const Input<R>& in, const R& x, const R& v) const {
    return pull(in, x, v) + in.external;
  }
  constexpr R force(const Input<R>& in, const R& x, const R& v) const {
    return gravity != R(0) ? transmitted(in, x, v) - weight(x) : transmitted(in, x, v);
  }
  /// Of spring and gravity.
  constexpr R energy(const Input<R>& in, const R& x) const {
    using std::cos;
    const R s = stretch(in, x), elastic = stiffness * s * s / R(2);
    return gravity != R(0) ? gravity * (R(1) - cos(x - gravity_phase)) + elastic : elastic;
  }
  /// Of the drive, and lost in the damper.
  [[gnu::always_inline]] constexpr R power(const R& pull, const Input<R>& in, const R& v) const {
    return pull * in.end_v + in.external * v;
  }
  [[gnu::always_inline]] constexpr R loss(const Input<R>& in, const R& v) const {
    const R slack = in.end_v - v;
    return damping * slack * slack;
  }
  /// Derivatives in time at fixed x and v. `end_a`: acceleration of the end; `rate`: of the external force.
  [[gnu::always_inline]] constexpr R pull_rate(const Input<R>& in, const R& end_a) const {
    return stiffness * in.end_v + damping * end_a;
  }
  [[gnu::always_inline]] constexpr R power_rate(const Input<R>& in, const R& end_a, const R& rate, const R& x,
                                                const R& v) const {
    return pull_rate(in, end_a) * in.end_v + pull(in, x, v) * end_a + rate * v;
  }
  [[gnu::always_inline]] constexpr R loss_rate(const Input<R>& in, const R& end_a, const R& v) const {
    return R(2) * damping * (in.end_v - v) * end_a;
  }
};

}  // namespace bristle
