#pragma once
#include <string>
#include <vector>

#include "../plot.hpp"
#include "../surface.hpp"

namespace bristle::report {

/// Map or profile with its highest summits; heights and spectrum; contact area and load over separation.
std::vector<plot::Figure> surface_figures(const surface::Analysis& analysis);
/// One self-contained page.
std::string surface_page(const surface::Analysis& analysis);
/// The numbers as lines of text.
std::string surface_text(const surface::Analysis& analysis);

}  // namespace bristle::report
