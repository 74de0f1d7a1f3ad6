#include "data/clean.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/number.hpp"

namespace bristle::identify {
namespace {

using Series = std::vector<double>;

/// Keeps the rows marked in `keep` in every series.
void select(Recording& r, const std::vector<bool>& keep, std::vector<std::size_t>* row = nullptr) {
  auto reduce = [&](auto& s) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < s.size(); ++i) {
      if (keep[i]) s[kept++] = s[i];
    }
    s.resize(kept);
  };
  each_series(r, reduce);
  if (row) reduce(*row);
}

/// The q-quantile of the values.
double quantile(Series values, double q) {
  if (values.empty()) return 0;
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(q * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

Series steps_of(const Series& t) {
  Series out;
  out.reserve(t.size());
  for (std::size_t i = 1; i < t.size(); ++i) out.push_back(t[i] - t[i - 1]);
  return out;
}

std::string percent(std::size_t part, std::size_t all) {
  return fmt::format("{:.2g} %", 100 * static_cast<double>(part) / static_cast<double>(all));
}

struct Range {
  double lo, hi;
};
Range range_of(const Series& s) {
  const auto [lo, hi] = std::minmax_element(s.begin(), s.end());
  return {*lo, *hi};
}

}  // namespace

std::string rows(std::size_t n) { return fmt::format("{} {}", grouped(n), n == 1 ? "row" : "rows"); }

void drop_missing(Recording& r, std::vector<std::size_t>& row, Findings& findings) {
  const std::size_t n = row.size();
  for (Series* s : {&r.N, &r.T, &r.sigma}) {  // optional series do not cost rows
    const auto missing =
        static_cast<std::size_t>(std::count_if(s->begin(), s->end(), [](double x) { return !std::isfinite(x); }));
    if (missing * 2 <= n || s->empty()) continue;
    findings.push_back(
        {true, fmt::format("{0} of {1} values of {2} missing: {2} not used", grouped(missing), grouped(n),
                           s == &r.N   ? "N"
                           : s == &r.T ? "T"
                                       : "sigma")});
    s->clear();
  }
  std::vector<bool> keep(n, true);
  each_series(r, [&](const Series& s) {
    for (std::size_t i = 0; i < n; ++i) keep[i] = keep[i] && std::isfinite(s[i]);
  });
  const auto left_out = static_cast<std::size_t>(std::count(keep.begin(), keep.end(), false));
  if (left_out == 0) return;
  select(r, keep, &row);
  findings.push_back(
      {left_out * 20 > n, fmt::format("{} with missing values skipped ({})", rows(left_out), percent(left_out, n))});
}

void check_time(Recording& r, std::vector<std::size_t>& row, const std::function<Problem(std::size_t)>& where,
                Findings& findings, Problems& problems) {
  std::vector<bool> keep(r.t.size(), true);
  std::size_t repeated = 0;
  double last = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < r.t.size(); ++i) {
    if (r.t[i] < last) {
      Problem p = where(row[i]);
      p.text += fmt::format("t = {:.9g} s follows t = {:.9g} s; time must not decrease", r.t[i], last);
      problems.push_back(std::move(p));
      return;
    }
    keep[i] = r.t[i] > last;
    repeated += keep[i] ? 0U : 1U;
    last = r.t[i];
  }
  constexpr double long_ago = 1e7;  // s: a date
  if (const double first = r.t.empty() ? 0 : r.t.front(); std::abs(first) > long_ago) {
    for (double& t : r.t) t -= first;
    findings.push_back({false, "t relative to the first row"});
  }
  if (repeated == 0) return;
  const std::size_t n = r.t.size();
  const bool many = repeated * 20 > n;
  findings.push_back({many, fmt::format("{} with repeated time skipped{}", rows(repeated),
                                        many ? fmt::format(" ({}): the resolution of t is coarser than the sampling",
                                                           percent(repeated, n))
                                             : "")});
  select(r, keep, &row);
}

