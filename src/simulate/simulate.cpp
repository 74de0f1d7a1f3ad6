#include "bristle/simulate/simulate.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>

#include "record.hpp"

namespace bristle {

const char* to_string(Event::Kind kind) {
  return kind == Event::stick ? "stick" : kind == Event::slip_forward ? "slip+" : "slip-";
}

namespace {
double output_step(const SolverParams& s) { return s.output_step > 0 ? s.output_step : s.duration / 1000; }
/// Whole steps within the run; a remainder of rounding does not count.
double whole_steps(const SolverParams& s) { return std::floor(s.duration / output_step(s) * (1 + 1e-12)); }
bool ends_between(const SolverParams& s) {
  return s.duration - whole_steps(s) * output_step(s) > 1e-9 * output_step(s);
}
}  // namespace

double row_count(const SolverParams& solver) { return whole_steps(solver) + (ends_between(solver) ? 2 : 1); }

std::vector<double> row_times(const SolverParams& solver) {
  std::vector<double> times;
  const double n = whole_steps(solver), dt = output_step(solver);
  times.reserve(static_cast<std::size_t>(row_count(solver)));
  for (double k = 0; k <= n; ++k) times.push_back(std::fmin(k * dt, solver.duration));
  if (ends_between(solver)) times.push_back(solver.duration);
  times.back() = solver.duration;
  return times;
}

void fail(const World& world, const std::string& why, double t, double h, const double* y) {
  std::string text = fmt::format("{} at t = {:.6g} s with step {:.3g} s; state:", why, t, h);
  for (std::size_t i = 0; i < world.states(); ++i)
    text += fmt::format("{} {} = {:.6g}", i > 0 ? "," : "", world.state_names()[i], y[i]);
  throw RunFailed(text);
}

std::string objection_to(const Experiment& e) {
  if (e.contacts.empty()) return "there is no contact";
  if (row_count(e.solver) > most_rows)
    return fmt::format("output_step = {} s would give {:.3g} rows, more than {:.0e}", number(e.solver.output_step),
                       row_count(e.solver), most_rows);
  const auto jump = e.drive.first_jump();
  if (e.kind == SystemKind::prescribed) {
    if (e.drive.of == DriveOf::force)
      return "a prescribed motion takes a position or a velocity; a force history on a "
             "body is a slider with stiffness 0";
    if (jump && e.drive.of == DriveOf::position) return "a prescribed position cannot jump; use a ramp or soft_start";
    if (e.controller) return "a prescribed motion has no controller";
  }
  if (jump && e.drive.of == DriveOf::position && e.body.damping > 0 && !e.controller)
    return "a damper cannot follow a drive that jumps; use a ramp or soft_start";
  if (e.controller) {
    if (e.kind != SystemKind::slider) return "a controller needs a slider";
    if (e.drive.of == DriveOf::force) return "the reference of a controller is a position or a velocity";
    if (!(e.controller->sample_time > 0) && (e.controller->encoder_step > 0 || e.feedforward))
      return "encoder_step and feedforward need a sample_time";
  }
  if (e.method == Method::fixed) {
    if (!(e.solver.step > 0)) return "method fixed needs a step";
    if (e.contacts.size() > 1) return "method fixed takes one contact";
  }
  return {};
}

Run simulate(const Experiment& experiment, const RunOptions& options) {
  const auto begin = std::chrono::steady_clock::now();
  if (const std::string objection = objection_to(experiment); !objection.empty()) throw BadInput(objection);
  World world(experiment);
  Recorder out(world, experiment, options);
  if (experiment.method == Method::fixed) {
    run_fixed(experiment, out);
  } else if (experiment.method == Method::cvode) {
    run_cvode(world, experiment, out);
  } else {
    run_hybrid(world, experiment, out);
  }
  out.summary.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return {std::move(out.rows.trace), std::move(out.probes.trace), std::move(out.events), out.summary};
}

}  // namespace bristle
