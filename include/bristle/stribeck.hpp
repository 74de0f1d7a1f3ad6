#pragma once
#include <cmath>

#include "relation.hpp"

/// The Stribeck curve, its four parameters and the viscous one, shared by models.
namespace bristle {

/// A scalar type may fix options at their defaults (alpha = 2, no vd): vector loops decide this once, outside the loop,
/// because a branch inside would prevent vectorisation.
enum class CurveOptions { open, usual, general };
template <class T> inline constexpr CurveOptions curve_options = CurveOptions::open;
template <class P> constexpr bool usual_options(const P& p) {
  bool usual = true;
  if constexpr (requires { p.alpha; }) usual = usual && p.alpha == 2;
  if constexpr (requires { p.vd; }) usual = usual && !(p.vd < inf);
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

template <class P> constexpr auto dry_fields() {
  return Fields{
      Field{&P::Fc, "Fc", "N", "Coulomb force: sliding friction at high speed", positive, role::needed, "mu_c"},
      Field{&P::Fs, "Fs", "N", "static force: friction at the end of stick", positive, role::needed, "mu_s"}.as(
          Part::static_force),
      Field{&P::vs, "vs", "m/s", "Stribeck velocity: scale of the decrease from Fs to Fc", positive},
  };
}
template <class P> constexpr auto stribeck_fields() {
  return dry_fields<P>() + Fields{Field{&P::alpha, "alpha", "1", "Stribeck exponent: 2 Gaussian, 1 exponential",
                                        Range{0.1, 4}, role::optional}
                                      .as(Part::fall)};
}
template <class P> constexpr auto viscous_field() {
  return Fields{Field{&P::kv, "kv", "N s/m", "viscous coefficient", nonnegative, role::optional | role::sought}};
}

}  // namespace bristle
