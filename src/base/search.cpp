#include "base/search.hpp"

#include <algorithm>
#include <cmath>

#include "bristle/random.hpp"

namespace bristle::minimum {
namespace {

/// Counts evaluations; a point that cannot be computed is worse than all others.
class Points {
 public:
  Points(const Cost& cost, const Box& box, int evaluations) : cost_(cost), box_(box), left_(evaluations) {}
  bool spent() const { return left_ <= 0; }
  Solution at(std::vector<double> q) {
    --left_;
    box_.clamp(q);
    const double cost = cost_(q.data());
    return {std::move(q), std::isnan(cost) ? std::numeric_limits<double>::infinity() : cost};
  }

 private:
  const Cost& cost_;
  const Box& box_;
  int left_;
};

bool lower(const Solution& a, const Solution& b) { return a.cost < b.cost; }

/// a + share (b - a)
std::vector<double> between(const std::vector<double>& a, const std::vector<double>& b, double share) {
  std::vector<double> out(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) out[i] = a[i] + share * (b[i] - a[i]);
  return out;
}

/// Costs from low to high within the last digits.
bool level(const Solution& low, const Solution& high) { return high.cost - low.cost <= 1e-10 * std::abs(low.cost); }

}  // namespace

void Box::clamp(std::vector<double>& q) const {
  for (std::size_t i = 0; i < q.size(); ++i) q[i] = std::clamp(q[i], lo[i], hi[i]);
}

Solution nelder_mead(const Cost& cost, const Box& box, std::vector<double> q, double step, int evaluations) {
  Points points(cost, box, evaluations);
  const std::size_t n = q.size();
  box.clamp(q);
  std::vector<Solution> simplex{points.at(q)};
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<double> corner = q;
    const double up = box.hi[i] - q[i], down = q[i] - box.lo[i];
    corner[i] += up >= step || up >= down ? std::min(step, up) : -std::min(step, down);
    simplex.push_back(points.at(std::move(corner)));
  }
  bool converged = false;
  while (!points.spent()) {
    for (auto i = simplex.begin(); i != simplex.end(); ++i)  // a few points, nearly in order
      std::rotate(std::upper_bound(simplex.begin(), i, *i, lower), i, i + 1);
    Solution& worst = simplex.back();
    converged = level(simplex.front(), worst);
    if (converged) break;
    std::vector<double> centre(n);
    for (std::size_t k = 0; k < n; ++k) {
      for (std::size_t i = 0; i < n; ++i) centre[i] += simplex[k].q[i] / static_cast<double>(n);
    }
    Solution next = points.at(between(centre, worst.q, -1));
    if (next.cost < simplex.front().cost) {
      Solution further = points.at(between(centre, worst.q, -2));
      if (lower(further, next)) next = std::move(further);
    } else if (!(next.cost < simplex[n - 1].cost)) {
      const double most = std::min(next.cost, worst.cost);
      next = points.at(between(centre, worst.q, next.cost < worst.cost ? -0.5 : 0.5));
      if (!(next.cost < most)) {
        for (std::size_t k = 1; k <= n; ++k) simplex[k] = points.at(between(simplex[0].q, simplex[k].q, 0.5));
        continue;
      }
    }
    worst = std::move(next);
  }
  Solution best = *std::min_element(simplex.begin(), simplex.end(), lower);
  best.converged = converged;
  return best;
}

Solution random_search(const Cost& cost, const Box& box, const std::vector<std::vector<double>>& first, int evaluations,
                       std::uint64_t seed) {
  Points points(cost, box, evaluations);
  const std::size_t n = box.size();
  std::uint64_t draws = 0;
  auto draw = [&] { return uniform(seed, 300, draws++); };
  std::vector<Solution> all;
  std::vector<double> q(n);
  while (all.size() < std::max(first.size(), 10 * (n + 1)) && !points.spent()) {
    for (std::size_t i = 0; i < n; ++i) q[i] = box.lo[i] + draw() * (box.hi[i] - box.lo[i]);
    all.push_back(points.at(all.size() < first.size() ? first[all.size()] : q));
  }
  bool converged = false;
  while (!points.spent()) {
    // To the front: the best and n others, of which the last is reflected at the centre of the rest.
    std::iter_swap(all.begin(), std::min_element(all.begin(), all.end(), lower));
    std::vector<double> centre(n);
    for (std::size_t k = 0; k <= n; ++k) {
      const auto others = static_cast<double>(all.size() - k);
      if (k > 0) std::swap(all[k], all[k + static_cast<std::size_t>(draw() * others)]);
      for (std::size_t i = 0; i < n && k < n; ++i) centre[i] += all[k].q[i] / static_cast<double>(n);
    }
    Solution& worst = *std::max_element(all.begin(), all.end(), lower);
    converged = level(all.front(), worst);
    if (converged) break;
    Solution next = points.at(between(centre, all[n].q, -1));
    if (!(next.cost < worst.cost) && !points.spent()) {  // mutation: from the best, away from the point that failed
      for (std::size_t i = 0; i < n; ++i) q[i] = all.front().q[i] + draw() * (all.front().q[i] - next.q[i]);
      next = points.at(q);
    }
    if (next.cost < worst.cost) worst = std::move(next);
  }
  Solution best = *std::min_element(all.begin(), all.end(), lower);
  best.converged = converged;
  return best;
}

}  // namespace bristle::minimum
