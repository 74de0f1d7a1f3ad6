#include "mechanism/fixed.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

/// Runs with steps of fixed size: the sequence of steps, rows and the summary.
namespace bristle::mechanism {

Run FixedRun::run() {
  begin();
  const double duration = e_.solver.duration;
  const auto steps = static_cast<std::int64_t>(std::ceil(duration / dt_ * (1 - 1e-12)));
  if (static_cast<double>(steps) > e_.solver.max_steps) throw RunFailed("max_steps exceeded at t = 0 s");
  for (std::int64_t n = 1; n <= steps; ++n) {
    options_.heed();
    if (options_.progress && n % 256 == 0) options_.progress(t_);
    advance(std::min(duration, static_cast<double>(n) * dt_));
    record(n == steps);
  }
  return finish();
}

void FixedRun::begin() {
  eq_.inside = std::min(eq_.next_corner(0), e_.solver.duration) / 2;
  y_ = assembled(eq_, notes_);
  w_.assign(eq_.w_size, 0);
  for (std::size_t i = 0; i < eq_.joints.size(); ++i) {
    JointState& j = eq_.joints[i];
    load_.push_back(1);
    if (!j.flow) continue;
    contacts_.push_back({i, e_.contacts[static_cast<std::size_t>(j.of->contact)].contact->clone()});
  }
  const std::size_t k = contacts_.size();
  free_.assign(k, std::vector<double>(eq_.w_size));
  before_.resize(rows_.trace.columns.size());
  row_.resize(before_.size());
  kinetic0_ = eq_.kinetic(y_.data());
  potential0_ = eq_.potential(y_.data());
  energy_ = kinetic0_ + potential0_;
  losses_.assign(eq_.joints.size(), 0);
  for (const JointState& j : eq_.joints) run_.bodies.push_back(j.of->name);
  set_softness(eq_, y_.data());
  examine_compensation(eq_, y_.data(), notes_);
  const std::vector<char> locked = locked_joints(eq_, y_.data());
  for (Contact& c : contacts_) {
    c.locked = locked[c.joint] && !joint(c).motion;
    const double v = slip(c);
    reported_.push_back(v > threshold(c) ? 1 : v < -threshold(c) ? -1 : 0);
  }
  // The forces of the first row: those of a vanishing step.
  std::vector<std::vector<double>> states;
  states.reserve(contacts_.size());
  for (const Contact& c : contacts_) states.push_back(c.any->state());
  eq_.sample(0, y_.data(), dt_);
  if (const std::string why = solve(0, 1e-9 * dt_); !why.empty()) fail(why);
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    contacts_[i].any->set_state(states[i]);
    if (std::abs(slip(contacts_[i])) <= rounding(contacts_[i], dt_, w_)) reported_[i] = 0;
  }
  make_row(0);
  while (rows_.due(1e-300)) rows_.put(row_.data());
  while (probes_.due(1e-300)) probes_.put(row_.data());
  violation_ = eq_.violation(0, y_.data());
}

