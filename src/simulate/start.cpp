#include "start.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bristle/registry/describe.hpp"
#include "flow.hpp"
#include "population.hpp"

/// The start of a run in steady sliding, bodies without mass, and coefficients of friction.
namespace bristle {
namespace {

/// Tables as `make` takes them.
struct Tables {
  Table parameters{}, effects{};
  explicit Tables(const AnyContact& c) {
    constexpr std::string_view effect = "effects.", negative = "negative.";
    for (Entry e : c.settings()) {
      const bool own = !e.key.starts_with(effect) && !e.key.starts_with(negative);
      if (const auto* list = e.value.as<std::vector<double>>(); list && list->empty()) continue;  // absent
      if (e.key.starts_with(effect)) e.key.erase(0, effect.size());
      (own ? parameters : effects).push_back(std::move(e));
    }
  }
};

/// Slides a contact at this motion until nothing changes any more; false if that does not happen.
bool settle(AnyContact& c, const Motion<double>& u) {
  const Scales<double> s = c.scales();
  const double speed = std::abs(u.v);
  double dt = s.displacement > 0 ? s.displacement / speed : s.velocity > 0 ? 1e-3 : 1;
  int still = 0;
  double F = c.step(u, dt);
  for (int n = 0; n < 200 && still < 8; ++n) {
    const std::vector<Variable> before = c.states();
    const double now = c.step(u, dt);
    bool same = std::abs(now - F) <= 1e-14 * std::abs(now);
    const std::vector<Variable> after = c.states();
    for (std::size_t i = 0; i < after.size(); ++i)
      same = same && std::abs(after[i].value - before[i].value) <= 1e-13 * std::abs(after[i].value);
    still = same ? still + 1 : 0;
    F = now;
    if (n < 30) dt *= 2;
  }
  return still >= 8 && std::isfinite(F);
}

/// Starts a contact from the state of another one of the same kind.
std::unique_ptr<AnyContact> starting_from(const AnyContact& settled) {
  const Tables tables(settled);
  Table initial;
  const ModelInfo* info = find_model(settled.model());
  for (const FieldInfo& f : info->states) {
    std::vector<double> values;
    for (const Variable& v : settled.states()) {
      const bool element = f.kind == Kind::array && v.name.starts_with(f.name) &&
                           v.name.find_first_not_of("0123456789", f.name.size()) == std::string::npos;
      if (v.name == f.name || element) values.push_back(v.value);
    }
    if (f.kind == Kind::array) {
      initial.push_back({f.name, values});
    } else if (!values.empty()) {
      initial.push_back({f.name, values.front()});
    }
  }
  Made made = make(settled.model(), tables.parameters, tables.effects, initial);
  return made.problems.empty() ? std::move(made.contact) : nullptr;
}

std::string steady_contact(NamedContact& c, const Motion<double>& u, double& force) {
  const std::string model(c.contact->model());
  if (find_model(model)->has.random) return model + " is random and does not slide steadily";
  const auto traits = make_flow(*c.contact)->traits();
  if (traits.feels_x || traits.feels_path || traits.feels_load || traits.longest_step < inf)
    return "effects that depend on position, path, time or the transmitted load leave no steady sliding";
  const auto settled = c.contact->clone();
  settled->reset();
  const bool steady = settle(*settled, u);
  const double F = settled->force(u);
  auto begun = steady ? starting_from(*settled) : nullptr;
  if (!begun)
    return fmt::format("{} does not slide steadily at the velocity of the drive, {} m/s", model, to_text(u.v));
  force += F;
  c.contact = std::move(begun);
  return {};
}

}  // namespace

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
  if (has_population(e)) return refused("populations of asperities start from their seed");
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
    e.body.v0 = V;
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
    if (!grows || c.contact->has_effects())
      return fmt::format(
          "{}: the force of {}{} does not determine the velocity; rate_state with a normal_load, and viscous and "
          "coulomb_tanh with kv or damping, without effects, are accepted; others require a mass",
          name, model, c.contact->has_effects() ? " with effects" : "");
  }
  return {};
}

double nominal_load(const NamedContact& c) {
  if (c.normal_load > 0) return c.normal_load;
  if (!c.contact || find_model(c.contact->model())->level == "contact") return 0;  // of each asperity
  for (const Variable& p : c.contact->parameters()) {
    if (p.name == "normal_load") return p.value;
  }
  return 0;
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
