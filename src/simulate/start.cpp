#include "start.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bristle/models.hpp"
#include "bristle/registry/describe.hpp"
#include "bristle/registry/sections.hpp"
#include "population.hpp"
#include "registry/shared/heated.hpp"
#include "simulate/shared/flow.hpp"
#include "simulate/shared/start.hpp"

/// The start of a run in steady sliding, bodies without mass, and coefficients of friction.
namespace bristle {
namespace {

/// Tables as `make` takes them.
struct Tables {
  Table parameters{}, effects{};
  explicit Tables(const AnyContact& c) {
    for (Entry e : c.settings()) {
      const bool own = !e.key.starts_with(of_effects) && !of_section(e.key);
      if (const auto* list = e.value.as<std::vector<double>>(); list && list->empty()) continue;  // absent
      if (e.key.starts_with(of_effects)) e.key.erase(0, of_effects.size());
      (own ? parameters : effects).push_back(std::move(e));
    }
  }
};

/// Distance over which a contact changes, as a time at this velocity.
double time_of(const AnyContact& c, double v) {
  const Scales<double> s = c.scales();
  return s.displacement > 0 ? s.displacement / std::abs(v) : s.velocity > 0 ? 1e-3 : 1;
}

/// Slides a contact for longer and longer, until its force and most of its states do not change any more. Empty if the force
/// keeps changing; else the states that stand still.
std::vector<Variable> settled_states(AnyContact& c, const Motion<double>& u) {
  double dt = time_of(c, u.v), F = c.step(u, dt);
  std::vector<Variable> before = c.states(), out;
  int still = 0;
  for (int n = 0; n < 200 && still < 8; ++n) {
    const double now = c.step(u, dt);
    still = std::abs(now - F) <= 1e-14 * std::abs(now) ? still + 1 : 0;
    F = now;
    if (n < 30) dt *= 2;
    if (still < 8) before = c.states();
  }
  if (still < 8 || !std::isfinite(F)) return {};
  const std::vector<Variable> after = c.states();
  for (std::size_t i = 0; i < after.size(); ++i) {
    if (std::abs(after[i].value - before[i].value) <= 1e-13 * std::abs(after[i].value)) out.push_back(after[i]);
  }
  out.push_back({"", "", F});  // never empty
  return out;
}

}  // namespace

std::unique_ptr<AnyContact> starting_from(const AnyContact& c, const std::vector<Variable>& states) {
  const Tables tables(c);
  Table initial;
  for (const FieldInfo& f : find_model(c.model())->states) {
    std::vector<double> values;
    for (const Variable& v : states) {
      const bool element = f.kind == Kind::array && v.name.starts_with(f.name) &&
                           v.name.find_first_not_of("0123456789", f.name.size()) == std::string::npos;
      if (v.name == f.name || element) values.push_back(v.value);
    }
    if (values.empty()) continue;
    initial.push_back({f.name, f.kind == Kind::array ? Value(values) : Value(values.front())});
  }
  Made made = make(c.model(), tables.parameters, tables.effects, initial);
  return made.problems.empty() ? std::move(made.contact) : nullptr;
}

namespace {

/// Whether the force stays as it is at this motion.
bool is_steady(const AnyContact& c, const Motion<double>& u) {
  const auto moved = c.clone();
  const double F = moved->force(u), dt = time_of(c, u.v);
  for (int n = 0; n < 20; ++n) {
    if (!(std::abs(moved->step(u, 0.3 * dt) - F) <= 1e-9 * std::abs(F))) return false;
  }
  return true;
}

}  // namespace

std::string steady_contact(NamedContact& c, const Motion<double>& u, double& force) {
  const std::string model(c.contact->model());
  const ModelInfo* info = find_model(model);
  if (!info) return model + " is not a model of the library: its steady state is unknown";
  if (info->has.random) return model + " is random and does not slide steadily";
  const auto traits = make_flow(*c.contact)->traits();
  if (traits.feels_x || traits.feels_path || traits.feels_load || traits.longest_step < inf)
    return "effects that depend on position, path, time or the transmitted load leave no steady sliding";
  const auto settled = c.contact->clone();
  settled->reset();
  std::vector<Variable> states = settled_states(*settled, u);
  // A law whose elements all switch where its deflection reverses would do so in every step: the deflection still grows.
  const auto has = [&](const char* unit) {
    return std::any_of(states.begin(), states.end(), [&](const Variable& v) { return v.unit == unit; });
  };
  if (traits.hybrid && has("m") && has("N")) {
    for (Variable& v : states) v.value *= 1 - 1e-10;
  }
  auto begun = states.empty() ? nullptr : starting_from(*settled, states);
  if (!begun || !is_steady(*begun, u))
    return fmt::format("{} does not slide steadily at the velocity of the drive, {} m/s", model, to_text(u.v));
  const auto flow = make_flow(*begun);  // its memory is that of a new contact
  std::vector<double> z;
  for (const Variable& v : flow->traits().states) z.push_back(v.value);
  flow->begin(z.data(), u);
  force += flow->force(z.data(), u);
  c.contact = std::move(begun);
  return {};
}

Experiment copy_of(const Experiment& e) {
  Experiment out;
  out.kind = e.kind;
  out.body = e.body;
  out.disk = e.disk;
  out.chain = e.chain;
  for (const NamedContact& c : e.contacts) out.contacts.push_back({c.name, c.contact->clone(), c.normal_load});
  out.drive = e.drive;
  out.load = e.load;
  out.controller = e.controller;
  if (e.feedforward) out.feedforward = e.feedforward->clone();
  out.solver = e.solver;
  out.method = e.method;
  out.own = e.own;
  return out;
}

std::string start_steadily(Experiment& e) {
  if (e.body.start != Beginning::steady) return {};
  auto refused = [](const std::string& why) { return "start = \"steady\": " + why; };
  if (e.controller)
    return refused("a servo has no steady sliding of its own; a spring or a prescribed motion is required");
  if (e.kind == SystemKind::roller)
    return refused("a disk rolls; a slider, a chain or a prescribed motion is required");
  if (e.kind == SystemKind::chain && e.chain.pulled != Pulled::all && e.chain.blocks > 1)
    return refused("a chain requires pulled = \"all\"");
  if (e.drive.of == DriveOf::force) return refused("the drive must give a position or a velocity, not a force");
  if (has_population(e)) return refused("contacts that take steps only start from their own state");
  if (e.body.x0 != 0 || e.body.v0 != 0) return refused("x0 and v0 follow from it and must not be given");
  if (e.body.gravity != 0) return refused("gravity varies with the position and leaves no steady sliding");
  const bool position = e.drive.of == DriveOf::position;
  const Signal d = e.drive.at(0);
  const double V = position ? d.rate : d.value;
  if (V == 0 || !std::isfinite(V)) return refused("the drive has no velocity at t = 0");
  const bool pulled = e.kind != SystemKind::prescribed;
  if (pulled && !(e.body.stiffness > 0))
    return refused("stiffness > 0 is required: the spring carries the friction force");
  Motion<double> u;
  u.v = V;
  u.F_app = std::copysign(1e30, V);
  u.r = e.load ? e.load->at(0).value : 1;
  u.temperature = e.body.temperature;
  double F = 0;
  for (NamedContact& c : e.contacts) {
    if (const std::string why = steady_contact(c, u, F); !why.empty()) return refused(why);
  }
  if (pulled) {
    if (e.body.mass > 0) e.body.v0 = V;  // else the forces determine it
    e.body.x0 = (position ? d.value : 0) - e.body.rest_length - F / e.body.stiffness;
  }
  e.body.start = Beginning::given;
  return {};
}

std::string objection_to_quasi_static(const Experiment& e) {
  if (e.kind == SystemKind::prescribed || e.body.mass > 0) return {};
  const char* name = "mass = 0";
  if (e.body.mass != 0) return "mass must be at least 0";
  if (e.kind != SystemKind::slider) return fmt::format("{}: a quasi-static body requires kind slider", name);
  if (e.controller) return fmt::format("{}: a servo requires a mass to control", name);
  if (e.body.v0 != 0 && e.body.start == Beginning::given)
    return fmt::format("{}: v0 must be 0, the forces determine the velocity", name);
  if (e.method == Method::explicit_pair || e.method == Method::cvode)
    return fmt::format("{}: method must be auto, rodas or fixed", name);
  if (e.method == Method::fixed && !(e.body.stiffness > 0 || e.body.damping > 0))
    return fmt::format("{}: method fixed requires stiffness or damping", name);
  for (const NamedContact& c : e.contacts) {
    const std::string_view model = c.contact->model();
    auto number = [&](const char* key) { return *c.contact->parameter(key).as<double>(); };
    const bool damped = e.body.damping > 0 || (model != "rate_state" && number("kv") > 0);
    // Laws whose force grows with the velocity without limit, at any state: their force determines the velocity.
    const bool grows = (model == "rate_state" && number("normal_load") > 0) ||
                       ((model == "viscous" || model == "coulomb_tanh") && damped);
    if (!grows || c.contact->has_effects() || is_heated(*c.contact))
      return fmt::format(
          "{}: the force of {}{} does not determine the velocity; rate_state with a normal_load, and viscous and "
          "coulomb_tanh with kv or damping, without effects, are accepted; others require a mass",
          name, model, c.contact->has_effects() ? " with effects" : "");
  }
  return {};
}

double nominal_load(const NamedContact& c) {
  if (c.normal_load > 0) return c.normal_load;
  bool own = false;  // a parameter of the model; that of a population acts on each asperity
  if (c.contact) {
    Models::visit(c.contact->index(),
                  [&]<template <class> class M>() { own = requires(typename M<double>::Params p) { p.normal_load; }; });
  }
  return own ? *c.contact->parameter("normal_load").as<double>() : 0;
}

std::size_t coefficient_count(const Experiment& e) {
  const auto known =
      std::count_if(e.contacts.begin(), e.contacts.end(), [](const NamedContact& c) { return nominal_load(c) > 0; });
  return static_cast<std::size_t>(known);
}

void add_coefficients(const Experiment& e, Trace& trace) {
  if (coefficient_count(e) == 0) return;
  const Column* times = trace.find("t");
  std::vector<double> ratio(times->values.size(), 1);
  if (e.load) {
    const auto& t = times->values;
    for (std::size_t i = 0; i < t.size(); ++i) {
      // Of two rows at one time, the first is the limit from the left.
      const bool left = i + 1 < t.size() && t[i + 1] == t[i] && t[i] > 0;
      ratio[i] = e.load->at(t[i], left ? std::nextafter(t[i], 0.0) : t[i]).value;
    }
  }
  auto add = [&](const std::string& force, const std::string& name, double load) {
    const Column* F = trace.find(force);
    if (!F) return;
    Column mu{name, "1", F->values};
    for (std::size_t i = 0; i < mu.values.size(); ++i) mu.values[i] /= load * ratio[i];
    trace.columns.push_back(std::move(mu));
  };
  for (const NamedContact& c : e.contacts) {
    const double load = nominal_load(c);
    if (!(load > 0)) continue;
    if (e.kind != SystemKind::chain) {
      add(c.name.empty() ? "F" : "F_" + c.name, c.name.empty() ? "mu" : "mu_" + c.name, load);
      continue;
    }
    for (const std::string& name : trace.names()) {  // F, F2, F3...
      if (name.starts_with("F") && name.find_first_not_of("0123456789", 1) == std::string::npos)
        add(name, "mu" + name.substr(1), load);
    }
  }
}

}  // namespace bristle
