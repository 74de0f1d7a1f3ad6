#pragma once
#include <memory>
#include <string>
#include <vector>

#include "identify/guess.hpp"
#include "identify/solve.hpp"

namespace bristle::identify {

/// State of the fit of one model in one shape.
struct Candidate {
  Shape shape{};
  std::shared_ptr<const Evaluator> evaluator{};
  StartingPoint start{};
  Space space{};
  std::vector<std::vector<double>> starts{};
  std::vector<Solution> tried{};
  Solution best{};
  std::vector<std::vector<double>> minima{};  // parameters at other ends of local fits with nearly the same cost
  std::size_t reached = 0, followed = 0;      // local fits that ended near the least cost, all local fits
  double scale = 1;                           // standard deviation of the noise
  std::vector<float> held_out{};              // cross-validation residuals, every `stride`-th sample
  double held_out_rmse = 0, held_out_relative = 0;
  bool validated = false;  // the fit and its cross-validation are complete
  bool fuses = false;      // the fused evaluation is available
  bool hopeless = false;   // other models are far better: a loose tolerance suffices
  bool hurried = false;    // the time was too short for all starting points
  std::string failure{};
  double seconds = 0;  // CPU time, sum over threads
  std::size_t evaluations = 0;
  Fit fit{};
  /// Of each estimate, friction then body: its parameter, and standard errors for independent and for correlated noise.
  struct Behind {
    std::size_t parameter = 0;
    double naive = 0, error = 0;
    double shift = 0;  // to the value without the noise of the acceleration
  };
  std::vector<Behind> behind{};
  /// Terms that the data do not determine and that are no longer fitted, with their last estimates.
  struct Dropped {
    std::size_t parameter = 0;
    Estimate before{};
  };
  std::vector<Dropped> dropped{};
  /// Values of another form of the law that the data do not exclude.
  struct Doubt {
    std::string name{}, form{};
    double value = 0;
    std::string option{};  // of the command, which fits it
  };
  std::vector<Doubt> doubts{};
};

struct Setting {
  const Series& data;
  const Features& features;
  const Options& options;
  const Control& control;
  double least_scale = 1e-9;
  std::size_t stride = 1;   // between kept residuals
  double tolerance = 1e-7;  // relative change of the cost that ends a descent

  double threshold() const { return options.loss == Loss::huber ? 2.5 : 0; }
};

/// Computes intervals, correlations, residual tests and the parameter block.
void find_intervals(Candidate& c, const Setting& s);
/// Extends an interval by this distance.
void widen(Estimate& e, double shift);
/// Interval by profile likelihood of one estimate (friction first, then body); false if not available.
bool profile(Candidate& c, const Setting& s, std::size_t estimate, Estimate& out);
/// Whether a has a significantly smaller cross-validation error than b.
bool clearly_better(const Candidate& a, const Candidate& b, const Setting& s);
/// Sorts the fits, chooses the recommended model and gives the reason.
void rank(Ranking& ranking, std::vector<Candidate*>& all, const Setting& s);

}  // namespace bristle::identify
