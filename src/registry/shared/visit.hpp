#pragma once
#include "boxed.hpp"
#include "bristle/effects.hpp"
#include "bristle/models.hpp"

namespace bristle {

/// f(box) with the Boxed model inside a contact, or with the Boxed model with its effects; false for a population, or for a
/// contact that the registry did not make.
template <class F> bool visit_contact(const AnyContact& any, F&& f) {
  return Models::visit(any.index(), [&]<template <class> class M>() {
    if (any.has_effects()) {
      f(static_cast<const Boxed<Equipped<M>>&>(any));
    } else {
      f(static_cast<const Boxed<M<double>>&>(any));
    }
  });
}

}  // namespace bristle
