#pragma once
#include "../contact.hpp"
#include "../stribeck.hpp"

namespace bristle {

/// Below i = 1, where full sliding is reached after a finite distance; unused from 1 on.
struct DahlMode {
  int dir{};   // side of v: 0 at rest
  int from{};  // side of g on its way to 0; 0 when it is there: full sliding
  static constexpr auto fields() {
    return Fields{Field{&DahlMode::dir, "dir", "1", "side of v", sides},
                  Field{&DahlMode::from, "from", "1", "side from which full sliding is approached", sides}};
  }
};

template <class T = double> struct Dahl {
  static constexpr Card card{
      .name = "dahl",
      .title = "Dahl: elastic pre-sliding that yields to Coulomb friction",
      .equations = "g = 1 - (f/Fc) sgn(v)                      (1)\n"
                   "df/dt = sigma0 |g|^i sgn(g) v              (2)\n"
                   "F = f + kv v                               (3)",
      .notes =
          "Ball bearings and other contacts that deflect before they slide. The exponent i shapes the knee: below 1 ductile,\n"
          "0 elastic-perfectly plastic (one Maxwell-slip element with k = sigma0, W = Fc), above 1 brittle. Below 1 full sliding,\n"
          "f = Fc sgn(v), is reached after the distance (Fc/sigma0) |g|^(1-i)/(1-i) and kept until v reverses.\n"
          "Force depends on displacement alone (rate independent). No Stribeck effect.\n"
          "Known violations: no nonlocal memory (inner loops do not close); drifts under an oscillating load below Fc.",
      .passive_if = "always, while |f| <= Fc",
      .references = "P. R. Dahl, A solid friction model, Aerospace Corporation TOR-0158(3107-18)-1 (1968)\n"
                    "S. Andersson, A. Söderberg, S. Björklund, Tribology International 40 (2007), eqs (17), (18)",
  };
  static constexpr Properties has{.stiction = true, .presliding = true, .rate_independent = true, .drifts = true};
  static constexpr Hooks hooks{.rate = true, .guards = true, .switches = true};

  struct Params {
    T Fc{1}, sigma0{1e5}, i{1}, kv{0}, kv_exponent{1};
    static constexpr auto fields() {
      return Fields{
                 Field{&Params::Fc, "Fc", "N", "Coulomb force", positive, role::needed, "mu_c"},
                 Field{&Params::sigma0, "sigma0", "N/m", "stiffness at zero force", positive}.as(Part::stiffness, 0.5),
                 Field{&Params::i, "i", "1", "exponent: shape of the knee", Range{0, 10}, role::optional}.as(
                     Part::knee)} +
             viscous_field<Params>();
    }
  } p;
  struct State {
    T f{};
    static constexpr auto fields() {
      return Fields{Field{&State::f, "f", "N", "friction force without the viscous part"}};
    }
  };
  using Scalar = T;
  using Mode = DahlMode;
  using U = Motion<T>;

  constexpr State rest() const { return {}; }
  constexpr T distance(const State& s, const T& d) const { return T(1) - d * s.f / p.Fc; }               // g of (1)
  constexpr T force(const State& s, Mode, const U& u) const { return u.r * s.f + viscous_force(p, u); }  // (3)
  constexpr State rate(const State& s, Mode q, const U& u) const {                                       // (2)
    using std::abs;
    using std::pow;
    if (p.i == T(1) && is_constant(p.i))
      return {p.sigma0 * distance(s, sgn(u.v)) * u.v};  // the usual case at a third of the cost
    if (q.dir != 0 && q.from == 0) return {T(0)};
    const bool told = q.dir != 0;  // then smooth beyond g = 0 too, so that a step can pass it and the event be seen
    const T g = distance(s, told ? T(q.dir) : sgn(u.v));
    return {g == T(0) ? T(0) : p.sigma0 * pow(abs(g), p.i) * (told ? T(q.from) : sgn(g)) * u.v};
  }
  /// Exact: g' = -q |g|^i sgn(g) integrates to |g| (1 + (i - 1) q |g|^(i-1))^(-1/(i-1)); q is the travel over Fc/sigma0.
  /// Written so that i = 1 (where it is exp(-q)) is no special case, and for i < 1 g ends at 0 after a finite travel.
  constexpr void step(State& s, Mode& mode, const U& u, T dt) const {
    using std::abs;
    using std::log1p;
    using std::pow;
    const T d = sgn(u.v), g = distance(s, d), q = p.sigma0 * abs(u.v) * dt / p.Fc;
    if (p.i == T(1) && is_constant(p.i)) {
      if (!(u.v == T(0))) s.f = s.f + d * p.Fc * g * gone(q);
      return;
    }
    if (switches()) mode = {side(u.v), u.v == T(0) ? 0 : side(g)};
    if (u.v == T(0)) return;
    const T w = g == T(0) ? T(1) : pow(abs(g), p.i - T(1)), x = (p.i - T(1)) * q * w;
    if (g == T(0) || x <= T(-1)) {
      s.f = d * p.Fc;
      mode.from = 0;
      return;
    }
    const T travel = abs(x) < T(0.01) ? q * w * log1p_over(x) : log1p(x) / (p.i - T(1));
    s.f = s.f + d * p.Fc * g * gone(travel);
  }

  /// |g|^i has no Lipschitz constant at g = 0 for i < 1: a solver would not get past it.
  constexpr bool switches() const { return p.i < T(1); }
  /// Id 0: v passes zero or leaves it. Id 1: full sliding is reached. Below g = 1e-12 that guard is 0 until g changes sign: g
  /// touches 0 without passing it, and a single point would be hard to land on.
  template <class F> constexpr void guards(const State& s, Mode q, const U& u, F&& f) const {
    using std::abs;
    if (!switches()) return;
    f(0, q.dir != 0 ? -T(q.dir) * u.v : abs(u.v));
    if (q.from == 0) return;
    const T g = T(q.from) * distance(s, T(q.dir)), near(1e-12);
    f(1, g > near ? near - g : g < T(0) ? -g : T(0));
  }
  constexpr void jump(State& s, Mode& q, const U& u, int id) const {
    if (id == 0) {
      q.dir = q.dir != 0 ? -q.dir : side(u.v);
      q.from = distance(s, T(q.dir)) < T(0) ? -1 : 1;
    } else {
      s.f = T(q.dir) * p.Fc;
      q.from = 0;
    }
  }

  constexpr T steady(T v) const { return p.Fc * sgn(v) + viscous_force(p, v); }
  constexpr State bound() const { return {p.Fc}; }
  constexpr Scales<T> scales() const { return {.force = p.Fc, .displacement = p.Fc / p.sigma0}; }
  constexpr bool passive() const { return true; }
};

}  // namespace bristle
