#pragma once
#include <cstddef>
#include <type_traits>

#include "boxed.hpp"
#include "bristle/effects.hpp"
#include "bristle/models.hpp"

/// From a contact of any model to its static type.
namespace bristle {

/// The place of a model in the list.
template <class C> constexpr std::size_t index_of_model() {
  std::size_t index = 0, found = Models::size;
  Models::each([&]<template <class> class M>() {
    if (std::is_same_v<M<double>, C>) found = index;
    ++index;
  });
  return found;
}

/// f(box) with the Boxed model, or the Boxed model with its effects; false for a contact that the registry did not make.
template <class F> bool visit_contact(const AnyContact& any, F&& f) {
  bool made = false;
  auto take = [&](const auto* box) {
    if (!box) return false;
    f(*box);
    return made = true;
  };
  Models::visit(any.model(), [&]<template <class> class M>() {
    if (!take(dynamic_cast<const Boxed<M<double>>*>(&any)))
      take(dynamic_cast<const Boxed<WithEffects<M, double>>*>(&any));
  });
  return made;
}

}  // namespace bristle
