#include <fmt/format.h>

#include "sweep/analyze/shooting.hpp"

namespace bristle::analysis {
namespace {

/// The largest and the least value of y over t from values and slopes, by cubic interpolation where the slope changes its sign.
std::pair<double, double> range_of(const std::vector<double>& t, const std::vector<double>& y,
                                   const std::vector<double>& slope) {
  double lo = inf, hi = -inf;
  for (std::size_t i = 0; i < t.size(); ++i) {
    lo = std::min(lo, y[i]);
    hi = std::max(hi, y[i]);
    if (i == 0 || slope[i - 1] * slope[i] >= 0) continue;
    const double h = t[i] - t[i - 1];
    for (int k = 1; k < 64; ++k) {
      const double q = k / 64.0, p = 1 - q;
      const double at =
          p * p * (1 + 2 * q) * y[i - 1] + q * q * (1 + 2 * p) * y[i] + h * p * q * (p * slope[i - 1] - q * slope[i]);
      lo = std::min(lo, at);
      hi = std::max(hi, at);
    }
  }
  return {lo, hi};
}

/// Passes of the velocity of the drive, rising, with the range of drive - x after each.
struct Passes {
  std::vector<double> times{}, ranges{};
  double unrest = 0;  // largest |v - V| in the last quarter, over V
};

Passes passes_of(const Trace& probes, double V) {
  const std::vector<double>&t = probes.find("t")->values, &v = probes.find("v")->values, &x = probes.find("x")->values,
        &drive = probes.find("drive")->values;
  Passes out;
  double lo = inf, hi = -inf;
  for (std::size_t i = 1; i < t.size(); ++i) {
    const double before = v[i - 1] / V - 1, now = v[i] / V - 1, stretch = drive[i] - x[i];
    if (t[i] > 0.25 * t.front() + 0.75 * t.back()) out.unrest = std::max(out.unrest, std::abs(now));
    lo = std::min(lo, stretch);
    hi = std::max(hi, stretch);
    if (!(before < 0 && now >= 0)) continue;
    if (!out.times.empty()) out.ranges.push_back(hi - lo);
    out.times.push_back(t[i - 1] - before / (now - before) * (t[i] - t[i - 1]));
    lo = hi = stretch;
  }
  return out;
}

/// Number of passes in a settled cycle, 0 without one: bristles may ring while the body sticks, and pass the velocity of the
/// drive several times.
std::size_t turns_of(const std::vector<double>& ranges) {
  constexpr double alike = 3e-3;  // the ranges are taken from points
  const std::size_t n = ranges.size();
  for (std::size_t turns = 1; n >= std::max<std::size_t>(4, 3 * turns); ++turns) {
    const std::size_t from = std::min(n / 2, n - 2 * turns);
    const auto [lo, hi] = std::minmax_element(ranges.begin() + static_cast<std::ptrdiff_t>(from), ranges.end());
    if (turns > 1 && *hi - *lo < 10 * alike * *hi) break;  // a slow change, not different passes
    bool same = true;
    for (std::size_t i = from; i < from + turns; ++i) {  // the passes of one kind
      double least = inf, most = -inf;
      for (std::size_t k = i; k < n; k += turns) least = std::min(least, ranges[k]), most = std::max(most, ranges[k]);
      same = same && most - least < alike * *hi;
    }
    if (same) return turns;
  }
  return 0;
}

std::vector<double> grid(double from, double to, int n) {
  std::vector<double> out;
  for (int i = 0; i <= n; ++i) out.push_back(i == n ? to : from + (to - from) * i / n);
  return out;
}

}  // namespace

void add_orbit(const Run& run, const std::vector<double>& times, double velocity, Cycle& out) {
  const std::vector<double>& v = run.probes.find("v")->values;
  std::vector<double> stretch(v.size()), slope(v.size()), t(v.size());
  for (std::size_t i = 0; i < v.size(); ++i) {
    stretch[i] = run.probes.find("drive")->values[i] - run.probes.find("x")->values[i];
    slope[i] = velocity - v[i];
    t[i] = times[i] - times.front();
  }
  const auto [lo, hi] = range_of(t, stretch, slope);
  const auto [slow, fast] = std::ranges::minmax(v);
  out.amplitude = 0.5 * (hi - lo);
  out.v_least = slow;
  out.v_most = fast;
  out.orbit.columns = {
      {"t", "s", t}, {"stretch", "m", stretch}, {"v", "m/s", v}, {"F", "N", run.probes.find("F")->values}};
}

CycleRead simulated_cycle(const Shooting& s) {
  constexpr std::size_t enough = 30;
  const double patience = s.patience();
  double wait = 0, length = s.loading() + 6 * (s.loading() + 1.5 * s.oscillation());
  std::string reason = "no settled cycle";
  for (int tries = 0; tries < 12; ++tries) {
    const double end = wait + length;
    const Passes p = passes_of(s.fly(s.at_rest(), false, end, grid(wait, end, 8000)).probes, s.velocity());
    if (p.times.size() > 4 * enough) {  // too few rows for each
      length = p.times[enough] - wait;
      continue;
    }
    if (p.unrest < 1e-4) {
      const double grown = 4 * patience;  // e^40: from rounding to the amplitude of a cycle
      if (end >= grown || !s.unstable()) return {{}, "the motion from rest ends in steady sliding: no cycle"};
      wait = grown;
      continue;
    }
    const std::size_t n = p.ranges.size();
    if (const std::size_t turns = turns_of(p.ranges); turns > 0) {
      const double from = p.times[n - turns], to = p.times[n];
      const std::vector<double> times = grid(from, to, 3000);
      Cycle out{.period = to - from};
      const Run run = s.fly(s.at_rest(), false, to, times);
      add_orbit(run, times, s.velocity(), out);
      // An oscillation in slip alone may be one that grows or decays slowly.
      const bool slips = out.v_least / s.velocity() > 0;
      if (!slips || end >= patience) return {std::move(out), {}};
      reason = fmt::format("the oscillation around steady sliding has not settled in {:.3g} s", end);
    } else if (n >= 4) {
      const auto [least, most] =
          std::minmax_element(p.ranges.begin() + static_cast<std::ptrdiff_t>(n / 2), p.ranges.end());
      reason = fmt::format("the ranges of the last {} cycles of {:.3g} s differ by {:.2g} %: no settled cycle found",
                           n - n / 2, end, 100 * (*most - *least) / *most);
    }
    if (n < enough / 2) {
      length *= 3;
    } else if (tries < 4 || end < patience) {
      wait = std::max(2 * end, std::min(patience, 6 * end));
    } else {
      break;
    }
  }
  return {{}, reason};
}

}  // namespace bristle::analysis
