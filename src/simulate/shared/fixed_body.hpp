#pragma once
#include <memory>

#include "bristle/simulate.hpp"
#include "simulate/servo.hpp"

/// One body with its contact in fixed steps by the implicit coupling of couple.hpp. Springs and dampers are part of the
/// solve; the drive is evaluated at the end of the step, gravity and the servo at its beginning.
namespace bristle {

class FixedBody {
 public:
  explicit FixedBody(const Experiment& e);
  void advance(double t0, double t1, EnergyBalance& w);
  /// Whether drive, spring and servo act; if not, only friction and gravity do.
  void engage(bool acts) { engaged_ = acts; }
  double x() const { return x_; }
  double v() const { return v_; }

 protected:
  double servo(double t, const Reference& r, double dt);
  double load(double t) const { return e_.load ? e_.load->at(t).value : 1; }
  double kinetic_energy() const;
  double potential_energy(double t) const;

  const Experiment& e_;
  std::unique_ptr<AnyContact> contact_;
  SampledServo servo_{};
  double x_{}, v_{}, omega_{}, phi_{}, inertia_{}, path_{}, F_{}, F_app_{}, end_{}, u_{};
  bool engaged_ = true;
  const bool set_valued_;
};

}  // namespace bristle
