#pragma once
#include "../contact.hpp"
#include "../elements.hpp"
#include "../stribeck.hpp"

namespace bristle {

template <class T = double> struct Gms {
  static constexpr Card card{
      .name = "gms",
      .title = "Generalized Maxwell-slip: hysteresis with memory, Stribeck curve and lag",
      .equations = "S(v) = Fc + (Fs - Fc) exp(-(|v|/vs)^alpha)                          (1)\n"
                   "stick  df_i/dt = k_i v  until  sgn(v) f_i >= nu_i S(v)             (2)\n"
                   "slip   df_i/dt = sgn(v) C nu_i (1 - sgn(v) f_i/(nu_i S(v)))        (3)\n"
                   "       until v passes through zero, where every element sticks\n"
                   "F = sum (f_i + sigma_i/k_i df_i/dt) + kv v                          (4)\n"
                   "steady: F = S(v) sgn(v) + kv v                                      (5)",
      .notes =
          "Fits measured pre-sliding and sliding together: four elements do for most data, ten are typical.\n"
          "In deflections z_i = f_i/k_i it reads as in the literature, with s_i = nu_i S/k_i and C_i = C nu_i/k_i. The article\n"
          "of 2008 has alpha = 1.\n"
          "With Fs = Fc it is the Maxwell-slip model. Inner loops close for slow motion; with a Stribeck curve the gap\n"
          "shrinks as (leg time)^-2.\n"
          "Known violations: not passive unless Fs = Fc, because a slipping element regains force without motion.\n"
          "Slide at v, creep until f_i = nu_i Fs, go back by that stretch and forward again: each element has gained\n"
          "nu_i^2 (Fs - S(v))^2/(2 k_i), at most nu_i^2 (Fs - Fc)^2/(2 k_i). kv = max (Fs - S(v))/(2 v) compensates this cycle:\n"
          "0.32 (Fs - Fc)/vs for alpha = 2, (Fs - Fc)/(2 vs) for alpha = 1. No kv compensates every cycle: where the motion is\n"
          "fast for an instant and slow otherwise, each reversal gains up to nu_i^2 (Fs^2 - Fc^2)/(2 k_i) per element.",
      .passive_if = "Fs = Fc, whatever kv",
      .references =
          "F. Al-Bender, V. Lampaert, J. Swevers, The generalized Maxwell-slip model, IEEE Trans. Autom. Control 50 "
          "(2005)\n"
          "F. Al-Bender, J. Swevers, Characterization of friction force dynamics, IEEE Control Systems Magazine 28 "
          "(2008), eqs (1)-(3)",
  };
  static constexpr Properties has{
      .stiction = true, .presliding = true, .memory = true, .stribeck = true, .lag = true, .varying_breakaway = true};
  static constexpr Hooks hooks{.rate = true, .guards = true, .advance = true, .elements = true, .relations = true};

  struct Params {
    T Fc{1}, Fs{1.5}, vs{T(1e-3)}, alpha{2};
    Vec<T> k{T(4e4), T(3e4), T(2e4), T(1e4)}, nu{T(0.1), T(0.225), T(0.3), T(0.375)};
    T C{100};
    Vec<T> sigma{};
    T kv{0};
    static constexpr auto fields() {
      return stribeck_fields<Params>() +
             Fields{Field{&Params::k, "k", "N/m", "element stiffness", positive},
                    Field{&Params::nu, "nu", "1", "share of each element in the friction force", Range{limit::least, 1}}
                        .as(Part::knee),
                    Field{&Params::C, "C", "N/s", "attraction: how fast slipping elements find the Stribeck curve",
                          positive},
                    Field{&Params::sigma, "sigma", "N s/m", "element damping", nonnegative, role::optional}.as(
                        Part::damping)} +
             viscous_field<Params>();
    }
    static constexpr auto relations() {
      return std::array{relation::above<&Params::Fs, &Params::Fc>, relation::same_length<&Params::k, &Params::nu>,
                        relation::absent_or_as_long<&Params::k, &Params::sigma>, relation::sum_to_one<&Params::nu>};
    }
  } p;
  struct State {
    Vec<T> f;
    static constexpr auto fields() { return Fields{Field{&State::f, "f", "N", "element force"}}; }
  };
  using Scalar = T;
  using Mode = Elements;
  using U = Motion<T>;

  constexpr State rest() const { return {Vec<T>::zeros(p.k.n)}; }
  constexpr T element_rate(std::size_t i, const State& s, const Mode& q, const T& v, const T& S) const {
    const T d = T(q.dir);
    return q.slips(i) ? d * p.C * (p.nu[i] - d * s.f[i] / S) : p.k[i] * v;  // (3), (2)
  }
  static constexpr T sum_of(const State& s) {
    T sum(0);
    for (const T& f : s.f) sum = sum + f;
    return sum;
  }
  constexpr T force(const State& s, const Mode& q, const U& u) const {  // (4)
    T F = sum_of(s);
    if (p.sigma.n != 0) {
      const T S = stribeck_force(p, u.v);
      for (std::size_t i = 0; i < p.k.n; ++i) F = F + p.sigma[i] / p.k[i] * element_rate(i, s, q, u.v, S);
    }
    return u.r * F + p.kv * u.v;
  }
  constexpr State rate(const State& s, const Mode& q, const U& u) const {
    const T S = stribeck_force(p, u.v);
    State r = rest();
    for (std::size_t i = 0; i < p.k.n; ++i) r.f[i] = element_rate(i, s, q, u.v, S);
    return r;
  }
  /// The quantities of a step at v that all elements share.
  struct Drive {
    T travel, d, S, left;  // v dt, sgn(v), S(v), exp(-C dt/S)
  };
  constexpr Drive drive_at(const T& v, const T& dt) const {
    const T S = stribeck_force(p, v);
    return {v * dt, sgn(v), S, decay(p.C * dt / S)};
  }
  /// Exact at constant v, where S is constant: an element that reaches nu S stays there; one that is already beyond it
  /// (S has fallen) or slips relaxes towards it. The switch is a choice between values, so derivatives flow through it.
  /// B is bool, or a mask where T stands for vector lanes.
  template <class B> struct Element {
    T f;
    B slips;
  };
  template <class B>
  static constexpr Element<B> element(const T& f, const B& slips, const T& k, const T& nu, const Drive& u) {
    const T bound = nu * u.S, limit = u.d * bound, elastic = f + k * u.travel;
    if constexpr (std::is_same_v<B, bool>) {
      if (!slips) {
        if (u.d * elastic < bound) return {elastic, false};  // NaN does not stick, and shows
        if (u.d * f < bound) return {limit, true};
      }
      return {limit + (f - limit) * u.left, true};
    } else {  // the same, all three at once
      const B sticks = both(negated(slips), u.d * elastic < bound), yields = both(negated(slips), u.d * f < bound);
      return {select(sticks, elastic, select(yields, limit, limit + (f - limit) * u.left)), negated(sticks)};
    }
  }
  constexpr void step(State& s, Mode& q, const U& u, T dt) const { moved(s, q, u, dt); }
  constexpr T advance(State& s, Mode& q, const U& u, T dt) const {
    const T sum = moved(s, q, u, dt);
    return p.sigma.n != 0 ? force(s, q, u) : u.r * sum + p.kv * u.v;
  }
  /// The step, returning the sum of the element forces after it.
  constexpr T moved(State& s, Mode& q, const U& u, T dt) const {
    q.turn(u.v);
    if (u.v == T(0)) return sum_of(s);
    const Drive drive = drive_at(u.v, dt);
    std::uint64_t slipping = q.slipping, bit = 1;
    T sum(0);
    for (std::size_t i = 0; i < p.k.n; ++i, bit <<= 1) {
      const auto e = element(s.f[i], (slipping & bit) != 0, p.k[i], p.nu[i], drive);
      s.f[i] = e.f;
      if (e.slips) slipping |= bit;
      sum = sum + e.f;
    }
    q.slipping = slipping;
    return sum;
  }
  /// Id -1: v passes zero or leaves it. Id i: element i yields.
  template <class F> constexpr void guards(const State& s, const Mode& q, const U& u, F&& f) const {
    using std::abs;
    f(-1, q.dir != 0 ? -T(q.dir) * u.v : abs(u.v));
    const T S = stribeck_force(p, u.v);
    for (std::size_t i = 0; i < p.k.n; ++i) {
      if (!q.slips(i)) f(static_cast<int>(i), T(q.dir) * s.f[i] - p.nu[i] * S);
    }
  }
  constexpr void jump(State&, Mode& q, const U& u, int id) const {
    if (id < 0) {
      q = {0, q.dir != 0 ? -q.dir : side(u.v)};
    } else {
      q.release(static_cast<std::size_t>(id));
    }
  }

  constexpr T steady(T v) const { return stribeck_force(p, v) * sgn(v) + p.kv * v; }  // (5)
  constexpr State bound() const {
    State b = rest();
    for (std::size_t i = 0; i < p.k.n; ++i) b.f[i] = p.nu[i] * p.Fs;
    return b;
  }
  constexpr Scales<T> scales() const {
    T last(0);
    for (std::size_t i = 0; i < p.k.n; ++i) last = larger(last, p.nu[i] * p.Fs / p.k[i]);
    return {.force = p.Fs, .velocity = p.vs, .displacement = last};
  }
  constexpr bool passive() const { return p.Fs == p.Fc; }
};

}  // namespace bristle
