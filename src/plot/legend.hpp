#pragma once
#include <optional>
#include <string>
#include <vector>

#include "svg.hpp"

/// Where the legend and other texts go: beside the curves, not upon them.
namespace bristle::plot {

/// Which parts of a panel are taken, in cells of two points.
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
  std::size_t index;  // of the series or band; the kind of the mark
  std::vector<std::string> lines;
};

struct Legend {
  std::vector<Entry> entries{};
  Box box{};
  bool above = false;           // the panel; `place` leaves the y of the box open then
  std::vector<Point> places{};  // where each entry begins, in the box
};

constexpr Font legend_font{7.5, false};
constexpr double legend_leading = 10, sample_length = 20, sample_gap = 4;

/// Sets the entries in that many columns, from the upper left corner of the box.
void arrange(Legend& legend, std::size_t columns);

/// A box inside the panel that covers nothing taken: in a corner, else along an edge.
std::optional<Box> find_place(const Occupancy& taken, double width, double height, const Box& wanted);

/// Finds the arrangement and the place; above the panel if there is none inside.
void place(Legend& legend, const Occupancy& taken, double width, double height);

}  // namespace bristle::plot
