#pragma once
#include <Eigen/Core>
#include <array>
#include <functional>
#include <vector>

#include "bristle/identify/population.hpp"
#include "identify/blocks.hpp"

/// Search for the parameters of a population.
///
/// The force is linear in scale and in scale times mass, because impacts change no event: both come from linear least
/// squares at every point, and the search has four parameters. The mean force of all seeds is compared, so that its small
/// jumps are those of all populations together.
namespace bristle::identify {

constexpr std::size_t n_shape = 4;
using PopulationShape = std::array<double, n_shape>;  // ln of kt, mu0, tau, wavelength
constexpr std::size_t at_kt = 0, at_mu0 = 1, at_tau = 2, at_wavelength = 3;

/// Populations whose mean force is compared: seeds first, first + 1, ...
struct Crowd {
  int asperities, seeds;
  std::uint64_t first;
};

/// Means of the blocks for scale 1, one column per seed.
struct Response {
  Eigen::MatrixXd elastic, impact;  // impact: for mass 1
};

struct PopulationCandidate {
  PopulationShape q{};
  double scale = 0, impact = 0;  // impact: scale times mass
  double cost = HUGE_VAL;
  Eigen::VectorXd residuals{};  // weighted
};

/// mu0 < mu_inf = 1.
PopulationShape limited(PopulationShape q);
GfmParams population_of(const PopulationShape& q, double scale, double mass, int asperities, std::uint64_t seed);

/// The motion of all recordings; each starts with a new population at rest.
class Motions {
 public:
  explicit Motions(const std::vector<Recording>& recordings);
  /// The force at every row without impacts, and the share of impacts; the first row of a recording is 0.
  std::array<std::vector<double>, 2> force(const GfmParams& p) const;
  const std::vector<double>& measured() const { return F_; }
  double rms() const;

 private:
  std::vector<std::vector<asperity::Step>> steps_{};
  std::vector<double> F_{};
};

class PopulationSearch {
 public:
  /// `tick` is called at every run with its number of asperities.
  PopulationSearch(const Motions& motions, const Blocks& blocks, unsigned threads,
                   std::function<void(int asperities)> tick);

  Response response(const PopulationShape& q, const Crowd& crowd) const;
  /// Scale and impact of least squares.
  PopulationCandidate at(const PopulationShape& q, const Crowd& crowd) const { return solved(q, response(q, crowd)); }
  PopulationCandidate solved(const PopulationShape& q, const Response& response) const;
  std::vector<PopulationCandidate> at_all(const std::vector<PopulationShape>& points, const Crowd& crowd) const;
  /// Least squares from a point; parameters with free[k] false stay.
  PopulationCandidate descend(PopulationCandidate from, const Crowd& crowd, int rounds,
                              std::array<bool, n_shape> free) const;
  /// One column per point, each with one seed: `run` points of the first, then of the second, ..., again of the first.
  Response responses_of_seeds(const std::vector<PopulationShape>& points, const Crowd& crowd, std::size_t run) const;
  /// Weighted means of every seed.
  Eigen::MatrixXd weighted(const PopulationCandidate& at, const Response& response) const;
  /// Weights from `share` of the variance between populations, and from that of the rows within a block.
  void weigh(const PopulationCandidate& at, const Crowd& crowd, double share);

 private:
  /// Fills a column with the response of one population.
  void run(const PopulationShape& q, int asperities, std::uint64_t seed, Response& to, Eigen::Index column) const;
  std::vector<Response> responses(const std::vector<PopulationShape>& points, const Crowd& crowd) const;

  const Motions& motions_;
  const Blocks& blocks_;
  unsigned threads_;
  std::function<void(int)> tick_;
  Eigen::VectorXd measured_, weights_;  // roots of weights
};

}  // namespace bristle::identify
