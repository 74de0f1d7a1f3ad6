#pragma once
#include <array>
#include <span>
#include <string>
#include <vector>

#include "../identify.hpp"
#include "../plot.hpp"

/// Figures, files and the page of a ranking of fitted models.
namespace bristle::report {

/// Recordings with the models fitted to them.
struct Fitted {
  const identify::Ranking* ranking;
  std::span<const identify::Recording> recordings;
  std::span<const std::string> files;                          // one per recording
  std::span<const std::vector<identify::Finding>> findings{};  // one list per recording
  std::span<const identify::Recording> validation{};           // predicted, not fitted
  std::span<const std::string> validation_files{};
};
/// The displayed unit: "N m" for "N" in rotation; empty for friction coefficients.
std::string unit_of(const std::string& unit, const identify::Recording& recording);
/// Unit of the fitted quantity: a force or a motion.
std::string target_unit(const identify::Recording& recording);
/// The ends of the 95 % interval, with enough digits to distinguish them.
std::array<std::string, 2> interval_of(const identify::Estimate& estimate);
/// The displayed speed or direction of an observation: "0.1 m/s", "positive", "both".
std::string place_of(const identify::Observation& observation, const identify::Recording& recording);
std::array<std::string, 2> interval_of(const identify::Observation& observation);
/// model, parameters, rmse, relative_percent, bic, held_out_rmse...: one line per model, best first.
std::string ranking_csv(const Fitted& fitted);
/// A complete scenario: the friction block with its intervals as comments, and a motion similar to the recorded one.
std::string friction_file(const identify::Fit& fit, const Fitted& fitted);
/// One self-contained page: ranking, overlays, residuals, friction over velocity, parameters, tests, data.
std::string fit_page(const Fitted& fitted);
/// Numbers read from the experiments in the recordings, as a table.
std::string experiments_table(const Fitted& fitted);
/// Figures of the page for one fit: measured and fitted values over time with the residual, and friction over velocity.
/// Indices of recordings continue with those of the validation.
plot::Figure overlay_figure(const Fitted& fitted, const identify::Fit& fit, std::size_t recording);
plot::Figure velocity_figure(const Fitted& fitted, std::size_t recording);

}  // namespace bristle::report
