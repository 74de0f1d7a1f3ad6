#pragma once
#include <array>
#include <cstdint>

#include "../contact.hpp"
#include "../random.hpp"
#include "../stribeck.hpp"

namespace bristle {

/// How often each bristle has been drawn: with the seed, this is where the random stream stands.
struct Redraws {
  std::array<std::uint32_t, 256> count{};
  static constexpr auto fields() {
    return Fields{Field{&Redraws::count, "count", "1", "how often a bristle has snapped", Range{0, 4294967295.0}}};
  }
};

template <class T = double> struct HaessigFriedland {
  static constexpr Card card{
      .name = "haessig_friedland",
      .title = "Haessig-Friedland: bristles that snap and bond again at random",
      .equations = "db_i/dt = v  while |b_i| < delta_s                              (1)\n"
                   "at |b_i| = delta_s the bristle snaps and bonds again,\n"
                   "b_i drawn from U(-delta_s, delta_s)                             (2)\n"
                   "F = sigma0 sum b_i + kv v                                       (3)\n"
                   "mean in sliding: N sigma0 delta_s/3, relative standard deviation sqrt(2/N)   (4)",
      .notes =
          "The picture behind LuGre: N bonds, each a spring. Its force fluctuates as real contacts do; 20 to 25 bristles are usual.\n"
          "The deflections at rest are random too, so the force at the start is not zero. The same seed gives the same run.\n"
          "One step follows at most 1100 delta_s of travel; what lies before that is forgotten.\n"
          "Known violations: not odd (other bristles meet other draws); no Stribeck curve.",
      .passive_if = "always: a snap never raises the energy stored in the bristles",
      .references =
          "D. A. Haessig, B. Friedland, On the modeling and simulation of friction, ASME J. Dyn. Sys. Meas. Control 113 "
          "(1991)",
  };
  static constexpr Properties has{
      .stiction = true, .presliding = true, .rate_independent = true, .odd = false, .random = true};
  static constexpr Hooks hooks{.rate = true, .guards = true};

  struct Params {
    int bristles{25};
    T sigma0{T(1.2e4)}, delta_s{T(1e-5)};
    int seed{1};
    T kv{0}, kv_exponent{1};
    static constexpr auto fields() {
      return Fields{Field{&Params::bristles, "bristles", "1", "number of bristles", Range{1, 256}, role::fixed},
                    Field{&Params::sigma0, "sigma0", "N/m", "stiffness of one bristle", positive}.as(Part::stiffness,
                                                                                                     1 / 25.0),
                    Field{&Params::delta_s, "delta_s", "m", "deflection at which a bristle snaps", positive}.as(
                        Part::reach, 1.5),
                    Field{&Params::seed, "seed", "1", "which population", Range{0, 2147483647},
                          role::optional | role::fixed}} +
             viscous_field<Params>();
    }
  } p;
  struct State {
    Vec<T, 256> b;
    static constexpr auto fields() { return Fields{Field{&State::b, "b", "m", "bristle deflection"}}; }
  };
  using Scalar = T;
  using Mode = Redraws;
  using U = Motion<T>;

  /// The random numbers of bristle i.
  constexpr Uniforms draws(std::size_t i) const { return {static_cast<std::uint64_t>(p.seed), stream::bristle, i}; }
  /// The nth position of a bristle, drawn at its nth break.
  constexpr T drawn(const Uniforms& draw, std::uint32_t n) const {  // (2); n = 0 is the start
    return p.delta_s * T(2 * draw(n) - 1);
  }
  constexpr State rest() const {
    State s{Vec<T, 256>::zeros(static_cast<std::size_t>(p.bristles))};
    for (std::size_t i = 0; i < s.b.n; ++i) s.b[i] = drawn(draws(i), 0);
    return s;
  }
  constexpr T force(const State& s, const Mode&, const U& u) const {  // (3)
    T sum(0);
    for (const T& b : s.b) sum = sum + b;
    return u.r * p.sigma0 * sum + viscous_force(p, u);
  }
  constexpr State rate(const State& s, const Mode&, const U& u) const {  // (1)
    State r = s;
    for (T& b : r.b) b = u.v;
    return r;
  }
  /// Exact, snap by snap. A travel of a thousand snaps has forgotten where it began: only its end is followed.
  constexpr void step(State& s, Mode& q, const U& u, T dt) const {
    using std::abs;
    const T d = sgn(u.v), far = T(1100) * p.delta_s;
    for (std::size_t i = 0; i < s.b.n; ++i) {
      T b = s.b[i], left = abs(u.v) * dt, room = p.delta_s - d * b;
      if (left > far) left = far;
      if (left >= room && d != T(0)) {
        const Uniforms draw = draws(i);
        std::uint32_t n = q.count[i];
        while (left >= room) {
          left = left - larger(room, T(0));  // a bristle that starts beyond its end snaps at once
          b = drawn(draw, ++n);
          room = p.delta_s - d * b;
        }
        q.count[i] = n;
      }
      s.b[i] = b + d * left;
    }
  }
  template <class F> constexpr void guards(const State& s, const Mode&, const U&, F&& f) const {
    using std::abs;
    for (std::size_t i = 0; i < s.b.n; ++i) f(static_cast<int>(i), abs(s.b[i]) - p.delta_s);
  }
  constexpr void jump(State& s, Mode& q, const U&, int id) const {
    const auto i = static_cast<std::size_t>(id);
    s.b[i] = drawn(draws(i), ++q.count[i]);
  }

  constexpr T steady(T v) const {
    return T(p.bristles) * p.sigma0 * p.delta_s / T(3) * sgn(v) + viscous_force(p, v);
  }  // (4)
  constexpr State bound() const {
    State s = rest();
    for (T& b : s.b) b = p.delta_s;
    return s;
  }
  constexpr Scales<T> scales() const {
    return {.force = T(p.bristles) * p.sigma0 * p.delta_s / T(3), .displacement = p.delta_s};
  }
  constexpr bool passive() const { return true; }
};

}  // namespace bristle
