#pragma once
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trace.hpp"

/// Figures for papers and screens, written as SVG in which text stays text; the same input gives the same bytes.
///
///   plot::Figure f{.panels = {{.x = {"Time t (s)"}, .y = {"Velocity v (m/s)"}, .series = {{"measured", t, v}}}}};
///   plot::write_figure(f, "velocity.pdf");
///
/// Texts are UTF-8; F_{s} and m/s^{2} (or m/s^2) set sub- and superscripts, a newline starts a new line.
/// NaN, infinities, and what is not positive on a logarithmic axis, are not drawn: a line has a gap there.
namespace bristle::plot {

enum class Style { line, points, steps, line_and_points };  // steps: a value holds until the next x

struct Series {
  std::string label{};  // without one there is no entry in the legend
  std::vector<double> x{}, y{};
  Style style = Style::line;
  std::optional<int> color{};  // place in the palette; by default the place in the panel
  std::optional<int> dash{};   // 0 solid, 1 dashed, 2 dash-dotted, 3 dotted; by default solid, or in turn if many
  double width = 1.1;          // pt
};

/// The area between two curves.
struct Band {
  std::string label{};
  std::vector<double> x{}, lo{}, hi{};
  std::optional<int> color{};  // by default the place in the panel, so that a band goes with its series
};

/// An event, shown above the panel, with a thin line through it where there are few. One legend entry per kind.
struct Mark {
  enum class Kind { stick, slip_plus, slip_minus, other };
  double x{};
  std::string label{};
  Kind kind = Kind::other;
};

/// A thin dashed line across the panel.
struct Reference {
  double at{};
  std::string label{};
};

/// A text beside a point, where it covers no curve if there is such a place.
struct Note {
  double x{}, y{};
  std::string text{};
};

struct Axis {
  std::string label{};  // with the unit: "Velocity v (m/s)"
  bool log = false;
  std::optional<std::array<double, 2>> limits{};  // by default what the data need
};

struct Panel {
  std::string title{};
  Axis x{}, y{};
  std::vector<Series> series{};
  std::vector<Band> bands{};
  std::vector<Mark> marks{};
  std::vector<Reference> horizontal{}, vertical{};
  std::vector<Note> notes{};
  bool legend = true;  // where it covers no curve; above the panel if there is no such place
  bool equal_aspect = false;
};

struct Figure {
  std::string title{}, caption{};
  std::vector<Panel> panels{};
  int columns = 0;             // 0: one for up to three panels, then two, then three
  double width_mm = 160;       // a page between its margins; 85 is one of two columns of print
  double panel_height_mm = 0;  // of the axes; 0: from the width
  bool share_x = true;         // panels above each other with the same x label show the same range, labelled once
  bool letters = false;        // (a), (b)... before the titles
};

/// Throws std::invalid_argument if the columns of a series or band differ in length.
std::string svg(const Figure& figure);

/// The bytes of a file: "svg", "png" (300 dpi) or "pdf". The latter two come from the program rsvg-convert; throws
/// std::runtime_error, one line, if that is missing or fails.
std::string image(const Figure& figure, std::string_view format);

/// The ending of the path decides: .svg, .png or .pdf. The file is written whole or not at all (FileError, output.hpp).
void write_figure(const Figure& figure, const std::string& path);

/// "v (m/s)", or the name alone where the unit is 1.
std::string label(const Column& column);
/// One column against another, labelled with its name. Throws std::invalid_argument if there is no such column.
Series series(const Trace& trace, std::string_view x, std::string_view y);

}  // namespace bristle::plot
