#pragma once
#include "../contact.hpp"
#include "../stribeck.hpp"

namespace bristle {

template <class T = double> struct BrownMcPhee {
  static constexpr Card card{
      .name = "brown_mcphee",
      .title = "Brown-McPhee: a continuous law of velocity",
      .equations = "u = |v|/vs                                                                (1)\n"
                   "F = [Fc tanh(4 u) + (Fs - Fc) u/(u^2/4 + 3/4)^2] sgn(v) + kv v            (2)",
      .notes =
          "Continuously differentiable, so any solver runs through zero velocity; meant for multibody work where speed\n"
          "counts more than stick. The Stribeck term is 1 at u = 1, where the total is close to Fs.\n"
          "Zero force at rest: it cannot hold, a load below Fs creeps away.",
      .passive_if = "always",
      .references =
          "P. Brown, J. McPhee, A continuous velocity-based friction model for dynamics and control with physically "
          "meaningful parameters, ASME J. Comput. Nonlinear Dynam. 11 (2016)",
  };
  static constexpr Properties has{.stribeck = true, .drifts = true};
  static constexpr Hooks hooks{.rate = true, .vector_lanes = true, .relations = true};
  static constexpr bool vector_lanes = true;  // no branch on values

  struct Params {
    T Fc{1}, Fs{1.5}, vs{T(1e-3)}, kv{0}, kv_exponent{1};
    static constexpr auto fields() { return dry_fields<Params>() + viscous_field<Params>(); }
    static constexpr auto relations() { return std::array{relation::above<&Params::Fs, &Params::Fc>}; }
  } p;
  using Scalar = T;
  using State = NoState;
  using Mode = NoMode;
  using U = Motion<T>;

  constexpr T dry(const T& v) const {  // first term of (2), signed: odd in v without sgn, so smooth through 0
    using std::tanh;
    const T u = v / p.vs, w = T(0.25) * u * u + T(0.75);
    return p.Fc * tanh(T(4) * u) + (p.Fs - p.Fc) * (u / w / w);
  }
  constexpr State rest() const { return {}; }
  constexpr T force(State, Mode, const U& u) const { return u.r * dry(u.v) + viscous_force(p, u); }  // (2)
  constexpr State rate(State, Mode, const U&) const { return {}; }
  constexpr void step(State&, Mode&, const U&, T) const {}

  constexpr T steady(T v) const { return dry(v) + viscous_force(p, v); }
  constexpr State bound() const { return {}; }
  constexpr Scales<T> scales() const { return {.force = p.Fs, .velocity = p.vs}; }
  constexpr bool passive() const { return true; }
};

}  // namespace bristle
