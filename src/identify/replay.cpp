#include "identify/replay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "bristle/registry/any.hpp"
#include "bristle/registry/describe.hpp"
#include "identify/free_values.hpp"
#include "identify/statistics.hpp"

namespace bristle::identify {
namespace {

const std::vector<std::string> system_names{"mass", "stiffness", "damping", "rest_length", "gravity", "gravity_phase"},
    controller_names{"kp", "ki", "kd", "limit", "derivative_weight"};

bool is_parameter(std::string_view name) {
  return std::ranges::any_of(model_infos(), [&](const ModelInfo& m) {
    return std::ranges::find(m.parameters, name, &FieldInfo::name) != m.parameters.end();
  });
}

/// Whether the scenario has no [drive], which is read as a constant 0.
bool rests(const Drive& drive) {
  const auto* constant = drive.terms.size() == 1 ? std::get_if<Constant>(&drive.terms.front().shape) : nullptr;
  return drive.terms.empty() || (constant && constant->value == 0);
}

void check_rig(const Rig& s) {
  const Experiment& e = s.experiment;
  if (e.own)
    throw BadInput(
        fmt::format("{}: is a mechanism, whose joints are fitted by identify; kind = \"slider\" is accepted", s.name));
  if (e.kind != SystemKind::slider)
    throw BadInput(fmt::format("{}: a fit by simulation requires kind = \"slider\" in [system]", s.name));
  if (e.contacts.size() != 1)
    throw BadInput(fmt::format("{}: a fit by simulation accepts one contact, not {}", s.name, e.contacts.size()));
  if (e.controller && e.controller->compensation.kind != CompensationKind::none)
    throw BadInput(fmt::format("{}: a fit by simulation does not accept compensation", s.name));
  if (e.feedforward) throw BadInput(fmt::format("{}: a fit by simulation does not accept feedforward", s.name));
  if (e.body.start != Beginning::given)
    throw BadInput(fmt::format("{}: a fit by simulation starts at rest; start = \"given\" is accepted", s.name));
  if (!(e.body.mass > 0)) throw BadInput(fmt::format("{}: a fit by simulation requires a mass > 0", s.name));
  if (e.controller && e.controller->sensor.noise > 0)
    throw BadInput(fmt::format("{}: a fit by simulation does not accept noise of the sensor", s.name));
}

/// Input of the simulation of one recording: its force or reference, or the drive of the scenario.
enum class Source { force, reference, scenario };
Source source_of(const Rig& s, const Recording& r) {
  const Experiment& e = s.experiment;
  const bool follows = e.controller || e.body.stiffness > 0;
  if (!e.controller && !r.u.empty()) return Source::force;
  if (follows && !r.ref.empty()) return Source::reference;
  if (!rests(e.drive)) return Source::scenario;
  throw BadInput(
      follows
          ? fmt::format(
                "{}: no column for the reference of {}; --column ref=COLUMN, or a [drive] in the scenario, is accepted",
                r.name, s.name)
          : fmt::format(
                "{}: no column for the force u on the body; --column u=COLUMN, a [drive] in {}, or a [controller] "
                "with a reference (--column ref=COLUMN) is accepted",
                r.name, s.name));
}

Drive history(DriveOf of, const std::vector<double>& t, const std::vector<double>& y) {
  return {of, {{Points{t, y}, 0}}, 0};
}

/// Approximate friction of the scenario's contact along the recording, for starting values.
std::vector<double> steady_friction(const Rig& s, const Recording& r) {
  const auto contact = s.experiment.contacts.front().contact->clone();
  std::vector<double> out(r.v.size());
  double path = 0;
  for (std::size_t i = 1; i < out.size(); ++i) {
    const double dt = r.t[i] - r.t[i - 1];
    path += std::abs(r.v[i]) * dt;
    if (r.v[i] != 0) out[i] = contact->step({.x = r.x[i], .v = r.v[i], .path = path, .t = r.t[i]}, dt);
  }
  return out;
}

}  // namespace

std::vector<std::string> effects_of_a_scenario() {
  std::vector<std::string> out;
  for (const FieldInfo& f : effect_infos()) {
    if (f.fitted && f.kind == Kind::real) out.push_back(f.name);
  }
  return out;
}

std::vector<FieldView> free_views(BodyParams& body, std::optional<ControllerParams>& controller) {
  std::vector<FieldView> out;
  for (FieldView& f : views(body)) {
    if (is_in(system_names, f.name)) out.push_back(std::move(f));
  }
  if (!controller) return out;
  for (FieldView& f : views(*controller)) {
    const bool of_both = f.name == "limit";
    if (is_in(controller_names, f.name) && (of_both || !controller->cascade())) out.push_back(std::move(f));
  }
  return out;
}

Replay::Replay(const Rig& rig, const std::vector<Recording>& recordings, const Options& options) : rig_(rig) {
  check_rig(rig);
  const Experiment& e = rig.experiment;
  const AnyContact& contact = *e.contacts.front().contact;
  model_ = contact.model();
  for (const Variable& v : contact.parameters()) {
    const auto effect = std::ranges::find(effect_infos(), v.name, &FieldInfo::name);
    if (effect == effect_infos().end()) {
      friction_.push_back({v.name, v.value});
    } else if (const double* usual = effect->value.as<double>();
               std::isfinite(v.value) && !(usual && *usual == v.value)) {
      effects_.push_back({v.name, v.value});
    }
  }
  for (const std::string& name : options.effects) {
    const auto effect = std::ranges::find(effect_infos(), name, &FieldInfo::name);
    if (effect == effect_infos().end() || !effect->fitted || effect->kind != Kind::real)
      throw BadInput(fmt::format("--effects {}: cannot be fitted with a scenario; accepted: {}", name,
                                 fmt::join(effects_of_a_scenario(), ", ")));
    if (!number_in(options.fixed, name)) fitted_effects_.push_back(name);
  }
  for (const std::string& name : effects_of_a_scenario()) {
    const double* given = number_in(options.fixed, name);
    if (!given) continue;
    std::erase_if(effects_, [&](const Entry& one) { return one.key == name; });
    effects_.push_back({name, *given});
  }
  BodyParams body = e.body;
  auto controller = e.controller;
  std::vector<std::string> known;
  for (const FieldView& f : free_views(body, controller)) known.push_back(f.name);
  for (const std::string& name : options.free) {
    if (is_in(known, name)) {
      free_.push_back(name);
    } else if (is_in(controller_names, name)) {
      throw BadInput(fmt::format("--free {}: requires a [controller] in {}", name, rig.name));
    } else if (!is_parameter(name)) {
      throw BadInput(fmt::format("--free {}: must be an optional parameter of a model, or one of {}", name,
                                 fmt::join(known, ", ")));
    }
  }

  bool inverse = true;
  std::vector<Recording> by_force = recordings;
  std::vector<double> forces;
  std::size_t at = 0;
  for (Recording& r : by_force) {
    const Source source = source_of(rig, r);
    const auto [least, most] = std::ranges::minmax(r.x);
    const double span = most > least ? most - least : 1;
    for (std::size_t k = 0; k < r.stretches.size(); ++k) {
      const std::size_t from = r.stretches[k], to = k + 1 < r.stretches.size() ? r.stretches[k + 1] : r.size();
      auto part = [&](const std::vector<double>& series) {
        return std::vector<double>(series.begin() + static_cast<std::ptrdiff_t>(from),
                                   series.begin() + static_cast<std::ptrdiff_t>(to));
      };
      Flight f{.t = part(r.t), .x0 = r.x[from], .v0 = r.v[from], .least = least - 10 * span, .most = most + 10 * span};
      const double begin = source == Source::scenario ? r.t.front() : f.t.front();
      for (double& t : f.t) t -= begin;
      if (source == Source::scenario) {
        f.drive = e.drive;
      } else {
        const bool force = source == Source::force;
        f.drive = history(force ? DriveOf::force : DriveOf::position, f.t, part(force ? r.u : r.ref));
      }
      if (!r.on.empty()) f.on = part(r.on);
      if (!r.T.empty()) f.temperature = mean(part(r.T));
      if (!r.N.empty() && mean(r.N) > 0) {
        std::vector<double> ratio = part(r.N);
        for (double& n : ratio) n = std::max(0.0, n / mean(r.N));
        f.load = history(DriveOf::position, f.t, ratio);
      } else {
        f.load = e.load;
      }
      from_.push_back(at);
      at += to - from;
      flights_.push_back(std::move(f));
    }
    inverse = inverse && !r.u.empty() && !r.a.empty();
  }
  for (Recording& r : by_force) {
    r.motion = false;
    r.F = inverse ? std::vector<double>{} : steady_friction(rig, r);
    if (!inverse) r.u.clear();
    forces.insert(forces.end(), r.u.begin(), r.u.end());
  }
  features_ = features_of(joined(by_force, 2), e.body.gravity > 0 ? Gravity::sine : Gravity::none);
  transmitted_ = std::max(forces.empty() ? features_.force : rms(forces), 1e-300);
  std::vector<double> all;
  for (const Recording& r : recordings) all.insert(all.end(), r.x.begin(), r.x.end());
  features_.y_rms = std::max(rms(all), 1e-300);
}

StartingPoint Replay::start(const Shape& shape, const Evaluator& w, const Series& s, const Options& options) const {
  const Features& f = features_;
  const std::unique_ptr<Evaluator> friction = identify::evaluator(shape.model, shape.given);
  StartingPoint out = start_of(shape, *friction, s, f, options);
  std::ranges::transform(out.guesses, std::back_inserter(out.other), &Guess::value);  // from the data alone
  // Names have the same meaning in every model, so values of the scenario are starting values.
  for (std::size_t i = 0; i < out.guesses.size(); ++i) {
    const Scalar& p = friction->scalars()[i];
    const double* known = number_in(friction_, p.name);
    if (!known || out.held[i] || !(*known > 0) || !std::isfinite(*known)) continue;
    if (p.index > 0 && shape.model != model_) continue;
    Guess& g = out.guesses[i];
    g = {*known, std::min(g.lo, *known / 100), std::max(g.hi, *known * 100), 0.7};
  }
  separate(shape.model, friction->scalars(), out);
  const std::vector<double> values = w.values();
  for (std::size_t i = out.guesses.size(); i < w.scalars().size(); ++i) {
    const Scalar& p = w.scalars()[i];
    const double value = values[i];
    Guess g;
    if (p.body) {
      const double force = std::max(f.force, transmitted_);
      const bool place = p.name == "gravity_phase" || p.name == "rest_length";
      if (value > 0 && !place) {
        g = {value, value / 100, value * 100, 0.3};
      } else {
        const double size = p.name == "damping"   ? force / f.v_high
                            : p.name == "gravity" ? force
                            : p.range.lo >= 0     ? 100 * force / f.travel
                            : p.unit == "rad"     ? 1
                                                  : f.travel;
        g = {value, std::max(p.range.lo, value - size), std::min(p.range.hi, value + size)};
      }
    } else if (p.name == "load_drive" || p.name == "load_backdrive") {
      g = {value > 0 ? value : 1 / transmitted_, 1e-3 / transmitted_, 1e3 / transmitted_};
    } else if (p.name == "transmission_exponent") {
      g = {value, 0.3, 4, 0.3};
    } else {
      const double size = p.name == "offset"          ? f.force
                          : p.name == "ripple_period" ? f.travel
                          : p.name == "ripple_phase"  ? two_pi
                                                      : std::min(p.range.hi, 10.0);
      g = {value, std::max(p.range.lo, -size), std::min(p.range.hi, size)};
    }
    g.value = std::clamp(g.value, g.lo, g.hi);
    out.guesses.push_back(g);
    out.other.push_back(g.value);
    out.held.push_back(false);
  }
  out.beliefs = beliefs_of(options, w.scalars(), {});
  return out;
}

}  // namespace bristle::identify
