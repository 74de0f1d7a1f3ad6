#include "export/c_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bristle/registry/describe.hpp"
#include "report/shared/labels.hpp"

namespace bristle::exports {
namespace {

double real_of(const Block& block, const char* key) { return *block.contact().parameter(key).as<double>(); }

/// A parameter of negative motion; false if the code has no place for it.
bool plan_negative(Parameter p, Plan& plan) {
  p.name.erase(0, std::string_view("negative.").size());
  // While karnopp leaves its zone, force and velocity choose different directions.
  const bool known = std::ranges::find(plan.parameters, p.name, &Parameter::name) != plan.parameters.end();
  if (!known || plan.model->name == std::string_view("karnopp")) return false;
  // One closed form serves both directions, and C has no text for an infinite number.
  if (p.name == "n" && plan.flags.contains("closed")) return false;
  if (const auto* x = p.value.as<double>(); x && !std::isfinite(*x)) return false;
  plan.flags.insert("directed");
  plan.negative.push_back(std::move(p));
  return true;
}

void plan_effects(const Block& block, Plan& plan, Problems& problems) {
  if (!block.contact().has_effects()) return;
  auto set = [&](const char* key) {
    return real_of(block, key) !=
           *std::ranges::find(effect_infos(), std::string_view(key).substr(8), &FieldInfo::name)->value.as<double>();
  };
  std::string refused;
  for (const Parameter& p : parameters_of(block)) {
    static const std::set<std::string> accepted{"asymmetry",
                                                "offset",
                                                "ripple",
                                                "ripple_period",
                                                "ripple_phase",
                                                "cogging",
                                                "cogging_period",
                                                "cogging_phase",
                                                "load_exponent",
                                                "load_offset",
                                                "reference_position",
                                                "noise_frequency",
                                                "noise_length",
                                                "seed",
                                                "transmission_exponent",
                                                "reference_temperature"};
    const bool negative = p.name.starts_with("negative.");
    const bool effect = p.name.starts_with("effects.");
    if (negative && !plan_negative(p, plan)) refused += (refused.empty() ? "" : ", ") + p.name;
    if (effect && !accepted.contains(p.name.substr(8))) refused += (refused.empty() ? "" : ", ") + p.name.substr(8);
  }
  if (!refused.empty())
    problems.push_back(
        {block.file.path, fmt::format("the kind c has no {}; accepted effects: asymmetry, offset, ripple, "
                                      "cogging, load_exponent, load_offset; others need the kind fmu",
                                      refused)});
  for (const char* flag : {"ripple", "cogging", "load_exponent", "load_offset"}) {
    if (set(("effects." + std::string(flag)).c_str())) plan.flags.insert(flag);
  }
  const bool any =
      std::ranges::any_of(parameters_of(block), [](const Parameter& p) { return p.name.starts_with("effects."); });
  if (!any) return;
  plan.flags.insert("effects");
  std::vector<const char*> keys{"asymmetry", "offset"};
  if (plan.flags.contains("ripple")) keys.insert(keys.end(), {"ripple", "ripple_period", "ripple_phase"});
  if (plan.flags.contains("cogging")) keys.insert(keys.end(), {"cogging", "cogging_period", "cogging_phase"});
  if (plan.flags.contains("ripple") || plan.flags.contains("cogging")) keys.push_back("reference_position");
  if (plan.flags.contains("load_exponent")) keys.push_back("load_exponent");
  if (plan.flags.contains("load_offset")) keys.push_back("load_offset");
  for (const char* key : keys) {
    const FieldInfo& info = *std::ranges::find(effect_infos(), std::string_view(key), &FieldInfo::name);
    plan.effects.push_back({.name = key,
                            .unit = report::shown_unit(info.unit, block.rotational),
                            .meaning = info.meaning,
                            .value = block.contact().parameter("effects." + std::string(key))});
  }
}

}  // namespace

Plan plan_of(const Block& block, const Options& options, Problems& problems) {
  Plan plan{.model = find_c_model(block.model()), .name = identifier(block, options), .flags = {}, .parameters = {}};
  if (!plan.model) {
    std::string names;
    for (const std::string& n : c_model_names()) names += (names.empty() ? "" : ", ") + n;
    problems.push_back(
        {block.file.path, fmt::format("the kind c has no {}; accepted models: {}", block.model(), names)});
    return plan;
  }
  auto& flags = plan.flags;
  auto fix = [&](const char* key, double value) {
    plan.fixed.push_back(fmt::format("{} = {}", key, to_text(value)));
    std::erase_if(plan.parameters, [&](const Parameter& p) { return p.name == key; });
  };
  for (Parameter& p : parameters_of(block)) {
    const bool own = !p.name.starts_with("effects.") && !p.name.starts_with("negative.");
    if (const auto* list = p.value.as<std::vector<double>>(); own && list)
      plan.elements = std::max(plan.elements, list->size());
    if (own) plan.parameters.push_back(std::move(p));
  }
  auto given = [&](const char* key) {
    return std::ranges::find(plan.parameters, std::string_view(key), &Parameter::name) != plan.parameters.end();
  };
  if (*plan.model->holds) flags.insert("set_valued");
  if (plan.model->stribeck) {
    flags.insert("stribeck");
    const double alpha = real_of(block, "alpha");
    flags.insert(alpha == 2 ? "gauss" : "power");
    if (alpha == 2) fix("alpha", 2);
  }
  if (given("i")) {
    if (real_of(block, "i") == 1)
      fix("i", 1);
    else
      flags.insert("knee");
  }
  if (given("vd")) {
    if (std::isfinite(real_of(block, "vd")))
      flags.insert("fade");
    else
      std::erase_if(plan.parameters, [](const Parameter& p) { return p.name == "vd"; });
  }
  for (const char* key : {"Fc_i", "Fs_i", "vs_i", "alpha_i", "C_i"}) {
    if (given(key))
      problems.push_back(
          {block.file.path,
           fmt::format("the kind c has no {}; the common Stribeck curve is accepted, others need the kind fmu", key)});
  }
  if (given("kv_exponent")) flags.insert("kv_power");
  if (given("sigma")) flags.insert("sigma");
  if (block.model() == "leuven") {
    const double n = real_of(block, "n");
    if (n == 2) flags.insert({"square", "closed"});
    if (n == 1) flags.insert({"linear", "closed"});
    if (n == 2) fix("n", 2);
  }
  plan_effects(block, plan, problems);
  return plan;
}

}  // namespace bristle::exports
