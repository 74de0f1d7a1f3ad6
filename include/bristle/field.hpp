#pragma once
#include <array>
#include <cstddef>
#include <string_view>
#include <type_traits>
#include <utility>

#include "scalar.hpp"
#include "vec.hpp"

/// One line per parameter or state. From these lists come scenario keys and their error messages, tables, documents,
/// fit bounds, Python keywords, FMU variables and C export.
namespace bristle {

/// Both ends belong to the range. Limits far outside any physics keep every product of the hot path finite.
struct Range {
  double lo, hi;
  constexpr bool contains(double x) const { return x >= lo && x <= hi; }  // false for NaN
};
namespace limit {
inline constexpr double least = 1e-30, most = 1e30;
}
// positive: greater than 0; nonnegative: 0 or greater; any_real: every finite number
inline constexpr Range positive{limit::least, limit::most}, nonnegative{0, limit::most},
    any_real{-limit::most, limit::most};
inline constexpr Range positive_or_off{limit::least, inf};  // infinite: the term is absent
inline constexpr Range sides{-1, 1};                        // of a mode: a direction, or 0

/// Roles, to be combined with |.
namespace role {
/// How a field is read and fitted, as bits.
enum Role : unsigned {
  needed = 0,
  optional = 1,  // the member initialiser is the default; for needed ones it is a typical value
  sought = 2,    // optional, yet part of every fit; other optional ones are fitted on request
  fixed = 4,     // not fitted
};
}  // namespace role

/// The part of a parameter in the force: fits take its starting value, its limits and the reason why data do not show it from
/// this. In most cases the unit tells, see part_of; where it does not, the field names the part.
enum class Part : unsigned char {
  by_unit,
  force,          // N: level of sliding friction
  static_force,   // N: level of friction before sliding
  static_rise,    // N: the difference of the two
  load,           // N: normal load
  stiffness,      // N/m: slope after a reversal
  spring,         // N/m: force in proportion to the displacement
  viscous,        // N s/m: slope of the steady curve at speed
  damping,        // N s/m: of pre-sliding
  fall_velocity,  // m/s: where the steady curve falls
  first_speed,    // m/s: of the recording
  steepness,      // s/m: slope of the steady curve at rest over its height
  reach,          // m: travel of pre-sliding
  evolution,      // m: travel of sliding over which friction evolves
  lag,            // s: between velocity and friction
  dwell,          // s: at rest
  attraction,     // N/s: of slipping elements to the steady curve
  number,         // 1: from its typical value and within its range, as are the next two
  knee,           // 1: shape of pre-sliding
  fall,           // 1: shape of the fall of the steady curve
  coefficient,    // 1: of friction
};
constexpr Part part_of(std::string_view unit) {
  constexpr std::pair<std::string_view, Part> parts[]{
      {"N", Part::force},       {"N/m", Part::stiffness}, {"N s/m", Part::viscous},  {"m/s", Part::fall_velocity},
      {"s/m", Part::steepness}, {"m", Part::reach},       {"N/s", Part::attraction}, {"1", Part::number}};
  for (const auto& [known, part] : parts) {
    if (known == unit) return part;
  }
  return Part::by_unit;  // none: the field has to name it
}
/// A fit begins with `times` the value that the data show for the part.
struct Start {
  Part part = Part::by_unit;  // the property of a recording that gives the start
  double times = 1;           // factor of that value
  double lowest = 0;          // limit in the same measure; 0: that of its part
};

/// V: T, Vec<T>, int, bool, or an enum with choices(). In a mode also an enum without, one bit or one number per element.
template <class P, class V> struct Field {
  V P::* at;  // the member
  const char *name, *unit, *text;
  Range range = any_real;
  unsigned role = role::needed;     // bits of role::Role
  const char* per_load = nullptr;   // may be given as this coefficient times normal_load (Fc as mu_c)
  Start start{};                    // starting value of fits
  const char* waived_by = nullptr;  // may be missing, and must be, where this other parameter is given

  /// Not accepted together with the key `other`.
  constexpr Field unless(const char* other) const {
    Field out = *this;
    out.waived_by = other;
    return out;
  }
  /// Starting value of fits: a multiple of a property of the recording.
  constexpr Field as(Part part, double times = 1, double lowest = 0) const {
    Field out = *this;
    out.start = {part, times, lowest};
    return out;
  }
  /// The property that gives the start; the unit decides unless `as` was called.
  constexpr Part part() const { return start.part == Part::by_unit ? part_of(unit) : start.part; }
  /// Whether fits may change the value.
  constexpr bool fitted() const {
    return (is_vec<V> || !(std::is_integral_v<V> || std::is_enum_v<V>)) && (role & role::fixed) == 0;
  }
};

namespace detail {
template <std::size_t I, class F> struct Slot {
  F field;
};
template <class Places, class... F> struct Slots;
template <std::size_t... I, class... F> struct Slots<std::index_sequence<I...>, F...> : Slot<I, F>... {};
}  // namespace detail

/// Lists of fields, joined with +. Not std::tuple: every file that knows the models would spend seconds on it.
template <class... F> struct Fields {
  static constexpr std::size_t size = sizeof...(F);
  detail::Slots<std::index_sequence_for<F...>, F...> slots;  // the fields, by number
  /// A list, in the order of the members.
  constexpr Fields(const F&... field) : slots{{field}...} {}  // NOLINT: a list of one is a list
  /// Field number I.
  template <std::size_t I> constexpr const auto& get() const { return pick<I>(slots); }
  /// Both lists, one after the other.
  template <class... G> constexpr Fields<F..., G...> operator+(const Fields<G...>& other) const {
    return [&]<std::size_t... I, std::size_t... J>(std::index_sequence<I...>, std::index_sequence<J...>) {
      return Fields<F..., G...>(get<I>()..., other.template get<J>()...);
    }(std::index_sequence_for<F...>{}, std::index_sequence_for<G...>{});
  }

 private:
  template <std::size_t I, class G> static constexpr const G& pick(const detail::Slot<I, G>& slot) {
    return slot.field;
  }
};

/// The lists of a parameter or state struct, and one field of a list: made once, and known to the compiler. A state may
/// also list a `memory()`: values that only events change, so that they are neither integrated nor shown.
template <class P> inline constexpr auto fields_of = P::fields();
/// Names of the memory of a model, from its memory().
template <class P> inline constexpr auto memory_of = P::memory();
/// Field number I of a list.
template <const auto& list, std::size_t I> inline constexpr auto& field_in = list.template get<I>();

/// f(field, value) for every field of a parameter or state struct, or of another list of it.
template <const auto& list, class P, class F> constexpr void each_field_in(P& p, F&& f) {
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (f(field_in<list, I>, p.*field_in<list, I>.at), ...);
  }(std::make_index_sequence<list.size>{});
}
/// Calls f(field, value) for each field of p.
template <class P, class F> constexpr void each_field(P& p, F&& f) {
  each_field_in<fields_of<std::remove_cvref_t<P>>>(p, f);
}

