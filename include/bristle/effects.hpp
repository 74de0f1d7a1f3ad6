#pragma once
#include <array>
#include <cmath>
#include <cstdint>

#include "contact.hpp"
#include "random.hpp"

namespace bristle {

namespace detail {
/// Square root of a number around 1 for constants, where std::sqrt is not constexpr.
constexpr double root(double x) {
  long double r = 1;
  for (int n = 0; n < 40; ++n) r = (r + x / r) / 2;
  return static_cast<double>(r);
}
/// The Rayleigh quantiles sqrt(-ln(1 - q)) of q = (k + 1/2)/M, scaled so that their rms is exactly 1.
inline constexpr std::array<double, 64> rayleigh = [] {
  std::array<double, 64> f{};
  double squares = 0;
  for (std::size_t k = 0; k < f.size(); ++k) {
    long double rest = 1 - (static_cast<long double>(k) + 0.5L) / static_cast<long double>(f.size()), log = 0;
    for (; rest < 0.7L; rest *= 2) log += 0.693147180559945309417232121458L;  // ln 2
    const long double u = (1 - rest) / (1 + rest);  // then -ln(rest) = 2 atanh(u) by its series
    long double power = 2 * u;
    for (int i = 1; i < 40; i += 2, power *= u * u) log += power / i;
    squares += f[k] = static_cast<double>(log);
  }
  for (double& e : f) e = root(e) / root(squares / static_cast<double>(f.size()));
  return f;
}();
}  // namespace detail

/// Effects on the force of any model, each neutral by default. The map is invertible, so that a stuck law inside still
/// returns exactly F_app outside:
///   F = gain F_model((load_offset + r)^load_exponent (1 + curve_load(x)) (1 + (c |load|)^transmission_exponent))
///       + offset + cogging sin(2 pi s/cogging_period + cogging_phase) + curve_F(x) + P     (1)
///   gain = (1 + asymmetry sgn F) (1 + ripple sin(2 pi s/ripple_period + ripple_phase)) (1 + curve_gain(x))
///          exp(temperature_coefficient (temperature - reference_temperature))             (2)
///   s = x - reference_position
/// Asymmetry follows the sign of the force, not of v: the force is continuous at a reversal. So does c, which is
/// load_drive if transmitted load and friction have the same sign (the actuator drives), else load_backdrive:
/// the contact forces of gear teeth grow with the load, differently in the two directions.
template <class T = double> struct Effects {
  T asymmetry{0}, offset{0}, ripple{0}, ripple_period{1}, ripple_phase{0};
  T cogging{0}, cogging_period{1}, cogging_phase{0}, load_exponent{1};
  T noise{0}, noise_frequency{100}, noise_length{T(inf)};
  int seed{1};
  T temperature_coefficient{0}, reference_temperature{20};
  T load_drive{0}, load_backdrive{0}, transmission_exponent{1};
  T load_offset{0}, reference_position{0};
  using Knots = Vec<T, 32>;  // Knots: values at the knots of a curve
  Knots curve_x{}, curve_F{}, curve_gain{}, curve_load{};
  T curve_period{T(inf)};

  static constexpr auto fields() {
    using E = Effects;
    return Fields{
        Field{&E::asymmetry, "asymmetry", "1",
              "force x (1 + asymmetry) where positive, x (1 - asymmetry) where negative", Range{-0.99, 0.99},
              role::optional},
        Field{&E::offset, "offset", "N", "constant force", any_real, role::optional},
        Field{&E::ripple, "ripple", "1", "relative ripple along the displacement", Range{0, 0.99}, role::optional},
        Field{&E::ripple_period, "ripple_period", "m", "period of the ripple", positive, role::optional},
        Field{&E::ripple_phase, "ripple_phase", "rad", "phase of the ripple at reference_position", any_real,
              role::optional},
        Field{&E::cogging, "cogging", "N", "periodic force along the displacement that is not friction: poles, screws",
              nonnegative, role::optional},
        Field{&E::cogging_period, "cogging_period", "m", "period of the cogging", positive, role::optional},
        Field{&E::cogging_phase, "cogging_phase", "rad", "phase of the cogging at reference_position", any_real,
              role::optional},
        Field{&E::load_exponent, "load_exponent", "1", "dry force grows with the load ratio to this power", Range{0, 4},
              role::optional},
        Field{&E::noise, "noise", "N", "standard deviation of the friction noise", nonnegative,
              role::optional | role::fixed},
        Field{&E::noise_frequency, "noise_frequency", "Hz", "rms frequency of the noise in time", positive,
              role::optional | role::fixed},
        Field{&E::noise_length, "noise_length", "m",
              "rms wavelength of the noise along the distance slid; if given, it replaces noise_frequency",
              positive_or_off, role::optional | role::fixed},
        Field{&E::seed, "seed", "1", "seed of the noise", Range{0, 2147483647}, role::optional | role::fixed},
        Field{&E::temperature_coefficient, "temperature_coefficient", "1/K",
              "force x exp(coefficient (T - reference_temperature))", Range{-0.1, 0.1}, role::optional},
        Field{&E::reference_temperature, "reference_temperature", "degC", "temperature of the nominal parameters",
              Range{-273.15, 5000}, role::optional | role::fixed},
        Field{&E::load_drive, "load_drive", "1/N",
              "growth of the dry force with the force transmitted by the driving actuator", nonnegative,
              role::optional},
        Field{&E::load_backdrive, "load_backdrive", "1/N", "growth of the dry force while the body drives the actuator",
              nonnegative, role::optional},
        Field{&E::transmission_exponent, "transmission_exponent", "1",
              "dry force x (1 + (load_drive |force|)^exponent)", Range{0.1, 4}, role::optional},
        Field{&E::load_offset, "load_offset", "1",
              "dry force in proportion to load_offset + load ratio: adhesion, seals", Range{-0.99, 1000},
              role::optional},
        Field{&E::reference_position, "reference_position", "m",
              "position where phases along the displacement count from", any_real, role::optional | role::fixed},
        Field{&E::curve_x, "curve_x", "m", "positions of the knots of curve_F, curve_gain and curve_load", any_real,
              role::optional | role::fixed},
        Field{&E::curve_F, "curve_F", "N", "force along the displacement that is not friction, at the knots", any_real,
              role::optional},
        Field{&E::curve_gain, "curve_gain", "1", "relative change of friction along the displacement, at the knots",
              Range{-0.99, 100}, role::optional},
        Field{&E::curve_load, "curve_load", "1",
              "relative change of the dry force along the displacement, at the knots", Range{-0.99, 100},
              role::optional},
        Field{&E::curve_period, "curve_period", "m", "period of the curves; constant beyond the ends unless given",
              positive_or_off, role::optional | role::fixed},
    };
  }
  static constexpr auto relations() {
    using E = Effects;
    constexpr auto ordered = [](const E& e) {
      for (std::size_t i = 1; i < e.curve_x.n; ++i) {
        const T a = e.curve_x[i - 1], b = e.curve_x[i];
        if (!(b - a > T(1e-9) * larger(larger(a, -a), larger(b, -b)))) return false;
      }
      return e.curve_x.n == 0 || e.curve_x[e.curve_x.n - 1] < e.curve_x[0] + e.curve_period;
    };
    return std::array{
        relation::absent_or_as_long<&E::curve_x, &E::curve_F>, relation::absent_or_as_long<&E::curve_x, &E::curve_gain>,
        relation::absent_or_as_long<&E::curve_x, &E::curve_load>,
        Relation<E>{ordered, {"curve_x", "curve_period"}, "curve_x increases distinctly, within one curve_period"}};
  }

  /// Through y at the knots: cubic between them, with the slope of the parabola through three knots at each.
  constexpr T curve(const Knots& y, T x) const {
    const std::size_t n = y.n;
    if (n < 2) return n == 0 ? T(0) : y[0];
    const bool periodic = curve_period < T(inf);
    if (periodic) {
      const auto cycles = static_cast<double>(real_part((x - curve_x[0]) / curve_period));
      x = x - T(std::floor(cycles)) * curve_period;
    } else if (!(x > curve_x[0]) || !(x < curve_x[n - 1])) {
      return x > curve_x[0] ? y[n - 1] : y[0];
    }
    std::size_t i = 0;
    while (i + 1 < n && !(x < curve_x[i + 1])) ++i;
    // Knots i - 1 to i + 2, counted from 0 to 3.
    auto at = [&](std::size_t k) { return (i + n + k - 1) % n; };
    auto width = [&](std::size_t k) {
      const T gap = curve_x[at(k + 1)] - curve_x[at(k)];
      return at(k + 1) > at(k) ? gap : gap + curve_period;
    };
    auto rise = [&](std::size_t k) { return (y[at(k + 1)] - y[at(k)]) / width(k); };
    const bool first = !periodic && i == 0, last = !periodic && i + 2 == n;
    const T h = width(1), d = rise(1), before = first ? d : rise(0), after = last ? d : rise(2);
    const T h0 = first ? h : width(0), h2 = last ? h : width(2);
    T left = (before * h + d * h0) / (h0 + h), right = (d * h2 + after * h) / (h + h2);
    if (first) left = T(2) * d - right;  // one parabola through the last three knots
    if (last) right = T(2) * d - left;
    const T s = larger(smaller((x - curve_x[i]) / h, T(1)), T(0)), rest = T(1) - s;
    return y[i] * rest + y[at(2)] * s + s * rest * h * ((left - d) * rest + (d - right) * s);
  }

  /// Gain without curves.
  constexpr T gain(const Motion<T>& u, const T& F) const {  // (2)
    using std::exp;
    using std::sin;
    T g = T(1) + asymmetry * sgn(F);
    if (ripple != T(0))
      g = g * (T(1) + ripple * sin(T(two_pi) * (u.x - reference_position) / ripple_period + ripple_phase));
    if (temperature_coefficient != T(0))
      g = g * exp(clamped(temperature_coefficient * (T(u.temperature) - reference_temperature), T(100)));
    return g;
  }
  /// Stationary Gaussian noise, never white: P = noise sqrt(2/M) sum cos(2 pi f_k t + phi_k), M = 64, f_k the quantiles
  /// of a Rayleigh distribution with rms noise_frequency, phi_k drawn from the seed. Independent of the time step. With
  /// noise_length, t becomes the distance slid and the frequency follows the speed.
  constexpr T random_force(const Motion<T>& u) const {
    using std::cos;
    if (noise == T(0)) return T(0);
    const T cycles = noise_length < T(inf) ? u.path / noise_length : T(u.t) * noise_frequency;
    T sum(0);
    for (std::size_t k = 0; k < waves; ++k) {
      const double phase = two_pi * uniform(static_cast<std::uint64_t>(seed), stream::noise, k);
      sum = sum + cos(T(two_pi * relative_frequency(k)) * cycles + T(phase));
    }
    constexpr double amplitude = detail::root(2.0 / waves);
    return noise * T(amplitude) * sum;
  }
  /// Number of waves of the noise.
  static constexpr std::size_t waves = detail::rayleigh.size();
  /// f_k over the rms frequency.
  static constexpr double relative_frequency(std::size_t k) { return detail::rayleigh[k]; }

  /// Forces besides the model: offset and cogging, which depend on the position alone, curve and noise.
  constexpr T steady(const Motion<T>& u) const {
    using std::sin;
    if (cogging == T(0)) return offset;
    return offset + cogging * sin(T(two_pi) * (u.x - reference_position) / cogging_period + cogging_phase);
  }
  /// Force that is added to friction: offset, cogging, noise and the free curve.
  constexpr T added(const Motion<T>& u) const {
    const T rest = steady(u) + random_force(u);
    return curve_F.n == 0 ? rest : rest + curve(curve_F, u.x);
  }
  /// Factor of the force F of the model: asymmetry, ripple and the free curve.
  constexpr T whole_gain(const Motion<T>& u, const T& F) const {
    return curve_gain.n == 0 ? gain(u, F) : gain(u, F) * larger(T(1) + curve(curve_gain, u.x), T(1e-3));
  }
  constexpr T out(const Motion<T>& u, const T& F) const { return whole_gain(u, F) * F + added(u); }  // (1)
  /// Whether friction grows with the transmitted load.
  constexpr bool transmits() const { return load_drive != T(0) || load_backdrive != T(0); }
  /// The direction of friction: that of v, at rest that of the force to hold.
  constexpr int sense(const Motion<T>& u) const { return u.v != T(0) ? side(u.v) : side(u.F_app - added(u)); }
  /// Input of the model inside: its part of F_app, and the load ratio with friction in this direction.
  constexpr Motion<T> in(Motion<T> u, int sense) const {
    using std::abs;
    using std::pow;
    const T F = u.F_app - added(u);
    u.F_app = F / whole_gain(u, F);
    if (load_offset != T(0)) u.r = larger(u.r + load_offset, T(0));
    if (load_exponent == T(0)) {
      u.r = T(1);
    } else if (load_exponent != T(1)) {
      u.r = smaller(pow(u.r, load_exponent), T(1e100));
    }
    if (curve_load.n != 0) u.r = u.r * larger(T(1) + curve(curve_load, u.x), T(1e-3));
    const T& c = u.load * T(sense) > T(0) ? load_drive : load_backdrive;
    if (c != T(0) && u.load != T(0))
      u.r = u.r * (T(1) + smaller(pow(c * abs(u.load), transmission_exponent), T(1e100)));
    u.r = u.r * u.dry;
    return u;
  }
  /// The motion as the contact sees it.
  constexpr Motion<T> in(const Motion<T>& u) const { return in(u, sense(u)); }
  /// Input for the decision of a law whether it holds: the direction is that of the force to hold.
  constexpr Motion<T> in_at_rest(const Motion<T>& u) const { return in(u, side(u.F_app - added(u))); }
  /// Force of a model inside, f(motion). If it acts against the direction of v (bristles still bent after a reversal),
  /// its sign decides.
  template <class F> constexpr T around(const Motion<T>& u, F&& f) const {
    const int as_moved = sense(u);
    T inner = f(in(u, as_moved));
    if (transmits() && side(inner) * as_moved < 0) inner = f(in(u, -as_moved));
    return out(u, inner);
  }
};

/// A contact with effects is a contact of the same level.
template <class C, class E> struct With {
  /// The number of the contact.
  using Scalar = typename C::Scalar;
  using State = typename C::State;
  using Mode = typename C::Mode;
  /// Motion of the contact.
  using U = Motion<Scalar>;
  C inner;  // the contact without effects
  E p;      // the effects

  /// The state at rest.
  constexpr State rest() const { return inner.rest(); }
  constexpr Scalar force(const State& s, const Mode& q, const U& u) const {
    return p.around(u, [&](const U& m) { return inner.force(s, q, m); });
  }
  /// One step.
  constexpr void step(State& s, Mode& q, const U& u, Scalar dt) const { inner.step(s, q, p.in(u), dt); }
  /// Rate of the state.
  constexpr State rate(const State& s, const Mode& q, const U& u) const
    requires Flow<C>
  {
    return inner.rate(s, q, p.in(u));
  }
  template <class F>
  constexpr void guards(const State& s, const Mode& q, const U& u, F&& f) const
    requires Hybrid<C>
  {
    inner.guards(s, q, p.in(u), f);
  }
  /// Change of state and mode at a guard.
  constexpr void jump(State& s, Mode& q, const U& u, int id) const
    requires Hybrid<C>
  {
    inner.jump(s, q, SetValued<C> ? p.in_at_rest(u) : p.in(u), id);
  }
  /// Whether the contact can change its mode.
  constexpr bool switches() const
    requires SwitchesAtTimes<C>
  {
    return inner.switches();
  }
  /// Whether the mode holds the body.
  constexpr bool holds(const Mode& q) const
    requires SetValued<C>
  {
    return inner.holds(q);
  }
};
/// A model with effects.
template <template <class> class M, class T> using WithEffects = With<M<T>, Effects<T>>;

template <class C, template <class> class E, class S, class T> struct Rebound<With<C, E<S>>, T> {
  using type = With<rebound<C, T>, E<T>>;  // type: the contact with T as number
  /// The contact with its parameters converted.
  static constexpr type from(const With<C, E<S>>& c) { return {rebind<T>(c.inner), convert<E<T>>(c.p)}; }
};

}  // namespace bristle
