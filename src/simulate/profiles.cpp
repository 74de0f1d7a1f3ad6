#include "profiles.hpp"

#include <algorithm>
#include <cmath>

#include "bristle/random.hpp"

namespace bristle {
namespace {

Stretch constant(double value, double begin, double end) { return {begin, end, 0, {value}}; }

/// The largest k with k * length <= t, as the products are rounded.
double level_at(double t, double length) {
  double k = std::floor(t / length);
  while (k * length > t) --k;
  while ((k + 1) * length <= t) ++k;
  return k;
}

/// A move of a positive distance from rest to rest: jerk for `bent`, constant acceleration until the end of `rising` less
/// `bent`, jerk, constant velocity for `cruising`, and the same reversed. bent = 0: a trapezoid.
struct Move {
  double distance{}, peak{}, acceleration{}, jerk{};
  double bent{}, rising{}, cruising{};
  double duration() const { return 2 * rising + cruising; }
};

/// Pieces of the first half of a move, counted from 1, around the end at which they are exact.
Stretch rise(const Move& m, std::size_t piece) {
  const double j = m.jerk, B = m.bent, R = m.rising, at_peak = m.peak * R / 2;
  if (piece == 1) return {.origin = 0, .c = {0, 0, 0, j / 6}};
  if (piece == 2) return {.origin = B, .c = {j * B * B * B / 6, j * B * B / 2, m.acceleration / 2}};
  if (piece == 3) return {.origin = R, .c = {at_peak, m.peak, 0, -j / 6}};
  return {.origin = R, .c = {at_peak, m.peak}};
}

/// The piece of a move from `start` to `end`, at `from` and `to`; `forward`: 1 or -1.
Stretch piece_of(const Move& m, double start, double end, double from, double to, int forward, double inside) {
  const double T = m.duration(), B = m.bent, R = m.rising;
  std::array<double, 8> corners{start,         start + B,         start + (R - B), start + R,
                                start + T - R, start + T - R + B, start + T - B,   end};
  for (std::size_t i = 1; i < corners.size(); ++i)
    corners[i] = std::clamp(corners[i], corners[i - 1], end);  // rounding
  const auto piece =
      static_cast<std::size_t>(std::upper_bound(corners.begin(), corners.end(), inside) - corners.begin());
  if (piece == 0) return {-inf, start, 0, {from}};
  if (piece == corners.size()) return {end, inf, 0, {to}};
  Stretch s = rise(m, std::min(piece, corners.size() - piece));
  double origin = start + s.origin, value = from + forward * s.c[0];
  if (piece > 4) {  // backwards in time from the end
    origin = end - s.origin;
    value = to - forward * s.c[0];
    s.c[2] = -s.c[2];
  }
  for (double& c : s.c) c *= forward;
  s.c[0] = value;
  return {corners[piece - 1], corners[piece], origin, s.c};
}

Move move_of(const Trapezoid& k) {
  const double D = std::abs(k.distance), V = k.velocity, A = k.acceleration;
  if (D == 0) return {};
  const double rising = V / A, cruising = D / V - rising;
  if (cruising > 0) return {D, V, A, 0, 0, rising, cruising};
  const double half = std::sqrt(D / A);
  return {D, A * half, A, 0, 0, half, 0};
}

Move move_of(const SCurve& k) {
  const double D = std::abs(k.distance), V = k.velocity, A = k.acceleration, J = k.jerk;
  if (D == 0) return {};
  double bent = A / J, rising = bent + V / A;  // with the acceleration reached
  if (V * J < A * A) {
    bent = std::sqrt(V / J);
    rising = 2 * bent;
  }
  if (const double cruising = D / V - rising; cruising > 0) return {D, V, J * bent, J, bent, rising, cruising};
  bent = A / J;  // the velocity is not reached
  rising = bent / 2 + std::sqrt(bent * bent / 4 + D / A);
  if (!(rising > 2 * bent)) {
    bent = std::cbrt(D / (2 * J));
    rising = 2 * bent;
  }
  return {D, D / rising, J * bent, J, bent, rising, 0};
}

struct Leg {
  std::size_t next;  // point at its end; 0: before the first
  Stretch rest;      // outside of the legs
};
Leg leg_of(const Waypoints& k, double inside) {
  const auto next =
      static_cast<std::size_t>(std::upper_bound(k.times.begin(), k.times.end(), inside) - k.times.begin());
  if (next == 0) return {0, {-inf, k.times.front(), 0, {k.points.front()}}};
  if (next == k.times.size()) return {0, {k.times.back(), inf, 0, {k.points.back()}}};
  return {next, {}};
}

constexpr std::uint64_t prbs_stream = 11;  // after those of random.hpp
bool bit(const Prbs& k, double index) {
  return uniform(static_cast<std::uint64_t>(k.seed), prbs_stream, static_cast<std::uint64_t>(index)) < 0.5;
}

}  // namespace

Stretch stretch_of(const Staircase& k, double inside, double) {
  const double level = std::clamp(level_at(std::max(inside, 0.0), k.hold), 0.0, static_cast<double>(k.count));
  return constant(k.size * level, level * k.hold, level < k.count ? (level + 1) * k.hold : inf);
}

Stretch stretch_of(const Trapezoid& k, double inside, double) {
  const Move m = move_of(k);
  return piece_of(m, 0, m.duration(), 0, k.distance, k.distance < 0 ? -1 : 1, inside);
}
Stretch stretch_of(const SCurve& k, double inside, double) {
  const Move m = move_of(k);
  return piece_of(m, 0, m.duration(), 0, k.distance, k.distance < 0 ? -1 : 1, inside);
}

Stretch stretch_of(const MinimumJerk& k, double inside, double t) {
  const auto [i, rest] = leg_of(k, inside);
  if (i == 0) return rest;
  const double begin = k.times[i - 1], end = k.times[i], T = end - begin, D = k.points[i] - k.points[i - 1],
               c3 = 10 * D / (T * T * T), c4 = 15 * D / (T * T * T * T), c5 = 6 * D / (T * T * T * T * T);
  if (t < begin + T / 2) return {begin, end, begin, {k.points[i - 1], 0, 0, c3, -c4, c5}};
  return {begin, end, end, {k.points[i], 0, 0, c3, c4, c5}};
}

Stretch stretch_of(const PointToPoint& k, double inside, double) {
  const auto [i, rest] = leg_of(k, inside);
  if (i == 0) return rest;
  const double T = k.times[i] - k.times[i - 1], D = std::abs(k.points[i] - k.points[i - 1]);
  const Move m{D, 1.5 * D / T, 4.5 * D / (T * T), 0, 0, T / 3, T / 3};
  return piece_of(m, k.times[i - 1], k.times[i], k.points[i - 1], k.points[i], k.points[i] < k.points[i - 1] ? -1 : 1,
                  inside);
}

Stretch stretch_of(const Prbs& k, double inside, double) {
  const double first = level_at(std::max(inside, 0.0), k.bit_time);
  if (k.amplitude == 0) return constant(0, 0, inf);
  const bool high = bit(k, first);
  double next = first + 1;
  constexpr double most_alike = 1000;  // bits; never reached
  while (bit(k, next) == high && next < first + most_alike) ++next;
  return constant(high ? k.amplitude : -k.amplitude, first * k.bit_time, next * k.bit_time);
}

}  // namespace bristle
