#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <tuple>

#include "identify/candidate.hpp"

namespace bristle::identify {
namespace {

/// Mean square of the cross-validation residual in consecutive parts of the data. Transients of a motion without
/// reversals occur once, so that its parts are short.
std::vector<double> losses(const Candidate& c, const Setting& s) {
  std::size_t used = 0;
  for (std::size_t i = 0; i < c.held_out.size(); ++i) used += s.data.weight[i * s.stride] > 0 ? 1U : 0U;
  const bool once = s.features.reversals == 0 && !s.data.motion && !s.data.steady();
  const std::size_t parts = std::min<std::size_t>(once ? 100 : 20, used);
  std::vector<double> sum(parts, 0.0), count(parts, 0.0);
  std::size_t k = 0;
  for (std::size_t i = 0; i < c.held_out.size(); ++i) {
    if (!(s.data.weight[i * s.stride] > 0)) continue;
    const double r = static_cast<double>(c.held_out[i]);
    const std::size_t part = k++ * parts / used;
    sum[part] += r * r;
    count[part] += 1;
  }
  for (std::size_t part = 0; part < parts; ++part) sum[part] /= count[part];
  return sum;
}

double mean(std::span<const double> x) {
  double sum = 0;
  for (const double e : x) sum += e;
  return sum / static_cast<double>(x.size());
}

/// Whether a loss is larger than that of the best by more than 2 % rms and significantly: one-sided t test at 10 % over
/// the parts. The two parts with the extreme differences do not count, so that no single part decides.
bool clearly_worse(const std::vector<double>& loss, const std::vector<double>& best) {
  if (!(mean(loss) > 1.04 * mean(best))) return false;
  std::vector<std::pair<double, double>> parts;  // difference, best
  for (std::size_t i = 0; i < loss.size(); ++i) parts.emplace_back(loss[i] - best[i], best[i]);
  std::ranges::sort(parts);
  if (parts.size() >= 5) parts = {parts.begin() + 1, parts.end() - 1};
  std::vector<double> d, base;
  for (const auto& [difference, one] : parts) {
    d.push_back(difference);
    base.push_back(one);
  }
  const double m = mean(d);
  double squares = 0;
  for (const double e : d) squares += (e - m) * (e - m);
  const auto n = static_cast<double>(d.size());
  constexpr double quantile = 1.33;
  return m > 0.04 * mean(base) && m > (n > 1 ? quantile * std::sqrt(squares / (n - 1) / n) : 0);
}

std::vector<std::string> not_determined(const Fit& fit) {
  std::vector<std::string> out;
  for (const Estimate& e : fit.friction) {
    if (!e.identifiable) out.push_back(e.name);
  }
  return out;
}

/// Whether a fit describes the data better than their mean, and predicts at least half of their size.
bool explains(const Fit& fit) {
  constexpr double rounding = 0.01;  // a constant force has no variance to explain
  return fit.r_squared > -rounding && fit.held_out_relative <= 50;
}

/// Whether the recommendation prefers a to b; both predict equally well.
bool preferred(const Candidate& a, const Candidate& b) {
  auto key = [](const Candidate& c) {
    return std::tuple(!not_determined(c.fit).empty(), c.space.size(), c.fit.dropped.size(), c.held_out_rmse);
  };
  return key(a) < key(b);
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
        out += fmt::format("; the data do not determine {} of {}", fmt::join(open, ", "), first.shape.model);
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
  const Sentence say(s.data);
  std::vector<Candidate*> best = all;
  std::erase_if(best, [](const Candidate* c) { return !c->validated; });
  const Candidate* chosen = nullptr;
  if (best.empty()) {
    chosen = all.front();
    ranking.why = say.name(*chosen) + " has the smallest BIC; no model has a cross-validation error";
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
    ranking.not_determined = not_determined(chosen->fit);
    if (!ranking.not_determined.empty())
      ranking.why += fmt::format("; not determined: {}", fmt::join(ranking.not_determined, ", "));
  }
  if (!ranking.unfinished.empty())
    ranking.why += fmt::format("; not finished within the time limit: {}", fmt::join(ranking.unfinished, ", "));
}

}  // namespace bristle::identify
