#pragma once
#include "../contact.hpp"
#include "../stribeck.hpp"

namespace bristle {

template <class T = double> struct StribeckDankowicz {
  static constexpr Card card{
      .name = "stribeck_dankowicz",
      .title = "Dankowicz with the Stribeck curve on its output",
      .equations = "S(v) = Fc + (Fs - Fc) exp(-(|v|/vs)^alpha)   (1)\n"
                   "dz/dt = v (1 - (z/delta) sgn(v))             (2)\n"
                   "F = S(v) z/delta + kv v                      (3)",
      .notes =
          "Pre-sliding and Stribeck effect with few parameters. The Stribeck factor acts at once, so there is no lag in sliding.\n"
          "Known violations: not passive unless Fs = Fc (load it fast, unload it slowly); no nonlocal memory; drifts.",
      .passive_if = "Fs = Fc",
      .references = "S. Andersson, A. Söderberg, S. Björklund, Tribology International 40 (2007), eq (20)",
  };
  static constexpr Properties has{
      .stiction = true, .presliding = true, .stribeck = true, .varying_breakaway = true, .drifts = true};
  static constexpr Hooks hooks{.rate = true, .vector_lanes = true, .relations = true};
  static constexpr bool vector_lanes = true;  // no branch on values

  struct Params {
    T Fc{1}, Fs{1.5}, vs{T(1e-3)}, alpha{2}, delta{T(1e-5)}, kv{0}, kv_exponent{1};
    static constexpr auto fields() {
      return stribeck_fields<Params>() +
             Fields{Field{&Params::delta, "delta", "m", "pre-sliding displacement", positive}} +
             viscous_field<Params>();
    }
    static constexpr auto relations() { return std::array{relation::above<&Params::Fs, &Params::Fc>}; }
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
  }  // (2)
  constexpr T force(const State& s, Mode, const U& u) const {  // (3)
    return u.r * stribeck_force(p, u.v) * (s.z / p.delta) + viscous_force(p, u);
  }
  constexpr void step(State& s, Mode&, const U& u, T dt) const {  // exact
    using std::abs;
    s.z = relax(s.z, sgn(u.v) * p.delta, abs(u.v) * dt / p.delta);
  }

  constexpr T steady(T v) const { return stribeck_force(p, v) * sgn(v) + viscous_force(p, v); }
  constexpr State bound() const { return {p.delta}; }
  constexpr Scales<T> scales() const { return {.force = p.Fs, .velocity = p.vs, .displacement = p.delta}; }
  constexpr bool passive() const { return p.Fs == p.Fc; }
};

}  // namespace bristle
