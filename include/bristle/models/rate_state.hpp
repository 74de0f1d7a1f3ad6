#pragma once
#include <array>

#include "../contact.hpp"
#include "../stribeck.hpp"

namespace bristle {

/// Law of the state variable.
enum class StateLaw { ageing, slip };
constexpr std::array<const char*, 2> choices(StateLaw) { return {"ageing", "slip"}; }

template <class T = double> struct RateState {
  static constexpr Card card{
      .name = "rate_state",
      .title = "Rate and state friction (Dieterich-Ruina), regularised",
      .equations = "mu = a asinh(v/(2 V0) exp((mu0 + b ln(V0 theta/Dc))/a))         (1)\n"
                   "ageing law  dtheta/dt = 1 - |v| theta/Dc                        (2)\n"
                   "slip law    dtheta/dt = -(|v| theta/Dc) ln(|v| theta/Dc)        (3)\n"
                   "F = normal_load mu + kv v                                       (4)\n"
                   "steady: theta = Dc/|v|, mu = mu0 + (a - b) ln(v/V0)             (5)",
      .notes =
          "Rock and fault friction, and slow sliding of polymers, paper and metals: friction depends on the logarithm of speed and\n"
          "of contact age theta. Velocity weakening for b > a. After a jump of v friction jumps by a ln, then evolves over the "
          "length Dc.\n"
          "A load is held only in practice: the body creeps at a speed that falls exponentially with the missing force.\n"
          "At v = 0 the force is 0; with the ageing law theta then grows with time, with the slip law it stands still.\n"
          "The breakaway force changes with the force rate: by (a - b) normal_load per e-fold at slow rates, where the contact\n"
          "ages on the way (it falls for b > a); above mu0 normal_load V0/Dc it rises by the direct effect, until inertia shows.\n"
          "theta starts at Dc/V0. The law is odd in v.",
      .passive_if = "always",
      .references =
          "J. H. Dieterich, Modeling of rock friction, J. Geophys. Res. 84 (1979)\n"
          "A. Ruina, Slip instability and state variable friction laws, J. Geophys. Res. 88 (1983)\n"
          "J. R. Rice, N. Lapusta, K. Ranjith, Rate and state dependent friction and the stability of sliding between "
          "elastically deformable solids, J. Mech. Phys. Solids 49 (2001)",
  };
  static constexpr Properties has{.stiction = true, .stribeck = true, .lag = true, .varying_breakaway = true};
  static constexpr Hooks hooks{.rate = true};

  struct Params {
    T mu0{T(0.6)}, a{T(0.01)}, b{T(0.015)}, Dc{T(1e-5)}, V0{T(1e-6)}, normal_load{1};
    StateLaw law{StateLaw::ageing};
    T kv{0}, kv_exponent{1};
    static constexpr auto fields() {
      return Fields{
                 Field{&Params::mu0, "mu0", "1", "friction coefficient in steady sliding at V0", Range{0, 10}}.as(
                     Part::coefficient),
                 Field{&Params::a, "a", "1", "direct effect: change of mu per e-fold of v at once", Range{1e-6, 1}},
                 Field{&Params::b, "b", "1", "evolution effect: change of mu per e-fold of theta", Range{-1, 1}},
                 Field{&Params::Dc, "Dc", "m", "critical slip: sliding distance over which theta evolves", positive}.as(
                     Part::evolution),
                 Field{&Params::V0, "V0", "m/s", "reference velocity", positive, role::fixed}.as(Part::first_speed),
                 Field{&Params::normal_load, "normal_load", "N", "nominal normal load", nonnegative, role::fixed}.as(
                     Part::load),
                 Field{&Params::law, "law", "", "evolution of theta", any_real, role::optional | role::fixed}} +
             viscous_field<Params>();
    }
  } p;
  struct State {
    T theta{};
    static constexpr auto fields() { return Fields{Field{&State::theta, "theta", "s", "contact age", nonnegative}}; }
  };
  using Scalar = T;
  using Mode = NoMode;
  using U = Motion<T>;

  constexpr State rest() const { return {p.Dc / p.V0}; }
  constexpr T mu(const T& theta, const T& v) const {  // (1)
    using std::abs;
    using std::asinh;
    using std::exp;
    using std::log;
    const T exponent = (p.mu0 + p.b * log(p.V0 * larger(theta, T(1e-30)) / p.Dc)) / p.a, u = v / (T(2) * p.V0);
    if (!(v == T(0))) {
      const T x = log(abs(u)) + exponent;  // logarithm of the argument, which may overflow
      if (x > T(20)) return p.a * sgn(v) * (x + T(0.6931471805599453));  // asinh(y) = ln(2 y) beyond e^20
    }
    return p.a * asinh(u * exp(smaller(exponent, T(epsilon<T> < 1e-10 ? 680 : 80))));
  }
  constexpr T force(const State& s, Mode, const U& u) const {
    return u.r * p.normal_load * mu(s.theta, u.v) + viscous_force(p, u);
  }  // (4)
  constexpr State rate(const State& s, Mode, const U& u) const {
    using std::abs;
    using std::log;
    const T w = abs(u.v) * s.theta / p.Dc;
    if (p.law == StateLaw::ageing) return {T(1) - w};  // (2)
    return {w == T(0) ? T(0) : -w * log(w)};           // (3)
  }
  constexpr void step(State& s, Mode&, const U& u, T dt) const {  // exact, both laws
    using std::abs;
    using std::exp;
    using std::expm1;
    using std::log;
    const T g = abs(u.v) / p.Dc, gained = -expm1(-smaller(g * dt, T(800)));
    if (p.law == StateLaw::ageing) {
      s.theta = s.theta * (T(1) - gained) + (g == T(0) || g * dt < T(1e-30) ? dt : gained / g);
    } else if (!(g == T(0))) {
      const T goal = -log(g);  // of ln theta
      const T now = log(larger(s.theta, T(1e-30)));
      s.theta = exp(now + (goal - now) * gained);
    }
  }

  constexpr T steady(T v) const {
    using std::abs;
    return v == T(0) ? T(0) : p.normal_load * mu(p.Dc / abs(v), v) + viscous_force(p, v);
  }
  constexpr State bound() const { return {T(inf)}; }  // contacts age for ever
  constexpr Scales<T> scales() const {
    return {.force = p.normal_load * p.mu0, .velocity = p.V0, .displacement = p.Dc};
  }
  constexpr bool passive() const { return true; }
};

}  // namespace bristle
