#pragma once
#include <cstddef>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "../contact_ref.hpp"
#include "../value.hpp"

/// The registry: contacts from a name and a table of values, for scenario files, Python, FMUs.
namespace bristle {

/// A named number.
struct Variable {
  std::string name, unit;  // arrays unrolled: f1, f2...
  double value;            // its value
};
/// Whether the numbers of a contact have no units: a population of asperities without `scale` (gfm) or `scale_length`
/// (generic2010), which convert them.
bool dimensionless(std::string_view model, const std::vector<Variable>& parameters);

/// An invalid call, such as dt <= 0; what() is one line.
struct BadInput : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

/// Any model with its state as one type. Inner loops should use the static type through Models::visit.
class AnyContact {
 public:
  virtual ~AnyContact() = default;
  /// A copy with its state.
  virtual std::unique_ptr<AnyContact> clone() const = 0;
  virtual std::string_view model() const = 0;
  virtual std::size_t index() const;  // of the model in `Models`; Models::size for populations, which are not in it
  /// Whether friction effects are on.
  virtual bool has_effects() const { return false; }
  virtual bool passive() const = 0;           // of the model without effects
  virtual Scales<double> scales() const = 0;  // of the model without effects
  /// Back to the initial state.
  virtual void reset() = 0;

  virtual std::vector<Variable> parameters()
      const = 0;  // real ones: of the model, then of the effects if there are any
  /// Every parameter by its key, as `make` reads it; an effect as "effects.KEY".
  virtual Table settings() const = 0;
  virtual Table initial() const { return {}; }  // state to which `reset` goes back, as `make` reads it
  /// By key. An element of an array is its key with a number from 1 ("k2"), an effect may go without "effects." where the
  /// model has no parameter of that name. Throws BadInput for an unknown key.
  Value parameter(std::string_view key) const;
  /// Checked as by `make`, all at once; throws BadInput and changes nothing if they are refused. The state stays, except that
  /// a contact which has not moved starts from its new initial state, and so does one whose number of states changes. A
  /// population is drawn again.
  void set(const Table& parameters);
  /// Changes one parameter; throws BadInput if it is wrong.
  void set(std::string_view key, const Value& value) { set(Table{{std::string(key), value}}); }

  virtual std::vector<Variable> states() const = 0;  // those that columns show
  /// All that a contact remembers, modes too, as one list of numbers. With the same parameters, a contact that is given the
  /// state of another one continues with the same bits.
  virtual std::vector<std::string> state_names() const = 0;
  /// States and modes as numbers, in the order of their names.
  virtual std::vector<double> state() const = 0;
  /// Throws BadInput and changes nothing for values that no state can have.
  void set_state(std::span<const double> values);

  /// The force at this motion as the contact is now; nothing changes. Throws BadInput as `step` does.
  double force(const Motion<double>& u) const;
  /// Advances by dt at constant velocity u.v and returns the force at the end. Throws BadInput for dt <= 0 or NaN.
  double step(const Motion<double>& u, double dt);
  /// One implicit step of a mass with this contact, see couple.hpp. Throws BadInput for mass or dt <= 0 or NaN.
  Coupled<double> couple(const Motion<double>& u, double mass, double dt);
  /// For solvers of many contacts, see couple_all.hpp. Valid as long as this contact is.
  virtual ContactRef ref();

 private:
  virtual double do_force(const Motion<double>& u) const = 0;
  virtual double do_step(const Motion<double>& u, double dt) = 0;
  virtual Coupled<double> do_couple(const Motion<double>& u, double mass, double dt);
  virtual std::string do_set_state(std::span<const double> values) = 0;  // "" or the reason why not
  virtual void take_parameters(const AnyContact& from) = 0;              // of the same type
};

/// A contact, or the problems that prevent it.
struct Made {
  std::unique_ptr<AnyContact> contact;  // empty if there are problems
  Problems problems;
  std::vector<std::string> notes;  // remarks that are not errors: passivity
};

/// Tables as in the sections [friction], [friction.effects], [friction.initial] of a scenario; `where`: place for
/// messages.
Made make(std::string_view model, const Table& parameters, const Table& effects = {}, const Table& initial = {},
          const std::string& where = {});

/// A contact as text, one line per value, with all that it needs to continue with the same bits.
std::string serialise(const AnyContact& contact);
/// The contact of such a text, or what is wrong with it; `where` names the file.
Made deserialise(std::string_view text, const std::string& where = {});

}  // namespace bristle
