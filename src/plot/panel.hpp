#pragma once
#include <string>
#include <vector>

#include "bristle/plot.hpp"
#include "curve.hpp"
#include "legend.hpp"
#include "map.hpp"
#include "svg.hpp"
#include "ticks.hpp"

/// Layout of one panel, computed before drawing so that panels can be aligned.
namespace bristle::plot {

constexpr Font tick_font{8, false}, label_font{8.5, false}, panel_title_font{9, true}, note_font{7.5, false};
constexpr double leading = 1.2;  // distance of lines, of the font size
constexpr double tick_length = 3, tick_gap = 2, mark_height = 7;

struct Label {
  Box box{};
  std::vector<std::string> lines{};
};

struct Layout {
  const Panel* panel{};
  Range x{}, y{};                           // visible ranges
  bool x_labels = true;                     // false: a panel below has the labels
  double width{}, height{};                 // of the axes
  double left{}, top{}, right{}, bottom{};  // margins around the axes
  Scale sx{}, sy{};
  Ticks x_ticks{}, y_ticks{};
  std::vector<std::string> title{}, x_label{}, y_label{};
  double title_at{}, factor_at{};
  std::vector<std::vector<Polyline>> curves{}, areas{};  // of each series and band
  std::vector<Polyline> markers{};                       // of each series
  std::vector<std::vector<Mark>> mark_rows{};            // rows above the axes, from bottom to top
  bool mark_ticks = false;                               // ticks instead of symbols
  std::vector<Label> labels{};                           // of reference lines and notes
  Legend legend{};
  MapLayout map{};  // if the panel has a map
  Legends legends = Legends::automatic;
  bool interactive = false;  // groups and labels for the script of a page
};

/// Default ranges of the axes.
Range x_range(const Panel& panel);
Range y_range(const Panel& panel);

/// Left margin, from the height, and right margin for x labels.
void measure_sides(Layout& layout, double width, double height);
/// The remaining layout; `title` may begin with the letter of the panel.
void finish(Layout& layout, double width, const std::string& title);

/// Draws with the upper left corner of the axes as origin.
void draw(std::string& out, const Layout& layout);

}  // namespace bristle::plot
