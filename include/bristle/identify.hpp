#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "data.hpp"
#include "simulate.hpp"
#include "value.hpp"

/// From recordings to fitted, ranked models.
namespace bristle::identify {

enum class Gravity { none, constant, sine };  // constant: an offset force; sine: amplitude sin(x - phase)
enum class Loss { squares, huber };

/// The machine of the recordings, for fits by simulation.
struct Rig {
  std::string name{};  // for messages: the scenario file
  Experiment experiment{};
};

struct Options {
  std::vector<std::string> models{};  // empty: all lumped models that the data can tell apart from nothing
  std::vector<std::string>
      effects{};  // fields of [friction.effects] to fit along; "auto": those that held-out error asks for
  Gravity gravity = Gravity::none;  // with `u` only
  Loss loss = Loss::huber;
  std::vector<std::string> free{};   // optional parameters to fit as well (alpha, i, n); else they keep their defaults.
                                     // With a rig also values of its [system] and [controller]: mass, kp...
  std::shared_ptr<const Rig> rig{};  // simulate it, driven by the recording, and compare the motion
  std::vector<std::size_t> elements{1, 2, 3, 4, 6, 8};  // tried for Maxwell-slip, GMS and Leuven
  int starts = 4;                                       // local fits per model, the best of many tried points
  int folds = 5;                                        // of the blocked cross-validation
  bool profiles = true;                                 // intervals by profile likelihood for the best models
  bool global = true;                                   // a global search before the local fits
  bool simplex = false;                                 // the papers' downhill simplex instead of the derivatives
  double seconds = 300;                                 // for all models together
  int threads = 0;                                      // 0: all
  std::uint64_t seed = 1;
  // Of every recording the first part in time is fitted, the rest predicted (of steady points: some, spread evenly).
  double train = 1;
  std::vector<Recording> validation{};  // further recordings that are predicted, not fitted
  Table fixed{};                        // parameters held at a value: Fc, vs, ...
  std::function<bool(double done, const std::string& what)> progress{};  // false: stop
};

/// One number of a fit.
struct Estimate {
  std::string name{}, unit{};  // arrays unrolled: k1, k2
  double value = 0;
  double low = 0, high = 0;  // 95 %, by profile likelihood where it was affordable, else by curvature
  bool profiled = false;
  bool at_bound = false;
  bool identifiable = true;
  std::string remark{};  // "sigma1 is not identifiable from this recording: no motion below 10 vs"
};

struct ResidualTest {
  std::string name{};           // "white", "velocity", "position", "time"
  double statistic = 0, p = 1;  // p < 0.01: the residual still shows it
  std::string text{};           // one sentence
};

/// How well a fit predicts rows that it has not seen.
struct Unseen {
  std::size_t rows = 0;  // 0: none were asked for
  double rmse = 0, relative = 0;
};

struct Fit {
  std::string model{};
  std::size_t elements = 0;                                 // of array parameters
  std::vector<Estimate> friction{};                         // fitted parameters of the model, then of the effects
  std::vector<Estimate> body{};                             // inertia, offset, gravity, for recordings of u
  std::vector<double> correlation{};                        // of all estimates in order, row by row
  Table parameters{}, effects{};                            // the whole friction block, ready for make() and for a file
  std::vector<std::vector<double>> predicted{};             // per recording, of its target
  std::vector<std::vector<double>> validation_predicted{};  // likewise of Options::validation
  double rmse = 0, relative = 0;                            // relative: 100 |y - f| / |y|
  double mean_abs = 0;                                      // mean of |y - f|
  double held_out = 0, held_out_relative = 0;               // blocked cross-validation
  double r_squared = 0;                                     // part of the variance that is explained
  Unseen rest{};                                            // of the recordings, with Options::train
  Unseen validation{};                                      // of Options::validation, all together
  double bic = 0;
  std::size_t used = 0;    // number of fitted values
  double normal_load = 0;  // nominal, where it was measured
  std::vector<ResidualTest> tests{};
  bool converged = false;
  std::string message{};  // why not, in one line
  double seconds = 0;
  std::size_t evaluations = 0;
};

struct Ranking {
  std::vector<Fit> fits{};    // best held-out error first
  std::vector<Fit> failed{};  // with the reason in `message`
  std::string recommended{};  // the simplest adequate one
  std::string why{};          // in one sentence
  // With Options::train: which rows of each recording were fitted.
  std::vector<std::vector<bool>> fitted_rows{};
  std::vector<std::string> notes{};  // "no sliding in this recording: ..."
  bool stopped = false;              // by the user or the time budget
};

/// Throws BadInput where the recordings cannot be fitted at all (no rows, different units...).
Ranking identify(const std::vector<Recording>& recordings, const Options& options = {});

/// Force (or actuator force) of one fit along a recording; with a rig, the motion it simulates.
std::vector<double> predict(const Fit& fit, const Recording& recording, const Rig* rig = nullptr);

}  // namespace bristle::identify
