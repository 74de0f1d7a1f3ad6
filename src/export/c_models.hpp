#pragma once
#include <string>
#include <vector>

namespace bristle::exports {

/// A law in C. In the text, @ stands for the prefix of all names, $(1.5) for a number and $exp( for a function of math.h in
/// the scalar of the header. A line that begins with ?FLAG is kept if the flag holds, one with !FLAG if it does not.
struct CModel {
  const char* name;
  const char* state;  // members of the state besides those of the parameter list; n elements: [@N]
  const char* code;   // @_advance: one step and the force after it
  const char* holds;  // condition of a set-valued law; "" for others
  bool elements = false;
  bool stribeck = false;
  const char* worst = "";  // statement about the largest number of operations
};
const CModel* find_c_model(const std::string& name);
std::vector<std::string> c_model_names();
extern const char* const c_leuven;
extern const char* const c_bouc_wen;
extern const char* const c_helpers;
extern const char* const c_couple;
extern const char* const c_effects;
extern const char* const c_no_effects;
extern const char* const c_calls;
extern const char* const c_lugre_observer;
extern const char* const c_gms_observer;

}  // namespace bristle::exports
