#include "identify/solve.hpp"

#include "base/search.hpp"

namespace bristle::identify {
namespace {

/// The objective as the solvers see it; once stopped, every point fails at once.
struct Problem {
  const Objective& o;
  Box box{};
  Cost cost = [this](const double* q) { return o.control.stopped() ? inf : o.cost(q); };
  GramAt gram = [this](const double* q, Gram& out) { return !o.control.stopped() && o.gram(q, out); };

  explicit Problem(const Objective& objective) : o(objective) {
    for (const Coordinate& c : o.space.coordinates) {
      box.lo.push_back(c.lo);
      box.hi.push_back(c.hi);
    }
  }
};

}  // namespace

Solution descend(const Objective& o, std::vector<double> q, int iterations, double tolerance) {
  if (q.empty()) return {q, o.cost(q.data()), true};
  const Problem p(o);
  // A point that is tried is nearly always taken: where derivatives come cheaply they are computed at once.
  return least_squares(p.gram, o.fuse ? Cost() : p.cost, p.box, std::move(q), iterations, tolerance);
}

Solution downhill(const Objective& o, std::vector<double> q, int evaluations) {
  const Problem p(o);
  Solution best{q, o.cost(q.data()), q.empty()};
  for (int round = 0; round < 8 && !q.empty() && !o.control.stopped(); ++round) {  // a collapsed simplex opens again
    const Solution next = minimum::nelder_mead(p.cost, p.box, best.q, round == 0 ? 0.5 : 0.1, evaluations);
    const bool done = !(next.cost < best.cost * (1 - 1e-6));
    if (next.cost <= best.cost) best = next;
    best.converged = done && round > 0;
    if (best.converged) break;
  }
  return best;
}

Solution search(const Objective& o, const std::vector<std::vector<double>>& points, int evaluations,
                std::uint64_t seed) {
  const Problem p(o);
  return minimum::random_search(p.cost, p.box, points, evaluations, seed);
}

}  // namespace bristle::identify
