#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "plot.hpp"
#include "scenario.hpp"
#include "tribometer.hpp"

/// Figures and pages of finished runs.
namespace bristle::report {

/// A run in a figure, alone or with others.
struct Shown {
  const Scenario* scenario;
  const Run* run;
  std::string label{};           // text in legends
  std::size_t color = 0;         // index in the palette
  std::span<const Run> again{};  // repetitions: a band shows their range, if they have the same x
};

/// Panels of a scenario, or default panels of its system.
std::vector<FigureSpec> figures_of(const Scenario& scenario);
/// Draws each column of the panel, once per run.
plot::Panel panel_of(const FigureSpec& spec, std::span<const Shown> runs);
/// A figure of panels; repeated legends are omitted.
plot::Figure figure_of(std::vector<plot::Panel> panels);
/// The figure of a run.
plot::Figure figure_of(const Scenario& scenario, const Run& run);
/// A mechanism at t = 0 and at times of the run; empty for other systems.
std::optional<plot::Drawing> drawing_of(const Scenario& scenario, const Run& run);

/// One self-contained page about a run: figure, checks, parameters, energy, events, solver, the scenario itself.
std::string run_page(const Scenario& scenario, const Run& run, const std::vector<Checked>& checks);

/// A table of text, head first; `words`: left-aligned columns.
struct TextTable {
  std::string title{};
  std::vector<std::vector<std::string>> rows{};
  std::vector<bool> words{};  // which columns contain words
};
/// One run on the page.
struct GalleryRun {
  std::string label{};
  const Scenario* scenario;
  const Run* run;
  const std::vector<Checked>* checks;
  std::string csv{};  // link to the file
  double cpu_ms{};
  std::string failure{};  // reason of a failed run
};
/// A figure or table of a gallery.
struct GalleryEntry {
  // id: PAPER/FIGURE; differs: differences from the printed figure
  std::string id{}, figure{}, title{}, caption{}, differs{}, text{};
  plot::Figure picture{};  // the figure
  std::vector<TextTable> tables{};
  std::vector<GalleryRun> runs{};
};
/// The part of the page for one entry.
std::string gallery_entry(const GalleryEntry& entry);

/// A finished entry.
struct GalleryItem {
  std::string id{}, figure{}, html{};  // id: PAPER/FIGURE; html: its part of the page
  std::size_t held{}, checks{};
  bool good = true;  // whether all its checks hold
};
/// The figures of one paper.
struct GallerySection {
  std::string title{}, authors{}, reference{};  // authors: of the article; reference: where it was published
  std::vector<GalleryItem> items{};             // its figures
};
/// The page of all papers.
std::string gallery_page(const std::string& title, const std::vector<GallerySection>& sections);

/// A contact after the battery of experiments, with its source.
struct Characterized {
  const tribometer::Characterization* result;  // the measurements
  std::vector<Variable> parameters{};
  std::string file{}, text{};
  std::vector<std::string> notes{};
};
/// An experiment with one panel per chart and all contacts in each; `experiment`: index in tribometer::experiments().
plot::Figure experiment_figure(std::size_t experiment, std::span<const Characterized> contacts,
                               bool rotational = false);
/// Of a prescribed motion, whose balance holds by definition: the work of friction as the solver integrated it, and the
/// integral of F dx over the rows, which comes from the columns alone. NaN without columns x and F.
struct WorkCheck {
  double integrated{}, rows{};  // integrated: the integral of F dx over the rows
  double error() const;         // difference over the sum of |F dx|
  double size{};                // sum of |F dx|
};
/// Compares the work of the solver with the integral over the rows.
WorkCheck check_work(const Run& run);

/// Property table as text, head first: "yes 2.1e-12" per contact, or only marks for many contacts.
std::vector<std::vector<std::string>> property_table(std::span<const Characterized> contacts);
/// The page of one or several contacts.
std::string characterization_page(std::span<const Characterized> contacts, bool rotational = false);

}  // namespace bristle::report
