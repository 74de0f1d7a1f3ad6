#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <variant>

#include "bristle/registry/describe.hpp"
#include "report/parts.hpp"
#include "report/shared/labels.hpp"
#include "scenario/shared/drive.hpp"

namespace bristle::report {
namespace {

/// A number for readers, rounded: 0.981 for 0.1 x 9.81.
std::string value_text(double x) { return std::isinf(x) ? "off" : fmt::format("{:.12g}", x); }

std::string list_text(const std::vector<double>& values) {
  constexpr std::size_t most = 8;
  std::vector<std::string> shown;
  for (std::size_t i = 0; i < std::min(values.size(), most); ++i) shown.push_back(value_text(values[i]));
  return fmt::format(
      "[{}{}]", fmt::join(shown, ", "),
      values.size() > most ? fmt::format("... {}, {} values", value_text(values.back()), values.size()) : "");
}

std::string value_text(const Value& x) {
  const auto* real = x.as<double>();
  const auto* word = x.as<std::string>();
  const auto* truth = x.as<bool>();
  if (const auto* list = x.as<std::vector<double>>()) return list_text(*list);
  return real ? value_text(*real) : word ? *word : truth ? (*truth ? "true" : "false") : "";
}

/// Required fields and fields that differ from their default.
template <class P> void add_fields(std::vector<Setting>& out, const std::string& section, P values, bool rotational) {
  P defaults{};
  const std::vector<FieldView> now = views(values), before = views(defaults);
  for (std::size_t i = 0; i < now.size(); ++i) {
    if (!now[i].required() && now[i].get() == before[i].get()) continue;
    out.push_back({section, now[i].name, value_text(now[i].get()), shown_unit(now[i].unit, rotational), now[i].text});
  }
}

const FieldInfo* find(const std::vector<FieldInfo>& fields, const std::string& name) {
  for (const FieldInfo& f : fields) {
    const bool element = f.kind == Kind::array && name.starts_with(f.name) && name.size() > f.name.size() &&
                         name.find_first_not_of("0123456789", f.name.size()) == std::string::npos;
    if (name == f.name || element) return &f;
  }
  return nullptr;
}

/// Joins elements k1, k2... in one line.
void add_contact(std::vector<Setting>& out, const std::string& section, const AnyContact& contact, bool rotational) {
  const ModelInfo* info = find_model(contact.model());
  out.push_back({section, "model", std::string(contact.model()), "", info->title});
  const FieldInfo* last = nullptr;
  for (const Variable& p : contact.parameters()) {
    const bool negative = p.name.starts_with("negative.");
    const FieldInfo* field = find(info->parameters, negative ? p.name.substr(9) : p.name);
    const bool effect = field == nullptr;
    if (effect) field = find(effect_infos(), p.name);
    if (!field) continue;
    if (field->kind == Kind::array && field == last && !negative) {
      out.back().value.insert(out.back().value.size() - 1, ", " + value_text(p.value));
      continue;
    }
    last = field;
    const auto* fallback = field->value.as<double>();
    if (!field->required && fallback && p.value == *fallback) continue;
    const std::string value = field->kind == Kind::array ? "[" + value_text(p.value) + "]" : value_text(p.value);
    out.push_back({section + (effect     ? " effects"
                              : negative ? " negative"
                                         : ""),
                   field->name, value, shown_unit(p.unit, rotational), field->meaning});
  }
}

/// The terms of a function of time, `of`: unit of its value.
void add_drive(std::vector<Setting>& out, const std::string& section, const Drive& drive, const std::string& of,
               bool rotational) {
  for (std::size_t k = 0; k < drive.terms.size(); ++k) {
    const Term& term = drive.terms[k];
    const std::string name = drive.terms.size() > 1 ? fmt::format("{} term {}", section, k + 1) : section;
    out.push_back({name, "kind", scenario::kind_of(term), "", "shape of the function of time"});
    const std::size_t first = out.size();
    std::visit(
        [&](const auto& shape) {
          if constexpr (std::is_same_v<std::decay_t<decltype(shape)>, Points>) {
            out.push_back({name, "t", list_text(shape.t), "s", "times of the points"});
            out.push_back({name, "value", list_text(shape.value), "*", "values at these times"});
          } else {
            add_fields(out, name, shape, false);
          }
        },
        term.shape);
    if (term.soft_start > 0) out.push_back({name, "soft_start", value_text(term.soft_start), "s", "gradual beginning"});
    for (std::size_t i = first; i < out.size(); ++i)
      out[i].unit = shown_unit(scenario::derived_unit(out[i].unit, of), rotational);
  }
  if (drive.soft_start > 0)
    out.push_back({section, "soft_start", value_text(drive.soft_start), "s", "gradual beginning"});
}

}  // namespace

std::vector<Setting> settings_of(const Scenario& scenario) {
  const Experiment& e = scenario.experiment;
  const bool rotational = scenario.rotational;
  std::vector<Setting> out;
  for (const NamedContact& c : e.contacts)
    add_contact(out, "friction" + (c.name.empty() ? "" : " " + c.name), *c.contact, rotational);
  if (e.kind != SystemKind::prescribed && !e.own) add_fields(out, "system", e.body, rotational);
  if (e.kind == SystemKind::roller) add_fields(out, "system", e.disk, rotational);
  if (e.kind == SystemKind::chain) add_fields(out, "system", e.chain, rotational);
  const auto* alone = e.drive.terms.size() == 1 ? std::get_if<Constant>(&e.drive.terms[0].shape) : nullptr;
  if (!alone || alone->value != 0) add_drive(out, "drive", e.drive, scenario::unit_of(e.drive.of), rotational);
  if (e.load) add_drive(out, "load", *e.load, "", rotational);
  if (e.controller) {
    add_fields(out, "controller", *e.controller, rotational);
    add_fields(out, "controller sensor", e.controller->sensor, rotational);
  }
  if (e.controller && e.controller->compensation.kind != CompensationKind::none) {
    const CompensationParams& p = e.controller->compensation;
    out.push_back(
        {"compensation", "kind", choices(p.kind)[static_cast<std::size_t>(p.kind)], "", "law of the compensation"});
    add_fields(out, "compensation", p, rotational);
    if (!p.estimate.empty())
      out.push_back(
          {"compensation", "estimate", fmt::format("{}", fmt::join(p.estimate, ", ")), "", "estimated parameters"});
    if (p.model && p.kind != CompensationKind::feedforward)
      add_contact(out, "compensation model", *p.model, rotational);
  }
  if (e.feedforward) add_contact(out, "feedforward", *e.feedforward, rotational);
  add_fields(out, "solver", e.solver, rotational);
  if (!e.solver.record.empty())
    out.push_back({"solver", "record", fmt::format("[{}]", fmt::join(e.solver.record, ", ")), "",
                   "recorded blocks of the chain"});
  if (dimensionless(scenario)) {
    for (Setting& s : out) s.unit.clear();
  }
  return out;
}

std::string models_text(const Scenario& scenario) {
  std::vector<std::string> out;
  out.reserve(scenario.experiment.contacts.size());
  for (const NamedContact& c : scenario.experiment.contacts)
    out.push_back((c.name.empty() ? "" : c.name + ": ") + std::string(c.contact->model()));
  return fmt::format("{}", fmt::join(out, ", "));
}

}  // namespace bristle::report
