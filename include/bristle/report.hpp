#pragma once
#include <span>
#include <string>
#include <vector>

#include "plot.hpp"
#include "scenario.hpp"
#include "tribometer.hpp"

/// Pictures and pages of finished runs.
namespace bristle::report {

/// A run that is shown, alone or beside others.
struct Shown {
  const Scenario* scenario;
  const Run* run;
  std::string label{};           // in legends, beside others
  std::size_t color = 0;         // place in the palette
  std::span<const Run> again{};  // runs like it: a band shows where they lie, if they have the same x
};

/// The panels of a scenario, or those that suit its system where it has none.
std::vector<FigureSpec> figures_of(const Scenario& scenario);
/// Each column of the panel, once per run.
plot::Panel panel_of(const FigureSpec& spec, std::span<const Shown> runs);
/// Legends that say the same again are left out.
plot::Figure figure_of(std::vector<plot::Panel> panels);
plot::Figure figure_of(const Scenario& scenario, const Run& run);

/// One self-contained page about a run: figure, checks, parameters, energy, events, solver, the scenario itself.
std::string run_page(const Scenario& scenario, const Run& run, const std::vector<Checked>& checks);

/// A table as text, head first; `words` are the columns set left.
struct TextTable {
  std::string title{};
  std::vector<std::vector<std::string>> rows{};
  std::vector<bool> words{};
};
struct GalleryRun {
  std::string label{};
  const Scenario* scenario;
  const Run* run;
  const std::vector<Checked>* checks;
  std::string csv{};  // address of the file
  double cpu_ms{};
  std::string failure{};  // why there is no run
};
/// A figure or table of a gallery.
struct GalleryEntry {
  std::string id{}, figure{}, title{}, caption{}, differs{}, text{};
  plot::Figure picture{};
  std::vector<TextTable> tables{};
  std::vector<GalleryRun> runs{};
};
/// Its part of the page.
std::string gallery_entry(const GalleryEntry& entry);

struct GalleryItem {
  std::string id{}, figure{}, html{};
  std::size_t held{}, checks{};
  bool good = true;
};
struct GallerySection {
  std::string title{}, authors{}, reference{};
  std::vector<GalleryItem> items{};
};
std::string gallery_page(const std::string& title, const std::vector<GallerySection>& sections);

/// A contact after the battery of experiments, with where it comes from.
struct Characterized {
  const tribometer::Characterization* result;
  std::vector<Variable> parameters{};
  std::string file{}, text{};
  std::vector<std::string> notes{};
};
/// An experiment, one panel per chart, all contacts in each; `experiment` counts in tribometer::experiments().
plot::Figure experiment_figure(std::size_t experiment, std::span<const Characterized> contacts,
                               bool rotational = false);
/// Property tables as text, head first: "yes 2.1e-12" per contact, or marks only where there are many contacts.
std::vector<std::vector<std::string>> property_table(std::span<const Characterized> contacts);
std::string characterization_page(std::span<const Characterized> contacts, bool rotational = false);

}  // namespace bristle::report
