#pragma once
#include <Eigen/Core>
#include <vector>

#include "identify/objective.hpp"
#include "identify/statistics.hpp"

namespace bristle::identify {

/// Noise of the rows of one recording, in their order.
struct Noise {
  std::vector<double> psi{};  // residuals under Huber's loss
  std::vector<std::size_t> breaks{};
  bool steady = false;

  Autoregression process() const;
};

/// Curvature and the noise of every sample, from one evaluation with derivatives.
struct Curvature {
  Eigen::MatrixXd H, squares;  // sum of slope J J', sum of J J'
  std::vector<Noise> noise{};  // of each recording
};
Curvature curvature(const Objective& o, const double* q);

/// Variance of the sum of J psi for an autoregressive psi of each recording.
Eigen::MatrixXd influence(const Objective& o, const double* q, const std::vector<Autoregression>& processes);

}  // namespace bristle::identify
