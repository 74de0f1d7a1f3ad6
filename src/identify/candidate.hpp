#pragma once
#include <memory>
#include <string>
#include <vector>

#include "identify/guess.hpp"
#include "identify/solve.hpp"

namespace bristle::identify {

/// One model in one shape on its way through the fit.
struct Candidate {
  Shape shape{};
  std::unique_ptr<Walker> walker{};
  StartingPoint start{};
  Space space{};
  std::vector<std::vector<double>> starts{};
  std::vector<Solution> tried{};
  Solution best{};
  double scale = 1;               // of the noise
  std::vector<float> held_out{};  // residuals of the blocks that were not fitted, every `stride`-th sample
  double held_out_rmse = 0, held_out_relative = 0;
  bool validated = false;  // the held-out error is one
  bool fuses = false;      // has a short way
  bool hopeless = false;   // others explain the data far better: the last digits do not matter
  std::string failure{};
  double seconds = 0;  // of work, on whatever thread
  std::size_t evaluations = 0;
  Fit fit{};
  /// Behind each estimate, friction then body: its parameter, and its standard errors with independent noise and as judged.
  struct Behind {
    std::size_t parameter = 0;
    double naive = 0, error = 0;
  };
  std::vector<Behind> behind{};
};

struct Setting {
  const Series& data;
  const Features& features;
  const Options& options;
  const Control& control;
  double least_scale = 1e-9;
  std::size_t stride = 1;   // of kept residuals
  double tolerance = 1e-7;  // of the cost, at which a descent ends

  double bend() const { return options.loss == Loss::huber ? 2.5 : 0; }
};

/// Intervals, correlation, tests, the finished parameter block.
void judge(Candidate& c, const Setting& s);
/// Intervals by profile likelihood of one estimate (friction first, then body); false if it could not be done.
bool profile(Candidate& c, const Setting& s, std::size_t estimate, Estimate& out);
/// Whether a predicts what it has not seen better than b, by more than chance or a triviality.
bool clearly_better(const Candidate& a, const Candidate& b, const Setting& s);
/// Order, recommendation and its reason.
void rank(Ranking& ranking, std::vector<Candidate*>& best, const Setting& s);

}  // namespace bristle::identify
