#pragma once
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "value.hpp"

/// Many contacts, many parameter sets, or one contact along a long motion, in vector code chosen for this processor.
/// The same input gives the same bits on every instruction set.
namespace bristle {

/// Inputs besides the velocity, one per contact. Empty: load ratio 1, displacement by the integral of v, 20 degC. Only effects
/// read x and temperature.
template <class T> struct BatchInputs {
  // temperature: temperature per contact, or one for all, empty: the reference temperature
  std::span<const T> r{}, x{}, temperature{};
};

/// Many contacts of one model; T: double or float.
template <class T> class Batch {  // T: double or float
 public:
  virtual ~Batch() = default;
  virtual std::size_t size() const = 0;
  /// Sets a real parameter ("Fc", "k2") or effect ("effects.offset") of every contact; false if none has this name.
  virtual bool vary(std::string_view parameter, std::span<const T> values) = 0;
  /// Advances every contact i by dt at constant velocity v[i]; F[i] is its force at the end.
  /// Throws BadInput and changes nothing for values that are not finite or r < 0.
  virtual void step(std::span<const T> v, T dt, std::span<T> F, const BatchInputs<T>& more) = 0;
  /// One step of all contacts at the velocities v; writes the forces.
  void step(std::span<const T> v, T dt, std::span<T> F) { step(v, dt, F, {}); }
  /// Moves contact 0, without effects: velocity v[i] in the i-th interval dt, F[i] is the force at its end.
  virtual void along(std::span<const T> v, T dt, std::span<T> F) = 0;
  /// Back to rest.
  virtual void reset() = 0;
};

/// A batch, or the problems that prevent it.
template <class T> struct MadeBatch {
  std::unique_ptr<Batch<T>> batch;  // empty if there are problems
  Problems problems;
};

/// `isa`: "" for the best of this processor, or one of batch_instruction_sets(). `effects`: of every contact.
template <class T>
MadeBatch<T> make_batch(std::string_view model, const Table& parameters, std::size_t contacts,
                        std::string_view isa = "", const Table& effects = {});
/// Instruction sets of this processor, best first.
std::vector<std::string> batch_instruction_sets();

}  // namespace bristle
