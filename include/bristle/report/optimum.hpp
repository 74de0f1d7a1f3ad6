#pragma once
#include <string>

#include "../plot.hpp"
#include "../sweep/optimize.hpp"

namespace bristle::report {

/// The measure over the evaluations with the best value so far, and the values of each key.
plot::Figure history_figure(const sweep::Plan& plan, const sweep::Goal& goal, const sweep::Optimum& optimum);
/// The page of an optimum.
std::string optimum_page(const sweep::Plan& plan, const sweep::Goal& goal, const sweep::Optimum& optimum);
/// Lines about the result: values, measure, ends of ranges.
std::string optimum_text(const sweep::Plan& plan, const sweep::Goal& goal, const sweep::Optimum& optimum);

}  // namespace bristle::report
