#pragma once
#include <string>
#include <vector>

#include "identify/workers.hpp"

/// Other forms of a fitted law: a free exponent of the Stribeck curve, a curve along x of the dry force instead of the whole
/// friction, further parameters of their own for negative motion.
namespace bristle::identify {

/// Fits the other forms of the best models. One that predicts clearly better takes the place of its model, with a note; the
/// others are kept as doubts, unless they predict clearly worse.
void try_rivals(const std::vector<Candidate*>& best, const Setting& s, Workers& workers,
                std::vector<std::string>& notes);
/// Extends intervals to the values of forms that the data do not exclude.
void widen_by_rivals(const std::vector<Candidate*>& best);

}  // namespace bristle::identify
