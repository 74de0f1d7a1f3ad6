#include "export/pictures.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "export/describe.hpp"

namespace bristle::exports {
namespace {

plot::Figure figure_of(const Block& block, const char* title, const char* quantity, const char* unit,
                       plot::Series series) {
  plot::Panel panel;
  panel.title = title;
  panel.x.label = fmt::format("{} ({})", quantity, unit);
  panel.y.label = block.rotational ? "Friction torque F (N m)" : "Friction force F (N)";
  panel.series.push_back(std::move(series));
  plot::Figure out;
  out.panels.push_back(std::move(panel));
  out.width_mm = 120;
  return out;
}

}  // namespace

plot::Figure steady_figure(const Block& block) {
  plot::Series s;
  for (const auto& [v, F] : steady_points(block)) {
    s.x.push_back(v);
    s.y.push_back(F);
  }
  return figure_of(block, "Steady sliding", "Velocity v", block.rotational ? "rad/s" : "m/s", std::move(s));
}

plot::Figure loop_figure(const Block& block) {
  const std::unique_ptr<AnyContact> c = block.contact().clone();
  c->reset();
  const Scales<double> scale = c->scales();
  const double amplitude = 3 * (scale.displacement > 0 ? scale.displacement : 1e-5);
  const double speed = scale.velocity > 0 ? 0.1 * scale.velocity : amplitude, omega = speed / amplitude;
  constexpr int rows = 500;
  const double dt = 2 * std::numbers::pi / omega / rows;
  plot::Series s;
  double x = 0;
  for (int i = 1; i <= 9 * rows / 4; ++i) {  // the first quarter leads to the cycle
    const double next = amplitude * std::sin(omega * i * dt), v = (next - x) / dt;
    x = next;
    const double F = c->step({.x = x, .v = v}, dt);
    if (4 * i < 5 * rows) continue;
    s.x.push_back(x);
    s.y.push_back(F);
  }
  return figure_of(block, "Slow cycle", block.rotational ? "Angle x" : "Displacement x", block.rotational ? "rad" : "m",
                   std::move(s));
}

}  // namespace bristle::exports
