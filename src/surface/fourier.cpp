#include "surface/fourier.hpp"

#include <cmath>
#include <numbers>

namespace bristle::surface {

Fourier::Fourier(std::size_t least) {
  while (n_ < least) {
    n_ *= 2;
    ++bits_;
  }
  cos_.resize(n_);
  sin_.resize(n_);
  for (std::size_t half = 1; half < n_; half *= 2) {
    for (std::size_t j = 0; j < half; ++j) {
      const double angle = std::numbers::pi * static_cast<double>(j) / static_cast<double>(half);
      cos_[half + j] = std::cos(angle);
      sin_[half + j] = std::sin(angle);
    }
  }
}

void Fourier::forward(double* re, double* im) const {
  for (std::size_t half = n_ / 2; half > 0; half /= 2) {
    const double *c = &cos_[half], *s = &sin_[half];
    for (std::size_t at = 0; at < n_; at += 2 * half) {
      double *ra = re + at, *rb = ra + half, *ia = im + at, *ib = ia + half;
      for (std::size_t j = 0; j < half; ++j) {
        const double dr = ra[j] - rb[j], di = ia[j] - ib[j];
        ra[j] += rb[j];
        ia[j] += ib[j];
        rb[j] = dr * c[j] + di * s[j];
        ib[j] = di * c[j] - dr * s[j];
      }
    }
  }
}

void Fourier::backward(double* re, double* im) const {
  for (std::size_t half = 1; half < n_; half *= 2) {
    const double *c = &cos_[half], *s = &sin_[half];
    for (std::size_t at = 0; at < n_; at += 2 * half) {
      double *ra = re + at, *rb = ra + half, *ia = im + at, *ib = ia + half;
      for (std::size_t j = 0; j < half; ++j) {
        const double br = rb[j] * c[j] - ib[j] * s[j], bi = ib[j] * c[j] + rb[j] * s[j];
        rb[j] = ra[j] - br;
        ib[j] = ia[j] - bi;
        ra[j] += br;
        ia[j] += bi;
      }
    }
  }
}

std::size_t Fourier::place(std::size_t k) const {
  std::size_t out = 0;
  for (unsigned b = 0; b < bits_; ++b) out |= ((k >> b) & 1U) << (bits_ - 1 - b);
  return out;
}

}  // namespace bristle::surface