void drop_spikes(Recording& r, std::vector<std::size_t>& row, Findings& findings) {
  const std::size_t n = r.t.size();
  if (n < 20) return;
  std::vector<bool> keep(n, true);
  std::size_t spikes = 0;
  for (const Series* s : {&r.x, &r.v}) {
    if (s->empty()) continue;
    Series off(n);
    for (std::size_t i = 1; i + 1 < n; ++i) {
      const double share = (r.t[i] - r.t[i - 1]) / (r.t[i + 1] - r.t[i - 1]);
      off[i] = std::abs((*s)[i] - (1 - share) * (*s)[i - 1] - share * (*s)[i + 1]);
    }
    const double usual = quantile(off, 0.99), range = range_of(*s).hi - range_of(*s).lo;
    for (std::size_t i = 1; i + 1 < n; ++i) {  // a single sample far from both neighbours
      const bool peak = off[i] >= off[i - 1] && off[i] >= off[i + 1];
      if (peak && off[i] > 20 * usual && off[i] > 0.02 * range && std::abs((*s)[i + 1] - (*s)[i - 1]) < 0.2 * off[i]) {
        spikes += keep[i] ? 1U : 0U;
        keep[i] = false;
      }
    }
  }
  if (spikes == 0 || spikes * 100 > n) return;  // frequent jumps belong to the motion
  select(r, keep, &row);
  findings.push_back({true, fmt::format("{} skipped: spikes of position or velocity", rows(spikes))});
}

void unwrap(Series& x, bool rotational, bool angle, Findings& findings) {
  if (!rotational || x.size() < 3) return;
  const Range range = range_of(x);
  const double turn = 2 * std::numbers::pi, width = range.hi - range.lo;
  // Degrees or counts without a unit wrap too; a wrapping angle fills its range.
  for (const double period : angle ? Series{turn, turn / 2} : Series{turn, 360, 1}) {
    if (width > 1.01 * period || width < 0.9 * period) continue;
    double shift = 0;
    std::size_t jumps = 0;
    Series out = x;
    for (std::size_t i = 1; i < x.size(); ++i) {
      const double step = x[i] - x[i - 1];
      if (std::abs(step) > 0.8 * period) {
        shift -= std::copysign(period, step);
        ++jumps;
      }
      out[i] += shift;
    }
    if (jumps == 0 || jumps * 5 > x.size()) continue;
    x = std::move(out);
    findings.push_back({false, fmt::format("x unwrapped at {}{:.4g}: {} {}", period == turn ? "one turn, " : "", period,
                                           jumps, jumps == 1 ? "jump" : "jumps")});
    return;
  }
}

void find_stretches(Recording& r, std::vector<std::size_t>& row, Findings& findings) {
  const Series steps = steps_of(r.t);
  const double median = quantile(steps, 0.5), high = quantile(steps, 0.99);
  const double gap = std::max(8 * median, 3 * high);
  constexpr std::size_t fewest = 8;
  std::vector<std::size_t> begins{0};
  double longest = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i] <= gap) continue;
    begins.push_back(i + 1);
    longest = std::max(longest, steps[i]);
  }
  std::vector<bool> keep(r.t.size(), true);
  r.stretches.clear();
  std::size_t kept = 0, lost = 0;
  for (std::size_t k = 0; k < begins.size(); ++k) {
    const std::size_t end = k + 1 < begins.size() ? begins[k + 1] : r.t.size(), n = end - begins[k];
    if (n < fewest && begins.size() > 1) {
      std::fill(keep.begin() + static_cast<std::ptrdiff_t>(begins[k]), keep.begin() + static_cast<std::ptrdiff_t>(end),
                false);
      lost += n;
    } else {
      r.stretches.push_back(kept);
      kept += n;
    }
  }
  if (r.stretches.empty()) r.stretches.push_back(0);
  if (lost > 0) select(r, keep, &row);
  const double low = quantile(steps, 0.01);
  const bool even = high - low < 0.02 * median;
  findings.push_back(
      {false, fmt::format("{}, {:.4g} s {} {:.4g} Hz{}", rows(r.t.size()), r.t.empty() ? 0 : r.t.back() - r.t.front(),
                          even ? "at" : "at about", 1 / median,
                          even ? "" : fmt::format(" (steps of {:.3g} to {:.3g} s)", low, high))});
  if (begins.size() > 1) {
    findings.push_back(
        {true, fmt::format("{} {}, the longest {:.3g} s: states restart after {}{}", begins.size() - 1,
                           begins.size() == 2 ? "gap" : "gaps", longest, begins.size() == 2 ? "the gap" : "each gap",
                           lost > 0 ? fmt::format("; {} between gaps skipped", rows(lost)) : "")});
  }
}

