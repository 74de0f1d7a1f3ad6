#include "identify/sampling.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "data/shared/motion.hpp"
#include "identify/effects.hpp"

namespace bristle::identify {
namespace {

/// Every second row of each segment, or all rows of a recording whose motion they do not change; `rows`: their places.
Recording second_rows(const Recording& r, std::size_t parity, std::vector<std::size_t>& rows) {
  Recording out = r;
  const bool whole = r.sparse_v.empty();
  out.stretches.clear();
  for (std::size_t k = 0; k < r.stretches.size(); ++k) {
    const std::size_t end = k + 1 < r.stretches.size() ? r.stretches[k + 1] : r.size();
    out.stretches.push_back(rows.size());
    for (std::size_t i = r.stretches[k] + (whole ? 0 : parity); i < end; i += whole ? 1 : 2) rows.push_back(i);
  }
  auto pick = [&](std::vector<double>& to, const std::vector<double>& from) {
    if (from.empty()) return;
    to.resize(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) to[i] = from[rows[i]];
  };
  for (const auto series : {&Recording::t, &Recording::F, &Recording::u, &Recording::N, &Recording::T,
                            &Recording::sigma, &Recording::load, &Recording::ref, &Recording::on})
    pick(out.*series, r.*series);
  pick(out.x, whole ? r.x : r.sparse_x);
  pick(out.v, whole ? r.v : r.sparse_v);
  pick(out.a, whole ? r.a : r.sparse_a);
  for (std::size_t k = 0; k < r.terms.size(); ++k) pick(out.terms[k].values, r.terms[k].values);
  return out;
}

/// Whether the motion by every second row alone is known. A part of a re-sampled recording is not re-sampled again.
bool has_sparse(const Recording& r) {
  return r.reduction ? !r.reduction->whole.sparse_v.empty() && r.reduction->rows.size() == r.reduction->kept.size()
                     : !r.sparse_v.empty();
}

/// The recording by every second row, re-sampled where it was; `rows`: those of the recording at the same times.
Recording half_of(const Recording& r, std::size_t parity, std::vector<std::size_t>& rows) {
  if (!r.reduction || !has_sparse(r)) return second_rows(r, parity, rows);
  std::vector<std::size_t> places;
  Recording out = second_rows(r.reduction->whole, parity, places);
  const std::vector<std::size_t>& kept = r.reduction->kept;
  Findings unsaid;
  constexpr double per_bandwidth = 2.5;
  reduce_rate(out, per_bandwidth * r.reduction->bandwidth, unsaid);
  if (!out.reduction) return second_rows(r, parity, rows);  // the rate is too near to that of every second row
  for (const std::size_t k : out.reduction->kept) {
    const auto at = std::ranges::lower_bound(kept, places[k]) - kept.begin();
    rows.push_back(std::min(static_cast<std::size_t>(at), kept.size() - 1));
  }
  return out;
}

/// The same states at the start of each segment.
void begin_as(Series& half, const Series& data) {
  for (std::size_t k = 0; k < half.stretches.size(); ++k) {
    half.dt[half.stretches[k].from] = data.dt[data.stretches[k].from];
    half.step_v[half.stretches[k].from] = data.step_v[data.stretches[k].from];
  }
  half.held = half.step_v == half.v;
}

std::vector<double> parameters_of(const Candidate& c, const std::vector<double>& q) {
  std::vector<double> p(c.space.parameters());
  c.space.parameters_at(q.data(), p.data(), nullptr);
  return p;
}

/// Values of all parameters in a fit to another series of the same motion.
std::vector<double> values_on(const Series& data, const Candidate& c, const Setting& s) {
  const Control patient(1e9);  // intervals are computed even after the time limit
  const Objective o{data, *c.evaluator, c.space, patient, c.scale, s.threshold()};
  const Solution found = descend(o, c.best.q, 15, 1e-4);
  return parameters_of(c, std::isfinite(found.cost) ? found.q : c.best.q);
}

/// The numbers of an effect that are 0 without it.
std::vector<double> size_of(const std::string& effect, const Candidate& c, const std::vector<double>& p) {
  const auto& scalars = c.evaluator->scalars();
  std::vector<double> out;
  for (std::size_t i = 0; i < scalars.size(); ++i) {
    const std::string& field = scalars[i].field;
    if (effect == "directions" && field.starts_with(of_negative)) {
      const auto both = std::ranges::find(scalars, without_direction(field), &Scalar::field);
      const double positive = p[static_cast<std::size_t>(both - scalars.begin())];
      out.push_back(p[i] / (std::abs(positive) > 0 ? positive : 1) - 1);
    } else if (field == effect || (effect == "load_drive" && field == "load_backdrive") ||
               (is_curve(effect) && field.starts_with("curve_") && field != "curve_x")) {
      out.push_back(p[i] - (field == "load_exponent" ? 1 : 0));
    }
  }
  return out;
}

double norm(const std::vector<double>& x) {
  double sum = 0;
  for (const double e : x) sum += e * e;
  return std::sqrt(sum);
}

/// The value of an estimate among parameters; `at`: its place.
double value_of(const Estimate& e, const std::vector<double>& p, std::size_t at) {
  if (e.name == "gravity" && at + 1 < p.size()) return std::hypot(p[at], p[at + 1]);
  if (e.name == "gravity_phase" && at > 0) return std::atan2(-p[at], p[at - 1]);
  return p[at];
}

}  // namespace

std::vector<Series> sparse_series(const Series& data, const std::vector<Recording>& recordings, const Features& f) {
  std::vector<Series> out;
  if (data.motion || std::ranges::none_of(recordings, has_sparse)) return out;
  for (const std::size_t parity : {0U, 1U}) {
    std::vector<Recording> halves;
    std::vector<std::size_t> rows;
    std::size_t from = 0;
    for (const Recording& r : recordings) {
      std::vector<std::size_t> own;
      halves.push_back(half_of(r, parity, own));
      for (const std::size_t i : own) rows.push_back(from + i);
      from += r.size();
    }
    Series half = joined(halves, std::max(data.blocks, 2), data.normal_load);
    for (std::size_t i = 0; i < half.size(); ++i) half.weight[i] = data.weight[rows[i]];
    half.used = static_cast<std::size_t>(std::ranges::count_if(half.weight, [](double w) { return w > 0; }));
    begin_as(half, data);
    if (half.fine && data.fine) {
      auto fine = std::make_shared<Fine>(*half.fine);
      begin_as(fine->whole, data.fine->whole);
      half.fine = std::move(fine);
    }
    half.share = data.share;
    transmit(half, f);
    out.push_back(std::move(half));
  }
  return out;
}

bool has_one_size(const std::string& effect, const Candidate& c, const std::vector<const Series*>& others,
                  const Setting& s) {
  std::vector<std::vector<double>> sizes;
  for (const Series* data : others) sizes.push_back(size_of(effect, c, values_on(*data, c, s)));
  sizes.push_back(size_of(effect, c, parameters_of(c, c.best.q)));
  return std::ranges::all_of(sizes, [&](std::vector<double> size) {
    for (std::size_t i = 0; i < size.size(); ++i) size[i] -= sizes.front()[i];
    return norm(size) <= 0.5 * norm(sizes.front());
  });
}

namespace {

/// Estimates of friction, then of the body.
Estimate& estimate(Fit& fit, std::size_t i) {
  return i < fit.friction.size() ? fit.friction[i] : fit.body[i - fit.friction.size()];
}

/// The value of an estimate in another fit, the furthest one.
struct Other {
  double value = 0, away = 0;  // in half intervals
  bool ratio = false;          // both are positive
  double factor = 1;           // between both then
};
constexpr double undetermined = 1.3;  // a number that changes by this factor is not determined

std::vector<Other> others_of(Candidate& c, const std::vector<std::vector<double>>& found) {
  std::vector<Other> out;
  for (std::size_t i = 0; i < c.behind.size(); ++i) {
    const Estimate& e = estimate(c.fit, i);
    const double half = (e.high - e.low) / 2;
    Other& furthest = out.emplace_back(Other{e.value});
    for (const std::vector<double>& p : found) {
      const double other = value_of(e, p, c.behind[i].parameter), away = std::abs(other - e.value) / half;
      if (!(away > furthest.away)) continue;
      furthest = {other, away, e.value > 0 && other > 0};
      if (furthest.ratio) furthest.factor = std::max(other / e.value, e.value / other);
    }
  }
  return out;
}

/// A number moves with another one that is not determined, by its correlation: how far, in half intervals.
double moved_by_open(const Candidate& c, const std::vector<Other>& others, std::size_t i) {
  const std::size_t count = c.fit.friction.size() + c.fit.body.size();
  constexpr double strong = 0.9, most = 20;
  double out = 0;
  for (std::size_t j = 0; j < others.size() && c.fit.correlation.size() == count * count; ++j) {
    const double together = std::abs(c.fit.correlation[i * count + j]);
    if (j != i && together > strong && others[j].factor >= undetermined)
      out = std::max(out, std::min(most, together * others[j].away));
  }
  return out;
}

/// Extends the intervals of a fit; returns the names of the numbers whose intervals became clearly wider.
std::vector<std::string> extend(Candidate& c, const std::vector<std::vector<double>>& found) {
  const std::vector<Other> others = others_of(c, found);
  // An error of the motion moves all numbers, in units of their intervals, about as far; single ones little by chance.
  double squares = 0, count = 0;
  for (std::size_t i = 0; i < others.size(); ++i) {
    const Estimate& e = estimate(c.fit, i);
    if (e.dropped || !e.identifiable || e.at_bound) continue;
    constexpr double most = 5;
    squares += std::pow(std::min(others[i].away, most), 2);
    ++count;
  }
  const double common = count > 0 ? 0.7 * std::sqrt(squares / count) : 0;
  std::vector<std::string> wider;
  for (std::size_t i = 0; i < others.size(); ++i) {
    Estimate& e = estimate(c.fit, i);
    const Other& other = others[i];
    const double before = e.high - e.low;
    const bool at_zero = e.low == 0;  // the least value that the law accepts
    if (e.dropped || !std::isfinite(before)) continue;
    const double opposite = other.ratio ? e.value * (e.value / other.value) : 2 * e.value - other.value;
    const double factor = other.factor, wide = std::max(common, moved_by_open(c, others, i));
    if (wide > 1) {
      const bool positive = e.low > 0;
      e.low = positive ? e.value * std::pow(e.low / e.value, wide) : e.value + wide * (e.low - e.value);
      e.high = positive ? e.value * std::pow(e.high / e.value, wide) : e.value + wide * (e.high - e.value);
    }
    e.low = at_zero ? 0 : std::min({e.low, other.value, opposite});
    e.high = std::max({e.high, other.value, opposite});
    if (e.name == "offset" || (!(e.high - e.low > 2 * before) && factor < undetermined)) continue;
    if (e.identifiable) wider.push_back(e.name);
    if (factor < undetermined) continue;
    e.low = std::min(e.low, e.value / (factor * factor));  // too much for a rule about the order of an error
    e.high = std::max(e.high, e.value * factor * factor);
    if (!e.identifiable) continue;
    e.identifiable = false;
    e.diagnosis =
        fmt::format("{} is not determined: the rows do not resolve the motion; every second row alone gives {:.3g}",
                    e.name, other.value);
  }
  return wider;
}

}  // namespace

void widen_by_sampling(const std::vector<Candidate*>& best, const std::vector<Series>& sparse, const Setting& s,
                       Workers& workers, Ranking& ranking) {
  if (sparse.empty() || best.empty()) return;
  double least = inf;
  for (const Candidate* c : best) least = std::min(least, c->scale);
  std::vector<Candidate*> close;  // intervals of laws that do not describe the data have no meaning
  std::ranges::copy_if(best, std::back_inserter(close), [&](const Candidate* c) { return c->scale <= 3 * least; });
  std::vector<std::vector<double>> found(2 * close.size());
  workers.each(found.size(), 0, "intervals",
               [&](std::size_t i) { found[i] = values_on(sparse[i % 2], *close[i / 2], s); });
  for (std::size_t k = 0; k < close.size(); ++k) {
    const Candidate& c = *close[k];
    const std::vector<std::string> wider = extend(*close[k], {found[2 * k], found[2 * k + 1]});
    if (wider.empty() || c.shape.model != ranking.recommended) continue;
    ranking.notes.push_back(
        fmt::format("{}: the rows do not fully resolve the motion where it stops or turns; the intervals of {} contain "
                    "the values by every second row alone, a higher sampling rate narrows them",
                    c.shape.model, fmt::join(wider, ", ")));
    for (const Estimate& e : c.fit.friction) {
      const bool listed = std::ranges::find(ranking.not_determined, e.name) != ranking.not_determined.end();
      if (!e.identifiable && !e.dropped && !listed) ranking.not_determined.push_back(e.name);
    }
  }
}

}  // namespace bristle::identify
