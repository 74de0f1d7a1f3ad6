#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "../contact.hpp"
#include "../value.hpp"
#include "view.hpp"

/// The models as data, for `bristle models`, documents and bindings.
namespace bristle {

/// Description of a parameter or state.
struct FieldInfo {
  std::string name, unit, meaning, per_load;  // per_load: key of the same parameter per normal load, empty: none
  Kind kind = Kind::real;                     // form of its values
  Range range = any_real;
  // fitted: whether fits may change it; share: whether it is a part of a whole that sums to 1
  bool required = true, fitted = true, share = false;
  Start start{};            // starting value of fits
  Value value;              // default if optional, typical value if required
  std::string waived_by{};  // another parameter that may take its place
  std::string follows{};    // the default is `factor` times this earlier parameter
  double factor = 1;        // factor between file and member
  std::vector<std::string> choices;
};

/// Description of a model.
struct ModelInfo {
  // equations: as text; passive_if: the condition of passivity, in words
  std::string name, title, equations, notes, passive_if;
  std::vector<std::string> references;        // publications
  std::vector<FieldInfo> parameters, states;  // states: its states
  std::vector<RelationInfo> relations;        // between the parameters
  Properties has;                             // properties that it claims
  std::string level;                          // contact, flow, hybrid
  bool set_valued = false;                    // whether its force at rest is a set
  bool passive = false;                       // with the typical parameters
  bool population = false;                    // of asperities
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
/// The model and the choices of a name such as rate_state_slip.
Variant find_variant(std::string_view name);
/// The name itself for a model without choices.
std::vector<std::string> variant_names(const ModelInfo& model);
/// The names of all models.
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
  bool Properties::* at;  // the member of Properties
};
/// All properties with their names and meanings.
const std::vector<PropertyInfo>& property_infos();

/// The word for a form of values.
const char* to_string(Kind kind);

}  // namespace bristle
