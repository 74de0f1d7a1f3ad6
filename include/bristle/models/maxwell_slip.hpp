#pragma once
#include "../contact.hpp"
#include "../elements.hpp"
#include "../stribeck.hpp"

namespace bristle {

template <class T = double> struct MaxwellSlip {
  static constexpr Card card{
      .name = "maxwell_slip",
      .title = "Maxwell-slip: parallel elastic elements that yield",
      .equations = "stick  df_i/dt = k_i v   while |f_i| < W_i      (1)\n"
                   "slip   f_i = W_i sgn(v)  until v reverses       (2)\n"
                   "F = sum f_i + kv v                              (3)",
      .notes =
          "Pre-sliding hysteresis with nonlocal memory: return-point memory, wiping-out and Masing's rule hold exactly.\n"
          "Depends on displacement alone, so any step size is exact. Also known as the Iwan or Prandtl-Ishlinskii model.\n"
          "No Stribeck effect, no lag, constant breakaway force sum W_i.",
      .passive_if = "always",
      .references =
          "W. D. Iwan, A distributed-element model for hysteresis, J. Appl. Mech. 33 (1966)\n"
          "F. Al-Bender, J. Swevers, Characterization of friction force dynamics, IEEE Control Systems Magazine 28 "
          "(2008), Fig 12",
  };
  static constexpr Properties has{.stiction = true, .presliding = true, .memory = true, .rate_independent = true};
  static constexpr Hooks hooks{.rate = true, .guards = true, .relations = true};

  struct Params {
    Vec<T> k{T(4e4), T(3e4), T(2e4), T(1e4)}, W{T(0.1), T(0.225), T(0.3), T(0.375)};
    T kv{0}, kv_exponent{1};
    static constexpr auto fields() {
      return Fields{Field{&Params::k, "k", "N/m", "element stiffness", positive},
                    Field{&Params::W, "W", "N", "element yield force", positive}} +
             viscous_field<Params>();
    }
    static constexpr auto relations() { return std::array{relation::same_length<&Params::k, &Params::W>}; }
  } p;
  struct State {
    Vec<T> f;
    static constexpr auto fields() { return Fields{Field{&State::f, "f", "N", "element force"}}; }
  };
  using Scalar = T;
  using Mode = Elements;
  using U = Motion<T>;

  constexpr State rest() const { return {Vec<T>::zeros(p.k.n)}; }
  constexpr T force(const State& s, const Mode&, const U& u) const {  // (3)
    T F(0);
    for (const T& f : s.f) F = F + f;
    return u.r * F + viscous_force(p, u);
  }
  /// Rates depend on the own force of an element alone, F on the sum of all.
  constexpr bool elements_apart() const { return true; }
  constexpr State rate(const State&, const Mode& q, const U& u) const {  // (1), (2)
    State r = rest();
    for (std::size_t i = 0; i < p.k.n; ++i) r.f[i] = q.slips(i) ? T(0) : p.k[i] * u.v;
    return r;
  }
  constexpr void step(State& s, Mode& q, const U& u, T dt) const {  // exact
    q.turn(u.v);
    for (std::size_t i = 0; i < p.k.n; ++i) s.f[i] = q.moved(i, s.f[i], p.k[i], p.W[i], u.v * dt);
  }
  /// Guard i differs from one sign of the state with this number + i by a constant.
  static constexpr int guarded_states = 0;
  /// Id -1: v passes zero or leaves it. Id i: element i yields.
  template <class F> constexpr void guards(const State& s, const Mode& q, const U& u, F&& f) const {
    using std::abs;
    f(-1, q.dir != 0 ? -T(q.dir) * u.v : abs(u.v));
    for (std::size_t i = 0; i < p.k.n; ++i) {
      if (!q.slips(i)) f(static_cast<int>(i), T(q.dir) * s.f[i] - p.W[i]);
    }
  }
  constexpr void jump(State&, Mode& q, const U& u, int id) const {
    if (id < 0) {
      q = {0, q.dir != 0 ? -q.dir : side(u.v)};
    } else {
      q.release(static_cast<std::size_t>(id));
    }
  }

  /// Force at which all elements slip.
  constexpr T breakaway() const {
    T sum(0);
    for (const T& w : p.W) sum = sum + w;
    return sum;
  }
  constexpr T steady(T v) const { return breakaway() * sgn(v) + viscous_force(p, v); }
  constexpr State bound() const { return {p.W}; }
  constexpr Scales<T> scales() const {
    T last(0);  // travel at which the last element yields
    for (std::size_t i = 0; i < p.k.n; ++i) last = larger(last, p.W[i] / p.k[i]);
    return {.force = breakaway(), .displacement = last};
  }
  constexpr bool passive() const { return true; }
};

}  // namespace bristle
