#pragma once
#include <string>
#include <vector>

#include "bristle/plot.hpp"
#include "curve.hpp"
#include "legend.hpp"
#include "svg.hpp"
#include "ticks.hpp"

/// One panel: measured first, so that panels can be aligned, then drawn.
namespace bristle::plot {

constexpr Font tick_font{8, false}, label_font{8.5, false}, panel_title_font{9, true}, note_font{7.5, false};
constexpr double leading = 1.2;  // from line to line, of the font size
constexpr double tick_length = 3, tick_gap = 2, mark_height = 7;

struct Label {
  Box box{};
  std::vector<std::string> lines{};
};

struct Layout {
  const Panel* panel{};
  Range x{}, y{};                           // shown
  bool x_labels = true;                     // false: they stand below a panel further down
  double width{}, height{};                 // of the axes
  double left{}, top{}, right{}, bottom{};  // room around them
  Scale sx{}, sy{};
  Ticks x_ticks{}, y_ticks{};
  std::vector<std::string> title{}, x_label{}, y_label{};
  double title_at{}, factor_at{};
  std::vector<std::vector<Polyline>> curves{}, areas{};  // of each series and band
  std::vector<Polyline> markers{};                       // of each series
  std::vector<std::vector<Mark>> mark_rows{};            // above the axes, from the bottom up
  bool mark_ticks = false;                               // too many for symbols
  std::vector<Label> labels{};                           // of reference lines and notes
  Legend legend{};
};

/// What the axes of a panel show if nothing else is said.
Range x_range(const Panel& panel);
Range y_range(const Panel& panel);

/// The room at the left, which needs the height only, and the room that the x labels may need at the right.
void measure_sides(Layout& layout, double width, double height);
/// All the rest; `title` may begin with the panel's letter.
void finish(Layout& layout, double width, const std::string& title);

/// The axes' upper left corner is the origin.
void draw(std::string& out, const Layout& layout);

}  // namespace bristle::plot
