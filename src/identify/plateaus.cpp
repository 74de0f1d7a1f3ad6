#include <algorithm>
#include <cmath>
#include <deque>
#include <utility>

#include "identify/experiments.hpp"
#include "identify/statistics.hpp"

namespace bristle::identify {
namespace {

/// Mean velocities of consecutive blocks of `width` intervals.
std::vector<double> block_speeds(const Track& k, std::size_t width) {
  std::vector<double> out;
  for (std::size_t i = 0; i + width < k.size(); i += width)
    out.push_back((k.x[i + width] - k.x[i]) / (k.t[i + width] - k.t[i]));
  return out;
}

/// Consecutive blocks.
struct BlocksOfRows {
  std::size_t from = 0, to = 0;
  std::size_t size() const { return to - from; }
};

/// For every first block the longest run whose speeds differ by at most ten percent, longest first.
std::vector<BlocksOfRows> even_runs(const std::vector<double>& u) {
  std::vector<BlocksOfRows> out;
  std::deque<std::size_t> low, high;  // indices of increasing and of decreasing speeds
  std::size_t to = 0;
  auto fits = [&](double e) {
    const double a = low.empty() ? e : std::min(e, u[low.front()]), b = high.empty() ? e : std::max(e, u[high.front()]);
    return a * b > 0 && b - a <= 0.1 * std::max(std::abs(a), std::abs(b));
  };
  for (std::size_t from = 0; from < u.size(); ++from) {
    for (; to < u.size() && fits(u[to]); ++to) {
      while (!low.empty() && u[low.back()] >= u[to]) low.pop_back();
      while (!high.empty() && u[high.back()] <= u[to]) high.pop_back();
      low.push_back(to);
      high.push_back(to);
    }
    out.push_back({from, to});
    if (!low.empty() && low.front() == from) low.pop_front();
    if (!high.empty() && high.front() == from) high.pop_front();
    to = std::max(to, from + 1);
  }
  std::ranges::sort(out, {}, [&](const BlocksOfRows& b) { return std::pair(u.size() - b.size(), b.from); });
  return out;
}

/// A plateau ends abruptly: the run covers most of the blocks around it with similar speeds. A sine or a ramp of the
/// speed does not.
bool ends_abruptly(const std::vector<double>& u, const BlocksOfRows& run, double v) {
  auto similar = [&](std::size_t b) { return std::abs(u[b] - v) <= 0.3 * std::abs(v); };
  BlocksOfRows wide = run;
  while (wide.from > 0 && similar(wide.from - 1)) --wide.from;
  while (wide.to < u.size() && similar(wide.to)) ++wide.to;
  return static_cast<double>(run.size()) >= 0.7 * static_cast<double>(wide.size());
}

/// Whether the speeds follow a parabola, as at the top of a sine.
bool bends(const std::vector<double>& u, const BlocksOfRows& run, double v) {
  double bend = 0, base = 0, squares = 0;
  for (std::size_t b = run.from; b < run.to; ++b) {
    const double s = (2 * static_cast<double>(b - run.from) + 1) / static_cast<double>(run.size()) - 1,
                 p = s * s - 1 / 3.0;
    bend += p * (u[b] / v - 1);
    base += p * p;
    squares += (u[b] / v - 1) * (u[b] / v - 1);
  }
  return bend * bend > 0.6 * base * squares && std::abs(bend / base) > 0.01;
}

/// Whether the speed really varies within the rows: other than noise, a motion does not average out over two samples.
bool oscillates(const Track& k, std::size_t from, std::size_t to, double v) {
  double one = 0, two = 0;
  std::size_t n = 0;
  for (std::size_t i = from; i + 2 < to; i += 2, ++n) {
    one += std::pow((k.x[i + 1] - k.x[i]) / (k.t[i + 1] - k.t[i]) / v - 1, 2);
    two += std::pow((k.x[i + 2] - k.x[i]) / (k.t[i + 2] - k.t[i]) / v - 1, 2);
  }
  return n > 0 && two > 0.09 * static_cast<double>(n) && one < 1.4 * two;
}

}  // namespace

double median(std::vector<double> x) {
  if (x.empty()) return 0;
  const auto middle = x.begin() + static_cast<std::ptrdiff_t>(x.size() / 2);
  std::ranges::nth_element(x, middle);
  if (x.size() % 2 == 1) return *middle;
  return 0.5 * (*middle + *std::max_element(x.begin(), middle));
}

double standard_deviation(std::span<const double> x) {
  if (x.size() < 2) return 0;
  double mean = 0, squares = 0;
  for (const double e : x) mean += e / static_cast<double>(x.size());
  for (const double e : x) squares += (e - mean) * (e - mean);
  return std::sqrt(squares / static_cast<double>(x.size() - 1));
}

std::vector<Plateau> plateaus_of(const Track& k) {
  // Noisy speeds agree by chance in a few blocks; a long recording offers more chances.
  const std::size_t fewest = 8 + static_cast<std::size_t>(std::log2(1 + static_cast<double>(k.size()) / 1000));
  std::vector<Plateau> out;
  std::vector<bool> covered(k.size(), false);
  // Slow motion requires long blocks for a speed above the noise of the position.
  for (std::size_t width = 4; width * fewest < k.size(); width *= 2) {
    const std::vector<double> u = block_speeds(k, width);
    std::vector<bool> tried(u.size(), false);  // in a longer run that is not a plateau
    for (const BlocksOfRows& run : even_runs(u)) {
      if (run.size() < fewest) break;
      const std::size_t from = run.from * width, to = run.to * width + 1;
      if (tried[run.from + run.size() / 2]) continue;
      bool free = !covered[to - 1];
      for (std::size_t i = from; i < to && free; i += width) free = !covered[i];
      if (!free) continue;
      const double v = (k.x[to - 1] - k.x[from]) / (k.t[to - 1] - k.t[from]);
      if (!ends_abruptly(u, run, v) || bends(u, run, v) || oscillates(k, from, to, v)) {
        std::fill_n(tried.begin() + static_cast<std::ptrdiff_t>(run.from), run.size(), true);
        continue;
      }
      std::fill_n(covered.begin() + static_cast<std::ptrdiff_t>(from), to - from, true);
      out.push_back({&k, from, to, v});
    }
  }
  std::ranges::sort(out, {}, &Plateau::from);
  return out;
}

Level level_of(const Track& k, std::size_t from, std::size_t to) {
  const std::vector<double> y(k.y.begin() + static_cast<std::ptrdiff_t>(from),
                              k.y.begin() + static_cast<std::ptrdiff_t>(to));
  const std::size_t n = y.size();
  Level out{.value = median(y), .from = from, .to = to};
  std::vector<double> rest(y), size;
  size.reserve(n);
  for (double& e : rest) e -= out.value;
  for (const double e : rest) size.push_back(std::abs(e));
  out.scatter = 1.4826 * median(size);
  // The error of a median, from the correlation of neighbours and from the scatter of ten parts (slow changes).
  const Autoregression process = autoregression(rest, {0}, 24);
  const double inflation = std::max(1.0, process.inflation()), independent = static_cast<double>(n) / inflation;
  const double by_rows = 1.2533 * std::sqrt(process.variance / independent);
  constexpr std::size_t parts = 10;
  std::vector<double> levels;
  levels.reserve(parts);
  for (std::size_t p = 0; p < parts; ++p)
    levels.push_back(median({y.begin() + static_cast<std::ptrdiff_t>(p * n / parts),
                             y.begin() + static_cast<std::ptrdiff_t>((p + 1) * n / parts)}));
  const double by_parts = standard_deviation(levels) / std::sqrt(static_cast<double>(parts));
  out.error = std::max(by_rows, by_parts);
  out.freedom = by_parts > by_rows ? static_cast<double>(parts - 1) : std::max(1.0, independent - 1);
  return out;
}

Level steady_level(const Plateau& p) {
  const Track& k = *p.track;
  constexpr std::size_t parts = 20;
  const std::size_t n = p.to - p.from;
  auto edge = [&](std::size_t b) { return p.from + b * n / parts; };
  const Level late = level_of(k, edge(parts / 2), p.to);
  std::vector<double> means;
  means.reserve(parts);
  for (std::size_t b = 0; b < parts; ++b)
    means.push_back(median(
        {k.y.begin() + static_cast<std::ptrdiff_t>(edge(b)), k.y.begin() + static_cast<std::ptrdiff_t>(edge(b + 1))}));
  const double scatter = standard_deviation(std::span(means).subspan(parts / 2));
  const double close = std::max(0.03 * std::abs(late.value), 3 * scatter);
  std::size_t first = parts / 2;  // the force has settled from here on
  while (first > 0 && std::abs(means[first - 1] - late.value) <= close) --first;
  if (first > 0) ++first;  // a margin after a transient
  if (first > parts / 2) return {};
  const std::size_t from = edge(first), middle = from + (p.to - from) / 2;
  const Level one = level_of(k, from, middle), two = level_of(k, middle, p.to);
  const double change = std::abs(two.value - one.value);
  if (change > std::max(0.05 * std::abs(late.value), 4 * std::hypot(one.error, two.error))) return {};
  return level_of(k, from, p.to);
}

Observation half_difference(const Observation& plus, const Observation& minus) {
  Observation o = plus;
  o.name = plus.experiment == "force ramp" ? "break-away friction" : "friction";
  o.v = 0.5 * (plus.v - minus.v);
  o.value = 0.5 * (plus.value - minus.value);
  o.low = 0.5 * (plus.low - minus.high);  // errors of both may have one cause
  o.high = 0.5 * (plus.high - minus.low);
  o.scatter = std::hypot(plus.scatter, minus.scatter) / std::sqrt(2.0);
  o.rows += minus.rows;
  o.repetitions = std::min(plus.repetitions, minus.repetitions);
  for (const std::string& r : minus.recordings) {
    if (std::ranges::find(o.recordings, r) == o.recordings.end()) o.recordings.push_back(r);
  }
  o.remark = "half the difference of both directions";
  return o;
}

std::vector<Observation> constant_speeds(const std::vector<Plateau>& plateaus) {
  struct Point {
    const Plateau* plateau;
    Level level;
  };
  std::vector<Point> points;
  for (const Plateau& p : plateaus) {
    if (const Level level = steady_level(p); level.to > level.from) points.push_back({&p, level});
  }
  std::ranges::sort(points, {}, [](const Point& p) { return std::pair(p.plateau->v, p.level.value); });
  std::vector<std::vector<Point>> groups;  // repetitions of one speed
  for (const Point& p : points) {
    const bool same = !groups.empty() && p.plateau->v * groups.back().front().plateau->v > 0 &&
                      std::abs(p.plateau->v / groups.back().front().plateau->v - 1) < 0.05;
    if (!same) groups.emplace_back();
    groups.back().push_back(p);
  }
  // Scatter between repetitions: drift of the sensor or of the joint, common to all speeds.
  double squares = 0, freedom = 0;
  for (const auto& g : groups) {
    std::vector<double> levels;
    levels.reserve(g.size());
    for (const Point& p : g) levels.push_back(p.level.value);
    squares += std::pow(standard_deviation(levels), 2) * static_cast<double>(g.size() - 1);
    freedom += static_cast<double>(g.size() - 1);
  }
  std::vector<Observation> out;
  double largest = 0;
  for (const Point& p : points) largest = std::max(largest, std::abs(p.level.value));
  for (const auto& g : groups) {
    const auto n = static_cast<double>(g.size());
    Observation o{.experiment = "constant speed", .unit = "N", .repetitions = g.size()};
    const Track& first = *g.front().plateau->track;
    o.name = first.recording->coefficient ? "mu" : first.recording->u.empty() ? "F" : "u";
    double variance = 0, scatter = 0, least = inf;
    for (const Point& p : g) {
      o.value += p.level.value / n;
      o.v += p.plateau->v / n;
      variance += std::pow(p.level.error / n, 2);
      scatter += p.level.scatter * p.level.scatter / n;
      least = std::min(least, p.level.freedom);
      o.rows += p.level.to - p.level.from;
      if (std::ranges::find(o.recordings, p.plateau->track->recording->name) == o.recordings.end())
        o.recordings.push_back(p.plateau->track->recording->name);
    }
    o.scatter = std::sqrt(scatter);
    const Level& level = g.front().level;
    o.from = first.t[level.from];
    o.to = first.t[level.to - 1];
    double half = student_95(least) * std::sqrt(variance);
    if (freedom > 2 || g.size() > 1) half = std::max(half, student_95(freedom) * std::sqrt(squares / freedom / n));
    o.low = o.value - half;
    o.high = o.value + half;
    if (half < 0.2 * largest) out.push_back(std::move(o));
  }
  const std::vector<Observation> single = out;
  for (const Observation& plus : single) {
    const auto minus = std::ranges::find_if(
        single, [&](const Observation& o) { return plus.v > 0 && o.v < 0 && std::abs(o.v / plus.v + 1) < 0.05; });
    if (minus != single.end()) out.push_back(half_difference(plus, *minus));
  }
  return out;
}

}  // namespace bristle::identify
