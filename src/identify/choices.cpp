#include "identify/choices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bristle/registry/any.hpp"
#include "bristle/registry/describe.hpp"
#include "bristle/registry/sections.hpp"
#include "identify/effects.hpp"
#include "identify/evaluator.hpp"
#include "identify/guess.hpp"
#include "identify/warming.hpp"

namespace bristle::identify {
namespace {

/// Steady points do not distinguish two models that fit the same parameters to the same steady curve.
bool same_steady_curve(const std::string& one, const std::string& other) {
  const auto a = evaluator(one, {}), b = evaluator(other, {});
  auto fitted = [](const Evaluator& w) {
    std::vector<std::pair<std::string, double>> out;
    const std::vector<double> values = w.values();
    for (std::size_t i = 0; i < values.size(); ++i) {
      const Scalar& p = w.scalars()[i];
      const bool usual = (p.role & role::optional) == 0 || (p.role & role::sought) != 0;
      if (usual && (p.role & role::fixed) == 0) out.emplace_back(p.name, values[i]);
    }
    return out;
  };
  if (fitted(*a) != fitted(*b)) return false;
  for (double v = 1e-4; v < 1e3; v *= 3) {  // typical vs is 1e-3 m/s; a stick zone ends below that
    if (a->steady(a->values().data(), v) != b->steady(b->values().data(), v)) return false;
  }
  return true;
}

/// Whether steady points cannot determine the fitted parameters of a model: one does not appear in its steady curve, or two
/// change it in the same proportion.
bool hides_a_parameter(const std::string& model) {
  const auto e = evaluator(model, {});
  const std::vector<double> usual = e->values();
  std::vector<std::vector<double>> changes;  // of the curve, of length 1
  for (std::size_t i = 0; i < usual.size(); ++i) {
    const Scalar& scalar = e->scalars()[i];
    if ((scalar.role & (role::optional | role::fixed)) != 0) continue;
    std::vector<double> p = usual, change;
    p[i] *= 1.1;
    double length = 0;
    for (double v = 1e-7; v < 1e3; v *= 1.5) {
      change.push_back(e->steady(p.data(), v) - e->steady(usual.data(), v));
      length = std::hypot(length, change.back());
    }
    if (length == 0) return true;
    for (double& x : change) x /= length;
    for (const std::vector<double>& other : changes) {
      double together = 0;
      for (std::size_t k = 0; k < change.size(); ++k) together += change[k] * other[k];
      if (std::abs(together) > 1 - 1e-9) return true;
    }
    changes.push_back(std::move(change));
  }
  return false;
}

void check_fixed(const Options& options, const std::vector<std::string>& models,
                 const std::vector<std::string>& effects, const Series& s) {
  for (const Entry& e : options.fixed) {
    const auto* value = e.value.as<double>();
    bool known = e.key == "inertia" || e.key == "offset" || e.key == "gravity" ||
                 std::ranges::find(s.terms, e.key, &Term::name) != s.terms.end(),
         allowed = known;
    if (is_beside(e.key) && std::ranges::any_of(models, may_be_compliant)) {
      known = allowed = true;
      if (value && e.key == machine_stiffness && !(*value > 0))
        throw BadInput(fmt::format("{} = {} cannot be fixed; must be > 0", e.key, to_text(*value)));
    }
    Range range = any_real;
    for (const FieldInfo& f : effect_infos()) {
      const bool fitted =
          std::ranges::any_of(effects, [&](const std::string& name) { return f.name.starts_with(name); });
      if (f.name != e.key || !fitted) continue;
      known = true;
      range = f.range;
      allowed = !value || f.range.contains(*value);
    }
    const bool warms = std::ranges::find(effects, heat_effect) != effects.end();
    for (const FieldInfo& f : heat_infos()) {
      if (!warms || f.kind != Kind::real || e.key != std::string(of_heat) + f.name || f.name.starts_with("flash") ||
          f.name.starts_with("vogel"))
        continue;
      known = true;
      range = f.range;
      allowed = value && f.range.contains(*value);
    }
    for (const std::string& name : models) {
      for (const FieldInfo& f : find_variant(name).model->parameters) {
        const bool directed = std::ranges::find(effects, "directions") != effects.end();
        if (f.name != (directed ? without_direction(e.key) : e.key)) continue;
        known = true;
        const auto* word = e.value.as<std::string>();
        if (f.kind == Kind::choice && (!word || std::ranges::find(f.choices, *word) == f.choices.end()))
          throw BadInput(fmt::format("{} = {} cannot be fixed; one of {} is accepted", e.key,
                                     word ? *word : to_text(*value), fmt::join(f.choices, ", ")));
        range = f.range;
        allowed = allowed || !value || f.range.contains(*value);
      }
    }
    if (!known) throw BadInput(fmt::format("'{}' cannot be fixed; a parameter of a fitted model is required", e.key));
    if (!allowed)
      throw BadInput(
          fmt::format("{} = {} cannot be fixed; must be {}", e.key, to_text(*value), describe(range, *value)));
  }
}

void check_priors(const Options& options, const std::vector<std::string>& models,
                  const std::vector<std::string>& effects, const Series& s) {
  const std::vector<BodyScalar> body = body_of(s, options.gravity);
  for (const Prior& prior : options.priors) {
    auto is_named = [&](const FieldInfo& f) {
      const bool element = f.kind == Kind::array && prior.name.starts_with(f.name) &&
                           prior.name.find_first_not_of("0123456789", f.name.size()) == std::string::npos;
      return f.name == without_direction(prior.name) || element;
    };
    bool known = std::ranges::find(body, prior.name, &BodyScalar::name) != body.end() ||
                 (is_beside(prior.name) && std::ranges::any_of(models, may_be_compliant)) ||
                 (options.rig && std::ranges::find(options.free, prior.name) != options.free.end());
    for (const std::string& model : models)
      known = known || std::ranges::any_of(find_variant(model).model->parameters, is_named);
    for (const std::string& effect : effects) {
      known = known || (prior.name.starts_with(effect) && std::ranges::any_of(effect_infos(), is_named));
    }
    if (!known)
      throw BadInput(fmt::format("a prior on '{}' is not possible; a fitted parameter is required", prior.name));
    if (std::ranges::find(options.fixed, prior.name, &Entry::key) != options.fixed.end())
      throw BadInput(fmt::format("a prior on '{}' is not possible; it is fixed", prior.name));
    if (!std::isfinite(prior.mean))
      throw BadInput(fmt::format("prior {} = {} +- {}: the mean must be a finite number", prior.name,
                                 to_text(prior.mean), to_text(prior.sigma)));
    if (!(prior.sigma > 0) || !std::isfinite(prior.sigma))
      throw BadInput(fmt::format("prior {} = {} +- {}: the standard deviation must be > 0", prior.name,
                                 to_text(prior.mean), to_text(prior.sigma)));
  }
}

/// Names of terms must be free.
void check_terms(const Series& s, const std::vector<std::string>& models) {
  if (s.terms.size() > most_terms)
    throw BadInput(fmt::format("{} terms are too many; at most {} are accepted", s.terms.size(), most_terms));
  if (s.motion && !s.terms.empty())
    throw BadInput("terms cannot be fitted with a scenario; recordings of a force are required");
  for (std::size_t i = 0; i < s.terms.size(); ++i) {
    const std::string& name = s.terms[i].name;
    auto is_same = [&](const FieldInfo& f) { return f.name == name; };
    bool taken = is_beside(name) || name == "inertia" || name == "offset" || name.starts_with("gravity") ||
                 std::ranges::any_of(effect_infos(), is_same);
    for (const std::string& model : models)
      taken = taken || std::ranges::any_of(find_variant(model).model->parameters, is_same);
    for (std::size_t k = 0; k < i; ++k) taken = taken || s.terms[k].name == name;
    if (taken)
      throw BadInput(fmt::format("term '{}' cannot be fitted; the name is taken, another one is required", name));
  }
}

/// Checks --free without a scenario; Replay checks it with one.
void check_free(const Options& options, const std::vector<std::string>& models) {
  for (const std::string& name : options.free) {
    const bool known = std::ranges::any_of(models, [&](const std::string& model) {
      const auto& all = find_variant(model).model->parameters;
      return std::ranges::find(all, name, &FieldInfo::name) != all.end();
    });
    if (!known) throw BadInput(fmt::format("'{}' cannot be fitted; a parameter of a fitted model is required", name));
  }
}

}  // namespace

std::string unfitted(const std::string& model) {
  if (model == "rolling")
    return "it cannot be fitted; creepage, load and geometry of the contact are not part of a recording";
  if (model == "film") return "it cannot be fitted; its fits end in local minima, and the film at the start is unknown";
  return {};
}

bool fitted_unnamed(const ModelInfo& model) {
  return !model.has.random && model.level != "contact" && unfitted(model.name).empty();
}

std::vector<std::string> chosen_models(const Options& options, const Series& s) {
  std::vector<std::string> names = options.models;
  if (names.empty()) {
    for (const ModelInfo& info : model_infos()) {
      if (!fitted_unnamed(info)) continue;
      if (s.steady() && (info.has.presliding || hides_a_parameter(info.name))) continue;
      auto repeats = [&](const std::string& name) { return same_steady_curve(name, info.name); };
      if (s.steady() && std::ranges::any_of(names, repeats)) continue;
      names.push_back(info.name);
    }
  }
  for (const std::string& name : names) {
    const ModelInfo* info = find_variant(name).model;
    if (!info) throw BadInput(unknown_model(name));
    if (const std::string reason = unfitted(info->name); !reason.empty()) throw BadInput(name + ": " + reason);
    if (info->level == "contact")
      throw BadInput(name +
                     " is a population of asperities, which cannot be fitted; its lumped counterpart gms is accepted");
  }
  return names;
}

std::vector<std::string> variants_of(const std::vector<std::string>& models, const Options& options) {
  std::vector<std::string> out;
  for (const std::string& name : models) {
    for (const std::string& variant : find_model(name) ? variant_names(*find_model(name)) : std::vector{name}) {
      auto excluded = [&](const Entry& e) {
        const std::string* word = e.value.as<std::string>();
        return std::ranges::any_of(find_variant(variant).choice, [&](const Entry& choice) {
          return word && choice.key == e.key && *choice.value.as<std::string>() != *word;
        });
      };
      if (std::ranges::none_of(options.fixed, excluded) && std::ranges::find(out, variant) == out.end())
        out.push_back(variant);
    }
  }
  if (out.empty()) throw BadInput(fmt::format("no model left; {} has another fixed choice", models.front()));
  return out;
}

void check_choices(const Options& options, const std::vector<std::string>& models,
                   const std::vector<std::string>& effects, const Series& s) {
  check_fixed(options, models, effects, s);
  check_terms(s, models);
  check_priors(options, models, effects, s);
  if (!options.rig) check_free(options, models);
}

}  // namespace bristle::identify
