#pragma once
#include "../contact.hpp"
#include "../stribeck.hpp"

namespace bristle {

template <class T = double> struct Viscous {
  static constexpr Card card{
      .name = "viscous",
      .title = "Viscous friction",
      .equations = "F = kv v, or kv |v|^kv_exponent sgn(v)   (1)",
      .notes = "A full fluid film, or the viscous part of any other model.\n"
               "No stiction: any load, however small, moves the body for ever.",
      .passive_if = "always",
      .references =
          "S. Andersson, A. Söderberg, S. Björklund, Friction models for sliding dry, boundary and mixed lubricated "
          "contacts, Tribology International 40 (2007), eq (5)",
  };
  static constexpr Properties has{.rate_independent = false, .drifts = true};
  static constexpr Hooks hooks{.rate = true, .vector_lanes = true};
  static constexpr bool vector_lanes = true;  // no branch on values

  struct Params {
    T kv{T(0.4)}, kv_exponent{1};
    static constexpr auto fields() {
      return Fields{Field{&Params::kv, "kv", "N s/m", "viscous coefficient", nonnegative},
                    viscous_exponent(&Params::kv_exponent)};
    }
  } p;
  using Scalar = T;
  using State = NoState;
  using Mode = NoMode;
  using U = Motion<T>;

  constexpr State rest() const { return {}; }
  constexpr T force(State, Mode, const U& u) const { return viscous_force(p, u); }  // (1)
  constexpr State rate(State, Mode, const U&) const { return {}; }
  constexpr void step(State&, Mode&, const U&, T) const {}

  constexpr T steady(T v) const { return viscous_force(p, v); }
  constexpr State bound() const { return {}; }
  constexpr Scales<T> scales() const { return {}; }
  constexpr bool passive() const { return true; }
};

}  // namespace bristle
