#pragma once
#include "../contact.hpp"
#include "../stribeck.hpp"

namespace bristle {

/// Stick, or direction of slip.
struct ArmstrongMode {
  int dir{};  // 0 stick, +1 or -1 slip
  static constexpr auto fields() {
    return Fields{Field{&ArmstrongMode::dir, "dir", "1", "0 stick, +1 or -1 slip", sides}};
  }
};

template <class T = double> struct Armstrong {
  static constexpr Card card{
      .name = "armstrong",
      .title = "Armstrong: seven parameters, with rising static friction and frictional memory",
      .equations = "stick  F = sigma0 d,  dd/dt = v                                             (1)\n"
                   "       dFs = dFs_0 + (dFs_inf - dFs_0) t2/(t2 + gamma),  t2 = time in stick (2)\n"
                   "       breaks away at |sigma0 d| = Fc + dFs                                 (3)\n"
                   "slip   F = (Fc + kv |v| + dFs/(1 + (vl/vs)^2)) sgn(v)                       (4)\n"
                   "       with dFs as it was at breakaway, until v reaches 0                   (5)\n"
                   "       tau_L dvl/dt = v - vl                                                (6)\n"
                   "at v = 0: stick, dFs_0 = dFs/(1 + (vl/vs)^2), d so that F is continuous     (7)",
      .notes =
          "Collects what experiments on machines show: stiffness in stick, Stribeck effect, static friction that rises with dwell\n"
          "time, frictional memory. dFs_0 is dFs_a in the first stick.\n"
          "The published memory is a pure delay v(t - tau_L), which has no finite state; here it is the first-order lag (6).\n"
          "Known violations: no nonlocal memory in pre-sliding (inner loops are elastic).",
      .passive_if = "always: what a stick returns, the one before it has taken",
      .references =
          "B. Armstrong-Hélouvry, P. Dupont, C. Canudas de Wit, A survey of models, analysis tools and compensation "
          "methods for the control of machines with friction, Automatica 30 (1994)",
  };
  static constexpr Properties has{
      .stiction = true, .presliding = true, .stribeck = true, .lag = true, .varying_breakaway = true};
  static constexpr Hooks hooks{.rate = true, .guards = true, .relations = true, .memory = true};

  struct Params {
    T Fc{1}, dFs_a{T(0.2)}, dFs_inf{T(0.5)}, vs{T(1e-3)}, sigma0{T(1e5)}, gamma{1}, tau_L{T(5e-3)}, kv{0},
        kv_exponent{1};
    static constexpr auto fields() {
      return Fields{
                 Field{&Params::Fc, "Fc", "N", "Coulomb force", positive, role::needed, "mu_c"},
                 Field{&Params::dFs_a, "dFs_a", "N", "static increment at the start of the first stick", nonnegative}
                     .as(Part::static_rise, 0.5),
                 Field{&Params::dFs_inf, "dFs_inf", "N", "static increment after a long dwell", nonnegative}.as(
                     Part::static_rise, 1.2),
                 Field{&Params::vs, "vs", "m/s", "Stribeck velocity", positive},
                 Field{&Params::sigma0, "sigma0", "N/m", "stiffness in stick", positive},
                 Field{&Params::gamma, "gamma", "s", "dwell time in which half of the increment has come", positive}.as(
                     Part::dwell),
                 Field{&Params::tau_L, "tau_L", "s", "frictional memory", positive}.as(Part::lag, 3)} +
             viscous_field<Params>();
    }
    static constexpr auto relations() { return std::array{relation::above<&Params::dFs_inf, &Params::dFs_a>}; }
  } p;
  struct State {
    T d{}, t2{}, vl{};
    T dFs{};  // in stick dFs_0 of (2), in slip the increment at breakaway
    static constexpr auto fields() {
      return Fields{Field{&State::d, "d", "m", "deflection from the stick point"},
                    Field{&State::t2, "t2", "s", "time spent in stick"},
                    Field{&State::vl, "vl", "m/s", "lagged velocity"}};
    }
    static constexpr auto memory() { return Fields{Field{&State::dFs, "dFs", "N", "static increment"}}; }
  };
  using Scalar = T;
  using Mode = ArmstrongMode;
  using U = Motion<T>;

  constexpr State rest() const { return {T(0), T(0), T(0), p.dFs_a}; }
  /// Static increment after the time in stick, equation (2).
  constexpr T increment(const State& s) const {
    return s.dFs + (p.dFs_inf - s.dFs) * (s.t2 / (s.t2 + p.gamma));
  }  // (2)
  constexpr T stribeck(const State& s) const {
    const T u = s.vl / p.vs;
    return s.dFs / (T(1) + u * u);
  }
  constexpr T force(const State& s, Mode q, const U& u) const {
    if (q.dir == 0) return u.r * p.sigma0 * s.d + T(0) * u.v;            // (1); NaN shows
    return u.r * (p.Fc + stribeck(s)) * T(q.dir) + viscous_force(p, u);  // (4)
  }
  constexpr State rate(const State& s, Mode q, const U& u) const {
    const T lag = (u.v - s.vl) / p.tau_L;  // (6)
    return q.dir == 0 ? State{u.v, T(1), lag, T(0)} : State{T(0), T(0), lag, T(0)};
  }
  constexpr void stick(State& s, Mode& q) const {  // (7)
    const T left = stribeck(s);
    s.d = T(q.dir) * (p.Fc + left) / p.sigma0;
    s.dFs = left;
    s.t2 = T(0);
    q.dir = 0;
  }
  constexpr void slip(State& s, Mode& q, int dir) const {  // (5)
    s.dFs = increment(s);
    s.d = T(dir) * (p.Fc + s.dFs) / p.sigma0;
    q.dir = dir;
  }
  /// Time until (3) at constant v != 0, from stick. Counted from now, the limit grows by G t/(age + t), and the missing
  /// force shrinks by B t: (B t - missing)(age + t) = G t has one positive root.
  constexpr T until_break(const State& s, const T& v) const {
    using std::sqrt;
    const T d = sgn(v), B = p.sigma0 * d * v, age = s.t2 + p.gamma, G = (p.dFs_inf - s.dFs) * (p.gamma / age);
    const T missing = larger(p.Fc + increment(s) - p.sigma0 * d * s.d, T(0));
    const T half = T(0.5) * (B * age - missing - G), root = sqrt(half * half + B * (missing * age));
    return half > T(0) ? missing * age / (half + root) : (root - half) / B;
  }
  constexpr void step(State& s, Mode& q, const U& u, T dt) const {  // exact
    if (q.dir != 0 && side(u.v) != q.dir) stick(s, q);
    T in_stick = q.dir == 0 ? dt : T(0);
    bool breaks = false;
    if (q.dir == 0 && !(u.v == T(0))) {
      const T wait = until_break(s, u.v);
      breaks = wait <= dt;
      if (breaks) in_stick = larger(wait, T(0));
    }
    s.vl = relax(s.vl, u.v, dt / p.tau_L);
    s.d = s.d + u.v * in_stick;
    s.t2 = s.t2 + in_stick;
    if (breaks) slip(s, q, side(u.v));
  }
  /// Id 0: v reaches zero in slip. Id +1, -1: breakaway.
  template <class F> constexpr void guards(const State& s, Mode q, const U& u, F&& f) const {
    if (q.dir != 0) {
      f(0, -T(q.dir) * u.v);
    } else {
      const T limit = (p.Fc + increment(s)) * T(1 + 8 * epsilon<T>);  // a fresh stick begins on it, and must not count
      f(1, p.sigma0 * s.d - limit);
      f(-1, -p.sigma0 * s.d - limit);
    }
  }
  constexpr void jump(State& s, Mode& q, const U&, int id) const { id == 0 ? stick(s, q) : slip(s, q, id); }

  /// At constant velocity from rest: the increment is the one the first stick has reached.
  constexpr T steady(T v) const {
    if (v == T(0)) return T(0);
    State s = rest();
    s.t2 = until_break(s, v);
    s.dFs = increment(s);
    s.vl = v;
    return (p.Fc + stribeck(s)) * sgn(v) + viscous_force(p, v);
  }
  constexpr State bound() const { return {(p.Fc + p.dFs_inf) / p.sigma0, T(inf), T(inf), p.dFs_inf}; }
  constexpr Scales<T> scales() const {
    return {.force = p.Fc + p.dFs_inf, .velocity = p.vs, .displacement = (p.Fc + p.dFs_inf) / p.sigma0};
  }
  constexpr bool passive() const { return true; }
};

}  // namespace bristle
