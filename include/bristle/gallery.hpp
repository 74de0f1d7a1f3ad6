#pragma once
#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "report.hpp"
#include "scenario.hpp"

/// Figure files: a scenario, its variants with one run each, panels and tables that compare them.
/// A paper is a folder of figure files with a paper.toml.
namespace bristle::gallery {

/// One run of a figure.
struct Variant {
  /// Bounds of the standard deviation of a quantity over the repetitions.
  struct Scatter {
    std::size_t of{};      // index of the expectation
    Expectation bounds{};  // from half the stated deviation to twice as much
  };
  std::string label{};
  Scenario scenario{};
  std::vector<Scenario> again{};  // repetitions, as with other seeds: quantities are means over all
  std::vector<std::pair<std::string, double>> printed{};  // numbers in the paper
  std::vector<Scatter> scatter{};                         // of expectations with sigma
};

/// Curves of some variants.
struct Panel {
  FigureSpec spec{};  // columns and labels
  std::vector<std::size_t> variants{};
  std::size_t cycles = 0;  // above 0: draws the mean over this number of windows of length `last`, and over all runs
};

/// A column of a table.
struct TableColumn {
  std::string head{}, value{};    // value: label, cpu_ms, steps, balance, printed.KEY, or a function as in [expect]
  double factor = 1, offset = 0;  // factor value + offset is shown
};
/// A table with a row per variant.
struct TableSpec {
  std::string title{};
  std::vector<TableColumn> columns{};
  std::vector<std::size_t> variants{};  // rows of the table
  std::optional<std::size_t> x{};       // x column of the plot of this table, a point per row
  std::vector<std::size_t> y{};         // y columns of the plot
  bool xlog = false, ylog = false;
  double root = 0;   // above 0: y^(1/root) is drawn, with a straight line to the x where it vanishes
  double below = 0;  // above 0: y stands for below - y
  std::string in{};  // title of the panel that gets the points of the plot; empty: a panel of its own
  std::string label{};
  bool line = true;  // joins the points
  bool fit = false;  // draws the line of least squares
};

/// A check of several runs: [[check]]. `quantity` has the bounds, and a text for reports.
struct CrossCheck {
  /// The quantity that is compared.
  enum class Of { slope, residual, proportion, ratio, difference, distance, stretch, factor, mismatch };
  Of of{};  // the quantity
  /// Points from two columns of a table.
  struct Curve {
    std::size_t table{}, x{}, y{};  // columns of a table
  };
  // curve: points; to: the other curve, for stretch, factor and mismatch
  Curve curve{}, to{};
  bool xlog = false, ylog = false;
  std::vector<std::size_t> variants{};   // two, for ratio, difference and distance
  std::string column{};                  // column of the runs, for distance
  Expectation quantity{};                // text and bounds
  std::optional<Expectation> scatter{};  // bounds of its standard deviation over the repetitions
};

/// A figure file as read.
struct FigureFile {
  std::string name{}, path{}, text{};
  std::string title{}, figure{}, caption{}, differs{};  // differs: differences from the printed figure
  bool slow = false;                                    // a minute or more
  std::vector<Variant> variants{};
  std::vector<Panel> panels{};
  std::vector<TableSpec> tables{};
  std::vector<CrossCheck> checks{};
};

/// A folder of figure files.
struct Paper {
  std::string name{}, title{}, authors{}, reference{};  // authors: of the article; reference: where it was published
  std::vector<FigureFile> figures{};
};

/// A figure file, or its problems.
struct FigureRead {
  FigureFile file{};
  Problems problems{};
};
/// `path` is used for messages and to resolve relative file names.
FigureRead read_figure_file(const std::string& text, const std::string& path);

/// The papers of a folder.
struct Library {
  std::vector<Paper> papers{};  // in the order of their folders
  Problems problems{};
};
/// The folder is a paper or contains papers; `selection` is PAPER, PAPER/FIGURE, or empty for all.
Library load(const std::string& folder, const std::string& selection = {});

/// One finished variant.
struct VariantResult {
  Run run{};
  std::vector<Run> again{};  // runs of the repetitions
  std::vector<Checked> checks{};
  double cpu_ms{};        // of all runs; for tables, the median of several repetitions of the first
  std::string failure{};  // reason of a failed run
  bool held() const;
};

/// Progress and interruption.
struct RunHooks {
  std::function<void(double)> progress{};   // called with the finished fraction, 0 to 1, from any thread
  const std::atomic<bool>* stop = nullptr;  // if set, the work stops; finished figures are still handed over
  unsigned threads = 0;                     // 0: one per core
};
/// Runs all variants and passes on each complete figure, in order, from one thread at a time.
void run(const std::vector<const FigureFile*>& figures,
         const std::function<void(std::size_t figure, const std::vector<VariantResult>&)>& finished,
         const RunHooks& hooks = {});

/// The figure with all panels.
plot::Figure picture(const FigureFile& file, const std::vector<VariantResult>& results);
/// The rows of a table, head first.
std::vector<std::vector<std::string>> table(const FigureFile& file, const TableSpec& spec,
                                            const std::vector<VariantResult>& results);
/// The numbers of a table, a row per variant, without its head; NaN: a label, or undefined.
std::vector<std::vector<double>> numbers(const FigureFile& file, const TableSpec& spec,
                                         const std::vector<VariantResult>& results);

}  // namespace bristle::gallery
