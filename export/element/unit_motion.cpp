#include <algorithm>
#include <cmath>

#include "unit.hpp"

/// How a unit moves: steps of co-simulation, rates and events of model exchange, slopes.
namespace bristle::element {
namespace {

/// Solvers stop where a guard has reached zero or passed it.
bool rises(double before, double now) { return (before <= 0 && now > 0) || (before < 0 && now == 0); }

}  // namespace

std::string Unit::begin(double t) {
  if (std::string wrong = check(); !wrong.empty()) return wrong;
  element_->rest();
  for (const auto& [name, value] : initial_) {
    for (const Slot& s : element_->state()) {
      if (s.name() == name) s.set(s.at, s.index, value);
    }
  }
  t_ = t;
  x_ = x0_;
  if (kind_ == body) v_ = v0_;
  path_ = 0;
  holds_ = 0;
  changed_ = events_ = moved_ = false;
  stale_ = true;
  std::fill(before_.begin(), before_.end(), -1.0);
  return "";
}

double Unit::weight(double x) const { return gravity_ * std::sin(x - gravity_phase_) + offset_; }

Motion<double> Unit::motion() const {
  const bool is_body = kind_ == body;
  return {.x = x_,
          .v = v_,
          .F_app = is_body ? holding_force() : F_app_,
          .r = r_,
          .path = path_,
          .t = t_,
          .temperature = temperature_,
          .load = is_body ? F_app_ : load_};
}

std::string Unit::advance(double t, double h) {
  if (!positive.contains(h)) return "communication step " + text_of(h) + " s must be > 0";
  if (changed_) {
    if (std::string wrong = check(); !wrong.empty()) return wrong;
    changed_ = false;
  }
  const double parts = std::fmax(1, std::ceil(h / max_step_ - 1e-9));
  if (parts > 1e7) return "max_step = " + text_of(max_step_) + " s is too short for steps of " + text_of(h) + " s";
  const double dt = h / parts;
  const ContactRef contact = element_->ref();
  moved_ = true;
  for (double i = 1; i <= parts; ++i) {
    t_ = t + i * dt;
    if (kind_ == body) {
      const Coupled<double> next = couple(contact, motion(), mass_, dt);
      v_ = next.v;
      F_ = next.F;
      holds_ = next.holds ? 1 : 0;
      x_ += v_ * dt;
      path_ += std::abs(v_) * dt;
    } else {
      x_ += v_ * dt;
      path_ += std::abs(v_) * dt;
      F_ = element_->step(motion(), dt);
    }
    if (!std::isfinite(F_) || !std::isfinite(v_) || !std::isfinite(x_))
      return "the force is not finite at t = " + text_of(t_) + " s";
  }
  t_ = t + h;
  stale_ = true;  // rates; and inputs may change before the output is read
  return "";
}

void Unit::start_events() {
  element_->begin(motion());
  events_ = true;
  stale_ = true;
  if (kind_ == body && element_->holds()) v_ = 0;
  if (indicators() > 0) indicators(before_.data());
}

void Unit::update() {
  stale_ = false;
  const Motion<double> u = motion();
  double* rate = rate_.data();
  *rate++ = v_;
  double* acceleration = kind_ == body ? rate++ : nullptr;
  const double F = element_->eval(u, rate);
  const bool stepped = moved_ && !events_;  // a step of a body has given its force
  if (events_) {
    F_ = F;
    holds_ = element_->holds() ? 1 : 0;
  } else if (kind_ == friction || !moved_) {
    F_ = element_->force(u);
  }
  if (acceleration && holds_ != 0) {
    if (!stepped) F_ = u.F_app;
    rate_[0] = *acceleration = 0;
  } else if (acceleration) {
    *acceleration = (u.F_app - F_) / mass_;
  }
}

void Unit::set_state(std::size_t i, double x) {
  const UnitVariable& v = variables_[states_[i]];
  v.in_slot ? v.slot.set(v.slot.at, v.slot.index, x) : void(*v.own = x);
  stale_ = true;
}

double Unit::rate(std::size_t i) {
  if (stale_) update();
  return rate_[i];
}

double Unit::nominal(std::size_t i) const {
  const std::size_t own = kind_ == body ? 2 : 1;
  if (i >= own) return element_->nominal()[i - own];
  const Scales<double> s = element_->scales();
  const double size = i == 0 ? s.displacement : s.velocity;
  return size > 0 && size < inf ? size : 1;
}

/// Guards of the model, and for a set-valued law at a given velocity one for the begin of motion.
std::size_t Unit::indicators() const {
  return element_->guards() + (kind_ == friction && element_->set_valued() ? 1 : 0);
}
void Unit::indicators(double* out) {
  element_->guards(motion(), out);
  // A guard that is the speed itself begins at zero, where solvers do not see it rise: it rises a little later.
  const double speed = element_->scales().velocity, late = 1e-6 * (speed > 0 && speed < inf ? speed : 1e-3);
  for (std::size_t i = 0; i < element_->guards(); ++i) {
    if (out[i] == std::abs(v_)) out[i] -= late;
  }
  if (kind_ == friction && element_->set_valued())
    out[element_->guards()] = element_->holds() ? std::abs(v_) - element_->zone(v_) - late : -1;
}

bool Unit::passed() {
  if (now_.empty()) return false;
  indicators(now_.data());
  bool any = false;
  for (std::size_t i = 0; i < now_.size(); ++i) any = any || rises(before_[i], now_[i]);
  return any;
}

bool Unit::handle_events() {
  auto all_states = [&] {
    std::vector<double> out;
    for (std::size_t i = 0; i < states(); ++i) out.push_back(state(i));
    return out;
  };
  const std::vector<double> states_before = all_states();
  for (int round = 0; round < 100 && passed(); ++round) {
    std::size_t i = 0;
    while (!rises(before_[i], now_[i])) ++i;
    stale_ = true;
    const Motion<double> u = motion();
    if (element_->set_valued() && kind_ == friction) {
      element_->begin(u);  // the given velocity decides
    } else {
      const bool slipped = element_->set_valued() && !element_->holds();
      element_->jump(u, i);
      if (slipped && element_->holds()) v_ = 0;
    }
    const double fired = now_[i];
    const std::vector<double> at_event = now_;
    indicators(now_.data());
    for (std::size_t k = 0; k < now_.size(); ++k) {
      // Others that have risen too, or that the new mode begins beyond zero, are due in the next round.
      const bool too = rises(before_[k], at_event[k]) && now_[k] >= 0, beyond = before_[k] <= 0 && now_[k] > 0;
      if (k == i || !(too || beyond)) before_[k] = now_[k];
    }
    if (now_[i] == fired && fired > 0) before_[i] = 1;  // the guard stays: it has to fall first
  }
  if (!before_.empty()) indicators(before_.data());
  return all_states() != states_before;
}

bool Unit::slope(std::size_t of, std::span<const std::pair<std::size_t, double>> seeds, double& out) {
  using D = Dual<double>;
  const bool is_body = kind_ == body;
  Motion<D> u = rebind<D>(motion());
  const std::size_t own = is_body ? 2 : 1;
  std::vector<double> of_states(states_.size() - own), of_rates(states_.size() - own);
  double force_seed = 0, v_seed = 0, x_seed = 0;
  for (const auto& [variable, seed] : seeds) {
    if (variable >= variables_.size()) return false;
    const UnitVariable& v = variables_[variable];
    if (v.own == &v_) {
      v_seed += seed;
    } else if (v.own == &x_) {
      x_seed += seed;
    } else if (v.own == &F_app_) {
      force_seed += seed;
    } else if (v.own == &r_) {
      u.r.d[0] += seed;
    } else if (v.own == &load_) {
      u.load.d[0] += seed;
    } else if (const auto at = std::find(states_.begin(), states_.end(), variable); at != states_.end()) {
      of_states[static_cast<std::size_t>(at - states_.begin()) - own] += seed;
    } else {
      return false;  // temperature and parameters: no dual numbers
    }
  }
  u.v.d[0] = v_seed;
  u.x.d[0] = x_seed;
  u.F_app.d[0] = force_seed - (is_body ? gravity_ * std::cos(x_ - gravity_phase_) * x_seed : 0);
  if (is_body) u.load.d[0] = force_seed;
  const D F = element_->eval(u, of_states, of_rates.data());
  const UnitVariable& v = variables_[of];
  const bool held = is_body && element_->holds();
  const double F_slope = held ? u.F_app.d[0] : F.d[0];
  if (v.own == &F_) {
    out = F_slope;
  } else if (v.own == &x_) {
    out = x_seed;
  } else if (v.own == &v_) {
    out = v_seed;
  } else if (const auto at = std::find(rates_.begin(), rates_.end(), of); at != rates_.end()) {
    const auto i = static_cast<std::size_t>(at - rates_.begin());
    out = i == 0 ? (held ? 0 : v_seed) : i < own ? (held ? 0 : (u.F_app.d[0] - F_slope) / mass_) : of_rates[i - own];
  } else {
    return false;
  }
  return std::isfinite(out);
}

}  // namespace bristle::element
