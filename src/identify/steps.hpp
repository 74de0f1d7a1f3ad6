#pragma once
#include "identify/series.hpp"

/// Steps from row to row in which one held velocity is not enough.
namespace bristle::identify {

/// Cuts the step of the newest sample where the velocity passes zero, if the turn is more than noise of the derivative.
/// A single step would leave out the way there and back, by which the state of a contact is wrong until the next stroke.
/// Both parts have half of the velocity at their end, less or more by what the displacement asks for.
void cut_at_turn(Series& s, double before, double after, double mean, double dt, double a_noise);

/// Divides the step to the newest sample where the velocity changes much: a velocity held over the whole step would let
/// the force of a contact, and so all that is fitted, depend on the sampling. The smoother is a polynomial of the fifth
/// degree between two rows, which positions, velocities and accelerations at both determine. Where they contradict each
/// other (the velocity was set to 0, or jumps) there are no parts. False then.
bool divide(Series& s, const Recording& r, std::size_t i, double mean);

}  // namespace bristle::identify
