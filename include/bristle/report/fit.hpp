#pragma once
#include <array>
#include <span>
#include <string>
#include <vector>

#include "../identify.hpp"
#include "../plot.hpp"

/// Pictures, files and the page of a ranking of fitted models.
namespace bristle::report {

/// Recordings with the models fitted to them.
struct Fitted {
  const identify::Ranking* ranking;
  std::span<const identify::Recording> recordings;
  std::span<const std::string> files;                          // one per recording
  std::span<const std::vector<identify::Finding>> findings{};  // likewise
  std::span<const identify::Recording> validation{};           // predicted, not fitted
  std::span<const std::string> validation_files{};
};
/// "N m" for "N" where the motion is a rotation, nothing where a friction coefficient was measured.
std::string unit_of(const std::string& unit, const identify::Recording& recording);
/// Of what was fitted: a force, or a motion.
std::string target_unit(const identify::Recording& recording);
/// The ends of the 95 % interval, with as many digits as it takes to tell them apart.
std::array<std::string, 2> interval_of(const identify::Estimate& estimate);
/// model, parameters, rmse, relative_percent, bic, held_out_rmse...: one line per model, best first.
std::string ranking_csv(const Fitted& fitted);
/// The friction block with its intervals as comments, and a motion like the recorded one: a scenario that runs as it is.
std::string friction_file(const identify::Fit& fit, const Fitted& fitted);
/// One self-contained page: ranking, overlays, residuals, friction over velocity, parameters, tests, the data.
std::string fit_page(const Fitted& fitted);
/// The pictures of that page for one fit: measured and fitted over time with the residual, and friction over velocity.
/// Recordings count on into those of the validation.
plot::Figure overlay_figure(const Fitted& fitted, const identify::Fit& fit, std::size_t recording);
plot::Figure velocity_figure(const Fitted& fitted, std::size_t recording);

}  // namespace bristle::report
