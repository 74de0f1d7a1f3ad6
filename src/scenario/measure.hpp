#pragma once
#include <string>
#include <vector>

#include "bristle/scenario.hpp"

/// Quantities of a run, from its columns and events.
namespace bristle::scenario {

struct Point {
  double t, y;
};
/// The points of a column in the window of a quantity, with interpolated end points.
std::vector<Point> points(const RunQuantity& q, const Trace& trace, const std::vector<double>& y);

/// A function of the response to a reference, or of a settled cycle; NaN with a reason if it is undefined.
bool is_response(const std::string& function);
Number response(const RunQuantity& q, const Run& run);

}  // namespace bristle::scenario
