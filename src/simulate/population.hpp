#pragma once
#include <functional>
#include <string>

#include "bristle/simulate.hpp"

namespace bristle {

/// Whether a contact is a population of asperities, which has no state equation and takes steps only.
bool has_population(const Experiment& e);
std::string objection_to_population(const Experiment& e);
/// What comes before t = 0; `tick` is called now and then, and may throw.
void settle_population(AnyContact& contact, const std::function<void()>& tick);

}  // namespace bristle
