#include <algorithm>
#include <cmath>

#include "bristle/sweep/analyze.hpp"

namespace bristle::analysis {
namespace {

/// Values of the key between two others, in its own scale.
double between(const Varied& key, double a, double b) {
  return key.log ? std::copysign(std::sqrt(a * b), a) : 0.5 * (a + b);
}

class Continuation {
 public:
  Continuation(const Varied& key, const AtValue& at, const sweep::RunHooks& hooks) : key_(key), at_(at), hooks_(hooks) {
    const std::uint64_t n = key.points.value_or(1);
    for (std::uint64_t i = 0; i < n; ++i) {
      BranchPoint& p = out_.points.emplace_back();
      p.at = n > 1 ? key.at(static_cast<double>(i), static_cast<double>(n - 1)) : key.from;
    }
  }

  Branch run() {
    for (BranchPoint& p : out_.points) p.growth_rate = growth(p.at);
    // From every value at which the motion from rest ends in a cycle, to both sides.
    for (std::size_t i = 0; i < out_.points.size(); ++i) {
      if (!out_.points[i].cycle.cycle) out_.points[i].cycle = solve(out_.points[i].at, nullptr);
      done(i + 1);
    }
    for (std::size_t i = 0; i + 1 < out_.points.size(); ++i) extend(i, i + 1);
    for (std::size_t i = out_.points.size(); i-- > 1;) extend(i, i - 1);
    for (std::size_t i = 0; i + 1 < out_.points.size(); ++i) {
      const bool here = out_.points[i].cycle.cycle.has_value(), next = out_.points[i + 1].cycle.cycle.has_value();
      if (here != next) end_between(i, here);
      onset_between(i);
    }
    overlap();
    for (BranchPoint& p : out_.points) {
      if (!p.cycle.cycle || !(p.growth_rate < 0)) continue;
      std::string reason;
      const auto e = at_(p.at, reason);
      p.unstable = e ? unstable_cycle(*e, *p.cycle.cycle, hooks_.stop) : CycleRead{{}, reason};
    }
    return std::move(out_);
  }

 private:
  void done(std::size_t n) const {
    if (hooks_.progress) hooks_.progress(n);
  }
  double growth(double value) const {
    std::string reason;
    const auto e = at_(value, reason);
    if (!e || !objection(*e, What::stability).empty()) return undefined;
    const LinearRead read = linearize(*e, sliding_velocity(*e));
    return read.linear ? read.linear->growth_rate() : undefined;
  }
  CycleRead solve(double value, const Cycle* start) const {
    std::string reason;
    const auto e = at_(value, reason);
    if (!e) return {{}, reason};
    return limit_cycle(*e, start, hooks_.stop);
  }
  void extend(std::size_t from, std::size_t to) {
    if (!out_.points[from].cycle.cycle || out_.points[to].cycle.cycle) return;
    if (CycleRead read = solve(out_.points[to].at, &*out_.points[from].cycle.cycle); read.cycle)
      out_.points[to].cycle = std::move(read);
  }
  void end_between(std::size_t i, bool below) {
    const BranchPoint& from = out_.points[below ? i : i + 1];
    double a = from.at, b = out_.points[below ? i + 1 : i].at;
    Cycle last = *from.cycle.cycle;
    for (int k = 0; k < 36 && std::abs(b - a) > 1e-9 * std::abs(b); ++k) {
      const double middle = between(key_, a, b);
      CycleRead read = solve(middle, &last);
      if (read.cycle) {
        last = std::move(*read.cycle);
        a = middle;
      } else {
        b = middle;
      }
    }
    constexpr double near_one = 0.1;  // sqrt of the distance, which is 1e-9 of the value here
    const double multiplier = last.multiplier();
    const bool vanishes = last.amplitude < 0.3 * from.cycle.cycle->amplitude;
    out_.ends.push_back({.at = 0.5 * (a + b),
                         .fold = !vanishes && std::abs(multiplier - 1) < near_one,
                         .multiplier = multiplier,
                         .upper = below,
                         .vanishes = vanishes});
  }
  void onset_between(std::size_t i) {
    const BranchPoint &p = out_.points[i], &q = out_.points[i + 1];
    if (std::isnan(p.growth_rate) || std::isnan(q.growth_rate) || (p.growth_rate > 0) == (q.growth_rate > 0)) return;
    double a = p.at, b = q.at;
    for (int k = 0; k < 60 && std::abs(b - a) > 1e-13 * std::abs(b); ++k) {
      const double middle = between(key_, a, b);
      ((growth(middle) > 0) == (p.growth_rate > 0) ? a : b) = middle;
    }
    out_.onsets.push_back(0.5 * (a + b));
  }
  /// Both are known between neighbouring values; ends and onsets bound the ranges.
  void overlap() {
    std::vector<double> cuts;
    cuts.reserve(out_.points.size() + out_.ends.size() + out_.onsets.size());
    for (const BranchPoint& p : out_.points) cuts.push_back(p.at);
    for (const BranchEnd& e : out_.ends) cuts.push_back(e.at);
    cuts.insert(cuts.end(), out_.onsets.begin(), out_.onsets.end());
    std::ranges::sort(cuts);
    for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
      if (!(cuts[i + 1] > cuts[i]) || !both(0.5 * (cuts[i] + cuts[i + 1]))) continue;
      if (!out_.hysteresis.empty() && out_.hysteresis.back().second == cuts[i]) {
        out_.hysteresis.back().second = cuts[i + 1];
      } else {
        out_.hysteresis.emplace_back(cuts[i], cuts[i + 1]);
      }
    }
  }
  bool both(double at) const {
    for (std::size_t i = 0; i + 1 < out_.points.size(); ++i) {
      const BranchPoint *p = &out_.points[i], *q = &out_.points[i + 1];
      if (p->at > q->at) std::swap(p, q);
      if (at < p->at || at > q->at) continue;
      bool cycle = p->cycle.cycle.has_value();
      double rate = p->growth_rate;
      for (const BranchEnd& e : out_.ends) {
        if (e.at >= p->at && e.at < at) cycle = !cycle;
      }
      for (const double onset : out_.onsets) {
        if (onset >= p->at && onset < at) rate = q->growth_rate;
      }
      return cycle && rate < 0;
    }
    return false;
  }

  const Varied& key_;
  const AtValue& at_;
  const sweep::RunHooks& hooks_;
  Branch out_{};
};

}  // namespace

Branch continue_cycle(const Varied& key, const AtValue& at, const sweep::RunHooks& hooks) {
  return Continuation(key, at, hooks).run();
}

}  // namespace bristle::analysis
