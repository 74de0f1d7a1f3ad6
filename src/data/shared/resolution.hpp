#pragma once
#include <algorithm>
#include <cmath>
#include <vector>

namespace bristle::identify {

/// The step of a quantised signal (an encoder count, a digit); 0 if its values are not multiples of a step.
inline double resolution_of(const std::vector<double>& x) {
  double step = 0;
  std::vector<double> changes;
  for (std::size_t i = 1; i < x.size(); ++i) {
    if (const double change = std::abs(x[i] - x[i - 1]); change > 0) changes.push_back(change);
  }
  if (changes.size() < 10) return 0;
  const auto low = changes.begin() + static_cast<std::ptrdiff_t>(changes.size() / 20);
  std::nth_element(changes.begin(), low, changes.end());
  step = *low;  // of many changes the smallest repeat; rounding may leave single smaller ones
  const auto multiples = std::ranges::count_if(
      changes, [&](double change) { return std::abs(change / step - std::round(change / step)) < 0.02; });
  return static_cast<double>(multiples) > 0.95 * static_cast<double>(changes.size()) ? step : 0;
}

}  // namespace bristle::identify
