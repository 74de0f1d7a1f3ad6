#pragma once
#include <gtest/gtest.h>

#include <string>

#include "bristle/models.hpp"

/// Typed tests over the list of models: a line in models.hpp puts a model under every law.
template <template <class> class M> struct Named {
  template <class T> using Model = M<T>;
};
template <template <class> class... M>::testing::Types<Named<M>...> named(bristle::List<M...>);
using AllModels = decltype(named(bristle::Models{}));

struct ModelName {
  template <class N> static std::string GetName(int) { return N::template Model<double>::card.name; }
};

/// Velocity, displacement and force scales of a model; 1 if it has no such scale.
struct Sizes {
  double velocity, travel, force;
};
template <class C> Sizes sizes(const C& c) {
  const auto s = c.scales();
  const double travel = static_cast<double>(s.displacement), force = static_cast<double>(s.force);
  const double velocity = s.velocity > 0 ? static_cast<double>(s.velocity) : travel > 0 ? 100 * travel : 1;
  return {velocity, travel > 0 ? travel : 0.01 * velocity, force > 0 ? force : 1};
}
