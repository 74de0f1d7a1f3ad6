#pragma once
#include <cstddef>
#include <vector>

namespace bristle::surface {

/// Discrete Fourier transform of 2^k complex numbers, real and imaginary parts apart.
class Fourier {
 public:
  explicit Fourier(std::size_t least);  // size: the next power of two
  std::size_t size() const { return n_; }
  /// Natural order to bit-reversed order.
  void forward(double* re, double* im) const;
  /// Bit-reversed order to natural order, times size().
  void backward(double* re, double* im) const;
  /// Place of frequency k after forward().
  std::size_t place(std::size_t k) const;

 private:
  std::size_t n_ = 1;
  unsigned bits_ = 0;
  std::vector<double> cos_, sin_;  // of each stage, one after the other: half lengths 1, 2, 4...
};

}  // namespace bristle::surface
