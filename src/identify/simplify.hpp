#pragma once
#include <vector>

#include "identify/workers.hpp"

namespace bristle::identify {

/// Of the models with the smallest cross-validation errors: repeats fits whose steady curve leaves the measured forces
/// within limits, and drops terms that the data do not determine if the error increases by less than 2 %.
void simplify(const std::vector<Candidate*>& all, const Setting& s, Workers& workers);

}  // namespace bristle::identify
