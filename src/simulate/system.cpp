#include "system.hpp"

#include "potential.hpp"

#include <algorithm>
#include <cmath>

namespace bristle {

System::System(const Experiment& e, const Links& links)
    : kind_(e.kind == SystemKind::chain ? SystemKind::slider : e.kind),
      links_(links),
      body_(e.body),
      disk_(e.disk),
      drive_(e.drive),
      servo_(e.controller.has_value()) {
  duration_ = e.solver.duration;
  if (e.load) {
    load_ = *e.load;
    loaded_ = true;
  } else {
    load_.terms = {{Constant{1}, 0}};
  }
  if (e.controller) {
    servo_law_.c = *e.controller;
    sampled_ = e.controller->sampled();
    if (sampled_) sampled_servo_ = {*e.controller, e.feedforward.get(), e.body.mass, e.body.x0, e.body.v0};
  }
  quasi_static_ = kind_ == SystemKind::slider && body_.mass == 0;
  if (kind_ == SystemKind::roller && !(disk_.inertia > 0)) disk_.inertia = body_.mass * disk_.radius * disk_.radius / 2;
  slip_mass_ = body_.mass;
  if (kind_ == SystemKind::roller) {
    // In slip velocity and rolling velocity (of the momentum that friction cannot change) stick is exact and slip has
    // full precision: slip' = F_app/m - F/slip_mass, roll' = F_app/roll_mass.
    const double rim_mass = disk_.inertia / (disk_.radius * disk_.radius);
    slip_mass_ = 1 / (1 / body_.mass + 1 / rim_mass);
    roll_mass_ = body_.mass + rim_mass;
    slip_part_ = rim_mass / roll_mass_;
  }

  bool feels_path = false;
  longest_step_ = inf;
  double capacity = 0;
  auto state = [&](const std::string& name, double scale, double largest = inf) {
    names_.push_back(name);
    scale_.push_back(scale);
    largest_.push_back(largest);
    return n_++;
  };
  for (const NamedContact& c : e.contacts) {
    Part part{make_flow(*c.contact), c.name, n_, 0, 0, Slopes()};
    if (const PotentialParams& p = e.chain.potential; e.kind == SystemKind::chain && p.present())
      part.flow = on_potential(std::move(part.flow), Potential(p), p.period);
    const auto& traits = part.flow->traits();
    part.slopes = Slopes(part.flow->size());
    for (std::size_t i = 0; i < part.flow->size(); ++i)
      state((c.name.empty() ? "" : c.name + ".") + traits.states[i].name, traits.state_scale[i]);
    feels_path = feels_path || traits.feels_path;
    any_set_valued_ = any_set_valued_ || traits.set_valued;
    any_hybrid_ = any_hybrid_ || traits.hybrid;
    kink_ = kink_ || traits.kink_at_rest;
    cusp_ = cusp_ || traits.cusp_at_rest;
    feels_load_ = feels_load_ || (traits.feels_load && kind_ != SystemKind::prescribed);
    if (traits.set_valued) capacity += part.share = std::max(traits.scales.force, limit::least);
    auto smaller_of = [](double& a, double b) { a = a > 0 && b > 0 ? std::min(a, b) : std::max(a, b); };
    contact_scales_.force += traits.scales.force;
    smaller_of(contact_scales_.velocity, traits.scales.velocity);
    smaller_of(contact_scales_.displacement, traits.scales.displacement);
    longest_step_ = std::min(longest_step_, traits.longest_step);
    parts_.push_back(std::move(part));
  }
  if (quasi_static_) body_.mass = slip_mass_ = mass_of_scale();
  scratch_.resize(n_ + System::works);
  each_.resize(parts_.size());
  for (Part& p : parts_) p.share = capacity > 0 ? p.share / capacity : 0;
  if (kind_ == SystemKind::prescribed) kink_ = true;

  const Sizes sizes = natural_sizes(e.solver);
  const double x_scale = sizes.x, v_scale = sizes.v;
  work_scale_ = sizes.work;
  stick_velocity_ = natural_or(e.solver.stick_velocity, any_set_valued_ ? 0 : contact_scales_.velocity);
  const double span = sizes.slack > 0 ? sizes.slack : inf;
  if (feels_path) path_ = state("path", x_scale);
  if (const ControllerParams& c = servo_law_.c; servo_ && !sampled_) {
    const double reset_time = natural_or(std::abs(c.stiffness() / c.integral()), c.cascade() ? 1 : duration_);
    if (servo_law_.integrates())
      ei_ = state("integral", x_scale * (c.cascade() ? reset_time : std::min(reset_time, duration_)));
    if (servo_law_.filters()) filter_ = state("filter", x_scale);
  }
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
  if (!links_.pulled) {  // all blocks of a chain have the scales of the pulled one
    drive_ = {DriveOf::position, {{Constant{}, 0}}, 0};
    body_.stiffness = body_.damping = 0;
  }
  spring_ = spring_of(body_);
  acts_ = {drive_.of == DriveOf::position && !sampled_ ? 1.0 : 0.0, drive_.of == DriveOf::force ? 1.0 : 0.0, 0,
           drive_.of == DriveOf::velocity};
  if (servo_) spring_.stiffness = spring_.damping = 0;
  shown_ = {x_, v_, roll_, s_, servo_ ? xd_ : none, slip_part_, disk_.radius, servo_, 6, {}};
  for (const Part& p : parts_) {
    if (!p.name.empty()) ++shown_.after_states;
    for (std::size_t i = 0; i < p.flow->size(); ++i) shown_.states.emplace_back(p.at + i, shown_.after_states++);
  }
  row_from_.resize(size());
  row_to_.resize(columns().size());
}

std::vector<double> System::start() const {
  std::vector<double> y(size(), 0.0);
  for (const Part& p : parts_) {
    for (std::size_t i = 0; i < p.flow->size(); ++i) y[p.at + i] = p.flow->traits().states[i].value;
  }
  if (kind_ != SystemKind::prescribed) {
    y[x_] = body_.x0;
    y[v_] = body_.v0;
    if (filter_ != none)
      y[filter_] = servo_law_.filtered({drive_.of == DriveOf::position ? drive_.at(0).value : 0}, body_.x0);
    if (roll_ != none) {
      y[s_] = body_.x0;  // x - radius phi: a disk that does not turn is a slider
      y[v_] = body_.v0 - disk_.radius * disk_.omega0;
      y[roll_] = body_.v0 - slip_part_ * y[v_];
    }
  }
  return y;
}

std::optional<System::Single> System::single() const {
  const ContactFlow::Inside contact = parts_.front().flow->inside();
  const bool driven = drive_.of != DriveOf::velocity || prescribed(), linked = links_.left || links_.right;
  if (parts_.size() != 1 || !driven || linked || (servo_ && !sampled_) || quasi_static_ ||
      contact.model == ContactFlow::Inside::unknown)
    return {};
  if (prescribed() && any_hybrid_) return {};
  const kernel::Body body = kind_ == SystemKind::slider   ? kernel::Body::slider
                            : kind_ == SystemKind::roller ? kernel::Body::disk
                            : moves_by_position()         ? kernel::Body::by_position
                                                          : kernel::Body::by_velocity;
  return Single{body,       contact,           spring_,
                body_.mass, slip_mass_,        roll_mass_,
                slip_part_, body_.temperature, contact.usual && !contact.effects && !loaded_ && spring_.gravity == 0};
}

double System::slow_time() const {
  const double k = servo_ ? std::abs(servo_law_.c.stiffness()) : body_.stiffness + body_.gravity;
  return kind_ != SystemKind::prescribed && !quasi_static_ && k > 0 ? two_pi / std::sqrt(k / body_.mass) : duration_;
}

bool System::within_bounds(const double* from, const double* to) const {
  for (const Part& p : parts_) {
    for (std::size_t i = 0; i < p.flow->size(); ++i) {
      const double limit = p.flow->traits().bound[i] * (1 + 1e-6);
      if (std::abs(to[p.at + i]) > limit && std::abs(from[p.at + i]) <= limit) return false;
    }
  }
  return true;
}

bool System::smooth_law() const {
  return std::all_of(parts_.begin(), parts_.end(),
                     [](const Part& p) { return p.flow->size() == 0 && !p.flow->traits().hybrid; });
}
bool System::stiff() const {
  return std::any_of(parts_.begin(), parts_.end(),
                     [](const Part& p) { return p.flow->size() > 0 || !p.flow->traits().hybrid; });
}

double System::next_corner(double t) const {
  double next = std::min(drive_.next_corner(t), load_.next_corner(t));
  if (sampled_) next = std::min(next, sampled_servo_.next());
  return reversal_ > t ? std::min(next, reversal_) : next;
}

void System::leave_piece(double t, std::span<double> y) {
  if (sampled_ && t >= sampled_servo_.next()) sample(t, y);
  spring_before_ = mechanical_energy(t, y.data(), false);
  each_.assign(parts_.size(), 0.0);
  if (kind_ == SystemKind::prescribed && t != 0) friction(motion(t, y.data()), y.data(), nullptr, each_.data());
}

/// Before the first piece, `end` of the one before it is 0.
Change System::begin_piece(double t, double end, std::span<double> y) {
  Change began;
  const bool first = t == 0;
  const std::vector<double>& last = each_;
  if (first || end != piece_end_) {  // else the motion continues after a reversal
    piece_end_ = end;
    inside_ = t + (end - t) / 2;
    drive_piece_.enter(inside_, end);
    load_piece_.enter(inside_, end);
  }
  if (quasi_static_) y[v_] = balanced_velocity(t, y.data());
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
    put_in_ += mechanical_energy(t, y.data(), false) - spring_before_;  // the drive jumped
  }
  if (kind_ == SystemKind::prescribed) {
    auto still = [&](double at) { return slip(at, y.data()) == 0; };
    const bool rests = still(t) && still(inside_) && still(t + 0.75 * (end - t));
    if (rests && !resting_) {
      for (std::size_t i = 0; i < parts_.size(); ++i) parts_[i].kept = last[i];
    }
    resting_ = rests;
    turns_known_ = !rests && drive_piece_.curve(t, moves_by_position()).curvature < inf;
    reversal_ = turns_known_ ? drive_piece_.next_zero(t, end, moves_by_position()) : inf;
    if (turns_known_ && slip(t + (std::min(reversal_, end) - t) / 2, y.data()) * side_ < 0) {
      side_ = first ? 0 : -side_;  // starts at rest, except for rounding
      if (!first) began = report(side_);
    }
  }
  if (servo_ && !sampled_) servo_law_.enter(servo_in(t, y.data()));
  return began;
}

}  // namespace bristle
