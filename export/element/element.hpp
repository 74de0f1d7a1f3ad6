#pragma once
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bristle/contact_ref.hpp"
#include "registry/shared/slots.hpp"

/// Any lumped model with its effects as one type, from the header core alone: for binaries that run inside other programs,
/// without the registry and its packages.
namespace bristle::element {

/// One number of a parameter, wherever it lies, with its description.
struct Parameter {
  Slot slot;
  const char* text;
  std::vector<const char*> choices{};  // of a choice: its value is the place in this list
  std::size_t length = 0;              // of its array; 0: not in an array
  bool optional = false;
};

class Element {
 public:
  virtual ~Element() = default;
  virtual std::unique_ptr<Element> clone() const = 0;
  virtual const char* model() const = 0;
  virtual bool set_valued() const = 0;
  virtual bool hybrid() const = 0;
  virtual bool random() const = 0;  // draws numbers from a seed

  virtual bool steps_only() const = 0;  // has states, but no rates of them

  virtual std::vector<const char*> keys() const = 0;  // names of all parameters, also of arrays without elements
  /// Names of effects begin with "effects.", of parameters in negative motion with "negative.".
  virtual bool is_array(std::string_view name) const = 0;
  /// Gives the array its length; false if there is no such array, or it cannot be as long.
  virtual bool resize(std::string_view array, std::size_t n) = 0;
  /// The parameter that is given and takes the place of this one (Fc_i of nu); nullptr if there is none.
  virtual const char* replaced_by(std::string_view parameter) const = 0;
  /// Of the model without those that are replaced, of its effects, and of the model in negative motion.
  virtual std::vector<Parameter> parameters() = 0;
  virtual std::vector<Parameter> effects() = 0;
  virtual std::vector<Parameter> negative() = 0;
  /// Optional parameters that are not given take their defaults, which may follow earlier ones; those of negative motion are
  /// those of positive motion.
  virtual void complete(const std::vector<std::string>& given) = 0;
  /// The relation between parameters that does not hold, in words; "" if all hold.
  virtual std::string broken() const = 0;

  /// All that it remembers: continuous states first, then memory and modes.
  virtual Slots state() = 0;
  virtual std::size_t continuous() const = 0;
  virtual std::vector<double> nominal() const = 0;  // sizes of the continuous states
  virtual void rest() = 0;
  virtual Scales<double> scales() const = 0;

  virtual ContactRef ref() = 0;
  virtual double step(const Motion<double>& u, double dt) = 0;
  virtual double force(const Motion<double>& u) const = 0;  // the mode follows the motion; nothing changes

  /// For solvers with variable steps. `begin` lets the mode follow the motion.
  virtual void begin(const Motion<double>& u) = 0;
  virtual void find_floor(const Motion<double>& u) = 0;  // after states were set: whether one is at its least value
  virtual double eval(const Motion<double>& u, double* rate) const = 0;
  using D = Dual<double>;
  virtual D eval(const Motion<D>& u, std::span<const double> seeds, double* rate_slopes) const = 0;
  virtual std::size_t guards() const = 0;
  virtual void guards(const Motion<double>& u, double* out) const = 0;  // those that the mode does not have: -1
  virtual void jump(const Motion<double>& u, std::size_t guard) = 0;
  virtual bool holds() const = 0;
  virtual double zone(double v) const = 0;  // speed up to which a set-valued law can hold, in the direction of v
};

/// nullptr for an unknown name.
std::unique_ptr<Element> make(std::string_view model);
std::vector<const char*> names();

}  // namespace bristle::element
