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

/// Fits of models to recordings, their ranking and intervals.
namespace bristle::identify {

/// constant: an offset force; sine: amplitude sin(x - phase); automatic: a sine of an angle if it lowers the held-out error.
enum class Gravity { none, constant, sine, automatic };
/// Weight of residuals: squares, or Huber's, which limits outliers.
enum class Loss { squares, huber };

/// The experiment of the recordings, for fits by simulation.
struct Rig {
  std::string name{};  // for messages: the scenario file
  Experiment experiment{};
};

/// Knowledge about a parameter besides the data: mean and standard deviation.
struct Prior {
  std::string name{};
  double mean = 0, sigma = 1;  // mean: expected value; sigma: its standard deviation
};

/// Options of a fit.
struct Options {
  std::vector<std::string> models{};  // empty: all lumped models identifiable from the data
  std::vector<std::string>
      effects{};  // fields of [friction.effects] to fit; "auto": effects that reduce the cross-validation error
  Gravity gravity = Gravity::automatic;  // with `u` only
  Loss loss = Loss::huber;               // weight of residuals
  std::vector<std::string> free{};       // additional parameters to fit (alpha, i, n), otherwise at their defaults.
                                         // With a rig also values of its [system] and [controller]: mass, kp...
  std::shared_ptr<const Rig> rig{};      // fit by simulation with recorded inputs
  std::vector<std::size_t> elements{1, 2, 3, 4, 6, 8};  // numbers to try for Maxwell-slip, GMS and Leuven
  int starts = 4;                                       // local fits per model, from the best of many tried points
  int folds = 5;                                        // of the blocked cross-validation
  bool profiles = true;                                 // intervals by profile likelihood for the best models
  bool global = true;                                   // a global search before the local fits
  bool simplex = false;                                 // Nelder-Mead simplex instead of derivatives
  double seconds = 300;                                 // time limit for all models together
  int threads = 0;                                      // 0: all
  std::uint64_t seed = 1;
  // Fraction of every recording to fit, from its start (steady points: spread evenly); the rest is predicted.
  double train = 1;                     // part of each recording that is fitted; the rest is held out
  std::vector<Recording> validation{};  // recordings to predict without fitting them
  Table fixed{};                        // parameters fixed at a value: Fc, vs, ...
  std::vector<Prior> priors{};          // on parameters, effects, the body, terms
  std::function<bool(double done, const std::string& what)> progress{};  // false: stop
};

/// One number of a fit.
struct Estimate {
  std::string name{}, unit{};  // arrays unrolled: k1, k2
  double value = 0;            // estimated value
  double low = 0, high = 0;    // 95 % interval, by profile likelihood for the best models, else by curvature
  bool profiled = false;       // whether the interval comes from the profile of the likelihood
  bool at_bound = false;       // whether the estimate lies at a bound
  bool identifiable = true;    // whether the data determine it
  std::string diagnosis{};     // "sigma1 is not identifiable from this recording: no motion below 10 vs"
  bool dropped = false;        // not determined and not fitted: at a value without effect (kv = 0, Fs = Fc)
};

/// A test of the residuals.
struct ResidualTest {
  std::string name{};           // "white", "velocity", "position", "time"
  double statistic = 0, p = 1;  // p < 0.01: significant
  std::string text{};           // one sentence
};

/// Errors of a prediction; relative: 100 |y - f| / |y|, r_squared: explained fraction of the variance.
struct Errors {
  std::size_t rows = 0;  // 0: not requested
  // rmse: root mean square error; relative: rmse in percent of the rms of the measurement;
  // mean_abs: mean absolute error; r_squared: explained fraction of the variance
  double rmse = 0, relative = 0, mean_abs = 0, r_squared = 0;
};

/// A fitted model.
struct Fit {
  std::string model{};
  std::size_t elements = 0;                                 // of array parameters
  std::vector<Estimate> friction{};                         // fitted parameters of the model, then of the effects
  std::vector<Estimate> body{};                             // inertia, offset, gravity, for recordings of u
  std::vector<double> correlation{};                        // matrix of all estimates, by rows
  Table parameters{}, effects{};                            // the complete friction block, for make() and files
  std::vector<std::vector<double>> predicted{};             // predicted target of each recording
  std::vector<std::vector<double>> validation_predicted{};  // predicted target of each of Options::validation
  double rmse = 0, relative = 0;                            // relative: 100 |y - f| / |y|
  /// Mean absolute error.
  double mean_abs = 0;                         // mean of |y - f|
  double held_out = 0, held_out_relative = 0;  // blocked cross-validation
  /// Explained part of the variance.
  double r_squared = 0;               // explained fraction of the variance
  Errors rest{};                      // on the rest of the recordings (Options::train)
  Errors validation{};                // on all of Options::validation
  double bic = 0;                     // Bayesian information criterion
  std::size_t used = 0;               // number of fitted values
  double normal_load = 0;             // nominal if measured, else 0
  std::vector<ResidualTest> tests{};  // tests of the residuals
  bool converged = false;             // whether a minimum was found
  std::string message{};              // reason for a failure, in one line
  double seconds = 0;
  std::size_t evaluations = 0;  // number of evaluations of the residuals
  // False: the time limit or the user ended the fit or its cross-validation; held_out is not a number.
  bool finished = true;        // false if the fit was interrupted
  double start_speed = 0;      // of steady sliding before the recordings; 0: the first speed of each
  std::vector<Errors> each{};  // on the fitted rows of each recording
  std::vector<Errors> rest_each{}, validation_each{};  // on the rest of each recording, on each of Options::validation
};

/// A number read from an experiment that a recording contains, without a model.
struct Observation {
  std::string experiment{};  // "constant speed", "force ramp", "small loops", "velocity step"
  std::string name{};        // "F" or "u", "break-away", "stiffness", "Masing deviation", "a - b"...
  std::string unit{};
  double value = 0, low = 0, high = 0;  // 95 % interval
  double v = 0;                         // speed of a steady point; of other experiments the direction: 1, -1, 0: both
  double scatter = 0;                   // standard deviation: of the rows of a steady point, of repetitions of others
  std::size_t repetitions = 0;          // plateaus, ramps or branches of loops
  std::size_t rows = 0;
  std::vector<std::string> recordings{};
  double from = 0, to = 0;  // time of the first one, s
  std::string remark{};     // remark on the experiment
};
/// Recognises experiments in recordings of one joint. Experiments that are not clear yield no numbers.
std::vector<Observation> experiments_of(const std::vector<Recording>& recordings);

/// Fits of several models to the same data.
struct Ranking {
  std::vector<Fit> fits{};    // sorted by cross-validation error, unfinished ones last
  std::vector<Fit> failed{};  // with the reason in `message`
  std::string recommended{};  // the simplest adequate model; empty: no model explains the data
  std::string why{};          // reason in one sentence
  // With Options::train: fitted rows of each recording.
  std::vector<std::vector<bool>> fitted_rows{};      // which rows were fitted, per recording
  std::vector<std::string> notes{};                  // "no sliding in this recording: ..."
  bool stopped = false;                              // by the user or the time limit
  std::vector<std::string> not_determined{};         // numbers of the recommended model
  std::vector<std::string> unfinished{};             // models that the time limit or the user ended
  std::vector<std::vector<std::size_t>> outliers{};  // rows of each recording left out of errors and ranking
  std::vector<Observation> experiments{};            // experiments that the recordings contain
};

/// Throws BadInput if the recordings cannot be fitted at all (no rows, different units...).
Ranking identify(const std::vector<Recording>& recordings, const Options& options = {});

/// Predicted force (or actuator force) of a fit along a recording; with a rig, the simulated motion.
std::vector<double> predict(const Fit& fit, const Recording& recording, const Rig* rig = nullptr);

/// Errors and predictions of a fit on recordings, of which nothing is fitted.
struct Score {
  std::vector<std::vector<double>> predicted{};  // predicted values, per recording
  std::vector<Errors> each{};                    // errors per recording
  Errors all{};                                  // errors of all recordings together
};
/// Throws BadInput if a recording does not match the first one.
Score score(const Fit& fit, const std::vector<Recording>& recordings, const Rig* rig = nullptr);

}  // namespace bristle::identify
