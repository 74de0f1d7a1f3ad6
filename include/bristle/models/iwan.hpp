#pragma once
#include "../contact.hpp"
#include "../elements.hpp"
#include "../stribeck.hpp"

namespace bristle {

template <class T = double> struct Iwan {
  static constexpr Card card{
      .name = "iwan",
      .title = "Iwan: a continuous distribution of elements that yield, after Segalman",
      .equations = "rho(phi) = R phi^chi for 0 < phi < phi_max, and k_end of all stiffness at phi_max       (1)\n"
                   "element: f = u - x, |f| <= phi;  F = integral of rho f dphi + kv v                      (2)\n"
                   "phi_max = Fc/(k_end + (sigma0 - k_end) (chi + 1)/(chi + 2))                             (3)\n"
                   "first loading: F0(u) = sigma0 u - (sigma0 - k_end) u (u/phi_max)^(chi+1)/(chi + 2)      (4)\n"
                   "after a reversal: F = F_r +- 2 F0(|u - u_r|/2)  (Masing)                                (5)\n"
                   "lost per cycle of amplitude u: 4 (sigma0 - k_end) (chi + 1) u^2 (u/phi_max)^(chi+1)\n"
                   "                               /((chi + 2) (chi + 3))                                   (6)",
      .notes =
          "Joints: elements yield from the smallest displacement on (micro-slip), the loss grows with the amplitude to the power\n"
          "chi + 3, until at phi_max all slide with Fc (macro-slip). chi = 0 spreads the yield displacements evenly, as Iwan did.\n"
          "Of the four parameters of Segalman, F_S is Fc, K_T is sigma0, and beta = k_end/(sigma0 - k_end).\n"
          "Computed with `elements` Maxwell-slip elements at displacements in geometric progression, phi_max/50 to\n"
          "phi_max: on first loading F0 is met exactly there, and with 24 elements to 0.3 % of Fc between them (1 % for chi = 2).\n"
          "Return-point memory, wiping-out and Masing's rule hold exactly.\n"
          "No Stribeck effect, no lag, constant breakaway force Fc.",
      .passive_if = "always",
      .references =
          "W. D. Iwan, A distributed-element model for hysteresis, J. Appl. Mech. 33 (1966)\n"
          "D. J. Segalman, A four-parameter Iwan model for lap-type joints, J. Appl. Mech. 72 (2005), eqs (19)-(30)",
  };
  static constexpr Properties has{.stiction = true, .presliding = true, .memory = true, .rate_independent = true};
  static constexpr Hooks hooks{.rate = true, .guards = true, .relations = true};

  struct Params {
    T Fc{1}, sigma0{T(1e5)}, chi{T(-0.5)}, k_end{T(2e4)};
    int elements{24};
    T kv{0}, kv_exponent{1};
    static constexpr auto fields() {
      return Fields{
                 Field{&Params::Fc, "Fc", "N", "force at which all slide", positive, role::needed, "mu_c"},
                 Field{&Params::sigma0, "sigma0", "N/m", "stiffness at zero force", positive},
                 Field{&Params::chi, "chi", "1", "exponent of the distribution of yield displacements", Range{-0.9, 2}}
                     .as(Part::knee),
                 Field{&Params::k_end, "k_end", "N/m", "stiffness that is left when full sliding begins", nonnegative},
                 Field{&Params::elements, "elements", "1", "number of elements that stand for the distribution",
                       Range{4, 64}, role::optional | role::fixed}} +
             viscous_field<Params>();
    }
    static constexpr auto relations() { return std::array{relation::fraction_of<&Params::k_end, &Params::sigma0>}; }
  } p;
  struct State {
    Vec<T> f;
    static constexpr auto fields() { return Fields{Field{&State::f, "f", "N", "element force"}}; }
  };
  using Scalar = T;
  using Mode = Elements;
  using U = Motion<T>;

  /// Stretch at which the last element slips.
  constexpr T reach() const {  // (3)
    return p.Fc / (p.k_end + (p.sigma0 - p.k_end) * (p.chi + T(1)) / (p.chi + T(2)));
  }
  /// Number of elements.
  constexpr std::size_t count() const { return static_cast<std::size_t>(p.elements); }
  /// f(i, k_i, W_i) of elements whose polygon meets F0 at u_i = phi_max a^(N-i): the slope falls by k_i at u_i. Chords have
  /// the slope sigma0 - (sigma0 - k_end) c g_i with g_i = (u_i/phi_max)^(chi+1), in geometric progression as u_i is.
  template <class F> constexpr void each_element(F&& f) const {
    using std::exp;
    using Real = decltype(real_part(p.Fc));
    const Real ratio = Real(-3.912023005428146) / Real(p.elements - 1);  // log(0.02) over the elements
    const T a(exp(ratio)), fall = exp((p.chi + T(1)) * T(ratio));
    const T first = (p.sigma0 - p.k_end) / (p.chi + T(2)), later = first * (T(1) - a * fall) / (T(1) - a);
    T u = reach(), g(1), after(0);  // the slope behind the element
    for (std::size_t i = count(); i-- > 0; u = u * a, g = g * fall) {
      const T before = p.sigma0 - (i == 0 ? first : later) * g, k = before - after;
      f(i, k, k * u);
      after = before;
    }
  }

  constexpr State rest() const { return {Vec<T>::zeros(count())}; }
  constexpr T force(const State& s, const Mode&, const U& u) const {  // (2)
    T F(0);
    for (const T& f : s.f) F = F + f;
    return u.r * F + viscous_force(p, u);
  }
  /// Rates depend on the own force of an element alone, F on the sum of all.
  constexpr bool elements_apart() const { return true; }
  constexpr State rate(const State&, const Mode& q, const U& u) const {
    State r = rest();
    each_element([&](std::size_t i, const T& k, const T&) { r.f[i] = q.slips(i) ? T(0) : k * u.v; });
    return r;
  }
  constexpr void step(State& s, Mode& q, const U& u, T dt) const {  // exact
    q.turn(u.v);
    each_element([&](std::size_t i, const T& k, const T& W) { s.f[i] = q.moved(i, s.f[i], k, W, u.v * dt); });
  }
  /// Guard i differs from one sign of the state with this number + i by a constant.
  static constexpr int guarded_states = 0;
  /// Id -1: v passes zero or leaves it. Id i: element i yields.
  template <class F> constexpr void guards(const State& s, const Mode& q, const U& u, F&& f) const {
    using std::abs;
    f(-1, q.dir != 0 ? -T(q.dir) * u.v : abs(u.v));
    each_element([&](std::size_t i, const T&, const T& W) {
      if (!q.slips(i)) f(static_cast<int>(i), T(q.dir) * s.f[i] - W);
    });
  }
  constexpr void jump(State&, Mode& q, const U& u, int id) const {
    if (id < 0) {
      q = {0, q.dir != 0 ? -q.dir : side(u.v)};
    } else {
      q.release(static_cast<std::size_t>(id));
    }
  }

  constexpr T steady(T v) const { return p.Fc * sgn(v) + viscous_force(p, v); }
  constexpr State bound() const {
    State b = rest();
    each_element([&](std::size_t i, const T&, const T& W) { b.f[i] = W; });
    return b;
  }
  constexpr Scales<T> scales() const { return {.force = p.Fc, .displacement = reach()}; }
  constexpr bool passive() const { return true; }
};

}  // namespace bristle
