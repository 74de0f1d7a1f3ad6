#pragma once
#include <array>
#include <cmath>

#include "mechanism/geometry.hpp"

/// A spring and damper between points of two bodies, in any scalar type.
namespace bristle::mechanism {

template <class R> struct LinkLength {
  R length{}, rate{};
  std::array<R, 2> d{}, e1{}, e2{};
};

template <class R> LinkLength<R> link_length(const Point2& from, const Point2& to, const Pair<R>& p) {
  using std::sqrt;
  LinkLength<R> out;
  out.e1 = {p.c1 * R(from[0]) - p.s1 * R(from[1]), p.s1 * R(from[0]) + p.c1 * R(from[1])};
  out.e2 = {p.c2 * R(to[0]) - p.s2 * R(to[1]), p.s2 * R(to[0]) + p.c2 * R(to[1])};
  for (std::size_t k = 0; k < 2; ++k) out.d[k] = p.q[3 + k] + out.e2[k] - p.q[k] - out.e1[k];
  const R dx = p.v[3] - p.v[5] * out.e2[1] - p.v[0] + p.v[2] * out.e1[1];
  const R dy = p.v[4] + p.v[5] * out.e2[0] - p.v[1] - p.v[2] * out.e1[0];
  const R square = out.d[0] * out.d[0] + out.d[1] * out.d[1];
  if (square > R(0)) {
    out.length = sqrt(square);
    out.rate = (out.d[0] * dx + out.d[1] * dy) / out.length;
  }
  return out;
}

/// Generalised forces on the two bodies.
template <class R>
std::array<R, 6> link_force(const MechanismSpring& s, const Point2& from, const Point2& to, const Pair<R>& p) {
  const LinkLength<R> l = link_length(from, to, p);
  // Over the length: k d without a rest length, also where the points meet.
  R per_length = R(s.stiffness);
  if (s.rest_length > 0 || (s.damping > 0 && l.length > R(0)))
    per_length = per_length + (R(s.damping) * l.rate - R(s.stiffness * s.rest_length)) / l.length;
  const R fx = per_length * l.d[0], fy = per_length * l.d[1];  // pulls the first towards the second
  return {fx, fy, l.e1[0] * fy - l.e1[1] * fx, -fx, -fy, l.e2[1] * fx - l.e2[0] * fy};
}

}  // namespace bristle::mechanism
