#pragma once

namespace bristle::asperity {

/// A step at constant velocity. Exponential: mu = a - b g; logarithmic: mu = a + b ln(1 + (t - g)/tau).
struct Move {
  double u0, u1, v, dt;
  double a, b0, b1;  // exponential: b at both ends of the step, b_int its integral
  double b_int;
  double b, per_tau;  // logarithmic
  double t0, t1;      // since the reference time
  bool rebases;       // t1 becomes the reference time
};

}  // namespace bristle::asperity
