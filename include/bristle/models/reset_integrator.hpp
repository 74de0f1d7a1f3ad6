#pragma once
#include "../contact.hpp"
#include "../stribeck.hpp"

namespace bristle {

/// Whether the bond stretches or slides at its end.
struct AtStop {
  int dir{};  // 0: the bond stretches; +1, -1: it slides at its end
  static constexpr auto fields() {
    return Fields{Field{&AtStop::dir, "dir", "1", "0: the bond stretches; +1, -1: it slides at its end", sides}};
  }
};

template <class T = double> struct ResetIntegrator {
  static constexpr Card card{
      .name = "reset_integrator",
      .title = "Reset integrator: an elastic bond with a breakaway force",
      .equations = "p0 = Fc/sigma0,  a = Fs/Fc - 1                                   (1)\n"
                   "dp/dt = v, but 0 at the stop: |p| = p0 and v outwards            (2)\n"
                   "bond    F = (1 + a) sigma0 p + sigma1 dp/dt + kv v               (3)\n"
                   "at stop F = sigma0 p + kv v                                      (4)",
      .notes =
          "Haessig and Friedland's efficient substitute of their bristle model: a spring that slips when stretched by p0.\n"
          "The force jumps at |p| = p0, from Fs down to Fc when it breaks loose and back up when the motion reverses.\n"
          "Known violations: no Stribeck curve in speed, no lag, no nonlocal memory (inner loops are elastic).",
      .passive_if = "always: the bond returns what it took, sliding at the stop dissipates",
      .references =
          "D. A. Haessig, B. Friedland, On the modeling and simulation of friction, ASME J. Dyn. Sys. Meas. Control 113 "
          "(1991)",
  };
  static constexpr Properties has{.stiction = true, .presliding = true, .varying_breakaway = true};
  static constexpr Hooks hooks{.rate = true, .guards = true, .relations = true};

  struct Params {
    T Fc{1}, Fs{1.5}, sigma0{T(1e5)}, sigma1{T(316.23)}, kv{0}, kv_exponent{1};
    static constexpr auto fields() {
      return Fields{Field{&Params::Fc, "Fc", "N", "sliding force", positive, role::needed, "mu_c"},
                    Field{&Params::Fs, "Fs", "N", "breakaway force", positive, role::needed, "mu_s"}.as(
                        Part::static_force),
                    Field{&Params::sigma0, "sigma0", "N/m",
                          "stiffness of the bond at the sliding force: p0 = Fc/sigma0", positive},
                    Field{&Params::sigma1, "sigma1", "N s/m", "damping of the bond", nonnegative}.as(Part::damping)} +
             viscous_field<Params>();
    }
    static constexpr auto relations() { return std::array{relation::above<&Params::Fs, &Params::Fc>}; }
  } p;
  struct State {
    T p{};
    static constexpr auto fields() { return Fields{Field{&State::p, "p", "m", "stretch of the bond"}}; }
  };
  using Scalar = T;
  using Mode = AtStop;
  using U = Motion<T>;

  constexpr T reach() const { return p.Fc / p.sigma0; }  // p0 of (1)
  constexpr State rest() const { return {}; }
  constexpr State rate(const State&, Mode q, const U& u) const { return {q.dir != 0 ? T(0) : u.v}; }  // (2)
  constexpr T force(const State& s, Mode q, const U& u) const {
    const T bond = q.dir != 0 ? p.sigma0 * s.p : p.Fs / reach() * s.p + p.sigma1 * u.v;  // (4), (3)
    return u.r * bond + viscous_force(p, u);
  }
  constexpr void step(State& s, Mode& q, const U& u, T dt) const {  // exact: a clamp
    if (u.v == T(0)) return;
    const T p0 = reach(), stretched = s.p + u.v * dt;
    s.p = clamped(stretched, p0);
    q.dir = stretched >= p0 && u.v > T(0) ? 1 : stretched <= -p0 && u.v < T(0) ? -1 : 0;
  }
  /// Id 0: the motion reverses at the stop. Id +1, -1: the bond reaches its end.
  template <class F> constexpr void guards(const State& s, Mode q, const U& u, F&& f) const {
    if (q.dir != 0) {
      f(0, -T(q.dir) * u.v);
    } else {
      f(1, s.p - reach());
      f(-1, -s.p - reach());
    }
  }
  constexpr void jump(State& s, Mode& q, const U&, int id) const {
    if (id != 0) s.p = T(id) * reach();
    q.dir = id;
  }

  constexpr T steady(T v) const { return p.Fc * sgn(v) + viscous_force(p, v); }
  constexpr State bound() const { return {reach()}; }
  constexpr Scales<T> scales() const { return {.force = p.Fs, .displacement = reach()}; }
  constexpr bool passive() const { return true; }
};

}  // namespace bristle
