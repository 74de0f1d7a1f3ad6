#pragma once
#include <memory>
#include <string>
#include <vector>

#include "bristle/identify.hpp"
#include "identify/guess.hpp"

/// Output-error fits: the experiment of a scenario with recorded inputs, compared in its motion.
namespace bristle::identify {

/// Effects that a fit by simulation can adjust or fix.
std::vector<std::string> effects_of_a_scenario();

/// One segment of a recording as input.
struct Flight {
  std::vector<double> t{};  // s from the start of the segment
  Drive drive{};            // force on the body, or reference
  std::optional<Drive> load{};
  std::vector<double> on{};  // see Recording
  double x0 = 0, v0 = 0, temperature = 20;
  double least = 0, most = 0;  // a simulation stops beyond these positions
};

/// Scenario and recordings together. Throws BadInput if they do not match.
class Replay {
 public:
  Replay(const Rig& rig, const std::vector<Recording>& recordings, const Options& options);

  const std::string& model() const { return model_; }
  /// Data for starting values: friction by inverse dynamics if u was recorded, otherwise from the scenario.
  const Features& features() const { return features_; }
  /// Scalars: parameters of the model, effects, free values of [system] and [controller].
  std::unique_ptr<Evaluator> evaluator(std::string_view model, const Table& given, const Table& effects = {}) const;
  /// Increases the steps per sample until the motion changes by less than `error` (rms).
  bool refine(const Evaluator& w, const double* p, double error);
  /// Rms change of the motion if the steps are halved.
  double change_by_finer_steps(const Evaluator& w, const double* p) const;
  void finest() { steps_ = most_steps; }
  StartingPoint start(const Shape& shape, const Evaluator& w, const Series& s, const Options& options) const;

 private:
  friend class Simulated;
  Experiment experiment(const Flight& flight, std::unique_ptr<AnyContact> contact) const;

  const Rig& rig_;
  std::string model_;
  Table friction_{}, effects_{};  // numbers of the scenario
  std::vector<std::string> fitted_effects_{}, free_{};
  std::vector<Flight> flights_{};
  std::vector<std::size_t> from_{};  // first sample of each input
  Features features_{};
  double transmitted_ = 1;  // typical force of the actuator
  static constexpr int most_steps = 8;
  int steps_ = 1;  // per sample
};

}  // namespace bristle::identify
