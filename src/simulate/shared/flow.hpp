#pragma once
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "bristle/contact.hpp"
#include "bristle/effects.hpp"
#include "bristle/registry/any.hpp"

/// A contact for the solver: states in a flat array, internal mode, all derivatives.
namespace bristle {

struct Guard {
  enum Meaning {
    switches,  // the equations change: a step ends at the event
    kinks,     // the equations have a kink
    reports,   // only the list of events changes
  };
  int owner, id;
  double value;  // an event is a rise through zero
  Meaning meaning{switches};
  std::size_t body{1};  // of a chain
};

/// Force and state rates with their derivatives. Rates depend on v, r and the states alone.
struct Slopes {
  double F{}, F_v{}, F_r{}, F_x{}, F_path{}, F_t{};
  double r_load{};  // derivative of the load ratio with respect to the transmitted load
  double r_x{};     // and to the position: rates change by rate_r r_x; F_x contains its part
  std::vector<double> F_z{}, rate{}, rate_v{}, rate_r{}, rate_z{};  // rate_z: row by row
  explicit Slopes(std::size_t n = 0) : F_z(n), rate(n), rate_v(n), rate_r(n), rate_z(n * n) {}
  /// All zero again, without new memory.
  void reset() {
    F = F_v = F_r = F_x = F_path = F_t = r_load = r_x = 0;
    for (std::vector<double>* x : {&F_z, &rate, &rate_v, &rate_r, &rate_z}) std::fill(x->begin(), x->end(), 0.0);
  }
};

class ContactFlow {
 public:
  virtual ~ContactFlow() = default;
  virtual std::unique_ptr<ContactFlow> clone() const = 0;

  struct Traits {
    bool hybrid{}, set_valued{};
    bool kink_at_rest{};           // depends on |v| without its own guard
    bool cusp_at_rest{};           // infinite slope at rest
    bool feels_x{}, feels_path{};  // dependence through effects
    bool feels_load{};             // dependence through effects, on the force transmitted by the actuator
    bool pushes{};                 // a force of its own: offset, noise
    int guarded_states{-1};        // guard i differs from +- this state + i by a limit; -1: none does
    bool apart{};                  // the rate of a state depends on no other state
    bool limits_fall{};            // limits of guarded states fall with the slip speed; else they are constant
    Scales<double> scales{};
    double longest_step{inf};        // that resolves the fastest oscillation of its noise
    std::vector<Variable> states{};  // with initial values
    std::vector<double> state_scale{};
    std::vector<double> bound{};  // invariant bound of the states; infinite if there is none
  };
  const Traits& traits() const { return traits_; }
  /// For steps that know the type: what the contact is made of.
  struct Inside {
    static constexpr std::size_t unknown = ~std::size_t{0};
    std::size_t model{unknown};                // its place in Models
    const void *contact{}, *state{}, *mode{};  // M<double>, its State for what only events change, its Mode
    bool usual{};                              // options, see stribeck.hpp
    const Effects<double>* effects{};
  };
  virtual Inside inside() const { return {}; }
  std::size_t size() const { return traits_.states.size(); }

  /// Sets the mode at the start of a motion.
  virtual void begin(const double* z, const Motion<double>& u) = 0;
  virtual double force(const double* z, const Motion<double>& u) const = 0;
  /// Force; writes the state rates.
  virtual double eval(const double* z, const Motion<double>& u, double* rate) const = 0;
  virtual void slopes(const double* z, const Motion<double>& u, Slopes& out) const = 0;
  virtual void guards(const double* z, const Motion<double>& u, int owner, std::vector<Guard>& out) const = 0;
  virtual void jump(double* z, const Motion<double>& u, int id) = 0;
  virtual bool holds() const = 0;
  virtual int direction() const { return 0; }  // of motion, kept by the mode: see slip_direction

  /// Memory: the mode, and states outside z, which only events change. Bodies on equal contacts can share one flow,
  /// each with its own memory.
  virtual std::size_t memory_size() const { return 0; }
  virtual void begin_memory(void* /*at*/) const {}  // the present memory
  virtual void use_memory(void* /*at*/) {}          // uses this memory from now on

 protected:
  Traits traits_;
};

/// The flow of a type-erased contact, from its initial state.
std::unique_ptr<ContactFlow> make_flow(const AnyContact& any);

}  // namespace bristle
