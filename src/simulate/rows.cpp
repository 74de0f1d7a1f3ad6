#include <algorithm>
#include <cmath>

#include "world.hpp"

/// Output of a world: columns, rows and energies.
namespace bristle {

std::vector<Column> World::columns() const {
  const char* drive_unit = drive_.of == DriveOf::position ? "m" : drive_.of == DriveOf::velocity ? "m/s" : "N";
  std::vector<Column> out{{"t", "s"}, {"x", "m"}, {"v", "m/s"}, {"F", "N"}, {"F_app", "N"}, {"drive", drive_unit}};
  for (const Part& p : parts_) {
    if (!p.name.empty()) out.push_back({"F_" + p.name, "N"});
    for (const Variable& s : p.flow->traits().states)
      out.push_back({(p.name.empty() ? "" : p.name + ".") + s.name, s.unit});
  }
  if (kind_ == SystemKind::roller) {
    out.push_back({"omega", "rad/s"});
    out.push_back({"phi", "rad"});
    out.push_back({"v_slip", "m/s"});
  }
  if (servo_) {
    out.push_back({"u", "N"});
    out.push_back({"reference", "m"});
  }
  return out;
}

void World::row(double t, const double* y, double* out) const {
  const Signal d = drive_at(t);
  const bool prescribed = kind_ == SystemKind::prescribed, holds = !prescribed && holding();
  double F = friction(motion(t, y), y, nullptr, each_.data());
  const double F_app = prescribed ? F : applied_force(t, y);
  if (holds) {
    F = slip_mass_ / body_.mass * F_app;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      if (parts_[i].flow->traits().set_valued && !parts_[i].name.empty())
        each_[i] = holding_force(t, y) * parts_[i].share;
    }
  }
  *out++ = t;
  *out++ = prescribed && x_ == none ? d.value : y[x_];
  *out++ = prescribed ? slip(t, y) : body_velocity(y);
  *out++ = F;
  *out++ = F_app;
  *out++ = d.value;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    if (!parts_[i].name.empty()) *out++ = each_[i];
    for (std::size_t k = 0; k < parts_[i].flow->size(); ++k) *out++ = y[parts_[i].at + k];
  }
  if (kind_ == SystemKind::roller) {
    *out++ = spin(y);
    *out++ = (y[x_] - y[s_]) / disk_.radius;
    *out++ = slip(t, y);
  }
  if (servo_) {
    *out++ = F_app;
    *out++ = drive_.of == DriveOf::velocity ? y[xd_] : d.value;
  }
}

void World::momentum(const double* y, double* out) const {
  out[0] = body_.mass * body_velocity(y);
  if (roll_ != none) out[1] = disk_.inertia / disk_.radius * spin(y);
}
void World::applied_forces(double t, const double* y, double* out) const {
  out[0] = applied_force(t, y);
  if (roll_ != none) out[1] = out[0];
}

/// Kinetic energy, or potential: of the spring, and of gravity.
double World::mechanical_energy(double t, const double* y, bool kinetic) const {
  if (kind_ == SystemKind::prescribed) return 0;
  if (kinetic) {
    const double roll = roll_ != none ? roll_mass_ * y[roll_] * y[roll_] : 0;
    return (slip_mass_ * y[v_] * y[v_] + roll) / 2;
  }
  const double height = body_.gravity * (1 - std::cos(y[x_] - body_.gravity_phase));
  if (servo_) return height;
  const double end = drive_.of == DriveOf::velocity ? y[xd_] : drive_.of == DriveOf::position ? drive_at(t).value : 0;
  const double stretch = end - y[x_] - body_.rest_length;
  return height + body_.stiffness * stretch * stretch / 2;
}

void World::begin_energy(std::span<const double> y) {
  initial_kinetic_ = mechanical_energy(0, y.data(), true);
  initial_spring_ = mechanical_energy(0, y.data(), false);
}

EnergyBalance World::energy(double t, std::span<const double> y) const {
  EnergyBalance e;
  e.drive = y[n_] + put_in_;
  e.damper = y[n_ + 1];
  e.friction = y[n_ + 2];
  e.kinetic = mechanical_energy(t, y.data(), true) - initial_kinetic_;
  e.spring = mechanical_energy(t, y.data(), false) - initial_spring_;
  e.error = missing_part(e);
  return e;
}

double missing_part(const EnergyBalance& e, double kinetic_on_the_way) {
  const double largest = std::max({std::abs(e.drive), std::abs(e.kinetic), std::abs(e.spring), std::abs(e.damper),
                                   std::abs(e.friction), kinetic_on_the_way});
  const double gap = e.drive - e.kinetic - e.spring - e.damper - e.friction;
  return largest > 0 ? std::abs(gap) / largest : 0;
}

}  // namespace bristle
