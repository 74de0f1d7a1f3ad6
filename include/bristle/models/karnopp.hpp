#pragma once
#include "../contact.hpp"
#include "../stribeck.hpp"

namespace bristle {

/// Stuck, slipping, or on its way out of the zone of stick.
struct KarnoppMode {
  /// The phases.
  enum Phase { stuck, leaving, slipping } phase = stuck;
  int dir{};  // of the force while leaving, of the motion while slipping
  static constexpr auto fields() {
    return Fields{
        Field{&KarnoppMode::phase, "phase", "1", "0 stuck, 1 leaving, 2 slipping", Range{0, 2}},
        Field{&KarnoppMode::dir, "dir", "1", "of the force while leaving, of the motion while slipping", sides}};
  }
};

template <class T = double> struct Karnopp {
  static constexpr Card card{
      .name = "karnopp",
      .title = "Karnopp: Stribeck friction with a stick zone around zero velocity",
      .equations = "S(v) = Fc + (Fs - Fc) exp(-(|v|/vs)^alpha)                              (1)\n"
                   "slip     |v| > dv:  F = S(v) sgn(v) + kv v                              (2)\n"
                   "stuck    |v| <= dv: F = F_app while |F_app| <= Fs, v is held at 0       (3)\n"
                   "leaving  F = Fs sgn(F_app) until |v| > dv                               (4)",
      .notes =
          "The classical cure for fixed-step simulation: velocities below dv count as rest. With events located exactly there is\n"
          "no need for a zone, and the model tends to stribeck as dv -> 0.\n"
          "On |v| <= dv or a change of sign the body is stuck if |F_app| <= Fs, else it leaves.\n"
          "Inside the zone kinetic energy up to m dv^2/2 disappears at once. In the real-time coupling rest is decided by the force\n"
          "that stops the body within the step, so dv has almost no effect there.",
      .passive_if =
          "always at rest and in slip; while leaving against the motion it can return up to Fs times the displacement, at speeds below dv",
      .references =
          "D. Karnopp, Computer simulation of stick-slip friction in mechanical dynamic systems, ASME J. Dyn. Sys. Meas. "
          "Control 107 (1985)",
  };
  static constexpr Properties has{.stiction = true, .stribeck = true};
  static constexpr Hooks hooks{.rate = true, .guards = true, .holds = true, .relations = true};

  struct Params {
    T Fc{1}, Fs{1.5}, vs{T(1e-3)}, alpha{2}, dv{vs / T(100)}, kv{0}, kv_exponent{1};
    static constexpr auto fields() {
      return stribeck_fields<Params>() +
             Fields{Field{&Params::dv, "dv", "m/s", "half width of the stick zone; vs/100 unless given", positive,
                          role::optional | role::fixed}} +
             viscous_field<Params>();
    }
    static constexpr auto relations() { return std::array{relation::above<&Params::Fs, &Params::Fc>}; }
  } p;
  using Scalar = T;
  using State = NoState;
  using Mode = KarnoppMode;
  using U = Motion<T>;

  constexpr State rest() const { return {}; }
  constexpr T force(State, Mode q, const U& u) const {
    switch (q.phase) {
      case Mode::stuck: return u.F_app;                                                           // (3)
      case Mode::leaving: return u.r * p.Fs * T(q.dir);                                           // (4)
      case Mode::slipping: return u.r * stribeck_force(p, u.v) * T(q.dir) + viscous_force(p, u);  // (2)
    }
    return u.F_app;
  }
  constexpr State rate(State, Mode, const U&) const { return {}; }
  /// Sets the mode as the velocity enters the zone of stick.
  constexpr void enter_zone(Mode& q, const U& u) const {
    using std::abs;
    q = abs(u.F_app) > u.r * p.Fs ? Mode{Mode::leaving, side(u.F_app)} : Mode{};
  }
  constexpr void step(State&, Mode& q, const U& u, T) const {
    using std::abs;
    if (abs(u.v) <= p.dv) {
      enter_zone(q, u);
    } else {
      q = {Mode::slipping, u.v > T(0) ? 1 : -1};  // NaN slips and shows
    }
  }
  /// Id 0: into or out of the zone. Id 1: the load falls below breakaway before the zone is left.
  template <class F> constexpr void guards(State, Mode q, const U& u, F&& f) const {
    using std::abs;
    const T d = T(q.dir);
    switch (q.phase) {
      case Mode::stuck: f(0, abs(u.F_app) - u.r * p.Fs); break;
      case Mode::leaving:
        f(0, abs(u.v) - p.dv);
        f(1, u.r * p.Fs - d * u.F_app);
        break;
      case Mode::slipping: f(0, p.dv - d * u.v); break;
    }
  }
  constexpr void jump(State&, Mode& q, const U& u, int id) const {
    if (q.phase == Mode::leaving && id == 0) {
      q = {Mode::slipping, side(u.v)};
    } else {
      enter_zone(q, u);
    }
  }
  constexpr bool holds(Mode q) const { return q.phase == Mode::stuck; }

  constexpr T steady(T v) const {
    using std::abs;
    return abs(v) <= p.dv ? T(0) : stribeck_force(p, v) * sgn(v) + viscous_force(p, v);
  }
  constexpr State bound() const { return {}; }
  constexpr Scales<T> scales() const { return {.force = p.Fs, .velocity = p.vs}; }
  constexpr bool passive() const { return true; }
};

}  // namespace bristle
