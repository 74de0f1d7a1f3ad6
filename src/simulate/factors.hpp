#pragma once
#include <array>
#include <cstddef>
#include <type_traits>
#include <vector>

#include "system.hpp"

namespace bristle {

inline constexpr std::size_t most_unrolled = 6;  // states
/// Calls f with n as a compile-time constant if n is small: unrolled loops.
template <class F> void with_size(std::size_t n, F&& f) {
  switch (n) {
    case 0: return f(std::integral_constant<std::size_t, 0>{});
    case 1: return f(std::integral_constant<std::size_t, 1>{});
    case 2: return f(std::integral_constant<std::size_t, 2>{});
    case 3: return f(std::integral_constant<std::size_t, 3>{});
    case 4: return f(std::integral_constant<std::size_t, 4>{});
    case 5: return f(std::integral_constant<std::size_t, 5>{});
    case 6: return f(std::integral_constant<std::size_t, 6>{});
    default: return f(n);
  }
}

/// I/(gamma h) - J, factored without pivoting in the order of the states: contact states, positions, velocities.
/// Contact states are weakly coupled, so most of the work is skipped: many states have a row with few numbers besides the
/// diagonal. A singular matrix gives numbers that are not finite.
class Factors {
 public:
  /// `algebraic`: the last row is an equation without rate.
  void factor(const Jacobian& j, double diagonal, bool algebraic = false) {
    n_ = j.columns;
    smallest_ = inf;
    a_.resize(n_ * n_);
    inverse_.resize(n_);
    const std::size_t apart = n_ > most_unrolled ? j.apart : 0;
    for (std::size_t i = 0; i < apart; ++i) {
      a_[i * n_ + i] = -j.a[i * n_ + i];
      for (std::size_t c = i * n_ + apart; c < (i + 1) * n_; ++c) a_[c] = -j.a[c];
    }
    for (std::size_t i = apart * n_; i < n_ * n_; ++i) a_[i] = -j.a[i];
    for (std::size_t i = 0; i + (algebraic ? 1 : 0) < n_; ++i) a_[i * n_ + i] += diagonal;
    if (n_ > most_unrolled) {
      eliminate_by_rows(apart);
    } else {
      with_size(n_, [&](auto n) { eliminate(n); });
    }
    if (algebraic) {
      smallest_ = inf;
      for (std::size_t i = 0; i + 1 < n_; ++i) smallest_ = std::min(smallest_, a_[i * n_ + i]);
    }
  }
  /// A pivot below the diagonal 1/(gamma h) indicates a positive real eigenvalue: an instability.
  double smallest_pivot() const { return smallest_; }
  double last_pivot() const { return a_.empty() ? inf : a_.back(); }
  void solve(double* b) const {
    if (n_ == 0) return;
    with_size(n_, [&](auto n) {
      forward(b, n);
      b[n - 1] *= inverse_[n - 1];
      backward(b, n);
    });
  }
  void forward(double* b) const { forward(b, n_); }
  /// Solves with a given last unknown, the velocity.
  void backward(double* b) const { backward(b, n_); }

 private:
  template <class N> void eliminate(N n) {
    double* const a = a_.data();
    for (std::size_t k = 0; k < n; ++k) {
      const double* pivot = &a[k * n];
      const double inverse = inverse_[k] = 1 / pivot[k];
      if (!(pivot[k] >= smallest_)) smallest_ = pivot[k];  // NaN too
      for (std::size_t i = k + 1; i < n; ++i) {
        double* row = &a[i * n];
        if (row[k] == 0) continue;
        const double factor = row[k] *= inverse;
        for (std::size_t c = k + 1; c < n; ++c) row[c] -= factor * pivot[c];
      }
    }
  }
  template <class N> void forward(double* b, N n) const {
    const auto row = [&](std::size_t i, std::size_t from) {
      double rest = b[i];
      for (std::size_t k = from; k < i; ++k) rest -= a_[i * n + k] * b[k];
      b[i] = rest;
    };
    if (n > most_unrolled) {
      for (const std::size_t i : coupled_) row(i, profile_[i].left);
    } else {
      for (std::size_t i = 1; i < n; ++i) row(i, 0);
    }
  }
  template <class N> void backward(double* b, N n) const {
    for (std::size_t i = n > 0 ? n - 1 : 0; i-- > 0;) {
      double rest = b[i];
      for (std::size_t k = n > most_unrolled ? profile_[i].right : i + 1; k < n; ++k) rest -= a_[i * n + k] * b[k];
      b[i] = rest * inverse_[i];
    }
  }
  /// The same row by row, with the profile of the factors: a row of an element costs a look at its zeros.
  void eliminate_by_rows(std::size_t apart) {
    profile_.resize(n_);
    coupled_.clear();
    for (std::size_t i = 0; i < n_; ++i) {
      double* row = &a_[i * n_];
      Ends& ends = profile_[i] = {i < apart ? i : 0, std::max(i + 1, apart)};
      while (ends.left < i && row[ends.left] == 0) ++ends.left;
      if (ends.left < i) coupled_.push_back(i);
      for (std::size_t k = ends.left; k < i; ++k) {
        if (row[k] == 0) continue;
        const double* pivot = &a_[k * n_];
        const double factor = row[k] *= inverse_[k];
        for (std::size_t c = profile_[k].right; c < n_; ++c) row[c] -= factor * pivot[c];
      }
      while (ends.right < n_ && row[ends.right] == 0) ++ends.right;
      inverse_[i] = 1 / row[i];
      if (!(row[i] >= smallest_)) smallest_ = row[i];
    }
  }

  struct Ends {
    std::size_t left, right;  // the first numbers of a row that are not 0, before and behind the diagonal
  };
  std::size_t n_{};
  double smallest_{};
  std::vector<double> a_{}, inverse_{};
  std::vector<Ends> profile_{};         // of matrices that are not unrolled
  std::vector<std::size_t> coupled_{};  // rows with a number before the diagonal
};

/// First columns of the rows of works that are not 0.
using WorkEnds = std::array<std::size_t, System::works>;
inline WorkEnds work_ends(const Jacobian& j) {
  WorkEnds out{};
  for (std::size_t i = 0; i < out.size(); ++i) {
    const double* row = j.row(j.columns + i);
    while (out[i] < j.columns && row[out[i]] == 0) ++out[i];
  }
  return out;
}
/// Work integrals come after the states; no state depends on them. Small matrices are unrolled, without `ends`.
inline void add_works(const Jacobian& j, double* u, double diagonal, const WorkEnds& ends = {}) {
  const double inverse = 1 / diagonal;
  with_size(j.columns, [&](auto n) {
    for (std::size_t i = n; i < n + System::works; ++i) {
      const double* row = j.row(i);
      double sum = u[i];
      for (std::size_t c = n > most_unrolled ? ends[i - n] : 0; c < n; ++c) sum += row[c] * u[c];
      u[i] = sum * inverse;
    }
  });
}

}  // namespace bristle
