#pragma once
#include "../contact.hpp"
#include "../stick_slip.hpp"
#include "../stribeck.hpp"

namespace bristle {

template <class T = double> struct SlipVariable {
  static constexpr Card card{
      .name = "slip_variable",
      .title = "Slip variable: a blend of a stuck spring and sliding friction",
      .equations = "f(v) = 1 - exp(-(v/vs)^2)                                                    (1)\n"
                   "tau_del ds_v/dt = -s_v + f(v)                                                (2)\n"
                   "dd/dt = (1 - s_v) v - s_v d/tau_r                                            (3)\n"
                   "F = (1 - s_v) sat(Fs, ks d + ds v) + s_v (Fc sgn(v) + kv v)                  (4)\n"
                   "rest: v = 0, F = F_app while |F_app - (1 - s_v) sat(Fs, ks d)| <= s_v Fc     (5)",
      .notes =
          "Ancestor of LuGre. s_v goes from 0 (stuck: a spring with damper, limited to Fs) to 1 (sliding) with the delay tau_del;\n"
          "in sliding the spring relaxes with tau_r. sat(Fs, x) limits x to +-Fs. sgn(0) is set-valued (5).\n"
          "The step solves s_v exactly and d by a stable scheme of second order in substeps of 0.021 tau_del, 128 at most: about 1e-3 of d.\n"
          "The energy stored is E = integral of sat(Fs, ks d) over d. From (3) and (4),\n"
          "F v - dE/dt = (1 - s_v) v (sat(ks d + ds v) - sat(ks d)) + s_v (Fc |v| + kv v^2) + s_v d sat(ks d)/tau_r:\n"
          "no term is negative, because sat is monotone and 0 <= s_v <= 1.\n"
          "Known violations: d is not bounded in very slow motion (the force is); no nonlocal memory (in slow motion it is a\n"
          "spring, without hysteresis); drifts a little.",
      .passive_if = "always",
      .references =
          "H. Olsson, K. J. Åström, Friction Modelling, TFRT-7500, Lund Institute of Technology (1993), eqs (1)-(5)",
  };
  static constexpr Properties has{
      .stiction = true, .presliding = true, .stribeck = true, .lag = true, .drifts = true, .exact_step = false};
  static constexpr Hooks hooks{.rate = true, .guards = true, .holds = true, .relations = true};

  struct Params {
    T Fs{1.5}, Fc{1}, ks{T(1e4)}, ds{T(1100)}, tau_del{T(0.01)}, tau_r{T(1e-3)}, vs{T(0.04)}, kv{0}, kv_exponent{1};
    static constexpr auto fields() {
      return Fields{
                 Field{&Params::Fs, "Fs", "N", "static force: limit of the stuck spring", positive, role::needed,
                       "mu_s"}
                     .as(Part::static_force),
                 Field{&Params::Fc, "Fc", "N", "sliding force", positive, role::needed, "mu_c"},
                 Field{&Params::ks, "ks", "N/m", "stiffness in stick", positive},
                 Field{&Params::ds, "ds", "N s/m", "damping in stick", nonnegative}.as(Part::damping),
                 Field{&Params::tau_del, "tau_del", "s", "delay between velocity and slip", positive}.as(Part::lag, 10,
                                                                                                         5),
                 Field{&Params::tau_r, "tau_r", "s", "relaxation of the spring in sliding", positive}.as(Part::lag, 3),
                 Field{&Params::vs, "vs", "m/s", "velocity around which stick turns into slip", positive}} +
             viscous_field<Params>();
    }
    static constexpr auto relations() { return std::array{relation::above<&Params::Fs, &Params::Fc>}; }
  } p;
  struct State {
    T s_v{}, d{};
    static constexpr auto fields() {
      return Fields{Field{&State::s_v, "s_v", "1", "slip variable: 0 stuck, 1 sliding"},
                    Field{&State::d, "d", "m", "deflection of the stuck spring"}};
    }
  };
  using Scalar = T;
  using Mode = StickSlip;
  using U = Motion<T>;

  constexpr T slip_goal(const T& v) const {  // (1)
    using std::expm1;
    const T u = v / p.vs;
    return -expm1(-smaller(u * u, T(800)));
  }
  /// Force in stick.
  constexpr T stuck_force(const State& s, const T& v) const {
    return (T(1) - s.s_v) * clamped(p.ks * s.d + p.ds * v, p.Fs);
  }
  constexpr State rest() const { return {}; }
  constexpr T force(const State& s, Mode q, const U& u) const {  // (4), (5)
    return q.dir != 0 ? u.r * (stuck_force(s, u.v) + s.s_v * p.Fc * T(q.dir)) + s.s_v * viscous_force(p, u) : u.F_app;
  }
  constexpr State rate(const State& s, Mode, const U& u) const {  // (2), (3)
    return {(slip_goal(u.v) - s.s_v) / p.tau_del, (T(1) - s.s_v) * u.v - s.s_v * s.d / p.tau_r};
  }
  /// The force on sliding friction at rest.
  constexpr Motion<T> beyond_spring(const State& s, U u) const {
    u.F_app = u.F_app - u.r * stuck_force(s, T(0));
    return u;
  }
  /// Half width of the force between stick and slip.
  constexpr T width(const State& s, const U& u) const { return u.r * s.s_v * p.Fc; }
  constexpr void step(State& s, Mode& q, const U& u, T dt) const {
    using std::expm1;
    const double spans = static_cast<double>(real_part(dt / p.tau_del)) / 0.021;
    const int n = spans < 128 ? 1 + static_cast<int>(spans) : 128;
    const T goal = slip_goal(u.v), h = dt / T(n), q_del = smaller(h / p.tau_del, T(800)), gained = -expm1(-q_del);
    for (int i = 0; i < n; ++i) {
      const T mean = goal + (s.s_v - goal) * (gained / q_del);  // of s_v over the substep, exact
      const T x = smaller(mean * h / p.tau_r, T(800));
      const T share = x < T(1e-30) ? T(1) : -expm1(-x) / x;
      s.d = s.d * (T(1) - x * share) + (T(1) - mean) * u.v * h * share;
      s.s_v = s.s_v + (goal - s.s_v) * gained;
    }
    follow(q, beyond_spring(s, u), width(s, u));
  }
  template <class F> constexpr void guards(const State& s, Mode q, const U& u, F&& f) const {
    f(0, stick_slip_guard(q, beyond_spring(s, u), width(s, u)));
  }
  constexpr void jump(State& s, Mode& q, const U& u, int) const {
    stick_or_release(q, beyond_spring(s, u), width(s, u));
  }
  constexpr bool holds(Mode q) const { return q.dir == 0; }

  constexpr T steady(T v) const {
    const T s = slip_goal(v);
    if (v == T(0)) return T(0);
    const T stretched = s > T(1e-30) ? clamped(v * (p.ks * (T(1) - s) * p.tau_r / s + p.ds), p.Fs) : p.Fs * sgn(v);
    return (T(1) - s) * stretched + s * (p.Fc * sgn(v) + viscous_force(p, v));
  }
  constexpr State bound() const { return {T(1), T(inf)}; }
  constexpr Scales<T> scales() const { return {.force = p.Fs, .velocity = p.vs, .displacement = p.Fs / p.ks}; }
  constexpr bool passive() const { return true; }
};

}  // namespace bristle
