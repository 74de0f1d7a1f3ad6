#pragma once
#include "identify/objective.hpp"

/// The short way for the model that is fitted most: see identify/kernels/sensitivities.hpp.
namespace bristle::identify {

/// Whether it can be gone: LuGre with its usual options, friction measured directly at constant load.
bool can_fuse(const Objective& o);
/// Cost at parameters p, and with slopes the Gram matrix as well; not finite where that is so.
double fused(const Objective& o, const double* p, const double* slopes, Gram* out);

}  // namespace bristle::identify
