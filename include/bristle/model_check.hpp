#pragma once
#include "contact.hpp"

/// The optional functions of a model, in one place: what each is for, how it is called, and a check of each model of the list
/// against what it declares in its `hooks`.
namespace bristle {

/// T advance(State&, Mode&, const Motion<T>&, T dt) const: the step, and the force at its end, with work shared.
template <class C>
concept Advances = Contact<C> && requires(Sample<C> k) {
  { k.c.advance(k.s, k.q, k.u, k.dt) } -> std::same_as<typename C::Scalar>;
};

/// A step of a State with one value z that is linear in it: Prepared prepare(v, dt) with members `kept` and `gained` depends
/// on the motion alone, static apply(State&, Prepared) is z kept + gained, and force_at(z, motion, prepared.inverse) the force
/// behind it. Batches prepare many samples in vector code.
template <class C>
concept Prepares = Contact<C> && requires(Sample<C> k, typename C::Prepared a) {
  { k.c.prepare(k.dt, k.dt) } -> std::same_as<typename C::Prepared>;
  C::apply(k.s, a);
  { k.c.force_at(k.s.z, k.u, a.inverse) } -> std::same_as<typename C::Scalar>;
  { a.kept } -> std::convertible_to<typename C::Scalar>;
  { a.gained } -> std::convertible_to<typename C::Scalar>;
};

/// Elements of stiffness p.k and share p.nu with the force s.f each: Drive drive_at(v, dt) is what a step tells all of them,
/// static element(f, slips, k, nu, drive) moves one. Batches keep them in registers.
template <class C>
concept HasElements = Contact<C> && requires(Sample<C> k, typename C::Drive u) {
  { k.c.drive_at(k.dt, k.dt) } -> std::same_as<typename C::Drive>;
  { C::element(k.s.f[0], true, k.c.p.k[0], k.c.p.nu[0], u).f } -> std::convertible_to<typename C::Scalar>;
};

/// static constexpr bool vector_lanes = true: every function is free of branches on values (select instead), so that the
/// scalar may be a vector of many contacts or samples.
template <class C>
concept InLanes = requires { requires C::vector_lanes; };

/// static constexpr auto Params::relations(): an array of relations, see relation.hpp.
template <class C>
concept Relates = requires {
  { C::Params::relations()[0] } -> std::convertible_to<Relation<typename C::Params>>;
};
/// static constexpr auto State::memory(): a field list of values that only events change.
template <class C>
concept Remembers = requires { C::State::memory().size; };

/// A hook is declared and there, or neither: nothing of its name has another type.
namespace hook {
template <class C> using Sink = void (*)(int, typename C::Scalar);
template <class C> inline constexpr bool rate = C::hooks.rate ? Flow<C> : !requires { &C::rate; };
template <class C>
inline constexpr bool guards =
    C::hooks.guards ? Hybrid<C> : !(requires { &C::template guards<Sink<C>>; } || requires { &C::jump; });
template <class C>
inline constexpr bool switches = C::hooks.switches ? SwitchesAtTimes<C> : !requires { &C::switches; };
template <class C> inline constexpr bool holds = C::hooks.holds ? SetValued<C> : !requires { &C::holds; };
template <class C> inline constexpr bool advance = C::hooks.advance ? Advances<C> : !requires { &C::advance; };
template <class C>
inline constexpr bool prepare =
    C::hooks.prepare ? Prepares<C> : !(requires { &C::prepare; } || requires { &C::apply; });
template <class C> inline constexpr bool elements = C::hooks.elements ? HasElements<C> : !requires { &C::drive_at; };
template <class C>
inline constexpr bool vector_lanes = C::hooks.vector_lanes ? InLanes<C> : !requires { C::vector_lanes; };
template <class C>
inline constexpr bool relations = C::hooks.relations ? Relates<C> : !requires { &C::Params::relations; };
template <class C> inline constexpr bool memory = C::hooks.memory ? Remembers<C> : !requires { &C::State::memory; };
}  // namespace hook

/// Every parameter that fits change has a part, and a pure number a range to begin in.
template <class P>
inline constexpr bool has_starts = []<std::size_t... I>(std::index_sequence<I...>) {
  auto starts = [](const auto& f) {
    const bool plain = f.part() == Part::number || f.part() == Part::knee || f.part() == Part::fall;
    return !f.fitted() || (plain ? f.range.lo > -limit::most && f.range.hi < limit::most : f.part() != Part::by_unit);
  };
  return (starts(field_in<fields_of<P>, I>) && ...);
}(std::make_index_sequence<decltype(P::fields())::size>{});

/// Instantiated for each model of the list; see docs/model_contract.md for the table.
template <class C> struct CheckedModel {
  static_assert(Model<C>, "not a Model: see the concept in contact.hpp");
  static_assert(hook::rate<C>,
                "hook rate is not there as declared: State rate(const State&, const Mode&, const Motion<T>&) const");
  static_assert(
      hook::guards<C>,
      "hook guards is not there as declared: template <class F> void guards(const State&, const Mode&, const Motion<T>&, F&&) const and "
      "void jump(State&, Mode&, const Motion<T>&, int id) const");
  static_assert(hook::switches<C>,
                "hook switches is not there as declared: bool switches() const, of a model with guards");
  static_assert(hook::holds<C>, "hook holds is not there as declared: bool holds(const Mode&) const");
  static_assert(hook::advance<C>,
                "hook advance is not there as declared: T advance(State&, Mode&, const Motion<T>&, T dt) const");
  static_assert(
      hook::prepare<C>,
      "hook prepare is not there as declared: Prepared prepare(const T& v, const T& dt) const, static void apply(State&, const Prepared&) "
      "and T force_at(const T& z, const Motion<T>&, const T& inverse) const");
  static_assert(
      hook::elements<C>,
      "hook elements is not there as declared: Drive drive_at(const T& v, const T& dt) const and static element(f, slips, k, nu, drive)");
  static_assert(hook::vector_lanes<C>,
                "hook vector_lanes is not there as declared: static constexpr bool vector_lanes = true");
  static_assert(hook::relations<C>,
                "hook relations is not there as declared: static constexpr auto Params::relations()");
  static_assert(hook::memory<C>, "hook memory is not there as declared: static constexpr auto State::memory()");
  static_assert(
      has_starts<typename C::Params>,
      "a fitted parameter has no start: its unit does not tell what it does, name it with Field{...}.as(Part::...); "
      "a pure number also needs a range with two ends");
  static constexpr bool good = true;
};

}  // namespace bristle
