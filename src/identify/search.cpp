#include <nlopt.h>

#include <cmath>
#include <memory>

#include "identify/solve.hpp"

namespace bristle::identify {
namespace {

/// What NLopt calls back for.
struct Job {
  const Objective* o;
  nlopt_opt opt;
};
double cost_of(unsigned, const double* q, double*, void* job) {
  const Job& j = *static_cast<const Job*>(job);
  if (j.o->control.stopped()) nlopt_force_stop(j.opt);
  const double cost = j.o->cost(q);
  return std::isfinite(cost) ? cost : 1e300;
}

struct Destroy {
  void operator()(nlopt_opt opt) const { nlopt_destroy(opt); }
};

Solution minimise(nlopt_algorithm algorithm, const Objective& o, std::vector<double> q, int evaluations, double step) {
  o.space.clamp(q);
  const double start = o.cost(q.data());
  if (q.empty()) return {q, start, true};
  const std::unique_ptr<nlopt_opt_s, Destroy> opt(nlopt_create(algorithm, static_cast<unsigned>(q.size())));
  std::vector<double> lo, hi;
  for (const Coordinate& c : o.space.coordinates) {
    lo.push_back(c.lo);
    hi.push_back(c.hi);
  }
  Job job{&o, opt.get()};
  nlopt_set_lower_bounds(opt.get(), lo.data());
  nlopt_set_upper_bounds(opt.get(), hi.data());
  nlopt_set_min_objective(opt.get(), cost_of, &job);
  nlopt_set_maxeval(opt.get(), evaluations);
  nlopt_set_ftol_rel(opt.get(), 1e-10);
  if (step > 0) nlopt_set_initial_step1(opt.get(), step);
  std::vector<double> best = q;
  double cost = start;
  const nlopt_result result = nlopt_optimize(opt.get(), best.data(), &cost);
  const bool converged = result > 0 && result != NLOPT_MAXEVAL_REACHED && result != NLOPT_MAXTIME_REACHED;
  if (!(cost < start)) return {q, start, converged};
  return {best, cost, converged};
}

}  // namespace

Solution downhill(const Objective& o, std::vector<double> q, int evaluations) {
  Solution best{q, o.cost(q.data()), false};
  for (int round = 0; round < 8 && !o.control.stopped(); ++round) {  // a simplex that has collapsed is opened again
    const Solution next = minimise(NLOPT_LN_NELDERMEAD, o, best.q, evaluations, round == 0 ? 0.5 : 0.1);
    const bool done = !(next.cost < best.cost * (1 - 1e-6));
    if (next.cost <= best.cost) best = next;
    if (done && round > 0) {
      best.converged = true;
      break;
    }
  }
  return best;
}

Solution search(const Objective& o, std::vector<double> q, int evaluations, std::uint64_t seed) {
  nlopt_srand(static_cast<unsigned long>(seed));  // of this thread
  return minimise(NLOPT_GN_CRS2_LM, o, std::move(q), evaluations, 0);
}

}  // namespace bristle::identify
