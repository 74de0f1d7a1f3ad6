#include "world.hpp"

#include <algorithm>
#include <cmath>

namespace bristle {
namespace {

/// Load that leaves no doubt where a prescribed motion goes.
constexpr double certain = 1e30;

double natural_or(double value, double fallback) { return value > 0 && std::isfinite(value) ? value : fallback; }

}  // namespace

World::World(const Experiment& e)
    : kind_(e.kind), body_(e.body), disk_(e.disk), drive_(e.drive), servo_(e.controller.has_value()) {
  duration_ = e.solver.duration;
  if (e.load) {
    load_ = *e.load;
  } else {
    load_.terms = {{Constant{1}, 0}};
  }
  if (e.controller) control_ = *e.controller;
  sampled_ = servo_ && control_.sample_time > 0;
  if (e.feedforward) feedforward_ = e.feedforward->clone();
  if (kind_ == SystemKind::roller && !(disk_.inertia > 0)) disk_.inertia = body_.mass * disk_.radius * disk_.radius / 2;
  slip_mass_ = body_.mass;
  if (kind_ == SystemKind::roller) {
    // In slip velocity and rolling velocity (that of the momentum which friction cannot change) stick is exact and slip
    // loses no digits: slip' = F_app/m - F/slip_mass, roll' = F_app/roll_mass.
    const double rim_mass = disk_.inertia / (disk_.radius * disk_.radius);
    slip_mass_ = 1 / (1 / body_.mass + 1 / rim_mass);
    roll_mass_ = body_.mass + rim_mass;
    slip_part_ = rim_mass / roll_mass_;
  }

  bool feels_path = false;
  double capacity = 0;
  auto state = [&](const std::string& name, double scale, double largest = inf) {
    names_.push_back(name);
    scale_.push_back(scale);
    largest_.push_back(largest);
    return n_++;
  };
  for (const NamedContact& c : e.contacts) {
    Part part{make_flow(*c.contact), c.name, n_, 0, 0, Slopes()};
    const auto& traits = part.flow->traits();
    part.slopes = Slopes(part.flow->size());
    for (std::size_t i = 0; i < part.flow->size(); ++i)
      state((c.name.empty() ? "" : c.name + ".") + traits.states[i].name, traits.state_scale[i]);
    feels_path = feels_path || traits.feels_path;
    any_set_valued_ = any_set_valued_ || traits.set_valued;
    kink_ = kink_ || traits.kink_at_rest;
    if (traits.set_valued) capacity += part.share = std::max(traits.scales.force, least);
    auto smaller_of = [](double& a, double b) { a = a > 0 && b > 0 ? std::min(a, b) : std::max(a, b); };
    contact_scales_.force += traits.scales.force;
    smaller_of(contact_scales_.velocity, traits.scales.velocity);
    smaller_of(contact_scales_.displacement, traits.scales.displacement);
    parts_.push_back(std::move(part));
  }
  for (Part& p : parts_) p.share = capacity > 0 ? p.share / capacity : 0;
  if (kind_ == SystemKind::prescribed) kink_ = true;

  // Natural sizes: what friction and spring make of each other; failing that, what the drive does.
  const double k = servo_ ? std::abs(control_.kp) : body_.stiffness, Fs = contact_scales_.force;
  double x_scale = contact_scales_.displacement, v_scale = contact_scales_.velocity;
  const double slack = k > 0 && Fs > 0 ? Fs / k : 0;
  x_scale = x_scale > 0 && slack > 0 ? std::min(x_scale, slack) : std::max(x_scale, slack);
  if (kind_ != SystemKind::prescribed && Fs > 0 && x_scale > 0) {
    const double ringing = std::sqrt(Fs * x_scale / body_.mass);
    v_scale = v_scale > 0 ? std::min(v_scale, ringing) : ringing;
  }
  for (const Part& p : parts_) {  // a law that is steep at rest bends already at Fs over its slope
    std::vector<double> z;
    for (const Variable& v : p.flow->traits().states) z.push_back(v.value);
    p.flow->slopes(z.data(), {}, p.slopes);
    if (p.slopes.F_v > 0 && Fs > 0) v_scale = std::min(natural_or(v_scale, inf), Fs / p.slopes.F_v);
  }
  if (kind_ != SystemKind::prescribed && contact_scales_.displacement > 0 && v_scale > 0) {
    // In stick the body creeps with its bristles, and that creep tells when it will break away: it must be seen, to a
    // thousandth. Rounding sets a floor.
    const double creep = contact_scales_.displacement / duration_, noise = 1e-13 * std::sqrt(Fs * x_scale / body_.mass);
    v_scale = std::min(v_scale, std::max(1e-3 * creep, noise) / e.solver.rtol);
  }
  const Signal first = drive_.at(e.solver.duration / 3);
  x_scale = natural_or(x_scale, natural_or(1e-3 * std::max({std::abs(first.value), std::abs(body_.x0)}), 1e-3));
  v_scale = natural_or(v_scale, natural_or(1e-3 * std::max({std::abs(first.rate), std::abs(body_.v0)}), 1e-3));
  const double force = natural_or(Fs, std::abs(parts_.empty() ? 0 : parts_.front().slopes.F_v * first.rate));
  work_scale_ = force * std::max(x_scale, slack);
  stick_velocity_ = natural_or(e.solver.stick_velocity, any_set_valued_ ? 0 : contact_scales_.velocity);

  const double span = slack > 0 ? slack : inf;
  if (feels_path) path_ = state("path", x_scale);
  if (servo_ && !sampled_ && control_.ki != 0) ei_ = state("integral", x_scale);
  if (drive_.of == DriveOf::velocity)
    (kind_ == SystemKind::prescribed ? x_ : xd_) = state("drive position", x_scale, span);
  if (kind_ != SystemKind::prescribed) {
    x_ = state("x", x_scale, span);
    if (kind_ == SystemKind::roller) {
      s_ = state("slip distance", x_scale, span);
      roll_ = state("rolling velocity", v_scale);
    }
    v_ = state(kind_ == SystemKind::roller ? "v_slip" : "v", v_scale);
  }
}

std::vector<double> World::start() const {
  std::vector<double> y(size(), 0.0);
  for (const Part& p : parts_) {
    for (std::size_t i = 0; i < p.flow->size(); ++i) y[p.at + i] = p.flow->traits().states[i].value;
  }
  if (kind_ != SystemKind::prescribed) {
    y[x_] = body_.x0;
    y[v_] = body_.v0;
    if (roll_ != none) {
      y[v_] = body_.v0 - disk_.radius * disk_.omega0;
      y[roll_] = body_.v0 - slip_part_ * y[v_];
    }
  }
  return y;
}

double World::longest_step(double t) const {
  double h = std::min(drive_.longest_step(t), load_.longest_step(t));
  for (const Part& p : parts_) h = std::min(h, p.flow->traits().longest_step);
  return h;
}

double World::slow_time() const {
  const double k = servo_ ? std::abs(control_.kp) : body_.stiffness;
  return kind_ != SystemKind::prescribed && k > 0 ? two_pi / std::sqrt(k / body_.mass) : duration_;
}

bool World::within_bounds(const std::vector<double>& from, const std::vector<double>& to) const {
  for (const Part& p : parts_) {
    for (std::size_t i = 0; i < p.flow->size(); ++i) {
      const double limit = p.flow->traits().bound[i] * (1 + 1e-6);
      if (std::abs(to[p.at + i]) > limit && std::abs(from[p.at + i]) <= limit) return false;
    }
  }
  return true;
}

bool World::smooth_law() const {
  return std::all_of(parts_.begin(), parts_.end(),
                     [](const Part& p) { return p.flow->size() == 0 && !p.flow->traits().hybrid; });
}
bool World::stiff() const {
  return std::any_of(parts_.begin(), parts_.end(),
                     [](const Part& p) { return p.flow->size() > 0 || !p.flow->traits().hybrid; });
}

double World::next_corner(double t) const {
  double next = std::min(drive_.next_corner(t), load_.next_corner(t));
  if (sampled_) next = std::min(next, next_sample_);
  return next;
}

/// Before the first piece, `end` of the one before it is 0.
Change World::enter_piece(double t, double end, std::vector<double>& y) {
  Change began;
  const bool first = t == 0;
  const double before = inside_;
  if (sampled_ && t >= next_sample_) sample(t, y);
  const double spring_before = mechanical_energy(t, y.data(), false);
  std::vector<double> last(parts_.size(), 0.0);
  if (kind_ == SystemKind::prescribed && !first) friction(t, y.data(), nullptr, &last);
  inside_ = t + (end - t) / 2;
  if (first) {
    for (Part& p : parts_) {
      Motion<double> u = motion(t, y.data());
      u.F_app = kind_ == SystemKind::prescribed ? u.F_app : holding_force(t, y.data()) * p.share;
      p.flow->begin(y.data() + p.at, u);
    }
    if (holding()) stop_slip(y);
    const double u = slip(t, y.data());
    side_ = sgn(u) > 0 ? 1 : u < 0 ? -1 : 0;
    direction_ = any_set_valued_ ? (holding() ? 0 : side_) : std::abs(u) > stick_velocity_ ? side_ : 0;
    if (any_set_valued_ && !holding() && side_ == 0 && kind_ != SystemKind::prescribed)
      direction_ = holding_force(t, y.data()) > 0 ? 1 : -1;
    began = {true, direction_ == 0 ? Event::stick : direction_ > 0 ? Event::slip_forward : Event::slip_backward};
  } else {
    put_in_ += mechanical_energy(t, y.data(), false) - spring_before;        // the drive jumped
    if (servo_ && !sampled_ && control_.kd != 0 && control_.limit == inf) {  // derivative of a jump: a kick
      const double jump = drive_.at(t, inside_).value - drive_.at(t, before).value;
      if (jump != 0 && drive_.of == DriveOf::position) {
        const double kinetic = mechanical_energy(t, y.data(), true);
        y[v_] += control_.kd * jump / body_.mass;
        put_in_ += mechanical_energy(t, y.data(), true) - kinetic;
      }
    }
  }
  if (kind_ == SystemKind::prescribed) {
    auto still = [&](double at) { return slip(at, y.data()) == 0; };
    const bool rests = still(t) && still(inside_) && still(t + 0.75 * (end - t));
    if (rests && !resting_) {
      for (std::size_t i = 0; i < parts_.size(); ++i) parts_[i].kept = last[i];
    }
    resting_ = rests;
  }
  if (servo_ && !sampled_) {
    const double raw = controller_raw(t, y.data());
    saturated_ = std::abs(raw) > control_.limit ? (raw > 0 ? 1 : -1) : 0;
  }
  return began;
}

double World::slip(double t, const double* y) const {
  if (kind_ == SystemKind::prescribed) {
    const Signal d = drive_.at(t, inside_);
    return drive_.of == DriveOf::position ? d.rate : d.value;
  }
  return y[v_];
}

Motion<double> World::motion(double t, const double* y) const {
  Motion<double> u;
  u.t = t;
  u.v = slip(t, y);
  u.r = load_.at(t, inside_).value;
  u.temperature = body_.temperature;
  if (path_ != none) u.path = y[path_];
  if (kind_ == SystemKind::prescribed) {
    const Signal d = drive_.at(t, inside_);
    u.x = drive_.of == DriveOf::position ? d.value : y[x_];
    const double ahead = u.v != 0 ? u.v : drive_.of == DriveOf::position ? d.rate2 : d.rate;
    u.F_app = certain * sgn(ahead);
  } else {
    u.x = y[roll_ != none ? s_ : x_];
  }
  return u;
}

bool World::holding() const {
  return std::any_of(parts_.begin(), parts_.end(), [](const Part& p) { return p.flow->holds(); });
}

double World::controller_raw(double t, const double* y) const {
  if (sampled_) return held_u_;
  const Signal d = drive_.at(t, inside_);
  const bool velocity = drive_.of == DriveOf::velocity;
  const double reference = velocity ? y[xd_] : d.value, rate = velocity ? d.value : d.rate;
  return control_.kp * (reference - y[x_]) + control_.kd * (rate - body_velocity(y)) +
         (ei_ != none ? control_.ki * y[ei_] : 0);
}

void World::along_velocity(double* row, double slope) const {
  row[v_] += slip_part_ * slope;
  if (roll_ != none) row[roll_] += slope;
}

World::Applied World::applied(double t, const double* y, Jacobian* j) const {
  Applied a;
  if (kind_ == SystemKind::prescribed) return a;
  const Signal d = drive_.at(t, inside_);
  const bool velocity = drive_.of == DriveOf::velocity, force = drive_.of == DriveOf::force;
  // Far end of the spring, or reference of the servo.
  const double end = velocity ? y[xd_] : force ? 0 : d.value;
  const double end_v = velocity ? d.value : force ? 0 : d.rate, end_a = velocity ? d.rate : force ? 0 : d.rate2;
  const double x = y[x_], v = body_velocity(y);
  double power_x = 0, power_v = 0, power_xd = 0, power_ei = 0, power_t = 0;
  if (servo_) {
    if (sampled_ || saturated_ != 0) {
      a.F = sampled_ ? held_u_ : saturated_ * control_.limit;
    } else {
      a.F = controller_raw(t, y);
      a.F_x = -control_.kp;
      a.F_v = -control_.kd;
      a.F_ei = control_.ki;
      a.F_xd = velocity ? control_.kp : 0;
      a.F_t = (velocity ? 0 : control_.kp * end_v) + control_.kd * end_a;
    }
    a.power = a.F * v;
    power_x = a.F_x * v;
    power_v = a.F_v * v + a.F;
    power_xd = a.F_xd * v;
    power_ei = a.F_ei * v;
    power_t = a.F_t * v;
  } else {
    const double k = body_.stiffness, c = body_.damping, stretch = end - x - body_.rest_length;
    const double pull = k * stretch + c * (end_v - v), pull_t = (velocity ? 0 : k * end_v) + c * end_a;
    a.F = pull + (force ? d.value : 0);
    a.F_x = -k;
    a.F_v = -c;
    a.F_xd = velocity ? k : 0;
    a.F_t = pull_t + (force ? d.rate : 0);
    a.power = pull * end_v + (force ? d.value * v : 0);
    a.damper = c * (end_v - v) * (end_v - v);
    power_x = -k * end_v;
    power_v = -c * end_v + (force ? d.value : 0);
    power_xd = a.F_xd * end_v;
    power_t = pull_t * end_v + pull * end_a + (force ? d.rate * v : 0);
  }
  if (j) {
    double* drive = j->row(n_);
    drive[x_] += power_x;
    along_velocity(drive, power_v);
    if (xd_ != none) drive[xd_] += power_xd;
    if (ei_ != none) drive[ei_] += power_ei;
    j->t[n_] += power_t;
    if (!servo_) {
      along_velocity(j->row(n_ + 1), -2 * body_.damping * (end_v - v));
      j->t[n_ + 1] += 2 * body_.damping * (end_v - v) * end_a;
    }
  }
  return a;
}

double World::friction(double t, const double* y, double* f, std::vector<double>* each) const {
  const Motion<double> u = motion(t, y);
  scratch_.resize(n_);
  double sum = 0;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const Part& p = parts_[i];
    double F = p.flow->eval(y + p.at, u, f ? f + p.at : scratch_.data());
    if (kind_ == SystemKind::prescribed && p.flow->traits().set_valued && (resting_ || p.flow->holds())) F = p.kept;
    if (kind_ != SystemKind::prescribed && p.flow->holds()) F = 0;  // added by the caller
    if (each) (*each)[i] = F;
    sum += F;
  }
  return sum;
}

