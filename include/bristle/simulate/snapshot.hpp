#pragma once
#include "../asperity/generic2010.hpp"
#include "../asperity/gfm.hpp"
#include "../registry/any.hpp"
#include "../trace.hpp"

namespace bristle {

/// Asperities at one time, one row each: phase (0 free, 1 stick, 2 slip), force kt xi, load kn zeta, tip, age of the
/// contact, and the land it touches or the gap it is in. Run::population has it for scenarios.
Trace snapshot(const Gfm& population);
/// Asperities of generic2010: phase, force and load of the springs, position x relative to the main mass, height y, gap
/// to the profile, and the ends of the arc below.
Trace snapshot(const Generic2010<double>& population);
/// Snapshot of a type-erased contact; empty for other models.
Trace snapshot(const AnyContact& contact);

}  // namespace bristle
