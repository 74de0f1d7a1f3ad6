#include <fmt/format.h>

#include "tribometer/bench.hpp"

/// Steady cycles x = A sin(omega t): dissipated energy, equivalent spring and damper.
namespace bristle::tribometer {

Measurement cycles(const Specimen& s, const CycleSettings& settings) {
  const Sizes& z = s.sizes;
  const auto amplitudes = or_else(settings.amplitudes, logarithmic(0.1 * z.travel, 30 * z.travel, 8));
  const auto omegas = or_else(settings.omega, {0.001 / z.time(), 0.1 / z.time(), 10 / z.time()});
  constexpr std::size_t rows = 1002, cycle_count = 3;  // no row at a reversal, where forces jump
  Measurement out{.experiment = "cycles"};
  std::vector<Chart> energy, stiffness, loss;
  for (std::size_t k = 0; k < omegas.size(); ++k) {
    const double w = omegas[k];
    auto chart = [&](std::vector<Chart>& to, const char* name, const char* title, const char* unit, const char* label,
                     bool log) -> std::vector<double>& {
      to.push_back({.name = fmt::format("{}_{}", name, k + 1),
                    .title = title,
                    .at = text("ω", w, "rad/s"),
                    .trace = {{{"amplitude", "m", amplitudes}, {name, unit}}},
                    .x_label = "Amplitude A",
                    .y_label = label,
                    .x_log = true,
                    .y_log = log,
                    .points = true});
      return to.back().trace.columns[1].values;
    };
    auto& energies = chart(energy, "energy", "Energy per cycle", "J", "Energy", true);
    auto& springs = chart(stiffness, "stiffness", "In phase", "N/m", "Stiffness", true);
    auto& losses = chart(loss, "loss", "In quadrature", "N/m", "Loss", true);
    for (const double A : amplitudes) {
      const Plan plan{.drive = {DriveOf::position, {{Sine{A, w / two_pi, 0, 0}, 0}}},
                      .duration = cycle_count * two_pi / w,
                      .rows = cycle_count * rows};
      const Run r = run(s, plan);
      const auto &F = column(r.trace, "F"), &t = column(r.trace, "t");
      double in_phase = 0, quadrature = 0;  // Fourier coefficients of the last cycle
      for (std::size_t i = (cycle_count - 1) * rows; i < cycle_count * rows; ++i) {
        in_phase += F[i] * std::sin(w * t[i]) * 2 / rows;
        quadrature += F[i] * std::cos(w * t[i]) * 2 / rows;
      }
      const double nothing = 1e-9 * std::hypot(in_phase, quadrature);  // rounding
      if (std::abs(in_phase) < nothing) in_phase = 0;
      if (std::abs(quadrature) < nothing) quadrature = 0;
      springs.push_back(in_phase / A);
      losses.push_back(quadrature / A);
      energies.push_back(0.5 * two_pi * A * quadrature);
    }
    const std::string n = fmt::format("_{}", k + 1);
    out.quantities.push_back({"omega" + n, "rad/s", "angular frequency of the motion", w});
    out.quantities.push_back({"stiffness" + n, "N/m", "stiffness at the smallest amplitude", springs.front()});
    out.quantities.push_back({"energy_small" + n, "J", "energy per cycle at the smallest amplitude", energies.front()});
    out.quantities.push_back({"energy_large" + n, "J", "energy per cycle at the largest amplitude", energies.back()});
  }
  for (auto* group : {&energy, &stiffness, &loss}) {
    for (Chart& c : *group) out.charts.push_back(std::move(c));
  }
  return out;
}

}  // namespace bristle::tribometer
