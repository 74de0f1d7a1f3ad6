#pragma once
#include <memory>
#include <string>
#include <vector>

#include "bristle/contact.hpp"
#include "bristle/effects.hpp"
#include "bristle/registry/any.hpp"

/// A contact as the solver sees it: states in a flat array, the mode inside, derivatives of everything.
namespace bristle {

struct Guard {
  enum Meaning {
    switches,  // the equations change: a step ends there
    bends,     // they have a kink
    reports,   // something worth telling happens
  };
  int owner, id;
  double value;  // an event is a value rising through zero
  Meaning meaning{switches};
  std::size_t body{1};  // of a chain
};

/// Force and state rates with their derivatives. Rates depend on v, r and the states alone.
struct Slopes {
  double F{}, F_v{}, F_r{}, F_x{}, F_path{}, F_t{};
  double r_load{};                                                  // of the load ratio by the transmitted load
  std::vector<double> F_z{}, rate{}, rate_v{}, rate_r{}, rate_z{};  // rate_z: row by row
  explicit Slopes(std::size_t n = 0) : F_z(n), rate(n), rate_v(n), rate_r(n), rate_z(n * n) {}
};

class ContactFlow {
 public:
  virtual ~ContactFlow() = default;
  virtual std::unique_ptr<ContactFlow> clone() const = 0;

  struct Traits {
    bool hybrid{}, set_valued{};
    bool kink_at_rest{};           // |v| matters, and no guard of its own says so
    bool cusp_at_rest{};           // the slope is infinite there
    bool feels_x{}, feels_path{};  // through effects
    bool feels_load{};             // likewise, the force that the actuator transmits
    bool pushes{};                 // a force of its own: offset, noise
    Scales<double> scales{};
    double longest_step{inf};        // that still sees the fastest swing of its noise
    std::vector<Variable> states{};  // with their values at the start
    std::vector<double> state_scale{};
    std::vector<double> bound{};  // a state within it stays so; infinite if there is none
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

  /// Puts the mode in line with a motion that begins.
  virtual void begin(const double* z, const Motion<double>& u) = 0;
  virtual double force(const double* z, const Motion<double>& u) const = 0;
  /// Force; writes the state rates.
  virtual double eval(const double* z, const Motion<double>& u, double* rate) const = 0;
  virtual void slopes(const double* z, const Motion<double>& u, Slopes& out) const = 0;
  virtual void guards(const double* z, const Motion<double>& u, int owner, std::vector<Guard>& out) const = 0;
  virtual void jump(double* z, const Motion<double>& u, int id) = 0;
  virtual bool holds() const = 0;

  /// What only events change: the mode, and states that are no part of z. Bodies on equal contacts can share one flow, each
  /// with a memory of its own in its place.
  virtual std::size_t memory_size() const { return 0; }
  virtual void begin_memory(void* /*at*/) const {}  // as it is at present
  virtual void use_memory(void* /*at*/) {}          // from now on

 protected:
  Traits traits_;
};

/// From the start of what is in the box.
std::unique_ptr<ContactFlow> make_flow(const AnyContact& any);

}  // namespace bristle
