#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

/// A planar chain of equal uniform rods under gravity, with its equations in the angles between the rods:
/// M(q) a + bias(q, v) = torques. Written from the kinetic energy of the rods in absolute angles.
class Arm {
 public:
  explicit Arm(std::size_t links, double length = 0.3, double mass = 1) : n(links), length_(length), mass_(mass) {}
  const std::size_t n;
  std::vector<double> M, bias;  // of the last call

  void at(const std::vector<double>& q, const std::vector<double>& v) {
    std::vector<double> angle(n), omega(n), A(n * n), h(n);
    double a = 0, w = 0;
    for (std::size_t i = 0; i < n; ++i) {
      angle[i] = a += q[i];
      omega[i] = w += v[i];
    }
    for (std::size_t i = 0; i < n; ++i) {
      const double beyond = static_cast<double>(n - 1 - i);  // rods further out
      h[i] = 9.81 * mass_ * length_ * (0.5 + beyond) * std::cos(angle[i]);
      for (std::size_t j = 0; j < n; ++j) {
        const double outer = static_cast<double>(n - 1 - std::max(i, j));
        const double inertia = mass_ * length_ * length_ * (i == j ? 1.0 / 3 + outer : 0.5 + outer);
        A[i * n + j] = inertia * std::cos(angle[i] - angle[j]);
        h[i] += inertia * std::sin(angle[i] - angle[j]) * omega[j] * omega[j];
      }
    }
    // Absolute angles are sums of the relative ones.
    M.assign(n * n, 0.0);
    bias.assign(n, 0.0);
    for (std::size_t i = n; i-- > 0;) {
      bias[i] = h[i] + (i + 1 < n ? bias[i + 1] : 0);
      for (std::size_t j = n; j-- > 0;) {
        auto sum = [&](std::size_t k, std::size_t l) { return k < n && l < n ? M[k * n + l] : 0; };
        M[i * n + j] = A[i * n + j] + sum(i + 1, j) + sum(i, j + 1) - sum(i + 1, j + 1);
      }
    }
  }

 private:
  double length_, mass_;
};
