#pragma once
#include <cmath>
#include <cstddef>

#include "bristle/scalar.hpp"

/// Where a guard, a function of theta in [0, 1] over an attempt, rises through zero. Plain numbers and callables, so that runs
/// on a processor and on a GPU search in the same way.
namespace bristle {

/// Theta of the samples: 0, 1/16, 1/4, 1/2, 3/4, 1. Not an array, whose elements have no address in device code.
inline constexpr std::size_t rise_nodes = 6;
constexpr double rise_node(std::size_t k) { return k == 0 ? 0 : k == 1 ? 1.0 / 16 : 0.25 * static_cast<double>(k - 1); }

struct Rise {
  bool found = false, at_once = false;
  double lo = 0, hi = 0;  // theta before and after
};

/// Searches the maximum of a guard between lo and hi, near mid: theta with a positive value, or -1.
template <class Guard> constexpr double climb(Guard&& guard, double lo, double mid, double hi, double near) {
  double g_lo = guard(lo), g = guard(mid), g_hi = guard(hi);
  for (int n = 0; n < 5 && g <= 0 && g > -near; ++n) {
    const double d1 = (g - g_lo) / (mid - lo), d2 = (g_hi - g) / (hi - mid), curvature = (d2 - d1) / (hi - lo);
    double next = (lo + mid) / 2 - d1 / (2 * curvature);
    if (std::abs(next - mid) < 1e-3 * (hi - lo)) next = mid + (next < mid ? -1e-2 : 1e-2) * (hi - lo);
    if (!(curvature < 0 && next > lo && next < hi)) break;
    const double top = guard(next);
    const bool better = top > g;
    if (next > mid) {
      (better ? lo : hi) = better ? mid : next;
      (better ? g_lo : g_hi) = better ? g : top;
    } else {
      (better ? hi : lo) = better ? mid : next;
      (better ? g_hi : g_lo) = better ? g : top;
    }
    if (better) {
      mid = next;
      g = top;
    }
  }
  return g > 0 ? mid : -1;
}

/// The earliest rise over the nodes. place(k) and value(k): theta and the guard at node k, 0 <= k < rise_nodes, asked for
/// in this order; guard(theta): anywhere between them.
template <class Place, class Value, class Guard> constexpr Rise rise_of(Place&& place, Value&& value, Guard&& guard) {
  double p2 = 0, p1 = place(0), g2 = 0, g1 = value(0);
  const double begin = p1;
  bool from_zero = true;  // only rounding errors so far: no crossing to locate
  for (std::size_t k = 1; k < rise_nodes; ++k) {
    const double p = place(k), g = value(k);
    from_zero = from_zero && g1 == 0;
    if (g > 0) {
      if (g1 <= 0 && !from_zero) return {true, false, p1, p};
      return {true, k == 1 || from_zero, p1, p};  // above zero at the start, or rises from zero
    }
    if (k >= 2) {  // a peak between the nodes: the maximum of the parabola through three of them
      const double d1 = (g1 - g2) / (p1 - p2), d2 = (g - g1) / (p - p1), curvature = (d2 - d1) / (p - p2);
      const double top = (p1 + p2) / 2 - d1 / (2 * curvature);
      if (curvature < 0 && top > p2 && top < p) {
        const double peak = g2 + (top - p2) * (d1 + (top - p1) * curvature),
                     height = peak - smaller(smaller(g2, g1), g);
        const double risen = peak > -0.5 * height ? climb(guard, p2, top, p, 0.1 * height) : -1;
        if (risen >= 0) {
          const double lo = risen > p1 && g1 <= 0 ? p1 : p2;
          if (!(lo == begin && g2 >= 0)) return {true, false, lo, risen};  // not above zero from the start
        }
      }
    }
    p2 = p1;
    g2 = g1;
    p1 = p;
    g1 = g;
  }
  return {};
}

/// Zero of a guard between lo and hi by the secant method, safeguarded by bisection.
template <class Guard> constexpr double root_of(Guard&& guard, double lo, double hi) {
  double g_lo = guard(lo), g_hi = guard(hi);
  const double small = 1e-15 * (std::abs(g_lo) + std::abs(g_hi));
  if (g_lo >= -small) return lo;
  for (int n = 0; n < 60 && hi - lo > 1e-15 * hi; ++n) {
    const bool halve = n % 3 == 2;
    const double mid = halve ? (lo + hi) / 2 : lo - g_lo * (hi - lo) / (g_hi - g_lo);
    if (!(mid > lo && mid < hi)) {
      if (!halve) continue;
      break;
    }
    const double g = guard(mid);
    if (std::abs(g) <= small) return mid;
    (g > 0 ? hi : lo) = mid;
    (g > 0 ? g_hi : g_lo) = g;
  }
  return hi;
}

}  // namespace bristle
