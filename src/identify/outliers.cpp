#include "identify/outliers.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>

namespace bristle::identify {
namespace {

double quantile_within(std::vector<double>& x, double share) {
  if (x.empty()) return 0;
  const auto at = x.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(x.size()));
  std::ranges::nth_element(x, at);
  return *at;
}

/// Neighbours of the samples: those of a segment in the order of time, steady points in the order of their velocity.
struct Sequence {
  std::vector<std::size_t> rows{};
  bool steady = false;
};
std::vector<Sequence> sequences(const Series& data) {
  std::vector<Sequence> out;
  for (const Stretch& stretch : data.stretches) {
    std::vector<std::size_t> forwards, backwards;
    for (std::size_t i = stretch.from; i < stretch.to; ++i)
      (stretch.steady && data.v[i] < 0 ? backwards : forwards).push_back(i);
    for (auto* one : {&forwards, &backwards}) {
      if (stretch.steady) std::ranges::sort(*one, {}, [&](std::size_t i) { return std::pair(data.v[i], i); });
      if (!one->empty()) out.push_back({std::move(*one), stretch.steady});
    }
  }
  return out;
}

/// Distance of each sample from its neighbours on the closer side: small at a step, large at a peak of up to three
/// samples. The ends have one side; those of steady points count as zero, because a steep curve may end there.
std::vector<double> distances(const std::vector<double>& y, const std::vector<Sequence>& all) {
  std::vector<double> out(y.size(), 0.0), side;
  constexpr std::size_t reach = 5;
  for (const auto& [sequence, steady] : all) {
    const std::size_t n = sequence.size(), end = steady || n <= reach ? 1 : 0;
    for (std::size_t k = end; k + end < n; ++k) {
      double least = inf;
      for (const auto& [from, to] : {std::pair{k > reach ? k - reach : 0, k}, {k + 1, std::min(n, k + 1 + reach)}}) {
        if (from == to) continue;
        side.clear();
        for (std::size_t j = from; j < to; ++j) side.push_back(y[sequence[j]]);
        least = std::min(least, std::abs(y[sequence[k]] - quantile_within(side, 0.5)));
      }
      out[sequence[k]] = least;
    }
  }
  return out;
}

/// Samples of a residual that are far from zero and from their neighbours.
std::vector<bool> far(const std::vector<double>& r, const Series& data, const std::vector<Sequence>& all,
                      double scale) {
  const std::vector<double> off = distances(r, all);
  std::vector<double> sizes = off;
  const double limit = std::max(8 * 1.4826 * quantile_within(sizes, 0.5), 4 * scale);
  std::vector<bool> out(r.size());
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = data.weight[i] > 0 && off[i] > limit && std::abs(r[i]) > limit / 2;
  return out;
}

/// Samples close to a reversal, to the begin or end of rest, or to a jump of the velocity, where friction itself may
/// have peaks: those with a peak of the force up to three times as high as at a quarter of these events.
std::vector<bool> peaks_of_friction(const Series& data, const std::vector<Sequence>& all) {
  double fastest = 0;
  for (const double v : data.v) fastest = std::max(fastest, std::abs(v));
  const std::vector<double> off = distances(data.y, all);
  std::vector<std::pair<std::size_t, std::size_t>> events;
  std::vector<double> heights;
  constexpr std::size_t reach = 5;
  for (const Stretch& stretch : data.stretches) {
    for (std::size_t i = stretch.from + 1; i < stretch.to && !stretch.steady; ++i) {
      const double before = data.v[i - 1], now = data.v[i];
      const bool turns = (before > 0) != (now > 0) || (before < 0) != (now < 0);
      if (!turns && std::abs(now - before) < 0.2 * fastest) continue;
      events.emplace_back(std::max(stretch.from + reach, i) - reach, std::min(stretch.to, i + reach));
      heights.push_back(*std::max_element(off.begin() + static_cast<std::ptrdiff_t>(events.back().first),
                                          off.begin() + static_cast<std::ptrdiff_t>(events.back().second)));
    }
  }
  const double usual = quantile_within(heights, 0.75);
  std::vector<bool> out(data.size());
  for (const auto& [from, to] : events) {
    for (std::size_t i = from; i < to; ++i) out[i] = off[i] <= 3 * usual;
  }
  return out;
}

}  // namespace