/// What would keep the slip velocity constant, less the laws that are not set-valued.
double World::holding_force(double t, const double* y) const {
  double others = 0;
  const Motion<double> u = motion(t, y);
  scratch_.resize(n_);
  for (const Part& p : parts_) {
    if (!p.flow->traits().set_valued) others += p.flow->eval(y + p.at, u, scratch_.data());
  }
  return slip_mass_ / body_.mass * applied(t, y, nullptr).F - others;
}

void World::rates(double t, const double* y, double* f) const {
  for (std::size_t i = 0; i < size(); ++i) f[i] = 0;
  double F = friction(t, y, f);
  const double u = slip(t, y);
  if (path_ != none) f[path_] = std::abs(u);
  if (kind_ == SystemKind::prescribed) {
    if (x_ != none) f[x_] = u;
    f[n_ + 2] = F * u;
    return;
  }
  const Applied a = applied(t, y, nullptr);
  const bool holds = holding();
  if (holds) F = slip_mass_ / body_.mass * a.F;
  if (xd_ != none) f[xd_] = drive_.at(t, inside_).value;
  if (ei_ != none) f[ei_] = (drive_.of == DriveOf::velocity ? y[xd_] : drive_.at(t, inside_).value) - y[x_];
  f[x_] = body_velocity(y);
  if (roll_ != none) {
    f[s_] = u;
    f[roll_] = a.F / roll_mass_;
  }
  f[v_] = holds ? 0 : a.F / body_.mass - F / slip_mass_;
  f[n_] = a.power;
  f[n_ + 1] = a.damper;
  f[n_ + 2] = holds ? 0 : F * u;
}

