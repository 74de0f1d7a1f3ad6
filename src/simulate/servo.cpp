#include "servo.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bristle/random.hpp"

namespace bristle {
namespace {

constexpr std::uint64_t sensor_stream = 12;  // after those of random.hpp and of prbs
constexpr double most_lag = 1e6;             // samples

double standard_normal(int seed, std::int64_t i) {
  const auto s = static_cast<std::uint64_t>(seed), k = static_cast<std::uint64_t>(i);
  return std::sqrt(-2 * std::log1p(-uniform(s, sensor_stream, k, 0))) *
         std::cos(two_pi * uniform(s, sensor_stream, k, 1));
}

}  // namespace

double ContinuousServo::wanted(const In& in) const {
  if (!c.cascade()) return error(in);
  const double v = filters() ? filter_rate(in) : in.v;
  return c.position_gain * error(in) + c.velocity_feedforward * in.r.v - v;
}

double ContinuousServo::raw(const In& in) const {
  double u = 0;
  if (c.cascade()) {
    u = c.velocity_gain * wanted(in) + (integrates() ? c.velocity_integral * in.integral : 0);
  } else {
    const double slope = filters() ? filter_rate(in) : c.derivative_weight * in.r.v - in.v;
    u = c.kp * error(in) + c.kd * slope + (integrates() ? c.ki * in.integral : 0);
  }
  return c.acceleration_feedforward != 0 ? u + c.acceleration_feedforward * in.r.a : u;
}

ContinuousServo::Slopes ContinuousServo::filter_slopes() const {
  const double rate = 1 / c.derivative_filter;
  Slopes s;
  s.filter = -rate;
  s.x = c.cascade() ? rate : -rate;
  s.r = c.cascade() ? 0 : c.derivative_weight * rate;
  return s;
}

ContinuousServo::Slopes ContinuousServo::wanted_slopes() const {
  const double open = c.dead_band > 0 && band == 0 ? 0 : 1;
  Slopes s;
  if (!c.cascade()) {
    s.r = open;
    s.x = -open;
    return s;
  }
  s.r = c.position_gain * open;
  s.x = -s.r;
  s.r_v = c.velocity_feedforward;
  if (filters()) return s.plus(-1, filter_slopes());
  s.v = -1;
  return s;
}

ContinuousServo::Slopes ContinuousServo::raw_slopes() const {
  Slopes s;
  if (c.cascade()) {
    s = s.plus(c.velocity_gain, wanted_slopes());
  } else {
    s = s.plus(c.kp, wanted_slopes());
    Slopes derivative;
    derivative.r_v = c.derivative_weight;
    derivative.v = -1;
    s = s.plus(c.kd, filters() ? filter_slopes() : derivative);
  }
  s.integral = c.integral();
  s.r_a = c.acceleration_feedforward;
  return s;
}

void ContinuousServo::enter(const In& in) {
  const double e = in.r.x - in.x;
  band = e > c.dead_band ? 1 : e < -c.dead_band ? -1 : 0;
  const double u = raw(in);
  saturated = std::abs(u) > c.limit ? (u > 0 ? 1 : -1) : 0;
}

SampledServo::SampledServo(const ControllerParams& c, const AnyContact* feedforward, double inertia, double x0,
                           double v0, double slip)
    : c_(c), before_{x0, v0}, slip_(slip) {
  if (feedforward) feedforward_ = feedforward->clone();
  c_.compensation.inertia /= slip * slip;
  compensator_ = make_compensator(c_, inertia / (slip * slip));
  const double T = c.sample_time, delay = c.sensor.delay;
  if (!(T > 0) || !(delay > 0)) return;
  const double whole = std::round(delay / T);
  const bool together = std::abs(delay - whole * T) <= 1e-9 * T;
  lag_ = static_cast<std::int64_t>(together ? whole : std::ceil(delay / T));
  phase_ = together ? 0 : static_cast<double>(lag_) * T - delay;
}

double SampledServo::act(double t, double slack, double x, double v, const Reference& r, double T) {
  if (t >= next_measurement() - slack) {
    seen_.push_back({x, v});
    ++measurements_;
  }
  return t >= next_sample() - slack ? sample(t, r, T) : u_;
}

SampledServo::Measured SampledServo::measured() {
  Measured m = before_;
  if (samples_ >= lag_ && !seen_.empty()) {
    m = seen_.front();
    seen_.pop_front();
  }
  if (c_.sensor.noise > 0) m.x += c_.sensor.noise * standard_normal(c_.sensor.seed, samples_);
  if (const double step = c_.resolution(); step > 0) m.x = step * std::round(m.x / step);
  return m;
}

/// The compensator sees the slip of the contact: velocities times `slip`, forces over it.
double SampledServo::compensation(const Measured& m, const Reference& r, double T) {
  const double rise = samples_ > 0 ? m.x - seen_x_ : 0;
  switch (c_.velocity()) {
    case MeasuredVelocity::exact: seen_v_ = m.v; break;
    case MeasuredVelocity::filter:
      seen_v_ = (c_.derivative_filter * seen_v_ + rise) / (c_.derivative_filter + T);
      break;
    default: seen_v_ = rise / T;
  }
  seen_x_ = m.x;
  acted_.push_back(unfed_);
  const double u = static_cast<std::int64_t>(acted_.size()) > lag_ ? acted_.front() : 0;
  if (static_cast<std::int64_t>(acted_.size()) > lag_) acted_.pop_front();
  if (samples_ <= lag_) return 0;  // nothing has been measured in an interval yet
  return slip_ * compensator_->step(
                     {.v = slip_ * seen_v_, .e = slip_ * (m.x - r.x), .u = u / slip_, .v_ref = slip_ * r.v, .dt = T});
}

double SampledServo::sample(double t, const Reference& r, double T) {
  const Measured m = measured();
  const double error = outside_band(r.x - m.x, c_.dead_band),
               watched = c_.cascade() ? m.x : c_.derivative_weight * r.x - m.x;
  if (samples_ == 0) last_ = watched;
  const double rise = watched - last_;
  switch (c_.velocity()) {
    case MeasuredVelocity::exact: slope_ = c_.cascade() ? m.v : c_.derivative_weight * r.v - m.v; break;
    case MeasuredVelocity::filter: slope_ = (c_.derivative_filter * slope_ + rise) / (c_.derivative_filter + T); break;
    default: slope_ = rise / T;
  }
  last_ = watched;
  double u = 0;
  if (c_.cascade()) {
    const double w = c_.position_gain * error + c_.velocity_feedforward * r.v - slope_;
    integral_ += w * T;
    u = c_.velocity_gain * w + c_.velocity_integral * integral_;
  } else {
    integral_ += error * T;
    const bool difference = c_.velocity() == MeasuredVelocity::difference;
    u = c_.kp * error + c_.ki * integral_ + (difference ? c_.kd * rise / T : c_.kd * slope_);
  }
  if (c_.acceleration_feedforward != 0) u += c_.acceleration_feedforward * r.a;
  if (compensator_) u += compensation(m, r, T);
  const double fed =
      feedforward_ ? slip_ * feedforward_->step({.x = slip_ * r.x, .v = slip_ * r.v, .F_app = 0, .t = t}, T) : 0;
  if (feedforward_) u += fed;
  u_ = std::clamp(u, -c_.limit, c_.limit);
  unfed_ = u_ - fed;
  if (c_.anti_windup) {  // no more than the excess in one sample
    const double tracking = c_.proportional() / c_.integral();
    integral_ += std::min(T / tracking, 1.0) * (u_ - u) / c_.integral();
  }
  ++samples_;
  return u_;
}

std::optional<ServoObjection> objection_to_servo(const ControllerParams& c) {
  using std::string;
  auto objection = [](string key, string text) { return ServoObjection{std::move(key), std::move(text)}; };
  const SensorParams& s = c.sensor;
  for (const auto& [key, value] : {std::pair{"position_gain", c.position_gain},
                                   {"velocity_gain", c.velocity_gain},
                                   {"velocity_integral", c.velocity_integral},
                                   {"velocity_feedforward", c.velocity_feedforward}}) {
    if (!c.cascade() && value != 0)
      return objection(key, fmt::format(R"({} requires kind = "cascade"; kind = "pid" accepts kp, ki, kd)", key));
  }
  for (const auto& [key, value] :
       {std::pair{"kp", c.kp}, {"ki", c.ki}, {"kd", c.kd}, {"derivative_weight", c.derivative_weight - 1}}) {
    if (c.cascade() && value != 0)
      return objection(key, fmt::format("{} requires kind = \"pid\"; kind = \"cascade\" accepts position_gain, "
                                        "velocity_gain, velocity_integral, velocity_feedforward",
                                        key));
  }
  if (s.step > 0 && c.encoder_step > 0 && s.step != c.encoder_step)
    return objection("encoder_step", "encoder_step and step of the sensor are both given; one is accepted");
  if (!c.sampled()) {
    for (const auto& [key, given] : {std::pair{"step", s.step > 0},
                                     {"noise", s.noise > 0},
                                     {"delay", s.delay > 0},
                                     {"velocity", s.velocity == MeasuredVelocity::difference}}) {
      if (given)
        return objection(string("sensor.") + key,
                         fmt::format("{} of the sensor requires a sample_time: a continuous servo has x and v "
                                     "themselves or filters them",
                                     key == string("velocity") ? "velocity = \"difference\"" : key));
    }
  } else if (s.delay / c.sample_time > most_lag) {
    return objection("sensor.delay", fmt::format("delay = {} s is {:.3g} samples; at most {:.0e} are accepted",
                                                 to_text(s.delay), s.delay / c.sample_time, most_lag));
  }
  if (s.velocity == MeasuredVelocity::filter && !(c.derivative_filter > 0))
    return objection("sensor.velocity", "velocity = \"filter\" requires derivative_filter, its time constant (s)");
  if (c.derivative_filter > 0 && c.velocity() != MeasuredVelocity::filter)
    return objection("derivative_filter",
                     R"(derivative_filter requires velocity = "filter" or "auto" in [controller.sensor])");
  if (!c.anti_windup) return {};
  if (!(c.limit < inf)) return objection("anti_windup", "anti_windup requires a limit (N)");
  if (!(c.proportional() / c.integral() > 0 && std::isfinite(c.proportional() / c.integral())))
    return objection("anti_windup", c.cascade() ? "anti_windup requires velocity_gain and velocity_integral, both > 0: "
                                                  "their ratio is its time constant"
                                                : "anti_windup requires kp and ki, both > 0: their ratio is its time "
                                                  "constant");
  return {};
}

}  // namespace bristle