/// f(field, index, scalar) with arrays unrolled (index from 1; 0 for scalars) and integers and choices left out: the one
/// walk behind columns, fit vectors and solver states.
template <class P, class F> constexpr void each_scalar(P& p, F&& f) {
  each_field(p, [&](const auto& field, auto& v) {
    using V = std::remove_cvref_t<decltype(v)>;
    if constexpr (is_vec<V>) {
      int i = 0;
      for (auto& e : v) f(field, ++i, e);
    } else if constexpr (!std::is_integral_v<V> && !std::is_enum_v<V>) {
      f(field, 0, v);
    }
  });
}

namespace detail {
template <class B, class A> constexpr void assign(B& b, const A& a) {
  if constexpr (std::is_same_v<A, B>) {
    b = a;
  } else if constexpr (is_vec<B>) {
    b.n = a.n;
    for (std::size_t i = 0; i < a.n; ++i) b[i] = scalar_cast<std::remove_cvref_t<decltype(b[0])>>(a[i]);
  } else {
    b = scalar_cast<B>(a);
  }
}
template <const auto& target, const auto& source, class To, class From>
constexpr void assign_fields(To& to, const From& from) {
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (assign(to.*field_in<target, I>.at, from.*field_in<source, I>.at), ...);
  }(std::make_index_sequence<source.size>{});
}
}  // namespace detail

/// The same struct in another scalar type, field by field.
template <class To, class From> constexpr To convert(const From& from) {
  if constexpr (std::is_same_v<To, From>) {
    return from;
  } else {
    To to{};
    detail::assign_fields<fields_of<To>, fields_of<From>>(to, from);
    if constexpr (requires { From::memory(); }) detail::assign_fields<memory_of<To>, memory_of<From>>(to, from);
    return to;
  }
}

/// The default of the I-th field given those before it: initialisers may refer to earlier members (`T Fs{Fc}`).
/// Needs the field list in the order of the members.
template <std::size_t I, class P> constexpr auto default_after(const P& p) {
  return [&]<std::size_t... J>(std::index_sequence<J...>) {
    return P{p.*field_in<fields_of<P>, J>.at...}.*field_in<fields_of<P>, I>.at;
  }(std::make_index_sequence<I>{});
}

}  // namespace bristle

/// For who asks as of any list.
template <class... F>
struct std::tuple_size<bristle::Fields<F...>> : std::integral_constant<std::size_t, sizeof...(F)> {};
