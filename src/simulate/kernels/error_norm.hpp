#pragma once
#include <cmath>

#include "bristle/scalar.hpp"

namespace bristle::kernel {

/// Largest error over what is allowed, in lanes P; not a number where something is not.
template <class P> struct ErrorNorm {
  P worst{0}, broken{0};
  [[gnu::always_inline]] constexpr void add(const P& begin, const P& end, const P& error, const P& atol, const P& rtol,
                                            const P& largest) {
    using std::abs;
    const P e = abs(error) / (atol + rtol * smaller(larger(abs(begin), abs(end)), largest));
    worst = larger(worst, e);
    broken = broken + (e - e) + (end - end);  // NOLINT(misc-redundant-expression): zero, or not a number
  }
  /// Of all lanes.
  [[gnu::always_inline]] constexpr double value() const {
    double most = 0;
    for (std::size_t l = 0; l < P::width; ++l) most = (worst.x[l] > most ? worst.x[l] : most) + broken.x[l];
    return most;
  }
};

}  // namespace bristle::kernel
