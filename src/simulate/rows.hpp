#pragma once
#include <algorithm>
#include <cstddef>

#include "system.hpp"

namespace bristle {

/// Rows of a trace, column by column as System::columns lists them, from columns of the states: those that show friction
/// forces are left out. applied(k, drive) gives the applied force of row k, where position and velocity are in place.
template <class Applied>
void write_rows(const System& system, const double* t, std::size_t n, const double* const* y, double* const* to,
                Applied&& applied) {
  const System::Shown& s = system.shown();
  auto copy = [n](const double* from, double* column) {
    if (from != column) std::copy_n(from, n, column);
  };
  copy(t, to[0]);
  if (s.x != System::none) copy(y[s.x], to[1]);
  if (s.roll != System::none) {
    double *const v = to[2], *const *last = to + s.after_states;
    for (std::size_t k = 0; k < n; ++k) {
      const double roll = y[s.roll][k], slip = y[s.v][k];
      v[k] = roll + s.slip_part * slip;
      last[0][k] = (roll - (1 - s.slip_part) * slip) / s.radius;
      last[1][k] = (y[s.x][k] - y[s.distance][k]) / s.radius;
    }
    copy(y[s.v], last[2]);
  } else if (s.v != System::none) {
    copy(y[s.v], to[2]);
  }
  double *const F_app = to[4], *const drive = to[5];
  auto follow = [&](auto&& at) {
    if (s.v != System::none) {
      for (std::size_t k = 0; k < n; ++k) {
        const Signal d = at(k);
        drive[k] = d.value;
        F_app[k] = applied(k, d);
      }
    } else {  // a given motion
      const bool by_position = s.x == System::none;
      for (std::size_t k = 0; k < n; ++k) {
        const Signal d = at(k);
        drive[k] = d.value;
        if (by_position) to[1][k] = d.value;
        to[2][k] = by_position ? d.rate : d.value;
      }
    }
  };
  if (system.drives_straight()) {
    follow([line = system.drive_line(), t](std::size_t k) { return line(t[k]); });
  } else {
    follow([&](std::size_t k) {
      if (n > 1 && k % DrivePiece::foreseeable == 0) system.foresee(t + k, std::min(n - k, DrivePiece::foreseeable));
      return system.drive_at(t[k]);
    });
  }
  for (const auto& [state, column] : s.states) copy(y[state], to[column]);
  if (s.servo) {
    copy(F_app, to[s.after_states]);
    copy(s.reference != System::none ? y[s.reference] : drive, to[s.after_states + 1]);
    const std::vector<double> held = system.estimates();
    for (std::size_t i = 0; i < held.size(); ++i) std::fill_n(to[s.after_states + 2 + i], n, held[i]);
  }
}

}  // namespace bristle
