#pragma once
#include "../asperity/gfm.hpp"
#include "../boundary/any.hpp"
#include "../trace.hpp"

namespace bristle {

/// A population of asperities at one moment, one row each: phase (0 free, 1 stick, 2 slip), force kt xi, load kn zeta, tip, age
/// of the contact, and the land it touches or the gap it is in. Works for scenario files as Run::population.
Trace snapshot(const Gfm& population);
/// Of what is in the box; empty if that is no population.
Trace snapshot(const AnyContact& contact);

}  // namespace bristle
