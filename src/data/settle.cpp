#include "data/settle.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>

#include "data/smooth.hpp"

namespace bristle::identify {
namespace {

/// Rows in which the position stays within its noise.
struct Quiet {
  std::size_t from = 0, to = 0;
  double way = 0, time = 0;
  double speed() const { return std::abs(way) / time; }
};

/// Which quiet rows, one after the other, belong to a creep: together they lead far beyond the noise, and a rest before it
/// or within it is much slower than the rows around it.
std::vector<bool> creeping(std::span<const Quiet> all, double noise) {
  double way = 0;
  for (const Quiet& q : all) way += q.way;
  std::vector<bool> out(all.size(), false);
  for (std::size_t i = 0; i < all.size() && std::abs(way) > 6 * noise; ++i) {
    double around = i > 0 ? all[i - 1].speed() : all[i].speed();
    if (i + 1 < all.size()) around = i > 0 ? std::min(around, all[i + 1].speed()) : all[i + 1].speed();
    out[i] = all[i].way * way > 0 && all[i].speed() > 0.2 * around;
  }
  return out;
}

}  // namespace

void settle(Recording& r, double hertz, double noise, Findings& findings) {
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
    const std::vector<bool> creeps = creeping(together, noise);
    for (std::size_t i = 0; i < together.size(); ++i) {
      const Quiet& q = together[i];
      std::fill(r.v.begin() + static_cast<std::ptrdiff_t>(q.from), r.v.begin() + static_cast<std::ptrdiff_t>(q.to),
                creeps[i] ? q.way / q.time : 0.0);
      std::fill(r.a.begin() + static_cast<std::ptrdiff_t>(q.from), r.a.begin() + static_cast<std::ptrdiff_t>(q.to),
                0.0);
      still += creeps[i] ? 0 : q.to - q.from;
    }
  }
  if (still > 0) findings.push_back({false, fmt::format("rest in {}: v set to 0", rows(still))});
}

}  // namespace bristle::identify
