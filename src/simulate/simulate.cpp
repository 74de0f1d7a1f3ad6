#include "bristle/simulate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "catalogue.hpp"
#include "chain.hpp"
#include "chain_blocks.hpp"
#include "population.hpp"
#include "record.hpp"
#include "servo.hpp"
#include "start.hpp"

namespace bristle {

const char* to_string(Event::Kind kind) {
  return kind == Event::stick ? "stick" : kind == Event::slip_forward ? "slip+" : "slip-";
}

namespace {
double output_step(const SolverParams& s) { return s.output_step > 0 ? s.output_step : s.duration / 1000; }
/// Number of whole steps in the run, except for rounding errors.
double whole_steps(const SolverParams& s) { return std::floor(s.duration / output_step(s) * (1 + 1e-12)); }
bool ends_between(const SolverParams& s) {
  return s.duration - whole_steps(s) * output_step(s) > 1e-9 * output_step(s);
}
}  // namespace

constexpr int most_dense_blocks = 200;

std::string name_in_chain(const std::string& column, std::size_t block) {
  if (block == 1) return column;
  const bool numbered = column.find_last_of("0123456789") == column.size() - 1;
  return column + (numbered ? "_" : "") + std::to_string(block);
}

double row_count(const SolverParams& solver) { return whole_steps(solver) + (ends_between(solver) ? 2 : 1); }

std::vector<double> row_times(const SolverParams& solver) {
  std::vector<double> times(static_cast<std::size_t>(row_count(solver)));
  const double dt = output_step(solver);
  for (std::size_t k = 0; k < times.size(); ++k) times[k] = static_cast<double>(k) * dt;
  times.back() = solver.duration;
  return times;
}

namespace {
std::string state_text(const std::vector<std::string>& names, const std::string& why, double t, double h,
                       const double* y) {
  std::string text = fmt::format("{} at t = {:.6g} s with step {:.3g} s; state:", why, t, h);
  for (std::size_t i = 0, shown = 0; i < names.size() && shown < 24; ++i) {
    if (names[i].empty()) continue;
    text += fmt::format("{} {} = {:.6g}", shown++ > 0 ? "," : "", names[i], y[i]);
  }
  return text;
}
}  // namespace

void fail_at(const std::vector<std::string>& names, const std::string& why, double t, double h, const double* y) {
  throw RunFailed(state_text(names, why, t, h, y));
}
void diverge_at(const std::vector<std::string>& names, const Growth& growth, double t, double h, const double* y) {
  throw RunDiverged(state_text(names,
                               fmt::format("the motion grows without limit (contact or servo feed energy in): momentum "
                                           "far above the {:.3g} N s that all forces can give in the run,",
                                           growth.bound()),
                               t, h, y));
}

void note_rest(const std::vector<std::size_t>& bodies, std::size_t of, Summary& summary) {
  if (bodies.empty()) return;
  std::string which = "the body";
  if (of > 1) which = bodies.size() == of ? "all blocks" : fmt::format("block{}", bodies.size() > 1 ? "s" : "");
  if (of > 1 && bodies.size() < of) {
    constexpr std::size_t named = 8;
    for (std::size_t i = 0; i < std::min(bodies.size(), named); ++i)
      which += fmt::format("{} {}", i > 0 ? "," : "", bodies[i]);
    if (bodies.size() > named) which += fmt::format(" and {} more", bodies.size() - named);
  }
  summary.notes.push_back(which + " did not move: friction held F_app throughout the run");
}

Run Recorder::finish(const Experiment& e) {
  for (Trace* trace : {&rows.trace, &probes.trace, &limits.trace}) add_coefficients(e, *trace);
  if (limits.full() < inf)
    summary.notes.push_back(fmt::format("limits at events and corners are kept until t = {:.6g} s ({} pairs); after "
                                        "that [expect], measures and plots see the rows at output_step alone",
                                        limits.full(), limits.trace.rows() / 2));
  Run run{std::move(rows.trace), std::move(probes.trace), std::move(events),
          std::move(summary),    std::move(population),   std::move(limits.trace)};
  run.catalogue = std::move(catalogue);
  if (e.controller) note_frozen(*e.controller, e.body.mass, run.trace, "", run.summary.notes);
  if (e.solver.event_rows) run.trace = with_limits(run);
  return run;
}

void require_momentum(const Summary& s, const SolverParams& solver) {
  const double allowed = std::max(100 * solver.rtol, 1e-10);
  if (!(s.momentum.error <= allowed))
    throw RunFailed(fmt::format(
        "the momentum balance is off by {0:.1e} of the impulse of F_app; at most {2:.1e} is accepted at rtol = {1}",
        s.momentum.error, to_text(solver.rtol), allowed));
}
void require_balance(const Summary& s, const SolverParams& solver, double work) {
  require_momentum(s, solver);
  constexpr double usual_rtol = 1e-8;
  const double energy = 1e-3 * std::max(1.0, solver.rtol / usual_rtol);
  const EnergyBalance& e = s.energy;
  const double gap = std::abs(e.drive - e.kinetic - e.spring - e.damper - e.friction);
  if (!(e.error <= energy) && gap > 1e3 * solver.rtol * work)
    throw RunFailed(fmt::format(
        "the energy balance is off by {0:.1e} of its largest term; at most {2:.1e} is accepted at rtol = {1}", e.error,
        to_text(solver.rtol), energy));
}

double trace_bytes(const Experiment& e) {
  if (e.own) return static_cast<double>(e.own->columns(e).size()) * row_count(e.solver) * sizeof(double);
  double states = 0;
  for (const NamedContact& c : e.contacts)
    states += static_cast<double>(c.contact->states().size()) + (c.name.empty() ? 0 : 1);
  double columns = 6 + states;
  if (e.kind == SystemKind::roller) columns += 3;
  if (e.controller) columns += 2;
  columns += static_cast<double>(coefficient_count(e));
  if (e.kind == SystemKind::chain) {
    const auto& record = e.solver.record;
    const auto blocks = record.empty() ? e.chain.blocks : static_cast<double>(record.size());
    const bool first = record.empty() || std::find(record.begin(), record.end(), 1) != record.end();
    columns = 2 + (3 + states + static_cast<double>(coefficient_count(e))) * blocks + (first ? 1 : 0);
  }
  return columns * row_count(e.solver) * sizeof(double);
}

std::string objection_to_size(const Experiment& e) {
  const double bytes = trace_bytes(e);
  if (!(bytes > most_trace_bytes)) return {};
  const double rows = row_count(e.solver);
  return fmt::format(
      "{:.0f} rows of {:.0f} columns require {:.3g} GB; at most {:.3g} GB are accepted: choose a larger output_step{}",
      rows, bytes / (rows * sizeof(double)), bytes / 1e9, most_trace_bytes / 1e9,
      e.kind == SystemKind::chain ? ", or record fewer blocks" : "");
}

std::string objection_to_record(const Experiment& e) {
  const std::vector<int>& record = e.solver.record;
  if (record.empty()) return {};
  if (e.kind != SystemKind::chain) return "record requires a chain";
  std::vector<int> seen = record;
  std::sort(seen.begin(), seen.end());
  for (const int end : {seen.front(), seen.back()}) {
    if (end < 1 || end > e.chain.blocks)
      return fmt::format("block {} does not exist; blocks 1 to {} are accepted", end, e.chain.blocks);
  }
  const auto twice = std::adjacent_find(seen.begin(), seen.end());
  if (twice != seen.end()) return fmt::format("block {} appears twice; each block is accepted once", *twice);
  return {};
}

/// A sensor finer than the rounding of the positions that it measures would round nothing.
static std::string objection_to_resolution(const Experiment& e) {
  const double step = e.controller->resolution();
  if (!(step > 0) || e.drive.of != DriveOf::position) return {};
  double largest = std::abs(e.body.x0);
  for (int i = 0; i <= 100; ++i) largest = std::max(largest, std::abs(e.drive.at(e.solver.duration * i / 100).value));
  const double least = 4 * epsilon<double> * largest;
  if (step >= least) return {};
  return fmt::format(
      "a sensor step of {} m is finer than the arithmetic of positions up to {:.3g} m; at least {:.3g} m is accepted",
      to_text(step), largest, least);
}

std::string objection_to(const Experiment& e) {
  if ((e.kind == SystemKind::multibody) != (e.own != nullptr)) return "a mechanism requires kind multibody";
  if (e.contacts.empty() && !e.own) return "no contact; at least one is required";
  if (row_count(e.solver) > most_rows)
    return fmt::format("output_step = {} s gives {:.3g} rows; at most {:.0e} are accepted",
                       to_text(e.solver.output_step), row_count(e.solver), most_rows);
  const auto jump = e.drive.of == DriveOf::position ? e.drive.first_jump(e.solver.duration) : std::nullopt;
  if (e.kind == SystemKind::prescribed) {
    if (e.drive.of == DriveOf::force)
      return "a prescribed motion requires a position or a velocity; for a force history on a body use a slider with "
             "stiffness 0";
    if (jump) return "a prescribed position cannot jump; use a ramp or a table";
    if (e.controller) return "a prescribed motion does not accept a controller";
  }
  if (jump && e.body.damping > 0 && !e.controller)
    return "a damper cannot follow a drive that jumps; use a ramp or a table";
  if (e.controller) {
    if (e.kind != SystemKind::slider) return "a controller requires a slider";
    if (e.drive.of == DriveOf::force) return "the reference of a controller must be a position or a velocity";
    if (!(e.controller->sample_time > 0) && (e.controller->encoder_step > 0 || e.feedforward))
      return "encoder_step and feedforward require a sample_time";
    if (const auto objection = objection_to_servo(*e.controller)) return objection->text;
    if (std::string why = objection_to_resolution(e); !why.empty()) return why;
    if (const auto objection = objection_to_compensation(*e.controller, e.body.mass)) return objection->text;
    if (jump && e.controller->differentiates())
      return fmt::format(
          "{} requires a reference without jumps, whose derivative is a Dirac impulse; use a sample_time, {}, a ramp or "
          "a table",
          e.controller->cascade() ? "velocity_feedforward" : "kd",
          e.controller->cascade() ? "velocity_feedforward = 0" : "derivative_filter, derivative_weight = 0");
  }
  if (e.body.gravity != 0 && e.kind != SystemKind::slider) return "gravity requires a slider";
  for (const Drive* drive : {&e.drive, e.load ? &*e.load : nullptr}) {
    const double corners = drive ? drive->corners_until(e.solver.duration) : 0;
    if (!(corners <= std::max(Drive::most_corners, e.solver.max_steps)))
      return fmt::format(
          "the {} has about {:.3g} corners within the run; at most {:.0e} are accepted, or max_steps if that is more",
          drive == &e.drive ? "drive" : "load", corners, Drive::most_corners);
  }
  if (std::string why = objection_to_quasi_static(e); !why.empty()) return why;
  if (e.body.start == Beginning::steady) {
    Experiment begun = copy_of(e);
    if (std::string why = start_steadily(begun); !why.empty()) return why;
  }
  if (e.kind == SystemKind::chain) {
    if (std::string why = objection_to_chain(e); !why.empty()) return why;
    if (e.method == Method::cvode && e.chain.blocks > most_dense_blocks)
      return fmt::format("method cvode accepts at most {} blocks, not {}", most_dense_blocks, e.chain.blocks);
  }
  for (const auto& check : {objection_to_record, objection_to_size}) {
    if (std::string objection = check(e); !objection.empty()) return objection;
  }
  if (e.own) return e.own->objection(e);
  if (std::string why = objection_to_population(e); !why.empty()) return why;
  if (e.method == Method::cvode && !has_cvode)
    return "method cvode is missing from this build (BRISTLE_CVODE=OFF); auto, rodas, explicit and fixed are accepted";
  if (e.method == Method::fixed) {
    if (!(e.solver.step > 0)) return "method fixed requires a step";
    if (e.contacts.size() > 1) return "method fixed accepts one contact";
  }
  return {};
}

namespace {
/// Of the events of all blocks, in order of time.
std::vector<SlipEvent> catalogue_of(const std::vector<Event>& events, const Experiment& e, const RunOptions& options) {
  Catalogue out(static_cast<std::size_t>(e.chain.blocks), e.chain.ring(), options);
  for (const Event& event : events) {
    const auto block = static_cast<std::size_t>(event.body) - 1;
    if (event.kind == Event::stick) {
      out.stop(event.t, block, event.x);
    } else {
      out.start(event.t, block, event.x);
    }
  }
  return out.take();
}
}  // namespace

Run simulate(const Experiment& experiment, const RunOptions& options) {
  const auto begin = std::chrono::steady_clock::now();
  if (const std::string objection = objection_to(experiment); !objection.empty()) throw BadInput(objection);
  if (experiment.own) {
    Run out = experiment.own->run(experiment, options);
    out.summary.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return out;
  }
  if (experiment.body.start == Beginning::steady) {
    Experiment begun = copy_of(experiment);
    start_steadily(begun);
    return simulate(begun, options);
  }
  auto integrate = [&](auto&& system, Recorder& out) {
    if (has_population(experiment)) {
      run_population(experiment, out);
    } else if (experiment.method == Method::fixed && experiment.kind == SystemKind::chain) {
      run_thermal(experiment, out);
    } else if (experiment.method == Method::fixed) {
      run_fixed(experiment, out, experiment.solver.step);
    } else if (experiment.method == Method::cvode) {
      run_cvode(system, experiment, out);
    } else {
      try {
        run_hybrid(system, experiment, out);
      } catch (const RunFailed& failed) {
        const std::string why = failed.what();
        if (experiment.body.mass > 0 || experiment.kind == SystemKind::prescribed || !why.starts_with("step size"))
          throw;
        throw RunFailed(why + "; a body without mass may accelerate without limit, which damping or a mass prevents");
      }
    }
  };
  auto run = [&](auto&& system) -> Run {
    Recorder out(system, experiment, options);
    try {
      integrate(system, out);
    } catch (const Stopped&) {
      if (experiment.kind == SystemKind::chain) catalogue_of(out.events, experiment, options);  // those that were over
      throw;
    }
    Run result = out.finish(experiment);
    result.summary.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return result;
  };
  if (goes_from_event_to_event(experiment)) {
    Experiment equal = copy_of(experiment);  // for columns and scales
    equal.chain.spread = {};
    const Chain chain(equal);
    Recorder out(chain, experiment, options);
    const std::size_t v = chain.velocity_of(1);
    run_events(experiment, chain.scales()[v - 1], chain.scales()[v], out);
    Run result = out.finish(experiment);
    result.summary.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return result;
  }
  if (experiment.kind == SystemKind::chain) {
    Run result = run(Chain(experiment));
    result.catalogue = catalogue_of(result.events, experiment, options);
    return result;
  }
  return run(System(experiment));
}

}  // namespace bristle
