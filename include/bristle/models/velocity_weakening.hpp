#pragma once
#include <cmath>

#include "../contact.hpp"
#include "../stick_slip.hpp"
#include "../stribeck.hpp"

namespace bristle {

template <class T = double> struct VelocityWeakening {
  static constexpr Card card{
      .name = "velocity_weakening",
      .title = "Velocity-weakening friction of faults, set-valued",
      .equations = "slip   F = Fs (1 - drop)/(1 + |v|/vw) sgn(v) + kv v   (1)\n"
                   "stick  v = 0,  F = F_app  while |F_app| <= Fs         (2)",
      .notes =
          "Friction of the blocks of Burridge-Knopoff chains: it falls by the part drop when slip begins, then as 1/|v|.\n"
          "In the units of Carlson and Langer, k = m = Fs = 1: drop = sigma, vw = (1 - sigma)/(2 alpha).\n"
          "Stick and slip are exact events. No pre-sliding displacement, no memory; with drop = 0 slip begins with an\n"
          "infinitesimal velocity.",
      .passive_if = "always",
      .references =
          "R. Burridge, L. Knopoff, Model and theoretical seismicity, Bull. Seismol. Soc. Am. 57 (1967)\n"
          "J. M. Carlson, J. S. Langer, Mechanical model of an earthquake fault, Phys. Rev. A 40 (1989)\n"
          "C. R. Myers, J. S. Langer, Rupture propagation, dynamical front selection, and the role of small length "
          "scales in a model of an earthquake fault, Phys. Rev. E 47 (1993)",
  };
  static constexpr Properties has{.stiction = true, .stribeck = true};
  static constexpr Hooks hooks{.rate = true, .guards = true, .holds = true};

  struct Params {
    T Fs{T(1.5)}, drop{T(0.2)}, vw{T(1e-2)}, kv{0}, kv_exponent{1};
    static constexpr auto fields() {
      return Fields{Field{&Params::Fs, "Fs", "N", "static force: friction at the end of stick", positive, role::needed,
                          "mu_s"}
                        .as(Part::static_force),
                    Field{&Params::drop, "drop", "1", "part of Fs that is lost when slip begins", Range{0, 1}},
                    Field{&Params::vw, "vw", "m/s", "velocity that halves the friction of slow slip", positive}} +
             viscous_field<Params>();
    }
  } p;
  using Scalar = T;
  using State = NoState;
  using Mode = StickSlip;
  using U = Motion<T>;

  constexpr State rest() const { return {}; }
  /// Force in slip at the velocity v.
  constexpr T weakened(const T& v) const {
    using std::abs;
    return p.Fs * (T(1) - p.drop) / (T(1) + abs(v) / p.vw);
  }
  constexpr T force(State, Mode q, const U& u) const {
    return q.dir != 0 ? u.r * weakened(u.v) * T(q.dir) + viscous_force(p, u) : u.F_app;  // (1), (2)
  }
  constexpr State rate(State, Mode, const U&) const { return {}; }
  constexpr void step(State&, Mode& q, const U& u, T) const { follow(q, u, u.r * p.Fs); }
  template <class F> constexpr void guards(State, Mode q, const U& u, F&& f) const {
    f(0, stick_slip_guard(q, u, u.r * p.Fs));
  }
  constexpr void jump(State&, Mode& q, const U& u, int) const { stick_or_release(q, u, u.r * p.Fs); }
  constexpr bool holds(Mode q) const { return q.dir == 0; }

  constexpr T steady(T v) const { return weakened(v) * sgn(v) + viscous_force(p, v); }
  constexpr State bound() const { return {}; }
  constexpr Scales<T> scales() const { return {.force = p.Fs, .velocity = p.vw}; }
  constexpr bool passive() const { return true; }
};

}  // namespace bristle