std::vector<std::size_t> leave_out_outliers(Series& data, const std::vector<Candidate*>& all, const Control& control,
                                            Workers& workers) {
  constexpr std::size_t fewest = 12;
  if (data.motion || data.used < fewest || control.stopped()) return {};
  double least = inf;
  for (const Candidate* c : all) {
    if (std::isfinite(c->best.cost)) least = std::min(least, c->scale);
  }
  std::vector<const Candidate*> good;
  for (const Candidate* c : all) {
    if (std::isfinite(c->best.cost) && c->scale <= 2 * least) good.push_back(c);
  }
  const auto order = sequences(data);
  std::vector<std::uint8_t> out(data.size(), good.empty() ? 0 : 1);
  std::mutex mutex;
  workers.each(good.size(), 0, "outliers", [&](std::size_t k) {
    const Candidate& c = *good[k];
    const Objective o{data, *c.evaluator, c.space, control};
    const std::vector<bool> mine = far(o.residuals(c.best.q.data()), data, order, c.scale);
    const std::lock_guard lock(mutex);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = out[i] != 0 && mine[i] ? 1 : 0;
  });
  const std::vector<bool> peak = peaks_of_friction(data, order);
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (out[i] != 0 && !peak[i]) found.push_back(i);
  }
  if (found.size() > std::max<std::size_t>(1, data.used / 50)) return {};  // frequent: the noise is of this kind
  for (const std::size_t i : found) data.weight[i] = 0;
  data.used -= found.size();
  return found;
}

std::vector<std::size_t> take_unresolved(std::vector<std::size_t>& found, const Series& data,
                                         const std::vector<Recording>& recordings, const std::vector<Candidate*>& all,
                                         const Control& control) {
  if (found.empty() || !data.inverse || data.fine) return {};
  std::vector<double> error(data.size(), 0.0);  // of the acceleration
  std::size_t begin = 0;
  for (const Recording& r : recordings) {
    for (std::size_t i = 0; i < r.sparse_a.size(); ++i) error[begin + i] = std::abs(r.sparse_a[i] - r.a[i]);
    begin += r.size();
  }
  const Candidate& best = **std::ranges::min_element(all, {}, &Candidate::scale);
  const std::vector<BodyScalar> body = body_of(data, Gravity::none);
  const auto at = std::ranges::find(body, "inertia", &BodyScalar::name) - body.begin();
  std::vector<double> p(best.space.parameters());
  best.space.parameters_at(best.best.q.data(), p.data(), nullptr);
  const double inertia = p[best.evaluator->scalars().size() + static_cast<std::size_t>(at)];
  const std::vector<double> r = Objective{data, *best.evaluator, best.space, control}.residuals(best.best.q.data());
  constexpr std::size_t reach = 3;
  auto is_unresolved = [&](std::size_t i) {
    double most = 0;
    for (std::size_t k = std::max(i, reach) - reach; k <= std::min(i + reach, data.size() - 1); ++k)
      most = std::max(most, error[k]);
    return inertia * most > 0.5 * std::abs(r[i]);
  };
  std::vector<std::size_t> out;
  std::ranges::copy_if(found, std::back_inserter(out), is_unresolved);
  std::erase_if(found, is_unresolved);
  return out;
}

std::vector<std::vector<std::size_t>> by_recording(const std::vector<std::size_t>& found,
                                                   const std::vector<Recording>& recordings) {
  std::vector<std::vector<std::size_t>> out(recordings.size());
  std::size_t begin = 0, k = 0;
  for (std::size_t r = 0; r < recordings.size(); begin += recordings[r++].size()) {
    for (; k < found.size() && found[k] < begin + recordings[r].size(); ++k) out[r].push_back(found[k] - begin);
  }
  return out;
}

std::string left_out_text(const std::vector<std::vector<std::size_t>>& rows, const std::vector<Recording>& recordings) {
  constexpr std::size_t most = 20;
  std::size_t count = 0;
  std::vector<std::string> parts;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const Recording& recording = recordings[r];
    const bool known = recording.line.size() == recording.size();
    std::vector<std::size_t> places;
    for (const std::size_t i : rows[r]) {
      if (count++ < most) places.push_back(known ? recording.line[i] : i + 1);
    }
    if (!places.empty())
      parts.push_back(fmt::format("{} {}{} {}", recording.name, known ? "line" : "row", places.size() == 1 ? "" : "s",
                                  fmt::join(places, ", ")));
  }
  return fmt::format("left out of errors and ranking: {}{}", fmt::join(parts, "; "), count > most ? ", ..." : "");
}

}  // namespace bristle::identify
