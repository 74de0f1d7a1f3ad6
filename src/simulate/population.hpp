#pragma once
#include <functional>
#include <string>

#include "bristle/simulate.hpp"

namespace bristle {

/// Whether a contact takes steps but has no state equation: a population of asperities, or rolling.
bool has_population(const Experiment& e);
std::string objection_to_population(const Experiment& e);
/// Settles the population before t = 0; calls `tick` regularly, which may throw.
void settle_population(AnyContact& contact, const std::function<void()>& tick);

}  // namespace bristle
