#include <algorithm>
#include <cmath>

#include "identify/experiments.hpp"
#include "identify/statistics.hpp"

/// Break-away: a body at rest, a force that grows slowly, then motion.
namespace bristle::identify {
namespace {

constexpr std::size_t fewest = 20;  // rows of a ramp

/// A straight line y = y0 + slope (t - t0) through rows.
struct Line {
  double t0 = 0, y0 = 0, slope = 0, rest = 0;  // rest: rms distance
  double at(double t) const { return y0 + slope * (t - t0); }
};
Line line_through(std::span<const double> t, std::span<const double> y, std::size_t from, std::size_t to) {
  const auto n = static_cast<double>(to - from);
  Line out;
  for (std::size_t i = from; i < to; ++i) out.t0 += t[i] / n, out.y0 += y[i] / n;
  double tt = 0, ty = 0, squares = 0;
  for (std::size_t i = from; i < to; ++i) {
    tt += (t[i] - out.t0) * (t[i] - out.t0);
    ty += (t[i] - out.t0) * (y[i] - out.y0);
  }
  out.slope = ty / tt;
  for (std::size_t i = from; i < to; ++i) squares += std::pow(y[i] - out.at(t[i]), 2);
  out.rest = std::sqrt(squares / n);
  return out;
}

std::span<const double> part(std::span<const double> x, std::size_t from, std::size_t to) {
  return x.subspan(from, to - from);
}

/// First row of the monotonic growth of the force in direction `sign` that ends at `end`; in steps of a tenth of the rest.
std::size_t begin_of_growth(const Track& k, std::size_t rest, std::size_t end, double sign) {
  const std::size_t step = std::max<std::size_t>(1, (end - rest) / 20);
  std::size_t from = end - step;
  double later = sign * mean(part(k.y, from, end));
  while (from >= rest + step) {
    const double earlier = sign * mean(part(k.y, from - step, from));
    if (earlier >= later) break;
    later = earlier;
    from -= step;
  }
  return from;
}

struct BreakAway {
  double sign = 1, value = 0, low = 0, high = 0;
  const Track* track = nullptr;
  std::size_t from = 0, to = 0;
};

/// The break-away at the end of the rest [rest, onset), if it is clear.
bool break_away(const Track& k, std::size_t rest, std::size_t onset, BreakAway& out) {
  const double sign = k.v[onset] > 0 ? 1 : -1;
  const std::size_t from = begin_of_growth(k, rest, onset, sign), n = onset - from;
  if (n < fewest) return false;
  const double duration = k.t[onset] - k.t[from];
  // Creep and noise of the speed during the ramp, and the speed soon after it.
  const std::size_t early = from + n / 5, late = from + 7 * n / 10;
  const Line way = line_through(k.t, k.x, early, late);
  const double creep = sign * way.slope;
  const bool creeps = creep * (k.t[late] - k.t[early]) > 4 * way.rest;
  double most = 0, fast = 0;
  for (std::size_t i = early; i < late; ++i) most = std::max(most, std::abs(k.v[i]));
  std::size_t top = onset;
  for (std::size_t i = onset; i < k.size() && k.t[i] - k.t[onset] <= 0.2 * duration; ++i) {
    if (sign * k.v[i] > fast) fast = sign * k.v[i], top = i;
  }
  if (!(fast > 10 * most)) return false;
  auto rise_above = [&](double level) {
    std::size_t i = top;
    while (i > from && sign * k.v[i - 1] > level) --i;
    return i;
  };
  auto time_of = [&](double level) {
    const std::size_t i = rise_above(level);
    if (i == from) return k.t[from];
    const double a = sign * k.v[i - 1], b = sign * k.v[i];
    return k.t[i - 1] + (k.t[i] - k.t[i - 1]) * std::clamp((level - a) / (b - a), 0.0, 1.0);
  };
  // Beyond break-away the speed grows as a power between 1 and 2 of time, or faster: its start is about as long before
  // the first visible speed as a fourfold speed is after it, and about three times the displacement divided by the speed.
  // Creep of pre-sliding is visible before break-away and grows up to it: the first speed far above it counts.
  const double step = duration / static_cast<double>(n),
               least = creeps ? std::max(2 * most, std::min(10 * most, 0.05 * fast)) : 2 * most;
  const double visible = time_of(least), fourfold = time_of(std::min(4 * least, 0.9 * fast));
  double first = visible - 1.5 * (fourfold - visible);
  const std::size_t row = rise_above(least);
  if (!creeps && row > from + n / 2) {
    const std::size_t middle = from + n / 2;
    const double still =
        median({k.x.begin() + static_cast<std::ptrdiff_t>(middle), k.x.begin() + static_cast<std::ptrdiff_t>(row)});
    first = std::min(first, k.t[row] - 4 * std::abs((k.x[row] - still) / k.v[row]));
  }
  first -= 2 * step;
  const double last = time_of(0.1 * fast) + step;
  const std::size_t end = std::min(static_cast<std::size_t>(std::ranges::lower_bound(k.t, first) - k.t.begin()), onset);
  if (end < from + fewest) return false;
  const std::size_t begin = end - std::max<std::size_t>((end - from) / 3, 10);
  const Line line = line_through(k.t, k.y, begin, end);
  const double rise = sign * line.slope * (k.t[end - 1] - k.t[begin]);
  const double whole = sign * (line.at(k.t[end - 1]) - mean(part(k.y, from, from + std::max<std::size_t>(n / 20, 1))));
  // The extrapolated line has four times the variance of the mean of its rows.
  const double noise = 4 * line.rest / std::sqrt(static_cast<double>(end - begin));
  out = {.sign = sign, .track = &k, .from = from, .to = end};
  out.low = std::min(line.at(first), line.at(last)) - noise;
  out.high = std::max(line.at(first), line.at(last)) + noise;
  out.value = line.at(first + (creeps ? 0.6 : 0.25) * (last - first));
  const bool grows = rise > 0 && sign * out.value > 0 && whole > 0.3 * std::abs(out.value);
  const bool straight = line.rest < 0.1 * rise || line.rest * std::sqrt(12.0) < 0.5 * rise;
  return grows && straight && out.high - out.low < 0.25 * std::abs(out.value);
}

/// The break-aways of a track. Those of an experiment begin many of its motions, or follow ramps that are long compared
/// with the motions; a servo that sticks at a reversal is not an experiment.
std::vector<BreakAway> break_aways(const Track& k) {
  std::vector<BreakAway> out;
  if (k.size() < 2 * fewest) return out;
  double fastest = 0;
  for (const double v : k.v) fastest = std::max(fastest, std::abs(v));
  std::vector<double> motions;  // durations
  std::size_t rest = 0;
  for (std::size_t i = 0; i < k.size(); ++i) {
    if (std::abs(k.v[i]) <= 0.05 * fastest) continue;
    BreakAway found;
    if (i >= rest + fewest && break_away(k, rest, i, found)) out.push_back(found);
    const std::size_t begin = i;
    while (i + 1 < k.size() && k.v[i + 1] * k.v[begin] > 0 && std::abs(k.v[i + 1]) > 0.05 * fastest) ++i;
    motions.push_back(k.t[i] - k.t[begin]);
    rest = i + 1;
  }
  const double usual = median(motions);
  if (3 * out.size() >= motions.size()) return out;
  std::erase_if(out, [&](const BreakAway& b) { return k.t[b.to] - k.t[b.from] < 3 * usual; });
  return out;
}

}  // namespace

std::vector<Observation> force_ramps(const std::vector<Track>& tracks) {
  std::vector<BreakAway> all;
  for (const Track& k : tracks) {
    for (const BreakAway& b : break_aways(k)) all.push_back(b);
  }
  std::vector<Observation> out;
  for (const double sign : {1.0, -1.0}) {
    Observation o{.experiment = "force ramp", .name = "break-away", .unit = "N", .v = sign};
    std::vector<double> values;
    double low = 0, high = 0, lowest = inf, highest = -inf;
    const BreakAway* first = nullptr;
    for (const BreakAway& b : all) {
      if (b.sign != sign) continue;
      if (!first) first = &b;
      values.push_back(b.value);
      low += b.low;
      high += b.high;
      lowest = std::min(lowest, b.low);
      highest = std::max(highest, b.high);
      o.rows += b.to - b.from;
      if (std::ranges::find(o.recordings, b.track->recording->name) == o.recordings.end())
        o.recordings.push_back(b.track->recording->name);
    }
    if (!first) continue;
    const auto n = static_cast<double>(values.size());
    o.repetitions = values.size();
    o.value = median(values);
    o.scatter = standard_deviation(values);
    o.from = first->track->t[first->from];
    o.to = first->track->t[first->to - 1];
    // The width of each interval is systematic and remains in the mean; the scatter of repetitions adds to it.
    const double half = n > 1 ? student_95(n - 1) * 1.2533 * o.scatter / std::sqrt(n) : 0;
    o.low = n > 2 ? std::min(low / n, o.value) - half : lowest;
    o.high = n > 2 ? std::max(high / n, o.value) + half : highest;
    out.push_back(std::move(o));
  }
  if (out.size() == 2) out.push_back(half_difference(out[0], out[1]));
  return out;
}

}  // namespace bristle::identify
