#pragma once
#include <algorithm>
#include <array>
#include <string_view>

#include "bristle/gallery.hpp"
#include "scenario/shared/section.hpp"

namespace bristle::gallery {

/// Values of table columns besides functions of the run and printed.KEY.
constexpr std::array<std::string_view, 4> table_words{"label", "cpu_ms", "steps", "balance"};
constexpr const char* table_values = "label, cpu_ms, steps, balance, printed.KEY or a function such as max(F)";

inline bool is_known(std::string_view value) {
  return std::find(table_words.begin(), table_words.end(), value) != table_words.end();
}
/// Whether a value is a function as in [expect].
inline bool is_function(std::string_view value) { return value.find('(') != std::string_view::npos; }

/// Whether a check compares two curves, and whether it compares two variants.
inline bool matches(CrossCheck::Of of) {
  return of == CrossCheck::Of::stretch || of == CrossCheck::Of::factor || of == CrossCheck::Of::mismatch;
}
inline bool of_variants(CrossCheck::Of of) {
  return of == CrossCheck::Of::ratio || of == CrossCheck::Of::difference || of == CrossCheck::Of::distance;
}

/// Removes a member from a table and returns it.
std::optional<scenario::Node> taken(scenario::Node& table, std::string_view key);

/// Reads `sigma`, the standard deviation of single runs, and `reason`, why min or max hold, out of the bounds of
/// a check. With sigma the band becomes 4 standard deviations of the mean of `runs`, and the deviation over these runs
/// has bounds of its own.
std::optional<Expectation> read_sigma(scenario::Member& bounds, std::size_t runs, scenario::Reading& reading);
/// The same for [expect].
std::vector<Variant::Scatter> read_scatter(scenario::Node* expect, std::size_t runs, scenario::Reading& reading);

/// Reads one [[check]] of a file whose variants and tables are known; `runs`: of each variant.
void read_check(const scenario::Node& node, FigureFile& file, const std::vector<std::string>& labels, std::size_t runs,
                scenario::Reading& reading);
/// y = level + slope x by least squares; NaN if the points do not determine it.
struct Line {
  double level{}, slope{};
};
Line least_squares(const std::vector<double>& x, const std::vector<double>& y);

/// Adds the checks of several runs to the result of the last variant that they concern.
void check_across(const FigureFile& file, std::vector<VariantResult>& results);

/// Mean of the last windows of length `last` of a run and its repetitions, as a run of one window.
Run mean_cycle(const FigureSpec& spec, std::size_t cycles, const VariantResult& result);

}  // namespace bristle::gallery
