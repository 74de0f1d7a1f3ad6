#pragma once
#include <vector>

#include "identify/candidate.hpp"
#include "identify/statistics.hpp"

namespace bristle::identify {

/// Marks estimates that the data do not determine, with the reason.
void diagnose(Candidate& c, const Setting& s, const std::vector<double>& p);
/// Tests of the residual: whiteness, dependence on velocity, position and time.
std::vector<ResidualTest> residual_tests(const Series& data, const std::vector<double>& residuals, double scale);

}  // namespace bristle::identify
