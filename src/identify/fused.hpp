#pragma once
#include "identify/objective.hpp"

/// Fast evaluation of LuGre: see identify/kernels/sensitivities.hpp.
namespace bristle::identify {

/// Whether fast evaluation applies: LuGre with default options, friction measured directly at constant load.
bool can_fuse(const Objective& o);
/// Cost at parameters p, with slopes also the Gram matrix; may be infinite.
double fused(const Objective& o, const double* p, const double* slopes, Gram* out);

}  // namespace bristle::identify
