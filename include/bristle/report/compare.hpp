#pragma once
#include <span>
#include <string>
#include <vector>

#include "../report.hpp"
#include "../sweep/compare.hpp"

/// Figures and the page of a comparison. `columns`: those that all runs have, sweep::common_columns.
namespace bristle::report {

/// One panel per quantity, with the curves of all runs.
std::vector<plot::Panel> compared_panels(std::span<const sweep::Compared> runs,
                                         const std::vector<std::string>& columns);
/// The page of several runs side by side.
std::string compare_page(std::span<const sweep::Compared> runs, const std::vector<std::string>& columns);

/// Names of all measures.
std::vector<std::string> compared_measures(std::span<const sweep::Compared> runs);
/// A measure of a run; undefined if the run failed or has no such measure.
Number compared_number(const sweep::Compared& run, const std::string& measure);
/// Measures as text, head first; in brackets the difference from the first run.
std::vector<std::vector<std::string>> measure_rows(std::span<const sweep::Compared> runs);

}  // namespace bristle::report
