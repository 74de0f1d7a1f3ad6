#pragma once
#include <array>
#include <span>
#include <string>
#include <vector>

#include "../identify.hpp"
#include "../identify/joints.hpp"
#include "../identify/population.hpp"
#include "../plot.hpp"
#include "../scenario.hpp"

/// Figures, files and the page of a ranking of fitted models.
namespace bristle::report {

/// Recordings with the models fitted to them.
struct Fitted {
  const identify::Ranking* ranking;  // the fits
  std::span<const identify::Recording> recordings;
  std::span<const std::string> files;                                     // one per recording
  std::span<const std::vector<identify::Finding>> findings{};             // one list per recording
  std::span<const identify::Recording> validation{};                      // predicted, not fitted
  std::span<const std::string> validation_files{};                        // recordings that were not fitted
  const identify::Rig* rig = nullptr;                                     // of a fit by simulation
  std::span<const std::vector<identify::Finding>> validation_findings{};  // remarks on them
};
/// The displayed unit: "N m" for "N" in rotation; empty for friction coefficients.
std::string unit_of(const std::string& unit, const identify::Recording& recording);
/// "friction", "actuator force", "friction coefficient", "position"...: the fitted quantity.
std::string quantity_of(const identify::Recording& recording);
/// Unit of the fitted quantity: a force or a motion.
std::string target_unit(const identify::Recording& recording);
/// The ends of the 95 % interval, with enough digits to distinguish them.
std::array<std::string, 2> interval_of(const identify::Estimate& estimate);
/// The displayed speed or direction of an observation: "0.1 m/s", "positive", "both".
std::string place_of(const identify::Observation& observation, const identify::Recording& recording);
/// Both ends of the interval of an observation, as text.
std::array<std::string, 2> interval_of(const identify::Observation& observation);
/// "1.1 to 1.3"; "> 0.89" and "< 5" if one end is open, that is, a thousand times the value or farther.
std::string interval_text(const identify::Estimate& estimate);
/// model, parameters, rmse, relative_percent, bic, held_out_rmse...: one line per model, best first.
std::string ranking_csv(const Fitted& fitted);
/// A complete scenario: the friction block with its intervals as comments, and a motion similar to the recorded one.
std::string friction_file(const identify::Fit& fit, const Fitted& fitted);
/// One self-contained page: ranking, overlays, residuals, friction over velocity, parameters, tests, data.
std::string fit_page(const Fitted& fitted);
/// Numbers read from the experiments in the recordings, as a table.
std::string experiments_table(const Fitted& fitted);
/// Observations of all experiments as CSV.
std::string experiments_csv(const Fitted& fitted);
/// Points of the steady curve from runs at constant speed, which `identify` reads; "" for fewer than three.
std::string steady_csv(const Fitted& fitted);
/// Figures of the page for one fit: measured and fitted values over time with the residual, and friction over velocity.
/// Indices of recordings continue with those of the validation.
plot::Figure overlay_figure(const Fitted& fitted, const identify::Fit& fit, std::size_t recording);
/// Measured and fitted friction against velocity.
plot::Figure velocity_figure(const Fitted& fitted, std::size_t recording);
/// A short part of measured and fitted values in one panel.
plot::Figure detail_figure(const Fitted& fitted, const identify::Fit& fit, std::size_t recording);
/// Predicted over measured values of all fitted recordings, or else of the validation.
plot::Figure scatter_figure(const Fitted& fitted, const identify::Fit& fit);
/// Histogram and autocorrelation of the residuals of a fit, of the fitted recordings or else of the validation.
plot::Figure residual_figure(const Fitted& fitted, const identify::Fit& fit);

/// The fit that a friction file describes, for predictions; `rig`: the experiment, for recordings of motion.
identify::Fit fit_of(const FrictionFile& file, const identify::Rig* rig = nullptr);
/// The reason why a friction file does not predict a recording, and the remedy; empty if it does.
std::string objection_to(const FrictionFile& file, const identify::Recording& recording);
/// Remarks about a prediction: ranges of [measured] that the recording leaves, a normal load without effect.
std::vector<std::string> remarks_on(const FrictionFile& file, const identify::Recording& recording);
/// A page about the errors of a friction file: one fit, and recordings for validation alone.
std::string score_page(const Fitted& fitted, const FrictionFile& file);
/// Measured and predicted values, a panel for each recording of the validation.
plot::Figure score_figure(const Fitted& fitted);

/// A fitted population of asperities: a row of a ranking, and one page.
std::string population_csv(const identify::PopulationFit& fit);
/// The page of a fitted population.
std::string population_page(const identify::PopulationFit& fit, const std::vector<std::string>& files);

/// Friction in the joints of a mechanism: a friction file per joint (name and text), and one page.
std::vector<std::pair<std::string, std::string>> joint_files(const identify::JointFit& fit);
/// The page of fitted joints.
std::string joints_page(const identify::JointFit& fit, std::span<const identify::JointRecording> recordings,
                        const identify::Rig& rig);

}  // namespace bristle::report
