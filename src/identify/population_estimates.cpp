#include "identify/population_estimates.hpp"

#include <algorithm>
#include <cmath>

#include "base/linear.hpp"
#include "identify/statistics.hpp"

namespace bristle::identify {
namespace {

constexpr std::array<const char*, n_free> names{"scale", "kt", "mu0", "tau", "wavelength", "mass"};
constexpr std::array<const char*, n_free> units{"1", "N/m", "1", "s", "m", "kg"};
std::array<double, n_free> values(const PopulationCandidate& c) {
  return {c.scale,
          std::exp(c.q[at_kt]),
          std::exp(c.q[at_mu0]),
          std::exp(c.q[at_tau]),
          std::exp(c.q[at_wavelength]),
          c.impact / c.scale};
}

}  // namespace

Refined refined(const PopulationSearch& search, const PopulationShape& start, const Crowd& crowd) {
  double radius = 0.2;
  PopulationShape centre = start;
  for (int round = 0;; ++round) {
    PopulationSurrogate form(search, centre, radius, crowd);
    PopulationCandidate best = form.lowest();
    const double moved = form.distance(best.q);
    if (round == 6 || (radius <= 0.1 && moved < 0.6)) return {std::move(form), std::move(best)};
    centre = best.q;
    if (moved < 0.9) radius = std::max(0.1, 0.6 * radius);
  }
}

std::vector<PopulationEstimate> estimates(const PopulationSearch& search, const Refined& refined,
                                          const std::vector<PopulationCandidate>& profile, const Crowd& crowd) {
  const double K = crowd.seeds;
  const PopulationCandidate& best = refined.best;
  const Eigen::MatrixXd J = refined.form.jacobian(best), A = J.transpose() * J;
  Eigen::MatrixXd inverse(n_free, n_free);
  for (Eigen::Index p = 0; p < inverse.cols(); ++p) inverse.col(p) = linear::solve(A, Eigen::VectorXd::Unit(6, p));
  const Eigen::MatrixXd to_parameters = inverse * J.transpose();
  /// Of deviations, one column per seed: the spread of every parameter, and the variance that no parameter takes up.
  struct Spread {
    Eigen::VectorXd parameters;
    double rest;
  };
  auto spread_of = [&](const Eigen::MatrixXd& deviations) {
    const Eigen::MatrixXd moved = to_parameters * deviations;
    return Spread{moved.rowwise().norm() / std::sqrt(K - 1), (deviations - J * moved).squaredNorm() / (K - 1)};
  };
  const Spread seeds = spread_of(refined.form.deviations(best));
  const Response once = search.response(best.q, crowd);
  Eigen::MatrixXd forces = search.weighted(best, once);
  forces.colwise() -= forces.rowwise().mean().eval();
  const Spread single = spread_of(forces);
  // The error contains 1/K of the variance between seeds; the rest is the noise of the recording, which is one population.
  const double of_data = std::max(0.0, best.cost - seeds.rest / K);
  const double here = search.solved(best.q, once).cost;
  const double t = student_95(K - 1);
  const std::array<double, n_free> value = values(best);
  std::vector<PopulationEstimate> out;
  std::array<double, n_free> half{};
  for (std::size_t p = 0; p < n_free; ++p) {
    const auto i = static_cast<Eigen::Index>(p);
    PopulationEstimate& e = out.emplace_back();
    e.name = names[p];
    e.unit = units[p];
    e.value = value[p];
    e.between_seeds = seeds.parameters[i];
    const double white = of_data / std::max(1.0, static_cast<double>(J.rows()) - 6.0) * inverse(i, i);
    const double alike = single.rest > 0 ? of_data / single.rest * std::pow(single.parameters[i], 2) : 0;
    e.of_fit = std::sqrt(std::max({white, alike, 0.0}));
    half[p] = t * std::hypot(e.between_seeds / std::sqrt(K), e.of_fit);
    if (!std::isfinite(half[p])) half[p] = 700;
    e.low = e.value * std::exp(-half[p]);
    e.high = e.value * std::exp(half[p]);
    if (e.value == 0) e.high = half[p] * refined.form.impact_scale(best) / best.scale;  // the mass of no impacts
  }
  // Other wavelengths whose error is as low as the interval of the wavelength permits.
  const double limit = std::pow(half[4], 2) / inverse(4, 4);
  double count = 0;
  for (const PopulationCandidate& c : profile) {
    if (!(c.cost - here <= limit)) continue;
    ++count;
    const std::array<double, n_free> other = values(c);
    for (std::size_t p = 0; p < n_free; ++p) {
      out[p].low = std::min(out[p].low, other[p] * std::exp(-half[p]));
      out[p].high = std::max(out[p].high, other[p] * std::exp(half[p]));
      if (other[p] > 0 && value[p] > 0) out[p].between_starts += std::pow(std::log(other[p] / value[p]), 2);
    }
  }
  for (PopulationEstimate& e : out) {
    e.between_starts = count > 0 ? std::sqrt(e.between_starts / count) : 0;
    e.determined = e.low > 0 && e.high / e.low < 9;
  }
  return out;
}

}  // namespace bristle::identify
