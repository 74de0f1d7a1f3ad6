#pragma once
#include "../contact.hpp"
#include "../elements.hpp"
#include "../stribeck.hpp"

namespace bristle {

template <class T = double> struct Leuven {
  static constexpr Card card{
      .name = "leuven",
      .title = "Leuven (modified): Maxwell-slip hysteresis inside a LuGre state",
      .equations = "S(v) = Fc + (Fs - Fc) exp(-(|v|/vs)^alpha)                       (1)\n"
                   "hysteresis: df_i = k_i dz, limited to +-W_i;  Fh = sum f_i       (2)\n"
                   "rho = sgn(v) Fh/S(v)                                             (3)\n"
                   "dz/dt = v (1 - sgn(rho) |rho|^n)                                 (4)\n"
                   "F = Fh + sigma1 dz/dt + kv v                                     (5)\n"
                   "steady: F = S(v) sgn(v) + kv v                                   (6)",
      .notes =
          "Pre-sliding hysteresis with (nearly) nonlocal memory together with sliding. The hysteresis is driven by z, so it keeps\n"
          "its memory until sliding wipes it out; inner loops close to a few percent. Needs sum W_i >= Fs, usually W_i = nu_i Fs.\n"
          "The step goes exactly from switch to switch for n = 1 and 2; for other n it takes series and Runge-Kutta steps (1e-8).\n"
          "Known violations: drifts under an oscillating load below breakaway.",
      .passive_if = "kv >= sigma1 ((Fs/Fc)^n - 1)",
      .references =
          "J. Swevers, F. Al-Bender, C. G. Ganseman, T. Prajogo, An integrated friction model structure with improved "
          "presliding behavior for accurate friction compensation, IEEE Trans. Autom. Control 45 (2000)\n"
          "V. Lampaert, J. Swevers, F. Al-Bender, Modification of the Leuven integrated friction model structure, IEEE "
          "Trans. Autom. Control 47 (2002)",
  };
  static constexpr Properties has{.stiction = true,
                                  .presliding = true,
                                  .memory = true,
                                  .stribeck = true,
                                  .lag = true,
                                  .varying_breakaway = true,
                                  .drifts = true};
  static constexpr bool dir_of_deflection = true;  // the mode follows dz, not v
  static constexpr Hooks hooks{.rate = true, .guards = true, .relations = true};

  struct Params {
    T Fc{1}, Fs{1.5}, vs{T(1e-3)}, alpha{2};
    Vec<T> k{T(4e4), T(3e4), T(2e4), T(1e4)}, W{T(0.15), T(0.3375), T(0.45), T(0.5625)};
    T n{2}, sigma1{0}, kv{0}, kv_exponent{1};
    static constexpr auto fields() {
      return stribeck_fields<Params>() +
             Fields{
                 Field{&Params::k, "k", "N/m", "element stiffness", positive},
                 Field{&Params::W, "W", "N", "element yield force", positive},
                 Field{&Params::n, "n", "1", "transition exponent", Range{1, 8}, role::optional}.as(Part::knee),
                 Field{&Params::sigma1, "sigma1", "N s/m", "damping", nonnegative, role::optional}.as(Part::damping)} +
             viscous_field<Params>();
    }
    static constexpr auto relations() {
      return std::array{relation::above<&Params::Fs, &Params::Fc>, relation::same_length<&Params::k, &Params::W>,
                        relation::shares_of<&Params::W, &Params::Fs>};
    }
  } p;
  struct State {
    T z{};
    Vec<T> f;
    static constexpr auto fields() {
      return Fields{Field{&State::z, "z", "m", "state of the contact"}, Field{&State::f, "f", "N", "element force"}};
    }
  };
  using Scalar = T;
  using Mode = Elements;  // dir: of dz, which differs from that of v while S falls
  using U = Motion<T>;

  constexpr State rest() const { return {T(0), Vec<T>::zeros(p.k.n)}; }
  /// Sum of the forces of the elements.
  static constexpr T hysteresis(const State& s) {
    T sum(0);
    for (const T& f : s.f) sum = sum + f;
    return sum;
  }
  /// d rho over K d(travel)/S: 1 - sgn(rho)|rho|^n.
  constexpr T pace(const T& rho) const {
    using std::abs;
    using std::pow;
    const T size = smaller(abs(rho), T(1e5));  // far beyond any Fs/Fc, and its power stays finite
    return T(1) - sgn(rho) * (p.n == T(2) && is_constant(p.n) ? size * size : pow(size, p.n));
  }
  /// Rate of the deflection.
  constexpr T z_rate(const State& s, const T& v) const {
    return v * pace(sgn(v) * hysteresis(s) / stribeck_force(p, v));
  }  // (4)
  constexpr T force(const State& s, const Mode&, const U& u) const {  // (5)
    return u.r * (hysteresis(s) + p.sigma1 * z_rate(s, u.v)) + viscous_force(p, u);
  }
  constexpr State rate(const State& s, const Mode& q, const U& u) const {  // (2), (4)
    State r = rest();
    r.z = z_rate(s, u.v);
    for (std::size_t i = 0; i < p.k.n; ++i) r.f[i] = q.slips(i) ? T(0) : p.k[i] * r.z;
    return r;
  }

  /// From rho over a dimensionless travel K s/S of at most q, or until rho reaches `stop` on the way to 1. Returns where it
  /// is then and what is left of the travel.
  struct Leg {
    T rho, left;   // rho: at its end; left: travel that is left
    bool stopped;  // whether rho reached `stop`
  };
  /// One smooth piece of a step.
  constexpr Leg leg(const T& rho, const T& q, const T& stop) const;
  constexpr Leg leg_by_formula(const T& rho, const T& q, const T& stop) const;
  constexpr Leg leg_by_steps(const T& rho, const T& q, const T& stop) const;

  constexpr void step(State& s, Mode& q, const U& u, T dt) const {
    using std::abs;
    if (u.v == T(0)) return;
    const T S = stribeck_force(p, u.v), d = sgn(u.v);
    T left = abs(u.v) * dt;
    for (std::size_t pass = 0; pass <= p.k.n; ++pass) {  // at most one switch per element: dz keeps its sign
      const T rho = d * hysteresis(s) / S, way = d * sgn(pace(rho));
      if (side(way) != q.dir) q = {0, side(way)};
      // Active stiffness, and how far rho may go until the next element yields.
      T K(0), room(inf);
      std::size_t next = p.k.n;
      for (std::size_t i = 0; i < p.k.n; ++i) {
        if (way * s.f[i] >= p.W[i]) q.release(i);
        if (q.slips(i)) continue;
        K = K + p.k[i];
        const T reach = (p.W[i] - way * s.f[i]) / p.k[i];
        if (reach < room) {
          room = reach;
          next = i;
        }
      }
      if (!(K > T(0))) return;  // all yielded: Fh >= Fs, nothing moves on
      const Leg end = leg(rho, K * left / S, rho + d * way * K * room / S);
      const T dz = end.stopped ? room : abs(end.rho - rho) * S / K;
      s.z = s.z + way * dz;
      for (std::size_t i = 0; i < p.k.n; ++i) {
        if (!q.slips(i)) s.f[i] = s.f[i] + way * p.k[i] * dz;
      }
      if (!end.stopped) return;
      left = end.left * S / K;
      s.f[next] = way * p.W[next];
      q.release(next);
      if (!(left > T(0))) return;
    }
  }
  /// Guard i differs from one sign of the state with this number + i by a constant.
  static constexpr int guarded_states = 1;
  /// Id -1: dz reverses. Id i: element i yields.
  template <class F> constexpr void guards(const State& s, const Mode& q, const U& u, F&& f) const {
    using std::abs;
    const T dz = z_rate(s, u.v);
    f(-1, q.dir != 0 ? -T(q.dir) * dz : abs(dz));
    for (std::size_t i = 0; i < p.k.n; ++i) {
      if (!q.slips(i)) f(static_cast<int>(i), T(q.dir) * s.f[i] - p.W[i]);
    }
  }
  constexpr void jump(State& s, Mode& q, const U& u, int id) const {
    if (id < 0) {
      q = {0, q.dir != 0 ? -q.dir : side(z_rate(s, u.v))};
    } else {
      q.release(static_cast<std::size_t>(id));
    }
  }

  constexpr T steady(T v) const { return stribeck_force(p, v) * sgn(v) + viscous_force(p, v); }  // (6)
  constexpr State bound() const { return {T(inf), p.W}; }
  constexpr Scales<T> scales() const {
    T last(0);
    for (std::size_t i = 0; i < p.k.n; ++i) last = larger(last, p.W[i] / p.k[i]);
    return {.force = p.Fs, .velocity = p.vs, .displacement = last};
  }
  /// The viscous friction above which the contact is passive.
  constexpr T passive_kv() const {
    using std::pow;
    return p.sigma1 * (pow(p.Fs / p.Fc, p.n) - T(1));
  }
  constexpr bool passive() const { return has_viscous(p, passive_kv()); }
};

template <class T> constexpr auto Leuven<T>::leg(const T& rho, const T& q, const T& stop) const -> Leg {
  const bool closed = (p.n == T(1) || p.n == T(2)) && is_constant(p.n);
  return closed ? leg_by_formula(rho, q, stop) : leg_by_steps(rho, q, stop);
}

template <class T> constexpr auto Leuven<T>::leg_by_formula(const T& rho, const T& q, const T& stop) const -> Leg {
  using std::abs;
  using std::atan;
  using std::log;
  using std::tan;
  using std::tanh;
  // A potential whose differences are travels: n = 1: -ln|1 - rho|; n = 2: atan below 0, atanh and acoth above.
  auto potential = [&](const T& y) {
    if (p.n == T(1)) return -log(abs(T(1) - y));
    return y < T(0) ? atan(y) : T(0.5) * log((T(1) + y) / abs(T(1) - y));
  };
  if ((rho < T(1)) == (stop < T(1)) && !(rho == T(1))) {  // rho = 1 is never passed
    const T needed = potential(stop) - potential(rho);
    if (needed <= q) return {stop, q - larger(needed, T(0)), true};
  }
  if (p.n == T(1)) return {relax(rho, T(1), q), T(0), false};
  if (rho < T(0)) {  // d rho/dq = 1 + rho^2 up to 0
    const T to_zero = -atan(rho);
    return {q < to_zero ? tan(q - to_zero) : tanh(q - to_zero), T(0), false};
  }
  const T t = tanh(q);  // below and above 1 alike
  return {(rho + t) / (T(1) + rho * t), T(0), false};
}

/// Around rho = 0 the power has no smooth expansion, but 1/pace is a geometric series: there the travel is a sum. Further
/// out Runge-Kutta steps do.
template <class T> constexpr auto Leuven<T>::leg_by_steps(const T& rho, const T& q, const T& stop) const -> Leg {
  using std::abs;
  using std::pow;
  if (!(q >= T(0))) return {q, T(0), false};  // NaN
  auto potential = [&](const T& y) {  // travel from 0 to y, |y| <= 1/2: sum of (sgn y)^k |y|^(k n + 1)/(k n + 1)
    const T ratio = sgn(y) * pow(abs(y), p.n);
    T sum(0), power(1);
    for (int k = 0; k < 60 && abs(power) > T(1e-18); ++k) {
      sum = sum + power / (T(k) * p.n + T(1));
      power = power * ratio;
    }
    return y * sum;
  };
  auto stepped = [&](const T& y, const T& h) {
    const T a = pace(y), b = pace(y + T(0.5) * h * a), c = pace(y + T(0.5) * h * b);
    return y + h / T(6) * (a + T(2) * (b + c) + pace(y + h * c));
  };
  const T way = sgn(pace(rho)), inner(0.5);
  T y = rho, left = q;
  while (left > T(0) &&
         abs(pace(y)) > T(40 * epsilon<T>) * p.n) {  // below, steps of 5 % are lost in rounding: rho is 1
    if (way > T(0) && y >= -inner && y < inner) {
      const T goal = smaller(stop, inner), needed = potential(goal) - potential(y);
      if (needed <= left) {
        left = left - larger(needed, T(0));
        y = goal;
        if (goal == stop) return {stop, left, true};
        continue;
      }
      const T travelled = potential(y) + left;
      T end = smaller(y + left * pace(y), goal);
      for (int i = 0; i < 8; ++i) end = end + (travelled - potential(end)) * pace(end);  // Newton; carries derivatives
      return {end, T(0), false};
    }
    const T next_stop = way > T(0) && y < -inner ? smaller(stop, -inner) : stop;
    // Short against the length of the equation: 1/n around 1, |y|/|y|^n far from it.
    const T h = smaller(left, T(0.03) / p.n * (abs(y) > T(1) ? abs(y) / (T(1) + abs(pace(y))) : T(1))),
            next = stepped(y, h);
    if (way * (next - next_stop) >= T(0)) {
      T part(0);  // Newton for the part of h that ends there; its last step carries derivatives
      for (int i = 0; i < 6; ++i) {
        const T at = stepped(y, part);
        part = part + (next_stop - at) / pace(at);
      }
      left = left - part;
      y = next_stop;
      if (next_stop == stop) return {stop, left, true};
      continue;
    }
    y = next;
    left = left - h;
  }
  return {y, T(0), false};
}

}  // namespace bristle
