#pragma once
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trace.hpp"

/// Figures for papers and screens as SVG with text as text; the same input gives the same bytes.
///
///   plot::Figure f{.panels = {{.x = {"Time t (s)"}, .y = {"Velocity v (m/s)"}, .series = {{"measured", t, v}}}}};
///   plot::write_figure(f, "velocity.pdf");
///
/// Texts are UTF-8; F_{s} and m/s^{2} (or m/s^2) set sub- and superscripts, a newline starts a new line.
/// NaN, infinities, and values <= 0 on a logarithmic axis are gaps in a line.
namespace bristle::plot {

enum class Style { line, points, steps, line_and_points };  // steps: a value holds until the next x

/// A curve.
struct Series {
  std::string label{};           // empty: no entry in the legend
  std::vector<double> x{}, y{};  // x: abscissas; y: ordinates
  Style style = Style::line;     // line, points or both
  std::optional<int> color{};    // index in the palette; default: index in the panel
  std::optional<int> dash{};     // 0 solid, 1 dashed, 2 dash-dotted, 3 dotted; default: solid, alternating for many
  double width = 1.1;            // pt
  bool halo = false;             // a white edge, for curves over a map
};

/// The area between two curves.
struct Band {
  std::string label{};
  std::vector<double> x{}, lo{}, hi{};
  std::optional<int> color{};  // default: index in the panel, as for the series of the band
};

/// Values on a grid of x and y: coloured cells with contour lines and a colour bar. NaN is grey.
struct Map {
  std::string label{};                // of the colour bar
  std::vector<double> x{}, y{}, z{};  // monotonic; z has the value at x[i], y[j] at i y.size() + j
  bool pixels = false;                // an even grid of many cells, drawn as a raster without contour lines
  bool contours = true;               // whether contour lines are drawn
};

/// An event: a symbol above the panel, with a thin line through the panel if there are few. One legend entry per kind.
struct Mark {
  /// The symbols of marks.
  enum class Kind { stick, slip_plus, slip_minus, other };
  double x{};
  std::string label{};
  Kind kind = Kind::other;  // the symbol
};

/// A thin dashed line across the panel.
struct Reference {
  double at{};  // position on the axis
  std::string label{};
};

/// A text near a point, in a place without curves if possible.
struct Note {
  double x{}, y{};  // y: position in the units of the axes
  std::string text{};
};

/// Label, scale and limits.
struct Axis {
  std::string label{};                            // with the unit: "Velocity v (m/s)"
  bool log = false;                               // whether the scale is logarithmic
  std::optional<std::array<double, 2>> limits{};  // default: range of the data
};

/// Curves with their axes.
struct Panel {
  std::string title{};
  Axis x{}, y{};  // x: horizontal axis; y: vertical axis
  std::vector<Series> series{};
  std::vector<Band> bands{};  // shaded ranges
  std::optional<Map> map{};   // below the curves
  std::vector<Mark> marks{};  // events on the time axis
  std::vector<Reference> horizontal{},
      vertical{};  // horizontal: lines at a value of y; vertical: lines at a value of x
  std::vector<Note> notes{};
  bool legend = true;         // in a place without curves, otherwise above the panel
  bool equal_aspect = false;  // whether both axes have the same scale
};

/// A drawing above the panels: elements of SVG in points, from its upper left corner.
struct Drawing {
  std::string svg{};         // elements of SVG
  double width{}, height{};  // width: width of its own coordinates; height: height of its own coordinates
};

/// Place of the legends: automatic is inside a panel where no curve is, otherwise above it.
enum class Legends { automatic, above, shared, none };

/// Panels, and a drawing above them.
struct Figure {
  std::string title{}, caption{};
  std::vector<Panel> panels{};
  int columns = 0;                   // 0: one for up to three panels, then two, then three
  double width_mm = 160;             // text width of a page; 85: one of two columns
  double panel_height_mm = 0;        // of the axes; 0: from the width
  bool share_x = true;               // panels in one column with the same x label share the range, labelled once
  bool letters = false;              // (a), (b)... before the titles
  std::optional<Drawing> drawing{};  // drawing of a mechanism
  bool prefixes = true;              // linear axes in um, kN... instead of a common factor of the labels
  double font_pt = 0;                // size of the tick labels; 0: 8. Other texts and lines keep their proportion to it
  Legends legends = Legends::automatic;  // shared: only the first of panels with the same entries has a legend
  bool interactive = false;              // marks curves and axes for the script of a page
};

/// Throws std::invalid_argument if the columns of a series, band or map differ in length.
std::string svg(const Figure& figure);

/// The bytes of a file: "svg", "png" (300 dpi) or "pdf". PNG and PDF require the program rsvg-convert; throws
/// std::runtime_error, one line, if it is missing or fails.
std::string image(const Figure& figure, std::string_view format);

/// The ending of the path decides: .svg, .png or .pdf. The file is written whole or not at all (FileError, output.hpp).
void write_figure(const Figure& figure, const std::string& path);

/// "v (m/s)", or the name alone for unit 1.
std::string label(const Column& column);
/// One column over another, labelled with its name. Throws std::invalid_argument for an unknown column.
Series series(const Trace& trace, std::string_view x, std::string_view y);

}  // namespace bristle::plot
