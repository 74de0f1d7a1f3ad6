#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "../contact.hpp"
#include "../value.hpp"
#include "view.hpp"

/// The models as data, for `bristle models`, documents and bindings.
namespace bristle {

struct FieldInfo {
  std::string name, unit, meaning, per_load;
  Kind kind = Kind::real;
  Range range = any_real;
  bool required = true, fitted = true, share = false;
  Start start{};
  Value value;              // default if optional, typical value if required
  std::string waived_by{};  // another parameter that may take its place
  std::string follows{};    // the default is `factor` times this earlier parameter
  double factor = 1;
  std::vector<std::string> choices;
};

struct ModelInfo {
  std::string name, title, equations, notes, passive_if;
  std::vector<std::string> references;
  std::vector<FieldInfo> parameters, states;
  std::vector<RelationInfo> relations;  // between the parameters
  Properties has;
  std::string level;  // contact, flow, hybrid
  bool set_valued = false;
  bool passive = false;  // with the typical parameters
};

/// All models, in the order of the list.
const std::vector<ModelInfo>& model_infos();
/// nullptr if no model has this name.
const ModelInfo* find_model(std::string_view name);
/// A model with one of its choices, a name in rankings: "rate_state_slip" is rate_state with law = "slip".
struct Variant {
  const ModelInfo* model = nullptr;  // nullptr: no such name
  Table choice{};                    // empty for the name of a model itself
};
Variant find_variant(std::string_view name);
/// The name itself for a model without choices.
std::vector<std::string> variant_names(const ModelInfo& model);
std::vector<std::string> model_names();
/// "unknown model 'lugra', did you mean 'lugre'?"
std::string unknown_model(std::string_view name);
/// The keys of [friction.effects].
const std::vector<FieldInfo>& effect_infos();
/// The keys of [friction.heat].
const std::vector<FieldInfo>& heat_infos();

/// The declared properties by name, for tables.
struct PropertyInfo {
  const char *name, *meaning;
  bool Properties::* at;
};
const std::vector<PropertyInfo>& property_infos();

const char* to_string(Kind kind);

}  // namespace bristle
