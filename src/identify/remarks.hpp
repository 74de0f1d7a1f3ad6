#pragma once
#include <vector>

#include "identify/candidate.hpp"
#include "identify/statistics.hpp"

namespace bristle::identify {

/// Says of every estimate whether the data determine it, and if not, why.
void remark(Candidate& c, const Setting& s, const std::vector<double>& p);
/// Whether the residual is white, and whether it depends on velocity, position or time.
std::vector<ResidualTest> residual_tests(const Series& data, const std::vector<double>& residuals, double scale);

}  // namespace bristle::identify
