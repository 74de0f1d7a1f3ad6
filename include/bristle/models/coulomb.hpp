#pragma once
#include "../contact.hpp"
#include "../stick_slip.hpp"
#include "../stribeck.hpp"

namespace bristle {

template <class T = double> struct Coulomb {
  static constexpr Card card{
      .name = "coulomb",
      .title = "Coulomb friction, set-valued",
      .equations = "slip   F = Fc sgn(v) + kv v                        (1)\n"
                   "stick  v = 0,  F = F_app  while |F_app| <= Fs      (2)",
      .notes =
          "The law of dry friction as it is meant: stick and slip are exact events, a load below Fs is held for ever.\n"
          "It locks when v reaches 0 and |F_app| <= Fs, and leaves in the direction of F_app when |F_app| exceeds Fs.\n"
          "No pre-sliding displacement, no Stribeck effect, no memory.",
      .passive_if = "always",
      .references = "C. A. Coulomb, Théorie des machines simples (1785)\n"
                    "S. Andersson, A. Söderberg, S. Björklund, Tribology International 40 (2007), eq (2)",
  };
  static constexpr Properties has{.stiction = true, .rate_independent = true};
  static constexpr Hooks hooks{.rate = true, .guards = true, .holds = true, .relations = true};

  struct Params {
    T Fc{1}, Fs{Fc}, kv{0}, kv_exponent{1};
    static constexpr auto fields() {
      return Fields{Field{&Params::Fc, "Fc", "N", "Coulomb force", nonnegative, role::needed, "mu_c"},
                    Field{&Params::Fs, "Fs", "N", "breakaway force; equal to Fc unless given", nonnegative,
                          role::optional, "mu_s"}
                        .as(Part::static_force)} +
             viscous_field<Params>();
    }
    static constexpr auto relations() { return std::array{relation::above<&Params::Fs, &Params::Fc>}; }
  } p;
  using Scalar = T;
  using State = NoState;
  using Mode = StickSlip;
  using U = Motion<T>;

  constexpr State rest() const { return {}; }
  constexpr T force(State, Mode q, const U& u) const {
    return q.dir != 0 ? u.r * p.Fc * T(q.dir) + viscous_force(p, u) : u.F_app;
  }  // (1), (2)
  constexpr State rate(State, Mode, const U&) const { return {}; }
  constexpr void step(State&, Mode& q, const U& u, T) const { follow(q, u, u.r * p.Fs); }
  template <class F> constexpr void guards(State, Mode q, const U& u, F&& f) const {
    f(0, stick_slip_guard(q, u, u.r * p.Fs));
  }
  constexpr void jump(State&, Mode& q, const U& u, int) const { stick_or_release(q, u, u.r * p.Fs); }
  constexpr bool holds(Mode q) const { return q.dir == 0; }

  constexpr T steady(T v) const { return p.Fc * sgn(v) + viscous_force(p, v); }
  constexpr State bound() const { return {}; }
  constexpr Scales<T> scales() const { return {.force = p.Fs}; }
  constexpr bool passive() const { return true; }
};

}  // namespace bristle
