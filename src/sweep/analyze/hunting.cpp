#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bristle/sweep/analyze.hpp"

namespace bristle::analysis {
namespace {

Number settled(const char* function, const Run& run) {
  Expectation quantity;
  quantity.function = function;
  quantity.of = "x";
  return number_of(quantity, run);
}

/// The settled cycle at the end of a run.
Cycle last_cycle(const Run& run, double length, double period, double amplitude) {
  Cycle out{.period = period, .amplitude = amplitude, .v_least = inf, .v_most = -inf};
  const Trace& t = run.trace;
  out.orbit.columns = {{"t", "s"}, {"stretch", "m"}, {"v", "m/s"}, {"F", "N"}};
  for (std::size_t i = 0; i < t.rows(); ++i) {
    const double at = t.find("t")->values[i], v = t.find("v")->values[i];
    if (at < length - period) continue;
    out.orbit.columns[0].values.push_back(at - (length - period));
    out.orbit.columns[1].values.push_back(t.find("reference")->values[i] - t.find("x")->values[i]);
    out.orbit.columns[2].values.push_back(v);
    out.orbit.columns[3].values.push_back(t.find("F")->values[i]);
    out.v_least = std::min(out.v_least, v);
    out.v_most = std::max(out.v_most, v);
  }
  return out;
}

struct Errors {
  double largest = 0, last = 0;
};
Errors errors_of(const Run& run) {
  Errors out;
  const std::vector<double>&x = run.trace.find("x")->values, &r = run.trace.find("reference")->values;
  for (std::size_t i = 0; i < x.size(); ++i) out.largest = std::max(out.largest, std::abs(r[i] - x[i]));
  out.last = std::abs(r.back() - x.back());
  return out;
}

CycleRead cycle_from(const Experiment& given, const std::atomic<bool>* stop) {
  constexpr double settled_part = 1e-4, most = 256;  // of the largest error; times the duration
  std::string reason;
  double length = given.solver.duration, slow = 0, force = 0;
  for (const NamedContact& c : given.contacts) {
    slow = std::max(slow, 0.01 * c.contact->scales().velocity);
    force += c.contact->scales().force;
  }
  const ControllerParams& c = *given.controller;
  const double integral = std::abs(c.cascade() ? c.velocity_integral * c.position_gain : c.ki);
  const double longest = most * given.solver.duration;
  for (bool last = false; !last;) {
    last = length >= longest;
    Experiment e = copy_of(given);
    e.solver.duration = length;
    e.solver.output_step = length / 8000;
    if (slow > 0) e.solver.stick_velocity = slow;
    try {
      const Run run = simulate(e, {.stop = stop});
      const Number period = settled("period", run), amplitude = settled("amplitude", run);
      const bool moves = std::ranges::any_of(
          run.events, [&](const Event& event) { return event.t > 0.5 * length && event.kind != Event::stick; });
      if (moves && period.reason.empty() && amplitude.reason.empty())
        return {last_cycle(run, length, period.value, amplitude.value), {}};
      const Errors error = errors_of(run);
      if (!moves && (integral == 0 || error.last <= settled_part * error.largest))
        return {{},
                fmt::format("at rest in the second half of {:.6g} s, {:.3g} from the reference: no cycle", length,
                            error.last)};
      reason = fmt::format("no settled cycle in {:.6g} s: {}", length, period.reason);
      // At rest the integral needs up to this time until the body breaks away; a cycle has two such rests.
      const double wait = moves ? 0 : 2 * force / (integral * error.last);
      length = std::min(longest, std::max(4 * length, std::isfinite(wait) ? 8 * wait : longest));
    } catch (const RunFailed& failure) { return {{}, failure.what()}; }
  }
  return {{}, reason};
}

}  // namespace

CycleRead hunting(const Experiment& experiment, const std::atomic<bool>* stop) {
  CycleRead own = cycle_from(experiment, stop);
  const double stiffness = std::abs(experiment.controller->stiffness());
  if (own.cycle || !(stiffness > 0)) return own;
  // A servo may settle from one start and hunt from another: rest within the band in which friction holds it.
  double force = 0;
  for (const NamedContact& c : experiment.contacts) force += c.contact->scales().force;
  for (const double part : {0.7, 0.3, 0.5, 0.9}) {
    Experiment e = copy_of(experiment);
    const double target = experiment.drive.at(experiment.solver.duration).value;
    e.drive = {.of = DriveOf::position,
               .terms = {Term{Constant{experiment.drive.of == DriveOf::position ? target : 0}}}};
    e.body.x0 = e.drive.at(0).value - part * force / stiffness;
    e.body.v0 = 0;
    if (CycleRead read = cycle_from(e, stop); read.cycle) return read;
  }
  return own;
}

}  // namespace bristle::analysis
