#include "simulate/shared/slider_task.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "registry/shared/heated.hpp"
#include "registry/shared/visit.hpp"
#include "simulate/population.hpp"
#include "simulate/shared/slider_run.hpp"
#include "system.hpp"

namespace bristle::plain {
namespace {

std::string objection_to_task(const Experiment& e) {
  if (e.kind != SystemKind::slider) return "the system must be a slider";
  if (e.controller) return "a controller is not accepted";
  if (e.load) return "a varying normal load is not accepted";
  if (e.contacts.size() != 1) return "one contact is required";
  if (is_heated(*e.contacts.front().contact)) return "heat of the contact is not accepted";
  if (e.body.gravity != 0) return "gravity is not accepted";
  if (!(e.body.mass > 0)) return "a mass above 0 is required";
  if (e.body.start != Beginning::given) return "start = \"steady\" is not accepted";
  if (e.drive.of == DriveOf::velocity) return "the drive must be a position or a force";
  if (e.drive.next_corner(0) < e.solver.duration || !e.drive.straight(e.solver.duration / 2))
    return "the drive must be a straight line over the whole run: constant or ramp";
  if (e.solver.event_rows) return "event_rows is not accepted";
  if (e.method != Method::automatic && e.method != Method::rodas && e.method != Method::fixed)
    return "the method must be auto, rodas or fixed";
  return {};
}

}  // namespace

Written write_task(const Experiment& e, bool rows) {
  Written out;
  out.objection = objection_to_task(e);
  if (!out.objection.empty()) return out;
  Task& k = out.task;
  const bool fixed = e.method == Method::fixed;
  const bool known = visit_contact(*e.contacts.front().contact, [&](const auto& box) {
    using C = std::decay_t<decltype(model_of(box.contact))>;
    out.model = box.index();
    if (box.has_effects()) {
      out.objection = "effects of the contact are not accepted";
    } else if (fixed && has_population(e)) {
      out.objection =
          fmt::format("model {} is not accepted: its events, and rows at them, follow from its steps", C::card.name);
    } else if (fixed) {
      return;
    } else if constexpr (!takes_part<C>) {
      out.objection =
          fmt::format("model {} is not accepted with steps of variable size; method = \"fixed\" is", C::card.name);
    } else {
      std::size_t j = 0;
      const auto& p = model_of(box.contact).p;
      each_scalar(p, [&](const auto&, int, const double& x) { k.contact[j++] = x; });
      out.usual = usual_options(p);
    }
  });
  if (!known) out.objection = "a population of asperities is not accepted";
  if (!out.objection.empty()) return out;
  const System system(e);
  const ContactFlow& contact = system.contact();
  const std::vector<double> y = system.start();
  const std::size_t nz = contact.size();
  for (std::size_t i = 0; i < std::min(nz, most_states); ++i) {
    k.z0[i] = y[i];
    k.bound[i] = contact.traits().bound[i];
  }
  k.mass = e.body.mass;
  k.stiffness = e.body.stiffness;
  k.damping = e.body.damping;
  k.rest_length = e.body.rest_length;
  const Signal d = e.drive.at(0, e.solver.duration / 2);
  const bool force = e.drive.of == DriveOf::force;
  (force ? k.external : k.end) = d.value;
  (force ? k.external_rate : k.end_v) = d.rate;
  k.x0 = e.body.x0;
  k.v0 = e.body.v0;
  k.duration = e.solver.duration;
  k.rtol = e.solver.rtol;
  k.max_steps = e.solver.max_steps;
  k.temperature = e.body.temperature;
  if (fixed) k.step = e.solver.step;
  if (rows) {
    k.rows = static_cast<std::int64_t>(row_count(e.solver));
    k.output_step =
        k.rows > 2 && e.solver.output_step > 0 ? e.solver.output_step : e.solver.duration / (k.rows > 2 ? 1000 : 1);
  }
  const double caution = system.caution();
  k.allowed_rtol = std::max(caution * k.rtol, std::min(k.rtol, 1e-13));
  k.atol.fill(k.allowed_rtol * system.work_scale());
  k.largest.fill(inf);
  for (std::size_t i = 0; i < system.states() && !fixed; ++i) {
    k.atol[i] = e.solver.atol > 0 ? caution * e.solver.atol : k.allowed_rtol * system.scales()[i];
    k.largest[i] = system.largest()[i];
  }
  k.slow_time = system.slow_time();
  k.longest_step = contact.traits().longest_step;
  k.knee_velocity = system.knee_velocity();
  k.stick_velocity = system.stick_velocity();
  k.rest = system.rest_velocity();
  k.beside_rest = system.beside_rest();
  k.work_scale = system.work_scale();
  k.force_size = system.force_size();
  k.momentum_bound = system.momentum_bound();
  return out;
}

std::string failure_of(const Result& r, const Task& k) {
  const auto at = [&](const char* why) { return fmt::format("{} at t = {:.6g} s with step {:.3g} s", why, r.t, r.h); };
  switch (r.ending) {
    case Ending::done: break;
    case Ending::step_too_small: return at("step size too small");
    case Ending::too_many_steps: return at("max_steps exceeded");
    case Ending::too_many_events: return at("too many events in one step");
    case Ending::not_finite:
      return fmt::format("the run diverged before t = {} s; smaller steps are required", to_text(r.t));
    case Ending::diverged:
      return at("the motion grows without limit: its momentum is above all that the drive can give");
    case Ending::momentum:
      return fmt::format("the momentum balance is off by {:.1e} of the impulse of F_app; at most {:.1e} is accepted at "
                         "rtol = {}",
                         r.momentum_error, std::max(100 * k.rtol, 1e-10), to_text(k.rtol));
    case Ending::energy:
      return fmt::format("the energy balance is off by {:.1e} of its largest term at rtol = {}", r.energy_error,
                         to_text(k.rtol));
  }
  return {};
}

}  // namespace bristle::plain
