#pragma once
#include "bristle/export.hpp"
#include "bristle/plot.hpp"

namespace bristle::exports {

/// Steady friction over velocity, in both directions.
plot::Figure steady_figure(const Block& block);
/// Friction over displacement in a slow cycle.
plot::Figure loop_figure(const Block& block);

}  // namespace bristle::exports
