#include "cli/look.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>

#include "cli/screen.hpp"

namespace bristle::cli {

std::string ending(const std::string& path) { return std::filesystem::path(path).extension().string(); }

bool is_image(const std::string& path) {
  const std::string e = ending(path);
  return e == ".svg" || e == ".png" || e == ".pdf";
}

bool is_plot(const std::string& path) {
  if (path.empty() || is_image(path)) return true;
  complain(fmt::format("--plot {}: must end in .svg, .png or .pdf", path));
  return false;
}

plot::Figure PlotLook::of(plot::Figure figure) const {
  if (width > 0) figure.width_mm = width;
  if (font > 0) figure.font_pt = font;
  if (legend == "above") figure.legends = plot::Legends::above;
  if (legend == "shared") figure.legends = plot::Legends::shared;
  if (legend == "none") figure.legends = plot::Legends::none;
  return figure;
}

void add_look(CLI::App& command, PlotLook& look) {
  auto* plot = command.get_option("--plot");
  command.add_option("--width", look.width, "width of the figure of --plot, 40 to 2000; 85 is one of two columns")
      ->type_name("MM")
      ->check(CLI::Range(40.0, 2000.0))
      ->needs(plot);
  command.add_option("--font", look.font, "size of its tick labels, 4 to 30, default 8; the other texts follow")
      ->type_name("PT")
      ->check(CLI::Range(4.0, 30.0))
      ->needs(plot);
  command
      .add_option(
          "--legend", look.legend,
          "auto: inside a panel if there is room; above: above it; shared: one for panels with equal entries; none")
      ->type_name("PLACE")
      ->check(CLI::IsMember({"auto", "above", "shared", "none"}))
      ->needs(plot);
}

}  // namespace bristle::cli