void find_clipping(const Recording& r, Findings& findings) {
  struct Named {
    const char* name;
    const Series* series;
  };
  for (const auto& [name, series] : {Named{r.coefficient ? "mu" : "F", &r.F}, Named{"u", &r.u}, Named{"v", &r.v}}) {
    const std::size_t n = series->size();
    if (n < 100) continue;
    const Range range = range_of(*series);
    if (range.hi <= range.lo) continue;
    std::size_t held = 0, elsewhere = 0;
    for (std::size_t i = 1; i < n; ++i) {
      const double x = (*series)[i];
      if (x == (*series)[i - 1]) ++(x == range.lo || x == range.hi ? held : elsewhere);
    }
    // A saturated sensor repeats one value; elsewhere neighbouring samples rarely agree.
    if (2 * held > n) continue;  // friction that is constant in sliding
    for (const double end : {range.lo, range.hi}) {
      std::size_t at = 0, runs = 0, longest = 0, run = 0;
      for (const double x : *series) {
        run = x == end ? run + 1 : 0;
        at += x == end ? 1U : 0U;
        runs += run == 4 ? 1U : 0U;
        longest = std::max(longest, run);
      }
      if (runs == 0 || at * 1000 < n || elsewhere * 10 > n - held) continue;
      findings.push_back(
          {true, fmt::format("{} stays at its {} {:.5g} for up to {} ({}): possibly a saturated sensor", name,
                             end == range.lo ? "minimum" : "maximum", end, rows(longest), percent(at, n))});
    }
  }
}

void find_clipped_position(const std::vector<double>& x, Findings& findings) {
  const std::size_t n = x.size();
  if (n < 100) return;
  Series steps(n - 1);
  for (std::size_t i = 1; i < n; ++i) steps[i - 1] = std::abs(x[i] - x[i - 1]);
  const double fast = 0.3 * quantile(steps, 0.95);
  const Range range = range_of(x);
  for (const double end : {range.lo, range.hi}) {
    std::size_t held = 0, runs = 0;
    for (std::size_t i = 2; i + 6 < n; ++i) {
      if (x[i] != end || x[i - 1] == end) continue;
      std::size_t j = i;
      while (j < n && x[j] == end) ++j;
      // A body slows down before it rests; a sensor saturates and recovers at speed.
      if (j >= i + 4 && j + 1 < n && steps[i - 2] > fast && steps[j] > fast) {
        held += j - i;
        ++runs;
      }
      i = j;
    }
    if (runs > 1) {
      findings.push_back(
          {true, fmt::format("x stays at its {} {:.5g} for {} between fast motions: possibly a saturated sensor",
                             end == range.lo ? "minimum" : "maximum", end, rows(held))});
    }
  }
}

