#include "identify/steps.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace bristle::identify {

void cut_at_turn(Series& s, double before, double after, double mean, double dt, double a_noise) {
  if (!(before * after < 0) || !(std::abs(after - before) > 5 * a_noise * dt)) return;
  const double rest = mean - (before + after) / 2;
  if (!(std::abs(rest) < 0.25 * std::abs(after - before))) return;  // the velocity is held, or jumps
  const double part = before / (before - after);
  if (!(part > 1e-6 && part < 1 - 1e-6)) return;  // at a sample: a part without duration has no velocity
  s.turn_dt.resize(s.size() + 1);
  s.turn_v.resize(s.size() + 1);
  s.turn_dt.back() = dt * part;
  s.turn_v.back() = before / 2 + rest;
}

bool divide(Series& s, const Recording& r, std::size_t i, double mean) {
  const double dt = r.t[i] - r.t[i - 1], v0 = r.v[i - 1], v1 = r.v[i], a0 = r.a[i - 1] * dt, a1 = r.a[i] * dt;
  const double change = std::abs(v1 - v0), bow = std::max(change, std::abs(a1 - a0) / 8);
  constexpr double much = 0.1;
  if (!(bow > much * std::max(std::abs(v0), std::abs(v1))) || !(bow > 5 * r.a_noise * dt)) return false;
  const double rest = mean - (v0 + v1) / 2 - (a0 - a1) / 12;
  if (!(std::abs(rest) < 0.25 * bow)) return false;
  // Displacements from the row before, in steps; by the cubic velocity, and the rest spread evenly at both ends.
  auto way = [&](double p) {
    const double q = p * p;
    const double cubic =
        v0 * p + a0 * q / 2 + (3 * (v1 - v0) - 2 * a0 - a1) * q * p / 3 + (2 * (v0 - v1) + a0 + a1) * q * q / 4;
    return cubic + rest * q * p * (10 - 15 * p + 6 * q);
  };
  constexpr std::size_t n = std::tuple_size_v<Bend>;
  Bend& parts = s.bends.emplace_back();
  for (std::size_t k = 0; k < n; ++k)
    parts[k] = n * (way(static_cast<double>(k + 1) / n) - way(static_cast<double>(k) / n));
  s.bend.resize(s.size() + 1);
  s.bend.back() = static_cast<std::uint32_t>(s.bends.size());
  return true;
}

}  // namespace bristle::identify
