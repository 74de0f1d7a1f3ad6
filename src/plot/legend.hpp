#pragma once
#include <optional>
#include <string>
#include <vector>

#include "svg.hpp"

/// Placement of the legend and other texts off the curves.
namespace bristle::plot {

/// Occupied parts of a panel, in cells of two points.
class Occupancy {
 public:
  Occupancy(double width, double height);
  void take(const Polyline& line);
  void take(const Box& box);
  void take_area(const Polyline& outline);
  bool free(const Box& box) const;

 private:
  std::size_t index(double v, std::size_t n) const;
  double width_, height_;
  std::size_t columns_, rows_;
  std::vector<bool> taken_;
};

struct Entry {
  enum class Sample { series, band, mark } sample;
  std::size_t index;  // index of the series or band, or kind of the mark
  std::vector<std::string> lines;
};

struct Legend {
  std::vector<Entry> entries{};
  Box box{};
  bool above = false;           // above the panel; `place` then does not set the y of the box
  std::vector<Point> places{};  // positions of the entries in the box
};

constexpr Font legend_font{7.5, false};
constexpr double legend_leading = 10, sample_length = 20, sample_gap = 4;

/// Arranges the entries in columns from the upper left corner of the box.
void arrange(Legend& legend, std::size_t columns);

/// A free box inside the panel: in a corner, else along an edge.
std::optional<Box> find_place(const Occupancy& taken, double width, double height, const Box& wanted);

/// Finds arrangement and place; above the panel if there is no place inside.
void place(Legend& legend, const Occupancy& taken, double width, double height);

}  // namespace bristle::plot
