#include "unit.hpp"

#include <algorithm>
#include <cmath>

namespace bristle::element {

Unit& Unit::operator=(const Unit& o) {
  if (this == &o) return *this;
  element_ = o.element_ ? o.element_->clone() : nullptr;
  initial_ = o.initial_;
  negative_ = o.negative_;
  token_ = o.token_;
  kind_ = o.kind_;
  events_ = o.events_;
  changed_ = o.changed_;
  describe();
  if (element_) set_memory(o.memory());
  return *this;
}

std::string Unit::load(std::string_view block, std::string_view settings) {
  Made made = read(block);
  if (!made.element) return made.error;
  Keys keys;
  if (std::string wrong = split(settings, "unit.txt", keys); !wrong.empty()) return wrong;
  element_ = std::move(made.element);
  initial_ = std::move(made.initial);
  negative_ = std::move(made.negative);
  for (const auto& [key, value] : keys) {
    if (key == "token") token_ = value;
    if (key == "kind" && value != "friction" && value != "body")
      return "unit.txt: kind = " + value + " must be friction or body";
    if (key == "kind") kind_ = value == "body" ? body : friction;
  }
  describe();
  for (const auto& [key, value] : keys) {
    if (key == "token" || key == "kind") continue;
    const auto at = std::find_if(variables_.begin(), variables_.end(), [&](const UnitVariable& v) {
      return v.name == key && v.causality == UnitVariable::parameter && !v.in_slot;
    });
    double x = 0;
    if (at == variables_.end()) return "unit.txt: unknown key '" + key + "'";
    if (!parse(value, x)) return "unit.txt: " + key + " = " + value + " must be a number";
    if (std::string wrong = set(static_cast<std::size_t>(at - variables_.begin()), x); !wrong.empty())
      return "unit.txt: " + wrong;
  }
  return begin(0);
}

/// The list of variables: their numbers are the value references of FMI.
void Unit::describe() {
  using V = UnitVariable;
  variables_.clear();
  states_.clear();
  rates_.clear();
  if (!element_) return;
  const bool is_body = kind_ == body;
  auto own = [&](const char* name, const char* unit, const char* text, V::Causality causality, double& at,
                 Range range = any_real) -> V& {
    V v{.name = name, .unit = unit, .text = text, .causality = causality, .range = range};
    v.own = &at;
    return variables_.emplace_back(std::move(v));
  };
  own("time", "s", "time", V::independent, t_);
  if (is_body) {
    own("F_app", "N", "force applied to the body", V::input, F_app_);
  } else {
    own("v", "m/s", "sliding velocity", V::input, v_);
    if (element_->set_valued()) own("F_app", "N", "force to hold at rest", V::input, F_app_);
    own("load", "N", "force transmitted by an actuator to the body, for load_drive and load_backdrive", V::input,
        load_);
  }
  own("r", "1", "normal load over nominal load", V::input, r_, nonnegative);
  own("temperature", "degC", "temperature", V::input, temperature_, {-273.15, 5000});
  own("F", "N", "friction force, resists positive motion", V::output, F_);
  own("x", "m", "displacement", is_body ? V::output : V::local, x_).state = true;
  states_.push_back(variables_.size() - 1);
  if (is_body) {
    own("v", "m/s", "velocity", V::output, v_).state = true;
    states_.push_back(variables_.size() - 1);
    own("holds", "1", "whether the contact carries the load at rest", V::output, holds_).type = V::boolean;
    own("mass", "kg", "mass or inertia", V::parameter, mass_, positive);
    own("gravity", "N", "amplitude of gravity sin(x - gravity_phase)", V::parameter, gravity_);
    own("gravity_phase", "rad", "rest position of the pendulum", V::parameter, gravity_phase_);
    own("offset", "N", "constant force against positive motion", V::parameter, offset_);
    own("v0", "m/s", "velocity at the start", V::parameter, v0_).tunable = false;
  }
  own("x0", "m", "displacement at the start", V::parameter, x0_).tunable = false;
  own("max_step", "s", "longest inner step of co-simulation", V::parameter, max_step_, positive);

  auto add = [&](const Parameter& p, const std::string& prefix) {
    if (p.slot.whole && p.choices.empty()) return;  // numbers of elements and seeds fix the shape of the unit
    V v{.name = prefix + p.slot.field,
        .unit = p.slot.unit,
        .text = p.text,
        .causality = V::parameter,
        .range = p.slot.range};
    if (p.slot.index > 0) v.name += "[" + std::to_string(p.slot.index) + "]";
    if (p.slot.index == 1) v.length = p.length;
    for (const char* c : p.choices) v.choices.emplace_back(c);
    if (!p.choices.empty()) v.type = V::choice;
    v.slot = p.slot;
    v.in_slot = true;
    variables_.push_back(std::move(v));
  };
  for (const Parameter& p : element_->parameters()) add(p, "");
  for (const Parameter& p : element_->effects()) {
    if (!std::string_view(p.slot.field).starts_with("noise")) add(p, "effects.");
  }
  for (const Parameter& p : element_->negative()) {
    if (std::find(negative_.begin(), negative_.end(), p.slot.field) != negative_.end()) add(p, "negative.");
  }
  const Slots slots = element_->state();
  const std::size_t n = element_->continuous();
  for (std::size_t i = 0; i < slots.size(); ++i) {
    if (std::string_view(slots[i].field) == "none") continue;
    V v{.name = "state." + std::string(slots[i].field),
        .unit = slots[i].unit,
        .text = "state of the model",
        .range = slots[i].range};
    if (slots[i].index > 0) v.name += "[" + std::to_string(slots[i].index) + "]";
    v.slot = slots[i];
    v.in_slot = true;
    v.state = i < n;
    if (v.state) states_.push_back(variables_.size());
    variables_.push_back(std::move(v));
  }
  rate_.assign(states_.size(), 0);
  for (std::size_t i = 0; i < states_.size(); ++i) {
    const V& state = variables_[states_[i]];
    V v{.name = "der(" + state.name + ")",
        .unit = state.unit == "1"     ? "1/s"
                : state.unit == "m/s" ? "m/s2"
                                      : state.unit + "/s",
        .text = "time derivative"};
    v.derivative_of = static_cast<int>(states_[i]);
    v.own = &rate_[i];
    rates_.push_back(variables_.size());
    variables_.push_back(std::move(v));
  }
  before_.assign(indicators(), -1);
  now_.assign(indicators(), -1);
  for (std::size_t i = 0; i < now_.size(); ++i) {
    V v{.name = "guard[" + std::to_string(i + 1) + "]", .unit = "1", .text = "event indicator"};
    v.own = &now_[i];
    variables_.push_back(std::move(v));
  }
  stale_ = true;
}

std::string Unit::set(std::size_t i, double x) {
  if (i >= variables_.size()) return "no variable has the number " + std::to_string(i);
  UnitVariable& v = variables_[i];
  if (v.causality != UnitVariable::input && v.causality != UnitVariable::parameter) return v.name + " cannot be set";
  if (std::string wrong = complaint(v.name, v.unit.c_str(), v.range, v.type == UnitVariable::choice, x); !wrong.empty())
    return wrong;
  stale_ = true;
  if (!v.in_slot) {
    *v.own = x;
    return "";
  }
  if (v.slot.value() == x) return "";
  changed_ = true;
  v.slot.set(v.slot.at, v.slot.index, x);
  // Negative motion follows unless it has a value of its own.
  for (const Parameter& p : v.name.starts_with("negative.") || v.name.starts_with("effects.") ? std::vector<Parameter>{}
                                                                                              : element_->negative()) {
    if (std::string_view(p.slot.field) == v.slot.field && p.slot.index == v.slot.index &&
        std::find(negative_.begin(), negative_.end(), p.slot.field) == negative_.end())
      p.slot.set(p.slot.at, p.slot.index, x);
  }
  return "";
}

double Unit::get(std::size_t i) {
  if (!now_.empty() && i >= indicator_variable(0)) indicators(now_.data());
  if (stale_ && (variables_[i].causality == UnitVariable::output || variables_[i].derivative_of >= 0)) update();
  return variables_[i].value();
}

std::string Unit::check() const { return element_->broken(); }

std::vector<double> Unit::memory() const {
  std::vector<double> out{t_,
                          v_,
                          x_,
                          r_,
                          F_app_,
                          temperature_,
                          load_,
                          path_,
                          F_,
                          holds_,
                          mass_,
                          gravity_,
                          gravity_phase_,
                          offset_,
                          x0_,
                          v0_,
                          max_step_,
                          events_ ? 1.0 : 0.0,
                          changed_ ? 1.0 : 0.0,
                          moved_ ? 1.0 : 0.0};
  for (auto list : {element_->parameters(), element_->effects(), element_->negative()}) {
    for (const Parameter& p : list) out.push_back(p.slot.value());
  }
  for (const Slot& s : element_->state()) out.push_back(s.value());
  out.insert(out.end(), before_.begin(), before_.end());
  return out;
}

bool Unit::set_memory(std::span<const double> m) {
  if (!element_ || m.size() != memory().size()) return false;
  std::size_t i = 0;
  std::vector<std::pair<Slot, double>> slots;
  double* const own[]{&t_,    &v_,  &x_,       &r_,    &F_app_,   &temperature_,   &load_,
                      &path_, &F_,  &holds_,   &mass_, &gravity_, &gravity_phase_, &offset_,
                      &x0_,   &v0_, &max_step_};
  const std::size_t first = std::size(own) + 3;
  for (std::size_t k = 0; k < first; ++k) {
    if (!std::isfinite(m[k])) return false;
  }
  i = first;
  for (auto list : {element_->parameters(), element_->effects(), element_->negative()}) {
    for (const Parameter& p : list) slots.emplace_back(p.slot, m[i++]);
  }
  for (const Slot& s : element_->state()) slots.emplace_back(s, m[i++]);
  for (const auto& [slot, x] : slots) {
    if (!slot.range.contains(x) || (slot.whole && x != std::floor(x))) return false;
  }
  if (!positive.contains(m[10]) || !positive.contains(m[16]) || !(m[3] >= 0)) return false;
  for (std::size_t k = 0; k < std::size(own); ++k) *own[k] = m[k];
  events_ = m[first - 3] != 0;
  changed_ = true;  // the next step checks that the parameters fit together
  stale_ = true;
  moved_ = m[first - 1] != 0;
  for (const auto& [slot, x] : slots) slot.set(slot.at, slot.index, x);
  for (double& b : before_) b = m[i++];
  if (events_) element_->find_floor(motion());
  return true;
}

}  // namespace bristle::element
