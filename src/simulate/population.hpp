#pragma once
#include <functional>
#include <string>

#include "bristle/simulate.hpp"

namespace bristle {

/// Whether a contact is a population of asperities, which has steps but no state equation.
bool has_population(const Experiment& e);
std::string objection_to_population(const Experiment& e);
/// Settles the population before t = 0; calls `tick` regularly, which may throw.
void settle_population(AnyContact& contact, const std::function<void()>& tick);

}  // namespace bristle
