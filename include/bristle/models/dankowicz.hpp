#pragma once
#include "../contact.hpp"
#include "../stribeck.hpp"

namespace bristle {

template <class T = double> struct Dankowicz {
  static constexpr Card card{
      .name = "dankowicz",
      .title = "Dankowicz: Coulomb friction with a pre-sliding displacement",
      .equations = "dz/dt = v (1 - (z/delta) sgn(v))   (1)\n"
                   "F = Fc z/delta + kv v              (2)",
      .notes =
          "The Dahl model with i = 1 and sigma0 = Fc/delta, written in a displacement that can be measured.\n"
          "Rate independent. Undamped in pre-sliding: a body comes to rest ringing, its spring force relaxing over many "
          "reversals.\n"
          "Known violations: no nonlocal memory; drifts under an oscillating load below Fc.",
      .passive_if = "always, while |z| <= delta",
      .references = "H. Dankowicz, On the modeling of dynamic friction phenomena, ZAMM 79 (1999)\n"
                    "S. Andersson, A. Söderberg, S. Björklund, Tribology International 40 (2007), eq (13)",
  };
  static constexpr Properties has{.stiction = true, .presliding = true, .rate_independent = true, .drifts = true};
  static constexpr Hooks hooks{.rate = true, .vector_lanes = true};
  static constexpr bool vector_lanes = true;  // no branch on values

  struct Params {
    T Fc{1}, delta{T(1e-5)}, kv{0}, kv_exponent{1};
    static constexpr auto fields() {
      return Fields{Field{&Params::Fc, "Fc", "N", "Coulomb force", nonnegative, role::needed, "mu_c"},
                    Field{&Params::delta, "delta", "m", "pre-sliding displacement: Fc over the stiffness at rest",
                          positive}} +
             viscous_field<Params>();
    }
  } p;
  struct State {
    T z{};
    static constexpr auto fields() { return Fields{Field{&State::z, "z", "m", "deflection"}}; }
  };
  using Scalar = T;
  using Mode = NoMode;
  using U = Motion<T>;

  constexpr State rest() const { return {}; }
  constexpr State rate(const State& s, Mode, const U& u) const {
    return {u.v * (T(1) - s.z / p.delta * sgn(u.v))};
  }  // (1)
  constexpr T force(const State& s, Mode, const U& u) const {
    return u.r * p.Fc * (s.z / p.delta) + viscous_force(p, u);
  }  // (2)
  constexpr void step(State& s, Mode&, const U& u, T dt) const {  // exact: (1) is linear in z
    using std::abs;
    s.z = relax(s.z, sgn(u.v) * p.delta, abs(u.v) * dt / p.delta);
  }

  constexpr T steady(T v) const { return p.Fc * sgn(v) + viscous_force(p, v); }
  constexpr State bound() const { return {p.delta}; }
  constexpr Scales<T> scales() const { return {.force = p.Fc, .displacement = p.delta}; }
  constexpr bool passive() const { return true; }
};

}  // namespace bristle