void World::jacobian(double t, const double* y, Jacobian& j) const {
  j.columns = n_;
  j.a.assign(size() * n_, 0.0);
  j.t.assign(size(), 0.0);
  const bool prescribed = kind_ == SystemKind::prescribed, holds = !prescribed && holding();
  const double load_rate = load_.at(t, inside_).rate;
  Motion<double> u = motion(t, y);
  double accel = 0;  // of a prescribed motion
  if (prescribed) {
    const Signal d = drive_.at(t, inside_);
    accel = drive_.of == DriveOf::position ? d.rate2 : d.rate;
  }
  if (kink_ && side_ != 0 && u.v * side_ <= 0) u.v = side_ * 1e-300;  // the slope of the side it is leaving to

  // Row of the friction force, gathered over the contacts.
  std::vector<double>& F_y = scratch_;
  F_y.assign(n_, 0.0);
  double F = 0, F_t = 0;
  auto along_v = [&](double* row, double slope, double& in_time) {
    if (prescribed) {
      in_time += slope * accel;
    } else if (!holds) {
      row[v_] += slope;
    }
  };
  for (const Part& p : parts_) {
    const std::size_t m = p.flow->size();
    Slopes& s = p.slopes;
    s.F_x = s.F_path = s.F_t = 0;
    p.flow->slopes(y + p.at, u, s);
    for (std::size_t i = 0; i < m; ++i) {
      double* row = j.row(p.at + i);
      for (std::size_t k = 0; k < m; ++k) row[p.at + k] = s.rate_z[i * m + k];
      along_v(row, s.rate_v[i], j.t[p.at + i]);
      j.t[p.at + i] += s.rate_r[i] * load_rate;
    }
    if (prescribed && p.flow->traits().set_valued && (resting_ || p.flow->holds())) {
      F += p.kept;
      continue;
    }
    F += s.F;
    for (std::size_t i = 0; i < m; ++i) F_y[p.at + i] += s.F_z[i];
    along_v(F_y.data(), s.F_v, F_t);
    F_t += s.F_r * load_rate + s.F_t;
    if (path_ != none) F_y[path_] += s.F_path;
    if (x_ != none) F_y[roll_ != none ? s_ : x_] += s.F_x;
    if (prescribed && x_ == none) F_t += s.F_x * u.v;
  }
  if (path_ != none) along_v(j.row(path_), sgn(u.v), j.t[path_]);
  double* friction_work = j.row(n_ + 2);
  if (prescribed) {
    if (x_ != none) j.t[x_] = accel;
    for (std::size_t i = 0; i < n_; ++i) friction_work[i] = F_y[i] * u.v;
    j.t[n_ + 2] = F_t * u.v + F * accel;
    return;
  }
  const Applied a = applied(t, y, &j);
  std::vector<double> applied_y(n_, 0.0);
  applied_y[x_] = a.F_x;
  along_velocity(applied_y.data(), a.F_v);
  if (xd_ != none) applied_y[xd_] = a.F_xd;
  if (ei_ != none) applied_y[ei_] = a.F_ei;
  if (holds) {
    const double part = slip_mass_ / body_.mass;
    for (std::size_t i = 0; i < n_; ++i) F_y[i] = part * applied_y[i];
    F_t = part * a.F_t;
  }
  if (xd_ != none) j.t[xd_] = drive_.at(t, inside_).rate;
  if (ei_ != none) {
    j.row(ei_)[x_] = -1;
    if (xd_ != none) {
      j.row(ei_)[xd_] = 1;
    } else {
      j.t[ei_] = drive_.at(t, inside_).rate;
    }
  }
  along_velocity(j.row(x_), 1);
  if (roll_ != none) {
    j.row(s_)[v_] = 1;
    for (std::size_t i = 0; i < n_; ++i) j.row(roll_)[i] = applied_y[i] / roll_mass_;
    j.t[roll_] = a.F_t / roll_mass_;
  }
  if (!holds) {
    for (std::size_t i = 0; i < n_; ++i) j.row(v_)[i] = applied_y[i] / body_.mass - F_y[i] / slip_mass_;
    j.t[v_] = a.F_t / body_.mass - F_t / slip_mass_;
    for (std::size_t i = 0; i < n_; ++i) friction_work[i] = F_y[i] * u.v;
    friction_work[v_] += F;
    j.t[n_ + 2] = F_t * u.v;
  }
}

}  // namespace bristle
