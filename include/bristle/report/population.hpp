#pragma once
#include "../plot.hpp"

namespace bristle::report {

/// A figure of a snapshot of asperities (simulate/snapshot.hpp): force over load, distribution of forces in stick and
/// slip.
plot::Figure figure_of_population(const Trace& snapshot);

}  // namespace bristle::report
