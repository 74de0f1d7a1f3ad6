#include <fmt/format.h>

#include <cmath>

#include "bristle/registry/describe.hpp"
#include "bristle/sweep/analyze.hpp"
#include "registry/shared/heated.hpp"
#include "simulate/shared/flow.hpp"
#include "sweep/analyze/subject.hpp"

namespace bristle::analysis {

double load_ratio(const Experiment& e) { return e.load ? e.load->at(e.solver.duration).value : 1; }

double sliding_velocity(const Experiment& e) {
  if (e.drive.of == DriveOf::force) return 0;
  const Signal d = e.drive.at(e.solver.duration);
  return e.drive.of == DriveOf::position ? d.rate : d.value;
}

namespace {

std::string objection_to_contacts(const Experiment& e) {
  for (const NamedContact& c : e.contacts) {
    const std::string model(c.contact->model());
    const ModelInfo* info = find_model(model);
    if (!info || info->level == "contact" || info->has.random)
      return fmt::format(
          "analyze requires a model with a state equation, level flow or hybrid; {} {}", model,
          !info || info->has.random ? "has none: it is a population of asperities or of random bristles" : "has none");
    if (is_heated(*c.contact)) return "analyze requires friction without [friction.heat], whose temperature drifts";
    const ContactFlow::Traits traits = make_flow(*c.contact)->traits();
    if (traits.feels_x || traits.feels_path || traits.feels_load || traits.longest_step < inf)
      return "analyze requires friction that depends on velocity and states alone; effects of position, path, time or "
             "transmitted load (ripple, cogging, curve, noise, load) must be absent";
  }
  return {};
}

std::string objection_to_drive(const Experiment& e, What what) {
  if (e.drive.of == DriveOf::force) return "analyze requires a drive of position or velocity, not of force";
  const double end = e.solver.duration;
  if (!e.drive.straight(end) || (e.drive.of == DriveOf::velocity && e.drive.at(end).rate != 0))
    return "analyze requires a drive whose velocity is constant at the end of the run, such as a ramp";
  const double V = sliding_velocity(e);
  const bool moves = std::isfinite(V) && V != 0;
  if (what == What::stability && !moves)
    return "stability requires a drive that moves at the end of the run: steady sliding has a velocity";
  if (what == What::limit_cycle && !e.controller && !moves)
    return "limit_cycle requires a drive that moves at the end of the run, or a servo";
  if (what == What::limit_cycle && e.controller && moves)
    return "limit_cycle of a servo requires a reference that rests at the end of the run";
  return {};
}

std::string objection_to_servo_of(const Experiment& e, What what) {
  const ControllerParams& c = *e.controller;
  const bool linear = !c.sampled() && c.dead_band == 0 && c.velocity() == MeasuredVelocity::exact;
  if (what == What::stability && !linear)
    return "stability of a servo requires one that is continuous and linear: no sample_time, dead_band or "
           "derivative_filter";
  if (what == What::describing && c.dead_band > 0) return "describing requires a linear servo: dead_band must be 0";
  if (what == What::describing && c.compensation.kind != CompensationKind::none &&
      c.compensation.kind != CompensationKind::feedforward)
    return "describing requires a linear servo: compensation must be none or feedforward";
  return {};
}

}  // namespace

std::string objection(const Experiment& e, What what) {
  if (e.kind == SystemKind::prescribed)
    return "analyze requires a body that moves by itself; kind must be slider, with a spring or a servo, not prescribed";
  if (e.kind != SystemKind::slider) return "analyze requires [system] kind slider, with a spring or a servo";
  if (e.contacts.empty()) return "analyze requires [friction]";
  if (std::string why = objection_to_contacts(e); !why.empty()) return why;
  if (e.body.gravity != 0) return "analyze requires gravity = 0: it varies with the position";
  if (e.load) {
    const double end = e.solver.duration;
    if (!e.load->straight(end) || e.load->at(end).rate != 0) return "analyze requires a constant [load]";
  }
  if (!e.controller && !(e.body.stiffness > 0))
    return "analyze requires a spring, stiffness > 0 in [system], or a servo, [controller]";
  if (std::string why = objection_to_drive(e, what); !why.empty()) return why;
  if (e.controller) {
    if (std::string why = objection_to_servo_of(e, what); !why.empty()) return why;
  }
  if (what != What::stability && !(e.body.mass > 0))
    return fmt::format("{} requires mass > 0", choices(what)[static_cast<std::size_t>(what)]);
  if (what != What::stability && e.method == Method::fixed)
    return fmt::format("{} requires exact events; method must not be fixed",
                       choices(what)[static_cast<std::size_t>(what)]);
  return {};
}

}  // namespace bristle::analysis
