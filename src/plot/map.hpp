#pragma once
#include <string>
#include <vector>

#include "bristle/plot.hpp"
#include "svg.hpp"
#include "ticks.hpp"

/// Values on a grid: coloured cells, contour lines and a colour bar.
namespace bristle::plot {

struct MapLayout {
  Range range{};  // of the colours
  bool log = false;
  Ticks ticks{};
  std::vector<std::string> label{};
  double width = 0;  // of the bar with its labels, to the right of the axes
};

/// Limits of the cells around the values of an axis: one more than values.
std::vector<double> cell_edges(const std::vector<double>& values, bool log);
Range map_range(const std::vector<double>& values, bool log);

MapLayout arrange_map(const Map& map, double height);
void draw_map(std::string& out, const Map& map, const MapLayout& layout, const Axis& x, const Axis& y, const Scale& sx,
              const Scale& sy);
/// Draws the colour bar with `left` as its left edge.
void draw_bar(std::string& out, const MapLayout& layout, double left, double height);

}  // namespace bristle::plot
