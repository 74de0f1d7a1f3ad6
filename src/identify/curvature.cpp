#include "identify/curvature.hpp"

#include <algorithm>
#include <cmath>

namespace bristle::identify {

using Matrix = Eigen::MatrixXd;

Autoregression Noise::process() const {
  if (!steady) return autoregression(psi, breaks, 24);
  double sum = 0;
  for (const double e : psi) sum += e * e;
  return {.innovation = psi.empty() ? 1 : sum / static_cast<double>(psi.size())};
}

Curvature curvature(const Objective& o, const double* q) {
  const auto n = static_cast<Eigen::Index>(o.space.size());
  Curvature c{Matrix::Zero(n, n), Matrix::Zero(n, n)};
  const std::vector<Stretch>& stretches = o.data.stretches;
  for (const Stretch& s : stretches) c.noise.resize(std::max(c.noise.size(), s.recording + 1));
  std::size_t stretch = 0, begun = stretches.size();
  o.each_row(q, [&](std::size_t i, double r, const double* row) {
    while (i >= stretches[stretch].to) ++stretch;
    const Eigen::Map<const Eigen::VectorXd> J(row, n);
    const bool inside = !(o.threshold > 0) || std::abs(r) <= o.threshold;
    const double share = o.data.share_of(stretches[stretch]);
    c.squares.selfadjointView<Eigen::Lower>().rankUpdate(J);
    if (inside) c.H.selfadjointView<Eigen::Lower>().rankUpdate(J, share * share);
    Noise& noise = c.noise[stretches[stretch].recording];
    if (stretch != begun) noise.breaks.push_back(noise.psi.size());
    begun = stretch;
    noise.steady = stretches[stretch].steady;
    noise.psi.push_back(inside ? r : std::copysign(o.threshold, r));
  });
  c.H = c.H.selfadjointView<Eigen::Lower>();
  c.squares = c.squares.selfadjointView<Eigen::Lower>();
  return c;
}

Matrix influence(const Objective& o, const double* q, const std::vector<Autoregression>& processes) {
  const auto n = static_cast<Eigen::Index>(o.space.size());
  const std::vector<Stretch>& stretches = o.data.stretches;
  Matrix sum = Matrix::Zero(n, n), past;
  std::size_t at = 0, stretch = 0, begun = stretches.size();
  Eigen::VectorXd y(n);
  o.each_row(q, [&](std::size_t i, double, const double* row) {
    while (i >= stretches[stretch].to) ++stretch;
    const Autoregression& process = processes[stretches[stretch].recording];
    const std::size_t order = process.phi.size();
    if (stretch != begun) past = Matrix::Zero(n, static_cast<Eigen::Index>(std::max<std::size_t>(order, 1))), at = 0;
    begun = stretch;
    y = Eigen::Map<const Eigen::VectorXd>(row, n) * std::pow(o.data.share_of(stretches[stretch]), 2);
    for (std::size_t k = 0; k < order; ++k)
      y += process.phi[k] * past.col(static_cast<Eigen::Index>((at + order - 1 - k) % order));
    if (order > 0) past.col(static_cast<Eigen::Index>(at % order)) = y;
    at = order > 0 ? (at + 1) % order : 0;
    sum.selfadjointView<Eigen::Lower>().rankUpdate(y, process.innovation);
  });
  return sum.selfadjointView<Eigen::Lower>();
}

}  // namespace bristle::identify
