#pragma once
#include "bristle/field.hpp"

namespace bristle {

/// Whether a state has as many numbers as its parameters say, not a number known to the compiler.
template <class S> constexpr bool has_array = false;
template <class S>
  requires(std::tuple_size_v<decltype(S::fields())> > 0)
constexpr bool has_array<S> = std::apply(
    [](const auto&... field) { return (is_vec<std::remove_cvref_t<decltype(std::declval<S>().*field.at)>> || ...); },
    S::fields());

}  // namespace bristle
