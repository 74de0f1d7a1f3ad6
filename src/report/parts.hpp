#pragma once
#include <string>
#include <vector>

#include "bristle/report.hpp"

/// Parts of pages in HTML.
namespace bristle::report {

/// One setting.
struct Setting {
  std::string section, name, value, unit, meaning;
  friend bool operator==(const Setting&, const Setting&) = default;
};
/// Settings of a run: required ones and those that differ from their default.
std::vector<Setting> settings_of(const Scenario& scenario);

struct CheckedRun {
  std::string label;
  const Scenario* scenario;
  const std::vector<Checked>* checks;
};
std::string checks_table(const std::vector<CheckedRun>& runs);
/// "3 of 4 checks hold", coloured.
std::string checks_text(std::size_t held, std::size_t all);

/// A panel of a chain: map, sizes or snapshot.
plot::Panel chain_panel(const FigureSpec& spec, std::span<const Shown> runs);

/// "lugre", or "left: coulomb, right: lugre".
std::string models_text(const Scenario& scenario);
/// A figure whose values the script of the page shows.
std::string figure_html(plot::Figure figure);
std::string settings_table(const Scenario& scenario);
std::string energy_table(const EnergyBalance& energy, const std::string& unit = "J");
std::string work_table(const Run& run, const std::string& unit = "J");  // of a prescribed motion
std::string events_table(const std::vector<Event>& events, const std::string& unit = "s");
std::string solver_table(const Run& run);
std::string text_block(const std::string& text);

}  // namespace bristle::report
