#include "identify/stages.hpp"

#include <algorithm>
#include <cmath>

namespace bristle::identify {
namespace {

Objective objective(const Candidate& c, const Setting& s, int left_out = -1) {
  return {s.data, *c.evaluator, c.space, s.control, c.scale, s.threshold(), left_out, c.fuses};
}

Solution local(const Objective& o, std::vector<double> q, const Setting& s, int iterations, double tolerance) {
  return s.options.simplex ? downhill(o, std::move(q), 200 * static_cast<int>(o.space.size() + 1))
                           : descend(o, std::move(q), iterations, tolerance);
}

}  // namespace

void choose_starts(Candidate& c, const Setting& s, std::size_t& evaluations) {
  Objective o = objective(c, s);
  auto wanted = static_cast<std::size_t>(std::max(1, s.options.starts));
  if (c.shape.elements > 1) wanted += 2;                                        // several elements have many minima
  if (s.data.motion && wanted > 1) wanted *= s.data.size() < 20'000 ? 4U : 2U;  // and so have simulated motions
  const std::uint64_t seed = s.options.seed;
  std::vector<std::vector<double>> points = scattered(c.space, c.start.guesses, 40 * wanted, seed);
  if (s.data.motion && wanted > 1) {  // the values of a scenario may be far off
    std::vector<Guess> wide = c.start.guesses;
    for (Guess& g : wide) g.spread *= 3;
    const auto more = scattered(c.space, wide, 40 * wanted, seed + 1);
    points.insert(points.end(), more.begin() + 1, more.end());
  }
  if (!c.start.other.empty()) points.push_back(c.space.coordinates_at(c.start.other));
  c.scale = noise_scale(o, o.residuals(points.front().data()), s.least_scale);
  o.scale = c.scale;
  std::vector<std::pair<double, std::size_t>> costs;
  for (std::size_t k = 0; k < points.size() && (k == 0 || !s.control.late()); ++k)
    costs.emplace_back(o.cost(points[k].data()), k);
  if (!costs.empty()) std::sort(costs.begin() + 1, costs.end());
  for (std::size_t k = 0; k < costs.size() && c.starts.size() < wanted; ++k)
    c.starts.push_back(points[costs[k].second]);
  if (c.starts.empty()) c.starts.push_back(points.front());
  if (s.options.global && c.space.size() > 1 && !s.control.late()) {
    // Number of evaluations: about a second for a long recording, more for short ones.
    const double affordable = (s.data.motion ? 1.5e6 : 6e6) / static_cast<double>(s.data.size());
    const int count = static_cast<int>(std::clamp(affordable, 100.0, 60.0 * static_cast<double>(c.space.size())));
    std::vector<std::vector<double>> best;
    for (std::size_t k = 0; k < costs.size() && k < 5 * (c.space.size() + 1); ++k)
      best.push_back(points[costs[k].second]);
    c.starts.push_back(search(o, best, count, seed).q);
  }
  c.hurried = s.control.late();
  c.tried.resize(c.starts.size());
  c.best = {c.starts.front(), inf, false};
  evaluations += o.evaluations;
}

void follow_start(Candidate& c, const Setting& s, std::size_t start, std::size_t& evaluations) {
  if (start > 0 && s.control.late()) return;
  const Objective o = objective(c, s);
  // The lowest one is continued by polish(): the last digits of the others do not matter.
  c.tried[start] = local(o, c.starts[start], s, 40, std::max(s.tolerance, 1e-4));
  evaluations += o.evaluations;
}

namespace {

/// Where local fits ended with nearly the least cost.
void take_minima(Candidate& c) {
  const Solution& least = *std::ranges::min_element(c.tried, {}, &Solution::cost);
  c.minima.clear();
  c.reached = c.followed = 0;
  for (const Solution& e : c.tried) {
    if (!std::isfinite(e.cost)) continue;
    ++c.followed;
    if (e.cost > 1.05 * least.cost) continue;
    ++c.reached;
    c.space.parameters_at(e.q.data(), c.minima.emplace_back(c.space.parameters()).data(), nullptr);
  }
}

}  // namespace

void polish(Candidate& c, const Setting& s, std::size_t& evaluations) {
  if (!c.tried.empty()) take_minima(c);
  for (const Solution& e : c.tried) {
    c.hurried = c.hurried || e.q.empty() != c.starts.front().empty();
    if (e.cost < c.best.cost) c.best = e;
  }
  c.tried.clear();
  Objective o = objective(c, s);
  for (int round = 0; round < 4 && !s.control.stopped(); ++round) {
    const double scale = noise_scale(o, o.residuals(c.best.q.data()), s.least_scale);
    const bool same = std::abs(scale / o.scale - 1) < 0.02 && round > 0;
    if (same) break;
    o.scale = c.scale = scale;
    const Solution next = local(o, c.best.q, s, 60, c.hopeless ? 1e-3 : s.tolerance);
    if (std::isfinite(next.cost)) c.best = next;
  }
  std::vector<double> p(c.space.parameters());
  c.space.parameters_at(c.best.q.data(), p.data(), nullptr);
  const auto& scalars = c.evaluator->scalars();
  bool free = true;  // elements that were given stay in their places
  for (std::size_t i = 0; i < scalars.size(); ++i)
    free = free && !(scalars[i].index > 0 && c.space.rules[i].kind == Rule::constant);
  if (free) sort_elements(scalars, p);
  for (std::size_t i = 0; i < scalars.size(); ++i) {
    if (scalars[i].name.ends_with("_phase") && !scalars[i].body) p[i] = std::remainder(p[i], two_pi);
  }
  c.best.q = c.space.coordinates_at(p);
  evaluations += o.evaluations;
}

HeldOut hold_out(const Candidate& c, const Setting& s, int block, std::size_t& evaluations) {
  const Objective o = objective(c, s, block), whole = objective(c, s);
  // The first step is nearly the whole change; a later one is taken if it promises 0.05 % of the error or more.
  const Solution fitted = local(o, c.best.q, s, 15, 1e-3);
  const std::vector<double> r = o.residuals(fitted.q.data());
  HeldOut out{.complete = std::isfinite(fitted.cost) && !s.control.stopped(),
              .q = fitted.q,
              .cost = whole.cost(fitted.q.data())};
  out.residuals.assign((r.size() + s.stride - 1) / s.stride, 0.0F);
  for (std::size_t i = 0; i < r.size(); ++i) {
    if (s.data.block[i] != block || !(s.data.weight[i] > 0)) continue;
    out.squares += r[i] * r[i];
    if (i % s.stride == 0) out.residuals[i / s.stride] = static_cast<float>(r[i]);
  }
  evaluations += o.evaluations + whole.evaluations;
  return out;
}

void take_held_out(Candidate& c, const Setting& s, std::span<HeldOut> blocks) {
  double size = 0, sum = 0;
  for (std::size_t i = 0; i < s.data.size(); ++i) {
    if (s.data.weight[i] > 0) size += s.data.y[i] * s.data.y[i];
  }
  c.held_out.assign((s.data.size() + s.stride - 1) / s.stride, 0.0F);
  c.validated = true;
  for (HeldOut& block : blocks) {
    sum += block.squares;
    c.validated = c.validated && block.complete;
    for (std::size_t i = 0; i < block.residuals.size(); ++i) c.held_out[i] += block.residuals[i];
    block = {};
  }
  c.held_out_rmse = std::sqrt(sum / static_cast<double>(s.data.used));
  c.held_out_relative = size > 0 ? 100 * std::sqrt(sum / size) : 0;
}

void hold_out_alone(Candidate& c, const Setting& s) {
  std::vector<HeldOut> blocks;
  blocks.reserve(static_cast<std::size_t>(s.data.blocks));
  for (int k = 0; k < s.data.blocks; ++k) blocks.push_back(hold_out(c, s, k, c.evaluations));
  take_held_out(c, s, blocks);
}

}  // namespace bristle::identify
