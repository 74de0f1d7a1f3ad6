#include "mechanism/variable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

/// One step of a run with variable steps, its rows and its projection.
namespace bristle::mechanism {

void VariableRun::step() {
  options_.heed();
  if (++run_.summary.steps > static_cast<std::int64_t>(solver_.max_steps)) fail("max_steps exceeded");
  if (options_.progress && run_.summary.steps % 256 == 0) options_.progress(t_);
  for (std::size_t i = 0; i < eq_.joints.size(); ++i) {
    JointState& j = eq_.joints[i];
    if (!j.flow || j.motion || j.sticky) continue;
    const Equations::Slip s = eq_.slip_of(j, y_.data(), w_.data());
    if (j.kink * j.slip * s.rate > kink_slack_[i]) kink_slack_[i] = noise_[i];
    if (j.kink != 0) continue;  // from rest a law with a kink takes the side of its motion
    const double ahead = s.rate != 0 ? s.rate : s.rate2;
    j.kink = ahead > 0 ? 1 : ahead < 0 ? -1 : 0;
  }
  eq_.linearise(t_, y_.data(), w_.data());
  ++run_.summary.jacobians;
  double h = std::min(h_, eq_.longest_step(t_));
  bool to_end = false;
  const Watch* pending = nullptr;
  Watch event{};
  Landing landing;
  for (int attempt = 0;; ++attempt) {
    if (attempt > 100 || h < 1e-14 * duration_ * 1e-3) fail("step size too small");
    if (!pending) {
      to_end = h > 0.9 * (piece_end_ - t_);
      if (to_end) h = piece_end_ - t_;
    }
    if (!advance(h)) {
      ++run_.summary.rejected;
      h /= 4;
      pending = nullptr;
      continue;
    }
    const double err = norm(h);
    if (!(err <= 1)) {
      ++run_.summary.rejected;
      h *= err < inf ? std::max(0.2, 0.9 * std::pow(err, -0.2)) : 0.1;
      h_ = h;
      pending = nullptr;
      continue;
    }
    double theta = 1;
    Watch found{};
    // Once the end of the step is found from the reactions there, their interpolation does not decide about the same event.
    const auto settled = [&] {
      return pending && landing.tries > 0 && found.kind == event.kind && found.joint == event.joint &&
             found.id == event.id;
    };
    if (first_event(h, found, theta) && (!pending || theta < 1 - 1e-7) && !settled()) {
      if (theta * h < 1e-14 * duration_) return meet(found);  // at the beginning of the step
      event = found;
      pending = &event;
      landing = {0, found.value};
      h *= theta;
      to_end = false;
      continue;
    }
    if (pending && !lands(event, landing, h)) {
      if (landing.tries > 0) continue;
      pending = nullptr;  // no event after all
    }
    const double grow = std::clamp(0.9 * std::pow(std::max(err, 1e-10), -0.2), 0.2, attempt > 0 ? 1.0 : 6.0);
    if (!pending && !to_end) h_ = h * grow;
    if (!pending && to_end) h_ = std::max(h_, h * grow);
    accept(h, pending || to_end, to_end ? piece_end_ : t_ + h);
    if (pending) meet(event);
    return;
  }
}

bool VariableRun::lands(const Watch& event, Landing& l, double& h) {
  if (event.kind != Watch::release && event.kind != Watch::branch && event.kind != Watch::loss) return true;
  point_ = y1_;
  w_point_ = w1_;
  settle_point(t_ + h);
  watch(t_ + h, point_, w_point_, probe_);
  const auto same = std::ranges::find_if(
      probe_, [&](const Watch& o) { return o.kind == event.kind && o.joint == event.joint && o.id == event.id; });
  if (same == probe_.end()) return true;
  const double g = same->value;
  if (std::abs(g) <= 3e-11 * force_size(eq_, w_point_.data())) return true;
  if (++l.tries == 6) {
    l.tries = 0;
    return g > 0;
  }
  const double next = h - g * (h - l.h) / (g - l.g);
  l.h = h;
  l.g = g;
  const double most = std::min(2 * h, piece_end_ - t_);
  h = std::isfinite(next) ? std::clamp(next, 0.1 * h, most) : most;
  if (h == l.h) l.tries = 0;  // the event is beyond the piece
  return h == l.h && g > 0;
}

bool VariableRun::advance(double h) {
  const double g = K.gamma * h, per_h = 1 / h;
  if (!eq_.factor(Equations::Matrix::stage, g)) return false;
  const std::size_t n = 3 * eq_.bodies;
  for (std::size_t s = 0; s < S; ++s) {
    std::vector<double>&r = u_[s], &G = uw_[s];
    y1_ = y_;
    w1_ = w_;
    for (std::size_t p = 0; p < s; ++p) {
      const double a = K.a[s][p];
      if (a == 0) continue;
      for (std::size_t i = 0; i < y1_.size(); ++i) y1_[i] += a * u_[p][i];
      for (std::size_t i = 0; i < w1_.size(); ++i) w1_[i] += a * uw_[p][i];
    }
    ++run_.summary.evaluations;
    eq_.residual(t_ + K.alpha[s] * h, y1_.data(), w1_.data(), G.data(), r.data() + 2 * n);
    for (std::size_t i = 0; i < n; ++i) {
      r[i] = y1_[n + i];
      r[n + i] = w1_[i];
    }
    for (std::size_t p = 0; p < s; ++p) {
      const double c = K.c[s][p] * per_h;
      for (std::size_t i = 0; i < r.size(); ++i) r[i] += c * u_[p][i];
    }
    if (K.gamma_i[s] != 0) {
      for (std::size_t i = 0; i < G.size(); ++i) G[i] += K.gamma_i[s] * h * eq_.in_time()[i];
      const std::vector<double>& more = eq_.rates_in_time();
      for (std::size_t i = 0; i < more.size(); ++i) r[2 * n + i] += K.gamma_i[s] * h * more[i];
    }
    eq_.solve_stage(g, r.data(), G.data());
  }
  for (std::size_t i = 0; i < y1_.size(); ++i) y1_[i] += u_[S - 1][i];
  for (std::size_t i = 0; i < w1_.size(); ++i) w1_[i] += uw_[S - 1][i];
  return true;
}

double VariableRun::norm(double h) const {
  double worst = 0;
  const double rtol = caution * solver_.rtol;
  for (std::size_t i = 0; i < y1_.size(); ++i) {
    const double atol = solver_.atol > 0 ? caution * solver_.atol : rtol * sizes_[i];
    const double e = std::abs(u_[S - 1][i]) / (atol + rtol * std::max(std::abs(y_[i]), std::abs(y1_[i])));
    if (!(e <= worst)) worst = e;
    if (!std::isfinite(y1_[i])) worst = inf;
  }
  // Friction forces may depend so steeply on the motion that its own error does not show theirs. An error that does not
  // change the momentum is harmless.
  double force = 0;
  for (const double x : w1_) {
    if (!std::isfinite(x)) worst = inf;
  }
  for (const JointState& j : eq_.joints) {
    for (std::size_t r = 0; r < j.rows; ++r) {
      if (!is_moment(j.of->kind, r)) force = std::max(force, std::abs(w1_[j.row + r]));
    }
    if (j.force != none) force = std::max(force, std::abs(w1_[j.force]));
  }
  for (const JointState& j : eq_.joints) {
    if (!j.flow || j.stuck() || j.locked) continue;
    const double momentum = std::sqrt(2 * largest_kinetic_ / j.mobility);
    const double allowed = force * std::min(force_tolerance * solver_.rtol, 1e-2) + solver_.rtol * momentum / h;
    if (!(allowed > 0)) continue;
    const double F = j.flow->force(y1_.data() + j.z, eq_.motion_of(j, t_ + h, y1_.data(), w1_.data()));
    const double e = std::abs(F - w1_[j.force]) / allowed;
    if (!(e <= worst)) worst = e;
  }
  return std::isnan(worst) ? inf : worst;
}

void VariableRun::dense(double theta, std::vector<double>& y, std::vector<double>& w) const {
  std::array<double, S> weight{};
  for (std::size_t s = 0; s < S; ++s) {
    double c = 0;
    for (std::size_t d = Dense; d-- > 0;) c = K.dense[d][s] + theta * c;
    weight[s] = theta * (1 - theta) * c;
  }
  for (std::size_t i = 0; i < y.size(); ++i) {
    y[i] = (1 - theta) * y_[i] + theta * y1_[i];
    for (std::size_t s = 0; s < S; ++s) y[i] += weight[s] * u_[s][i];
  }
  for (std::size_t i = 0; i < w.size(); ++i) {
    w[i] = (1 - theta) * w_[i] + theta * w1_[i];
    for (std::size_t s = 0; s < S; ++s) w[i] += weight[s] * uw_[s][i];
  }
}

void VariableRun::look_at_forces(double t, const double* y, const double* w) {
  eq_.powers(t, y, w, powers_);
  eq_.residual(t, y, w, force_.data(), rates_.data(), false);
  for (std::size_t i = 0; i < impulse_.size(); ++i) force_[i] += eq_.mass_of(i) * w[i];
}

void VariableRun::weigh(double weight) {
  drive_ += weight * powers_.drive;
  damper_ += weight * powers_.damper;
  held_ += weight * powers_.held;
  for (std::size_t i = 0; i < losses_.size(); ++i) losses_[i] += weight * powers_.friction[i];
  for (std::size_t i = 0; i < impulse_.size(); ++i) {
    impulse_[i] += weight * force_[i];
    gross_[i] += weight * std::abs(force_[i]);
  }
}

void VariableRun::accept(double h, bool exact, double end) {
  h_done_ = h;
  record(end, false);
  constexpr std::size_t last = lobatto.nodes.size() - 1;
  if (!continued_) look_at_forces(t_, y_.data(), w_.data());  // else those at the end of the last step
  weigh(lobatto.weights[0] * h);
  for (std::size_t k = 1; k < last; ++k) {
    dense(lobatto.nodes[k], point_, w_point_);
    look_at_forces(t_ + lobatto.nodes[k] * h, point_.data(), w_point_.data());
    weigh(lobatto.weights[k] * h);
  }
  look_at_forces(t_ + h, y1_.data(), w1_.data());
  weigh(lobatto.weights[last] * h);
  t_ = end;
  y_.swap(y1_);
  w_.swap(w1_);
  settle(exact);
  continued_ = !exact;
  largest_kinetic_ = std::max(largest_kinetic_, eq_.kinetic(y_.data()));
}

void VariableRun::settle(bool exact) {
  if (!eq_.project(t_, y_.data()))
    fail(fmt::format("no positions satisfy {}, near {}", demands_of(eq_), eq_.weakest()));
  eq_.follow_dependent(y_.data());
  violation_ = std::max(violation_, eq_.violation(t_, y_.data()));
  if (exact || guarded_) {
    const std::vector<double> before = w_;
    if (!eq_.balance(t_, y_.data(), w_.data())) {
      eq_.soft = true;
      w_ = before;
      if (!eq_.balance(t_, y_.data(), w_.data())) fail_balance();
    }
    if (sign_ != 0 && eq_.determinant() != sign_)
      fail(fmt::format("friction and reactions have no unique solution in these modes, near {}", eq_.weakest()));
    sign_ = eq_.determinant();
  }
  double force = 0;
  for (const JointState& j : eq_.joints) force = std::max(force, eq_.true_load(j, w_.data()));
  if (force > 0) log_force_ += std::log(force), ++forces_;
}

void VariableRun::record(double until, bool last) {
  for (Rows* rows : {&rows_, &probes_}) {
    while (rows->due(until) || (last && !rows->done())) {
      const double t = rows->time();
      if (last) {
        row_of(eq_, t, y_.data(), w_.data(), row_.data());
      } else {
        exact(t, std::clamp((t - t_) / h_done_, 0.0, 1.0));
        row_of(eq_, t, point_.data(), w_point_.data(), row_.data());
      }
      rows->put(row_.data());
    }
  }
}

void VariableRun::exact(double t, double theta) {
  if (theta == 0) {
    point_ = y_;
    w_point_ = w_;
    return;
  }
  dense(theta, point_, w_point_);
  settle_point(t);
}

void VariableRun::settle_point(double t) {
  eq_.project(t, point_.data());
  eq_.follow_dependent(point_.data());
  violation_ = std::max(violation_, eq_.violation(t, point_.data()));
  const std::vector<double> before = w_point_;
  if (!eq_.balance(t, point_.data(), w_point_.data())) w_point_ = before;
}

void VariableRun::fail_balance() {
  fail(fmt::format("no accelerations and reactions satisfy the equations, near {}", eq_.weakest()));
}

}  // namespace bristle::mechanism
