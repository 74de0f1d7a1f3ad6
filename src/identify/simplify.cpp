#include "identify/simplify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>

#include "identify/diagnosis.hpp"
#include "identify/fused.hpp"
#include "identify/stages.hpp"

namespace bristle::identify {
namespace {

/// A value of a parameter without effect: 0 where the range contains it, or the parameter that it must exceed.
struct Neutral {
  std::size_t parameter = 0;
  std::ptrdiff_t base = -1;  // equal to this one
};
std::optional<Neutral> neutral(const Candidate& c, std::size_t i) {
  const auto& scalars = c.evaluator->scalars();
  if (i >= scalars.size() || scalars[i].body || scalars[i].part == Part::by_unit) return {};
  const Rule& rule = c.space.rules[i];
  if (rule.kind == Rule::above) return Neutral{i, static_cast<std::ptrdiff_t>(rule.base)};
  if (rule.kind == Rule::own && scalars[i].range.contains(0)) return Neutral{i};
  return {};
}

std::vector<double> parameters(const Candidate& c) {
  std::vector<double> p(c.space.parameters());
  c.space.parameters_at(c.best.q.data(), p.data(), nullptr);
  return p;
}

void rebuild(Candidate& c, const std::vector<double>& p, const Setting& s) {
  const std::size_t own = c.evaluator->scalars().size();
  c.space =
      make_space(c.shape.model, c.evaluator->scalars(), p.size() - own, c.start.guesses, c.start.held, c.start.beliefs);
  c.best = {c.space.coordinates_at(p), inf, false};
  c.fuses = can_fuse({s.data, *c.evaluator, c.space, s.control});
}

/// Fits from the present point, with cross-validation, intervals and tests.
void fit_again(Candidate& c, const Setting& s) {
  polish(c, s, c.evaluations);
  hold_out_alone(c, s);
  c.fit = {};
  c.behind.clear();
  find_intervals(c, s);
}

/// A number that only a combination with a dropped term determines keeps its interval: without the term it would be
/// narrow, and wrong where the term exists.
void keep_open(Candidate& c, const Candidate& from, const std::vector<Neutral>& terms) {
  const auto& before = from.fit.friction;
  const std::size_t count = before.size() + from.fit.body.size();
  for (Estimate& e : c.fit.friction) {
    const auto same = std::ranges::find(before, e.name, &Estimate::name);
    if (e.dropped || same == before.end()) continue;
    const auto i = static_cast<std::size_t>(same - before.begin());
    for (const auto& [parameter, base] : terms) {
      const auto k = static_cast<std::size_t>(std::ranges::find(from.behind, parameter, &Candidate::Behind::parameter) -
                                              from.behind.begin());
      if (base >= 0 || std::abs(from.fit.correlation[i * count + k]) < 0.95) continue;
      e.low = std::min(same->low, e.value);
      e.high = std::max(same->high, e.value);
      e.identifiable = same->identifiable;
      e.diagnosis = same->diagnosis;
    }
  }
}

/// The candidate with these terms at their neutral values; parameters that then have no effect stay at their values.
Candidate without(const Candidate& from, const std::vector<Neutral>& terms, const Setting& s) {
  Candidate c = from;
  std::vector<double> p = parameters(c);
  auto drop = [&](std::size_t i, const std::string& instead) {
    c.start.held[i] = true;
    c.start.guesses[i].value = p[i];
    const auto k = std::ranges::find(c.behind, i, &Candidate::Behind::parameter) - c.behind.begin();
    Estimate before = c.fit.friction[static_cast<std::size_t>(k)];
    before.at_bound = before.identifiable = false;
    before.dropped = true;
    before.diagnosis += fmt::format("{}{}", before.diagnosis.empty() ? before.name + " is dropped: " : "; ", instead);
    c.dropped.push_back({i, std::move(before)});
  };
  for (const auto& [i, base] : terms) {
    const auto at = static_cast<std::size_t>(base);
    p[i] = base < 0 ? 0 : p[at];
    c.start.guesses[i].follows = base;
    c.start.guesses[i].factor = 1;
    drop(i, fmt::format("{} is used", base < 0 ? "0" : c.evaluator->scalars()[at].name));
  }
  rebuild(c, p, s);
  const Objective o{s.data, *c.evaluator, c.space, s.control, c.scale, s.threshold()};
  Gram gram;
  if (c.space.size() > 0 && o.gram(c.best.q.data(), gram)) {
    const std::size_t width = c.space.size() + 1;
    for (std::size_t i = 0; i < c.evaluator->scalars().size(); ++i) {
      const std::ptrdiff_t j = c.space.coordinate_of(i);
      if (j < 0 || gram.matrix[static_cast<std::size_t>(j) * (width + 1)] > 0) continue;
      drop(i, "no effect without the other dropped terms");
    }
    rebuild(c, p, s);
  }
  fit_again(c, s);
  keep_open(c, from, terms);
  return c;
}

std::ptrdiff_t open(const Candidate& c) {
  return std::ranges::count_if(c.fit.friction, [](const Estimate& e) { return !e.identifiable && !e.dropped; });
}

/// Whether the data clearly show that a number exceeds the one it would be set equal to: both then cannot be determined
/// one by one, but the fit without the difference would give the lower one with a narrow interval.
bool is_visible(const Candidate& c, const Candidate& without, const std::vector<Neutral>& terms, const Setting& s) {
  if (std::ranges::none_of(terms, [](const Neutral& e) { return e.base >= 0; })) return false;
  double inflation = 1;  // by the correlation of neighbours
  for (const Candidate::Behind& e : c.behind) {
    if (e.naive > 0) inflation = std::max(inflation, e.error * e.error / (e.naive * e.naive));
  }
  auto cost = [&](const Candidate& e) {
    return Objective{s.data, *e.evaluator, e.space, s.control, c.scale, s.threshold(), -1, e.fuses}.cost(
        e.best.q.data());
  };
  constexpr double clearly = 10;
  return cost(without) - cost(c) > clearly * inflation;
}

/// Without a fall of friction viscous friction takes its place. Where the search found none, it is sought again from
/// several velocities before it is dropped.
void seek_fall(Candidate& c, const Setting& s) {
  const auto& scalars = c.evaluator->scalars();
  const auto at = [&](Part part) {
    return static_cast<std::size_t>(std::ranges::find(scalars, part, &Scalar::part) - scalars.begin());
  };
  const std::size_t velocity = at(Part::fall_velocity), above = at(Part::static_force);
  if (velocity == scalars.size() || above == scalars.size()) return;
  const Rule &of_v = c.space.rules[velocity], &rule = c.space.rules[above];
  if (of_v.kind != Rule::own || rule.kind != Rule::above) return;
  const std::vector<double> p = parameters(c);
  if (p[above] > 1.001 * p[rule.base]) return;
  const Objective o{s.data, *c.evaluator, c.space, s.control, c.scale, s.threshold(), -1, c.fuses};
  Solution best{c.best.q, o.cost(c.best.q.data())};
  constexpr double clearly = 10;  // in units of twice the logarithm of the likelihood
  const double before = best.cost;
  for (const double part : {0.1, 0.3, 1.0, 3.0}) {
    std::vector<double> start = p;
    start[velocity] = part * s.features.v_high;
    start[rule.base] = 0.8 * p[above];
    const Solution found = descend(o, c.space.coordinates_at(start), 30, 1e-5);
    if (found.cost < best.cost) best = found;
  }
  if (!(best.cost < before - clearly / 2)) return;
  c.best = best;
  fit_again(c, s);
}

/// Drops terms while numbers are open: first all that the data do not determine or that may be absent, then single ones,
/// whose absence may make another number irrelevant. Dry friction is the last: at one speed it is not viscous friction.
void drop_terms(Candidate& c, const Setting& s) {
  for (bool dropped = true; dropped && open(c) > 0;) {
    dropped = false;
    std::vector<std::vector<Neutral>> trials(1), levels;
    const std::vector<double> p = parameters(c);
    for (std::size_t k = 0; k < c.fit.friction.size(); ++k) {
      const Estimate& e = c.fit.friction[k];
      const auto term = neutral(c, c.behind[k].parameter);
      if (!term) continue;
      const bool level = c.evaluator->scalars()[term->parameter].part == Part::force;
      (level ? levels : trials).push_back({*term});
      if (level) continue;
      const double value = term->base < 0 ? 0 : p[static_cast<std::size_t>(term->base)];
      if (!e.identifiable || e.low <= value) trials.front().push_back(*term);
    }
    trials.insert(trials.end(), levels.begin(), levels.end());
    for (const auto& trial : trials) {
      if (trial.empty() || s.control.stopped()) continue;
      Candidate next = without(c, trial, s);
      // The scale of the noise is robust: a few rows, such as those of reversals, may hide that the others fit worse.
      dropped = !is_visible(c, next, trial, s) && next.validated && std::isfinite(next.best.cost) &&
                next.held_out_rmse <= 1.02 * c.held_out_rmse && next.scale <= 1.02 * c.scale && open(next) < open(c);
      if (!dropped) continue;
      c = std::move(next);
      break;
    }
  }
}

/// Repeats a fit whose steady curve leaves the measured forces, with smaller limits.
void keep_within_forces(Candidate& c, const Setting& s) {
  const double largest = largest_force(c, s);
  if (!s.features.sliding || largest_steady(c, s) <= largest) return;
  // The sum of two levels may exceed the limit of each; then it is lowered.
  double limit = largest;
  for (int round = 0; round < 4 && !s.control.stopped(); ++round) {
    Candidate next = c;
    for (std::size_t i = 0; i < c.evaluator->scalars().size(); ++i) {
      Guess& g = next.start.guesses[i];
      if (is_level(c.evaluator->scalars()[i].part) && !next.start.held[i]) g.hi = std::min(g.hi, limit);
      g.value = std::clamp(g.value, std::min(g.lo, g.hi), g.hi);
    }
    rebuild(next, parameters(c), s);
    fit_again(next, s);
    if (!next.validated || !std::isfinite(next.best.cost)) return;
    // A motion of pre-sliding: the force of sliding was not reached, and is marked as not determined.
    constexpr double another_law = 2;
    if (next.held_out_rmse > another_law * c.held_out_rmse) return;
    const double most = largest_steady(next, s);
    if (most <= largest) {
      c = std::move(next);
      return;
    }
    limit *= 0.95 * largest / most;
  }
}

}  // namespace

void simplify(const std::vector<Candidate*>& all, const Setting& s, Workers& workers) {
  // Others are not recommended. A law that predicts well with forces beyond the measured ones may lose its place, so that
  // the next ones follow.
  for (std::vector<Candidate*> open = all;;) {
    double least = inf;
    for (const Candidate* c : all) {
      if (c->validated) least = std::min(least, c->held_out_rmse);
    }
    std::vector<Candidate*> close;
    std::ranges::copy_if(open, std::back_inserter(close),
                         [&](const Candidate* c) { return c->validated && c->held_out_rmse <= 1.1 * least; });
    if (close.empty()) return;
    std::erase_if(open, [&](Candidate* c) { return std::ranges::find(close, c) != close.end(); });
    workers.each(close.size(), 0, "simplification", [&](std::size_t i) {
      const double begin = worked();
      seek_fall(*close[i], s);
      keep_within_forces(*close[i], s);
      drop_terms(*close[i], s);
      close[i]->seconds += worked() - begin;
    });
  }
}

}  // namespace bristle::identify
