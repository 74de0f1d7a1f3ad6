#pragma once
#include "data/clean.hpp"

namespace bristle::identify {

/// Sets the velocity to 0 where the position stays within its noise: dry friction would follow the sign of the
/// remaining noise. The displacement of a creep, that of pre-sliding under a ramp, is kept: smoothed on its own, or at
/// constant velocities if it has few rows. `measured`: the position; `hertz`, `visible`: bandwidth of the smoother and
/// standard deviation of the noise that it found.
void settle(Recording& r, const std::vector<double>& measured, double hertz, double visible, Findings& findings);

}  // namespace bristle::identify
