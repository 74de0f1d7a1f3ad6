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

template <class T> class Batch {  // T: double or float
 public:
  virtual ~Batch() = default;
  virtual std::size_t size() const = 0;
  /// Sets a real parameter ("Fc", "k2") of every contact; false if no parameter has this name.
  virtual bool vary(std::string_view parameter, std::span<const T> values) = 0;
  /// Advances every contact i by dt at constant velocity v[i]; F[i] is its force at the end.
  virtual void step(std::span<const T> v, T dt, std::span<T> F) = 0;
  /// Moves contact 0: velocity v[i] in the i-th interval dt, F[i] is the force at its end.
  virtual void along(std::span<const T> v, T dt, std::span<T> F) = 0;
  /// Back to rest.
  virtual void reset() = 0;
};

template <class T> struct MadeBatch {
  std::unique_ptr<Batch<T>> batch;  // empty if there are problems
  Problems problems;
};

/// `isa`: "" for the best of this processor, or one of batch_instruction_sets().
template <class T>
MadeBatch<T> make_batch(std::string_view model, const Table& parameters, std::size_t contacts,
                        std::string_view isa = "");
/// Instruction sets of this processor, best first.
std::vector<std::string> batch_instruction_sets();

}  // namespace bristle
