#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <tuple>

#include "bristle/registry/describe.hpp"
#include "identify/candidate.hpp"
#include "identify/statistics.hpp"

namespace bristle::identify {
namespace {

/// Mean square of the cross-validation residual in parts of the data: consecutive ones of a motion, steady points in turn
/// over the velocity. Transients of a motion without reversals occur once, so that its parts are short.
std::vector<double> losses(const Candidate& c, const Setting& s) {
  std::vector<std::size_t> used;
  for (std::size_t i = 0; i < c.held_out.size(); ++i) {
    if (s.data.weight[i * s.stride] > 0) used.push_back(i);
  }
  const bool steady = s.data.steady(), once = s.features.reversals == 0 && !s.data.motion && !steady;
  if (steady) std::ranges::sort(used, {}, [&](std::size_t i) { return std::pair(s.data.v[i * s.stride], i); });
  const std::size_t parts = std::min<std::size_t>(once ? 100 : 20, used.size());
  std::vector<double> sum(parts, 0.0), count(parts, 0.0);
  for (std::size_t k = 0; k < used.size(); ++k) {
    const double r = static_cast<double>(c.held_out[used[k]]);
    const std::size_t part = steady ? k % parts : k * parts / used.size();
    sum[part] += r * r;
    count[part] += 1;
  }
  for (std::size_t part = 0; part < parts; ++part) sum[part] /= count[part];
  return sum;
}

/// Mean of the differences in standard errors.
double student(const std::vector<double>& d) {
  const double m = mean(d);
  double squares = 0;
  for (const double e : d) squares += (e - m) * (e - m);
  const auto n = static_cast<double>(d.size());
  return m / std::max(std::sqrt(squares / std::max(n - 1, 1.0) / n), 1e-300);
}

/// Wilcoxon's signed ranks of the differences, in standard deviations.
double signed_ranks(std::vector<double> d) {
  std::ranges::sort(d, {}, [](double e) { return std::abs(e); });
  double sum = 0, squares = 0;
  for (std::size_t i = 0; i < d.size(); ++i) {
    const auto rank = static_cast<double>(i + 1);
    sum += d[i] > 0 ? rank : -rank;
    squares += rank * rank;
  }
  return sum / std::sqrt(squares);
}

/// Whether a loss is larger than that of the best by more than 2 % rms and significantly: one-sided tests at 10 % over
/// the parts. No single part decides: those with the extreme differences do not count for size and t test, and the
/// other test uses ranks.
bool clearly_worse(const std::vector<double>& loss, const std::vector<double>& best) {
  std::vector<std::pair<double, double>> parts;  // difference, best
  std::vector<double> all, inner, base;
  for (std::size_t i = 0; i < loss.size(); ++i) {
    all.push_back(loss[i] - best[i]);
    parts.emplace_back(all.back(), best[i]);
  }
  std::ranges::sort(parts);
  const std::size_t trim = parts.size() >= 5 ? 1 : 0;
  for (std::size_t i = trim; i + trim < parts.size(); ++i) {
    inner.push_back(parts[i].first);
    base.push_back(parts[i].second);
  }
  constexpr double margin = 0.04;
  if (!(mean(all) > margin * mean(best)) || !(mean(inner) > margin * mean(base))) return false;
  return student(inner) > 1.33 || signed_ranks(all) > 1.28;
}

std::vector<std::string> not_determined(const Fit& fit) {
  std::vector<std::string> out;
  for (const Estimate& e : fit.friction) {
    if (!e.identifiable && !e.dropped) out.push_back(e.name);
  }
  return out;
}

/// Whether a fit describes the data better than their mean, and predicts at least half of their size.
bool explains(const Fit& fit) {
  constexpr double rounding = 0.01;  // a constant force has no variance to explain
  return fit.r_squared > -rounding && fit.held_out_relative <= 50;
}

/// Whether the recommendation prefers a to b; both predict equally well. A law counts with its dropped terms: Stribeck
/// friction without its fall is no simpler than Coulomb friction.
bool preferred(const Candidate& a, const Candidate& b) {
  auto key = [](const Candidate& c) {
    return std::tuple(!not_determined(c.fit).empty(), c.space.size() + c.dropped.size(), c.dropped.size(),
                      c.held_out_rmse);
  };
  return key(a) < key(b);
}

/// Where the levels of friction are those of the parameters: a relative curve along x is 0 at its first knot.
std::string place_of_levels(const Candidate& c, const Series& data) {
  const Table& effects = c.shape.effects;
  const auto knots = std::ranges::find(effects, "curve_x", &Entry::key);
  const bool relative =
      std::ranges::any_of(effects, [](const Entry& e) { return e.key == "curve_gain" || e.key == "curve_load"; });
  if (!relative || knots == effects.end()) return "";
  std::vector<std::string> levels;
  for (const FieldInfo& f : find_variant(c.shape.model).model->parameters) {
    const bool level = f.start.part == Part::force || f.start.part == Part::static_force;
    if (level && std::ranges::find(c.fit.friction, f.name, &Estimate::name) != c.fit.friction.end())
      levels.push_back(f.name);
  }
  if (levels.empty()) return "";
  return fmt::format("{}: {} {} at x = {:.6g} {}, the first knot of the curve", c.shape.model,
                     fmt::join(levels, " and "), levels.size() > 1 ? "are those" : "is that",
                     knots->value.as<std::vector<double>>()->front(), data.rotational ? "rad" : "m");
}

/// A warning if starting points lead to different minima.
std::string disagreement(const Candidate& c, const Series& data) {
  for (const std::vector<double>& p : c.minima) {
    for (std::size_t k = 0; k < c.fit.friction.size(); ++k) {
      const Estimate& e = c.fit.friction[k];
      const double value = p[c.behind[k].parameter], room = e.high - e.low;
      if (!e.identifiable || e.dropped || c.evaluator->scalars()[c.behind[k].parameter].index > 0) continue;
      if (value >= e.low - room && value <= e.high + room) continue;
      return fmt::format("{}: another starting point ends at nearly the same error with {} = {:.3g} instead of {:.3g}",
                         c.shape.model, e.name, value, e.value);
    }
  }
  if (data.motion && c.followed >= 4 && c.reached == 1)
    return fmt::format("{}: only one of {} starting points reaches the smallest error; --starts {} tries more",
                       c.shape.model, c.followed, c.followed);
  return "";
}

/// "Fs, vs", or "7 numbers".
std::string names_or_count(const std::vector<std::string>& names) {
  return names.size() > 4 ? fmt::format("{} numbers", names.size()) : fmt::format("{}", fmt::join(names, ", "));
}

class Sentence {
 public:
  explicit Sentence(const Series& data)
      : unit_(data.coefficient                 ? ""
              : data.motion && data.rotational ? " rad"
              : data.motion                    ? " m"
              : data.rotational                ? " N m"
                                               : " N") {}
  static std::string name(const Candidate& c) {
    const std::size_t n = c.space.size();
    return fmt::format("{} ({} parameter{})", c.shape.model, n, n == 1 ? "" : "s");
  }
  std::string error(const Candidate& c) const { return fmt::format("{:.3g}{} rms", c.held_out_rmse, unit_); }

