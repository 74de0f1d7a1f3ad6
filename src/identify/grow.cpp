#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "identify/effects.hpp"
#include "identify/fleet.hpp"
#include "identify/sampling.hpp"
#include "identify/stages.hpp"

namespace bristle::identify {
namespace {

/// Candidates with more effects, by their predecessor.
using Successors = std::vector<std::unique_ptr<Candidate>>;

void refit(const Successors& next, const Setting& s, Workers& workers, std::mutex& mutex) {
  std::vector<Candidate*> all;
  for (const auto& c : next) {
    if (c && c->failure.empty()) all.push_back(c.get());
  }
  workers.each(all.size(), 0, "effects",
               [&](std::size_t i) { account(*all[i], mutex, [&](std::size_t& n) { polish(*all[i], s, n); }); });
  hold_out_all(all, s, workers, mutex, 0);
}

bool usable(const std::unique_ptr<Candidate>& c) {
  return c && c->failure.empty() && std::isfinite(c->best.cost) && std::isfinite(c->held_out_rmse);
}

Table effects_of(const Candidate& c) {
  std::vector<double> p(c.space.parameters());
  c.space.parameters_at(c.best.q.data(), p.data(), nullptr);
  Table all = c.evaluator->effects(p.data());
  const auto directed = std::erase_if(all, [](const Entry& e) { return e.key.starts_with(of_negative); });
  if (directed > 0) all.push_back({"directions", true});  // of another model, other parameters
  return all;
}

/// Effects of which one describes what the other does.
bool excludes(const std::string& a, const std::string& b) {
  constexpr std::pair<std::string_view, std::string_view> same[]{
      {"asymmetry", "directions"}, {"offset", "curve"}, {"curve", "curve_load"}};
  return std::ranges::any_of(
      same, [&](const auto& e) { return (e.first == a && e.second == b) || (e.first == b && e.second == a); });
}

/// Share of twenty parts of the data that `a` predicts better than `b`.
double better_share(const Candidate& a, const Candidate& b) {
  constexpr std::size_t parts = 20;
  const std::size_t n = a.held_out.size();
  double better = 0;
  for (std::size_t k = 0; k < parts; ++k) {
    double difference = 0;
    for (std::size_t i = k * n / parts; i < (k + 1) * n / parts; ++i)
      difference += static_cast<double>(a.held_out[i] * a.held_out[i] - b.held_out[i] * b.held_out[i]);
    better += difference < 0 ? 1.0 / parts : 0;
  }
  return better;
}

/// Whether an effect predicts better. An effect searched along x must do so nearly everywhere: somewhere, correlated noise
/// resembles a wave.
bool earns(const std::string& effect, const Candidate& with, const Candidate& without, const Setting& s) {
  const bool searched = is_wave(effect) || is_curve(effect);
  return clearly_better(with, without, s) && (!searched || better_share(with, without) > 0.7);
}

/// The one with the fewest values that no other clearly exceeds; the number of all if there is none.
std::size_t simplest_of_the_best(const Successors& all, const Setting& s) {
  std::size_t out = all.size();
  for (std::size_t i = 0; i < all.size(); ++i) {
    auto exceeds = [&](const std::unique_ptr<Candidate>& c) { return c && clearly_better(*c, *all[i], s); };
    if (!all[i] || std::ranges::any_of(all, exceeds)) continue;
    auto key = [&](std::size_t k) { return std::pair(all[k]->space.size(), all[k]->held_out_rmse); };
    if (out == all.size() || key(i) < key(out)) out = i;
  }
  return out;
}

/// Adds effects one by one while the cross-validation error decreases; null if none helps.
std::unique_ptr<Candidate> with_earned(const Candidate& from, std::vector<std::string> open,
                                       const std::vector<const Series*>& others, const Setting& s, Workers& workers,
                                       std::mutex& mutex) {
  const Candidate* now = &from;
  std::unique_ptr<Candidate> kept;
  while (!open.empty() && !s.control.stopped()) {
    Successors next(open.size());
    workers.each(open.size(), 0, "effects", [&](std::size_t i) {
      const Table start = hint(open[i], *now, s, false);
      if (!start.empty()) next[i] = extended(*now, start, s);
    });
    refit(next, s, workers, mutex);
    for (std::size_t i = 0; i < next.size(); ++i) {
      if (!usable(next[i]) || !earns(open[i], *next[i], *now, s)) next[i] = nullptr;
    }
    const std::size_t best = simplest_of_the_best(next, s);
    if (best == next.size()) break;
    const std::string earned = open[best];
    if (!others.empty() && !has_one_size(earned, *next[best], others, s)) {
      std::erase(open, earned);  // an error of the motion between rows, which it describes by chance
      continue;
    }
    kept = std::move(next[best]);
    now = kept.get();
    std::erase_if(open, [&](const std::string& other) { return other == earned || excludes(earned, other); });
  }
  return kept;
}

/// Fits waves along x that are too fine for re-sampled data to the whole recordings; their values then stay fixed.
std::unique_ptr<Candidate> with_fine_waves(const Candidate& from, const Setting& s, Workers& workers,
                                           std::mutex& mutex) {
  const Setting whole{s.data.fine->whole, s.features, s.options, s.control, s.least_scale};
  Successors base;
  base.push_back(extended(from, {}, whole));
  refit(base, whole, workers, mutex);
  if (!usable(base.front())) return {};
  std::vector<std::string> waves = visible_effects(s.data);
  if (s.features.reversals == 0) return {};
  std::erase_if(waves, std::not_fn(is_wave));
  const auto kept = with_earned(*base.front(), waves, {}, whole, workers, mutex);
  if (!kept) return {};
  Successors out;
  std::vector<std::string> known;
  for (const Entry& e : effects_of(*kept)) {
    if (std::ranges::find(from.shape.effects, e.key, &Entry::key) == from.shape.effects.end()) known.push_back(e.key);
  }
  out.push_back(extended(from, effects_of(*kept), s, known));
  refit(out, s, workers, mutex);
  return usable(out.front()) ? std::move(out.front()) : nullptr;
}

/// Whether a parameter of the law is free: a law that the user gave as a whole is evaluated as it is.
bool fits_friction(const Candidate& c) {
  for (std::size_t i = 0; i < c.evaluator->scalars().size(); ++i) {
    if (c.space.coordinate_of(i) >= 0) return true;
  }
  return false;
}

}  // namespace

void add_effects(Parts& parts, std::vector<Candidate*>& all, const std::vector<std::string>& named,
                 const std::vector<const Series*>& others, const Setting& s, Workers& workers,
                 std::vector<std::string>& notes) {
  std::vector<Candidate*> rigid;
  for (Candidate* c : all) {
    if (!c->shape.compliant && std::isfinite(c->best.cost) && (!named.empty() || fits_friction(*c))) rigid.push_back(c);
  }
  std::vector<std::string> seen = visible_effects(s.data);
  // Motion without reversals visits a position once: a dependence on it is one on time, such as the evolution of friction.
  if (s.features.reversals == 0) std::erase_if(seen, [](const std::string& e) { return is_wave(e) || is_curve(e); });
  if (rigid.empty() || (named.empty() && seen.empty())) return;
  hold_out_all(rigid, s, workers, parts.mutex, 0);
  std::vector<Candidate*> pilots = best_shapes(rigid, s);
  std::ranges::sort(pilots, {}, [](const Candidate* c) { return std::pair(c->held_out_rmse, c->shape.model); });
  if (pilots.size() > 2) pilots.resize(2);
  Table effects;
  std::vector<std::string> known;
  if (named.empty()) {
    double least = inf;
    if (s.data.fine) std::erase_if(seen, is_wave);
    for (const Candidate* c : pilots) {
      const auto earned = with_earned(*c, seen, others, s, workers, parts.mutex);
      const auto waved = s.data.fine ? with_fine_waves(earned ? *earned : *c, s, workers, parts.mutex) : nullptr;
      const Candidate& last = waved ? *waved : earned ? *earned : *c;
      if (!(last.held_out_rmse < least)) continue;
      least = last.held_out_rmse;
      effects = effects_of(last);
      known = last.shape.known;
    }
  } else if (!pilots.empty()) {
    for (const std::string& name : named) {
      for (const Entry& e : hint(name, *pilots.front(), s, true)) effects.push_back(e);
    }
  }
  if (effects.empty() || s.control.stopped()) return;
  auto value = [&](const std::string& key) {
    return *std::ranges::find(effects, key, &Entry::key)->value.as<double>();
  };
  for (const std::string& wave : known) {
    if (!is_wave(wave)) continue;
    notes.push_back(fmt::format(
        "{} of {:.3g}{} with a period of {:.4g} {} fitted to the whole recordings, not to the re-sampled forces", wave,
        value(wave), wave == "cogging" ? s.data.rotational ? " N m" : " N" : "", value(wave + "_period"),
        s.data.rotational ? "rad" : "m"));
  }
  auto grow = [&](const Table& more, bool must_help) {
    Successors next(rigid.size());
    workers.each(rigid.size(), 0, "effects", [&](std::size_t i) { next[i] = extended(*rigid[i], more, s, known); });
    refit(next, s, workers, parts.mutex);
    for (std::size_t i = 0; i < rigid.size(); ++i) {
      if (!usable(next[i]) || (must_help && !clearly_better(*next[i], *rigid[i], s))) continue;
      *std::ranges::find(all, rigid[i]) = next[i].get();
      rigid[i] = next[i].get();
      parts.candidates.push_back(std::move(next[i]));
    }
  };
  // A wave found in the whole recordings is kept even if re-sampled forces contain little of it.
  Table fine;
  for (const Entry& e : effects) {
    if (std::ranges::find(known, e.key) != known.end()) fine.push_back(e);
  }
  if (!fine.empty()) grow(fine, false);
  if (fine.size() < effects.size()) grow(effects, named.empty());
}

}  // namespace bristle::identify
