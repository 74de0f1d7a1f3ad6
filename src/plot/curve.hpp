#pragma once
#include <vector>

#include "bristle/plot.hpp"
#include "svg.hpp"
#include "ticks.hpp"

/// Curves for drawing: clipped, and thinned without visible difference.
namespace bristle::plot {

/// Points between two gaps. With `steps` each value holds until the next x.
std::vector<Polyline> runs(const std::vector<double>& x, const std::vector<double>& y, const Scale& sx, const Scale& sy,
                           bool steps = false);

/// First, lowest, highest and last point of each column of half a point if x is monotonic; otherwise all points.
Polyline thin_columns(Polyline line);

/// Fewer points; removed points lie within `tolerance` of the new line.
Polyline simplify(const Polyline& line, double tolerance);

/// The parts of a curve inside the box.
void clip_line(const Polyline& line, const Box& box, std::vector<Polyline>& out);
Polyline clip_area(Polyline polygon, const Box& box);

/// Splits, thins and clips the line of a series.
std::vector<Polyline> curve(const Series& series, const Scale& sx, const Scale& sy, const Box& box);
/// The outline of a band, one for each run without gaps.
std::vector<Polyline> area(const Band& band, const Scale& sx, const Scale& sy, const Box& box);
/// The points of a series inside the box, thinned where they overlap.
Polyline markers(const Series& series, const Scale& sx, const Scale& sy, const Box& box);

}  // namespace bristle::plot
