#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "read.hpp"

/// A friction block as a simulation unit: variables by number, steps, states, events. The FMI functions are a thin layer above.
namespace bristle::element {

struct UnitVariable {
  enum Type { real, boolean, choice };
  enum Causality { independent, input, output, parameter, local };
  std::string name, unit, text;
  Type type = real;
  Causality causality = local;
  Range range = any_real;
  std::vector<std::string> choices{};
  std::size_t length = 0;  // of the array that begins here; 0: no array
  int derivative_of = -1;  // number of the state
  bool state = false;      // continuous
  bool tunable = true;     // of a parameter

  double* own = nullptr;  // where the number lies: here
  Slot slot{};            // or here
  bool in_slot = false;
  double value() const { return in_slot ? slot.value() : *own; }
};

class Unit {
 public:
  enum Kind { friction, body };

  Unit() = default;
  Unit(const Unit& other) { *this = other; }
  Unit& operator=(const Unit& other);
  Unit(Unit&&) = delete;
  ~Unit() = default;

  /// The canonical text of the block, and lines "key = value": kind, token, and of a body mass, gravity...
  /// "" or what is wrong with it.
  std::string load(std::string_view block, std::string_view settings);

  const std::vector<UnitVariable>& variables() const { return variables_; }
  Kind kind() const { return kind_; }
  const std::string& token() const { return token_; }
  const Element& element() const { return *element_; }
  /// "" or what is wrong with it.
  std::string set(std::size_t variable, double x);
  double get(std::size_t variable);

  /// Parameters fit together; the state is the initial one, at time t.
  std::string begin(double t);
  /// A step of co-simulation, with the inputs constant over it: equal parts of at most max_step.
  std::string advance(double t, double h);

  /// Model exchange: states are x, of a body v, and those of the model.
  void start_events();  // the mode follows the motion
  std::size_t states() const { return states_.size(); }
  const std::vector<std::size_t>& state_variables() const { return states_; }
  double state(std::size_t i) const { return variables_[states_[i]].value(); }
  void set_state(std::size_t i, double x);
  double nominal(std::size_t i) const;
  void set_time(double t) {
    t_ = t;
    stale_ = true;
  }
  double time() const { return t_; }
  double rate(std::size_t i);
  std::size_t indicators() const;
  std::size_t indicator_variable(std::size_t i) const { return variables_.size() - indicators() + i; }
  void indicators(double* out);
  bool passed();         // an event is due
  bool handle_events();  // true: a continuous state has changed
  /// Slope of variable `of` along a direction of inputs and states (seeds, by variable). False if it is not known.
  bool slope(std::size_t of, std::span<const std::pair<std::size_t, double>> seeds, double& out);

  /// Everything that changes: parameters, inputs, states.
  std::vector<double> memory() const;
  bool set_memory(std::span<const double> values);

 private:
  void describe();
  Motion<double> motion() const;
  double weight(double x) const;
  double holding_force() const { return F_app_ - weight(x_); }
  void update();
  std::string check() const;

  std::unique_ptr<Element> element_;
  std::vector<std::pair<std::string, double>> initial_;
  std::vector<std::string> negative_;
  std::vector<UnitVariable> variables_;
  std::vector<std::size_t> states_, rates_;
  std::string token_;
  Kind kind_ = friction;
  // Inputs, outputs, parameters.
  double t_{}, v_{}, x_{}, r_{1}, F_app_{}, temperature_{20}, load_{}, path_{};
  double F_{}, holds_{}, mass_{1}, gravity_{}, gravity_phase_{}, offset_{}, x0_{}, v0_{}, max_step_{1e-3};
  std::vector<double> rate_, before_, now_;
  bool stale_ = true;     // force and rates are not those of the inputs
  bool changed_ = false;  // a parameter was set since the last check
  bool moved_ = false;    // a step of co-simulation was taken
  bool events_ = false;   // model exchange: the mode changes at events only
};

}  // namespace bristle::element
