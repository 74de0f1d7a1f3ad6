#include "identify/fleet.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "bristle/registry/describe.hpp"
#include "identify/beside.hpp"
#include "identify/stages.hpp"

namespace bristle::identify {
namespace {

const ModelInfo* model_of(const Candidate& c) { return find_variant(c.shape.model).model; }

/// Restarts the other shapes of a model from the best values of one shape.
std::vector<std::pair<Candidate*, std::size_t>> exchange_starts(const std::vector<Candidate*>& all) {
  std::vector<std::pair<Candidate*, std::size_t>> jobs;
  for (Candidate* c : all) {
    for (const Candidate* other : all) {
      const bool related = other != c && model_of(*other) == model_of(*c) && c->shape.elements == 0 &&
                           other->shape.compliant == c->shape.compliant;
      const auto best = std::ranges::min_element(other->tried, {}, &Solution::cost);
      if (!related || best == other->tried.end() || !std::isfinite(best->cost)) continue;
      std::vector<double> theirs(other->space.parameters()), p;
      other->space.parameters_at(best->q.data(), theirs.data(), nullptr);
      for (const Guess& g : c->start.guesses) p.push_back(g.value);
      for (std::size_t i = 0; i < c->evaluator->scalars().size(); ++i) {
        const auto same =
            std::ranges::find(other->evaluator->scalars(), c->evaluator->scalars()[i].name, &Scalar::name);
        if (same != other->evaluator->scalars().end())
          p[i] = theirs[static_cast<std::size_t>(same - other->evaluator->scalars().begin())];
      }
      jobs.emplace_back(c, c->starts.size());
      c->starts.push_back(c->space.coordinates_at(p));
    }
  }
  for (Candidate* c : all) c->tried.resize(c->starts.size());
  return jobs;
}

}  // namespace

void refine(const std::vector<Candidate*>& all, const Setting& s, Workers& workers, std::mutex& mutex) {
  workers.each(all.size(), 0.1, "fits",
               [&](std::size_t i) { account(*all[i], mutex, [&](std::size_t& n) { polish(*all[i], s, n); }); });
}

void fit(const std::vector<Candidate*>& all, const Setting& s, Workers& workers, std::mutex& mutex) {
  workers.each(all.size(), 0.2, "starting points",
               [&](std::size_t i) { account(*all[i], mutex, [&](std::size_t& n) { choose_starts(*all[i], s, n); }); });
  std::vector<std::pair<Candidate*, std::size_t>> jobs;
  for (Candidate* c : all) {
    for (std::size_t k = 0; k < c->starts.size(); ++k) jobs.emplace_back(c, k);
  }
  auto follow = [&](std::size_t i) {
    account(*jobs[i].first, mutex, [&](std::size_t& n) { follow_start(*jobs[i].first, s, jobs[i].second, n); });
  };
  workers.each(jobs.size(), 0.25, "fits", follow);
  jobs = exchange_starts(all);
  workers.each(jobs.size(), 0.05, "fits", follow);
  refine(all, s, workers, mutex);
}

namespace {

/// Returns fits without a block that describe all of the data better than the fit to all of it.
std::vector<std::pair<Candidate*, Solution>> hold_out_each(const std::vector<Candidate*>& all, const Setting& s,
                                                           Workers& workers, std::mutex& mutex, double share) {
  const auto folds = static_cast<std::size_t>(s.data.blocks);
  std::vector<HeldOut> parts(all.size() * folds);
  workers.each(parts.size(), share, "cross-validation", [&](std::size_t i) {
    Candidate& c = *all[i / folds];
    account(c, mutex, [&](std::size_t& n) { parts[i] = hold_out(c, s, static_cast<int>(i % folds), n); });
  });
  std::vector<std::pair<Candidate*, Solution>> better;
  for (std::size_t k = 0; k < all.size(); ++k) {
    Candidate& c = *all[k];
    const auto own = std::span(parts).subspan(k * folds, folds);
    const HeldOut& least = *std::ranges::min_element(own, {}, &HeldOut::cost);
    if (least.cost < 0.999 * c.best.cost) better.emplace_back(&c, Solution{least.q, least.cost});
    take_held_out(c, s, own);
  }
  return better;
}

}  // namespace

void hold_out_all(const std::vector<Candidate*>& all, const Setting& s, Workers& workers, std::mutex& mutex,
                  double share) {
  std::vector<Candidate*> open = all;
  for (int round = 1;; ++round) {
    const auto better = hold_out_each(open, s, workers, mutex, round == 1 ? share : 0);
    if (better.empty() || round == 4) return;
    open.clear();
    for (const auto& [candidate, solution] : better) {
      candidate->best = solution;
      open.push_back(candidate);
    }
    refine(open, s, workers, mutex);
  }
}

namespace {

/// Of two shapes of a law: a force besides friction must be significant, an element must lower the error by 2 %.
bool exceeds(const Candidate& a, const Candidate& b, const Setting& s) {
  if (a.validated != b.validated) return a.validated;
  if (has_more_beside(a, b)) return a.validated && earns_its_place(a, b, s);
  const bool other = a.shape.compliant != b.shape.compliant || a.shape.trending != b.shape.trending;
  return a.held_out_rmse < (other ? 1 : 0.98) * b.held_out_rmse;
}

}  // namespace

std::vector<Candidate*> best_shapes(const std::vector<Candidate*>& all, const Setting& s) {
  std::vector<Candidate*> out;
  for (Candidate* c : all) {
    if (!std::isfinite(c->held_out_rmse) || !std::isfinite(c->best.cost)) continue;
    auto same = std::ranges::find(out, c->shape.model, [](const Candidate* e) { return e->shape.model; });
    if (same == out.end()) {
      out.push_back(c);
    } else if (exceeds(*c, **same, s)) {
      *same = c;
    }
  }
  return out;
}

}  // namespace bristle::identify