  /// All of `best` are finished, the one with the smallest error first.
  std::string reason(const Candidate& chosen, const std::vector<Candidate*>& best) const {
    const Candidate& first = *best.front();
    std::string out = name(chosen);
    if (&chosen == &first) {
      out += fmt::format(" has the smallest cross-validation error ({})", error(chosen));
    } else {
      out += fmt::format(" predicts as well as {}, within the uncertainty of the errors: {:.3g} and {}", name(first),
                         chosen.held_out_rmse, error(first));
      const auto open = not_determined(first.fit);
      if (!open.empty() && not_determined(chosen.fit).empty())
        out += fmt::format("; the data do not determine {} of {}", names_or_count(open), first.shape.model);
    }
    const auto simpler =
        std::ranges::find_if(best, [&](const Candidate* c) { return c->space.size() < chosen.space.size(); });
    if (simpler != best.end())
      out += fmt::format("; best simpler model: {}, {}", (*simpler)->shape.model, error(**simpler));
    return out;
  }

 private:
  std::string unit_;
};

}  // namespace

bool clearly_better(const Candidate& a, const Candidate& b, const Setting& s) {
  return clearly_worse(losses(b, s), losses(a, s));
}

void rank(Ranking& ranking, std::vector<Candidate*>& all, const Setting& s) {
  std::ranges::sort(all, {}, [](const Candidate* c) {
    return std::tuple(!c->validated, c->validated ? c->held_out_rmse : c->fit.bic, c->shape.model);
  });
  for (const Candidate* c : all) {
    if (!c->validated) ranking.unfinished.push_back(c->shape.model);
  }
  if (s.control.stopped()) {
    for (const Fit& f : ranking.failed) ranking.unfinished.push_back(f.model);
  }
  if (all.empty()) return;
  std::vector<std::string> hurried;
  for (const Candidate* c : all) {
    if (c->validated && c->hurried) hurried.push_back(c->shape.model);
  }
  if (!hurried.empty())
    ranking.notes.push_back(
        fmt::format("time limit: not all starting points were tried for {}", fmt::join(hurried, ", ")));
  const Sentence say(s.data);
  std::vector<Candidate*> best = all;
  std::erase_if(best, [](const Candidate* c) { return !c->validated; });
  const Candidate* chosen = nullptr;
  if (best.empty()) {
    chosen = all.front();
    ranking.why = Sentence::name(*chosen) + " has the smallest BIC; no model was finished within the time limit";
  } else {
    const std::vector<double> least = losses(*best.front(), s);
    for (const Candidate* c : best) {
      const bool adequate = c == best.front() || !clearly_worse(losses(*c, s), least);
      if (adequate && explains(c->fit) && (!chosen || preferred(*c, *chosen))) chosen = c;
    }
    const Fit& first = best.front()->fit;
    ranking.why = chosen ? say.reason(*chosen, best)
                         : fmt::format("no model explains the data: {} has the smallest cross-validation error, {} "
                                       "({:.3g} % of the rms of the data, R² {:.3g})",
                                       first.model, say.error(*best.front()), first.held_out_relative, first.r_squared);
  }
  if (chosen) {
    ranking.recommended = chosen->shape.model;
    if (const std::string text = place_of_levels(*chosen, s.data); !text.empty()) ranking.notes.push_back(text);
    if (const std::string text = disagreement(*chosen, s.data); !text.empty()) ranking.notes.push_back(text);
    ranking.not_determined = not_determined(chosen->fit);
    if (!ranking.not_determined.empty())
      ranking.why += fmt::format("; not determined: {}", fmt::join(ranking.not_determined, ", "));
  }
  if (chosen && chosen->validated && chosen->hurried)
    ranking.why +=
        "; the time limit cut its search for starting points short, its values may be those of another minimum";
  if (!ranking.unfinished.empty() && !best.empty())
    ranking.why += fmt::format("; not finished within the time limit: {}", fmt::join(ranking.unfinished, ", "));
}

}  // namespace bristle::identify
