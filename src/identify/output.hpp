#pragma once
#include <memory>
#include <string>
#include <vector>

#include "bristle/identify.hpp"
#include "identify/guess.hpp"

/// Output error: the experiment of a scenario, driven as it was recorded, and the motion that comes of it.
namespace bristle::identify {

/// One stretch of a recording as an input.
struct Flight {
  std::vector<double> t{};  // s from its start, of the samples
  Drive drive{};            // force on the body, or reference
  std::optional<Drive> load{};
  std::vector<double> on{};  // see Recording
  double x0 = 0, v0 = 0, temperature = 20;
  double least = 0, most = 0;  // positions beyond are not followed any further
};

/// Scenario and recordings together. Throws BadInput where they do not fit.
class Replay {
 public:
  Replay(const Rig& rig, const std::vector<Recording>& recordings, const Options& options);

  const std::string& model() const { return model_; }
  /// What the data show before any simulation: friction by inverse dynamics where u was recorded, else by the scenario.
  const Features& features() const { return features_; }
  /// Scalars: those of the model, then effects, then the free values of [system] and [controller].
  std::unique_ptr<Walker> walker(std::string_view model, const Table& given, const Table& effects = {}) const;
  /// More steps per sample, until still more would change the motion by less than `error`, rms.
  bool refine(const Walker& w, const double* p, double error);
  void finest() { steps_ = most_steps; }
  StartingPoint start(const Shape& shape, const Walker& w, const Series& s, const Options& options) const;

 private:
  friend class Simulated;
  Experiment experiment(const Flight& flight, std::unique_ptr<AnyContact> contact) const;

  const Rig& rig_;
  std::string model_;
  Table friction_{}, effects_{};  // of the scenario, as far as they are numbers
  std::vector<std::string> fitted_effects_{}, free_{};
  std::vector<Flight> flights_{};
  std::vector<std::size_t> from_{};  // first sample of each
  Features features_{};
  double transmitted_ = 1;  // typical force of the actuator
  static constexpr int most_steps = 8;
  int steps_ = 1;  // per sample
};

}  // namespace bristle::identify
