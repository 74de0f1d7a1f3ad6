#include "identify/least_squares.hpp"

#include <algorithm>
#include <cmath>

namespace bristle::identify {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Solves A x = b by Cholesky, n x n row by row, x in the place of b; false where A is not positive definite.
bool solve(std::vector<double>& A, std::vector<double>& b) {
  const std::size_t n = b.size();
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = A[i * n + j];
      for (std::size_t k = 0; k < j; ++k) sum -= A[i * n + k] * A[j * n + k];
      if (i == j && !(sum > 1e-15 * A[i * n + i])) return false;
      A[i * n + j] = i == j ? std::sqrt(sum) : sum / A[j * n + j];
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < i; ++k) b[i] -= A[i * n + k] * b[k];
    b[i] /= A[i * n + i];
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) b[i] -= A[k * n + i] * b[k];
    b[i] /= A[i * n + i];
  }
  return true;
}

/// The cost around q: y'Hy/2 + b'y for y within [lo, hi], where a step in q is y/size.
class Model {
 public:
  Model(const Gram& g, const std::vector<double>& q, const Box& box)
      : n_(q.size()), H_(n_ * n_), b_(n_), lo_(n_), hi_(n_), size_(n_) {
    for (std::size_t i = 0; i < n_; ++i) {
      // A coordinate without influence here may have some elsewhere: a step is a small part of its range at first.
      const double width = box.hi[i] - box.lo[i], least = width > 0 ? 3 * std::sqrt(2 * g.cost) / width : 0;
      size_[i] = std::max(std::sqrt(g.matrix[i * (n_ + 2)]), least);
      if (!(size_[i] > 0)) continue;  // it stays where it is
      lo_[i] = (box.lo[i] - q[i]) * size_[i];
      hi_[i] = (box.hi[i] - q[i]) * size_[i];
      b_[i] = g.matrix[i * (n_ + 1) + n_] / size_[i];
      for (std::size_t j = 0; j <= i; ++j) {
        if (size_[j] > 0) H_[i * n_ + j] = H_[j * n_ + i] = g.matrix[i * (n_ + 1) + j] / (size_[i] * size_[j]);
      }
    }
  }

  /// The minimum with H + damping I, by active sets: to the minimum over the free coordinates, or to the first limit in
  /// that direction, which then fixes its coordinate. At the minimum a coordinate is released if the cost falls from its
  /// limit inwards.
  bool minimise(double damping, std::vector<double>& y) const {
    enum Place : char { inside, low, high };
    std::vector<Place> at(n_, inside);
    for (std::size_t i = 0; i < n_; ++i) {
      if (lo_[i] >= 0 && b_[i] >= 0) at[i] = low;
      if (hi_[i] <= 0 && b_[i] <= 0) at[i] = high;
    }
    y.assign(n_, 0.0);
    std::vector<double> A, z;
    for (std::size_t round = 0; round < 10 * n_ + 10; ++round) {
      A.clear();
      z.clear();
      for (std::size_t i = 0; i < n_; ++i) {
        if (at[i] != inside) continue;
        z.push_back(-b_[i]);
        for (std::size_t j = 0; j < n_; ++j) {
          if (at[j] == inside) A.push_back(H_[i * n_ + j] + (i == j ? damping : 0));
          if (at[j] != inside) z.back() -= H_[i * n_ + j] * y[j];
        }
      }
      if (!solve(A, z)) return false;
      double share = 1;
      std::size_t met = n_;
      for (std::size_t i = 0, k = 0; i < n_; ++i) {
        if (at[i] != inside) continue;
        const double step = z[k++] - y[i], room = (step < 0 ? lo_[i] : hi_[i]) - y[i];
        if (std::abs(step) * share > std::abs(room)) share = room / step, met = i;
      }
      for (std::size_t i = 0, k = 0; i < n_; ++i) {
        if (at[i] == inside) y[i] += share * (z[k++] - y[i]);
      }
      if (met < n_) {
        at[met] = y[met] - lo_[met] < hi_[met] - y[met] ? low : high;
        y[met] = at[met] == low ? lo_[met] : hi_[met];
        continue;
      }
      double most = 0;
      for (std::size_t i = 0; i < n_; ++i) {
        const double pull = (slope(y, i) + damping * y[i]) * (at[i] == high ? 1 : -1);
        if (at[i] != inside && lo_[i] < hi_[i] && pull > most) most = pull, met = i;
      }
      if (met == n_) break;
      at[met] = inside;
    }
    return true;
  }
  /// By how much the cost falls.
  double fall(const std::vector<double>& y) const {
    double sum = 0;
    for (std::size_t i = 0; i < n_; ++i) sum -= 0.5 * y[i] * (b_[i] + slope(y, i));
    return sum;
  }
  void step(const std::vector<double>& q, const std::vector<double>& y, const Box& box, std::vector<double>& to) const {
    to = q;
    for (std::size_t i = 0; i < n_; ++i) {
      if (y[i] != 0) to[i] = y[i] == lo_[i] ? box.lo[i] : y[i] == hi_[i] ? box.hi[i] : q[i] + y[i] / size_[i];
    }
    box.clamp(to);
  }

 private:
  double slope(const std::vector<double>& y, std::size_t i) const {
    double sum = b_[i];
    for (std::size_t j = 0; j < n_; ++j) sum += H_[i * n_ + j] * y[j];
    return sum;
  }
  std::size_t n_;
  std::vector<double> H_, b_, lo_, hi_, size_;
};

}  // namespace

Solution least_squares(const GramAt& gram, const Cost& cost, const Box& box, std::vector<double> q, int iterations,
                       double tolerance) {
  box.clamp(q);
  Gram here, there;
  if (!gram(q.data(), here) || !std::isfinite(here.cost)) return {.q = q};
  Model model(here, q, box);
  std::vector<double> y, to;
  double damping = 0.1, raise = 2;  // adapted as by Nielsen (1999)
  for (int i = 0; i < iterations && damping < 1e15; ++i) {
    double next = nan, fall = nan;
    if (model.minimise(damping, y)) {
      fall = model.fall(y);
      if (!(fall > (i == 0 ? 1e-15 : tolerance) * here.cost)) return {q, here.cost, true};
      model.step(q, y, box, to);
      if (cost) {
        next = cost(to.data());
      } else if (gram(to.data(), there)) {
        next = there.cost;
      }
    }
    const double gain = (here.cost - next) / fall;
    if (gain > 1e-3 && std::isfinite(next) && (!cost || gram(to.data(), there))) {
      std::swap(here, there);
      std::swap(q, to);
      model = Model(here, q, box);
      damping = std::max(1e-14, damping * std::max(1.0 / 3, 1 - std::pow(2 * gain - 1, 3)));
      raise = 2;
    } else {
      damping *= raise;
      raise *= 2;
    }
  }
  return {q, here.cost, false};
}

}  // namespace bristle::identify
