#pragma once
#include <string>
#include <vector>

#include "../sweep/analyze.hpp"
#include "sweep.hpp"

namespace bristle::report {

/// Pictures of an analysis: stability over the velocity, the cycle, its branch, the describing function.
std::vector<NamedFigure> analysis_figures(const analysis::Analysis& analysis);
/// Lines about the results.
std::string analysis_text(const analysis::Analysis& analysis);
/// `map`: figures of a map and its number of points.
std::string analysis_page(const analysis::Analysis& analysis, const std::vector<NamedFigure>& figures,
                          const std::vector<NamedFigure>& map, const sweep::Plan* plan);

}  // namespace bristle::report
