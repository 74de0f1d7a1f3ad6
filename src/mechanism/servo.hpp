#pragma once
#include <array>
#include <cstddef>

#include "bristle/mechanism.hpp"
#include "simulate/shared/servo.hpp"

/// The servo of a joint: an integral and a filter are states of its own, after those of the contacts.
namespace bristle::mechanism {

struct JointServo {
  const MechanismController* of{};
  ContinuousServo law{};
  SampledServo sampled{};
  bool holds = false;    // u is held between samples; in fixed steps that of a continuous servo too
  double u{};            // held output
  std::size_t states{};  // 0 to 2: the integral, then the filter
  std::size_t at{};      // the first of them in y
};

/// Derivatives of u and of the rates of the states c: du = u_s ds + u_v dv + by_c dc, dc/dt alike.
struct ServoLinear {
  std::size_t states{};
  std::array<double, 2> by_c{}, rate_s{}, rate_v{}, rate_t{};
  std::array<double, 4> rate_c{}, inverse{};  // by rows; inverse of I/g - rate_c
  double u_jerk{};                            // part of the derivative of u in time
  double s_all{}, v_all{};                    // additions to u_s and u_v where the states are eliminated
  void eliminate(double g);
  /// by_c (I/g - rate_c)^-1 r
  double through(const double* r) const {
    double sum = 0;
    for (std::size_t i = 0; i < states; ++i) {
      for (std::size_t k = 0; k < states; ++k) sum += by_c[i] * inverse[2 * i + k] * r[k];
    }
    return sum;
  }
  /// c = (I/g - rate_c)^-1 (r + rate_s s + rate_v v), in the place of r
  void finish(double s, double v, double* r) const {
    std::array<double, 2> from{};
    for (std::size_t i = 0; i < states; ++i) from[i] = r[i] + rate_s[i] * s + rate_v[i] * v;
    for (std::size_t i = 0; i < states; ++i) {
      r[i] = 0;
      for (std::size_t k = 0; k < states; ++k) r[i] += inverse[2 * i + k] * from[k];
    }
  }
};

}  // namespace bristle::mechanism
