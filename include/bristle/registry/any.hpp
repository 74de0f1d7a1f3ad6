#pragma once
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "../contact.hpp"
#include "../couple.hpp"
#include "../value.hpp"

/// The boundary: from a name and a table of values to a contact, for scenario files, Python, FMUs.
namespace bristle {

struct Variable {
  std::string name, unit;  // arrays unrolled: f1, f2...
  double value;
};

/// A call that makes no sense, such as dt <= 0: what() is one line.
struct BadInput : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

/// Any model with its state, behind one type. Not for hot loops: those take the static type through Models::visit.
class AnyContact {
 public:
  virtual ~AnyContact() = default;
  virtual std::unique_ptr<AnyContact> clone() const = 0;
  virtual std::string_view model() const = 0;
  virtual std::size_t index() const;  // of the model in `Models`; Models::size for populations, which are not in it
  virtual bool has_effects() const { return false; }
  virtual std::vector<Variable> parameters() const = 0;  // of the model, then of the effects if there are any
  virtual std::vector<Variable> states() const = 0;
  virtual bool passive() const = 0;           // the model without effects
  virtual Scales<double> scales() const = 0;  // likewise
  /// Back to the initial state.
  virtual void reset() = 0;
  /// Advances by dt at constant velocity u.v and returns the force at the end. Throws BadInput for dt <= 0 or NaN.
  double step(const Motion<double>& u, double dt);
  /// One implicit step of a mass with this contact, see couple.hpp. Throws BadInput for mass or dt <= 0 or NaN.
  Coupled<double> couple(const Motion<double>& u, double mass, double dt);

 private:
  virtual double do_step(const Motion<double>& u, double dt) = 0;
  virtual Coupled<double> do_couple(const Motion<double>& u, double mass, double dt) = 0;
};

struct Made {
  std::unique_ptr<AnyContact> contact;  // empty if there are problems
  Problems problems;
  std::vector<std::string> notes;  // worth telling, not wrong: passivity
};

/// Tables as in the sections [friction], [friction.effects], [friction.initial] of a scenario; `where` names the file.
Made make(std::string_view model, const Table& parameters, const Table& effects = {}, const Table& initial = {},
          const std::string& where = {});

}  // namespace bristle
