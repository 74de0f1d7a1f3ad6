#pragma once
#include <cmath>
#include <tuple>

#include "field.hpp"

/// The Stribeck curve, its four parameters and the viscous one: written once for every model that has them.
namespace bristle {

///   S(v) = Fc + (Fs - Fc) exp(-(|v|/vs)^alpha)
template <class P, class T> T stribeck_force(const P& p, const T& v) {
  using std::abs;
  using std::pow;
  const T u = abs(v) / p.vs;
  if (p.alpha == T(2) && is_constant(p.alpha))
    return p.Fc + (p.Fs - p.Fc) * decay(u * u);  // pow costs more than the rest
  return p.Fc + (p.Fs - p.Fc) * decay(pow(u, p.alpha));
}

template <class P> constexpr auto dry_fields() {
  return std::tuple{
      Field{&P::Fc, "Fc", "N", "Coulomb force: sliding friction at high speed", positive, needed, "mu_c"},
      Field{&P::Fs, "Fs", "N", "static force: friction at the end of stick", positive, needed, "mu_s"},
      Field{&P::vs, "vs", "m/s", "Stribeck velocity: where friction falls from Fs to Fc", positive},
  };
}
template <class P> constexpr auto stribeck_fields() {
  return std::tuple_cat(dry_fields<P>(),
                        std::tuple{Field{&P::alpha, "alpha", "1", "Stribeck exponent: 2 Gaussian, 1 exponential",
                                         Range{0.1, 4}, optional}});
}
template <class P> constexpr auto viscous_field() {
  return std::tuple{Field{&P::kv, "kv", "N s/m", "viscous coefficient", nonnegative, optional}};
}
template <class P>
inline constexpr Relation<P> static_above_sliding{"Fs >= Fc", "Fs,Fc", [](const P& p) { return p.Fs >= p.Fc; }};

}  // namespace bristle
