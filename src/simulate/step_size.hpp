#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>

#include "bristle/scalar.hpp"

/// Factors between consecutive step sizes, for methods of order 4 and 5.
namespace bristle {

/// x^(-1/4) or x^(-1/5) for x > 0 with an error of a percent, without a division.
constexpr double inverse_root(double x, int order) {
  constexpr std::uint64_t one = 0x3FF0000000000000U;
  const auto bits = std::bit_cast<std::uint64_t>(x);
  auto newton = [x](std::uint64_t start, double part, auto&& power) {  // from a fraction of the exponent
    const double y = std::bit_cast<double>(start);
    return y * (1 + part - part * x * power(y));
  };
  return order == 5 ? newton(one / 5 * 6 - bits / 5, 0.2, [](double y) { return y * y * (y * y) * y; })
                    : newton(one / 4 * 5 - bits / 4, 0.25, [](double y) { return y * y * (y * y); });
}
/// Factor from the error of the last attempt and its change since the previous step of length last_h (0: none): steps
/// must decrease steadily towards breakaway (K. Gustafsson, ACM Trans. Math. Softw. 20 (1994)).
constexpr double step_growth(int order, double h, double err, double last_h, double last_err) {
  const double small = std::max(err, 1e-10);
  double crowd = small;
  if (last_h > 0) {
    const double ratio = h / last_h, to_order = ratio * ratio * ratio * ratio * (order == 5 ? ratio : 1);
    crowd = std::max(crowd, small * small / (to_order * last_err));
  }
  return 0.9 * inverse_root(crowd, order);
}
/// Factor after an attempt with a too large error.
constexpr double step_shrink(int order, double err) {
  return err < inf ? std::max(0.2, 0.9 * inverse_root(err, order)) : 0.1;
}

}  // namespace bristle
