#include "ticks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace bristle::plot {
namespace {

/// v 10^e; divides for e < 0, because 10^22 is exact and 10^-22 is not.
double times_power_of_ten(double v, int e) { return e < 0 ? v / std::pow(10.0, -e) : v * std::pow(10.0, e); }

std::string with_minus(std::string text) {
  if (text.starts_with('-')) text.replace(0, 1, "\u2212");
  return text;
}

std::string power_of_ten(int e) { return fmt::format("10^{{{}}}", with_minus(fmt::format("{}", e))); }

/// The common exponent of the labels, a multiple of three; 0 if they are short enough without one.
int common_exponent(double largest, int decimals) {
  if (largest < 1e5 ? decimals < 4 || largest >= 0.1 : decimals > 0 && largest < 1e9) return 0;
  return static_cast<int>(std::floor(std::log10(largest * (1 + 1e-12)) / 3)) * 3;
}

Ticks linear_ticks(Range r, int most) {
  const double raw = (r.hi - r.lo) / std::max(most, 1) * (1 - 1e-9);
  int e = static_cast<int>(std::floor(std::log10(raw)));
  struct Step {
    double size;
    int parts, decimals;
  };
  constexpr std::array<Step, 5> steps = {{{1, 5, 0}, {2, 4, 0}, {2.5, 5, 1}, {5, 5, 0}, {10, 5, -1}}};
  const auto step = *std::find_if(steps.begin(), steps.end() - 1,
                                  [&](const Step& s) { return times_power_of_ten(s.size, e) >= raw; });

  Ticks out;
  const double one = times_power_of_ten(step.size, e);
  const auto each = [&](int parts, auto use) {
    const auto last = std::llround(std::floor(r.hi / one * parts + 1e-6));
    for (auto i = std::llround(std::ceil(r.lo / one * parts - 1e-6)); i <= last; ++i) use(i);
  };
  each(1, [&](long long i) { out.major.push_back(times_power_of_ten(static_cast<double>(i) * step.size, e)); });
  each(step.parts, [&](long long i) {
    if (i % step.parts) out.minor.push_back(times_power_of_ten(static_cast<double>(i) * step.size / step.parts, e));
  });

  double largest = 0;
  for (const double v : out.major) largest = std::max(largest, std::abs(v));
  const int exponent = largest > 0 ? common_exponent(largest, step.decimals - e) : 0;
  const int decimals = std::max(0, step.decimals - e + exponent);
  for (const double v : out.major)
    out.labels.push_back(with_minus(fmt::format("{:.{}f}", times_power_of_ten(v, -exponent), decimals)));
  if (exponent) out.factor = "\u00d7" + power_of_ten(exponent);
  return out;
}

Ticks decade_ticks(Range r, int first, int last, int most) {
  Ticks out;
  const int stride = (last - first + most - 1) / most;
  const bool plain = first >= -2 && last <= 3;
  for (int k = first - 1; k <= last; ++k) {
    const double decade = times_power_of_ten(1, k);
    if (k >= first && k % stride == 0) {
      out.major.push_back(decade);
      out.labels.push_back(plain ? fmt::format("{:g}", decade) : power_of_ten(k));
    } else if (k >= first) {
      out.minor.push_back(decade);
    }
    for (int m = 2; m < 10 && stride == 1; ++m) {
      if (const double v = times_power_of_ten(m, k); v >= r.lo && v <= r.hi) out.minor.push_back(v);
    }
  }
  return out;
}

Ticks log_ticks(Range r, int most) {
  const int first = static_cast<int>(std::ceil(std::log10(r.lo) - 1e-9));
  const int last = static_cast<int>(std::floor(std::log10(r.hi) + 1e-9));
  if (last - first >= 2 || (last - first == 1 && most < 4)) return decade_ticks(r, first, last, std::max(most, 1));

  // Less than two decades: 1, 2, 5 within the decades.
  Ticks out;
  for (int k = first - 1; k <= last; ++k) {
    for (int m = 1; m < 10; ++m) {
      const double v = times_power_of_ten(m, k);
      if (v < r.lo * (1 - 1e-9) || v > r.hi * (1 + 1e-9)) continue;
      (m == 1 || m == 2 || m == 5 ? out.major : out.minor).push_back(v);
    }
  }
  if (out.major.size() < 3 || static_cast<int>(out.major.size()) > most + 1) {
    out = linear_ticks(r, most);
    return out;
  }
  const int exponent = common_exponent(out.major.back(), out.major.front() < 0.9e-3 ? 4 : 0);
  for (const double v : out.major) out.labels.push_back(fmt::format("{:.6g}", times_power_of_ten(v, -exponent)));
  if (exponent) out.factor = "\u00d7" + power_of_ten(exponent);
  return out;
}

}  // namespace

bool drawable(double v, bool log) { return log ? v > 1e-250 && v < 1e250 : std::abs(v) < 1e290; }

Range Extent::padded(double share) const {
  if (!range_) return log_ ? Range{1, 10} : Range{0, 1};
  auto [lo, hi] = *range_;
  if (log_) {
    const double decades = std::log10(hi) - std::log10(lo);
    const double f = decades < 1e-9 ? 3 : std::pow(10.0, share * decades);
    return {lo / f, hi * f};
  }
  const double size = std::max(std::abs(lo), std::abs(hi));
  if (hi - lo <= 1e-11 * size || size < 1e-290) {  // constant except for rounding
    const double room = size < 1e-290 ? 1 : 0.1 * size;
    return {lo - room, hi + room};
  }
  return {lo - share * (hi - lo), hi + share * (hi - lo)};
}

Ticks make_ticks(Range range, bool log, int most) { return log ? log_ticks(range, most) : linear_ticks(range, most); }

double Scale::operator()(double v) const {
  if (!std::isfinite(v) || (log && v <= 0)) return std::numeric_limits<double>::quiet_NaN();
  const double share = log ? (std::log10(v) - std::log10(range.lo)) / (std::log10(range.hi) - std::log10(range.lo))
                           : (v - range.lo) / (range.hi - range.lo);
  constexpr double far = 1e5;  // panels: invisible, but small enough for renderers
  return begin + std::clamp(share, -far, far) * (end - begin);
}

}  // namespace bristle::plot
