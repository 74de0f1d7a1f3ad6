#pragma once
#include <concepts>
#include <cstddef>
#include <string_view>

#include "relation.hpp"
#include "scalar.hpp"

/// Concepts of a contact. Nothing here allocates, throws or is virtual.
namespace bristle {

/// Input of a contact. In `step` it describes the end of the step, with constant v.
template <class T> struct Motion {
  T x{};                   // displacement, m
  T v{};                   // sliding velocity, m/s
  T F_app{};               // force to hold at rest, N; only set-valued laws read it
  T r{1};                  // normal load over nominal load
  T path{};                // distance slid, the integral of |v|, m
  double t{};              // s
  double temperature{20};  // degrees Celsius
  T load{};                // force transmitted by an actuator to the body, N; only the effect `load` reads it
  T dry{1}, viscosity{1};  // dry friction and viscosity over those at nominal temperature, from heat.hpp
  T roll{};                // speed of rolling of a body that also slips with v, m/s; only `rolling` reads it
};

/// Not empty: GCC warns of uninitialised use for references to empty objects.
struct NoState {
  bool none{};  // takes the place of a state
  static constexpr Fields<> fields() { return {}; }
};
/// The mode of models without one.
struct NoMode {
  bool none{};  // takes the place of a mode
  static constexpr Fields<> fields() { return {}; }
};

template <class C>
concept Typed = std::semiregular<C> && requires {
  typename C::Scalar;
  typename C::State;  // continuous
  typename C::Mode;   // discrete, the same type for every scalar; an array in it belongs to that of the state
  C::Mode::fields();
};
/// Contact, state, mode, motion and length of a step.
template <class C> struct Sample {
  const C& c;            // the contact
  typename C::State& s;  // its state
  typename C::Mode& q;   // its mode
  Motion<typename C::Scalar> u;
  typename C::Scalar dt;  // length of the step, s
};

/// Level 1, for real time, batches and asperity populations: a state at rest, the force, and a step at constant
/// velocity that is exact or stable for any dt > 0.
template <class C>
concept Contact = Typed<C> && requires(Sample<C> k) {
  { k.c.rest() } -> std::same_as<typename C::State>;
  { k.c.force(k.s, k.q, k.u) } -> std::same_as<typename C::Scalar>;
  { k.c.step(k.s, k.q, k.u, k.dt) } -> std::same_as<void>;
};

/// One sample of a prescribed motion: step, then force. A model may define a faster `advance`.
template <Contact C, class T = typename C::Scalar>
constexpr T advance(const C& c, typename C::State& s, typename C::Mode& q, const Motion<T>& u, const T& dt) {
  if constexpr (requires { c.advance(s, q, u, dt); }) {
    return c.advance(s, q, u, dt);
  } else {
    c.step(s, q, u, dt);
    return c.force(s, q, u);
  }
}

/// Level 2, for variable-step solvers: the state equation.
template <class C>
concept Flow = Contact<C> && requires(Sample<C> k) {
  { k.c.rate(k.s, k.q, k.u) } -> std::same_as<typename C::State>;
};

/// Level 3, for switching: an event is a guard rising through zero, jump(.., id) changes the mode.
template <class C>
concept Hybrid = Flow<C> && requires(Sample<C> k) {
  k.c.guards(k.s, k.q, k.u, [](int, typename C::Scalar) {});
  k.c.jump(k.s, k.q, k.u, 0);
};

/// A hybrid model that is smooth for some parameters defines `switches`; without guards if it is false.
template <class C>
concept SwitchesAtTimes = Hybrid<C> && requires(const C& c) {
  { c.switches() } -> std::same_as<bool>;
};
/// Whether the contact can change its mode: true unless the model says otherwise.
template <Contact C> constexpr bool switches(const C& c) {
  if constexpr (SwitchesAtTimes<C>) return c.switches();
  return Hybrid<C>;
}

/// A set-valued law can hold the body: while `holds`, v = 0 and the force balances F_app.
template <class C>
concept SetValued = Contact<C> && requires(Sample<C> k) {
  { k.c.holds(k.q) } -> std::same_as<bool>;
};

/// Natural sizes of a contact, from its parameters: the basis of experiments, tolerances and plots.
template <class T> struct Scales {
  T force{};         // largest dry force at nominal load, N
  T velocity{};      // characteristic velocity of the steady curve; 0 if none, m/s
  T displacement{};  // displacement over which the state changes: pre-sliding, memory; 0 if none, m
};

/// Description of a model.
struct Card {
  const char* name;        // as in scenario files
  const char* title;       // one line
  const char* equations;   // numbered, in the symbols of the field
  const char* notes;       // when to use it, limits, known violations
  const char* passive_if;  // condition under which it never creates energy
  const char* references;  // one per line
};

/// Properties of a model; tests confirm every declared property and show a violation of every denied one.
struct Properties {
  bool stiction = false;           // holds a load below breakaway without creep
  bool presliding = false;         // deflects elastically before it slides
  bool memory = false;             // nonlocal: closed inner loops with an area leave no trace (requires presliding)
  bool rate_independent = false;   // with kv = 0, force depends on the path alone, not on its speed
  bool stribeck = false;           // steady friction decreases with speed in some range
  bool lag = false;                // in sliding, force lags behind velocity
  bool varying_breakaway = false;  // breakaway force depends on the force rate
  bool drifts = false;             // under an oscillating load below breakaway, or creeps
  bool odd = true;                 // reversed motion gives the reversed force
  bool random = false;             // random numbers from a seed: laws hold on average
  bool passivity_open = false;     // no condition for passivity is known; passive() is then false
  bool exact_step = true;          // one step of dt equals two of dt/2 at constant velocity
};

/// Optional functions that a model brings, see model_check.hpp. Declared, so that one that is misspelt or of another type is an
/// error and not silently left out.
struct Hooks {
  bool rate = false;          // the state equation
  bool guards = false;        // with jump: events
  bool switches = false;      // whether there are events with these parameters
  bool holds = false;         // set-valued at rest
  bool advance = false;       // step and force in one
  bool prepare = false;       // with apply and force_at: a step that is linear in the state
  bool elements = false;      // drive_at and element: like elements side by side
  bool vector_lanes = false;  // no branch on values: contacts side by side in the lanes of a vector
  bool relations = false;     // conditions between parameters
  bool memory = false;        // values of the state that only events change
};

/// A named model: a contact with a parameter struct p, a card, declared properties and its natural sizes.
template <class C>
concept Model = Contact<C> && requires(const C c, typename C::Scalar v) {
  { C::card } -> std::convertible_to<Card>;
  { C::has } -> std::convertible_to<Properties>;
  { C::hooks } -> std::convertible_to<Hooks>;
  { c.scales() } -> std::same_as<Scales<typename C::Scalar>>;
  { c.bound() } -> std::same_as<typename C::State>;     // |state| <= bound is invariant
  { c.steady(v) } -> std::same_as<typename C::Scalar>;  // steady force at constant velocity, nominal load
  { c.passive() } -> std::same_as<bool>;                // with these parameters
  C::Params::fields();
  { c.p.kv } -> std::convertible_to<typename C::Scalar>;  // viscous part: the load acts on all but this
};

/// The same contact in another scalar type: With (effects.hpp) adds its own case.
template <class C, class T> struct Rebound;
template <template <class> class M, class S, class T> struct Rebound<M<S>, T> {
  /// The model with T as number.
  using type = M<T>;
  /// The contact with its parameters converted.
  static constexpr type from(const M<S>& c) { return {convert<typename type::Params>(c.p)}; }
};
/// The type of the contact C with T as number.
template <class C, class T> using rebound = typename Rebound<C, T>::type;
/// The contact with T as number.
template <class T, class C> constexpr rebound<C, T> rebind(const C& c) { return Rebound<C, T>::from(c); }

/// The motion with T as number.
template <class T, class S> constexpr Motion<T> rebind(const Motion<S>& u) {
  return {scalar_cast<T>(u.x),     scalar_cast<T>(u.v),
          scalar_cast<T>(u.F_app), scalar_cast<T>(u.r),
          scalar_cast<T>(u.path),  u.t,
          u.temperature,           scalar_cast<T>(u.load),
          scalar_cast<T>(u.dry),   scalar_cast<T>(u.viscosity),
          scalar_cast<T>(u.roll)};
}

/// The list of models.
template <template <class> class... M> struct List {
  static constexpr std::size_t size = sizeof...(M);
  /// Calls f.operator()<M>() for the named model, so that solvers and fits get the static type, with any scalar.
  template <class F> static constexpr bool visit(std::string_view name, F&& f) {
    return ((M<double>::card.name == name && (f.template operator()<M>(), true)) || ...);
  }
  template <class F> static constexpr bool visit(std::size_t index, F&& f) {
    std::size_t i = 0;
    return ((i++ == index && (f.template operator()<M>(), true)) || ...);
  }
  /// The place of a model in the list; `size` if it is not in it.
  static constexpr std::size_t index_of(std::string_view name) {
    std::size_t i = 0;
    (void)((M<double>::card.name == name || (++i, false)) || ...);
    return i;
  }
  template <class F> static constexpr void each(F&& f) { (f.template operator()<M>(), ...); }
  /// The models as arguments of a template: List::apply<std::tuple, double>.
  template <template <class...> class To, class T> using apply = To<M<T>...>;
};

}  // namespace bristle
