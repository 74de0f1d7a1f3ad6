#pragma once
#include <string>
#include <vector>

#include "../plot.hpp"
#include "../sweep.hpp"

/// Figures and pages of studies: many runs of a scenario.
namespace bristle::report {

/// A figure and its file name without folder.
struct NamedFigure {
  std::string file{};
  plot::Figure figure{};
};

/// One figure per measure: a line over one key, a map over two keys of a grid, otherwise points over each key.
std::vector<NamedFigure> sweep_figures(const sweep::Plan& plan, const sweep::Table& table);
/// The page of a sweep.
std::string sweep_page(const sweep::Plan& plan, const sweep::Table& table, const std::vector<NamedFigure>& figures);

/// A file name from any text: letters, digits, _, - and . remain; names in `taken` are avoided.
std::string file_name(const std::string& text, const std::string& ending, const std::vector<std::string>& taken = {});

}  // namespace bristle::report
