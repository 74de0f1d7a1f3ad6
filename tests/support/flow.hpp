#pragma once
#include <array>
#include <cmath>
#include <functional>
#include <vector>

#include "bristle/contact.hpp"

/// An obvious integrator of the printed state equation along a prescribed velocity: classical Runge-Kutta with a fixed
/// step, switches located by bisection. Set-valued laws get a load that determines the direction of motion. For long
/// double; slow, and independent of `step`.
template <class C> class FlowIntegrator {
 public:
  using T = typename C::Scalar;
  using State = typename C::State;
  using Velocity = std::function<T(T)>;

  C c;
  State s;
  typename C::Mode q{};
  T t{0}, x{0};
  int events = 0;

  explicit FlowIntegrator(const C& contact) : c(contact), s(contact.rest()) {}
  bristle::Motion<T> motion(const Velocity& v, T at) const {
    return {.x = x, .v = v(at), .F_app = T(1e30) * bristle::sgn(v(at)), .t = static_cast<double>(at)};
  }
  T force(const Velocity& v) const { return c.force(s, q, motion(v, t)); }

  void advance(const Velocity& v, T duration, int steps) {
    const T h = duration / T(steps);
    for (int i = 0; i < steps; ++i) {
      T left = h;
      for (int tries = 0; tries < 200 && left > T(0); ++tries) left -= until_event(v, left);
    }
  }

 private:
  static State add(State a, const State& d, T h) {
    std::vector<T> slope;
    bristle::each_scalar(d, [&](const auto&, int, const T& e) { slope.push_back(e); });
    std::size_t i = 0;
    bristle::each_scalar(a, [&](const auto&, int, T& e) { e += h * slope[i++]; });
    return a;
  }
  State stepped(const Velocity& v, T h) const {
    auto f = [&](const State& y, T at) { return c.rate(y, q, motion(v, at)); };
    const State a = f(s, t), b = f(add(s, a, h / 2), t + h / 2), g = f(add(s, b, h / 2), t + h / 2),
                d = f(add(s, g, h), t + h);
    return add(add(add(add(s, a, h / 6), b, h / 3), g, h / 3), d, h / 6);
  }
  std::vector<T> guards(const State& y, const Velocity& v, T at) const {
    std::vector<T> out;
    if constexpr (bristle::Hybrid<C>) c.guards(y, q, motion(v, at), [&](int, T g) { out.push_back(g); });
    return out;
  }
  std::vector<int> ids(const Velocity& v) const {
    std::vector<int> out;
    if constexpr (bristle::Hybrid<C>) c.guards(s, q, motion(v, t), [&](int id, T) { out.push_back(id); });
    return out;
  }
  /// Advances by h or to the first event, and returns how far.
  T until_event(const Velocity& v, T h) {
    if constexpr (bristle::Hybrid<C>) {
      const std::vector<T> before = guards(s, v, t);
      auto risen = [&](T at) {  // index of a guard that has risen by then, or -1
        const std::vector<T> now = guards(stepped(v, at), v, t + at);
        for (std::size_t i = 0; i < now.size(); ++i) {
          if (now[i] > T(0) && (before[i] <= T(0) || at == T(0))) return static_cast<int>(i);
        }
        return -1;
      };
      if (int i = first_positive(before); i >= 0) return jump(v, T(0), i);
      if (int i = risen(h); i >= 0) {
        T lo{0}, hi = h;
        for (int n = 0; n < 80; ++n) {
          const T mid = (lo + hi) / 2;
          if (const int j = risen(mid); j >= 0) {
            hi = mid;
            i = j;
          } else {
            lo = mid;
          }
        }
        return jump(v, hi, i);
      }
    }
    s = stepped(v, h);
    t += h;
    return h;
  }
  static int first_positive(const std::vector<T>& g) {
    for (std::size_t i = 0; i < g.size(); ++i) {
      if (g[i] > T(0)) return static_cast<int>(i);
    }
    return -1;
  }
  T jump(const Velocity& v, T h, int index) {
    const int id = ids(v)[static_cast<std::size_t>(index)];
    s = stepped(v, h);
    t += h;
    ++events;
    if constexpr (bristle::Hybrid<C>) c.jump(s, q, motion(v, t), id);
    return h;
  }
};
