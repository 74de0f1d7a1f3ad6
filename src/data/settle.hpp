#pragma once
#include "data/clean.hpp"

namespace bristle::identify {

/// Sets the velocity to 0 where the position stays within its noise: dry friction would follow the sign of the
/// remaining noise. The displacement of a creep, that of pre-sliding under a ramp, is kept: at constant velocities.
/// `hertz`, `noise`: bandwidth of the smoother and standard deviation of the noise of the position.
void settle(Recording& r, double hertz, double noise, Findings& findings);

}  // namespace bristle::identify
