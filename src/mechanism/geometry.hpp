#pragma once
#include <array>
#include <cmath>
#include <cstddef>

#include "bristle/mechanism.hpp"

/// The coordinates of a joint as functions of its two bodies (x, y, angle each), in any scalar type.
namespace bristle::mechanism {

/// One joint, with its points and its axis in the frames of the bodies.
struct JointFrame {
  JointKind kind = JointKind::revolute;
  Point2 first{}, second{}, axis{1, 0};
  double turn{};  // s = travel + turn (angle2 - angle1): signed radius of a rolling disk, else 0
  std::array<double, 3> zero{};
  double s_zero{};  // values at t = 0
};

inline std::size_t row_count_of(JointKind kind) {
  return kind == JointKind::fixed ? 3 : kind == JointKind::revolute || kind == JointKind::prismatic ? 2 : 1;
}

/// A scalar function of the positions: value, gradient, first and second derivative in time.
template <class R> struct Coordinate {
  R value{}, rate{}, rate2{};
  std::array<R, 6> gradient{};
};

/// Positions, velocities and accelerations of two bodies: x, y, angle of the first, then of the second; the directions of
/// their frames.
template <class R> struct Pair {
  std::array<R, 6> q{}, v{}, a{};
  R c1{1}, s1{0}, c2{1}, s2{0};
};

/// The distance between the two points of a joint, with all that its coordinates need.
template <class R> class Kinematics {
 public:
  Kinematics(const JointFrame& f, const Pair<R>& p) : f_(f), p_(p) {
    auto turned = [](const R& c, const R& s, const Point2& x) {
      return std::array<R, 2>{c * R(x[0]) - s * R(x[1]), s * R(x[0]) + c * R(x[1])};
    };
    e1_ = turned(p.c1, p.s1, f.first);
    e2_ = turned(p.c2, p.s2, f.second);
    u_ = turned(p.c1, p.s1, f.axis);
    n_ = {-u_[1], u_[0]};
    const R &w1 = p.v[2], &w2 = p.v[5];
    for (std::size_t k = 0; k < 2; ++k) {
      const R cross1 = k == 0 ? -e1_[1] : e1_[0], cross2 = k == 0 ? -e2_[1] : e2_[0];
      d_[k] = p.q[3 + k] + e2_[k] - p.q[k] - e1_[k];
      d1_[k] = p.v[3 + k] + w2 * cross2 - p.v[k] - w1 * cross1;
      d2_[k] = p.a[3 + k] + p.a[5] * cross2 - w2 * w2 * e2_[k] - p.a[k] - p.a[2] * cross1 + w1 * w1 * e1_[k];
    }
  }
  Coordinate<R> world(std::size_t k) const {
    Coordinate<R> out{d_[k], d1_[k], d2_[k], {}};
    out.gradient[k] = R(-1);
    out.gradient[3 + k] = R(1);
    out.gradient[2] = k == 0 ? e1_[1] : -e1_[0];
    out.gradient[5] = k == 0 ? -e2_[1] : e2_[0];
    return out;
  }
  Coordinate<R> along() const {  // u . d
    const R &w1 = p_.v[2], nd = dot(n_, d_);
    return {dot(u_, d_),
            dot(u_, d1_) + w1 * nd,
            dot(u_, d2_) + R(2) * w1 * dot(n_, d1_) + p_.a[2] * nd - w1 * w1 * dot(u_, d_),
            {-u_[0], -u_[1], nd + dot(n_, e1_), u_[0], u_[1], -dot(n_, e2_)}};
  }
  Coordinate<R> across() const {  // n . d
    const R &w1 = p_.v[2], ud = dot(u_, d_);
    return {dot(n_, d_),
            dot(n_, d1_) - w1 * ud,
            dot(n_, d2_) - R(2) * w1 * dot(u_, d1_) - p_.a[2] * ud - w1 * w1 * dot(n_, d_),
            {-n_[0], -n_[1], -ud - dot(u_, e1_), n_[0], n_[1], dot(u_, e2_)}};
  }
  Coordinate<R> angle() const {
    return {p_.q[5] - p_.q[2], p_.v[5] - p_.v[2], p_.a[5] - p_.a[2], {R(0), R(0), R(-1), R(0), R(0), R(1)}};
  }
  Coordinate<R> row(std::size_t i) const {
    Coordinate<R> out = whole_row(i);
    out.value = out.value - R(f_.zero[i]);
    return out;
  }
  /// The coordinate s.
  Coordinate<R> travel() const {
    Coordinate<R> out{};
    if (f_.kind == JointKind::revolute) out = angle();
    if (f_.kind != JointKind::revolute && f_.kind != JointKind::fixed) {
      out = along();
      if (f_.turn != 0) {
        const Coordinate<R> t = angle();
        out.value = out.value + R(f_.turn) * t.value;
        out.rate = out.rate + R(f_.turn) * t.rate;
        out.rate2 = out.rate2 + R(f_.turn) * t.rate2;
        for (std::size_t k = 0; k < 6; ++k) out.gradient[k] = out.gradient[k] + R(f_.turn) * t.gradient[k];
      }
    }
    out.value = out.value - R(f_.s_zero);
    return out;
  }
  const std::array<R, 2>& across_direction() const { return n_; }

 private:
  static R dot(const std::array<R, 2>& a, const std::array<R, 2>& b) { return a[0] * b[0] + a[1] * b[1]; }
  Coordinate<R> whole_row(std::size_t i) const {
    switch (f_.kind) {
      case JointKind::revolute: return world(i);
      case JointKind::fixed: return i < 2 ? world(i) : angle();
      case JointKind::prismatic: return i == 0 ? across() : angle();
      case JointKind::rolling:
      case JointKind::point: return across();
    }
    return {};
  }
  const JointFrame& f_;
  const Pair<R>& p_;
  std::array<R, 2> e1_{}, e2_{}, u_{}, n_{}, d_{}, d1_{}, d2_{};
};

/// Whether row i of a joint is a moment, not a force.
inline bool is_moment(JointKind kind, std::size_t i) {
  return (kind == JointKind::fixed && i == 2) || (kind == JointKind::prismatic && i == 1);
}

}  // namespace bristle::mechanism
