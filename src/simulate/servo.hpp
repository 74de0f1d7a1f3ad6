#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <memory>

#include "bristle/simulate.hpp"
#include "compensator.hpp"

/// The laws of a servo, see ControllerParams.
namespace bristle {

struct Reference {
  double x{}, v{}, a{};
};

/// Position error without the dead band.
inline double outside_band(double error, double band) {
  return error > band ? error - band : error < -band ? error + band : 0;
}

/// A continuous servo: linear between its limits, which are modes that events change.
struct ContinuousServo {
  ControllerParams c{};
  int saturated{};  // sign of the limit that u has reached
  int band{};       // sign of the error outside the dead band
  struct In {
    Reference r;
    double x, v, integral, filter;  // position, velocity, states of the integral and of the filter
  };
  /// Derivatives of a result.
  struct Slopes {
    double r{}, r_v{}, r_a{}, x{}, v{}, integral{}, filter{};
    Slopes plus(double factor, const Slopes& s) const {
      return {r + factor * s.r, r_v + factor * s.r_v,           r_a + factor * s.r_a,      x + factor * s.x,
              v + factor * s.v, integral + factor * s.integral, filter + factor * s.filter};
    }
  };

  bool integrates() const { return c.integral() != 0; }
  bool filters() const { return c.velocity() == MeasuredVelocity::filter; }
  double error(const In& in) const {
    const double e = in.r.x - in.x;
    return c.dead_band > 0 ? (band == 0 ? 0 : e - band * c.dead_band) : e;
  }
  double filtered(const Reference& r, double x) const { return c.cascade() ? x : c.derivative_weight * r.x - x; }
  double filter_rate(const In& in) const { return (filtered(in.r, in.x) - in.filter) / c.derivative_filter; }
  double wanted(const In& in) const;  // what the integral integrates without a limit: e or the velocity error
  double raw(const In& in) const;     // u without its limit
  double output(const In& in) const { return saturated != 0 ? saturated * c.limit : raw(in); }
  double integral_rate(const In& in) const {
    const double rate = wanted(in);
    return c.anti_windup && saturated != 0 ? rate + (saturated * c.limit - raw(in)) / c.proportional() : rate;
  }
  Slopes wanted_slopes() const;
  Slopes raw_slopes() const;
  Slopes output_slopes() const { return saturated != 0 ? Slopes{} : raw_slopes(); }
  Slopes integral_slopes() const {
    return c.anti_windup && saturated != 0 ? wanted_slopes().plus(-1 / c.proportional(), raw_slopes())
                                           : wanted_slopes();
  }
  Slopes filter_slopes() const;
  /// Modes at the start of a piece, and guards that rise through zero where they change.
  void enter(const In& in);
  double saturation_guard(const In& in) const {
    const double u = raw(in);
    return saturated == 0 ? std::abs(u) - c.limit : c.limit - saturated * u;
  }
  double band_guard(const In& in) const {
    const double e = in.r.x - in.x;
    return band == 0 ? std::abs(e) - c.dead_band : c.dead_band - band * e;
  }
};

/// A sampled servo with its sensor: it measures, computes u and holds it. Also the continuous servo of fixed steps, which is
/// sampled in every step.
class SampledServo {
 public:
  SampledServo() = default;
  /// `slip`: velocity of the model of the feedforward over that of x, as the radius of a bearing.
  /// `inertia`: of the body, 0 if it is not known.
  SampledServo(const ControllerParams& c, const AnyContact* feedforward, double inertia, double x0, double v0,
               double slip = 1);
  /// Time of the next measurement or sample.
  double next() const { return std::min(next_sample(), next_measurement()); }
  /// Measures and samples if it is time for it, within `slack`; returns u. `T`: since the last sample.
  double act(double t, double slack, double x, double v, const Reference& r, double T);
  const AnyContact* feedforward() const { return feedforward_.get(); }
  const Compensator* compensator() const { return compensator_.get(); }

 private:
  struct Measured {
    double x, v;
  };
  double next_sample() const { return static_cast<double>(samples_) * c_.sample_time; }
  double next_measurement() const {
    return phase_ > 0 ? static_cast<double>(measurements_) * c_.sample_time + phase_ : next_sample();
  }
  Measured measured();
  double sample(double t, const Reference& r, double T);
  double compensation(const Measured& m, const Reference& r, double T);

  ControllerParams c_{};
  std::unique_ptr<AnyContact> feedforward_{};
  std::unique_ptr<Compensator> compensator_{};
  std::deque<double> acted_{};                  // outputs without the feedforward, as old as the measurement
  double seen_x_ = 0, seen_v_ = 0, unfed_ = 0;  // last measurement; last output without the feedforward
  Measured before_{};                           // the run
  std::deque<Measured> seen_{};
  std::int64_t samples_ = 0, measurements_ = 0, lag_ = 0;  // lag: samples from a measurement to its use
  double phase_ = 0;                                       // of the measurements after the samples
  double integral_ = 0, last_ = 0, slope_ = 0, u_ = 0, slip_ = 1;
};

}  // namespace bristle
