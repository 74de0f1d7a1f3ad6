#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bristle/registry/describe.hpp"
#include "bristle/registry/sections.hpp"
#include "bristle/registry/view.hpp"
#include "bristle/report/fit.hpp"

namespace bristle::report {
namespace {

using identify::Estimate;
using identify::Fit;
using identify::Recording;

}  // namespace

Fit fit_of(const FrictionFile& file, const identify::Rig* rig) {
  Fit out;
  out.model = file.contact->model();
  for (Entry& e : file.contact->settings()) {
    const auto* array = e.value.as<std::vector<double>>();
    const auto* number = e.value.as<double>();
    if ((array && array->empty()) || (number && !std::isfinite(*number))) continue;  // off
    const bool own = e.key.starts_with(of_effects), effect = own || of_section(e.key);
    if (effect && !number && !array) continue;
    if (own) e.key.erase(0, of_effects.size());
    if (own && (e.key.starts_with("noise") || e.key == "seed")) continue;  // no seed reproduces a measurement
    (effect ? out.effects : out.parameters).push_back(std::move(e));
  }
  FittedPart part = file.fitted;
  if (rig && part.constant_force() != 0) {  // acts on the simulated body as an effect
    const auto offset = std::ranges::find(out.effects, "offset", &Entry::key);
    const double before = offset == out.effects.end() ? 0 : *offset->value.as<double>();
    if (offset != out.effects.end()) out.effects.erase(offset);
    out.effects.push_back({"offset", before + part.constant_force()});
  }
  std::vector<std::string> known{"machine_stiffness", "trend", "mass", "offset", "gravity", "gravity_phase"};
  if (rig) known = {"mass", "stiffness", "damping", "rest_length"};
  if (rig && !std::isnan(part.gravity_phase)) known.insert(known.end(), {"gravity", "gravity_phase"});
  if (rig && rig->experiment.controller) known.insert(known.end(), {"kp", "ki", "kd", "limit", "derivative_weight"});
  for (const FieldView& f : views(part)) {
    const double value = *f.get().as<double>();
    if (std::isnan(value) || std::ranges::find(known, f.name) == known.end()) continue;
    out.body.push_back({.name = f.name == "mass" && !rig ? "inertia" : f.name, .unit = f.unit, .value = value});
  }
  for (const Entry& e : part.terms) out.body.push_back({.name = e.key, .value = *e.value.as<double>()});
  if (!std::isnan(part.start_speed)) out.start_speed = part.start_speed;
  if (!std::isnan(part.normal_load)) out.normal_load = part.normal_load;
  if (const auto load = std::ranges::find(out.parameters, "normal_load", &Entry::key);
      load != out.parameters.end() && std::isnan(part.normal_load))
    out.normal_load = *load->value.as<double>();
  return out;
}

std::string objection_to(const FrictionFile& file, const Recording& r) {
  const FittedPart& part = file.fitted;
  const std::string model(file.contact->model());
  if (const ModelInfo& info = *find_model(model); info.level == "contact" || info.has.random)
    return fmt::format("{}: {} {}", file.path, model,
                       info.level != "contact"
                           ? "is random and reproduces no recording; a model without random numbers is accepted"
                           : "is a population of asperities; its lumped counterpart gms is accepted");
  const auto missing = std::ranges::find_if(part.terms, [&](const Entry& e) {
    return std::ranges::find(r.terms, e.key, &identify::Term::name) == r.terms.end();
  });
  if (missing != part.terms.end())
    return fmt::format("{}: the term {} of [fitted.terms] in {} is missing; --with {}=EXPRESSION is accepted", r.name,
                       missing->key, file.path, missing->key);
  for (const identify::Term& term : r.terms) {
    if (std::ranges::find(part.terms, term.name, &Entry::key) == part.terms.end())
      return fmt::format("--with {}: {} has no factor of this term; --set fitted.terms.{}=VALUE sets it", term.name,
                         file.path, term.name);
  }
  if (file.rotational && *file.rotational != r.rotational)
    return fmt::format("{}: is {}, but {} has units = \"{}\"; --column 'x=COLUMN [{}]' sets the unit of a column",
                       r.name, r.rotational ? "a rotation" : "a linear motion", file.path,
                       *file.rotational ? "rotational" : "linear", *file.rotational ? "rad" : "m");
  if (r.motion) return "";
  if (r.coefficient && part.target != "mu")
    return fmt::format("{}: has a friction coefficient, but {} describes a force; --column F=COLUMN, or --set "
                       "fitted.role=mu for a file of coefficients",
                       r.name, file.path);
  if (!r.coefficient && part.target == "mu")
    return fmt::format("{}: has a force, but {} describes a friction coefficient; --column mu=F/N sets a coefficient",
                       r.name, file.path);
  if (!r.u.empty() && !r.steady() && std::isnan(part.mass))
    return fmt::format("{}: the force u of an actuator also accelerates a mass, and {} has no mass in [fitted]; --set "
                       "fitted.mass=VALUE, or --column F=COLUMN for measured friction",
                       r.name, file.path);
  return "";
}

std::vector<std::string> remarks_on(const FrictionFile& file, const Recording& r) {
  std::vector<std::string> out;
  if (file.initial) out.emplace_back("[friction.initial] not used: the initial state is estimated from the recording");
  if (file.contact->has_effects() && *file.contact->parameter("noise").as<double>() != 0)
    out.emplace_back("noise of the friction file not used: no seed reproduces a measurement");
  const std::pair<std::string_view, const std::vector<double>*> all[]{
      {"v", &r.v}, {"x", &r.x}, {"N", &r.N}, {"T", &r.T}};
  for (const MeasuredRanges::Of& range : file.measured.ranges) {
    for (const auto& [name, values] : all) {
      if (name != range.name || values->empty()) continue;
      const auto [least, most] = std::ranges::minmax(*values);
      if (range.left_by(least) || range.left_by(most))
        out.push_back(fmt::format("{} {:.4g} to {:.4g} leaves the range of the fit, {:.4g} to {:.4g}", name, least,
                                  most, range.least, range.most));
    }
  }
  if (!r.N.empty() && !r.coefficient && !(fit_of(file).normal_load > 0))
    out.emplace_back("normal load N not used: the friction file has no normal_load in [fitted]");
  return out;
}

}  // namespace bristle::report
