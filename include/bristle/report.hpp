#pragma once
#include <span>
#include <string>
#include <vector>

#include "plot.hpp"
#include "scenario.hpp"

/// Pictures and pages of finished runs.
namespace bristle::report {

/// A run that is shown, alone or beside others.
struct Shown {
  const Scenario* scenario;
  const Run* run;
  std::string label{};  // in legends, beside others
  int color = 0;        // place in the palette
};

/// The panels of a scenario, or those that suit its system where it has none.
std::vector<FigureSpec> figures_of(const Scenario& scenario);
/// Each column of the panel, once per run.
plot::Panel panel_of(const FigureSpec& spec, std::span<const Shown> runs);
/// Legends that say the same again are left out.
plot::Figure figure_of(std::vector<plot::Panel> panels);
plot::Figure figure_of(const Scenario& scenario, const Run& run);

}  // namespace bristle::report
