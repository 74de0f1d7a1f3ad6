#pragma once
#include <cmath>

#include "contact.hpp"

/// Stick and slip of a set-valued law of velocity: the mode logic of coulomb and stribeck.
namespace bristle {

/// The state of set-valued laws: stick, or direction of slip.
struct StickSlip {
  int dir{};  // 0 stick, +1 or -1 slip
  static constexpr auto fields() { return Fields{Field{&StickSlip::dir, "dir", "1", "0 stick, +1 or -1 slip", sides}}; }
};

/// Sticks or slips at v = 0: sticks while |F_app| is within breakaway, else slips in the direction of F_app.
template <class T> constexpr void stick_or_release(StickSlip& q, const Motion<T>& u, const T& breakaway) {
  using std::abs;
  q.dir = abs(u.F_app) > breakaway ? side(u.F_app) : 0;
}
/// Prescribed velocity decides; NaN slips, so that it appears in the force.
template <class T> constexpr void follow(StickSlip& q, const Motion<T>& u, const T& breakaway) {
  if (u.v == T(0)) {
    stick_or_release(q, u, breakaway);
  } else {
    q.dir = u.v > T(0) ? 1 : -1;
  }
}
/// Slip ends when v passes zero; stick ends when the load exceeds breakaway.
template <class T> constexpr T stick_slip_guard(const StickSlip& q, const Motion<T>& u, const T& breakaway) {
  using std::abs;
  return q.dir != 0 ? -T(q.dir) * u.v : abs(u.F_app) - breakaway;
}

}  // namespace bristle
