#pragma once
#include <string>

#include "bristle/plot.hpp"

namespace CLI {
class App;
}

namespace bristle::cli {

std::string ending(const std::string& path);
/// Whether a figure can be written to this file.
bool is_image(const std::string& path);
/// Whether the file of --plot, empty without it, is one; complains otherwise.
bool is_plot(const std::string& path);

/// --width, --font and --legend of a figure.
struct PlotLook {
  double width = 0, font = 0;  // mm, pt; 0: as the figure is
  std::string legend{};        // auto, above, shared, none; empty: as the figure is
  plot::Figure of(plot::Figure figure) const;
};
/// Adds the options; they require --plot.
void add_look(CLI::App& command, PlotLook& look);

}  // namespace bristle::cli
