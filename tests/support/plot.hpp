#pragma once
#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "bristle/plot.hpp"

/// Data and figures for the tests of plots.
namespace bristle::plot {

inline constexpr double hole = std::numeric_limits<double>::quiet_NaN();

inline std::vector<double> grid(double a, double b, int n) {
  std::vector<double> out(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) out[static_cast<std::size_t>(i)] = a + (b - a) * i / (n - 1);
  return out;
}
template <class F> std::vector<double> map(const std::vector<double>& x, F f) {
  std::vector<double> out;
  std::transform(x.begin(), x.end(), std::back_inserter(out), f);
  return out;
}
inline Figure one(Panel panel) { return {.panels = {std::move(panel)}}; }

/// Any figure with much in it.
inline Figure rich() {
  const auto t = grid(0, 10, 500);
  Figure f{.title = "Title", .caption = "Caption", .letters = true};
  for (const double scale : {1.0, 1e-7, 3e6, 1e-3}) {
    Panel p{.title = "Panel", .x = {"Time t (s)"}, .y = {"Force F_{s} (N)"}};
    for (int k = 0; k < 3; ++k)
      p.series.push_back({"series " + std::to_string(k), t, map(t, [&](double x) { return scale * std::sin(x + k); })});
    p.bands.push_back(
        {"band", t, map(t, [&](double) { return -scale / 2; }), map(t, [&](double) { return scale / 2; })});
    for (int i = 0; i < 9; ++i) p.marks.push_back({i + 0.2, "stick", Mark::Kind::stick});
    p.horizontal = {{scale, "limit"}};
    p.vertical = {{5, "half time"}};
    f.panels.push_back(p);
  }
  return f;
}

}  // namespace bristle::plot
