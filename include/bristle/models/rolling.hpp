#pragma once
#include <array>
#include <cmath>

#include "../contact.hpp"
#include "../stribeck.hpp"

namespace bristle {

template <class T = double> struct Rolling {
  static constexpr Card card{
      .name = "rolling",
      .title = "Tractive rolling: brushes that enter a line contact, stretch with creep and slide at its end",
      .equations = "p(x) = (2 P/(pi a)) sqrt(1 - (x/a)^2),  |x| <= a                      (1)\n"
                   "material enters with tau = 0 and moves through the contact with the rolled distance q\n"
                   "d tau = k v_slip dt,  |tau| <= mu_c p(x)                               (2)\n"
                   "Q = integral of tau dx                                                 (3)\n"
                   "roller: q' = (v + w R)/2, v_slip = v - w R, F = r Q + kv v_slip        (4)\n"
                   "creepage xi_j: q' = v, v_slip = xi_j v, F = r sum xi_j Q_j + kv v      (5)\n"
                   "steady: c = (k xi a/(mu_c p0))^2, x_s = a (c - 1)/(c + 1), sin h = x_s/a,\n"
                   "Q = k xi (a - x_s)^2/2 + mu_c p0 a ((h + pi/2)/2 + sin(2 h)/4)         (6)",
      .notes =
          "Rate independent: traction follows the rolled distance. It builds up over the contact length 2 a after a change of\n"
          "creep, with hysteresis (pre-rolling), to a steady curve close to Carter's 2 s - s^2, s = xi R/(mu_c a), whose slope it\n"
          "has with the default k = P R/a^3. a follows from E, radius and width (Hertz), or is half_width.\n"
          "`strips` move with the material; one that is partly outside counts with the part inside. The load ratio r scales the\n"
          "traction at constant contact width. creepage has one value per lane (differential slip of a ball or thrust bearing),\n"
          "lane_share its share of the load; the force then acts on the rolled distance and dissipates what all lanes do.\n"
          "Without rolling it is a brush with nonlocal memory. It takes steps only and has no state equation.",
      .passive_if = "always",
      .references = "F. W. Carter, On the action of a locomotive driving wheel, Proc. R. Soc. A 112 (1926)\n"
                    "K. L. Johnson, Contact mechanics, Cambridge University Press (1985), chapter 8\n"
                    "J. J. Kalker, Three-dimensional elastic bodies in rolling contact, Kluwer (1990)",
  };
  static constexpr Properties has{.stiction = true, .presliding = true, .memory = true, .rate_independent = true};
  static constexpr Hooks hooks{.relations = true, .memory = true};

  // most_lanes: largest number of lanes; most_cells: largest number of ends of strips in all lanes
  static constexpr std::size_t most_lanes = 8, most_cells = 512;
  struct Params {
    T normal_load{100}, mu_c{T(0.3)}, E{0}, radius{T(0.01)}, width{0}, half_width{hertz(normal_load, E, radius, width)};
    T k{normal_load * radius / (half_width * half_width * half_width)};
    int strips{50};
    Vec<T, most_lanes> creepage{}, lane_share{};
    T kv{0}, kv_exponent{1};

    /// Half width of the line contact of Hertz.
    static constexpr T hertz(const T& P, const T& E, const T& R, const T& L) {
      using std::sqrt;
      return E > T(0) && L > T(0) ? sqrt(T(8 / two_pi) * P * R / (L * E)) : T(1e-4);
    }
    static constexpr auto fields() {
      using P = Params;
      constexpr unsigned fixed = role::optional | role::fixed;
      return Fields{Field{&P::normal_load, "normal_load", "N", "normal load", positive, role::fixed}.as(Part::load),
                    Field{&P::mu_c, "mu_c", "1", "friction coefficient", Range{1e-6, 10}}.as(Part::coefficient),
                    Field{&P::E, "E", "N/m/m",
                          "contact modulus E* of both materials, for half_width; 0: half_width is given", nonnegative,
                          fixed},
                    Field{&P::radius, "radius", "m", "relative radius of curvature", positive, role::fixed}.as(
                        Part::reach),
                    Field{&P::width, "width", "m", "length of the line contact, for half_width", nonnegative, fixed},
                    Field{&P::half_width, "half_width", "m", "half width a of the contact", positive, role::fixed}
                        .as(Part::reach)
                        .unless("E"),
                    Field{&P::k, "k", "N/m/m",
                          "brush stiffness, traction per length and stretch; Carter's slope unless given", positive,
                          role::optional}
                        .as(Part::stiffness),
                    Field{&P::strips, "strips", "1", "number of strips across the contact", Range{4, 500}, fixed},
                    Field{&P::creepage, "creepage", "1", "creepage of each lane; absent for a roller", Range{-10, 10},
                          fixed},
                    Field{&P::lane_share, "lane_share", "1",
                          "share of each lane in the load, over their sum; equal unless given", Range{limit::least, 1},
                          fixed}} +
             viscous_field<P>();
    }
    /// Number of lanes.
    constexpr std::size_t lanes() const { return creepage.n == 0 ? 1 : creepage.n; }
    /// Of a lane in the load: lane_share over the sum of all; equal ones unless given.
    constexpr T share(std::size_t j) const {
      if (lane_share.n == 0) return T(1) / T(static_cast<double>(lanes()));
      T sum(0);
      for (const T& e : lane_share) sum = sum + e;
      return lane_share[j] / sum;
    }
    static constexpr auto relations() {
      using P = Params;
      return std::array{
          Relation<P>{[](const P& p) { return p.E == T(0) || p.width > T(0); }, {"E", "width"}, "width > 0 with E"},
          relation::absent_or_as_long<&P::creepage, &P::lane_share>,
          Relation<P>{[](const P& p) { return p.lanes() * (static_cast<std::size_t>(p.strips) + 1) <= most_cells; },
                      {"strips", "creepage"},
                      "(strips + 1) lanes <= 512"}};
    }
  } p;
  /// Means of traction over the strips of each lane, from the side x = a: a partial one, strips - 1 whole ones, a partial one.
  /// `part` is the width of the first over that of a strip; the last one has the rest.
  struct State {
    Vec<T, most_lanes> Q;
    Vec<T, most_cells> tau;
    T part{};
    static constexpr auto fields() { return Fields{Field{&State::Q, "Q", "N", "traction of a lane"}}; }
    static constexpr auto memory() {
      return Fields{Field{&State::tau, "tau", "N/m", "traction per length of a strip"},
                    Field{&State::part, "part", "1", "part of the first strip inside the contact", Range{0, 1}}};
    }
  };
  using Scalar = T;
  using Mode = NoMode;
  using U = Motion<T>;

  /// Number of ends of strips in a lane.
  constexpr std::size_t cells() const { return static_cast<std::size_t>(p.strips) + 1; }
  /// Length of a strip.
  constexpr T strip() const { return T(2) * p.half_width / T(p.strips); }
  constexpr T peak() const { return T(4 / two_pi) * p.normal_load / p.half_width; }  // p0
  constexpr State rest() const {
    return {Vec<T, most_lanes>::zeros(p.lanes()), Vec<T, most_cells>::zeros(p.lanes() * cells()), T(0)};
  }
  constexpr T force(const State& s, Mode, const U& u) const {
    T sum(0);
    if (p.creepage.n == 0) {
      sum = s.Q[0];
    } else {
      for (std::size_t j = 0; j < p.creepage.n; ++j) sum = sum + p.creepage[j] * s.Q[j];
    }
    return u.r * sum + viscous_force(p, u);
  }
  /// mu_c p at the centre of strip i (from 0; 0 outside), when the first strip is not yet inside. With s.part it lies between the
  /// limits of two neighbours: linear, so that a stretch at constant rate meets it once, and one comparison at the end is exact.
  constexpr T limit_at(int i) const {
    using std::sqrt;
    if (i < 0 || i >= p.strips) return T(0);
    return p.mu_c * peak() * sqrt(one_less_square(i));
  }
  /// 1 - (x/a)^2 at the centre of strip i.
  constexpr T one_less_square(int i) const {
    const T x = T(1) - (T(2) * T(i) + T(1)) / T(p.strips);
    return T(1) - x * x;
  }
  /// Through part of a strip: rolled distance and slip of each lane over it.
  constexpr void roll(State& s, const T& q, const T& slip_per_q, const T& slip, bool rolls) const {
    const T w = strip(), a0 = s.part * w, b0 = w - a0;
    s.part = s.part + q / w;
    s.part = s.part < T(0) ? T(0) : s.part > T(1) ? T(1) : s.part;
    const T a1 = s.part * w, b1 = w - a1;
    const std::size_t n = cells();
    for (std::size_t j = 0; j < p.lanes(); ++j) {
      const T d = p.k * p.share(j) * (p.creepage.n == 0 ? slip : p.creepage[j] * slip);
      const T half =
          T(0.5) * (rolls ? p.k * p.share(j) * (p.creepage.n == 0 ? slip_per_q : p.creepage[j] * slip_per_q) : T(0));
      T* tau = s.tau.a.data() + j * n;
      // A partial strip that grows takes up unstretched material.
      auto partial = [&](T& t, const T& before, const T& after) {
        if (!(after > T(0))) {
          t = T(0);
        } else if (after > before) {
          const T more = after - before;
          t = (t * before + d * before + half * (q < T(0) ? -more : more) * more) / after;
        } else {
          t = t + d;
        }
      };
      partial(tau[0], a0, a1);
      for (std::size_t i = 1; i + 1 < n; ++i) tau[i] = tau[i] + d;
      partial(tau[n - 1], b0, b1);
      within_friction(tau, s.part, p.share(j));
    }
  }
  /// The tractions of a lane within the limits of friction. Between two neighbouring limits lies no less than the smaller one,
  /// so that strips far below need no root.
  constexpr void within_friction(T* tau, const T& part, const T& share) const {
    const T top = p.mu_c * peak(), sure = share * top * T(1 - 1e-3), per = sure * sure;
    T room = T(0), before = T(0);  // of the strip before: 1 - x^2, its limit
    bool known = true;
    for (int i = 0; i <= p.strips; ++i) {
      const T next = i < p.strips ? one_less_square(i) : T(0);
      if (tau[i] * tau[i] <= per * smaller(room, next)) {
        known = false;
      } else {
        if (!known) before = limit_at(i - 1);
        const T after = limit_at(i), most = share * (before + part * (after - before));
        tau[i] = tau[i] > most ? most : tau[i] < -most ? -most : tau[i];
        before = after;
        known = true;
      }
      room = next;
    }
  }
  /// The strips of all lanes move by one, towards x = -a or back.
  constexpr void shift(State& s, bool forward) const {
    const std::size_t n = cells();
    for (std::size_t j = 0; j < p.lanes(); ++j) {
      T* tau = s.tau.a.data() + j * n;
      if (forward) {
        for (std::size_t i = n - 1; i > 0; --i) tau[i] = tau[i - 1];
        tau[0] = T(0);
      } else {
        for (std::size_t i = 0; i + 1 < n; ++i) tau[i] = tau[i + 1];
        tau[n - 1] = T(0);
      }
    }
    s.part = forward ? T(0) : T(1);
  }
  constexpr void sum(State& s) const {
    const std::size_t n = cells();
    for (std::size_t j = 0; j < p.lanes(); ++j) {
      const T* tau = s.tau.a.data() + j * n;
      T whole(0);
      for (std::size_t i = 1; i + 1 < n; ++i) whole = whole + tau[i];
      s.Q[j] = strip() * (whole + s.part * tau[0] + (T(1) - s.part) * tau[n - 1]);
    }
  }
  /// From strip to strip, exactly for constant velocities. After a whole contact length only the place within a strip matters.
  constexpr void step(State& s, Mode&, const U& u, T dt) const {
    using std::abs;
    const T speed = p.creepage.n == 0 ? u.roll : u.v;
    T q = speed * dt;
    const T all = u.v * dt, w = strip();
    const bool rolls = q != T(0);
    const T per_q = rolls ? all / q : T(0);
    if (!rolls) {
      roll(s, T(0), T(0), all, false);
    } else {
      const double most = static_cast<double>(real_part((T(p.strips) + T(2)) * w));
      if (const auto far = static_cast<double>(real_part(abs(q))); far > most && far < inf) {
        const double rest = most + std::fmod(far - most, static_cast<double>(real_part(w)));
        q = q - sgn(q) * T(far - rest);
      }
      while (abs(q) > T(0)) {
        const bool forward = q > T(0);
        const T room = forward ? (T(1) - s.part) * w : -s.part * w;
        const bool crosses = forward ? q >= room : q <= room;
        const T part = crosses ? room : q;
        roll(s, part, per_q, per_q * part, true);
        if (!crosses) break;
        shift(s, forward);
        q = q - part;
      }
    }
    if (!(all + q <= T(inf))) s.tau[1] = all + q;  // NaN shows
    sum(s);
  }

  /// Without rolling, or at constant creepage.
  constexpr T steady_traction(const T& xi) const {  // (6)
    using std::abs;
    using std::atan;
    // With e = k |xi| a / (mu p0) = sqrt(c): x_s / a = 1 - 2/(1 + c), cos theta = 2 e/(1 + c), theta + pi/2 = 2 atan(e).
    constexpr double slides = epsilon<T> < 1e-10 ? 1e100 : 1e15;  // as good as everywhere
    const T a = p.half_width, limit = p.mu_c * peak(), e = smaller(p.k * abs(xi) * a / limit, T(slides)),
            n = T(1) + e * e;
    if (!(e > T(0))) return T(0);
    return sgn(xi) * limit * a * (T(2) * (e / n) / n + atan(e) + (T(1) - T(2) / n) * (e / n));
  }
  constexpr T steady(T v) const {
    if (v == T(0)) return T(0);
    T sum(0);
    if (p.creepage.n == 0) {
      for (int i = 0; i < p.strips; ++i) sum = sum + strip() * limit_at(i);
      sum = sum * sgn(v);
    } else {
      for (std::size_t j = 0; j < p.creepage.n; ++j)
        sum = sum + p.creepage[j] * p.share(j) * steady_traction(p.creepage[j] * sgn(v));
    }
    return sum + viscous_force(p, v);
  }
  constexpr State bound() const {
    State b = rest();
    T all(0);
    for (int i = 0; i < p.strips; ++i) all = all + strip() * limit_at(i);
    for (std::size_t j = 0; j < p.lanes(); ++j) b.Q[j] = all * p.share(j);
    for (T& t : b.tau) t = p.mu_c * peak();
    b.part = T(1);
    return b;
  }
  constexpr Scales<T> scales() const {
    T force = p.mu_c * p.normal_load;
    T reach = p.mu_c * peak() / p.k;  // stretch at which the middle of the contact slides
    if (p.creepage.n != 0) {
      T most(0), sum(0);
      for (std::size_t j = 0; j < p.creepage.n; ++j) {
        const T size = p.creepage[j] < T(0) ? -p.creepage[j] : p.creepage[j];
        most = larger(most, size);
        sum = sum + size * p.share(j);
      }
      force = force * sum;
      reach = T(2) * p.half_width;
    }
    return {.force = force, .velocity = T(0), .displacement = reach};
  }
  constexpr bool passive() const { return true; }
};

}  // namespace bristle
