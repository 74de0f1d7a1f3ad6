#pragma once
#include <memory>
#include <vector>

#include "world.hpp"

/// One-step methods with an error estimate and dense output.
namespace bristle {

struct StepCounts {
  long evaluations{}, jacobians{};
};

class Stepper {
 public:
  explicit Stepper(const World& world) : world_(world) {}
  virtual ~Stepper() = default;
  virtual const char* name() const = 0;
  virtual int order() const = 0;
  /// Factor on the tolerances that brings the methods to about the same error at the same setting.
  virtual double caution() const { return 1; }
  /// The point from which steps are tried.
  void from(double t, const std::vector<double>& y) {
    t_ = t;
    y_ = y;
    prepare();
  }
  /// Tries a step from there; the result is in `end()`, the estimated error of every state and work in `error`. False if
  /// the step is too long to see an instability grow: implicit methods would damp it, and look fine.
  bool attempt(double h, std::vector<double>& error) {
    h_ = h;
    return advance(error);
  }
  /// Whether the body may be in oscillations that grow: steps must then resolve them.
  virtual bool restless() const = 0;
  const std::vector<double>& end() const { return y1_; }
  const std::vector<double>& begin_rates() const { return f_; }
  /// How far a state may stray from the straight line between the ends of the last attempt; infinite if not known.
  virtual double bend(std::size_t) const { return inf; }
  /// The solution at t + theta h of the last attempt.
  virtual void dense(double theta, double* y) const = 0;
  const StepCounts& counts() const { return counts_; }

 protected:
  virtual void prepare() = 0;
  virtual bool advance(std::vector<double>& error) = 0;
  void rates(double t, const std::vector<double>& y, std::vector<double>& f) {
    ++counts_.evaluations;
    world_.rates(t, y.data(), f.data());
  }
  const World& world_;
  double t_{}, h_{};
  std::vector<double> y_{}, y1_{}, f_{};
  StepCounts counts_{};
};

/// Fixed-size methods with structured elimination for one contact on a slider; nullptr for any other system, and for
/// contacts with arrays of states.
std::unique_ptr<Stepper> make_small(const World& world);
std::unique_ptr<Stepper> make_rodas5p(const World& world);
std::unique_ptr<Stepper> make_rodas4(const World& world);
std::unique_ptr<Stepper> make_dopri5(const World& world);

}  // namespace bristle
