#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "bristle/surface.hpp"

namespace bristle::surface {

inline constexpr std::size_t most_points = 100'000'000;

/// Rows of numbers with equal numbers of cells; NaN: no number.
struct Table {
  std::size_t columns = 0, rows = 0;
  std::vector<double> cells{};
  std::vector<std::string> names{};  // of the header; empty: none
  std::string comment{};             // the last comment above the rows
};
/// Throws BadSurface: "line 3: 5 cells; the rows above have 2".
Table read_table(std::string_view text, const Work& work);

/// The next cell of words separated by blanks, line ends included; empty at the end.
std::string_view next_word(std::string_view& text);
/// A number, or NaN for an empty cell and for words for missing values; false for other text.
bool read_cell(std::string_view cell, bool decimal_comma, double& value);

inline void stop_if_wanted(const Work& work) {
  if (work.stop != nullptr && *work.stop) throw Interrupted();
}

}  // namespace bristle::surface
