#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "report/fit/curves.hpp"

namespace bristle::report {
namespace {

using identify::Fit;
using identify::Recording;

/// Residuals of segments without gaps; those of steady points are one segment each.
struct Residuals {
  Values all{};
  std::vector<Part> segments{};
  bool in_time = true;
};
Residuals residuals_of(const Fitted& fitted, const Fit& fit) {
  Residuals out;
  const std::size_t own = fitted.recordings.size();
  const auto& fitted_rows = fitted.ranking->fitted_rows;
  for (std::size_t k = 0; k < (own > 0 ? own : fitted.validation.size()); ++k) {
    const Compared c = compared(fitted, fit, k);
    const Recording& r = *c.recording;
    out.in_time = out.in_time && !r.steady();
    for (std::size_t s = 0; s < r.stretches.size(); ++s) {
      const std::size_t to = s + 1 < r.stretches.size() ? r.stretches[s + 1] : r.size(), begin = out.all.size();
      for (std::size_t i = r.stretches[s]; i < to; ++i) {
        if (k < fitted_rows.size() && !fitted_rows[k][i]) continue;
        out.all.push_back(r.target()[i] - (*c.predicted)[i]);
      }
      out.segments.push_back({begin, out.all.size()});
    }
  }
  return out;
}

/// Density of the residuals between their 0.1 % and 99.9 % quantiles, and the normal distribution with the same rms.
plot::Panel histogram(const Residuals& r, const std::string& unit) {
  plot::Panel panel{.title = "Distribution of the residual",
                    .x = {.label = "Residual" + in_brackets(unit)},
                    .y = {.label = "Density" + in_brackets(unit.empty()                          ? ""
                                                           : unit.find(' ') != std::string::npos ? "1/(" + unit + ")"
                                                                                                 : "1/" + unit)}};
  Values sorted = r.all;
  std::ranges::sort(sorted);
  const std::size_t n = sorted.size(), aside = n / 1000;
  const double least = sorted[aside], most = sorted[n - 1 - aside];
  if (!(most > least)) return panel;
  const std::size_t bins = std::clamp<std::size_t>(static_cast<std::size_t>(std::sqrt(static_cast<double>(n))), 8, 50);
  const double width = (most - least) / static_cast<double>(bins);
  Values count(bins, 0.0);
  double squares = 0;
  for (std::size_t i = aside; i < n - aside; ++i) {
    count[std::min(bins - 1, static_cast<std::size_t>((sorted[i] - least) / width))] += 1;
    squares += sorted[i] * sorted[i];
  }
  plot::Series steps{.label = "residual", .color = 3, .dash = 0};
  steps.x.push_back(least);
  steps.y.push_back(0);
  for (std::size_t k = 0; k < bins; ++k) {
    const double density = count[k] / (static_cast<double>(n) * width), from = least + static_cast<double>(k) * width;
    steps.x.insert(steps.x.end(), {from, from + width});
    steps.y.insert(steps.y.end(), {density, density});
  }
  steps.x.push_back(most);
  steps.y.push_back(0);
  panel.series.push_back(std::move(steps));
  const double sigma = std::sqrt(squares / static_cast<double>(n - 2 * aside));
  plot::Series normal{.label = "normal, same rms", .color = 0, .dash = 1};
  for (int i = 0; i <= 100; ++i) {
    const double x = least + (most - least) * i / 100, z = x / sigma;
    normal.x.push_back(x);
    normal.y.push_back(std::exp(-0.5 * z * z) / (sigma * std::sqrt(2 * std::numbers::pi)));
  }
  panel.series.push_back(std::move(normal));
  return panel;
}

plot::Panel autocorrelation(const Residuals& r) {
  plot::Panel panel{
      .title = "Autocorrelation of the residual", .x = {.label = "Lag (samples)"}, .y = {.label = "Correlation"}};
  const std::size_t n = r.all.size(), lags = std::min<std::size_t>(60, n / 4);
  plot::Series stems{.label = "", .color = 3, .dash = 0};
  double variance = 0;
  for (const double e : r.all) variance += e * e;
  for (std::size_t lag = 1; lag <= lags && variance > 0; ++lag) {
    double sum = 0;
    for (const Part& part : r.segments) {
      for (std::size_t i = part.begin + lag; i < part.end; ++i) sum += r.all[i] * r.all[i - lag];
    }
    const double at = static_cast<double>(lag), gap = std::numeric_limits<double>::quiet_NaN();
    stems.x.insert(stems.x.end(), {at, at, gap});
    stems.y.insert(stems.y.end(), {0, sum / variance, gap});
  }
  panel.series.push_back(std::move(stems));
  panel.legend = false;
  const double bound = 1.96 / std::sqrt(static_cast<double>(n));
  panel.horizontal = {{0, ""}, {bound, ""}, {-bound, ""}};
  return panel;
}

}  // namespace

plot::Figure residual_figure(const Fitted& fitted, const Fit& fit) {
  const Residuals r = residuals_of(fitted, fit);
  plot::Figure out{.width_mm = 180, .share_x = false};
  if (r.all.empty()) return out;
  const Recording& first = fitted.recordings.empty() ? fitted.validation.front() : fitted.recordings.front();
  out.panels.push_back(histogram(r, target_unit(first)));
  if (r.in_time) out.panels.push_back(autocorrelation(r));
  out.columns = static_cast<int>(out.panels.size());
  if (out.columns == 1) out.panel_height_mm = 60;
  return out;
}

}  // namespace bristle::report
