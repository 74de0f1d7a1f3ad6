#include <ceres/ceres.h>

#include <cmath>
#include <memory>

#include "identify/solve.hpp"

namespace bristle::identify {
namespace {

/// The whole recording as n + 1 residuals: those of a square root of the Gram matrix of [J r] have the same cost, gradient
/// and Gauss-Newton matrix, so Ceres never sees the length of the data.
class Condensed final : public ceres::CostFunction {
 public:
  explicit Condensed(const Objective& o) : o_(o), n_(static_cast<int>(o.space.size())) {
    set_num_residuals(n_ + 1);
    mutable_parameter_block_sizes()->push_back(n_);
  }
  bool Evaluate(const double* const* parameters, double* residuals, double** jacobians) const override {
    std::fill(residuals, residuals + n_ + 1, 0.0);
    const bool same = std::equal(at_.begin(), at_.end(), parameters[0], parameters[0] + n_);
    if (!jacobians || !jacobians[0]) {
      // A point that is tried is nearly always taken: where derivatives come cheaply they are computed at once.
      if (o_.fuse && !same && !look(parameters[0])) return false;
      const double cost = o_.fuse ? gram_.cost : o_.cost(parameters[0]);
      residuals[0] = std::sqrt(2 * cost);
      return std::isfinite(cost);
    }
    if (!same && !look(parameters[0])) return false;
    const Gram& g = gram_;
    const Eigen::Map<const Eigen::MatrixXd> A(g.matrix.data(), n_ + 1, n_ + 1);
    // Columns to equal size first: what is left of the condition number is that of the problem.
    const Eigen::VectorXd size = A.diagonal().array().max(1e-300).sqrt();
    const Eigen::VectorXd inverse = size.cwiseInverse();
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(inverse.asDiagonal() * A * inverse.asDiagonal());
    const Eigen::MatrixXd root = eigen.eigenvalues().array().max(0.0).sqrt().matrix().asDiagonal() *
                                 eigen.eigenvectors().transpose() * size.asDiagonal();
    if (!root.allFinite()) return false;
    Eigen::Map<Eigen::VectorXd>(residuals, n_ + 1) = root.col(n_);
    Eigen::Map<Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(jacobians[0], n_ + 1, n_) =
        root.leftCols(n_);
    return true;
  }

  /// Whether cost and derivatives are there at q; they are kept for Evaluate.
  bool look(const double* q) const {
    at_.clear();
    if (!o_.gram(q, gram_)) return false;
    at_.assign(q, q + n_);
    return true;
  }

 private:
  const Objective& o_;
  int n_;
  mutable std::vector<double> at_;  // where gram_ belongs to
  mutable Gram gram_;
};

}  // namespace

Solution descend(const Objective& o, std::vector<double> q, int iterations, double tolerance) {
  o.space.clamp(q);
  if (q.empty()) return {q, o.cost(q.data()), true};
  auto cost = std::make_unique<Condensed>(o);
  if (!cost->look(q.data())) return {q, inf, false};  // Ceres would write to stderr, and return a cost of -1
  ceres::Problem problem;
  problem.AddResidualBlock(cost.release(), nullptr, q.data());
  for (int j = 0; j < static_cast<int>(q.size()); ++j) {
    const Coordinate& c = o.space.coordinates[static_cast<std::size_t>(j)];
    problem.SetParameterLowerBound(q.data(), j, c.lo);
    problem.SetParameterUpperBound(q.data(), j, c.hi);
  }
  ceres::Solver::Options options;
  options.linear_solver_type = ceres::DENSE_QR;
  options.logging_type = ceres::SILENT;
  options.max_num_iterations = iterations;
  options.num_threads = 1;
  options.function_tolerance = tolerance;
  options.parameter_tolerance = 1e-8;
  options.gradient_tolerance = 1e-12;
  options.initial_trust_region_radius = 10;  // coordinates are logarithms or of order 1
  options.max_consecutive_nonmonotonic_steps = 0;
  ceres::Solver::Summary summary;
  ceres::Solve(options, &problem, &summary);
  return {q, summary.final_cost, summary.termination_type == ceres::CONVERGENCE};
}

}  // namespace bristle::identify