void check_sense(const Recording& r, const std::string& path, const std::function<std::string(std::size_t)>& where,
                 Findings& findings, Problems& problems) {
  struct Limit {
    const char *name, *unit;
    const Series* series;
    double most;
    const char* hint;
  };
  const bool turn = r.rotational;
  const Limit limits[]{{"x", "m", turn ? nullptr : &r.x, 1e3, "possibly in mm or um"},
                       {"v", turn ? "rad/s" : "m/s", &r.v, turn ? 2e4 : 1e3,
                        turn ? "possibly in rpm or deg/s" : "possibly in mm/s or um/s"},
                       {r.coefficient ? "mu" : "F",
                        r.coefficient ? ""
                        : turn        ? "N m"
                                      : "N",
                        &r.F, r.coefficient ? 10 : 1e8, "possibly in another unit"},
                       {"u", turn ? "N m" : "N", &r.u, 1e8, "possibly in another unit"}};
  for (const Limit& l : limits) {
    if (!l.series || l.series->empty()) continue;
    const Range range = range_of(*l.series);
    const double size = std::max(std::abs(range.lo), std::abs(range.hi));
    const bool target = !r.motion && (l.series == &r.F || l.series == &r.u);
    if (range.lo == range.hi) {
      const bool still = l.series == &r.v || (l.series == &r.x && r.v.empty());
      if (target || still) {
        problems.push_back({path, fmt::format("{} is constant ({}); {}", l.name, to_text(range.lo),
                                              target ? "a varying force is required" : "motion is required")});
      }
    } else if (size > l.most) {
      const auto at = std::ranges::find_if(*l.series, [&](double x) { return std::abs(x) == size; });
      findings.push_back(
          {true,
           fmt::format("{} reaches {:.3g} {} in {}, which is implausible: {}; --column \"{}=... [unit]\" sets the unit",
                       l.name, size, l.unit, where(static_cast<std::size_t>(at - l.series->begin())), l.hint, l.name)});
    }
  }
  for (const Series* s : {&r.N, &r.T}) {
    if (s->empty()) continue;
    if (const Range range = range_of(*s); range.lo == range.hi)
      findings.push_back({false, fmt::format("{} is constant ({})", s == &r.N ? "N" : "T", to_text(range.lo))});
  }
  if (!r.steady() && r.t.size() > 1) {
    const double step = quantile(steps_of(r.t), 0.5);
    if (step > 100 || step < 1e-7)
      findings.push_back(
          {true,
           fmt::format(
               "one row every {:.3g} s, which is implausible: t possibly in ms or us; --column \"t=... [ms]\" sets the unit",
               step)});
  }
  constexpr std::size_t few = 50;
  if (r.size() < few && !r.steady())
    findings.push_back(
        {true, fmt::format("only {}: wide intervals and uncertain cross-validation errors", rows(r.size()))});
}

void check_sliding(Recording& r, Findings& findings) {
  const Series& y = r.target();
  if (r.v.empty() || y.empty() || r.motion) return;
  double work = 0, size = 0;
  bool moving = false;
  const double fast = 0.1 * quantile(
                                [&] {
                                  Series s = r.v;
                                  for (double& x : s) x = std::abs(x);
                                  return s;
                                }(),
                                0.95);
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (std::abs(r.v[i]) <= fast) continue;
    work += y[i] * (r.v[i] > 0 ? 1 : -1);
    size += std::abs(y[i]);
    moving = true;
  }
  if (moving && work < -0.5 * size) {
    const char* name = r.coefficient ? "mu" : r.u.empty() ? "F" : "u";
    if (r.u.empty()) {
      for (double& f : r.F) f = -f;
      findings.push_back(
          {true, fmt::format("{} points along the motion, but friction resists it: sign changed", name)});
    } else {
      findings.push_back({true, "u mostly opposes the motion: possibly a wrong sign; --column u=-... changes it"});
    }
  }
  if (r.x.size() != y.size() || r.steady() || !r.u.empty()) return;
  double mx = 0, my = 0, xx = 0, yy = 0, xy = 0;
  const auto n = static_cast<double>(y.size());
  for (std::size_t i = 0; i < y.size(); ++i) {
    mx += r.x[i] / n;
    my += y[i] / n;
  }
  for (std::size_t i = 0; i < y.size(); ++i) {
    xx += (r.x[i] - mx) * (r.x[i] - mx);
    yy += (y[i] - my) * (y[i] - my);
    xy += (r.x[i] - mx) * (y[i] - my);
  }
  if (xx > 0 && yy > 0 && xy * xy > 0.97 * xx * yy && xy > 0) {
    findings.push_back(
        {true,
         fmt::format("the force follows the position like a spring ({:.1f} %): almost no sliding, friction in sliding "
                     "not identifiable",
                     100 * xy * xy / (xx * yy))});
  }
}

}  // namespace bristle::identify
