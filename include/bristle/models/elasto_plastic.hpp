#pragma once
#include "../contact.hpp"
#include "../stribeck.hpp"

namespace bristle {

template <class T = double> struct ElastoPlastic {
  static constexpr Card card{
      .name = "elasto_plastic",
      .title = "Elasto-plastic: LuGre with a purely elastic range",
      .equations = "S(v) = Fc + (Fs - Fc) exp(-(|v|/vs)^alpha),  z_ss = S(v)/sigma0                    (1)\n"
                   "dz/dt = v (1 - a(z, v) sgn(v) z/z_ss)                                              (2)\n"
                   "a = 0 if |z| <= z_ba or z and v differ in sign;  a = 1 if |z| >= z_ss;  between    (3)\n"
                   "a = 1/2 + 1/2 sin(pi (|z| - (z_ss + z_ba)/2)/(z_ss - z_ba))                        (4)\n"
                   "F = sigma0 z + sigma1 dz/dt + kv v                                                 (5)",
      .notes =
          "Cures the drift of LuGre: below sigma0 z_ba the contact is a spring and returns to its position. Between z_ba and\n"
          "breakaway it still slips a little.\n"
          "The step is exact in the elastic range and above z_ss; between them it takes Runge-Kutta steps of 6 % of the\n"
          "distance, and a closed form for the last percent (error below 1e-6).\n"
          "Known violations: no nonlocal memory beyond the elastic range.",
      .passive_if = "kv >= sigma1 (Fs - Fc)/Fc",
      .references =
          "P. Dupont, V. Hayward, B. Armstrong, F. Altpeter, Single state elastoplastic friction models, IEEE Trans. "
          "Autom. Control 47 (2002)",
  };
  static constexpr Properties has{.stiction = true,
                                  .presliding = true,
                                  .stribeck = true,
                                  .lag = true,
                                  .varying_breakaway = true,
                                  .exact_step = false};
  static constexpr Hooks hooks{.rate = true, .relations = true};

  struct Params {
    T Fc{1}, Fs{1.5}, vs{T(1e-3)}, alpha{2}, sigma0{T(1e5)}, sigma1{T(316.23)}, z_ba{T(7e-6)}, kv{0}, kv_exponent{1};
    static constexpr auto fields() {
      return stribeck_fields<Params>() +
             Fields{Field{&Params::sigma0, "sigma0", "N/m", "bristle stiffness", positive}.as(Part::stiffness, 0.5),
                    Field{&Params::sigma1, "sigma1", "N s/m", "bristle damping", nonnegative}.as(Part::damping),
                    Field{&Params::z_ba, "z_ba", "m", "breakaway deflection: end of the elastic range", positive}} +
             viscous_field<Params>();
    }
    static constexpr auto relations() {
      return std::array{relation::above<&Params::Fs, &Params::Fc>,
                        relation::fraction_of<&Params::z_ba, &Params::Fc, &Params::sigma0>};
    }
  } p;
  struct State {
    T z{};
    static constexpr auto fields() { return Fields{Field{&State::z, "z", "m", "bristle deflection"}}; }
  };
  using Scalar = T;
  using Mode = NoMode;
  using U = Motion<T>;

  /// d zeta/d travel with zeta = z sgn(v): 1 - a zeta/z_ss.
  constexpr T yielding(const T& zeta, const T& z_ss) const {
    using std::sin;
    if (zeta <= p.z_ba) return T(1);
    if (zeta >= z_ss) return T(1) - zeta / z_ss;
    const T a = T(0.5) + T(0.5) * sin(T(0.5 * two_pi) * (zeta - T(0.5) * (z_ss + p.z_ba)) / (z_ss - p.z_ba));  // (4)
    return T(1) - a * (zeta / z_ss);
  }
  constexpr State rest() const { return {}; }
  constexpr State rate(const State& s, Mode, const U& u) const {  // (2)
    return {u.v * yielding(s.z * sgn(u.v), stribeck_force(p, u.v) / p.sigma0)};
  }
  constexpr T force(const State& s, Mode q, const U& u) const {  // (5)
    return u.r * (p.sigma0 * s.z + p.sigma1 * rate(s, q, u).z) + viscous_force(p, u);
  }
  constexpr void step(State& s, Mode&, const U& u, T dt) const {
    using std::abs;
    if (u.v == T(0)) return;
    const T z_ss = stribeck_force(p, u.v) / p.sigma0, d = sgn(u.v);
    T left = abs(u.v) * dt, zeta = d * s.z;
    if (!(left >= T(0))) {  // NaN shows
      s.z = left;
      return;
    }
    if (zeta > z_ss) {
      s.z = d * relax(zeta, z_ss, left / z_ss);
      return;
    }
    if (zeta < p.z_ba) {
      if (zeta + left <= p.z_ba) {
        s.z = s.z + u.v * dt;
        return;
      }
      left = left - (p.z_ba - zeta);
      zeta = p.z_ba;
    }
    const T range = z_ss - p.z_ba;
    if (!(range > T(0))) {  // by rounding
      s.z = d * relax(zeta, z_ss, left / z_ss);
      return;
    }
    while (left > T(0) && z_ss - zeta > T(0.01) * range) {
      const T a = yielding(zeta, z_ss), h = smaller(left, T(0.06) * (z_ss - zeta) / a);  // 6 % of the way to z_ss
      const T b = yielding(zeta + T(0.5) * h * a, z_ss), c = yielding(zeta + T(0.5) * h * b, z_ss);
      const T next = smaller(zeta + h / T(6) * (a + T(2) * (b + c) + yielding(zeta + h * c, z_ss)), z_ss);
      if (!(next > zeta)) break;  // lost in rounding
      zeta = next;
      left = left - h;
    }
    // Close to z_ss, with y = 1 - zeta/z_ss, (4) is 1 - curvature y^2 and (2) reads dy = -(y + curvature y^2) ds/z_ss.
    const T root = T(0.25 * two_pi) * z_ss / range, curvature = root * root, y = T(1) - zeta / z_ss;
    const T gone = decay(larger(left, T(0)) / z_ss);
    zeta = z_ss * (T(1) - y * gone / (T(1) + curvature * y * (T(1) - gone)));
    s.z = d * zeta;
  }

  constexpr T steady(T v) const { return stribeck_force(p, v) * sgn(v) + viscous_force(p, v); }
  constexpr State bound() const { return {p.Fs / p.sigma0}; }
  constexpr Scales<T> scales() const { return {.force = p.Fs, .velocity = p.vs, .displacement = p.Fs / p.sigma0}; }
  /// The viscous friction above which the contact is passive.
  constexpr T passive_kv() const { return p.sigma1 * (p.Fs - p.Fc) / p.Fc; }
  constexpr bool passive() const { return has_viscous(p, passive_kv()); }
};

}  // namespace bristle
