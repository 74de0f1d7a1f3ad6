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
  /// Gives every contact its own value of a real parameter ("Fc", "k2"); false if there is none of that name.
  virtual bool vary(std::string_view parameter, std::span<const T> values) = 0;
  /// Every contact i advances by dt at constant velocity v[i]; F[i] is its force then.
  virtual void step(std::span<const T> v, T dt, std::span<T> F) = 0;
  /// Contact 0 along a motion: v[i] is held over the i-th interval dt, F[i] is the force at its end.
  virtual void along(std::span<const T> v, T dt, std::span<T> F) = 0;
  /// Back to rest.
  virtual void reset() = 0;
};

template <class T> struct MadeBatch {
  std::unique_ptr<Batch<T>> batch;  // empty if there are problems
  Problems problems;
};

/// `isa`: "" for the best this processor has, or one of batch_instruction_sets().
template <class T>
MadeBatch<T> make_batch(std::string_view model, const Table& parameters, std::size_t contacts,
                        std::string_view isa = "");
/// Those this processor can run, best first.
std::vector<std::string> batch_instruction_sets();

}  // namespace bristle
