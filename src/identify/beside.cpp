#include "identify/beside.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "identify/statistics.hpp"

namespace bristle::identify {
namespace {

/// Gain of the cross-validation errors in standard deviations: of all rows, and without the place with the largest gain.
struct Gain {
  double all = 0, others = 0;
};
Gain gain_of(const Candidate& with, const Candidate& without, const Setting& s) {
  std::vector<double> rest;
  std::vector<std::size_t> used, breaks;
  for (const Stretch& stretch : s.data.stretches) {
    breaks.push_back(rest.size());
    for (std::size_t i = (stretch.from + s.stride - 1) / s.stride; i * s.stride < stretch.to; ++i) {
      if (!(s.data.weight[i * s.stride] > 0)) continue;
      used.push_back(i);
      rest.push_back(static_cast<double>(with.held_out[i]));
    }
  }
  if (used.empty()) return {};
  const Autoregression noise = autoregression(rest, breaks, 24);
  const double size = std::max(noise.variance, s.least_scale * s.least_scale),
               inflation = std::max(1.0, noise.inflation());
  // If the smaller law is true, the gain of a row is 2 e d - d^2 with noise e and the difference d of both predictions.
  const auto together = static_cast<std::size_t>(std::ceil(inflation));
  std::vector<double> gain, variance;
  for (std::size_t k = 0; k < used.size(); ++k) {
    if (k % together == 0) gain.push_back(0), variance.push_back(0);
    const double before = static_cast<double>(without.held_out[used[k]]), d = before - rest[k];
    gain.back() += before * before - rest[k] * rest[k];
    variance.back() += 4 * size * inflation * d * d;
  }
  const auto most = static_cast<std::size_t>(std::ranges::max_element(gain) - gain.begin());
  const double sum = std::accumulate(gain.begin(), gain.end(), 0.0),
               squares = std::accumulate(variance.begin(), variance.end(), 0.0);
  auto ratio = [](double a, double b) { return b > 0 ? a / std::sqrt(b) : 0; };
  return {ratio(sum, squares), ratio(sum - gain[most], squares - variance[most])};
}

int beside(const Candidate& c) { return static_cast<int>(c.shape.compliant) + static_cast<int>(c.shape.trending); }

}  // namespace

bool has_more_beside(const Candidate& a, const Candidate& b) { return beside(a) > beside(b); }

bool earns_its_place(const Candidate& with, const Candidate& without, const Setting& s) {
  // Both predictions have errors of their own, so that single standard deviations do not count.
  const Gain gain = gain_of(with, without, s);
  const int more = beside(with) - beside(without);
  if (gain.all > 4 * std::sqrt(static_cast<double>(more)) && gain.others > 2) return true;
  // A residual that is no noise, and correlated, hides a gain of single rows; one of the whole recording counts.
  return with.held_out_rmse < std::pow(0.95, more) * without.held_out_rmse && clearly_better(with, without, s);
}

void widen_by_doubt(const std::vector<Candidate*>& best, const std::vector<Candidate*>& all, const Setting& s) {
  for (Candidate* c : best) {
    for (std::size_t i = 0; i < c->fit.friction.size() && i < c->behind.size(); ++i) {
      if (!c->fit.friction[i].dropped) widen(c->fit.friction[i], c->behind[i].shift);
    }
    for (const Candidate* other : all) {
      const bool possible = other->shape.model == c->shape.model && other->shape.elements == c->shape.elements &&
                            has_more_beside(*other, *c) && other->validated && c->validated &&
                            other->held_out.size() == c->held_out.size();
      if (!possible || gain_of(*other, *c, s).all < -1) continue;  // predicts worse
      std::vector<double> p(other->space.parameters());
      other->space.parameters_at(other->best.q.data(), p.data(), nullptr);
      for (Estimate& e : c->fit.friction) {
        const auto& scalars = other->evaluator->scalars();
        const auto same = std::ranges::find(scalars, e.name, &Scalar::name);
        if (e.dropped || same == scalars.end()) continue;
        const double value = p[static_cast<std::size_t>(same - scalars.begin())], moved = value - e.value;
        if (std::abs(moved) > 0.5 * (e.high - e.low) && e.diagnosis.empty())
          e.diagnosis = fmt::format("{} would be {:.3g} with a {}, which the data neither show nor exclude", e.name,
                                    value, other->shape.compliant ? machine_stiffness : trend);
        if (moved > 0) e.high += moved;
        if (moved < 0) e.low += moved;
      }
    }
  }
}

}  // namespace bristle::identify
