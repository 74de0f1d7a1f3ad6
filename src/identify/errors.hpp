#pragma once
#include "bristle/identify.hpp"

namespace bristle::identify {

/// Sums of the errors of predictions.
class ErrorSum {
 public:
  /// Adds the rows of a recording that count, and returns their errors.
  Errors add(const Recording& r, const std::vector<double>& predicted, const std::vector<bool>& counts);
  Errors errors() const;

 private:
  std::size_t rows_ = 0;
  double squares_ = 0, absolute_ = 0, size_ = 0;
  double first_ = 0, sum_ = 0, spread_ = 0;  // first value; sums of the differences from it
};

}  // namespace bristle::identify
