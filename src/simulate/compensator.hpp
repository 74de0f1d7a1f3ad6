#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bristle/control/interval.hpp"
#include "bristle/simulate.hpp"

/// The observers and adaptive laws of bristle/control behind one interface.
namespace bristle {

class Compensator {
 public:
  virtual ~Compensator() = default;
  /// The friction force to be added to u in the next interval.
  virtual double step(const control::Interval<double>& in) = 0;
  /// Estimated force first, then the estimates.
  virtual std::vector<Column> columns() const = 0;  // without values
  virtual void estimates(double* out) const = 0;
  std::size_t size() const { return size_; }

 protected:
  explicit Compensator(std::size_t size) : size_(size) {}

 private:
  std::size_t size_;
};

/// A note if the estimates of an adaptive law are the same in all rows of a run: the motion was too slow for them. `prefix`: of
/// the columns.
void note_frozen(const ControllerParams& c, double inertia, const Trace& trace, const std::string& prefix,
                 std::vector<std::string>& notes);

/// nullptr for none and feedforward. `inertia`: of the body, 0 if it is not known.
std::unique_ptr<Compensator> make_compensator(const ControllerParams& c, double inertia);

}  // namespace bristle
