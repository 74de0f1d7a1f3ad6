#pragma once
#include <cstddef>
#include <vector>

#include "world.hpp"

namespace bristle {

/// I/(gamma h) - J, factored without pivoting in the order of the states: contact states, positions, velocities. The
/// contact states hardly couple, so most of the work is skipped. A singular matrix shows as numbers that are not finite.
class Factors {
 public:
  void factor(const Jacobian& j, double diagonal) {
    n_ = j.columns;
    smallest_ = inf;
    a_.resize(n_ * n_);
    for (std::size_t i = 0; i < n_ * n_; ++i) a_[i] = -j.a[i];
    for (std::size_t i = 0; i < n_; ++i) a_[i * n_ + i] += diagonal;
    for (std::size_t k = 0; k < n_; ++k) {
      const double* pivot = &a_[k * n_];
      const double inverse = 1 / pivot[k];
      if (!(pivot[k] >= smallest_)) smallest_ = pivot[k];  // NaN too
      for (std::size_t i = k + 1; i < n_; ++i) {
        double* row = &a_[i * n_];
        if (row[k] == 0) continue;
        const double factor = row[k] *= inverse;
        for (std::size_t c = k + 1; c < n_; ++c) row[c] -= factor * pivot[c];
      }
    }
  }
  /// Below the diagonal, a real eigenvalue is positive: something grows.
  double smallest_pivot() const { return smallest_; }
  double last_pivot() const { return a_.empty() ? inf : a_.back(); }
  void solve(double* b) const {
    if (n_ == 0) return;
    forward(b);
    b[n_ - 1] /= last_pivot();
    backward(b);
  }
  void forward(double* b) const {
    for (std::size_t i = 1; i < n_; ++i) {
      for (std::size_t k = 0; k < i; ++k) b[i] -= a_[i * n_ + k] * b[k];
    }
  }
  /// With the last one, the velocity, known.
  void backward(double* b) const {
    for (std::size_t i = n_ - 1; i-- > 0;) {
      for (std::size_t k = i + 1; k < n_; ++k) b[i] -= a_[i * n_ + k] * b[k];
      b[i] /= a_[i * n_ + i];
    }
  }

 private:
  std::size_t n_{};
  double smallest_{};
  std::vector<double> a_{};
};

/// The work integrals follow the states: nothing depends on them.
inline void add_works(const Jacobian& j, double* u, double diagonal) {
  const std::size_t n = j.columns;
  for (std::size_t i = n; i < n + World::works; ++i) {
    const double* row = j.row(i);
    double sum = u[i];
    for (std::size_t c = 0; c < n; ++c) sum += row[c] * u[c];
    u[i] = sum / diagonal;
  }
}

}  // namespace bristle
