#include "identify/population_search.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/linear.hpp"
#include "base/parallel.hpp"

namespace bristle::identify {
namespace {

constexpr double step = 0.05;  // in ln p: smaller ones see events that do not move

/// Sum of squares of b - A x for x >= 0 with two unknowns.
std::array<double, 2> two_unknowns(const Eigen::VectorXd& a0, const Eigen::VectorXd& a1, const Eigen::VectorXd& b) {
  const double s00 = a0.squaredNorm(), s01 = a0.dot(a1), s11 = a1.squaredNorm(), b0 = a0.dot(b), b1 = a1.dot(b);
  const double det = s00 * s11 - s01 * s01;
  if (det > 1e-12 * s00 * s11) {
    const double x0 = (b0 * s11 - b1 * s01) / det, x1 = (b1 * s00 - b0 * s01) / det;
    if (x0 > 0 && x1 >= 0) return {x0, x1};
  }
  return {s00 > 0 ? std::max(0.0, b0 / s00) : 0.0, 0.0};
}

}  // namespace

PopulationShape limited(PopulationShape q) {
  q[at_mu0] = std::clamp(q[at_mu0], std::log(1e-3), -1e-3);
  return q;
}

GfmParams population_of(const PopulationShape& q, double scale, double mass, int asperities, std::uint64_t seed) {
  GfmParams p;
  p.asperities = asperities;
  p.seed = static_cast<std::int64_t>(seed);
  p.scale = scale;
  p.kt = std::exp(q[at_kt]);
  p.mu0 = std::min(std::exp(q[at_mu0]), p.mu_inf);
  p.tau = std::exp(q[at_tau]);
  p.wavelength = std::exp(q[at_wavelength]);
  p.mass = mass;
  return p;
}

Motions::Motions(const std::vector<Recording>& recordings) {
  for (const Recording& r : recordings) {
    auto& s = steps_.emplace_back();
    for (std::size_t i = 1; i < r.t.size(); ++i) s.push_back({r.x[i] - r.x[0], r.t[i] - r.t[i - 1]});
    F_.insert(F_.end(), r.F.begin(), r.F.end());
  }
}

std::array<std::vector<double>, 2> Motions::force(const GfmParams& p) const {
  std::array<std::vector<double>, 2> out;
  for (auto& all : out) all.reserve(F_.size());
  Gfm g(p, false);
  for (const auto& s : steps_) {
    g.reset();
    std::vector<asperity::Record> records(s.size());
    g.run(s, records);
    for (auto& all : out) all.push_back(0);
    double before = 0;
    for (std::size_t i = 0; i < s.size(); ++i) {
      const double path = s[i].u - before;
      out[0].push_back(p.scale * records[i].F);
      out[1].push_back(path != 0 ? p.scale * std::copysign(records[i].W_imp / std::abs(path), path) : 0);
      before = s[i].u;
    }
  }
  return out;
}

double Motions::rms() const {
  return std::sqrt(std::inner_product(F_.begin(), F_.end(), F_.begin(), 0.0) / static_cast<double>(F_.size()));
}

PopulationSearch::PopulationSearch(const Motions& motions, const Blocks& blocks, unsigned threads,
                                   std::function<void(int)> tick)
    : motions_(motions), blocks_(blocks), threads_(threads), tick_(std::move(tick)) {
  const std::vector<double> means = blocks.means(motions.measured());
  measured_ = Eigen::Map<const Eigen::VectorXd>(means.data(), static_cast<Eigen::Index>(means.size()));
  weights_ = Eigen::VectorXd::Constant(measured_.size(), 1 / motions.rms());
}

void PopulationSearch::run(const PopulationShape& q, int asperities, std::uint64_t seed, Response& to,
                           Eigen::Index column) const {
  tick_(asperities);
  const auto F = motions_.force(population_of(q, 1, 1, asperities, seed));
  for (const bool impact : {false, true}) {
    const std::vector<double> means = blocks_.means(F[impact ? 1 : 0]);
    (impact ? to.impact : to.elastic).col(column) =
        Eigen::Map<const Eigen::VectorXd>(means.data(), static_cast<Eigen::Index>(means.size()));
  }
}

std::vector<Response> PopulationSearch::responses(const std::vector<PopulationShape>& points,
                                                  const Crowd& crowd) const {
  const auto K = static_cast<std::size_t>(crowd.seeds);
  const Eigen::Index n = measured_.size();
  std::vector<Response> out(points.size(), {Eigen::MatrixXd(n, crowd.seeds), Eigen::MatrixXd(n, crowd.seeds)});
  in_parallel(points.size() * K, threads_, [&](std::size_t job) {
    run(points[job / K], crowd.asperities, crowd.first + job % K, out[job / K], static_cast<Eigen::Index>(job % K));
  });
  return out;
}

Response PopulationSearch::responses_of_seeds(const std::vector<PopulationShape>& points, const Crowd& crowd,
                                              std::size_t run_length) const {
  const auto n = static_cast<Eigen::Index>(points.size());
  Response out{Eigen::MatrixXd(measured_.size(), n), Eigen::MatrixXd(measured_.size(), n)};
  in_parallel(points.size(), threads_, [&](std::size_t i) {
    const std::uint64_t seed = crowd.first + i / run_length % static_cast<std::size_t>(crowd.seeds);
    run(limited(points[i]), crowd.asperities, seed, out, static_cast<Eigen::Index>(i));
  });
  return out;
}

Response PopulationSearch::response(const PopulationShape& q, const Crowd& crowd) const {
  return responses({q}, crowd)[0];
}

PopulationCandidate PopulationSearch::solved(const PopulationShape& q, const Response& r) const {
  const Eigen::VectorXd elastic = weights_.cwiseProduct(r.elastic.rowwise().mean());
  const Eigen::VectorXd impact = weights_.cwiseProduct(r.impact.rowwise().mean());
  const Eigen::VectorXd goal = weights_.cwiseProduct(measured_);
  const auto [scale, mass] = two_unknowns(elastic, impact, goal);
  PopulationCandidate out{.q = q, .scale = scale, .impact = mass, .residuals = scale * elastic + mass * impact - goal};
  out.cost = out.residuals.squaredNorm();
  return out;
}

std::vector<PopulationCandidate> PopulationSearch::at_all(const std::vector<PopulationShape>& points,
                                                          const Crowd& crowd) const {
  const std::vector<Response> all = responses(points, crowd);
  std::vector<PopulationCandidate> out;
  for (std::size_t i = 0; i < points.size(); ++i) out.push_back(solved(points[i], all[i]));
  return out;
}

PopulationCandidate PopulationSearch::descend(PopulationCandidate best, const Crowd& crowd, int rounds,
                                              std::array<bool, n_shape> free) const {
  std::vector<std::size_t> moved;
  for (std::size_t k = 0; k < n_shape; ++k) {
    if (free[k]) moved.push_back(k);
  }
  const auto m = static_cast<Eigen::Index>(moved.size());
  double damping = 1e-2;
  for (int round = 0; round < rounds; ++round) {
    std::vector<PopulationShape> points;
    for (const std::size_t k : moved) {
      for (const double h : {step, -step}) {
        points.push_back(best.q);
        points.back()[k] += h;
      }
    }
    const std::vector<PopulationCandidate> around = at_all(points, crowd);
    Eigen::MatrixXd J(measured_.size(), m);
    for (Eigen::Index k = 0; k < m; ++k) {
      const auto i = static_cast<std::size_t>(2 * k);
      J.col(k) = (around[i].residuals - around[i + 1].residuals) / (2 * step);
    }
    const Eigen::MatrixXd A = J.transpose() * J;
    const Eigen::VectorXd b = -J.transpose() * best.residuals;
    const double before = best.cost;
    for (int trial = 0; trial < 5 && best.cost == before; ++trial) {
      Eigen::MatrixXd damped = A;
      for (Eigen::Index k = 0; k < m; ++k) damped(k, k) += damping * A(k, k) + 1e-12 * A.trace();
      const Eigen::VectorXd d = linear::solve(damped, b);
      PopulationShape next = best.q;
      for (Eigen::Index k = 0; k < m; ++k) next[moved[static_cast<std::size_t>(k)]] += std::clamp(d[k], -0.7, 0.7);
      PopulationCandidate after = at(limited(next), crowd);
      const bool better = after.cost < best.cost;
      damping = better ? std::max(1e-6, damping / 5) : std::max(1e-3, damping * 8);
      if (better) best = std::move(after);
    }
    if (best.cost > (1 - 1e-3) * before) break;
  }
  return best;
}

Eigen::MatrixXd PopulationSearch::weighted(const PopulationCandidate& c, const Response& r) const {
  return weights_.asDiagonal() * (c.scale * r.elastic + c.impact * r.impact);
}

void PopulationSearch::weigh(const PopulationCandidate& c, const Crowd& crowd, double share) {
  const Eigen::VectorXd ones = Eigen::VectorXd::Ones(measured_.size());
  weights_ = ones;
  const Eigen::MatrixXd forces = weighted(c, response(c.q, crowd));
  const Eigen::VectorXd mean = forces.rowwise().mean();
  const Eigen::VectorXd between = share * (forces.colwise() - mean).rowwise().squaredNorm() /
                                  std::max<double>(1, static_cast<double>(crowd.seeds - 1));
  // The deviation of rows from the mean of their block.
  const auto F = motions_.force(population_of(c.q, c.scale, c.impact / c.scale, crowd.asperities, crowd.first));
  double within = 0;
  std::size_t rows = 0;
  for (const Block& block : blocks_.all) {
    double sum = 0, squares = 0;
    for (const std::size_t r : block.rows) {
      const double error = F[0][r] + F[1][r] - motions_.measured()[r];
      sum += error;
      squares += error * error;
    }
    within += squares - sum * sum / static_cast<double>(block.rows.size());
    rows += block.rows.size() - 1;
  }
  within /= static_cast<double>(std::max<std::size_t>(rows, 1));
  for (std::size_t b = 0; b < blocks_.all.size(); ++b) {
    const auto i = static_cast<Eigen::Index>(b);
    const double variance = between[i] + within / static_cast<double>(blocks_.all[b].rows.size());
    weights_[i] = 1 / std::sqrt(variance + 1e-8 * measured_.squaredNorm() / static_cast<double>(measured_.size()));
  }
}

}  // namespace bristle::identify
