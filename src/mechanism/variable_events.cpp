#include "mechanism/variable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

/// Events of a run with variable steps, and the modes after them.
namespace bristle::mechanism {

const double* VariableRun::zero() const {
  zero_.resize(eq_.w_size);
  return zero_.data();
}

void VariableRun::watch(double t, const std::vector<double>& y, const std::vector<double>& w,
                        std::vector<Watch>& out) const {
  out.clear();
  double force = 0;
  for (const JointState& j : eq_.joints) {
    for (std::size_t r = 0; r < j.rows; ++r) {
      if (!is_moment(j.of->kind, r)) force = std::max(force, std::abs(w[j.row + r]));
    }
  }
  for (std::size_t i = 0; i < eq_.joints.size(); ++i) {
    const JointState& j = eq_.joints[i];
    if (j.unilateral) out.push_back({Watch::loss, i, 0, -eq_.load_of(j, w.data()) - 1e-9 * force});
    if (j.servo && !j.servo->holds) {
      const Equations::Slip s = eq_.slip_of(j, y.data(), w.data());
      const ContinuousServo& law = j.servo->law;
      const ContinuousServo::In in = eq_.servo_in(j, t, y.data(), s.s, s.rate);
      if (law.c.limit < inf) out.push_back({Watch::saturation, i, 0, law.saturation_guard(in)});
      if (law.c.dead_band > 0) out.push_back({Watch::dead_band, i, 0, law.band_guard(in)});
    }
    if (!j.flow || j.locked) continue;
    if (j.loaded && eq_.branch_count(j) > 1) {
      double other = -inf;
      for (int b = 0; b < eq_.branch_count(j); ++b) {
        if (b != j.branch) other = std::max(other, eq_.form(j, w.data(), b));
      }
      out.push_back({Watch::branch, i, 0, other - eq_.form(j, w.data(), j.branch) - 1e-12 * force});
    }
    Motion<double> u = eq_.motion_of(j, t, y.data(), w.data());
    if (j.motion) {
      if (j.sticky || j.flow->traits().kink_at_rest)
        out.push_back({Watch::kink, i, 0, (j.kink != 0 ? -j.kink * u.v : std::abs(u.v)) - kink_slack_[i]});
      if (!j.sticky && j.flow->traits().hybrid) own_guards(j, i, u, y, out);
    } else if (j.sticky && !j.held) {
      if (j.stuck()) {
        guards_.clear();
        j.flow->guards(y.data() + j.z, u, 0, guards_);
        for (const Guard& g : guards_)
          out.push_back({Watch::release, i, g.id, g.value - 1e-10 * std::max(force, std::abs(u.F_app))});
      } else {
        u.F_app = j.direction * 1e30;
        guards_.clear();
        j.flow->guards(y.data() + j.z, u, 0, guards_);
        for (const Guard& g : guards_) out.push_back({Watch::rest, i, g.id, g.value - noise_[i]});
      }
    } else if (!j.sticky) {
      if (j.flow->traits().hybrid) own_guards(j, i, u, y, out);
      if (j.flow->traits().kink_at_rest && j.kink != 0)
        out.push_back({Watch::kink, i, 0, -j.kink * u.v - kink_slack_[i]});
    }
    if (j.sticky && !j.motion && !j.stuck() && !j.held && j.reported == 0)
      out.push_back({Watch::report, i, 0, j.direction * u.v - 10 * noise_[i]});
    if (!j.sticky && threshold_[i] > 0) {
      const double beyond = j.reported == 0 ? std::abs(u.v) - threshold_[i] : threshold_[i] - j.reported * u.v;
      out.push_back({Watch::report, i, 0, beyond - std::max(noise_[i], 1e-9 * threshold_[i])});
    }
  }
}

void VariableRun::own_guards(const JointState& j, std::size_t i, const Motion<double>& u, const std::vector<double>& y,
                             std::vector<Watch>& out) const {
  guards_.clear();
  j.flow->guards(y.data() + j.z, u, 0, guards_);
  for (const Guard& g : guards_) {
    const auto size = guard_size_.find({i, g.id});
    out.push_back({Watch::own, i, g.id, size == guard_size_.end() ? g.value : g.value - 1e-11 * size->second});
  }
}

bool VariableRun::first_event(double h, Watch& found, double& theta) {
  constexpr std::size_t parts = 6;
  std::array<std::vector<Watch>, parts + 1>& at = seen_;
  watch(t_, y_, w_, at[0]);
  if (at[0].empty()) return false;
  for (const Watch& one : at[0]) {
    if (one.kind != Watch::own) continue;
    double& size = guard_size_[{one.joint, one.id}];
    size = std::max(size, std::abs(one.value));
  }
  for (std::size_t k = 1; k <= parts; ++k) look(h, static_cast<double>(k) / parts, at[k]);
  bool any = false;
  for (std::size_t i = 0; i < at[0].size(); ++i) {
    double a = 0, fa = at[0][i].value;
    for (std::size_t k = 1; k <= parts; ++k) {
      double b = static_cast<double>(k) / parts, fb = at[k][i].value;
      if (any && a >= theta) break;
      // Already above zero and rising: the mode of the beginning does not hold. Unless it falls below zero in between.
      bool wrong = fa >= 0 && fb > fa && k == 1, crosses = fa < 0 && fb >= 0;
      for (double c = b / 2; wrong && c > 1e-6 * b; c /= 2) {
        look(h, c, probe_);
        if (probe_[i].value >= 0) continue;
        a = c, fa = probe_[i].value;
        crosses = true;
        wrong = false;
      }
      if (!crosses && !wrong && fa < 0 && fb < 0 && k < parts) {  // a peak between three samples
        const double fc = at[k + 1][i].value;
        if (fb >= fa && fb >= fc && fb > fa + fc - fb - std::abs(fb)) {
          const double curve = fa - 2 * fb + fc, top = curve < 0 ? fb - (fc - fa) * (fc - fa) / (8 * curve) : fb;
          if (top > 0) {
            const double place = b + (fa - fc) / (2 * curve) / parts * 1.0;
            look(h, std::clamp(place, a, 1.0), probe_);
            if (probe_[i].value >= 0) b = place, fb = probe_[i].value, crosses = true;
          }
        }
      }
      if (wrong) {
        found = at[0][i];
        found.ahead = 0.5 / parts;
        theta = 0;
        any = true;
        break;
      }
      if (crosses) {
        const double root = refine(h, i, a, fa, b, fb);
        if (!any || root < theta) {
          theta = root;
          found = at[0][i];
          any = true;
        }
        break;
      }
      a = b;
      fa = fb;
    }
  }
  return any;
}

void VariableRun::look(double h, double theta, std::vector<Watch>& out) {
  dense(theta, point_, w_point_);
  watch(t_ + theta * h, point_, w_point_, out);
}

double VariableRun::refine(double h, std::size_t i, double a, double fa, double b, double fb) {
  int side = 0;
  for (int round = 0; round < 60 && b - a > 1e-13; ++round) {
    double c = (a * fb - b * fa) / (fb - fa);
    if (!(c > a && c < b)) c = (a + b) / 2;
    look(h, c, probe_);
    const double fc = probe_[i].value;
    if (fc >= 0) {
      b = c;
      fb = fc;
      if (side == 1) fa /= 2;
      side = 1;
    } else {
      a = c;
      fa = fc;
      if (side == -1) fb /= 2;
      side = -1;
    }
    if (fc == 0) break;
  }
  return b;
}

void VariableRun::meet(const Watch& event) {
  happened_ = false;
  limits_.before(t_, row_now());
  at_event(event);
  limits_.after(t_, happened_, row_now());
}

void VariableRun::at_event(const Watch& event) {
  JointState& j = eq_.joints[event.joint];
  if (t_ - last_event_ > 1e-12 * duration_) at_once_ = 0;
  last_event_ = t_;
  if (++at_once_ > 1000) fail(fmt::format("events of joint {} follow each other without end", j.of->name));
  ++run_.summary.switches;
  switch (event.kind) {
    case Watch::report: {
      const double v = slip_velocity(j, y_);
      if (j.sticky) return note(event.joint, j.direction, false, since_[event.joint]);
      note(event.joint, j.reported != 0 ? 0 : v > 0 ? 1 : -1, false);
      return;
    }
    case Watch::branch: {
      w_point_ = w_;
      if (event.ahead > 0) dense(event.ahead, point_, w_point_);  // all loads vanish at the beginning
      double most = -inf;
      for (int b = 0, now = j.branch; b < eq_.branch_count(j); ++b) {
        if (const double N = eq_.form(j, w_point_.data(), b); b != now && N > most) most = N, j.branch = b;
      }
      sign_ = 0;
      return settle();
    }
    case Watch::kink: {
      const Equations::Slip s = eq_.slip_of(j, y_.data(), w_.data());
      const int to = j.kink != 0 ? -j.kink : s.rate > 0 ? 1 : -1;
      j.kink = to;
      kink_slack_[event.joint] = noise_[event.joint] + 2 * j.slip * std::abs(s.rate);  // the step ends near the zero
      if (j.motion && j.sticky) {
        set_direction(eq_, j, to, y_.data());
        note(event.joint, to, false);
      }
      sign_ = 0;
      return settle();
    }
    case Watch::own: {
      Motion<double> u = eq_.motion_of(j, t_, y_.data(), w_.data());
      const double ahead = j.slip * eq_.slip_of(j, y_.data(), w_.data()).rate2;
      if (std::abs(u.v) <= noise_[event.joint]) u.v = ahead * 1e-12 * std::abs(u.v) + (ahead > 0 ? 1e-300 : -1e-300);
      j.flow->jump(y_.data() + j.z, u, event.id);
      sign_ = 0;
      return settle();
    }
    case Watch::loss:
      // The closed mode is still consistent at N = 0: chosen again, the load falls below 0 at once.
      // Viscous friction remains there, and then neither mode need be consistent.
      w_point_ = w_;
      if (at_once_ > 5 || decide(eq_, t_, y_.data(), w_point_, nullptr, nullptr).solutions == 0)
        fail(fmt::format("joint {} loses contact: its normal force falls to 0", j.of->name));
      choose(nullptr, false);
      return;
    case Watch::saturation:
    case Watch::dead_band: {
      const Equations::Slip s = eq_.slip_of(j, y_.data(), w_.data());
      ContinuousServo& law = j.servo->law;
      const ContinuousServo::In in = eq_.servo_in(j, t_, y_.data(), s.s, s.rate);
      int& mode = event.kind == Watch::saturation ? law.saturated : law.band;
      const double side = event.kind == Watch::saturation ? law.raw(in) : in.r.x - in.x;
      mode = mode != 0 ? 0 : side > 0 ? 1 : -1;
      return settle();
    }
    case Watch::release: {
      sign_ = 0;
      choose(&j, false);
      return;
    }
    case Watch::rest: {
      const Equations::Slip s = eq_.slip_of(j, y_.data(), w_.data());
      sign_ = 0;
      if (j.direction * s.rate2 > 0 &&
          j.direction * j.slip * s.rate > 100 * noise_[event.joint]) {  // leaves a stick zone
        Motion<double> u = eq_.motion_of(j, t_, y_.data(), w_.data());
        j.flow->jump(y_.data() + j.z, u, event.id);
        return settle();
      }
      const double before = eq_.kinetic(y_.data());
      const int was = j.direction;
      j.direction = 0;
      j.s_stuck = s.s;
      const std::vector<double> moving = y_;
      eq_.project_velocity(t_, y_.data());
      // At a dead centre the slip velocity depends on the position alone: removing its rounding error would change the
      // velocities of the bodies.
      for (std::size_t i = 3 * eq_.bodies; i < 6 * eq_.bodies; ++i) {
        if (std::abs(y_[i] - moving[i]) > 10 * solver_.rtol * sizes_[i]) {
          y_ = moving;
          break;
        }
      }
      j.direction = was;
      stop(moving);
      stopped_ = &j;
      choose(nullptr, false);
      stopped_ = nullptr;
      losses_[event.joint] += before - eq_.kinetic(y_.data());
      return;
    }
  }
}

void VariableRun::stop(const std::vector<double>& moving) {
  const std::size_t n = impulse_.size();
  for (std::size_t i = 0; i < n; ++i) impulse_[i] += eq_.mass_of(i) * (y_[n + i] - moving[n + i]);
}

void VariableRun::choose(const JointState* leaving, bool start) {
  if (start) {
    for (double& x : w_) x = 0;
  }
  sign_ = 0;
  eq_.soft = true;
  const Decision d = decide(eq_, t_, y_.data(), w_, leaving, stopped_);
  if (d.solutions == 0) fail(objection_to(d, eq_, t_));
  if (d.opened) fail(fmt::format("joint {} loses contact: its normal force falls to 0", d.opened->of->name));
  if (d.solutions > 1 && !std::exchange(several_, true)) notes_.push_back(objection_to(d, eq_, t_));
  if (const JointState* j = runaway(eq_, t_, y_.data(), w_.data()))
    fail(
        fmt::format("friction and reaction of joint {} have no unique solution: mu radius is too large for its inertia",
                    j->of->name));
  bool stuck = false;
  for (std::size_t i = 0; i < eq_.joints.size(); ++i) {
    JointState& j = eq_.joints[i];
    if (!j.sticky || j.locked) continue;
    stuck = stuck || j.stuck();
    // Reported when it moves, see watch; a joint at its limit that other stuck joints hold stays at rest.
    const Equations::Slip s = eq_.slip_of(j, y_.data(), w_.data());
    const bool moves = std::abs(j.slip * s.rate) > (noise_.empty() ? 0 : noise_[i]) ||
                       std::abs(j.slip * s.rate2) > negligible_acceleration(eq_, j, y_.data(), w_.data());
    j.held = !moves && j.direction != 0 && is_held(eq_, j, y_.data());
    if (moves || j.direction == 0) {
      if (!start) note(i, j.direction, false);
    } else if (j.reported == 0) {
      since_[i] = t_;
      happened_ = true;
    } else if (j.held) {
      note(i, 0, false);
    }
  }
  if (stuck) {
    eq_.soft = false;  // unless stuck joints depend on each other
    eq_.linearise(t_, y_.data(), w_.data());
    eq_.soft = !eq_.factor(Equations::Matrix::projection) || eq_.least_pivot() < 1e-7;
    const std::vector<double> moving = y_;
    eq_.project_velocity(t_, y_.data());
    stop(moving);
  }
  settle();
}

void VariableRun::note(std::size_t i, int direction, bool start, double time) {
  JointState& j = eq_.joints[i];
  if (j.reported == direction && !start) return;
  j.reported = direction;
  if (start) return;
  happened_ = true;
  const auto later = std::ranges::upper_bound(run_.events, time, {}, &Event::t);  // a report may be of an earlier time
  run_.events.insert(later, {time,
                             direction == 0  ? Event::stick
                             : direction > 0 ? Event::slip_forward
                                             : Event::slip_backward,
                             static_cast<int>(i) + 1});
}

void VariableRun::fail(const std::string& why) const {
  std::string text = fmt::format("{} at t = {:.6g} s with step {:.3g} s; state:", why, t_, h_);
  std::size_t shown = 0;
  for (const JointState& j : eq_.joints) {
    if (shown == 8) break;
    const Equations::Slip s = eq_.slip_of(j, y_.data(), zero());
    text += fmt::format("{} {}.s = {:.6g}, {}.v = {:.6g}", shown++ > 0 ? "," : "", j.of->name, s.s, j.of->name, s.rate);
  }
  throw RunFailed(text);
}

}  // namespace bristle::mechanism
