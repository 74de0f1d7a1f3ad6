#pragma once
#include <cmath>
#include <type_traits>

#include "contact.hpp"
#include "dual.hpp"

/// The real-time coupling: one implicit step of a mass with any contact, stable for any step size because `step` is.
namespace bristle {

/// The result of a coupled step.
template <class T> struct Coupled {
  T v{};         // velocity at the end of the step, held over it: x advances by v dt
  T F{};         // friction force over the step: mass (v - v0)/dt = F_app - F
  T dFdv{};      // slope of the force there, for a host's own implicit solve; 0 while the contact holds
  bool holds{};  // the balance lies inside a force jump at rest: the contact carries whatever is needed
};

namespace detail {

/// The contact after a trial step at velocity w.
template <class C, class T> struct Trial {
  typename C::State s;
  typename C::Mode q;
  T F;
  constexpr Trial(const C& c, const typename C::State& s0, typename C::Mode q0, const Motion<T>& u, const T& need,
                  const T& w, const T& dt)
      : s(s0), q(q0) {
    using std::abs;
    Motion<T> m = u;
    m.x = m.x + w * dt;
    m.path = m.path + abs(w) * dt;
    m.v = w;
    m.F_app = need;
    c.step(s, q, m, dt);
    F = c.force(s, q, m);
  }
};

/// Where mass w/dt + F(w) = need.
struct Root {
  double w{};      // velocity
  double slope{};  // dF/dw there
  enum Kind { balance, hold, jump } kind = balance;
};
/// The force of a trial step, and its slope over the velocity.
struct Response {
  double F{}, slope{};
  bool holds{};  // a set-valued law that carries what is needed
};

/// The root nearest to v0 on the side to which the imbalance points, looked for from rest if v0 points the other way:
/// a stuck body stays stuck while a stuck root exists. Newton steps march towards the first sign change, which is then
/// closed in on with bisection as the safeguard. `respond(w)` is the Response at w, F0 the force at rest.
template <class Respond>
constexpr Root find_root(Respond&& respond, double F0, double v0, double mass_dt, double need) {
  const double imbalance = F0 - need, side_of_root = imbalance < 0 ? 1 : -1;

  struct Point {
    double x, f, slope;  // x = |w|, f < 0 before the root
  };
  auto at = [&](double x) -> Point {
    const Response t = respond(side_of_root * x);
    return {x, side_of_root * (mass_dt * side_of_root * x + t.F - need), mass_dt + t.slope};
  };
  auto found = [&](const Point& p) -> Root { return {side_of_root * p.x + 0.0, p.slope - mass_dt, Root::balance}; };
  // Where the force is too steep for a balance in floating point, momentum decides.
  auto settled = [&](const Point& p) -> Root {
    const bool steep = std::abs(p.f) > 1e-6 * (std::abs(need) + std::abs(imbalance));
    return steep ? Root{side_of_root * p.x, 0, Root::jump} : found(p);
  };

  Point lo = at(0);
  lo.f = side_of_root * imbalance;
  // A Stribeck exponent below 1 makes the slope at rest 0 * inf: take it from next to rest.
  if (!std::isfinite(lo.slope)) lo.slope = at(1e-12 * std::abs(imbalance) / mass_dt).slope;
  if (!std::isfinite(lo.slope)) lo.slope = mass_dt;
  if (!(imbalance < 0 || imbalance > 0)) return found(lo);  // in balance, or NaN
  // A root closer to rest than this is a balance inside a jump of the force.
  const double at_rest = 1e-15 * -lo.f / larger(lo.slope, mass_dt);
  Point hi = lo;
  // Not from a velocity so small that slopes overflow (logarithmic laws creep at 1e-309 m/s): rest is as near.
  if (const double x0 = side_of_root * v0; x0 > 1e-290) {
    hi = at(x0);
    if (hi.f < 0) lo = hi;
  }
  if (hi.f < 0) {  // march outwards, no further than friction that resists could let it go
    const double furthest = lo.x + 4 * (std::abs(need) + std::abs(imbalance)) / mass_dt;
    double reach = 0;
    for (int n = 0;; ++n) {
      const double newton = lo.slope > 0 ? -lo.f / lo.slope : -lo.f / mass_dt;
      reach = n == 0 ? newton : smaller(larger(newton, 1e-3 * reach), 4 * reach);
      hi = at(smaller(lo.x + larger(reach, epsilon<double> * lo.x), furthest));
      if (!(hi.f < 0)) break;
      if (hi.x == lo.x) return settled(lo);
      if (hi.x == furthest || n == 2000) return {side_of_root * hi.x, 0, Root::jump};
      lo = hi;
    }
  } else {  // march back towards rest
    for (int n = 0; n < 60; ++n) {
      const Point mid = at(0.5 * hi.x);
      if (mid.f < 0) {
        lo = mid;
        break;
      }
      hi = mid;
    }
  }
  for (int n = 0; n < 200 && hi.f != 0 && hi.x - lo.x > epsilon<double> * hi.x && hi.x > at_rest; ++n) {
    const Point& best = -lo.f < hi.f ? lo : hi;
    double x = best.x - best.f / best.slope;
    if (n % 3 == 2 || !(x > lo.x && x < hi.x)) x = 0.5 * (lo.x + hi.x);
    const Point next = at(x);
    if (next.f < 0) {
      if (next.x == lo.x) break;
      lo = next;
    } else {
      if (next.x == hi.x) break;
      hi = next;
    }
  }
  if (hi.x <= at_rest) return {0, 0, Root::hold};
  return settled(-lo.f < hi.f ? lo : hi);
}

/// The same for a contact; the slope comes from a dual number.
template <Contact C>
constexpr Root find_root(const C& c, const typename C::State& s, const typename C::Mode& q, const Motion<double>& u,
                         double mass_dt, double need, double dt) {
  using D = Dual<double>;
  const Trial<C, double> stop(c, s, q, u, need, 0.0, dt);
  if constexpr (SetValued<C>) {
    if (c.holds(stop.q) && std::isfinite(stop.F)) return {0, 0, Root::hold};
  }
  const auto dual_c = rebind<D>(c);
  const auto dual_s = convert<typename rebound<C, D>::State>(s);
  const auto dual_u = rebind<D>(u);
  auto respond = [&](double w) -> Response {
    const Trial<rebound<C, D>, D> t(dual_c, dual_s, q, dual_u, need, D::variable(w), dt);
    return {t.F.a, t.F.d[0]};
  };
  return find_root(respond, stop.F, u.v, mass_dt, need);
}

}  // namespace detail

/// mass (w - v0)/dt = F_app - F(w), where F(w) is the force after `step` at w. u holds x, v, F_app... at the start of the
/// step. A balance at rest is tried first, so set-valued laws need no special case. A host with a spring k and a damper c
/// on the same coordinate passes mass + dt c + dt^2 k. A model may bring its own `couple`.
template <Contact C, class T = typename C::Scalar>
constexpr Coupled<T> couple(const C& c, typename C::State& s, typename C::Mode& q, const Motion<T>& u, const T& mass,
                            const T& dt) {
  const T mass_dt = mass / dt, need = u.F_app + mass_dt * u.v;
  const detail::Root root = [&] {
    if constexpr (std::is_same_v<T, double>) {
      return detail::find_root(c, s, q, u, mass_dt, need, dt);
    } else {  // values decide; derivatives are added below
      return detail::find_root(rebind<double>(c), convert<typename rebound<C, double>::State>(s), q, rebind<double>(u),
                               static_cast<double>(real_part(mass_dt)), static_cast<double>(real_part(need)),
                               static_cast<double>(real_part(dt)));
    }
  }();
  using Trial = detail::Trial<C, T>;
  T w = scalar_cast<T>(root.w);
  Trial t(c, s, q, u, need, w, dt);
  if (root.kind == detail::Root::balance && !std::is_floating_point_v<T>) {
    // Implicit function theorem: one Newton step in T carries the derivatives through.
    w = w - (mass_dt * w + t.F - need) / (mass_dt + scalar_cast<T>(root.slope));
    t = Trial(c, s, q, u, need, w, dt);
  }
  s = t.s;
  q = t.q;
  if (root.kind != detail::Root::balance) t.F = need - mass_dt * w;
  return {w, t.F, scalar_cast<T>(root.slope), root.kind == detail::Root::hold};
}

}  // namespace bristle
