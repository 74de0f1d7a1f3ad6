#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "asperity/shared/age.hpp"
#include "bristle/asperity/gfm.hpp"

/// One asperity through a step, from event to event: the same code for the processor and for a GPU.
namespace bristle::asperity {

/// Position of an asperity at the end of a step: above a land, or in the gap after a land.
struct Visit {
  bool on;
  double from, to;  // ends of the land or the gap
  std::int64_t j;   // index of the land, or of the land before the gap
  double p;
  bool fresh;    // the contact began within the step
  double since;  // start of a fresh contact after the start of the step, s
  bool slips;
};

/// An asperity in a gap reaches a land when u is at its edge; a tip beyond the edge leaves the land.
template <class T> constexpr T above(T x) { return std::nextafter(x, inf + T(0)); }
template <class T> constexpr T below(T x) { return std::nextafter(x, -inf + T(0)); }

/// Lands and gaps whose lengths are uniform around their means.
struct UniformLands {
  std::uint64_t land_key, gap_key;
  double land, gap, spread;
  constexpr double land_length(std::uint64_t i, std::int64_t j) const { return land * drawn(land_key, i, j); }
  constexpr double gap_length(std::uint64_t i, std::int64_t j) const { return gap * drawn(gap_key, i, j); }
  static constexpr double number(std::uint64_t key, std::uint64_t i, std::int64_t j) {
    return static_cast<double>(detail::mix(detail::mix(key ^ i) ^ static_cast<std::uint64_t>(j)) >> 11) * 0x1p-53;
  }

 private:
  constexpr double drawn(std::uint64_t key, std::uint64_t i, std::int64_t j) const {
    return 1 + spread * (2 * number(key, i, j) - 1);
  }
};

/// A tip of asperity i that jumps to u beyond the end of the land it leaves.
template <class Lands>
constexpr Visit landed(const Lands& lands, std::uint64_t i, double from, double to, std::int64_t j, bool forward,
                       double u) {
  if (forward) {
    for (;;) {
      const double next = to + lands.gap_length(i, j);
      if (u < next) return {false, to, next, j, u, false, 0, false};
      from = next;
      to = next + lands.land_length(i, j + 1);
      ++j;
      if (u <= to) return {true, from, to, j, u, true, 0, false};
    }
  }
  for (;;) {
    const double end = from - lands.gap_length(i, j - 1);
    if (u > end) return {false, end, from, j - 1, u, false, 0, false};
    from = end - lands.land_length(i, j - 1);
    to = end;
    --j;
    if (u >= from) return {true, from, to, j, u, true, 0, false};
  }
}

/// Moves asperity i through a step; adds works to `out`. c: its full strength; g: the beginning of its contact.
template <class P, class Lands>
constexpr Visit visit(Visit v, const P& p, const Lands& lands, std::uint64_t i, double kt, double c, double mass,
                      double g, const Move& m, bool energies, Record& out) {
  const bool forward = m.u1 > m.u0;
  const double side = forward ? 1 : -1, speed = std::abs(m.v);
  v.fresh = v.slips = false;
  v.since = 0;
  if (!v.on) {
    v.from = below(v.from);
    v.to = above(v.to);
  }
  Age<P> age = Age<P>::of(p, m, g);
  double s = 0;  // time since the start of the step
  auto slip = [&](double until) {
    if (!energies) return;
    // Adhesion may first exceed the stretch and be exceeded later: p is constant in between.
    const bool waits = side * (m.u0 + m.v * s - v.p) < c * age.mu(s) || speed < c * age.slope(s);
    const double begin = waits ? age.reach(m, side, c, v.p, s, until) : s;
    const double Y0 = c * age.mu(begin), Y1 = c * age.mu(until);
    out.W_adh += kt * (speed * c * age.integral(begin, until) - 0.5 * (Y1 - Y0) * (Y1 + Y0));
  };
  auto touch = [&] {
    age = Age<P>::begun(p, s);
    v.fresh = true;
    v.since = s;
    if (c > 0) out.W_imp += 0.5 * mass * m.v * m.v;
  };
  for (;;) {
    if (!v.on) {
      const double edge = forward ? v.to : v.from;
      if (side * (m.u1 - edge) < 0) {
        v.p = m.u1;
        break;
      }
      s = (edge - m.u0) / m.v < s ? s : (edge - m.u0) / m.v > m.dt ? m.dt : (edge - m.u0) / m.v;
      v.on = true;
      v.p = edge;
      if (forward) {
        ++v.j;
        v.from = edge;
        v.to = edge + lands.land_length(i, v.j);
      } else {
        v.to = edge;
        v.from = edge - lands.land_length(i, v.j);
      }
      touch();
    }
    const double Y = c * age.mu(m.dt), tip = forward ? std::max(v.p, m.u1 - Y) : std::min(v.p, m.u1 + Y);
    const double end = forward ? v.to : v.from;
    if (side * (tip - end) <= 0) {
      if (tip != v.p) slip(m.dt);
      v.slips = tip != v.p;
      v.p = tip;
      break;
    }
    const double reached = age.reach(m, side, c, end, s, m.dt);
    if (v.p != end) slip(reached);
    const double xi = c * age.mu(reached);
    out.W_def += 0.5 * kt * xi * xi;
    s = reached;
    v = landed(lands, i, v.from, v.to, v.j, forward, end + side * xi);
    if (v.on) touch();
  }
  const double xi = v.on ? m.u1 - v.p : 0;
  out.F += kt * xi;
  out.E += 0.5 * kt * xi * xi;
  if (v.slips && c > 0) out.slip += 1;
  return v;
}

}  // namespace bristle::asperity
