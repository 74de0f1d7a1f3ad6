#pragma once
#include <string>
#include <string_view>
#include <vector>

/// Text in a figure: width, line breaks, SVG.
namespace bristle::plot {

struct Font {
  double size = 8;  // pt
  bool bold = false;
};

/// Upper bound of the width in any font of the list, so that no text overlaps or is cut off.
double text_width(std::string_view text, Font font);

/// Lines of limited width, broken at spaces, or inside a word that is too long.
std::vector<std::string> wrap(std::string_view text, Font font, double width);

/// Content of a <text> element: escaped, sub- and superscripts as tspans.
std::string rich_text(std::string_view text, double size);

}  // namespace bristle::plot
