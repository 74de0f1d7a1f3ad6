#pragma once
#include "bristle/data.hpp"
#include "cli/commands.hpp"

namespace bristle::cli {

/// Whether --models contains a population of asperities.
bool wants_population(const IdentifyOptions& options);
/// Fits the population gfm to recordings.
int identify_population(const IdentifyOptions& options, const identify::Reading& reading);

}  // namespace bristle::cli
