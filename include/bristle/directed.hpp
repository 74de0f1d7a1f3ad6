#pragma once
#include <cmath>
#include <type_traits>

#include "contact.hpp"

namespace bristle {

/// The direction of motion that the mode of a law keeps between events; 0: the velocity tells it.
template <class C> constexpr int slip_direction(const typename C::Mode& q) {
  if constexpr (Hybrid<C> && requires { q.dir; } && !requires { C::dir_of_deflection; }) {
    return q.dir;
  } else {
    return 0;
  }
}

/// A contact with parameters of its own for negative motion; at rest the force to hold tells the direction. The elastic
/// parameters of both must be equal: see `reverses_smoothly`.
template <class C> struct Directed {
  /// The number of the contact.
  using Scalar = typename C::Scalar;
  using State = typename C::State;
  using Mode = typename C::Mode;
  /// Motion of the contact.
  using U = Motion<Scalar>;
  C inner, negative;  // inner: the contact for positive motion; negative: the contact for negative motion

  /// The contact that acts in a direction.
  constexpr const C& towards(int direction) const { return direction < 0 ? negative : inner; }
  /// The contact that acts now: by the velocity, at rest by the applied force.
  constexpr const C& at(const U& u) const { return towards(u.v != Scalar(0) ? side(u.v) : side(u.F_app)); }
  /// The same, at rest by the mode.
  constexpr const C& at(const Mode& q, const U& u) const {
    const int slips = slip_direction<C>(q);
    return slips != 0 ? towards(slips) : at(u);
  }

  /// The state at rest.
  constexpr State rest() const { return inner.rest(); }
  constexpr Scalar force(const State& s, const Mode& q, const U& u) const { return at(q, u).force(s, q, u); }
  /// One step.
  constexpr void step(State& s, Mode& q, const U& u, Scalar dt) const { at(u).step(s, q, u, dt); }
  /// Rate of the state.
  constexpr State rate(const State& s, const Mode& q, const U& u) const
    requires Flow<C>
  {
    return at(q, u).rate(s, q, u);
  }
  template <class F>
  constexpr void guards(const State& s, const Mode& q, const U& u, F&& f) const
    requires Hybrid<C>
  {
    at(q, u).guards(s, q, u, f);
  }
  /// Change of state and mode at a guard.
  constexpr void jump(State& s, Mode& q, const U& u, int id) const
    requires Hybrid<C>
  {
    (SetValued<C> ? towards(side(u.F_app)) : at(q, u)).jump(s, q, u, id);
  }
  /// Whether the contact can change its mode.
  constexpr bool switches() const
    requires SwitchesAtTimes<C>
  {
    return inner.switches() || negative.switches();
  }
  /// Whether the mode holds the body.
  constexpr bool holds(const Mode& q) const
    requires SetValued<C>
  {
    return inner.holds(q);
  }
  /// Typical magnitudes, for tolerances.
  constexpr Scales<Scalar> scales() const
    requires requires(const C& c) { c.scales(); }
  {
    const auto a = inner.scales(), b = negative.scales();
    return {larger(a.force, b.force), larger(a.velocity, b.velocity), larger(a.displacement, b.displacement)};
  }
};

/// Whether a reversal changes the force of a contact with states as it does with the parameters of one direction alone, and
/// whether the stiffness is the same in both. If not, a spring that is loaded in one direction and released in the other
/// one would create energy.
template <class C> constexpr bool reverses_smoothly(const Directed<C>& c) {
  using std::abs;
  using T = typename C::Scalar;
  using U = Motion<T>;
  if constexpr (std::is_same_v<typename C::State, NoState>) return true;
  if constexpr (SetValued<C> && !std::is_same_v<typename C::State, NoState>)
    return false;  // no force of its own at rest
  const Scales<T> size = c.scales();
  const T way = size.displacement > T(0) ? size.displacement : T(1), v = size.velocity > T(0) ? size.velocity : way;
  T stiffness[2]{};
  for (const int d : {1, -1}) {
    typename C::State s = c.rest();
    typename C::Mode q{};
    c.step(s, q, U{.v = T(d) * v}, T(1e-6) * way / v);
    stiffness[d < 0] = c.towards(d).force(s, q, U{});
    for (int i = 0; i < 40; ++i) c.step(s, q, U{.v = T(d) * v}, way / v);
    struct After {
      T F;
      bool fires;
    };
    auto turned = [&](const C& one) {
      auto state = s;
      auto mode = q;
      const U back{.v = T(-d) * v};
      one.step(state, mode, back, T(1e-9) * way / v);
      After out{one.force(state, mode, U{}), false};
      if constexpr (Hybrid<C>) one.guards(state, mode, back, [&](int, T g) { out.fires = out.fires || g > T(0); });
      return out;
    };
    const After usual = turned(c.towards(d)), other = turned(c.towards(-d));
    if (!(abs(other.F - usual.F) <= T(1e-6) * size.force) || other.fires != usual.fires) return false;
  }
  return abs(stiffness[0] + stiffness[1]) <= T(1e-3) * abs(stiffness[0]);
}

template <class C, class T> struct Rebound<Directed<C>, T> {
  using type = Directed<rebound<C, T>>;  // type: the contact with T as number
  /// The contact with its parameters converted.
  static constexpr type from(const Directed<C>& c) { return {rebind<T>(c.inner), rebind<T>(c.negative)}; }
};

}  // namespace bristle
