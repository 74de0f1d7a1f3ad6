#include "identify/hold.hpp"

#include <algorithm>
#include <cmath>

#include "base/linear.hpp"

namespace bristle::identify {
namespace {

/// Change of the computed force per sample; NaN at the ends and at gaps.
std::vector<double> changes(const Series& data, const std::vector<double>& force) {
  std::vector<double> out(force.size(), std::nan(""));
  for (const Stretch& stretch : data.stretches) {
    for (std::size_t i = stretch.from + 1; i + 1 < stretch.to; ++i) {
      const bool even = std::abs(data.dt[i + 1] - data.dt[i]) < 0.01 * data.dt[i];
      if (even && i > stretch.from + 1) out[i] = (force[i + 1] - force[i - 1]) / 2;
    }
  }
  return out;
}

}  // namespace

bool ForceDelay::is_half() const {
  constexpr double close = 0.25, sure = 5;
  return std::abs(samples - 0.5) < close && samples > sure * error;
}

/// The computed force contains none of the noise of the measured one, and its central difference is not correlated with
/// its own noise: a mean of neighbouring measured forces would have less noise and seem better without any delay.
ForceDelay force_delay(const Candidate& c, const Setting& s) {
  const Series& data = s.data;
  if (!data.inverse || data.fine || data.steady()) return {};
  const Control patient(1e9);
  const Objective o{data, *c.evaluator, c.space, patient, c.scale, s.threshold()};
  const std::vector<double> change = changes(data, o.predicted(c.best.q.data()));
  const auto n = static_cast<Eigen::Index>(c.space.size()) + 1;
  constexpr std::size_t parts = 20;
  struct Sums {
    Eigen::MatrixXd A;
    Eigen::VectorXd b;
  };
  std::vector<Sums> sums(parts, {Eigen::MatrixXd::Zero(n, n), Eigen::VectorXd::Zero(n)});
  Sums all = sums.front();
  Eigen::VectorXd row(n);
  o.each_row(c.best.q.data(), [&](std::size_t i, double r, const double* slopes) {
    constexpr double far = 4;  // scales
    if (!std::isfinite(change[i]) || std::abs(r) > far) return;
    row << Eigen::Map<const Eigen::VectorXd>(slopes, n - 1), -data.weight[i] / c.scale * change[i];
    Sums& part = sums[i * parts / data.size()];
    part.A += row * row.transpose();
    part.b -= row * r;
  });
  for (const Sums& e : sums) all.A += e.A, all.b += e.b;
  const Eigen::VectorXd scale = all.A.diagonal().array().max(1e-300).rsqrt();
  auto solved = [&](const Eigen::MatrixXd& A, const Eigen::VectorXd& b) -> double {
    Eigen::MatrixXd scaled = scale.asDiagonal() * A * scale.asDiagonal();
    scaled.diagonal().array() += 1e-10;
    return linear::solve(scaled, scale.asDiagonal() * b)[n - 1] * scale[n - 1];
  };
  ForceDelay out{solved(all.A, all.b), 0};
  double squares = 0;  // jackknife: errors of the motion last for many rows
  for (const Sums& e : sums) squares += std::pow(solved(all.A - e.A, all.b - e.b) - out.samples, 2);
  out.error = std::sqrt(squares * (parts - 1) / parts);
  if (!std::isfinite(out.samples) || !(out.error > 0)) return {};
  return out;
}

bool shows_held_force(const std::vector<Candidate*>& all, const Setting& s) {
  const auto best = std::ranges::min_element(all, {}, &Candidate::scale);
  return s.data.inverse && best != all.end() && std::isfinite((*best)->best.cost) && force_delay(**best, s).is_half();
}

std::vector<Recording> centred(const std::vector<Recording>& recordings) {
  std::vector<Recording> out = recordings;
  for (Recording& r : out) {
    for (std::size_t k = 0; k < r.stretches.size(); ++k) {
      const std::size_t end = k + 1 < r.stretches.size() ? r.stretches[k + 1] : r.size();
      for (std::size_t i = end; i-- > r.stretches[k] + 1;) r.u[i] = (r.u[i] + r.u[i - 1]) / 2;
    }
  }
  return out;
}

}  // namespace bristle::identify
