#pragma once
#include <cmath>

#include "contact.hpp"
#include "relation.hpp"

/// The Stribeck curve, its four parameters and the viscous one, shared by models.
namespace bristle {

/// A scalar type may fix options at their defaults (alpha = 2, no vd, kv_exponent = 1): vector loops decide this once, outside the loop,
/// because a branch inside would prevent vectorisation.
enum class CurveOptions { open, usual, general };
/// Options of the Stribeck curve of this type.
template <class T> inline constexpr CurveOptions curve_options = CurveOptions::open;
/// Whether the curve has its usual form.
template <class P> constexpr bool usual_options(const P& p) {
  bool usual = true;
  if constexpr (requires { p.alpha; }) usual = usual && p.alpha == 2;
  if constexpr (requires { p.vd; }) usual = usual && !(p.vd < inf);
  if constexpr (requires { p.has_own_curves(); }) usual = usual && !p.has_own_curves();
  if constexpr (requires { p.kv_exponent; }) usual = usual && p.kv_exponent == 1;
  return usual;
}

/// The slope of the curve is infinite at rest.
template <class P> constexpr bool has_cusp(const P& p) {
  if constexpr (requires { p.alpha; }) return p.alpha < 1;
  return false;
}

///   S(v) = Fc + (Fs - Fc) exp(-(|v|/vs)^alpha)
template <class P, class T> constexpr T stribeck_force(const P& p, const T& v) {
  using std::abs;
  using std::pow;
  const T u = v * (T(1) / p.vs);                                     // the quotient leaves a loop
  auto gaussian = [&] { return bell(T(p.Fc), T(p.Fs - p.Fc), u); };  // pow costs more than all the rest
  if constexpr (curve_options<T> == CurveOptions::usual) {
    return gaussian();
  } else {
    if constexpr (curve_options<T> == CurveOptions::open) {
      if (p.alpha == T(2) && is_constant(p.alpha)) return gaussian();
    }
    return p.Fc + (p.Fs - p.Fc) * decay(pow(abs(u), p.alpha));
  }
}

/// Viscous friction, F_v = kv |v|^n sgn(v) with n = kv_exponent. For n < 1 it is rounded within 1e-6 m/s of rest, where its slope
/// would be infinite: kv v (v^2 + vr^2)^((n - 1)/2).
inline constexpr double viscous_rounding = 1e-6;  // vr, m/s
template <class P, class T> constexpr T viscous_force(const P& p, const T& v) {
  using std::abs;
  using std::pow;
  if constexpr (curve_options<T> == CurveOptions::usual) {
    return p.kv * v;
  } else if constexpr (curve_options<T> == CurveOptions::general) {  // no branch: lanes of different exponents
    const T n = p.kv_exponent, round = select(n < T(1), T(viscous_rounding * viscous_rounding), T(0));
    return p.kv * v * smaller(pow(v * v + round, T(0.5) * (n - T(1))), T(1e100));
  } else {
    if (p.kv_exponent == T(1) && is_constant(p.kv_exponent)) return p.kv * v;
    const T n = p.kv_exponent;
    if (n < T(1)) return p.kv * v * pow(v * v + T(viscous_rounding * viscous_rounding), T(0.5) * (n - T(1)));
    return v == T(0) ? T(0) * v
                     : p.kv * v * smaller(pow(abs(v), n - T(1)), T(1e100));  // its slope at rest is 0, not 0 * inf
  }
}
/// In motion, with the viscosity at the temperature of the contact. Vector loops with usual options have none.
template <class P, class T> constexpr T viscous_force(const P& p, const Motion<T>& u) {
  if constexpr (curve_options<T> == CurveOptions::usual) {
    return p.kv * u.v;
  } else {
    return u.viscosity * viscous_force(p, u.v);
  }
}
/// Conditions of passivity that compare kv with a slope hold for kv_exponent = 1 alone; they need no kv where none is required.
template <class P, class T> constexpr bool has_viscous(const P& p, const T& required) {
  return !(required > T(0)) || (p.kv_exponent == T(1) && p.kv >= required);
}

/// Fields of dry friction.
template <class P> constexpr auto dry_fields() {
  return Fields{
      Field{&P::Fc, "Fc", "N", "Coulomb force: sliding friction at high speed", positive, role::needed, "mu_c"},
      Field{&P::Fs, "Fs", "N", "static force: friction at the end of stick", positive, role::needed, "mu_s"}.as(
          Part::static_force),
      Field{&P::vs, "vs", "m/s", "Stribeck velocity: scale of the decrease from Fs to Fc", positive},
  };
}
/// Fields of the Stribeck curve.
template <class P> constexpr auto stribeck_fields() {
  return dry_fields<P>() + Fields{Field{&P::alpha, "alpha", "1", "Stribeck exponent: 2 Gaussian, 1 exponential",
                                        Range{0.1, 4}, role::optional}
                                      .as(Part::fall)};
}
template <class P, class T> constexpr Field<P, T> viscous_exponent(T P::* at) {
  return {at,
          "kv_exponent",
          "1",
          "viscous exponent n: kv v^n for v > 0, kv then in N (s/m)^n",
          Range{0.2, 4},
          role::optional};
}
/// Fields of viscous friction.
template <class P> constexpr auto viscous_field() {
  return Fields{Field{&P::kv, "kv", "N s/m", "viscous coefficient", nonnegative, role::optional | role::sought},
                viscous_exponent(&P::kv_exponent)};
}

}  // namespace bristle
