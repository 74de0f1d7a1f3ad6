#pragma once
#include <vector>

#include "identify/candidate.hpp"
#include "identify/statistics.hpp"

namespace bristle::identify {

/// Marks estimates that the data do not determine, with the reason.
void diagnose(Candidate& c, const Setting& s, const std::vector<double>& p);
/// Whether a parameter is a level of friction in sliding or at breakaway.
bool is_level(Part part);
/// Largest measured friction, without the force of the body; infinite if friction is not measured or its load varies.
double largest_force(const Candidate& c, const Setting& s);
/// Largest friction in steady sliding at the speeds of the data.
double largest_steady(const Candidate& c, const Setting& s);
/// Tests of the residual: whiteness, dependence on velocity, position and time.
std::vector<ResidualTest> residual_tests(const Series& data, const std::vector<double>& residuals, double scale);
/// Adds options that would explain a residual to the texts of its tests.
void add_hints(Candidate& c, const Setting& s, const std::vector<double>& residuals);

/// A warning if a law explains more with a shift in time than the recommended one without; empty if none does.
std::string delay_note(const std::vector<Candidate*>& all, const std::string& recommended);

}  // namespace bristle::identify
