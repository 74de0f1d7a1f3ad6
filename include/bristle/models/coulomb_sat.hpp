#pragma once
#include "../contact.hpp"
#include "../stribeck.hpp"

namespace bristle {

template <class T = double> struct CoulombSat {
  static constexpr Card card{
      .name = "coulomb_sat",
      .title = "Coulomb friction, linear through zero",
      .equations = "F = Fc sat(k_sat v) + kv v,   sat(x) = max(-1, min(1, x))   (1)",
      .notes =
          "Smooth enough for any solver, and the usual shortcut. Zero force at rest: it cannot hold, a load below Fc creeps away\n"
          "at the speed load/(Fc k_sat). A steeper k_sat creeps less and makes the equations stiffer.",
      .passive_if = "always",
      .references =
          "S. Andersson, A. Söderberg, S. Björklund, Friction models for sliding dry, boundary and mixed lubricated "
          "contacts, Tribology International 40 (2007), eqs (6)-(8)",
  };
  static constexpr Properties has{.drifts = true};
  static constexpr Hooks hooks{.rate = true, .vector_lanes = true};
  static constexpr bool vector_lanes = true;  // no branch on values

  struct Params {
    T Fc{1}, k_sat{T(1e4)}, kv{0}, kv_exponent{1};
    static constexpr auto fields() {
      return Fields{Field{&Params::Fc, "Fc", "N", "Coulomb force", nonnegative, role::needed, "mu_c"},
                    Field{&Params::k_sat, "k_sat", "s/m", "slope at rest over Fc", positive}} +
             viscous_field<Params>();
    }
  } p;
  using Scalar = T;
  using State = NoState;
  using Mode = NoMode;
  using U = Motion<T>;

  constexpr T dry(const T& v) const {
    return p.Fc * sat(p.k_sat * v);  // (1)
  }
  constexpr State rest() const { return {}; }
  constexpr T force(State, Mode, const U& u) const { return u.r * dry(u.v) + viscous_force(p, u); }
  constexpr State rate(State, Mode, const U&) const { return {}; }
  constexpr void step(State&, Mode&, const U&, T) const {}

  constexpr T steady(T v) const { return dry(v) + viscous_force(p, v); }
  constexpr State bound() const { return {}; }
  constexpr Scales<T> scales() const { return {.force = p.Fc, .velocity = T(1) / p.k_sat}; }
  constexpr bool passive() const { return true; }
};

}  // namespace bristle
