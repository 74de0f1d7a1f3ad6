#pragma once
#include "../contact.hpp"
#include "../stribeck.hpp"

namespace bristle {

template <class T = double> struct StribeckSat {
  static constexpr Card card{
      .name = "stribeck_sat",
      .title = "Stribeck friction, linear through zero",
      .equations = "S(v) = Fc + (Fs - Fc) exp(-(|v|/vs)^alpha)   (1)\n"
                   "F = S(v) sat(k_sat v) + kv v                 (2)",
      .notes =
          "The Stribeck curve made continuous through zero. Zero force at rest: it cannot hold, any load below Fs creeps away.\n"
          "Choose k_sat at least 10/vs, or the smoothing eats the Stribeck peak.",
      .passive_if = "always",
      .references =
          "S. Andersson, A. Söderberg, S. Björklund, Friction models for sliding dry, boundary and mixed lubricated "
          "contacts, Tribology International 40 (2007), eq (11)",
  };
  static constexpr Properties has{.stribeck = true, .drifts = true};
  static constexpr Hooks hooks{.rate = true, .vector_lanes = true, .relations = true};
  static constexpr bool vector_lanes = true;  // no branch on values

  struct Params {
    T Fc{1}, Fs{1.5}, vs{T(1e-3)}, alpha{2}, k_sat{T(1e4)}, kv{0}, kv_exponent{1};
    static constexpr auto fields() {
      return stribeck_fields<Params>() +
             Fields{Field{&Params::k_sat, "k_sat", "s/m", "slope at rest over Fs; at least 10/vs", positive}} +
             viscous_field<Params>();
    }
    static constexpr auto relations() { return std::array{relation::above<&Params::Fs, &Params::Fc>}; }
  } p;
  using Scalar = T;
  using State = NoState;
  using Mode = NoMode;
  using U = Motion<T>;

  constexpr T dry(const T& v) const {
    return stribeck_force(p, v) * sat(p.k_sat * v);  // (2)
  }
  constexpr State rest() const { return {}; }
  constexpr T force(State, Mode, const U& u) const { return u.r * dry(u.v) + viscous_force(p, u); }
  constexpr State rate(State, Mode, const U&) const { return {}; }
  constexpr void step(State&, Mode&, const U&, T) const {}

  constexpr T steady(T v) const { return dry(v) + viscous_force(p, v); }
  constexpr State bound() const { return {}; }
  constexpr Scales<T> scales() const { return {.force = p.Fs, .velocity = p.vs}; }
  constexpr bool passive() const { return true; }
};

}  // namespace bristle
