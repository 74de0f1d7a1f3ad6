/// 08. A model of your own: a viscoelastic lining (spring and damper in series). Any type with these members works with
/// `couple`, effects, dual numbers and `float`. Needs bristle::core only; docs/model_contract.md lists all members.
#include <bristle/couple.hpp>
#include <bristle/effects.hpp>
#include <bristle/model_check.hpp>
#include <bristle/stribeck.hpp>

#include <cmath>
#include <cstdio>

using namespace bristle;

template <class T = double> struct Lining {
  static constexpr Card card{.name = "lining",
                             .title = "Spring and damper in series",
                             .equations = "df/dt = k (v - f/c)         (1)\nF = f + kv |v|^n sgn(v)      (2)",
                             .notes = "Creeps under any load.",
                             .passive_if = "always",
                             .references = "J. C. Maxwell, On the dynamical theory of gases (1867)"};
  static constexpr Properties has{.drifts = true};
  static constexpr Hooks hooks{.rate = true};

  struct Params {
    T k{T(1e4)}, c{T(100)}, kv{0}, kv_exponent{1};
    static constexpr auto fields() {
      return Fields{Field{&Params::k, "k", "N/m", "stiffness", positive},
                    Field{&Params::c, "c", "N s/m", "damping", positive}} +
             viscous_field<Params>();
    }
  } p;
  struct State {
    T f{};
    static constexpr auto fields() { return Fields{Field{&State::f, "f", "N", "force of the spring"}}; }
  };
  using Scalar = T;
  using Mode = NoMode;
  using U = Motion<T>;

  constexpr State rest() const { return {}; }
  constexpr T force(const State& s, Mode, const U& u) const { return u.r * s.f + viscous_force(p, u); }  // (2)
  constexpr State rate(const State& s, Mode, const U& u) const { return {p.k * (u.v - s.f / p.c)}; }     // (1)
  /// Exact at constant velocity, and therefore stable for any dt.
  constexpr void step(State& s, Mode&, const U& u, T dt) const {
    using std::exp;
    s.f = p.c * u.v + (s.f - p.c * u.v) * exp(-p.k * dt / p.c);
  }
  constexpr T steady(T v) const { return p.c * v + viscous_force(p, v); }
  constexpr State bound() const { return {T(inf)}; }
  constexpr Scales<T> scales() const { return {}; }
  constexpr bool passive() const { return true; }
};
template struct bristle::CheckedModel<Lining<double>>;  // a wrong or missing member is a compile error that names it

int main() {
  const Lining<> lining{};
  auto s = lining.rest();
  NoMode q;
  for (int i = 0; i < 10; ++i) lining.step(s, q, {.v = 0.1}, 1e-3);  // for one time constant c/k
  const double expected = 10 * (1 - std::exp(-1.0));
  std::printf("after c/k: F = %.6f N, in closed form %.6f N\n", lining.force(s, q, {.v = 0.1}), expected);

  // With effects, in the implicit step of a mass: 5 N against damping 100 N s/m and an offset of 1 N.
  const With<Lining<>, Effects<>> contact{lining, {.offset = 1}};
  auto state = contact.rest();
  double v = 0;
  for (int i = 0; i < 5000; ++i) v = couple(contact, state, q, Motion<double>{.v = v, .F_app = 5}, 1.0, 1e-3).v;
  std::printf("under 5 N with an offset of 1 N: v = %.6f m/s, expected %.6f\n", v, 4.0 / 100);
  return std::abs(s.f - expected) < 1e-12 && std::abs(v - 0.04) < 1e-9 ? 0 : 1;
}
