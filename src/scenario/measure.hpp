#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bristle/scenario.hpp"

/// Quantities of a run, from its columns and events.
namespace bristle::scenario {

struct Point {
  double t, y;
};
/// The points of a column, with limits, in the window of a quantity, with interpolated end points: at a jump the window
/// begins with the right limit and ends with the left one. None if the run has no such column.
std::optional<std::vector<Point>> points(const RunQuantity& q, const Run& run, std::string_view column);

/// A function of the response to a reference, or of a settled cycle; NaN with a reason if it is undefined.
bool is_response(const std::string& function);
Number response(const RunQuantity& q, const Run& run);

/// A number of a chain: of its catalogue, or of its states of rest.
bool is_of_chain(const std::string& function);
Number of_chain(const RunQuantity& q, const Run& run);

}  // namespace bristle::scenario
