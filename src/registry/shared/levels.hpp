#pragma once
#include "bristle/models.hpp"
#include "bristle/registry/any.hpp"

namespace bristle {

/// Whether a contact has steps only, without a state equation: a population, or a model such as `rolling`. Without the
/// descriptions of all models, which take time to make.
inline bool has_steps_only(const AnyContact& contact) {
  bool flows = false;
  Models::visit(contact.model(), [&]<template <class> class M>() { flows = Flow<M<double>>; });
  return !flows;
}

}  // namespace bristle
