#include "identify/gravity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/linear.hpp"

namespace bristle::identify {
namespace {

constexpr double least_range = 0.2;      // rad: below, a sine is a spring, and pre-sliding looks the same
constexpr double separable_range = 0.8;  // rad: above, the curvature of the sine shows

/// Friction of any steady curve, the rigid body without gravity, terms of the user; then gravity.
struct Regressors {
  const Series& s;
  double fast;
  Eigen::Index base() const { return 8 + static_cast<Eigen::Index>(s.terms.size()); }
  Eigen::VectorXd at(std::size_t i) const {
    const double v = s.v[i] / fast, d = std::tanh(50 * v), speed = std::abs(v);
    Eigen::VectorXd row(base() + 2);
    row.head(8) << s.a[i], 1, d, v, v * speed, d * std::exp(-3 * speed), d * std::exp(-20 * speed), speed;
    for (std::size_t k = 0; k < s.terms.size(); ++k) row[8 + static_cast<Eigen::Index>(k)] = s.terms[k].values[i];
    row.tail(2) << std::sin(s.x[i]), std::cos(s.x[i]);
    return row;
  }
};

/// Rows in sliding: pre-sliding after a reversal is a spring as well.
std::vector<bool> sliding_rows(const Series& s, double travel) {
  std::vector<bool> out(s.size(), false);
  for (const Stretch& stretch : s.stretches) {
    int direction = 0;
    double way = 0;
    for (std::size_t i = stretch.from; i < stretch.to; ++i) {
      const int now = s.v[i] > 0 ? 1 : s.v[i] < 0 ? -1 : 0;
      way = now == direction ? way + std::abs(s.v[i]) * s.dt[i] : 0;
      direction = now;
      out[i] = now != 0 && way > 0.05 * travel;
    }
  }
  return out;
}

/// Squared prediction errors of each row from the other blocks, with the first n regressors; `even`: with a
/// constant and the speed, which resembles one.
std::vector<double> held_out_squares(const Series& s, const Regressors& x, const std::vector<bool>& rows,
                                     Eigen::Index n, bool even = true) {
  struct Sums {
    Eigen::MatrixXd A;
    Eigen::VectorXd b;
  };
  std::vector<Sums> blocks(static_cast<std::size_t>(s.blocks), {Eigen::MatrixXd::Zero(n, n), Eigen::VectorXd::Zero(n)});
  Sums all = blocks.front();
  for (std::size_t i = 0; i < s.size(); ++i) {
    if (!rows[i]) continue;
    const Eigen::VectorXd row = x.at(i).head(n);
    Sums& sums = blocks[static_cast<std::size_t>(s.block[i])];
    sums.A += row * row.transpose();
    sums.b += row * s.y[i];
  }
  for (const Sums& e : blocks) all.A += e.A, all.b += e.b;
  const Eigen::VectorXd scale = all.A.diagonal().array().max(1e-300).rsqrt();
  for (Sums& e : blocks) {  // to the factors from the other blocks
    Eigen::MatrixXd A = scale.asDiagonal() * (all.A - e.A) * scale.asDiagonal();
    Eigen::VectorXd right = scale.asDiagonal() * (all.b - e.b);
    A.diagonal().array() += 1e-10;
    auto leave_out = [&](Eigen::Index k) {
      A.row(k).setZero();
      A.col(k).setZero();
      A(k, k) = 1;
      right[k] = 0;
    };
    if (!even) leave_out(1), leave_out(7);
    Eigen::VectorXd factors = linear::solve(A, right);
    if (factors[0] < 0) {  // no inertia: in a harmonic motion, a negative one would be the stiffness of a pendulum
      leave_out(0);
      factors = linear::solve(A, right);
    }
    e.b = scale.asDiagonal() * factors;
  }
  std::vector<double> out;
  for (std::size_t i = 0; i < s.size(); ++i) {
    if (!rows[i]) continue;
    const double r = s.y[i] - x.at(i).head(n).dot(blocks[static_cast<std::size_t>(s.block[i])].b);
    out.push_back(r * r);
  }
  return out;
}

/// Leaves out rows that one of the regressions does not describe at all: accelerations at the ends of a recording would decide alone.
void leave_out_far(std::vector<bool>& rows, const std::vector<double>& a, const std::vector<double>& b) {
  auto limit = [](std::vector<double> squares) {  // four standard deviations, from the median
    const auto middle = squares.begin() + static_cast<std::ptrdiff_t>(squares.size() / 2);
    std::ranges::nth_element(squares, middle);
    return 16 * 1.4826 * 1.4826 * *middle;
  };
  const double far_a = limit(a), far_b = limit(b);
  for (std::size_t i = 0, k = 0; i < rows.size(); ++i) {
    if (!rows[i]) continue;
    rows[i] = a[k] <= far_a && b[k] <= far_b;
    ++k;
  }
}

/// Whether errors are smaller by this part rms, and in most of twenty parts: a single part does not decide.
bool helps(const std::vector<double>& before, const std::vector<double>& after, double margin) {
  constexpr std::size_t parts = 20, most = 15;
  double a = 0, b = 0;
  std::size_t better = 0;
  for (std::size_t k = 0; k < parts; ++k) {
    double one = 0, other = 0;
    for (std::size_t i = k * before.size() / parts; i < (k + 1) * before.size() / parts; ++i) {
      one += before[i];
      other += after[i];
    }
    a += one;
    b += other;
    better += other < one ? 1 : 0;
  }
  return b < (1 - 2 * margin) * a && better >= most;
}

}  // namespace

std::string decide_gravity(const Series& s, Options& options) {
  options.gravity = Gravity::none;
  if (!s.inverse || !s.rotational || s.steady()) return {};
  const auto [least, most] = std::ranges::minmax(s.x);
  if (most - least < least_range) return {};
  double fast = 0;
  for (const double v : s.v) fast = std::max(fast, std::abs(v));
  const Regressors x{s, fast};
  std::vector<bool> rows = sliding_rows(s, std::min(most - least, two_pi));
  if (std::ranges::count(rows, true) < 200) return {};
  leave_out_far(rows, held_out_squares(s, x, rows, x.base()), held_out_squares(s, x, rows, x.base() + 2));
  const std::vector<double> after = held_out_squares(s, x, rows, x.base() + 2);
  if (!helps(held_out_squares(s, x, rows, x.base()), after, 0.02)) return {};
  options.gravity = Gravity::sine;
  const bool given = std::ranges::find(options.fixed, "offset", &Entry::key) != options.fixed.end();
  if (most - least >= separable_range || given) return {};
  // An offset that a sine does not contain would be taken for an effect, such as other friction in each direction.
  if (helps(held_out_squares(s, x, rows, x.base() + 2, false), after, 0.0025)) return {};
  options.fixed.push_back({"offset", 0.0});
  return fmt::format(
      "the angles span {:.2g} rad, where an offset of the torque and the phase of gravity look alike: an offset of 0 is "
      "assumed; --gravity sine fits both",
      most - least);
}

}  // namespace bristle::identify
