#pragma once
#include "bristle/plot.hpp"

/// Units with prefixes on linear axes.
namespace bristle::plot {

/// The figure with axes in um, kN... where the label ends with a unit that takes a prefix: "x (m)", and the numbers are below
/// 0.05 or from 5000 on. Panels with the same quantity and limits along x keep a common unit.
Figure with_prefixes(const Figure& figure);

}  // namespace bristle::plot
