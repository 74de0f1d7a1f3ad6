#pragma once
#include "../plot.hpp"

namespace bristle::report {

/// A snapshot of asperities (simulate/snapshot.hpp): force against load, and how forces are distributed in stick and slip.
plot::Figure figure_of_population(const Trace& snapshot);

}  // namespace bristle::report
