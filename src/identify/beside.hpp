#pragma once
#include <vector>

#include "identify/candidate.hpp"

/// Forces of the machine and the specimen besides friction: a spring, a trend. They act in a short part of a recording,
/// which also determines the law: single rows decide, not the error of the whole recording.
namespace bristle::identify {

/// Whether the candidate has more of these forces than the other one of the same law.
bool has_more_beside(const Candidate& a, const Candidate& b);
/// Whether these forces lower the cross-validation errors significantly, and not in one place only.
bool earns_its_place(const Candidate& with, const Candidate& without, const Setting& s);
/// A force that may exist but is not certain widens the intervals of a fit without it, so that they contain the values of
/// the fit with it.
void widen_by_doubt(const std::vector<Candidate*>& best, const std::vector<Candidate*>& all, const Setting& s);

}  // namespace bristle::identify
