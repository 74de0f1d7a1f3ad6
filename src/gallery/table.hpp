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

/// Reads one [[check]] of a file whose variants and tables are known.
void read_check(const scenario::Node& node, FigureFile& file, const std::vector<std::string>& labels,
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
