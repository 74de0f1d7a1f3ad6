#pragma once
#include <array>

#include "bristle/simulate/drive.hpp"

/// Drives that are polynomials between their corners.
namespace bristle {

/// A polynomial around `origin` that holds from `begin` to `end`.
struct Stretch {
  double begin{}, end{inf};
  double origin{};
  std::array<double, 6> c{};

  Signal at(double t) const {
    const double u = t - origin;
    Signal s{c[5], 0, 0};
    for (std::size_t i = 5; i-- > 0;) {
      s.rate2 = s.rate2 * u + 2 * s.rate;
      s.rate = s.rate * u + s.value;
      s.value = s.value * u + c[i];
    }
    return s;
  }
  bool straight() const { return c[2] == 0 && c[3] == 0 && c[4] == 0 && c[5] == 0; }
};

/// The piece that contains the time `inside`, in the form that is exact near t: both ends of a move are at rest to the
/// last bit.
Stretch stretch_of(const Staircase& k, double inside, double t);
Stretch stretch_of(const Trapezoid& k, double inside, double t);
Stretch stretch_of(const SCurve& k, double inside, double t);
Stretch stretch_of(const MinimumJerk& k, double inside, double t);
Stretch stretch_of(const PointToPoint& k, double inside, double t);
Stretch stretch_of(const Prbs& k, double inside, double t);

template <class Shape>
concept Stretched = requires(const Shape& k) { stretch_of(k, 0.0, 0.0); };

}  // namespace bristle
