#include "bristle/registry/describe.hpp"

#include <algorithm>
#include <cmath>

#include "bristle/effects.hpp"
#include "bristle/heat.hpp"
#include "bristle/model_check.hpp"
#include "bristle/models.hpp"
#include "registry/shared/generic2010.hpp"
#include "registry/shared/population.hpp"

namespace bristle {
namespace {

std::vector<std::string> lines(std::string_view text) {
  std::vector<std::string> out;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    out.emplace_back(text.substr(0, end));
    text = end == std::string_view::npos ? "" : text.substr(end + 1);
  }
  return out;
}

template <class P> std::vector<FieldInfo> infos(P p) {
  std::vector<FieldInfo> out;
  for (const FieldView& f : views(p)) {
    out.push_back({.name = f.name,
                   .unit = f.unit,
                   .meaning = f.text,
                   .per_load = f.per_load,
                   .kind = f.kind,
                   .range = f.range,
                   .required = f.required(),
                   .fitted = f.fitted(),
                   .start = f.start,
                   .value = f.get(),
                   .waived_by = f.waived_by,
                   .choices = f.choices});
  }
  return out;
}

/// Parameters, and what is between them.
template <class P> std::vector<FieldInfo> parameter_infos() {
  std::vector<FieldInfo> out = infos(P{});
  for (const RelationInfo& r : relation_infos<P>()) {
    for (FieldInfo& f : out) f.share = f.share || (r.bond == Bond::sum_to_one && r.fields.front() == f.name);
  }
  // A default that follows an earlier parameter doubles with it.
  auto defaults = [&]<std::size_t I>(std::integral_constant<std::size_t, I>) {
    using V = std::remove_cvref_t<decltype(P{}.*field_in<fields_of<P>, I>.at)>;
    if constexpr (std::is_same_v<V, double>) {
      P p{};
      const std::vector<FieldView> fields = out[I].required ? std::vector<FieldView>{} : views(p);
      for (std::size_t j = 0; j < I && !out[I].required; ++j) {
        p = P{};
        if (fields[j].kind != Kind::real) continue;
        const double before = default_after<I>(p), base = *fields[j].get().template as<double>();
        fields[j].set(2 * base);
        if (default_after<I>(p) == 2 * before && before != 0 && std::isfinite(before)) {
          out[I].follows = out[j].name;
          out[I].factor = before / base;
        }
      }
    }
  };
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (defaults(std::integral_constant<std::size_t, I>{}), ...);
  }(std::make_index_sequence<fields_of<P>.size>{});
  return out;
}

template <template <class> class M> ModelInfo info() {
  using C = M<double>;
  static_assert(CheckedModel<C>::good);
  const C c{};
  return {.name = C::card.name,
          .title = C::card.title,
          .equations = C::card.equations,
          .notes = C::card.notes,
          .passive_if = C::card.passive_if,
          .references = lines(C::card.references),
          .parameters = parameter_infos<typename C::Params>(),
          .states = infos(c.rest()),
          .relations = relation_infos<typename C::Params>(),
          .has = C::has,
          .level = Hybrid<C> ? "hybrid"
                   : Flow<C> ? "flow"
                             : "contact",
          .set_valued = SetValued<C>,
          .passive = c.passive()};
}

template <class M, class State> ModelInfo population_info() {
  return {.name = M::card.name,
          .title = M::card.title,
          .equations = M::card.equations,
          .notes = M::card.notes,
          .passive_if = M::card.passive_if,
          .references = lines(M::card.references),
          .parameters = infos(typename M::Params{}),
          .states = infos(State{}),
          .relations = relation_infos<typename M::Params>(),
          .has = M::has,
          .level = "contact",
          .passive = true,
          .population = true};
}

}  // namespace

const std::vector<ModelInfo>& model_infos() {
  static const std::vector<ModelInfo> all = [] {
    std::vector<ModelInfo> out;
    Models::each([&]<template <class> class M>() { out.push_back(info<M>()); });
    out.push_back(population_info<Gfm, PopulationState>());
    out.push_back(population_info<Generic2010<>, Generic2010State>());
    return out;
  }();
  return all;
}

const ModelInfo* find_model(std::string_view name) {
  const auto& all = model_infos();
  const auto found = std::find_if(all.begin(), all.end(), [&](const ModelInfo& m) { return m.name == name; });
  return found == all.end() ? nullptr : &*found;
}

bool dimensionless(std::string_view model, const std::vector<Variable>& parameters) {
  const ModelInfo* info = find_model(model);
  return info && info->population && std::ranges::none_of(parameters, [](const Variable& p) {
           return (p.name == "scale" || p.name == "scale_length") && p.value != 1;
         });
}

Variant find_variant(std::string_view name) {
  if (const ModelInfo* model = find_model(name)) return {model};
  for (const ModelInfo& model : model_infos()) {
    for (const FieldInfo& f : model.parameters) {
      for (const std::string& choice : f.choices) {
        if (name == model.name + "_" + choice) return {&model, {{f.name, choice}}};
      }
    }
  }
  return {};
}

std::vector<std::string> variant_names(const ModelInfo& model) {
  std::vector<std::string> out;
  for (const FieldInfo& f : model.parameters) {
    for (const std::string& choice : f.choices) out.push_back(model.name + "_" + choice);
  }
  return out.empty() ? std::vector{model.name} : out;
}

std::vector<std::string> model_names() {
  std::vector<std::string> out;
  for (const ModelInfo& m : model_infos()) out.push_back(m.name);
  return out;
}

std::string unknown_model(std::string_view name) {
  const std::string near = nearest(name, model_names());
  return "unknown model '" + std::string(name) + "'" +
         (near.empty() ? "; 'bristle models' lists the accepted names" : ", did you mean '" + near + "'?");
}

const std::vector<FieldInfo>& effect_infos() {
  static const std::vector<FieldInfo> all = infos(Effects<double>{});
  return all;
}

const std::vector<FieldInfo>& heat_infos() {
  static const std::vector<FieldInfo> all = infos(Heat{});
  return all;
}

const std::vector<PropertyInfo>& property_infos() {
  static const std::vector<PropertyInfo> all{
      {"stiction", "holds a load below breakaway without creep", &Properties::stiction},
      {"presliding", "deflects elastically before it slides", &Properties::presliding},
      {"memory", "nonlocal memory: closed inner loops leave no trace", &Properties::memory},
      {"rate_independent", "force depends on the path alone, not on its speed (kv = 0)", &Properties::rate_independent},
      {"stribeck", "steady friction decreases with speed in some range", &Properties::stribeck},
      {"lag", "in sliding, force lags behind velocity", &Properties::lag},
      {"varying_breakaway", "breakaway force depends on the force rate", &Properties::varying_breakaway},
      {"drifts", "drifts under an oscillating load below breakaway", &Properties::drifts},
      {"odd", "reversed motion gives the reversed force", &Properties::odd},
      {"random", "random numbers from a seed: laws hold on average", &Properties::random},
      {"passivity_open", "no condition for passivity is known", &Properties::passivity_open},
      {"exact_step", "constant-velocity steps of any size are exact", &Properties::exact_step},
  };
  return all;
}

const char* to_string(Kind kind) {
  switch (kind) {
    case Kind::real: return "real";
    case Kind::array: return "array";
    case Kind::integer: return "integer";
    case Kind::boolean: return "boolean";
    case Kind::choice: return "choice";
  }
  return "";
}

}  // namespace bristle
