#include "mechanism/variable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

/// Start and end of a run with variable steps.
namespace bristle::mechanism {

Run VariableRun::run() {
  begin();
  while (t_ < duration_) {
    enter_piece();
    while (t_ < piece_end_) step();
  }
  return finish();
}

void VariableRun::begin() {
  eq_.inside = std::min(eq_.next_corner(0), duration_) / 2;
  y_ = assembled(eq_, notes_);
  w_.assign(eq_.w_size, 0);
  y1_ = point_ = error_ = rates_ = y_;
  w1_ = w_point_ = force_ = w_;
  for (std::size_t s = 0; s < S; ++s) {
    u_[s].resize(eq_.y_size);
    uw_[s].resize(eq_.w_size);
  }
  row_.resize(rows_.trace.columns.size());
  since_.assign(eq_.joints.size(), 0);
  set_softness(eq_, y_.data());
  examine_compensation(eq_, y_.data(), notes_);
  const std::vector<char> locked = locked_joints(eq_, y_.data());
  for (std::size_t i = 0; i < locked.size(); ++i)
    eq_.joints[i].locked = locked[i] && eq_.joints[i].sticky && !eq_.joints[i].motion;
  double speed = 0;
  for (const JointState& j : eq_.joints) speed = std::max(speed, std::abs(slip_velocity(j, y_)));
  for (JointState& j : eq_.joints) {
    if (!j.flow) continue;
    const double v = slip_velocity(j, y_);
    const int direction = !j.locked && std::abs(v) > 1e-12 * speed ? (v > 0 ? 1 : -1) : 0;
    j.kink = direction;
    if (j.sticky) {
      set_direction(eq_, j, direction, y_.data());
    } else {
      Motion<double> u;
      u.v = v;
      j.flow->begin(y_.data() + j.z, u);
    }
  }
  eq_.sample(0, y_.data());
  eq_.enter_servos(0, y_.data());
  choose(nullptr, true);
  sizes_ = sizes_of(eq_, e_sizes(), y_.data(), w_.data());
  for (std::size_t i = 0; i < eq_.joints.size(); ++i) {
    JointState& j = eq_.joints[i];
    if (!j.flow) continue;
    double size = inf;  // of the slip velocity
    for (const int b : {j.of->first, j.of->second}) {
      if (b < 0) continue;
      const std::size_t at = 3 * eq_.bodies + 3 * static_cast<std::size_t>(b);
      size = std::min(size, j.of->kind == JointKind::revolute ? j.slip * sizes_[at + 2] : sizes_[at]);
    }
    noise_.resize(eq_.joints.size());
    noise_[i] = 1e-4 * solver_.rtol * size;
    threshold_.resize(eq_.joints.size());
    threshold_[i] = solver_.stick_velocity > 0 ? solver_.stick_velocity : j.flow->traits().scales.velocity;
    const double v = slip_velocity(j, y_);
    j.reported = j.sticky                      ? (std::abs(v) > noise_[i] || j.direction == 0 ? j.direction : 0)
                 : std::abs(v) > threshold_[i] ? (v > 0 ? 1 : -1)
                                               : 0;
    if (!j.sticky && !(threshold_[i] > 0)) j.reported = v > 0 ? 1 : v < 0 ? -1 : 0;
    note(i, j.reported, true);
  }
  guarded_ = eq_.loads_matter() || std::ranges::any_of(eq_.joints, [](const JointState& j) { return j.unilateral; });
  noise_.resize(eq_.joints.size());
  kink_slack_ = noise_;
  threshold_.resize(eq_.joints.size());
  kinetic0_ = eq_.kinetic(y_.data());
  potential0_ = eq_.potential(y_.data());
  y0_ = y_;
  losses_.assign(eq_.joints.size(), 0);
  impulse_.assign(3 * eq_.bodies, 0);
  gross_.assign(3 * eq_.bodies, 0);
  violation_ = eq_.violation(0, y_.data());
  run_.bodies.reserve(eq_.joints.size());
  for (const JointState& j : eq_.joints) run_.bodies.push_back(j.of->name);
}

Experiment VariableRun::e_sizes() const {
  Experiment e;
  e.solver = solver_;
  return e;
}

Run VariableRun::finish() {
  record(duration_, true);
  EnergyBalance& e = sum_up(K.name);
  // Not the largest: reactions near a singular position would hide a gap.
  const double typical = forces_ > 0 ? std::exp(log_force_ / static_cast<double>(forces_)) : 0;
  const double largest = std::max({std::abs(e.kinetic), std::abs(e.spring), std::abs(e.damper), std::abs(e.friction),
                                   std::abs(e.drive), largest_kinetic_, 1e-9 * typical * eq_.extent});
  double mobility = 0;
  for (const JointState& j : eq_.joints) mobility = std::max(mobility, j.mobility);
  // Rounding errors of the velocities of stuck joints do work, up to that of the motion that they prevent.
  const double rounding = 1e-10 * typical * (typical * mobility * duration_ * duration_ + eq_.extent);
  const double held = std::abs(held_) < rounding ? held_ : 0;
  const double gap = std::abs(e.drive - e.kinetic - e.spring - e.damper - e.friction - held);
  e.error = largest > 0 ? gap / largest : 0;
  const double least = 1e-3 * typical * duration_;                  // forces may cancel
  std::array<double, 2> size{least, least * eq_.extent}, gap_of{};  // linear and angular
  for (std::size_t i = 0; i < impulse_.size(); ++i) {
    const std::size_t kind = i % 3 == 2 ? 1 : 0;
    const double change = eq_.mass_of(i) * (y_[impulse_.size() + i] - y0_[impulse_.size() + i]);
    size[kind] = std::max({size[kind], gross_[i], eq_.mass_of(i) * std::abs(y_[impulse_.size() + i])});
    gap_of[kind] = std::max(gap_of[kind], std::abs(change - impulse_[i]));
  }
  double& momentum = run_.summary.momentum.error;
  for (std::size_t k = 0; k < 2; ++k) {
    if (size[k] > 0) momentum = std::max(momentum, gap_of[k] / size[k]);
  }
  const double allowed = 1e-3 * std::max(1.0, solver_.rtol / 1e-8);
  if (!(e.error <= allowed))
    throw RunFailed(fmt::format("the energy balance is off by {:.1e} of its largest term; at most {:.1e} is accepted",
                                e.error, allowed));
  return hand_over(solver_);
}

void VariableRun::enter_piece() {
  const bool corner = t_ >= corner_;
  if (corner) limits_.before(t_, row_now());
  eq_.sample(t_, y_.data());
  corner_ = eq_.next_corner(t_);
  piece_end_ = std::min({corner_, eq_.next_sample(t_), duration_});
  eq_.inside = (t_ + piece_end_) / 2;
  eq_.enter_servos(t_, y_.data());
  if (t_ > 0) {  // a prescribed velocity may jump: the bodies follow at once
    const double before = eq_.kinetic(y_.data());
    const double off = eq_.project_velocity(t_, y_.data());
    if (!(off < inf)) fail("no velocities satisfy " + demands_of(eq_));
    if (off > 1e-6 * speed_size()) {
      drive_ += eq_.kinetic(y_.data()) - before;
      impulses();
      if (!std::exchange(jumped_, true))
        notes_.push_back(
            fmt::format("a prescribed velocity jumps at t = {:.6g} s; the impulse acts without friction", t_));
    }
    follow_motions();
    choose(nullptr, false);
  } else {
    follow_motions();
    choose(nullptr, false);
  }
  if (corner) limits_.after(t_, true, row_now());
  if (!(h_ > 0)) h_ = first_step();
  last_err_ = 0;
}

void VariableRun::impulses() {
  for (std::size_t i = 0; i < impulse_.size(); ++i)
    impulse_[i] = eq_.mass_of(i) * (y_[impulse_.size() + i] - y0_[impulse_.size() + i]);
}

void VariableRun::follow_motions() {
  for (std::size_t i = 0; i < eq_.joints.size(); ++i) {
    JointState& j = eq_.joints[i];
    if (!j.motion || !j.flow) continue;
    const Signal s = eq_.prescribed(j, t_);
    const double ahead = std::abs(s.rate) > 1e-12 * speed_size() ? s.rate : s.rate2;
    const int direction = ahead > 0 ? 1 : ahead < 0 ? -1 : 0;
    if (direction == 0) continue;
    if (j.sticky && direction != j.direction) {
      set_direction(eq_, j, direction, y_.data());
      note(i, direction, false);
    }
    j.kink = direction;
  }
}

double VariableRun::first_step() {
  double slope = 0;
  for (std::size_t i = 0; i < 3 * eq_.bodies; ++i) {
    slope = std::max({slope, std::abs(y_[3 * eq_.bodies + i]) / (10 * sizes_[i]),
                      std::abs(w_[i]) / (10 * sizes_[3 * eq_.bodies + i])});
  }
  return std::min({slope > 0 ? 1e-2 / slope : duration_, 1e-3 * duration_, eq_.longest_step(t_)});
}

Run run_variable(const Mechanism& m, const Experiment& e, const RunOptions& options) {
  return VariableRun(m, e, options).run();
}

}  // namespace bristle::mechanism
