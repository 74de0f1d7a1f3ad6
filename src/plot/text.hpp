#pragma once
#include <string>
#include <string_view>
#include <vector>

/// Text in a figure: how wide it is, where it breaks, how it is written.
namespace bristle::plot {

struct Font {
  double size = 8;  // pt
  bool bold = false;
};

/// At least as wide as any font of our list renders it, so that nothing overlaps or is cut off.
double text_width(std::string_view text, Font font);

/// Lines of at most that width, broken at spaces, or inside a word that is too long by itself.
std::vector<std::string> wrap(std::string_view text, Font font, double width);

/// Content of a <text> element: escaped, sub- and superscripts as tspans.
std::string rich_text(std::string_view text, double size);

}  // namespace bristle::plot
