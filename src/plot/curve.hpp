#pragma once
#include <vector>

#include "bristle/plot.hpp"
#include "svg.hpp"
#include "ticks.hpp"

/// From data to what is drawn of them: clipped, and thinned where the eye sees no difference.
namespace bristle::plot {

/// Points between two gaps. With `steps` each value holds until the next x.
std::vector<Polyline> runs(const std::vector<double>& x, const std::vector<double>& y, const Scale& sx, const Scale& sy,
                           bool steps = false);

/// First, lowest, highest and last point of each column of half a point, if x never turns; otherwise all.
Polyline thin_columns(Polyline line);

/// Fewer points, none of those left out farther than `tolerance` from the new line.
Polyline simplify(const Polyline& line, double tolerance);

/// The parts inside the box.
void clip_line(const Polyline& line, const Box& box, std::vector<Polyline>& out);
Polyline clip_area(Polyline polygon, const Box& box);

/// All of the above for the line of a series.
std::vector<Polyline> curve(const Series& series, const Scale& sx, const Scale& sy, const Box& box);
/// The outline of a band, one for each run without gaps.
std::vector<Polyline> area(const Band& band, const Scale& sx, const Scale& sy, const Box& box);
/// The points of a series inside the box, fewer where thousands cover each other.
Polyline markers(const Series& series, const Scale& sx, const Scale& sy, const Box& box);

}  // namespace bristle::plot
