#pragma once
#include <array>
#include <concepts>

#include "law.hpp"
#include "spring.hpp"

/// Bodies that a contact acts on, over the scalar R: a number or one per lane. nz: states of the contact, which lie first.
/// Each says at which velocity and place its contact is, gives the rates of its states and works from the friction force,
/// their derivatives in time, and solves for its states where the contact has been eliminated.
namespace bristle::kernel {

/// Everything that is known where a step begins.
template <class R, std::size_t nz, std::size_t n, bool general> struct Start {
  std::array<R, n + works> y, f;
  Input<R> in;
  R end_a, external_rate, slope_v;
  Slopes<R, nz, general> a;
};

/// Places of components that depend on time: those of a body, and with the contact its states and the work of friction.
template <bool contact, std::size_t nz, std::size_t work, std::size_t... i> constexpr auto timed_places() {
  constexpr std::size_t own = sizeof...(i);
  std::array<std::size_t, own + (contact ? nz + 1 : 0)> out{i...};
  for (std::size_t k = own; k < out.size(); ++k) out[k] = k - own < nz ? k - own : work;
  return out;
}

/// x' = v, m v' = F_app - F
template <class R, std::size_t nz, bool general> struct Slider {
  static constexpr std::size_t ix = nz, iv = nz + 1, n = nz + 2;
  static constexpr auto timed = timed_places<general, nz, n + 2, iv, n, n + 1>();
  using Column = std::array<R, n + works>;
  using Start = kernel::Start<R, nz, n, general>;
  Spring<R> spring;
  R inverse_mass;
  bool holds;

  static constexpr const R& velocity(const Input<R>&, const Column& y) { return y[iv]; }
  static constexpr const R& place(const Input<R>&, const Column& y) { return y[ix]; }
  [[gnu::always_inline]] constexpr void rates(const Input<R>& in, const Column& y, const R& F, Column& f) const {
    const R &x = y[ix], &v = y[iv], pull = spring.pull(in, x, v);
    R net = pull + in.external - F;
    if constexpr (general) {
      if (spring.gravity != R(0)) net = net - spring.weight(x);
    }
    f[ix] = v;
    f[iv] = holds ? R(0) : net * inverse_mass;
    f[n] = spring.power(pull, in, v);
    f[n + 1] = spring.loss(in, v);
    f[n + 2] = holds ? R(0) : F * v;
  }
  [[gnu::always_inline]] constexpr void in_time(const Start& s, Column& t) const {
    const R& v = s.y[iv];
    R net = spring.pull_rate(s.in, s.end_a) + s.external_rate;
    if constexpr (general) {
      for (std::size_t i = 0; i < nz; ++i) t[i] = s.a.z_t[i];
      net = net - s.a.F_t;
      t[n + 2] = s.a.F_t * v;
    }
    t[iv] = holds ? R(0) : net * inverse_mass;
    t[n] = spring.power_rate(s.in, s.end_a, s.external_rate, s.y[ix], v);
    t[n + 1] = spring.loss_rate(s.in, s.end_a, v);
  }

  struct Factors {
    R pivot, inverse_pivot, friction, swing, stretch;
    std::array<R, nz> row;
    R friction_v, friction_x;  // of the work of friction
  };
  [[gnu::always_inline]] constexpr Factors factor(const Start& s, const Elimination<R, nz>& z) const {
    Factors x;
    R stiffness = spring.stiffness;
    if constexpr (general) {
      stiffness = stiffness + s.a.F_x;
      if (spring.gravity != R(0)) stiffness = stiffness + spring.weight_slope(s.y[ix]);
      x.friction_x = s.a.F_x * s.y[iv];
    }
    const R free = holds ? R(0) : inverse_mass;
    for (std::size_t i = 0; i < nz; ++i) x.row[i] = inverse_mass * z.row[i];
    x.friction = z.friction * inverse_mass;
    x.swing = holds ? R(1) : x.friction + spring.damping * inverse_mass;
    x.stretch = free * stiffness * z.inverse_d;
    x.pivot = z.d + free * spring.damping + x.stretch + x.friction;
    x.inverse_pivot = R(1) / x.pivot;
    x.friction_v = s.a.F_v * s.y[iv] + s.a.F;
    return x;
  }
  /// u from the right sides f + known. The next stage waits for u[iv], and that for the contact in f: everything else is
  /// out of the way by then.
  [[gnu::always_inline]] constexpr void solve(const Start& s, const Elimination<R, nz>& z, const Factors& x,
                                              const Column& f, const Column& known, Column& u) const {
    u[ix] = f[ix] + known[ix];
    R right = known[iv] - x.stretch * u[ix];
    for (std::size_t j = 0; j < nz; ++j) right = right - x.row[j] * known[j];
    for (std::size_t j = 0; j < nz; ++j) right = right - x.row[j] * f[j];
    u[iv] = (right + f[iv]) * x.inverse_pivot;
    for (std::size_t j = 0; j < nz; ++j) u[j] = f[j] + known[j];
    for (std::size_t i = n; i < u.size(); ++i) u[i] = f[i] + known[i];
    extend(s, z, x, u);
  }
  /// The right side of the velocity after elimination of the others.
  [[gnu::always_inline]] static constexpr R reduce(const Factors& x, const Column& u) {
    R right = u[iv] - x.stretch * u[ix];
    for (std::size_t j = 0; j < nz; ++j) right = right - x.row[j] * u[j];
    return right;
  }
  /// The others, and the works, from the velocity.
  [[gnu::always_inline]] constexpr void extend(const Start& s, const Elimination<R, nz>& z, const Factors& x,
                                               Column& u) const {
    const R &v = s.y[iv], &w = u[iv], &end_v = s.in.end_v;
    u[ix] = (u[ix] + w) * z.inverse_d;
    z.extend(u, w);
    R work = x.friction_v * w;
    for (std::size_t j = 0; j < nz; ++j) work = work + s.a.F_z[j] * v * u[j];
    if constexpr (general) work = work + x.friction_x * u[ix];
    u[n] = (u[n] - spring.stiffness * end_v * u[ix] + (s.in.external - spring.damping * end_v) * w) * z.inverse_d;
    u[n + 1] = (u[n + 1] - R(2) * spring.damping * (end_v - v) * w) * z.inverse_d;
    u[n + 2] = (u[n + 2] + work) * z.inverse_d;
  }
};

/// A disk: x' = roll + part slip, distance' = slip, roll' = F_app/roll_mass, slip' = F_app/m - F/slip_mass
template <class R, std::size_t nz, bool general> struct Disk {
  static constexpr std::size_t ix = nz, is = nz + 1, ir = nz + 2, iv = nz + 3, n = nz + 4;
  static constexpr auto timed = timed_places<general, nz, n + 2, ir, iv, n, n + 1>();
  using Column = std::array<R, n + works>;
  using Start = kernel::Start<R, nz, n, general>;
  Spring<R> spring;
  R inverse_mass, inverse_slip_mass, inverse_roll_mass, part;
  bool holds;

  static constexpr const R& velocity(const Input<R>&, const Column& y) { return y[iv]; }
  static constexpr const R& place(const Input<R>&, const Column& y) { return y[is]; }
  [[gnu::always_inline]] constexpr R body_velocity(const Column& y) const { return y[ir] + part * y[iv]; }
  [[gnu::always_inline]] constexpr void rates(const Input<R>& in, const Column& y, const R& F, Column& f) const {
    const R v = body_velocity(y), pull = spring.pull(in, y[ix], v), all = pull + in.external;
    f[ix] = v;
    f[is] = y[iv];
    f[ir] = all * inverse_roll_mass;
    f[iv] = holds ? R(0) : all * inverse_mass - F * inverse_slip_mass;
    f[n] = spring.power(pull, in, v);
    f[n + 1] = spring.loss(in, v);
    f[n + 2] = holds ? R(0) : F * y[iv];
  }
  [[gnu::always_inline]] constexpr void in_time(const Start& s, Column& t) const {
    const R v = body_velocity(s.y), all = spring.pull_rate(s.in, s.end_a) + s.external_rate;
    t[iv] = all * inverse_mass;
    if constexpr (general) {
      for (std::size_t i = 0; i < nz; ++i) t[i] = s.a.z_t[i];
      t[iv] = t[iv] - s.a.F_t * inverse_slip_mass;
      t[n + 2] = s.a.F_t * s.y[iv];
    }
    if (holds) t[iv] = R(0);
    t[ir] = all * inverse_roll_mass;
    t[n] = spring.power_rate(s.in, s.end_a, s.external_rate, s.y[ix], v);
    t[n + 1] = spring.loss_rate(s.in, s.end_a, v);
  }
  struct Factors {
    R pivot, inverse_pivot, friction, swing, stretch, inverse_roll, roll_v, roll_b, slip_x;
    std::array<R, nz> row;
    R drive_x, drive_v, damper_v, friction_v, friction_x;  // of the works
  };
  [[gnu::always_inline]] constexpr Factors factor(const Start& s, const Elimination<R, nz>& z) const {
    Factors x;
    const R &k = spring.stiffness, &c = spring.damping, stiff = c + k * z.inverse_d;  // per velocity of the body
    const R free = holds ? R(0) : inverse_mass, v = body_velocity(s.y);
    x.stretch = k * z.inverse_d;
    x.inverse_roll = R(1) / (z.d + inverse_roll_mass * stiff);
    x.roll_v = x.inverse_roll * inverse_roll_mass * stiff * part;
    x.roll_b = free * stiff * x.inverse_roll;
    R friction = z.friction;
    x.slip_x = R(0);
    if constexpr (general) {
      x.slip_x = s.a.F_x * inverse_slip_mass * z.inverse_d;
      x.friction_x = s.a.F_x * s.y[iv];
      friction = friction + s.a.F_x * z.inverse_d;
    }
    x.pivot = z.d + free * stiff * (part - x.roll_v) + inverse_slip_mass * friction;
    x.inverse_pivot = R(1) / x.pivot;
    x.friction = x.pivot - z.d;
    x.swing = holds ? R(1) : x.friction - k * inverse_mass * z.inverse_d;
    for (std::size_t i = 0; i < nz; ++i) x.row[i] = inverse_slip_mass * z.row[i];
    x.drive_x = -k * s.in.end_v;
    x.drive_v = s.in.external - c * s.in.end_v;
    x.damper_v = R(-2) * c * (s.in.end_v - v);
    x.friction_v = s.a.F_v * s.y[iv] + s.a.F;
    return x;
  }
  [[gnu::always_inline]] constexpr void solve(const Start& s, const Elimination<R, nz>& z, const Factors& x,
                                              const Column& f, const Column& known, Column& u) const {
    for (std::size_t i = 0; i < u.size(); ++i) u[i] = f[i] + known[i];
    const R pulled = x.stretch * u[ix], roll = u[ir] - inverse_roll_mass * pulled;
    R right = u[iv];
    if (!holds) right = right - inverse_mass * pulled - x.roll_b * roll;
    if constexpr (general) right = right - x.slip_x * u[is];
    for (std::size_t j = 0; j < nz; ++j) right = right - x.row[j] * u[j];
    const R slip = u[iv] = right * x.inverse_pivot;
    u[ir] = x.inverse_roll * roll - x.roll_v * slip;
    const R v = u[ir] + part * slip;
    u[ix] = (u[ix] + v) * z.inverse_d;
    u[is] = (u[is] + slip) * z.inverse_d;
    z.extend(u, slip);
    u[n] = (u[n] + x.drive_x * u[ix] + x.drive_v * v) * z.inverse_d;
    u[n + 1] = (u[n + 1] + x.damper_v * v) * z.inverse_d;
    R work = x.friction_v * slip;
    for (std::size_t j = 0; j < nz; ++j) work = work + s.a.F_z[j] * s.y[iv] * u[j];
    if constexpr (general) work = work + x.friction_x * u[is];
    u[n + 2] = (u[n + 2] + work) * z.inverse_d;
  }
};

/// A motion whose velocity is given; its place is a state, or given, too.
template <class R, std::size_t nz, bool general, bool x_is_state> struct Given {
  static constexpr std::size_t n = nz + x_is_state, iw = n + 2;
  static constexpr auto timed = [] {
    if constexpr (x_is_state) return timed_places<true, nz, iw, nz>();
    if constexpr (!x_is_state) return timed_places<true, nz, iw>();
  }();
  using Column = std::array<R, n + works>;
  using Start = kernel::Start<R, nz, n, general>;

  static constexpr const R& velocity(const Input<R>& in, const Column&) { return in.end_v; }
  static constexpr const R& place(const Input<R>& in, const Column& y) {
    if constexpr (x_is_state) return y[nz];
    return in.end;
  }
  [[gnu::always_inline]] constexpr void rates(const Input<R>& in, const Column&, const R& F, Column& f) const {
    if constexpr (x_is_state) f[nz] = in.end_v;
    f[n] = f[n + 1] = R(0);
    f[iw] = F * in.end_v;
  }
  [[gnu::always_inline]] constexpr void in_time(const Start& s, Column& t) const {
    const R& v = s.slope_v;  // where the slope is taken
    for (std::size_t i = 0; i < nz; ++i) t[i] = s.a.z_v[i] * s.end_a;
    if constexpr (x_is_state) t[nz] = s.end_a;
    t[iw] = (s.a.F_v * v + s.a.F) * s.end_a;
    if constexpr (general) {
      for (std::size_t i = 0; i < nz; ++i) t[i] = t[i] + s.a.z_t[i];
      R F_t = s.a.F_t;
      if constexpr (!x_is_state) F_t = F_t + s.a.F_x * v;
      t[iw] = t[iw] + F_t * v;
    }
  }
  struct Factors {
    R pivot, friction, swing;
  };
  [[gnu::always_inline]] constexpr Factors factor(const Start&, const Elimination<R, nz>& z) const {
    return {z.d, R(0), R(1)};
  }
  [[gnu::always_inline]] constexpr void solve(const Start& s, const Elimination<R, nz>& z, const Factors&,
                                              const Column& f, const Column& known, Column& u) const {
    for (std::size_t i = 0; i < u.size(); ++i) u[i] = f[i] + known[i];
    z.solve(u);
    R work = u[iw];
    for (std::size_t j = 0; j < nz; ++j) work = work + s.a.F_z[j] * s.in.end_v * u[j];
    if constexpr (x_is_state) {
      u[nz] = u[nz] * z.inverse_d;
      if constexpr (general) work = work + s.a.F_x * s.in.end_v * u[nz];
    }
    u[n] = u[n] * z.inverse_d;
    u[n + 1] = u[n + 1] * z.inverse_d;
    u[iw] = work * z.inverse_d;
  }
};
template <class R, std::size_t nz, bool general> using ByVelocity = Given<R, nz, general, true>;
template <class R, std::size_t nz, bool general> using ByPosition = Given<R, nz, general, false>;

}  // namespace bristle::kernel
