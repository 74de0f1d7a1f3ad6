#pragma once
#include "../contact.hpp"
#include "../stribeck.hpp"

namespace bristle {

template <class T = double> struct BlimanSorine {
  static constexpr Card card{
      .name = "bliman_sorine",
      .title = "Bliman-Sorine: friction as a filter of the sliding direction",
      .equations = "s = distance slid, ds = |v| dt                          (1)\n"
                   "dfa/ds = -(fa - f1 sgn(v))/(eta eps_f)                  (2)\n"
                   "dfb/ds = -(fb + f2 sgn(v))/eps_f                        (3)\n"
                   "F = fa + fb + kv v                                      (4)\n"
                   "steady: F = (f1 - f2) sgn(v) + kv v                     (5)\n"
                   "peak after s = eta eps_f/(1 - eta) ln(f1/(eta f2))      (6)",
      .notes =
          "A linear model in the distance slid, so mathematics is easy: rate independent, with a breakaway peak above the\n"
          "sliding level f1 - f2. With f2 = 0 and eta = 1 it is of first order and equals dahl with i = 1.\n"
          "Known violations: no Stribeck curve (the peak is in distance, not in speed), no nonlocal memory; drifts.",
      .passive_if = "always: its transfer function in s is positive real",
      .references =
          "P.-A. Bliman, M. Sorine, Easy-to-use realistic dry friction models for automatic control, European Control "
          "Conference (1995)\n"
          "F. Al-Bender, J. Swevers, Characterization of friction force dynamics, IEEE Control Systems Magazine 28 "
          "(2008), sidebar",
  };
  static constexpr Properties has{.stiction = true, .presliding = true, .rate_independent = true, .drifts = true};
  static constexpr Hooks hooks{.rate = true, .vector_lanes = true, .relations = true};
  static constexpr bool vector_lanes = true;  // no branch on values

  struct Params {
    T f1{T(2.0987)}, f2{T(1.0987)}, eta{T(0.2)}, eps_f{T(9.4e-5)}, kv{0}, kv_exponent{1};
    static constexpr auto fields() {
      return Fields{
                 Field{&Params::f1, "f1", "N", "level of the fast part", positive}.as(Part::static_force),
                 Field{&Params::f2, "f2", "N", "level of the slow, opposing part", nonnegative}.as(Part::static_rise),
                 Field{&Params::eta, "eta", "1", "length of the fast part over eps_f", Range{1e-6, 1}}.as(Part::knee),
                 Field{&Params::eps_f, "eps_f", "m", "length of the slow part", positive}.as(Part::reach, 3)} +
             viscous_field<Params>();
    }
    static constexpr auto relations() {
      return std::array{relation::strictly_above<&Params::f1, &Params::f2>,
                        relation::below_one_unless_zero<&Params::eta, &Params::f2>};
    }
  } p;
  struct State {
    T fa{}, fb{};
    static constexpr auto fields() {
      return Fields{Field{&State::fa, "fa", "N", "fast part"}, Field{&State::fb, "fb", "N", "slow part"}};
    }
  };
  using Scalar = T;
  using Mode = NoMode;
  using U = Motion<T>;

  constexpr State rest() const { return {}; }
  constexpr State rate(const State& s, Mode, const U& u) const {  // (2), (3) times |v|
    using std::abs;
    const T speed = abs(u.v), d = sgn(u.v);
    return {-speed * (s.fa - p.f1 * d) / (p.eta * p.eps_f), -speed * (s.fb + p.f2 * d) / p.eps_f};
  }
  constexpr T force(const State& s, Mode, const U& u) const {
    return u.r * (s.fa + s.fb) + viscous_force(p, u);
  }  // (4)
  constexpr void step(State& s, Mode&, const U& u, T dt) const {  // exact
    using std::abs;
    const T travel = abs(u.v) * dt / p.eps_f, d = sgn(u.v);
    s.fa = relax(s.fa, d * p.f1, travel / p.eta);
    s.fb = relax(s.fb, -d * p.f2, travel);
  }

  /// Largest force on the way from rest, by (6).
  constexpr T breakaway() const {
    using std::exp;
    using std::log;
    if (!(p.f1 * p.eta > T(0)) || !(p.f1 > p.eta * p.f2) || !(p.f2 > T(0)) || !(p.eta < T(1))) return p.f1 - p.f2;
    const T s = p.eta / (T(1) - p.eta) * log(p.f1 / (p.eta * p.f2));
    return p.f1 * (T(1) - exp(-s / p.eta)) - p.f2 * (T(1) - exp(-s));
  }
  constexpr T steady(T v) const { return (p.f1 - p.f2) * sgn(v) + viscous_force(p, v); }  // (5)
  constexpr State bound() const { return {p.f1, p.f2}; }
  constexpr Scales<T> scales() const { return {.force = breakaway(), .displacement = p.eta * p.eps_f}; }
  constexpr bool passive() const { return true; }
};

}  // namespace bristle
