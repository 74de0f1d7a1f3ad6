#pragma once
#include "../asperity/generic2010.hpp"
#include "../asperity/gfm.hpp"
#include "../registry/any.hpp"
#include "../trace.hpp"

namespace bristle {

/// A population of asperities at one moment, one row each: phase (0 free, 1 stick, 2 slip), force kt xi, load kn zeta, tip, age
/// of the contact, and the land it touches or the gap it is in. Works for scenario files as Run::population.
Trace snapshot(const Gfm& population);
/// Likewise: phase, force and load of the springs, place x from that of the main mass, height y, gap to the profile, and the
/// ends of the arc below.
Trace snapshot(const Generic2010<double>& population);
/// Of what is in the box; empty if that is no population.
Trace snapshot(const AnyContact& contact);

}  // namespace bristle
