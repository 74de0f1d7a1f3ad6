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
                   "steady: F = S(v) sgn(v) + kv v                                      (5)\n"
                   "elements with curves of their own, Fc_i, Fs_i, vs_i, alpha_i, C_i:\n"
                   "S_i(v) = Fc_i + (Fs_i - Fc_i) exp(-(|v|/vs_i)^alpha_i)              (6)\n"
                   "slip   df_i/dt = sgn(v) C_i (1 - sgn(v) f_i/S_i(v))                 (7)",
      .notes =
          "Fits measured pre-sliding and sliding together: four elements do for most data, ten are typical.\n"
          "In deflections z_i = f_i/k_i it reads as in the literature, with s_i = nu_i S/k_i and C_i = C nu_i/k_i. The article\n"
          "of 2008 has alpha = 1.\n"
          "Elements with curves of their own replace nu_i S(v) by S_i(v) and C nu_i by C_i; a fit keeps the common curve.\n"
          "With Fs = Fc it is the Maxwell-slip model. Inner loops close for slow motion; with a Stribeck curve the gap\n"
          "shrinks as (leg time)^-2.\n"
          "Known violations: not passive unless Fs = Fc, because a slipping element regains force without motion.\n"
          "Slide at v, creep until f_i = nu_i Fs, go back by that stretch and forward again: each element has gained\n"
          "nu_i^2 (Fs - S(v))^2/(2 k_i), at most nu_i^2 (Fs - Fc)^2/(2 k_i). kv = max (Fs - S(v))/(2 v) compensates this cycle:\n"
          "0.32 (Fs - Fc)/vs for alpha = 2, (Fs - Fc)/(2 vs) for alpha = 1. No kv compensates every cycle: where the motion is\n"
          "fast for an instant and slow otherwise, each reversal gains up to nu_i^2 (Fs^2 - Fc^2)/(2 k_i) per element.",
      .passive_if = "Fs = Fc (Fs_i = Fc_i for every element), whatever kv",
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
    Vec<T> Fc_i{}, Fs_i{}, vs_i{}, alpha_i{}, C_i{};
    T kv{0}, kv_exponent{1};
    static constexpr auto fields() {
      constexpr auto dry = stribeck_fields<Params>();
      constexpr unsigned given = role::optional | role::fixed;
      return Fields{dry.template get<0>().unless("Fc_i"), dry.template get<1>().unless("Fs_i"),
                    dry.template get<2>().unless("vs_i"), dry.template get<3>()} +
             Fields{Field{&Params::k, "k", "N/m", "element stiffness", positive},
                    Field{&Params::nu, "nu", "1", "share of each element in the friction force", Range{limit::least, 1}}
                        .as(Part::knee)
                        .unless("Fc_i"),
                    Field{&Params::C, "C", "N/s", "attraction: how fast slipping elements find the Stribeck curve",
                          positive}
                        .unless("C_i"),
                    Field{&Params::sigma, "sigma", "N s/m", "element damping", nonnegative, role::optional}.as(
                        Part::damping),
                    Field{&Params::Fc_i, "Fc_i", "N", "Coulomb force of each element", positive, given},
                    Field{&Params::Fs_i, "Fs_i", "N", "static force of each element", positive, given},
                    Field{&Params::vs_i, "vs_i", "m/s", "Stribeck velocity of each element", positive, given},
                    Field{&Params::alpha_i, "alpha_i", "1", "Stribeck exponent of each element", Range{0.1, 4}, given},
                    Field{&Params::C_i, "C_i", "N/s", "attraction of each element", positive, given}} +
             viscous_field<Params>();
    }
    /// Elements have curves of their own; the common one is a share nu_i of (1).
    constexpr bool has_own_curves() const { return (Fc_i.n | Fs_i.n | vs_i.n | alpha_i.n | C_i.n) != 0; }
    static constexpr auto relations() {
      auto unless = [](auto shared, bool (*holds)(const Params&)) {
        shared.holds = holds;
        return shared;
      };
      return std::array{
          relation::above<&Params::Fs, &Params::Fc>,
          unless(relation::same_length<&Params::k, &Params::nu>,
                 [](const Params& p) { return p.Fc_i.n != 0 || p.k.n == p.nu.n; }),
          relation::absent_or_as_long<&Params::k, &Params::sigma>,
          unless(relation::sum_to_one<&Params::nu>,
                 [](const Params& p) { return p.Fc_i.n != 0 || relation::sum_to_one<&Params::nu>.holds(p); }),
          relation::absent_or_as_long<&Params::k, &Params::Fc_i>,
          relation::absent_or_as_long<&Params::k, &Params::Fs_i>,
          relation::absent_or_as_long<&Params::k, &Params::vs_i>,
          relation::absent_or_as_long<&Params::k, &Params::alpha_i>,
          relation::absent_or_as_long<&Params::k, &Params::C_i>,
          Relation<Params>{[](const Params& p) { return p.Fc_i.n == p.Fs_i.n && (p.Fc_i.n == 0 || p.C_i.n != 0); },
                           {"Fc_i", "Fs_i", "C_i"},
                           "Fc_i, Fs_i and C_i are given together"},
          Relation<Params>{[](const Params& p) {
                             for (std::size_t i = 0; i < p.Fc_i.n && i < p.Fs_i.n; ++i) {
                               if (!(p.Fs_i[i] >= p.Fc_i[i])) return false;
                             }
                             return true;
                           },
                           {"Fs_i", "Fc_i"},
                           "Fs_i >= Fc_i"}};
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
  /// The curve of one element, and its attraction.
  struct Curve {
    T Fc, Fs, vs, alpha;
  };
  /// The curve of element i.
  constexpr Curve curve(std::size_t i) const {
    return {p.Fc_i.n != 0 ? p.Fc_i[i] : p.nu[i] * p.Fc, p.Fs_i.n != 0 ? p.Fs_i[i] : p.nu[i] * p.Fs,
            p.vs_i.n != 0 ? p.vs_i[i] : p.vs, p.alpha_i.n != 0 ? p.alpha_i[i] : p.alpha};
  }
  /// Attraction of element i.
  constexpr T attraction(std::size_t i) const { return p.C_i.n != 0 ? p.C_i[i] : p.C * p.nu[i]; }
  /// Limit of an element at v, with S = S(v) of the common curve.
  constexpr T limit_of(std::size_t i, const T& v, const T& S) const {
    return p.has_own_curves() ? stribeck_force(curve(i), v) : p.nu[i] * S;
  }
  constexpr T element_rate(std::size_t i, const State& s, const Mode& q, const T& v, const T& S) const {
    const T d = T(q.dir);
    if (p.has_own_curves())
      return q.slips(i) ? d * attraction(i) * (T(1) - d * s.f[i] / stribeck_force(curve(i), v)) : p.k[i] * v;  // (7)
    return q.slips(i) ? d * p.C * (p.nu[i] - d * s.f[i] / S) : p.k[i] * v;  // (3), (2)
  }
  /// S(v), where there is a common curve.
  constexpr T common(const T& v) const { return p.has_own_curves() ? T(0) : stribeck_force(p, v); }
  /// Sum of the forces of the elements.
  static constexpr T sum_of(const State& s) {
    T sum(0);
    for (const T& f : s.f) sum = sum + f;
    return sum;
  }
  constexpr T force(const State& s, const Mode& q, const U& u) const {  // (4)
    T F = sum_of(s);
    if (p.sigma.n != 0) {
      const T S = common(u.v);
      for (std::size_t i = 0; i < p.k.n; ++i) F = F + p.sigma[i] / p.k[i] * element_rate(i, s, q, u.v, S);
    }
    return u.r * F + viscous_force(p, u);
  }
  /// Rates depend on the own force of an element alone, F on the sum of all.
  constexpr bool elements_apart() const { return p.sigma.n == 0; }
  constexpr State rate(const State& s, const Mode& q, const U& u) const {
    const T S = common(u.v);
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
    B slips;  // whether it slips
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
    return p.sigma.n != 0 ? force(s, q, u) : u.r * sum + viscous_force(p, u);
  }
  /// The step, returning the sum of the element forces after it.
  constexpr T moved(State& s, Mode& q, const U& u, T dt) const {
    q.turn(u.v);
    if (u.v == T(0)) return sum_of(s);
    if (p.has_own_curves()) return moved_apart(s, q, u.v, dt);
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
  /// The same for elements with curves of their own.
  constexpr T moved_apart(State& s, Mode& q, const T& v, const T& dt) const {
    T sum(0);
    for (std::size_t i = 0; i < p.k.n; ++i) {
      const T S = stribeck_force(curve(i), v);
      const auto e = element(s.f[i], q.slips(i), p.k[i], T(1), Drive{v * dt, sgn(v), S, decay(attraction(i) * dt / S)});
      s.f[i] = e.f;
      if (e.slips) q.release(i);
      sum = sum + e.f;
    }
    return sum;
  }
  /// Guard i differs from one sign of the state with this number + i by a limit, which falls with the speed.
  static constexpr int guarded_states = 0;
  static constexpr bool limits_fall = true;
  /// Id -1: v passes zero or leaves it. Id i: element i yields.
  template <class F> constexpr void guards(const State& s, const Mode& q, const U& u, F&& f) const {
    using std::abs;
    f(-1, q.dir != 0 ? -T(q.dir) * u.v : abs(u.v));
    const T S = common(u.v);
    for (std::size_t i = 0; i < p.k.n; ++i) {
      if (!q.slips(i)) f(static_cast<int>(i), T(q.dir) * s.f[i] - limit_of(i, u.v, S));
    }
  }
  constexpr void jump(State&, Mode& q, const U& u, int id) const {
    if (id < 0) {
      q = {0, q.dir != 0 ? -q.dir : side(u.v)};
    } else {
      q.release(static_cast<std::size_t>(id));
    }
  }

  constexpr T steady(T v) const {  // (5), (6)
    if (!p.has_own_curves()) return stribeck_force(p, v) * sgn(v) + viscous_force(p, v);
    T sum(0);
    for (std::size_t i = 0; i < p.k.n; ++i) sum = sum + stribeck_force(curve(i), v);
    return sum * sgn(v) + viscous_force(p, v);
  }
  constexpr State bound() const {
    State b = rest();
    for (std::size_t i = 0; i < p.k.n; ++i) b.f[i] = curve(i).Fs;
    return b;
  }
  constexpr Scales<T> scales() const {
    T last(0);
    for (std::size_t i = 0; i < p.k.n; ++i) last = larger(last, curve(i).Fs / p.k[i]);
    if (!p.has_own_curves()) return {.force = p.Fs, .velocity = p.vs, .displacement = last};
    T force(0), vs = curve(0).vs;
    for (std::size_t i = 0; i < p.k.n; ++i) {
      force = force + curve(i).Fs;
      vs = smaller(vs, curve(i).vs);
    }
    return {.force = force, .velocity = vs, .displacement = last};
  }
  constexpr bool passive() const {
    for (std::size_t i = 0; i < p.Fc_i.n; ++i) {
      if (p.Fs_i[i] != p.Fc_i[i]) return false;
    }
    return p.Fc_i.n != 0 || p.Fs == p.Fc;
  }
};

}  // namespace bristle
