#pragma once
#include <Eigen/Core>
#include <algorithm>
#include <utility>
#include <vector>

#include "base/linear.hpp"

namespace bristle::mechanism {

/// Iteration x = g(x) with secants through the last rounds (Anderson), as many as there are unknowns: where friction multiplies
/// the loads by nearly 1 or by less than -1, plain iteration is slow or never ends. `part`: of each change, without secants.
class FixedPoint {
 public:
  std::vector<double> next(const std::vector<double>& x, const std::vector<double>& g, bool secant, double part) {
    const auto n = static_cast<Eigen::Index>(x.size());
    const Eigen::VectorXd to = Eigen::Map<const Eigen::VectorXd>(g.data(), n),
                          r = to - Eigen::Map<const Eigen::VectorXd>(x.data(), n);
    Eigen::VectorXd out = to - (1 - part) * r;
    if (secant && r_.cols() > 0) {
      const Eigen::MatrixXd dr = r.replicate(1, r_.cols()) - r_, dg = to.replicate(1, g_.cols()) - g_;
      const Eigen::VectorXd c = linear::least_squares(dr, r);
      if (c.allFinite() && c.cwiseAbs().maxCoeff() < 1e3) out = to - dg * c;
    }
    const Eigen::Index most = std::min<Eigen::Index>(n, 5), kept = std::min(r_.cols(), most - 1);
    Eigen::MatrixXd rs(n, kept + 1), gs(n, kept + 1);
    rs.col(0) = r;
    gs.col(0) = to;
    if (kept > 0) {
      rs.rightCols(kept) = r_.leftCols(kept);
      gs.rightCols(kept) = g_.leftCols(kept);
    }
    r_ = std::move(rs);
    g_ = std::move(gs);
    const Eigen::VectorXd load = out.cwiseMax(0);
    return {load.data(), load.data() + n};
  }

 private:
  Eigen::MatrixXd r_{}, g_{};  // of the last rounds, the newest first
};

}  // namespace bristle::mechanism
