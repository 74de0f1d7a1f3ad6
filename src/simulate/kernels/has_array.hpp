#pragma once
#include "bristle/field.hpp"

namespace bristle {

/// Whether a state has as many numbers as its parameters say, not a number known to the compiler.
template <class S>
constexpr bool has_array = []<class... V>(const Fields<Field<S, V>...>&) { return (is_vec<V> || ...); }(S::fields());

}  // namespace bristle
