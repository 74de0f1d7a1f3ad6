#pragma once
#include <string>

#include "bristle/simulate/simulate.hpp"

namespace bristle {

/// Whether a contact is a population of asperities, which has no state equation and takes steps only.
bool has_population(const Experiment& e);
std::string objection_to_population(const Experiment& e);

}  // namespace bristle
