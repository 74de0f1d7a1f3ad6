#include "mechanism/servo.hpp"

#include <cmath>

#include "mechanism/equations.hpp"

namespace bristle::mechanism {

void ServoLinear::eliminate(double g) {
  s_all = v_all = 0;
  if (states == 0) return;
  if (states == 1) {
    inverse[0] = 1 / (1 / g - rate_c[0]);
  } else {
    const double a = 1 / g - rate_c[0], b = -rate_c[1], c = -rate_c[2], d = 1 / g - rate_c[3], det = a * d - b * c;
    inverse = {d / det, -b / det, -c / det, a / det};
  }
  s_all = through(rate_s.data());
  v_all = through(rate_v.data());
}

ContinuousServo::In Equations::servo_in(const JointState& j, double t, const double* y, double s, double rate) const {
  const Signal r = j.servo->of->reference.at(t, inside);
  const ContinuousServo& law = j.servo->law;
  const double* c = y + j.servo->at;
  const double integral = law.integrates() && j.servo->states > 0 ? *c++ : 0;
  return {{r.value, r.rate, r.rate2}, s, rate, integral, law.filters() && j.servo->states > 0 ? *c : 0};
}

double Equations::servo_force(const JointState& j, double t, const double* y, const double* w) const {
  if (j.servo->holds) return j.servo->u;
  const Slip s = slip_of(j, y, w);
  return j.servo->law.output(servo_in(j, t, y, s.s, s.rate));
}

void Equations::linearise_servo(const JointState& j, double t, ServoLinear& out) const {
  const ContinuousServo& law = j.servo->law;
  const Drive& reference = j.servo->of->reference;
  const Signal r = reference.at(t, inside);
  const double dt = 1e-5 * std::min(1.0, inside > t ? inside - t : 1.0);
  const double jerk = (reference.at(t + dt, inside).rate2 - r.rate2) / dt;
  const std::size_t of_filter = law.integrates() ? 1 : 0;
  auto in_time = [&](const ContinuousServo::Slopes& s) { return s.r * r.rate + s.r_v * r.rate2 + s.r_a * jerk; };
  auto of_states = [&](const ContinuousServo::Slopes& s, double* to) {
    if (law.integrates()) to[0] = s.integral;
    if (law.filters()) to[of_filter] = s.filter;
  };
  auto rate_of = [&](std::size_t state, const ContinuousServo::Slopes& s) {
    out.rate_s[state] = s.x;
    out.rate_v[state] = s.v;
    out.rate_t[state] = in_time(s);
    of_states(s, &out.rate_c[2 * state]);
  };
  out = {.states = j.servo->states};
  of_states(law.output_slopes(), out.by_c.data());
  out.u_jerk = law.output_slopes().r_a * jerk;
  if (law.integrates()) rate_of(0, law.integral_slopes());
  if (law.filters()) rate_of(of_filter, law.filter_slopes());
}

void Equations::sample(double t, const double* y, double T) {
  const std::vector<double> zero(w_size);
  for (JointState& j : joints) {
    if (!j.servo || !j.servo->holds) continue;
    JointServo& servo = *j.servo;
    const double interval = servo.of->params.sample_time;
    if (T == 0 && t < servo.sampled.next()) continue;
    const Signal r = servo.of->reference.at(t);
    const Slip s = slip_of(j, y, zero.data());
    servo.u = servo.sampled.act(t, 1e-9 * T, s.s, s.rate, {r.value, r.rate, r.rate2}, interval > 0 ? interval : T);
  }
}

void Equations::enter_servos(double t, const double* y) {
  const std::vector<double> zero(w_size);
  for (JointState& j : joints) {
    if (!j.servo || j.servo->holds) continue;
    const Slip s = slip_of(j, y, zero.data());
    j.servo->law.enter(servo_in(j, t, y, s.s, s.rate));
  }
}

}  // namespace bristle::mechanism
