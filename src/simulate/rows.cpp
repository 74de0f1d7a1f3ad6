#include <algorithm>
#include <cmath>

#include "rows.hpp"
#include "system.hpp"

/// Output of a system: columns, rows and energies.
namespace bristle {

std::vector<Column> System::columns() const {
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
    if (const Compensator* c = sampled_servo_.compensator()) {
      for (Column& column : c->columns()) out.push_back(std::move(column));
    }
  }
  return out;
}

void System::row(double t, const double* y, double* out) const {
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
  for (std::size_t i = 0; i < row_to_.size(); ++i) row_to_[i] = out + i;
  for (std::size_t i = 0; i < size(); ++i) row_from_[i] = y + i;
  write_rows(*this, &t, 1, row_from_.data(), row_to_.data(), [&](std::size_t, const Signal&) { return F_app; });
  out[3] = F;
  if (prescribed) out[4] = F;
  std::size_t column = 6;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    if (!parts_[i].name.empty()) out[column++] = each_[i];
    column += parts_[i].flow->size();
  }
}

void System::momentum(const double* y, double* out) const {
  out[0] = quasi_static_ ? 0 : body_.mass * body_velocity(y);
  if (roll_ != none) out[1] = disk_.inertia / disk_.radius * spin(y);
}
void System::applied_forces(double t, const double* y, double* out) const {
  out[0] = applied_force(t, y);
  if (roll_ != none) out[1] = out[0];
}

/// Kinetic energy, or potential: of the spring, and of gravity.
double System::mechanical_energy(double t, const double* y, bool kinetic) const {
  if (kind_ == SystemKind::prescribed || (kinetic && quasi_static_)) return 0;
  if (kinetic) {
    const double roll = roll_ != none ? roll_mass_ * y[roll_] * y[roll_] : 0;
    return (slip_mass_ * y[v_] * y[v_] + roll) / 2;
  }
  return spring_.energy(input_at(t, y), y[x_]);
}

void System::begin_energy(std::span<const double> y) {
  initial_kinetic_ = mechanical_energy(0, y.data(), true);
  initial_spring_ = mechanical_energy(0, y.data(), false);
}

EnergyBalance System::energy(double t, std::span<const double> y) const {
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
