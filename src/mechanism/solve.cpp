#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "mechanism/equations.hpp"

/// Projections onto the constraints, and the balance of accelerations, reactions and friction at fixed positions.
namespace bristle::mechanism {

void Equations::gradients(const double* y) {
  for (std::size_t n = 0; n < joints.size(); ++n) {
    const Pair<double> p = pair(joints[n], y, still_.data());
    const Kinematics<double> k(joints[n].frame, p);
    for (std::size_t r = 0; r < joints[n].rows; ++r) linear_[n].J[r] = k.row(r).gradient;
    linear_[n].D = k.travel().gradient;
  }
}

/// Newton steps of least weighted change; `before`: the first error. `factored`: the factors of positions nearby are there.
bool Equations::near_manifold(double t, double* y, bool position, bool factored, double& before) {
  double last = inf;
  before = -1;
  for (int round = 0; round < 30; ++round) {
    std::vector<double>& x = unknown_;
    std::fill(x.begin(), x.end(), 0.0);
    bool stuck = false;
    double worst = 0, slack = 0;  // slack: of stuck joints, whose rows may depend on each other
    for (const JointState& j : joints) {
      const Pair<double> p = pair(j, y, still_.data());
      const Kinematics<double> k(j.frame, p);
      for (std::size_t r = 0; r < j.rows; ++r) {
        const Coordinate<double> row = k.row(r);
        const double e = position ? row.value : row.rate;
        worst = std::max(worst, std::abs(e) / (is_moment(j.of->kind, r) ? 1 : extent));
        x[j.row + r] = -e;
      }
      const Coordinate<double> s = k.travel();
      const double unit = j.of->kind == JointKind::revolute ? 1 : extent;
      if (j.drive != none) {
        const Signal wanted = prescribed(j, t);
        const double e = position ? s.value - wanted.value : s.rate - wanted.rate;
        worst = std::max(worst, std::abs(e) / unit);
        x[j.drive] = -e;
      }
      if (j.stuck()) {
        const double e = position ? s.value - j.s_stuck : s.rate;
        stuck = true;
        (j.rolls ? worst : slack) = std::max(j.rolls ? worst : slack, std::abs(e) / unit);
        x[j.force] = -j.slip * e;
      }
    }
    for (const std::size_t d : dependent) x[d] = 0;
    if (before < 0) before = worst;
    const double all = std::max(worst, slack);
    if (all == 0 || (round > 1 && all >= 0.5 * last)) return worst < 1e-9;
    // Small errors change the gradients even less.
    const bool near = round > 0 && last < 1e-7;
    last = all;
    if (round == 0 ? !factored : position && !near) {
      gradients(y);
      if (!factor(Matrix::projection)) return false;
    }
    matrix_.solve(x.data());
    double* to = position ? y : y + 3 * bodies;
    for (std::size_t i = 0; i < 3 * bodies; ++i) to[i] += x[i];
    // The remaining error is of the second order; rows of stuck joints may depend on each other.
    if (!(all > (stuck ? 1e-15 : 1e-9))) return true;
  }
  return false;
}

double Equations::project_position(double t, double* y) {
  double before = 0;
  return near_manifold(t, y, true, false, before) ? before : inf;
}
double Equations::project_velocity(double t, double* y) {
  double before = 0;
  return near_manifold(t, y, false, false, before) ? before : inf;
}
bool Equations::project(double t, double* y) {
  projecting_ = false;
  const double off = project_position(t, y);
  double before = 0;
  return off < 1e-3 && near_manifold(t, y, false, projecting_ && off < 1e-7, before);
}

double Equations::violation(double t, const double* y) const {
  double worst = 0;
  for (const JointState& j : joints) {
    const Pair<double> p = pair(j, y, still_.data());
    const Kinematics<double> k(j.frame, p);
    for (std::size_t r = 0; r < j.rows; ++r)
      worst = std::max(worst, std::abs(k.row(r).value) / (is_moment(j.of->kind, r) ? 1 : extent));
    const double unit = j.of->kind == JointKind::revolute ? 1 : extent;
    if (j.rolls) worst = std::max(worst, std::abs(k.travel().value) / unit);
    if (j.motion) worst = std::max(worst, std::abs(k.travel().value - prescribed(j, t).value) / unit);
  }
  return worst;
}

bool Equations::loads_matter() const {
  return std::ranges::any_of(joints, [](const JointState& j) { return j.flow && (j.loaded || j.sticky); });
}

bool Equations::balance(double t, const double* y, double* w) {
  std::vector<double>&G = unknown_, &rate = rate_;
  double last = inf;
  gradients(y);
  const bool linear = !loads_matter();
  for (int round = 0; round < 60; ++round) {
    if (!linear || round == 0) {
      if (!linear) load_slopes(t, y, w);
      if (!factor(Matrix::balance)) return false;
    }
    residual(t, y, w, G.data(), rate.data());
    matrix_.solve(G.data());
    double change = 0;
    // Relative to the largest of the same kind: linear and angular accelerations, reactions and forces.
    std::array<double, 3> size{};
    auto kind = [&](std::size_t i) { return i >= 3 * bodies ? 2U : i % 3 == 2 ? 1U : 0U; };
    for (std::size_t i = 0; i < w_size; ++i) {
      w[i] += G[i];
      if (!std::isfinite(w[i])) return false;
      size[kind(i)] = std::max(size[kind(i)], std::abs(w[i]));
    }
    double heaviest = 0;
    for (std::size_t i = 0; i < 3 * bodies; ++i)
      heaviest = std::max(heaviest, mass_of(i) / (i % 3 == 2 ? extent * extent : 1));
    size[0] = std::max({size[0], size[1] * extent, 1e-3 * size[2] / heaviest});  // forces may cancel
    size[1] = size[0] / extent;
    size[2] = std::max(size[2], 1e-3 * heaviest * size[0]);  // or vanish, where a contact opens
    for (std::size_t i = 0; i < w_size; ++i) {
      const double scale = size[kind(i)];
      if (scale > 0) change = std::max(change, std::abs(G[i]) / scale);
    }
    if (change < (linear ? 1e-6 : 1e-13) || (round > 1 && change < 1e-8 && change >= 0.5 * last)) return true;
    // Forces of stuck joints that depend on each other are as uncertain.
    if (round > 8 && change < 1e-5 && soft && std::ranges::any_of(joints, &JointState::stuck)) return true;
    last = change;
  }
  return false;
}

namespace {
Eigen::MatrixXd scaled_rows(const Equations& eq, const double* y) {
  const auto n = static_cast<Eigen::Index>(3 * eq.bodies);
  Eigen::MatrixXd J = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(eq.rows), n);
  const std::vector<double> zero(eq.w_size);
  for (const JointState& j : eq.joints) {
    const Pair<double> p = eq.pair(j, y, zero.data());
    const Kinematics<double> k(j.frame, p);
    for (std::size_t r = 0; r < j.rows; ++r) {
      const auto row = static_cast<Eigen::Index>(j.row + r - 3 * eq.bodies);
      const auto gradient = k.row(r).gradient;
      for (std::size_t c = 0; c < 6; ++c) {
        const int body = c < 3 ? j.of->first : j.of->second;
        if (body < 0) continue;
        const std::size_t at = 3 * static_cast<std::size_t>(body) + c % 3;
        J(row, static_cast<Eigen::Index>(at)) += gradient[c] / std::sqrt(eq.mass_of(at));
      }
    }
  }
  return J;
}
}  // namespace

