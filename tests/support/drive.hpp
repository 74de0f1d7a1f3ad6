#pragma once
#include <functional>

#include "bristle/contact.hpp"
#include "bristle/couple.hpp"

/// A body on a contact, moved by a force history through the real-time coupling.
template <class C> struct Body {
  C c;
  double mass = 1, x = 0, v = 0, t = 0, F = 0;
  typename C::State s = c.rest();
  typename C::Mode q{};

  explicit Body(const C& contact, double m = 1) : c(contact), mass(m) {}
  void push(double force, double dt) {
    const auto out =
        bristle::couple(c, s, q, bristle::Motion<double>{.x = x, .v = v, .F_app = force, .t = t}, mass, dt);
    v = out.v;
    F = out.F;
    x += v * dt;
    t += dt;
  }
  /// Spring k whose far end is at `wall` at the end of the step, taken implicitly.
  void pull(double k, double wall, double dt) {
    const double m = mass;
    mass = m + dt * dt * k;
    push(k * (wall - x) - dt * k * v, dt);
    mass = m;
  }
};

/// A contact moved at prescribed velocity, step by step.
template <class C> struct Mover {
  C c;
  typename C::State s = c.rest();
  typename C::Mode q{};
  double x = 0, t = 0;

  explicit Mover(const C& contact) : c(contact) {}
  double move(double v, double dt) {
    using T = typename C::Scalar;
    x += v * dt;
    t += dt;
    const bristle::Motion<T> u{.x = T(x), .v = T(v), .t = t};
    c.step(s, q, u, T(dt));
    F = c.force(s, q, u);
    return static_cast<double>(bristle::real_part(F));
  }
  typename C::Scalar F{};
  /// To position `goal` at speed |v| in n equal steps.
  double go(double goal, double speed, int n) {
    const double way = goal - x, dt = std::abs(way) / speed / n;
    double f = 0;
    for (int i = 0; i < n; ++i) f = move(way > 0 ? speed : -speed, dt);
    x = goal;
    return f;
  }
};
