#pragma once
#include <cstddef>
#include <utility>
#include <vector>

/// Square systems whose unknowns lie along a graph: ordered for a small bandwidth, factored with partial pivoting.
namespace bristle::mechanism {

class BandMatrix {
 public:
  /// neighbours[i]: unknowns that occur in equation i together with unknown i, in any order.
  void shape(const std::vector<std::vector<std::size_t>>& neighbours);
  std::size_t size() const { return n_; }
  std::size_t bandwidth() const { return k_; }
  void clear();
  void add(std::size_t row, std::size_t column, double x) {
    const std::size_t i = place_[row], j = place_[column];
    a_[i * width_ + (j + k_ - i)] += x;
  }
  /// False if the matrix is singular to rounding.
  bool factor();
  void solve(double* x) const;        // in place
  int sign() const { return sign_; }  // of the determinant
  /// Equation with the smallest relative pivot of the last factorization.
  std::size_t weakest() const { return weakest_; }
  double least_pivot() const { return least_; }  // relative

 private:
  std::size_t n_{}, k_{}, width_{};
  std::vector<std::size_t> place_{}, unknown_{}, pivot_{};
  std::vector<double> a_{};  // row by row, columns i - k .. i + 2 k
  std::vector<double> size_{};
  mutable std::vector<double> x_{};
  int sign_ = 1;
  std::size_t weakest_{};
  double least_{};
};

}  // namespace bristle::mechanism
