#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "bristle/field.hpp"

/// The numbers of a state and a mode, wherever they lie, as one flat list.
namespace bristle {

struct Slot {
  const char *field, *unit;
  std::size_t index;  // in an array, from 1; 0: not in an array
  Range range;
  bool whole;
  void* at;
  double (*get)(const void* at, std::size_t i);
  void (*set)(void* at, std::size_t i, double x);

  std::string name() const { return index > 0 ? field + std::to_string(index) : field; }
  double value() const { return get(at, index); }
};
using Slots = std::vector<Slot>;

std::vector<std::string> names_of(const Slots& slots);
std::vector<double> values_of(const Slots& slots);
/// "" or the complaint about their number.
std::string check_count(std::size_t given, std::size_t needed);
inline constexpr const char* not_a_state = "these values are no state of its asperities; a state comes from state()";
template <class X> std::vector<X> joined(std::vector<X> a, const std::vector<X>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}
/// Takes all values over, or none: then says which one is refused, and why.
std::string set_values(const Slots& slots, std::span<const double> values);

namespace detail {
template <class V> double get_number(const void* at, std::size_t) {
  return static_cast<double>(*static_cast<const V*>(at));
}
template <class V> void set_number(void* at, std::size_t, double x) { *static_cast<V*>(at) = static_cast<V>(x); }
inline double get_bit(const void* at, std::size_t i) {
  return static_cast<double>(*static_cast<const std::uint64_t*>(at) >> (i - 1) & 1U);
}
inline void set_bit(void* at, std::size_t i, double x) {
  auto& bits = *static_cast<std::uint64_t*>(at);
  bits = (bits & ~(std::uint64_t{1} << (i - 1))) | (std::uint64_t{x != 0} << (i - 1));
}
}  // namespace detail

/// The fields of a struct. An array of a mode has as many elements in use as the longest array of the state has: `used`.
template <const auto& list, class P> void list_slots(P& p, Slots& out, std::size_t& used) {
  each_field_in<list>(p, [&](const auto& field, auto& v) {
    using V = std::remove_cvref_t<decltype(v)>;
    auto add = [&]<class E>(E& e, std::size_t i) {
      out.push_back({field.name, field.unit, i, field.range, !std::is_floating_point_v<E>, &e, detail::get_number<E>,
                     detail::set_number<E>});
    };
    if constexpr (is_vec<V>) {
      used = v.n > used ? v.n : used;
      for (std::size_t i = 0; i < v.n; ++i) add(v[i], i + 1);
    } else if constexpr (std::is_same_v<V, std::uint64_t>) {
      for (std::size_t i = 1; i <= used; ++i)
        out.push_back({field.name, field.unit, i, field.range, true, &v, detail::get_bit, detail::set_bit});
    } else if constexpr (requires { v.size(); }) {
      for (std::size_t i = 0; i < used; ++i) add(v[i], i + 1);
    } else {
      add(v, 0);
    }
  });
}

}  // namespace bristle