void Equations::find_dependent(const double* y) {
  dependent.clear();
  std::fill(replaced_.begin(), replaced_.end(), char{0});
  if (rows == 0) return;
  Eigen::MatrixXd J = scaled_rows(*this, y);
  for (Eigen::Index r = 0; r < J.rows(); ++r) {
    if (const double size = J.row(r).norm(); size > 0) J.row(r) /= size;
  }
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(J.transpose());
  qr.setThreshold(1e-10);
  const auto order = qr.colsPermutation().indices();
  for (Eigen::Index i = qr.rank(); i < J.rows(); ++i)
    dependent.push_back(3 * bodies + static_cast<std::size_t>(order(i)));
  std::sort(dependent.begin(), dependent.end());
  for (const std::size_t d : dependent) replaced_[d] = 1;
  null_.assign(dependent.size(), std::vector<double>(rows));
  if (dependent.empty()) return;
  for (auto& list : null_) std::fill(list.begin(), list.end(), 1.0);  // any may enter later
  shape();
  follow_dependent(y);
}

void Equations::follow_dependent(const double* y) {
  if (dependent.empty()) return;
  const Eigen::MatrixXd J = scaled_rows(*this, y);
  std::vector<Eigen::Index> kept;
  for (std::size_t r = 0; r < rows; ++r) {
    if (std::find(dependent.begin(), dependent.end(), 3 * bodies + r) == dependent.end())
      kept.push_back(static_cast<Eigen::Index>(r));
  }
  Eigen::MatrixXd A(J.cols(), static_cast<Eigen::Index>(kept.size()));
  for (std::size_t k = 0; k < kept.size(); ++k) A.col(static_cast<Eigen::Index>(k)) = J.row(kept[k]).transpose();
  const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(A);
  std::vector<double> weight(rows, 1);  // moments count only where forces leave the choice
  for (const JointState& j : joints) {
    for (std::size_t r = 0; r < j.rows; ++r) {
      if (is_moment(j.of->kind, r)) weight[j.row + r - 3 * bodies] = 1e-8 / (extent * extent);
    }
  }
  for (std::size_t d = 0; d < dependent.size(); ++d) {
    const auto row = static_cast<Eigen::Index>(dependent[d] - 3 * bodies);
    const Eigen::VectorXd c = qr.solve(Eigen::VectorXd(J.row(row).transpose()));
    std::fill(null_[d].begin(), null_[d].end(), 0.0);
    null_[d][static_cast<std::size_t>(row)] = weight[static_cast<std::size_t>(row)];
    for (std::size_t k = 0; k < kept.size(); ++k) {
      const auto at = static_cast<std::size_t>(kept[k]);
      null_[d][at] = -c(static_cast<Eigen::Index>(k)) * weight[at];
    }
  }
}

}  // namespace bristle::mechanism
