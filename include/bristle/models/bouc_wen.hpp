#pragma once
#include "../contact.hpp"
#include "../stribeck.hpp"

namespace bristle {

template <class T = double> struct BoucWen {
  static constexpr Card card{
      .name = "bouc_wen",
      .title = "Bouc-Wen: smooth hysteresis in parallel with a spring",
      .equations = "y = f/Fc                                                             (1)\n"
                   "df/dt = sigma0 (v - beta |v| |y|^(n-1) y - (1 - beta) v |y|^n)       (2)\n"
                   "dd/dt = v                                                            (3)\n"
                   "F = f + ke d + kv v                                                  (4)",
      .notes =
          "Smooth hysteresis of structures, joints, dampers and piezoelectric stages. n sharpens the knee: 1 exponential, large n\n"
          "elastic-perfectly plastic. Of the printed form dz/dt = A v - beta |v| |z|^(n-1) z - gamma v |z|^n, F = alpha k x +\n"
          "(1 - alpha) k z, only combinations act: sigma0 = (1 - alpha) k A, Fc = (1 - alpha) k (A/(beta + gamma))^(1/n),\n"
          "ke = alpha k, and beta here is beta/(beta + gamma). A reversal in full sliding has the stiffness 2 beta sigma0: beta = 1/2\n"
          "unloads along the first slope, beta = 1 and n = 1 is dahl with i = 1. Below 1/2 unloading would be softer than loading.\n"
          "The spring ke acts from where the contact was at rest first; with it there is no steady sliding.\n"
          "The normal load does not act on it.\n"
          "Known violations: no nonlocal memory (inner loops do not close); drifts under an oscillating load below Fc.",
      .passive_if = "always, while |f| <= Fc",
      .references =
          "R. Bouc, Modèle mathématique d'hystérésis, Acustica 24 (1971)\n"
          "Y.-K. Wen, Method for random vibration of hysteretic systems, ASCE J. Eng. Mech. Div. 102 (1976)\n"
          "F. Ikhouane, J. Rodellar, Systems with Hysteresis: Analysis, Identification and Control Using the Bouc-Wen "
          "Model, Wiley (2007)",
  };
  static constexpr Properties has{.stiction = true, .presliding = true, .rate_independent = true, .drifts = true};
  static constexpr Hooks hooks{.rate = true};

  struct Params {
    T Fc{1}, sigma0{T(1e5)}, n{2}, beta{T(0.6)}, ke{0}, kv{0}, kv_exponent{1};
    static constexpr auto fields() {
      return Fields{Field{&Params::Fc, "Fc", "N", "limit of the hysteretic force", positive, role::needed, "mu_c"},
                    Field{&Params::sigma0, "sigma0", "N/m", "stiffness of the hysteretic part at zero force", positive},
                    Field{&Params::n, "n", "1", "exponent: sharpness of the knee", Range{1, 20}}.as(Part::knee),
                    Field{&Params::beta, "beta", "1", "half the stiffness of a reversal in full sliding over sigma0",
                          Range{0.5, 2}}
                        .as(Part::knee),
                    Field{&Params::ke, "ke", "N/m", "stiffness of the spring in parallel", nonnegative,
                          role::optional | role::sought}
                        .as(Part::spring)} +
             viscous_field<Params>();
    }
  } p;
  struct State {
    T f{}, d{};
    static constexpr auto fields() {
      return Fields{Field{&State::f, "f", "N", "hysteretic force"},
                    Field{&State::d, "d", "m", "deflection of the spring"}};
    }
  };
  using Scalar = T;
  using Mode = NoMode;
  using U = Motion<T>;

  constexpr State rest() const { return {}; }
  constexpr T force(const State& s, Mode, const U& u) const {
    return u.r * s.f + p.ke * s.d + viscous_force(p, u);
  }  // (4)
  constexpr State rate(const State& s, Mode, const U& u) const {  // (2), (3)
    using std::abs;
    const T y = s.f / p.Fc, with = sgn(u.v) * sgn(y);
    return {p.sigma0 * u.v * (T(1) - power(abs(y), p.n) * (p.beta * with + T(1) - p.beta)), u.v};
  }
  /// Exact. In the direction of motion, and in travel over Fc/sigma0, y rises by 1 + (2 beta - 1) |y|^n up to 0 and by
  /// 1 - y^n from there on.
  constexpr void step(State& s, Mode&, const U& u, T dt) const {
    using std::abs;
    if (u.v == T(0)) return;
    const T way = sgn(u.v), y = way * s.f / p.Fc;
    T left = abs(u.v) * dt * p.sigma0 / p.Fc;
    s.d = s.d + u.v * dt;
    if (!(abs(y) <= T(1))) {  // given as such: back to the limit in a stable way
      s.f = way * p.Fc * relax(y, T(1), p.n * left);
    } else if (const auto [to_zero, pace] = unloading(larger(-y, T(0)), p.n, slack()); left < to_zero) {
      s.f = -way * p.Fc * inverse(unloading_from, to_zero - left, real_part(larger(-y - left * pace, T(0))));
    } else {
      s.f = way * p.Fc * loaded(larger(y, T(0)), left - to_zero);
    }
  }

  constexpr T steady(T v) const { return p.Fc * sgn(v) + viscous_force(p, v); }  // without the spring
  constexpr State bound() const { return {p.Fc, T(inf)}; }
  constexpr Scales<T> scales() const { return {.force = p.Fc, .displacement = p.Fc / p.sigma0}; }
  constexpr bool passive() const { return true; }

 private:
  /// A travel as a function of its end, and the rate at which the end moves with the travel.
  template <class R> struct Leg {
    R travel, pace;
  };
  template <class R> static constexpr R power(const R& y, const R& n) {
    using std::pow;
    return y > R(0) ? pow(y, n) : R(0) * y;
  }
  template <class R> static constexpr bool counts(const R& term, const R& sum) {
    return real_part(term) > 0.1 * epsilon<R> * real_part(sum);
  }
  constexpr T slack() const { return T(2) * p.beta - T(1); }

  /// From 0 down to -w: integral of 1/(1 + a w^n), as w/(1 + A) 2F1(1, 1; 1 + 1/n; A/(1 + A)) with A = a w^n.
  template <class R> static constexpr Leg<R> unloading(const R& w, const R& n, const R& a) {
    const R A = a * power(w, n), z = A / (R(1) + A);
    R term(1), sum(1);
    for (int k = 1; k < 400 && counts(term, sum); ++k) {
      term = term * z * R(k) / (R(k) + R(1) / n);
      sum = sum + term;
    }
    return {w / (R(1) + A) * sum, R(1) + A};
  }
  /// From 0 up to y with y^n <= 1/2: integral of 1/(1 - y^n) term by term.
  template <class R> static constexpr Leg<R> loading(const R& y, const R& n, const R&) {
    const R z = power(y, n);
    R term(1), sum(1);
    for (int k = 1; k < 100 && counts(term, sum); ++k) {
      term = term * z;
      sum = sum + term / (R(k) * n + R(1));
    }
    return {y * sum, R(1) - z};
  }
  /// Further up, in e = -ln(1 - y^n): n times the same integral is e - sum of c_k exp(-k e)/k, c_k the coefficients of
  /// (1 - t)^(1/n - 1).
  template <class R> static constexpr Leg<R> ending(const R& e, const R& n, const R&) {
    using std::exp;
    const R t = exp(-e);
    R term(1), sum(0), slope(1);
    for (int k = 1; k < 100 && counts(term, R(1)); ++k) {
      term = term * t * (R(k) - R(1) / n) / R(k);
      sum = sum + term / R(k);
      slope = slope + term;
    }
    return {e - sum, R(1) / slope};
  }
  static constexpr auto unloading_from = [](const auto& x, const auto& n, const auto& a) { return unloading(x, n, a); };
  static constexpr auto loading_from = [](const auto& x, const auto& n, const auto& a) { return loading(x, n, a); };
  static constexpr auto ending_from = [](const auto& x, const auto& n, const auto& a) { return ending(x, n, a); };

  /// Newton in plain numbers, from the side from which it never passes the root; one more step carries the derivatives.
  template <class F, class R> constexpr T inverse(const F& leg, const T& travel, R from) const {
    using std::abs;
    for (int i = 0; i < 50; ++i) {
      const auto [at, pace] = leg(from, real_part(p.n), real_part(slack()));
      const R change = (real_part(travel) - at) * pace;
      from = from + change;
      if (!(abs(change) > R(4 * epsilon<R>) * abs(from))) break;
    }
    const auto [at, pace] = leg(T(from), p.n, slack());
    return T(from) + (travel - at) * pace;
  }
  /// From 0 <= y <= 1 on.
  constexpr T loaded(const T& y, T left) const {
    using std::expm1;
    using std::log;
    using std::pow;
    const auto n = real_part(p.n);
    T from = y;
    if (const T knee(pow(decltype(n)(0.5), 1 / n)); y < knee) {
      const auto [start, pace] = loading(y, p.n, T(0));
      const T end = start + left, top = loading(knee, p.n, T(0)).travel;
      if (end <= top) return inverse(loading_from, end, real_part(smaller(y + left * pace, knee)));
      from = knee;
      left = end - top;
    }
    const T rest_of = T(1) - power(from, p.n);
    if (!(rest_of > T(0))) return T(1);
    const T e = -log(rest_of);
    const auto [start, pace] = ending(e, p.n, T(0));
    const T ahead = smaller(p.n * left, T(800));
    return pow(-expm1(-inverse(ending_from, start + ahead, real_part(e + ahead * pace))), T(1) / p.n);
  }
};

}  // namespace bristle
