#pragma once
#include "../contact.hpp"
#include "../stick_slip.hpp"
#include "../stribeck.hpp"

namespace bristle {

template <class T = double> struct Film {
  static constexpr Card card{
      .name = "film",
      .title = "Lubricant film: a wedge that lifts, a squeeze that sinks, and the Stribeck curve that follows",
      .equations = "dH/dt = (H/squeeze_length) (|v| - r vs H^2),  H >= H_b                (1)\n"
                   "W = H^-2:  dW/dt = (2/squeeze_length) (r vs - |v| W)                  (2)\n"
                   "slip   F = r (Fc + (Fs - Fc) exp(-H^(2 alpha))) sgn(v) + kf v/H + kv v   (3)\n"
                   "stick  v = 0,  F = F_app  while |F_app| <= r (Fc + (Fs - Fc) exp(-H^(2 alpha)))   (4)\n"
                   "steady: H^2 = |v|/(r vs), the Stribeck curve with r vs, plus kf sqrt(r vs |v|) sgn(v)   (5)",
      .notes =
          "Mixed lubrication with one state, the film thickness H over that at v = vs. Steady friction is a function of the Hersey\n"
          "number, speed times viscosity over load, with the square-root law of a full film. Friction lags: a small modulation of\n"
          "the speed v at frequency w passes to H with the phase atan(w tau) and the gain 1/sqrt(1 + (w tau)^2),\n"
          "tau = squeeze_length/(2 v). At rest the film sinks, W grows by 2 r vs t/squeeze_length: breakaway grows with the time of\n"
          "rest up to Fs. [friction.heat] divides vs by the relative viscosity and multiplies kf with it.\n"
          "No pre-sliding displacement. A pure delay of friction (Hess and Soom) is tau_L of armstrong. With Fs = Fc = 0 it is a\n"
          "full film alone.",
      .passive_if = "always",
      .references =
          "R. Stribeck, Die wesentlichen Eigenschaften der Gleit- und Rollenlager, Z. VDI 46 (1902)\n"
          "M. D. Hersey, The laws of lubrication of horizontal journal bearings, J. Wash. Acad. Sci. 4 (1914)\n"
          "D. P. Hess, A. Soom, Friction at a lubricated line contact operating at oscillating sliding velocities, ASME J. "
          "Tribology 112 (1990)",
  };
  static constexpr Properties has{.stiction = true, .stribeck = true, .lag = true, .varying_breakaway = true};
  static constexpr Hooks hooks{.rate = true, .guards = true, .holds = true, .relations = true};

  struct Params {
    T Fc{T(0.2)}, Fs{1.5}, vs{T(0.01)}, alpha{1}, kf{2}, squeeze_length{T(0.01)}, H_b{T(0.05)}, kv{0}, kv_exponent{1};
    static constexpr auto fields() {
      using P = Params;
      return Fields{
          Field{&P::Fc, "Fc", "N", "boundary friction at high speed; 0 with a full film", nonnegative, role::needed,
                "mu_c"},
          Field{&P::Fs, "Fs", "N", "boundary friction at rest", nonnegative, role::needed, "mu_s"}.as(
              Part::static_force),
          Field{&P::vs, "vs", "m/s", "speed at which the film is as thick as the roughness", positive},
          Field{&P::alpha, "alpha", "1", "exponent of the fall of boundary friction", Range{0.1, 4}, role::optional}.as(
              Part::fall),
          Field{&P::kf, "kf", "N s/m", "film friction at v = vs over v", nonnegative}.as(Part::viscous),
          Field{&P::squeeze_length, "squeeze_length", "m", "distance over which the film builds up", positive}.as(
              Part::evolution),
          Field{&P::H_b, "H_b", "1", "least film thickness, of boundary lubrication; H at the start", Range{1e-6, 1},
                role::optional | role::fixed},
          Field{&P::kv, "kv", "N s/m", "viscous coefficient besides the film", nonnegative, role::optional},
          viscous_exponent(&P::kv_exponent)};
    }
    static constexpr auto relations() { return std::array{relation::above<&Params::Fs, &Params::Fc>}; }
  } p;
  struct State {
    T H{};
    static constexpr auto fields() {
      return Fields{Field{&State::H, "H", "1", "film thickness over that at v = vs", positive}};
    }
  };
  using Scalar = T;
  using Mode = StickSlip;
  using U = Motion<T>;

  constexpr State rest() const { return {p.H_b}; }
  /// Boundary friction, which falls as the film separates the surfaces.
  constexpr T dry(const T& H) const {
    using std::pow;
    const T separated = p.alpha == T(1) && is_constant(p.alpha) ? H * H : pow(H * H, p.alpha);
    return p.Fc + (p.Fs - p.Fc) * decay(separated);
  }
  constexpr T sinking(const U& u) const { return u.r * p.vs / u.viscosity; }  // speed at which H = 1
  constexpr T force(const State& s, Mode q, const U& u) const {
    if (q.dir == 0) return u.F_app;                                                           // (4)
    return u.r * dry(s.H) * T(q.dir) + u.viscosity * p.kf * u.v / s.H + viscous_force(p, u);  // (3)
  }
  constexpr State rate(const State& s, Mode, const U& u) const {  // (1)
    using std::abs;
    const T change = s.H / p.squeeze_length * (abs(u.v) - sinking(u) * s.H * s.H);
    return {s.H <= p.H_b && change < T(0) ? T(0) : change};
  }
  constexpr void step(State& s, Mode& q, const U& u, T dt) const {  // exact: (2) is linear, and its limit is met once
    using std::abs;
    using std::sqrt;
    const T speed = abs(u.v), x = T(2) * speed * dt / p.squeeze_length, lost = gone(x);
    const T gained = x > T(1e-12) ? lost / x : T(1);  // (1 - exp(-x))/x
    const T W = T(1) / (s.H * s.H) * (T(1) - lost) + T(2) * sinking(u) * dt / p.squeeze_length * gained;
    constexpr double thickest = epsilon<T> < 1e-10 ? 1e30 : 1e10;  // of no consequence, and finite
    s.H = T(1) / sqrt(larger(smaller(W, T(1) / (p.H_b * p.H_b)), T(1 / (thickest * thickest))));
    follow(q, u, u.r * dry(s.H));
  }
  template <class F> constexpr void guards(const State& s, Mode q, const U& u, F&& f) const {
    f(0, stick_slip_guard(q, u, u.r * dry(s.H)));
  }
  constexpr void jump(State& s, Mode& q, const U& u, int) const { stick_or_release(q, u, u.r * dry(s.H)); }
  constexpr bool holds(Mode q) const { return q.dir == 0; }

  /// At any load: it acts on the film thickness too.
  constexpr T steady(T v, const T& r) const {  // (5)
    using std::abs;
    using std::sqrt;
    if (v == T(0)) return T(0);
    const T H = larger(p.H_b, sqrt(abs(v) / (r * p.vs)));
    return r * dry(H) * sgn(v) + p.kf * v / H + viscous_force(p, v);
  }
  constexpr T steady(T v) const { return steady(v, T(1)); }
  constexpr State bound() const { return {T(inf)}; }  // a fast film is thick
  constexpr Scales<T> scales() const {
    return {.force = larger(p.Fs, p.kf * p.vs), .velocity = p.vs, .displacement = p.squeeze_length};
  }
  constexpr bool passive() const { return true; }
};

}  // namespace bristle
