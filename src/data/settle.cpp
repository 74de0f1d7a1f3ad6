#include "data/settle.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>

#include "data/smooth.hpp"

namespace bristle::identify {
namespace {

/// Standard deviation of the noise where the recording is quietest: from fifth differences, which contain almost no motion,
/// in windows. Jumps of the acceleration let the smoother take this noise for motion.
double quietest(const Recording& r, const std::vector<double>& measured) {
  constexpr std::size_t window = 50;
  std::vector<double> levels;
  for (std::size_t k = 0; k < r.stretches.size(); ++k) {
    const std::size_t end = k + 1 < r.stretches.size() ? r.stretches[k + 1] : r.t.size();
    for (std::size_t from = r.stretches[k]; from + window + 5 <= end; from += window) {
      std::vector<double> sizes;
      for (std::size_t i = from; i < from + window; ++i) {
        const double* x = &measured[i];
        sizes.push_back(std::abs(x[5] - x[0] - 5 * (x[4] - x[1]) + 10 * (x[3] - x[2])));
      }
      std::ranges::nth_element(sizes, sizes.begin() + window / 2);
      levels.push_back(1.4826 * sizes[window / 2] / std::sqrt(252.0));
    }
  }
  if (levels.size() < 10) return 0;
  const auto low = levels.begin() + static_cast<std::ptrdiff_t>(levels.size() / 10);
  std::ranges::nth_element(levels, low);
  return *low;
}

/// Rows in which the position stays within its noise.
struct Quiet {
  std::size_t from = 0, to = 0;
  double way = 0, time = 0;
  double speed() const { return std::abs(way) / time; }
};

/// Mean velocity around quiet rows, as long as they are, where the motion there goes in their direction; else 0.
double speed_around(const Recording& r, const Quiet& q, std::size_t begin, std::size_t end) {
  const std::size_t n = q.to - q.from;
  if (q.from < begin + n || q.to + n > end) return 0;
  const double before = (r.x[q.from] - r.x[q.from - n]) / (r.t[q.from] - r.t[q.from - n]),
               after = (r.x[q.to - 1 + n] - r.x[q.to - 1]) / (r.t[q.to - 1 + n] - r.t[q.to - 1]);
  return before * q.way > 0 && after * q.way > 0 ? std::min(std::abs(before), std::abs(after)) : 0;
}

/// Which quiet rows, one after the other, belong to a creep: together they lead far beyond the noise, and a rest before it
/// or within it is much slower than the rows around it. A rest shorter than creeps on both sides is noise.
std::vector<bool> creeping(std::span<const Quiet> all, double noise) {
  double way = 0;
  for (const Quiet& q : all) way += q.way;
  std::vector<bool> out(all.size(), false);
  for (std::size_t i = 0; i < all.size() && std::abs(way) > 6 * noise; ++i) {
    double around = i > 0 ? all[i - 1].speed() : all[i].speed();
    if (i + 1 < all.size()) around = i > 0 ? std::min(around, all[i + 1].speed()) : all[i + 1].speed();
    out[i] = all[i].way * way > 0 && all[i].speed() > 0.2 * around;
  }
  for (std::size_t i = 1; i + 1 < all.size(); ++i) {
    if (!out[i] && out[i - 1] && out[i + 1] && all[i].time < all[i - 1].time + all[i + 1].time) out[i] = true;
  }
  return out;
}

/// A creep has a bandwidth of its own: at that of the whole recording the noise of the velocity can exceed it, and a
/// contact would lose its force in the ways there and back. Rows between rests; few of them keep constant velocities.
void smooth_creep(Recording& r, const std::vector<double>& measured, std::size_t from, std::size_t to) {
  if (to - from < 50) return;
  const std::size_t whole = 0;
  const Samples samples{std::span(r.t).subspan(from, to - from), std::span(measured).subspan(from, to - from),
                        std::span(&whole, 1)};
  const Smoothed own = smooth(samples, choose_bandwidth(samples, 3).hertz, 3);
  const auto at = static_cast<std::ptrdiff_t>(from);
  std::ranges::copy(own.rate, r.v.begin() + at);
  std::ranges::copy(own.second, r.a.begin() + at);
  if (!r.motion) std::ranges::copy(own.y, r.x.begin() + at);
}

}  // namespace

void settle(Recording& r, const std::vector<double>& measured, double hertz, double visible, Findings& findings) {
  const double noise = std::max(visible, quietest(r, measured));
  const double omega = 2 * std::numbers::pi * hertz, step = median_step({r.t, r.t, r.stretches});
  const double slow = 3 * noise * std::sqrt(step * omega * omega * omega / 12);  // 3 sigma of the smoothed noise
  const double enough = 6 / omega;  // s, several time constants of the smoother
  std::vector<Quiet> quiet;
  std::vector<std::size_t> begins;  // of quiet rows one after the other
  for (std::size_t k = 0; k < r.stretches.size(); ++k) {
    const std::size_t end = k + 1 < r.stretches.size() ? r.stretches[k + 1] : r.t.size();
    const std::size_t first = quiet.size();
    for (std::size_t i = r.stretches[k]; i < end;) {
      std::size_t j = i;
      double lo = r.x[i], hi = r.x[i];
      for (; j < end && std::abs(r.v[j]) < slow && hi - lo < 4 * noise; ++j) {
        lo = std::min(lo, r.x[j]);
        hi = std::max(hi, r.x[j]);
      }
      if (j > i && r.t[j - 1] - r.t[i] > enough) {
        if (quiet.size() == first || r.t[i] - r.t[quiet.back().to - 1] > 4 * enough) begins.push_back(quiet.size());
        quiet.push_back({i, j, r.x[j - 1] - r.x[i], r.t[j - 1] - r.t[i]});
        i = j;
      }
      ++i;
    }
  }
  std::size_t still = 0;
  for (std::size_t k = 0; k < begins.size(); ++k) {
    const std::size_t end = k + 1 < begins.size() ? begins[k + 1] : quiet.size();
    const auto together = std::span(quiet).subspan(begins[k], end - begins[k]);
    std::vector<bool> creeps = creeping(together, noise);
    if (together.size() == 1) {  // alone within a motion that is faster, but not much
      const Quiet& q = together.front();
      const auto next = std::ranges::upper_bound(r.stretches, q.from);
      const double around = speed_around(r, q, *(next - 1), next == r.stretches.end() ? r.t.size() : *next);
      creeps.front() = creeps.front() || (around * q.time > 2 * noise && q.speed() > 0.2 * around);
    }
    for (std::size_t i = 0; i < together.size(); ++i) {
      const Quiet& q = together[i];
      std::fill(r.v.begin() + static_cast<std::ptrdiff_t>(q.from), r.v.begin() + static_cast<std::ptrdiff_t>(q.to),
                creeps[i] ? q.way / q.time : 0.0);
      std::fill(r.a.begin() + static_cast<std::ptrdiff_t>(q.from), r.a.begin() + static_cast<std::ptrdiff_t>(q.to),
                0.0);
      still += creeps[i] ? 0 : q.to - q.from;
    }
    for (std::size_t i = 0, next = 0; i < together.size(); i = next) {
      for (next = i + 1; next < together.size() && creeps[next] == creeps[i];) ++next;
      if (creeps[i]) smooth_creep(r, measured, together[i].from, together[next - 1].to);
    }
  }
  if (still > 0) findings.push_back({false, fmt::format("rest in {}: v set to 0", rows(still))});
}

}  // namespace bristle::identify
