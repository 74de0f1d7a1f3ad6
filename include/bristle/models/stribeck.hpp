#pragma once
#include "../contact.hpp"
#include "../stick_slip.hpp"
#include "../stribeck.hpp"

namespace bristle {

template <class T = double> struct Stribeck {
  static constexpr Card card{
      .name = "stribeck",
      .title = "Stribeck friction, set-valued",
      .equations = "S(v) = Fc + (Fs - Fc) exp(-(|v|/vs)^alpha)         (1)\n"
                   "slip   F = S(v) sgn(v) + kv v                      (2)\n"
                   "stick  v = 0,  F = F_app  while |F_app| <= Fs      (3)",
      .notes = "Dry and mixed lubrication: friction falls from Fs at rest to Fc over the Stribeck velocity vs.\n"
               "Stick and slip are exact events. No pre-sliding displacement, no lag, constant breakaway force.",
      .passive_if = "always",
      .references = "R. Stribeck, Die wesentlichen Eigenschaften der Gleit- und Rollenlager, Z. VDI 46 (1902)\n"
                    "L. C. Bo, D. Pavelescu, The friction-speed relation and its influence on the critical velocity of "
                    "stick-slip motion, Wear 82 (1982)\n"
                    "S. Andersson, A. Söderberg, S. Björklund, Tribology International 40 (2007), eq (10)",
  };
  static constexpr Properties has{.stiction = true, .stribeck = true};
  static constexpr Hooks hooks{.rate = true, .guards = true, .holds = true, .relations = true};

  struct Params {
    T Fc{1}, Fs{1.5}, vs{T(1e-3)}, alpha{2}, kv{0}, kv_exponent{1};
    static constexpr auto fields() { return stribeck_fields<Params>() + viscous_field<Params>(); }
    static constexpr auto relations() { return std::array{relation::above<&Params::Fs, &Params::Fc>}; }
  } p;
  using Scalar = T;
  using State = NoState;
  using Mode = StickSlip;
  using U = Motion<T>;

  constexpr State rest() const { return {}; }
  constexpr T force(State, Mode q, const U& u) const {
    return q.dir != 0 ? u.r * stribeck_force(p, u.v) * T(q.dir) + viscous_force(p, u) : u.F_app;  // (2), (3)
  }
  constexpr State rate(State, Mode, const U&) const { return {}; }
  constexpr void step(State&, Mode& q, const U& u, T) const { follow(q, u, u.r * p.Fs); }
  template <class F> constexpr void guards(State, Mode q, const U& u, F&& f) const {
    f(0, stick_slip_guard(q, u, u.r * p.Fs));
  }
  constexpr void jump(State&, Mode& q, const U& u, int) const { stick_or_release(q, u, u.r * p.Fs); }
  constexpr bool holds(Mode q) const { return q.dir == 0; }

  constexpr T steady(T v) const { return stribeck_force(p, v) * sgn(v) + viscous_force(p, v); }
  constexpr State bound() const { return {}; }
  constexpr Scales<T> scales() const { return {.force = p.Fs, .velocity = p.vs}; }
  constexpr bool passive() const { return true; }
};

}  // namespace bristle
