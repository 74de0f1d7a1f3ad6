#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "bristle/report/population.hpp"

namespace bristle::report {
namespace {

struct Phase {
  const char* name;
  std::vector<double> force{}, load{};
};

/// Histogram with bins of equal width, as fractions of all asperities.
plot::Series histogram(const Phase& phase, double lo, double hi, double all, int color) {
  constexpr std::size_t bins = 50;
  std::array<double, bins> count{};
  const double width = (hi - lo) / bins;
  for (const double f : phase.force)
    count[std::min(bins - 1, static_cast<std::size_t>(std::max(0.0, (f - lo) / width)))] += 1 / all;
  plot::Series out{.label = phase.name, .style = plot::Style::steps, .color = color};
  for (std::size_t i = 0; i < bins; ++i) {
    out.x.push_back(lo + width * static_cast<double>(i));
    out.y.push_back(count[i]);
  }
  out.x.push_back(hi);
  out.y.push_back(0);
  return out;
}

}  // namespace

plot::Figure figure_of_population(const Trace& snapshot) {
  const auto &phase = snapshot.find("phase")->values, &force = snapshot.find("force")->values,
             &load = snapshot.find("load")->values;
  std::array<Phase, 2> phases{Phase{"stick"}, Phase{"slip"}};
  for (std::size_t i = 0; i < phase.size(); ++i) {
    if (phase[i] == 0) continue;
    Phase& p = phases[phase[i] == 1 ? 0 : 1];
    p.force.push_back(force[i]);
    p.load.push_back(load[i]);
  }
  const auto all = static_cast<double>(phase.size());
  const auto part = [&](const Phase& p) { return 100 * static_cast<double>(p.force.size()) / all; };
  const auto [lo, hi] = std::minmax_element(force.begin(), force.end());
  const double width = *hi > *lo ? *hi - *lo : 1;
  plot::Panel where{.title = fmt::format("{:.1f} % stick, {:.1f} % slip, {:.1f} % free", part(phases[0]),
                                         part(phases[1]), 100 - part(phases[0]) - part(phases[1])),
                    .x = {"Normal load of an asperity (N)"},
                    .y = {"Tangential force of an asperity (N)"}};
  plot::Panel spread{.title = "Distribution of the forces",
                     .x = {"Tangential force of an asperity (N)"},
                     .y = {"Fraction of all asperities per bin"}};
  for (int i = 0; i < 2; ++i) {
    const Phase& p = phases[static_cast<std::size_t>(i)];
    where.series.push_back({.label = p.name, .x = p.load, .y = p.force, .style = plot::Style::points, .color = i});
    spread.series.push_back(histogram(p, *lo, *lo + width, all, i));
  }
  return {.panels = {std::move(where), std::move(spread)}};
}

}  // namespace bristle::report
