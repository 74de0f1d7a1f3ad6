#pragma once
#include "../contact.hpp"
#include "../stribeck.hpp"

namespace bristle {

template <class T = double> struct LuGre {
  static constexpr Card card{
      .name = "lugre",
      .title = "LuGre: bristles that bend, slip and follow the Stribeck curve",
      .equations = "S(v)  = Fc + (Fs - Fc) exp(-(|v|/vs)^alpha)              (1)\n"
                   "dz/dt = v - sigma0 |v| z / S(v)                          (2)\n"
                   "F     = sigma0 z + sigma1(v) dz/dt + kv v                (3)\n"
                   "sigma1(v) = sigma1 exp(-(v/vd)^2); vd is off by default  (4)\n"
                   "steady: F = S(v) sgn(v) + kv v                           (5)\n"
                   "bound:  |z| <= Fs/sigma0 is kept                         (6)",
      .notes =
          "The standard model of control: pre-sliding, Stribeck curve, frictional lag, breakaway that falls with the force rate.\n"
          "sigma1 near 2 sqrt(sigma0 m) damps the body on its bristles. With a large sigma1 the force spikes after a reversal;\n"
          "vd lets the bristle damping fade at speed.\n"
          "Known violations: no nonlocal memory; drifts under an oscillating load below breakaway.",
      .passive_if =
          "kv >= sigma1 (Fs - Fc)/Fc (with vd: kv >= max of sigma1(v) (Fs/S(v) - 1)); the usual 1995 parameters are not",
      .references =
          "C. Canudas de Wit, H. Olsson, K. J. Åström, P. Lischinsky, A new model for control of systems with friction, "
          "IEEE Trans. Autom. Control 40 (1995)\n"
          "N. Barahona, C. Canudas de Wit, Passification of the dynamic LuGre model, ACC (2002)\n"
          "S. Andersson, A. Söderberg, S. Björklund, Tribology International 40 (2007), eq (19)",
  };
  static constexpr Properties has{
      .stiction = true, .presliding = true, .stribeck = true, .lag = true, .varying_breakaway = true, .drifts = true};
  static constexpr Hooks hooks{.rate = true, .advance = true, .prepare = true, .vector_lanes = true, .relations = true};
  static constexpr bool vector_lanes = true;  // no branch on values

  struct Params {
    T Fc{1}, Fs{1.5}, vs{T(1e-3)}, alpha{2}, sigma0{1e5}, sigma1{T(316.23)}, vd{T(inf)}, kv{0}, kv_exponent{1};
    static constexpr auto fields() {
      return stribeck_fields<Params>() +
             Fields{Field{&Params::sigma0, "sigma0", "N/m", "bristle stiffness", positive}.as(Part::stiffness, 0.5),
                    Field{&Params::sigma1, "sigma1", "N s/m", "bristle damping", nonnegative}.as(Part::damping),
                    Field{&Params::vd, "vd", "m/s", "velocity over which the bristle damping fades", positive_or_off,
                          role::optional | role::fixed}} +
             viscous_field<Params>();
    }
    static constexpr auto relations() { return std::array{relation::above<&Params::Fs, &Params::Fc>}; }
  } p;
  struct State {
    T z{};
    static constexpr auto fields() { return Fields{Field{&State::z, "z", "m", "bristle deflection"}}; }
  };
  using Scalar = T;
  using Mode = NoMode;
  using U = Motion<T>;

  constexpr T damping(const T& v) const {  // (4)
    if constexpr (curve_options<T> == CurveOptions::usual) {
      return p.sigma1;
    } else {
      if constexpr (curve_options<T> == CurveOptions::open) {
        if (!(p.vd < T(inf))) return p.sigma1;
      }
      return p.sigma1 * decay((v / p.vd) * (v / p.vd));
    }
  }
  constexpr T inverse_reach(const T& v) const { return p.sigma0 / stribeck_force(p, v); }  // 1/z_ss, z_ss = S(v)/sigma0
  /// Rate of the deflection; inverse: 1/g(v).
  constexpr T deflection_rate(const T& z, const T& v, const T& inverse) const {  // (2)
    using std::abs;
    return v - abs(v) * z * inverse;
  }
  constexpr T force_at(const T& z, const U& u, const T& inverse) const {  // (3)
    return (u.r * (p.sigma0 * z) + viscous_force(p, u)) + u.r * damping(u.v) * deflection_rate(z, u.v, inverse);
  }
  /// The part that depends on the motion alone; the state then takes one multiplication and one addition.
  struct Prepared {
    // inverse: 1/g(v); kept: part of the deflection that a step keeps; gained: deflection that a step adds
    T inverse, kept, gained;
  };
  constexpr Prepared prepare(const T& v, const T& dt) const {  // exact: (2) is linear in z
    using std::abs;
    const T S = stribeck_force(p, v), inverse = p.sigma0 / S, lost = gone(abs(v) * inverse * dt);
    return {inverse, T(1) - lost, sgn(v) * (S * (T(1) / p.sigma0)) * lost};
  }
  static constexpr void apply(State& s, const Prepared& a) { s.z = s.z * a.kept + a.gained; }

  constexpr State rest() const { return {}; }
  constexpr State rate(const State& s, Mode, const U& u) const {
    return {deflection_rate(s.z, u.v, inverse_reach(u.v))};
  }
  constexpr T force(const State& s, Mode, const U& u) const { return force_at(s.z, u, inverse_reach(u.v)); }
  constexpr void step(State& s, Mode&, const U& u, T dt) const { apply(s, prepare(u.v, dt)); }
  constexpr T advance(State& s, Mode&, const U& u, T dt) const {  // S once for both
    const Prepared a = prepare(u.v, dt);
    apply(s, a);
    return force_at(s.z, u, a.inverse);
  }

  constexpr T steady(T v) const { return stribeck_force(p, v) * sgn(v) + viscous_force(p, v); }  // (5)
  constexpr State bound() const { return {p.Fs / p.sigma0}; }                                    // (6)
  constexpr Scales<T> scales() const { return {.force = p.Fs, .velocity = p.vs, .displacement = p.Fs / p.sigma0}; }
  /// The kv from which the model is passive. With vd the maximum is searched on a grid of 2 % steps.
  constexpr T passive_kv() const {
    if (!(p.vd < T(inf))) return p.sigma1 * (p.Fs - p.Fc) / p.Fc;
    T most_kv(0);
    for (T v = T(1e-3) * smaller(p.vs, p.vd); v < T(1e3) * p.vd; v = v * T(1.02)) {
      most_kv = larger(most_kv, damping(v) * (p.Fs / stribeck_force(p, v) - T(1)));
    }
    return most_kv;
  }
  constexpr bool passive() const { return has_viscous(p, passive_kv()); }
};

}  // namespace bristle
