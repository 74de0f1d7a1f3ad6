#include "identify/population_surrogate.hpp"

#include <algorithm>
#include <cmath>

#include "base/linear.hpp"

namespace bristle::identify {
namespace {

constexpr std::size_t n_terms = 1 + n_shape + n_shape * (n_shape + 1) / 2;
constexpr double h = 0.01;  // of derivatives, in ln p: the form is smooth

}  // namespace

Eigen::VectorXd PopulationSurrogate::terms(const PopulationShape& q) const {
  Eigen::VectorXd out(static_cast<Eigen::Index>(n_terms));
  PopulationShape z{};
  for (std::size_t k = 0; k < n_shape; ++k) z[k] = (q[k] - centre_[k]) / radius_;
  Eigen::Index at = 0;
  out[at++] = 1;
  for (std::size_t k = 0; k < n_shape; ++k) {
    out[at++] = z[k];
    for (std::size_t l = 0; l <= k; ++l) out[at++] = z[k] * z[l];
  }
  return out;
}

PopulationSurrogate::PopulationSurrogate(const PopulationSearch& search, const PopulationShape& centre, double radius,
                                         const Crowd& crowd)
    : search_(&search), centre_(centre), radius_(radius) {
  const auto K = static_cast<std::size_t>(crowd.seeds);
  const std::size_t pairs = std::max<std::size_t>(8, (48 + 2 * K - 1) / (2 * K));  // of every seed
  // Points and their opposites, from the sequence of multiples of powers of the root of g^5 = g + 1.
  std::vector<PopulationShape> points;
  constexpr double g = 1.1673039782614187;
  for (std::size_t i = 0; i < K * pairs; ++i) {
    PopulationShape up = centre, down = centre;
    for (std::size_t k = 0; k < n_shape; ++k) {
      const double turns = 0.5 + static_cast<double>(i + 1) * std::pow(g, -static_cast<double>(k + 1));
      const double z = radius * (2 * (turns - std::floor(turns)) - 1);
      up[k] += z;
      down[k] -= z;
    }
    points.push_back(up);
    points.push_back(down);
  }
  const auto n = static_cast<Eigen::Index>(points.size());
  const Response all = search.responses_of_seeds(points, crowd, 2);
  Eigen::MatrixXd T(n, static_cast<Eigen::Index>(n_terms));
  for (Eigen::Index j = 0; j < n; ++j) T.row(j) = terms(points[static_cast<std::size_t>(j)]).transpose();
  const Eigen::MatrixXd normal = T.transpose() * T;
  Eigen::MatrixXd P(T.cols(), n);
  for (Eigen::Index j = 0; j < n; ++j) P.col(j) = linear::solve(normal, T.row(j).transpose());
  auto fit = [&](const Eigen::MatrixXd& R, Eigen::MatrixXd& form, Eigen::MatrixXd& seeds) {
    form = R * P.transpose();
    const Eigen::MatrixXd rest = R - form * T.transpose();
    seeds = Eigen::MatrixXd::Zero(R.rows(), crowd.seeds);
    for (Eigen::Index j = 0; j < n; ++j)
      seeds.col((j / 2) % crowd.seeds) += rest.col(j) / (2.0 * static_cast<double>(pairs));
    // The terms take up their share of a deviation.
    seeds *= static_cast<double>(n) / static_cast<double>(n - T.cols() + 1);
  };
  fit(all.elastic, elastic_, seeds_.elastic);
  fit(all.impact, impact_, seeds_.impact);
}

Response PopulationSurrogate::response(const PopulationShape& q) const {
  const Eigen::VectorXd t = terms(q);
  return {elastic_ * t, impact_ * t};
}

double PopulationSurrogate::distance(const PopulationShape& q) const {
  double out = 0;
  for (std::size_t k = 0; k < n_shape; ++k) out = std::max(out, std::abs(q[k] - centre_[k]) / radius_);
  return out;
}

PopulationCandidate PopulationSurrogate::lowest() const {
  auto at = [&](PopulationShape q) {
    for (std::size_t k = 0; k < n_shape; ++k)
      q[k] = std::clamp(q[k], centre_[k] - 1.2 * radius_, centre_[k] + 1.2 * radius_);
    q = limited(q);
    return search_->solved(q, response(q));
  };
  PopulationCandidate best = at(centre_);
  double damping = 1e-2;
  for (int round = 0; round < 60; ++round) {
    Eigen::MatrixXd J(best.residuals.size(), static_cast<Eigen::Index>(n_shape));
    for (std::size_t k = 0; k < n_shape; ++k) {
      PopulationShape up = best.q, down = best.q;
      up[k] += h;
      down[k] -= h;
      J.col(static_cast<Eigen::Index>(k)) =
          (search_->solved(up, response(up)).residuals - search_->solved(down, response(down)).residuals) / (2 * h);
    }
    Eigen::MatrixXd A = J.transpose() * J;
    for (Eigen::Index k = 0; k < A.rows(); ++k) A(k, k) *= 1 + damping;
    const Eigen::VectorXd d = linear::solve(A, -J.transpose() * best.residuals);
    PopulationShape next = best.q;
    for (std::size_t k = 0; k < n_shape; ++k) next[k] += d[static_cast<Eigen::Index>(k)];
    PopulationCandidate after = at(next);
    if (after.cost < best.cost) {
      const bool done = after.cost > (1 - 1e-9) * best.cost;
      best = std::move(after);
      damping = std::max(1e-6, damping / 5);
      if (done) break;
    } else if ((damping *= 5) > 1e6) {
      break;
    }
  }
  return best;
}

double PopulationSurrogate::impact_scale(const PopulationCandidate& c) const {
  if (c.impact > 0) return c.impact;
  const Response here = response(c.q);
  const double impact = here.impact.norm();
  return impact > 0 ? c.scale * here.elastic.norm() / impact : 1;
}

Eigen::MatrixXd PopulationSurrogate::jacobian(const PopulationCandidate& c) const {
  const Response here = response(c.q);
  Eigen::MatrixXd J(here.elastic.rows(), 6);
  J.col(0) = search_->weighted(c, here);
  for (std::size_t k = 0; k < n_shape; ++k) {
    PopulationShape up = c.q, down = c.q;
    up[k] += h;
    down[k] -= h;
    J.col(static_cast<Eigen::Index>(k + 1)) =
        (search_->weighted(c, response(up)) - search_->weighted(c, response(down))) / (2 * h);
  }
  PopulationCandidate impacts = c;
  impacts.scale = 0;
  impacts.impact = impact_scale(c);
  J.col(5) = search_->weighted(impacts, here);
  return J;
}

Eigen::MatrixXd PopulationSurrogate::deviations(const PopulationCandidate& c) const {
  return search_->weighted(c, seeds_);
}

}  // namespace bristle::identify
