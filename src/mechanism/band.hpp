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
  /// The natural size of an unknown, so that relative pivots do not depend on units.
  void scale(std::size_t unknown, double x) { scale_[place_[unknown]] = x; }
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
  // Inverse sizes of rows, sizes of columns, of rows with scaled columns, inverse pivots.
  std::vector<double> size_{}, scale_{}, natural_{}, inverse_{};
  struct Multiplier {
    std::size_t row;
    double factor;
  };
  std::vector<Multiplier> lower_{};             // column by column, without zeros
  std::vector<std::size_t> begin_{}, reach_{};  // of the columns in `lower_`; last column of each row
  mutable std::vector<double> x_{};
  int sign_ = 1;
  std::size_t weakest_{};
  double least_{};
};

}  // namespace bristle::mechanism
