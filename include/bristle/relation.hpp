#pragma once
#include <array>
#include <cstddef>

#include "field.hpp"

/// Conditions between parameters as data: validation refuses what breaks them, documents list them, and fits choose
/// coordinates that cannot break them.
namespace bristle {

/// The form of a relation, which fits turn into a change of variables.
enum class Bond {
  condition,        // any other; the limits of a fit must keep clear of it
  above,            // a >= b
  strictly_above,   // a > b
  fraction,         // a < b, or a < b/c
  below_one,        // a < 1 unless b = 0
  sum_to_one,       // of an array
  shares,           // sum of the array a >= b; a fit divides b among them
  same_length,      // of two arrays
  optional_length,  // the array b is absent or as long as a
  interval,         // a = [from, to]
};

/// A condition on several parameters.
template <class P> struct Relation {
  /// Whether it holds.
  bool (*holds)(const P&) = nullptr;
  std::array<const char*, 4> names{};  // of its parameters, quoted with their values when it fails
  const char* rule = nullptr;          // of a condition; the others are worded by their bond
  Bond bond = Bond::condition;         // its form
};

namespace detail {
template <class P, class V> P owner_of(V P::*);
template <auto at> using Owner = decltype(owner_of(at));

template <class F, class V> constexpr bool is_at(const F& field, V at) {
  if constexpr (std::is_same_v<decltype(field.at), V>) return field.at == at;
  return false;
}
template <auto at> constexpr std::size_t search() {
  return []<std::size_t... I>(std::index_sequence<I...>) {
    std::size_t place = sizeof...(I);
    ((is_at(field_in<fields_of<Owner<at>>, I>, at) ? void(place = I) : void()), ...);
    return place;
  }(std::make_index_sequence<fields_of<Owner<at>>.size>{});
}
template <class V> constexpr auto sum_of_elements(const V& v) {
  std::remove_cvref_t<decltype(v[0])> sum(0);
  for (const auto& e : v) sum = sum + e;
  return sum;
}
}  // namespace detail

/// Place of a member in the field list of its struct.
template <auto at>
inline constexpr std::size_t place_of = [] {
  using List = std::remove_cvref_t<decltype(fields_of<detail::Owner<at>>)>;
  constexpr std::size_t place = detail::search<at>();
  static_assert(place < List::size, "the member is not in the field list");
  return place;
}();
namespace detail {
template <auto at> inline constexpr const char* name_of = field_in<fields_of<Owner<at>>, place_of<at>>.name;
}

namespace detail {
template <Bond bond, auto a, auto... others> constexpr Relation<Owner<a>> bound(bool (*holds)(const Owner<a>&)) {
  return {holds, {detail::name_of<a>, detail::name_of<others>...}, nullptr, bond};
}
}  // namespace detail

namespace relation {
template <auto a, auto b>
// above: a must not be less than b
inline constexpr auto above = detail::bound<Bond::above, a, b>([](const detail::Owner<a>& p) { return p.*a >= p.*b; });
/// A must exceed b.
template <auto a, auto b>
inline constexpr auto strictly_above =
    detail::bound<Bond::strictly_above, a, b>([](const detail::Owner<a>& p) { return p.*a > p.*b; });
/// A must be a part of the whole.
template <auto a, auto whole, auto... over>
inline constexpr auto fraction_of = detail::bound<Bond::fraction, a, whole, over...>(
    [](const detail::Owner<a>& p) { return ((p.*a) * ... * (p.*over)) < p.*whole; });
/// Must be less than 1 unless another parameter is 0.
template <auto a, auto b>
inline constexpr auto below_one_unless_zero =
    detail::bound<Bond::below_one, a, b>([](const detail::Owner<a>& p) { return p.*a < 1 || p.*b == 0; });
/// Six printed digits per element are enough; nothing is renormalised.
template <auto a>
inline constexpr auto sum_to_one = detail::bound<Bond::sum_to_one, a>([](const detail::Owner<a>& p) {
  const auto off = detail::sum_of_elements(p.*a) - 1;
  return off <= 1e-6 && off >= -1e-6;
});
/// The shares must sum to 1.
template <auto a, auto whole>
inline constexpr auto shares_of = detail::bound<Bond::shares, a, whole>(
    [](const detail::Owner<a>& p) { return detail::sum_of_elements(p.*a) >= p.*whole * (1 - 1e-12); });
/// Both lists must have the same length.
template <auto a, auto b>
inline constexpr auto same_length =
    detail::bound<Bond::same_length, a, b>([](const detail::Owner<a>& p) { return (p.*a).n == (p.*b).n; });
/// The list must be absent, or as long as the other one.
template <auto a, auto b>
inline constexpr auto absent_or_as_long = detail::bound<Bond::optional_length, a, b>(
    [](const detail::Owner<a>& p) { return (p.*b).n == 0 || (p.*a).n == (p.*b).n; });
/// The first number must be less than the second.
template <auto a>
inline constexpr auto interval =
    detail::bound<Bond::interval, a>([](const detail::Owner<a>& p) { return (p.*a).n == 2 && (p.*a)[0] <= (p.*a)[1]; });
}  // namespace relation

}  // namespace bristle