void FixedRun::advance(double to) {
  const std::size_t n = 3 * eq_.bodies;
  const double dt = to - t_;
  before_ = row_;
  t_before_ = t_;
  const double corner = eq_.next_corner(t_);
  const std::size_t events = run_.events.size();
  const std::vector<double> start = y_, loads = load_;
  std::vector<std::vector<double>> states;
  states.reserve(contacts_.size());
  for (const Contact& c : contacts_) states.push_back(c.any->state());
  std::string why = solve(t_, dt);
  Equations::Powers powers;
  for (std::size_t i = 0; i < n && why.empty(); ++i) {
    y_[n + i] += dt * w_[i];
    y_[i] += dt * y_[n + i];
  }
  if (why.empty() && (!(eq_.project_position(to, y_.data()) < inf) || !(eq_.project_velocity(to, y_.data()) < inf)))
    why = "the constraints cannot be satisfied; the bodies move too far in a step";
  double gain = 0;
  if (why.empty()) {
    eq_.powers(to, y_.data(), w_.data(), powers);
    gain = gain_of(powers, dt);
    const double size = std::max(largest_, eq_.kinetic(y_.data()));
    if (dt > finest_ * dt_ && gain > std::max(0.05 * (most_gain_ * size - gain_), least_gain_ * size))
      why = "the step creates energy";
  }
  if (!why.empty()) {
    if (dt < 1e-3 * dt_) fail(why);
    load_ = loads;
    y_ = start;  // two steps of half its length, in which bodies turn less and friction changes less
    for (std::size_t i = 0; i < contacts_.size(); ++i) contacts_[i].any->set_state(states[i]);
    advance(t_ + dt / 2);
    record(false);
    return advance(to);
  }
  t_ = to;
  eq_.follow_dependent(y_.data());
  violation_ = std::max(violation_, eq_.violation(t_, y_.data()));
  heaviest_ = std::max(heaviest_, force_size(eq_, w_.data()));
  gain_ += gain;
  energy_ = eq_.kinetic(y_.data()) + eq_.potential(y_.data());
  drive_ += dt * powers.drive;
  damper_ += dt * powers.damper;
  bool stopped = false;
  const std::vector<int> slid = reported_;
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    Contact& c = contacts_[i];
    const double v = slip(c);
    losses_[c.joint] += dt * c.F * v;
    c.path += dt * std::abs(v);
    const bool stuck = c.driven && std::abs(v) <= rounding(c, dt, w_) ? true
                       : joint(c).sticky                              ? c.held
                                                                      : std::abs(v) <= threshold(c);
    const int direction = stuck ? 0 : v > 0 ? 1 : v < 0 ? -1 : 0;
    if (direction != reported_[i]) {
      if (joint(c).sticky && joint(c).loaded && reported_[i] != 0) stopped = true;
      run_.events.push_back({t_,
                             direction == 0  ? Event::stick
                             : direction > 0 ? Event::slip_forward
                                             : Event::slip_backward,
                             static_cast<int>(c.joint) + 1});
      reported_[i] = direction;
    }
  }
  if (stopped) explain_stop(t_before_, start, slid);
  largest_ = std::max(largest_, eq_.kinetic(y_.data()));
  eq_.sample(t_, y_.data(), dt_);
  make_row(t_);
  if (corner <= t_ || run_.events.size() > events) show_limits(corner <= t_ ? corner : t_);
  ++run_.summary.steps;
}

double FixedRun::gain_of(const Equations::Powers& powers, double dt) {
  double work = powers.drive - powers.damper;
  for (const Contact& c : contacts_) work -= c.F * slip(c);
  return eq_.kinetic(y_.data()) + eq_.potential(y_.data()) - energy_ - dt * work;
}

void FixedRun::show_limits(double at) {
  auto copy = [](const std::vector<double>& from) {
    return [&from](double t, double* row) {
      std::copy(from.begin(), from.end(), row);
      row[0] = t;
    };
  };
  limits_.before(at, copy(before_));
  limits_.after(at, true, copy(row_));
}

void FixedRun::make_row(double t) {
  for (const Contact& c : contacts_) {
    const std::vector<Variable> states = c.any->states();
    for (std::size_t k = 0; k < states.size(); ++k) y_[joint(c).z + k] = states[k].value;
  }
  row_of(eq_, t, y_.data(), w_.data(), row_.data());
}

void FixedRun::record(bool last) {
  for (Rows* rows : {&rows_, &probes_}) {
    while (!rows->done() && (rows->time() <= t_ * (1 + 1e-14) || last)) {
      const double part = std::clamp((rows->time() - t_before_) / (t_ - t_before_), 0.0, 1.0);
      std::vector<double> row(row_);
      for (std::size_t i = 0; i < row.size() && part < 1 - 1e-9; ++i)
        row[i] = before_[i] + part * (row_[i] - before_[i]);
      row[0] = rows->time();
      rows->put(row.data());
    }
  }
}

Run FixedRun::finish() {
  EnergyBalance& e = sum_up("fixed");
  const double largest = std::max({std::abs(e.kinetic), std::abs(e.spring), std::abs(e.damper), std::abs(e.friction),
                                   std::abs(e.drive), largest_, 1e-9 * heaviest_ * eq_.extent});  // may be locked
  e.error = largest > 0 ? std::abs(e.drive - e.kinetic - e.spring - e.damper - e.friction) / largest : 0;
  if (e.error > 0.1)
    run_.summary.notes.push_back(fmt::format(
        "warning: the energy balance is off by {:.1e} of its largest term; smaller steps are required", e.error));
  return hand_over(e_.solver);
}

Run run_fixed(const Mechanism& m, const Experiment& e, const RunOptions& options) {
  return FixedRun(m, e, options).run();
}

}  // namespace bristle::mechanism
