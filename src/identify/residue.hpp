#pragma once
#include <array>
#include <functional>

#include "base/linear.hpp"
#include "identify/candidate.hpp"

namespace bristle::identify {

/// Force of a fit along the whole motion, and its residual.
class Residue {
 public:
  Residue(const Candidate& c, const Setting& s);
  std::vector<double> F{};
  std::vector<double> dry() const;  // the part of F in proportion to the load: without viscous friction
  const Series& motion() const { return whole_; }
  double squares() const;  // of the residual
  /// The part of the squares that the best of `trials` waves explains in noise with the correlation of the residual without
  /// `wave(i)`, a force at sample i of the whole motion.
  double by_chance(const std::function<double(std::size_t)>& wave, std::size_t trials) const;

  /// Sums of products of regressors with each other and with the residual.
  template <int N> struct Sums {
    Eigen::Matrix<double, N, N> A = Eigen::Matrix<double, N, N>::Zero();
    Eigen::Matrix<double, N, 1> b = Eigen::Matrix<double, N, 1>::Zero();
    Eigen::Matrix<double, N, 1> solved() const {
      const Eigen::MatrixXd ridge = (1e-12 * A.trace() + 1e-300) * Eigen::MatrixXd::Identity(N, N);
      return linear::solve(A + ridge, b);
    }
  };
  /// Least-squares factors of regressors that explain the residual, and the explained part of each block with the factors
  /// of the other blocks.
  template <int N> struct Regression {
    Eigen::Matrix<double, N, 1> factors{};
    double explained = 0;
  };
  /// `columns(i)`: the regressors at sample i of the whole motion.
  template <int N, class Columns> Regression<N> on(Columns&& columns) const {
    std::vector<Sums<N>> blocks(static_cast<std::size_t>(seen_.blocks));
    Eigen::Matrix<double, N, 1> z;
    for (std::size_t k = 0; k < r_.size(); ++k) {
      if (!(seen_.weight[k] > 0)) continue;
      if (seen_.fine) {
        z.setZero();
        const Fine::Row& row = seen_.fine->rows[k];
        for (std::size_t i = 0; i < row.count; ++i) z += row.weights[i] * columns(row.first + i);
      } else {
        z = columns(k);
      }
      Sums<N>& sums = blocks[static_cast<std::size_t>(seen_.block[k])];
      sums.b += r_[k] * z;
      sums.A += z * z.transpose();
    }
    Sums<N> all;
    for (const Sums<N>& e : blocks) {
      all.A += e.A;
      all.b += e.b;
    }
    Regression<N> out{all.solved()};
    for (const Sums<N>& e : blocks) {
      const Eigen::Matrix<double, N, 1> f = Sums<N>{all.A - e.A, all.b - e.b}.solved();
      out.explained += 2 * f.dot(e.b) - f.dot(e.A * f);
    }
    return out;
  }
  template <class Column> double slope_on(Column&& column) const {
    return on<1>([&](std::size_t i) { return Eigen::Matrix<double, 1, 1>(column(i)); }).factors[0];
  }

 private:
  const Candidate& candidate_;
  const Series &seen_, &whole_;
  std::vector<double> r_;
};

/// A wave along x: F ripple sin(2 pi (x - origin)/period + phase), or cogging sin(...) without F.
struct Wave {
  double period = 1, size = 0, phase = 0, explained = 0;
  bool stands_out = false;
};
Wave wave_of(const Residue& left, bool of_friction, double period, double origin);
/// The strongest wave among the periods that the motion resolves. Besides a curve with knots, a wave must be finer than
/// what such a curve leaves between its knots.
Wave strongest_wave(const Residue& left, bool of_friction, double origin, std::size_t knots, const Setting& s);

/// Values of curve_x and of curve_F or curve_gain that explain the residual best; or of curve_load, `of_load`.
Table curve_hint(const Residue& left, const Setting& s, bool anchored, bool of_load);

}  // namespace bristle::identify
