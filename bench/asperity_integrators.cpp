/// The two integrators of the asperity model of 2010: error of F(t) against force evaluations and against time. Prints a table
/// and draws it. Usage: asperity_integrators [OUT.svg]
#include <chrono>
#include <cmath>
#include <cstdio>
#include <vector>

#include "bristle/asperity/generic2010.hpp"
#include "bristle/plot.hpp"

using namespace bristle;

namespace {

double seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

constexpr double duration = 2, row = 0.01;

struct Result {
  std::vector<double> F{};
  double evaluations{}, time{};
};

/// A load that falls on, and sliding from the beginning.
Result run(Integrator integrator, double dt, double zeta_N_tail, double slip_velocity) {
  Generic2010<double> g({.asperities = 64,
                         .zeta_N_tail = zeta_N_tail,
                         .tail_share = zeta_N_tail > 1 ? 0.35 : 0,
                         .dt = dt,
                         .integrator = integrator,
                         .slip_velocity = slip_velocity});
  const auto n = std::lround(duration / dt), every = std::lround(row / dt);
  Result out;
  const double begin = seconds();
  for (long k = 1; k <= n; ++k) {
    const double F = g.step(0.3, 5).F;
    if (k % every == 0) out.F.push_back(F);
  }
  out.time = seconds() - begin;
  out.evaluations = static_cast<double>(n) * (integrator == Integrator::abm ? 2 : 1) / duration;
  return out;
}

double error(const Result& r, const Result& exact) {
  double sum = 0, size = 0;
  for (std::size_t i = 0; i < r.F.size(); ++i) {
    sum += std::pow(r.F[i] - exact.F[i], 2);
    size += exact.F[i] * exact.F[i];
  }
  const double e = std::sqrt(sum / size);
  return std::isfinite(e) && e < 10 ? e : NAN;
}

struct Case {
  const char* title;
  double tail;
};

}  // namespace

int main(int argc, char** argv) {
  plot::Figure figure;
  std::printf("| dampers | integrator | dt | evaluations per time | error | time (ms) |\n|---|---|---|---|---|---|\n");
  for (const Case& c : {Case{"all dampers soft (no viscous tail)", 1}, Case{"default population", 1000}}) {
    const Result exact = run(Integrator::moreau, 1.953125e-6, c.tail, 1);
    plot::Panel panel{.title = c.title,
                      .x = {"Force evaluations per asperity and unit of time", true},
                      .y = {"Error of the friction force, rms", true}};
    struct Method {
      const char* name;
      Integrator integrator;
      double slip_velocity;
    };
    for (const Method& m : {Method{"leapfrog-Moreau", Integrator::moreau, 1},
                            Method{"Adams-Bashforth-Moulton, tanh(v/0.01)", Integrator::abm, 0.01},
                            Method{"Adams-Bashforth-Moulton, tanh(v/0.001)", Integrator::abm, 0.001}}) {
      plot::Series s{.label = m.name, .style = plot::Style::line_and_points};
      for (double dt = 1e-3; dt > 3e-6; dt /= 2) {
        const Result r = run(m.integrator, dt, c.tail, m.slip_velocity);
        const double e = error(r, exact);
        s.x.push_back(r.evaluations);
        s.y.push_back(e);
        std::printf("| %s | %s | %.3g | %.0f | %.2g %% | %.3g |\n", c.title, m.name, dt, r.evaluations, 100 * e,
                    1e3 * r.time);
      }
      panel.series.push_back(std::move(s));
    }
    figure.panels.push_back(std::move(panel));
  }
  if (argc > 1) plot::write_figure(figure, argv[1]);
}
