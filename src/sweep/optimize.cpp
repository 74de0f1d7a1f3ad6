#include "bristle/sweep/optimize.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "base/parallel.hpp"
#include "base/search.hpp"
#include "sweep/sobol.hpp"

namespace bristle::sweep {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Runs at points of the unit box, with their history. Points are the values of the keys, so that a point that is
/// visited twice runs once.
class Search {
 public:
  Search(ScenarioFamily family, const Goal& goal, const RunHooks& hooks)
      : family_(std::move(family)), goal_(goal), hooks_(hooks) {}

  std::vector<double> values(const double* q) const {
    std::vector<double> out;
    out.reserve(goal_.keys.size());
    for (std::size_t k = 0; k < goal_.keys.size(); ++k) out.push_back(goal_.keys[k].at(q[k], 1));
    return out;
  }

  /// Evaluates many points at once; the history has them in order.
  void evaluate(const std::vector<std::vector<double>>& points) {
    std::vector<Evaluation> done(points.size());
    in_parallel(points.size(), hooks_.threads, [&](std::size_t i) {
      ScenarioFamily own(family_);
      done[i] = run(own, values(points[i].data()));
    });
    for (Evaluation& e : done) add(std::move(e));
  }

  double cost(const double* q) {
    const std::vector<double> at = values(q);
    auto known = index_.find(at);
    if (known == index_.end()) {
      if (spent()) return nan;
      add(run(family_, at));
      known = index_.find(at);
    }
    const double value = history[known->second].value;
    return goal_.maximize ? -value : value;
  }

  bool spent() const { return static_cast<int>(history.size()) >= goal_.evaluations; }
  std::vector<Evaluation> history{};

 private:
  Evaluation run(ScenarioFamily& family, std::vector<double> at) const {
    if (hooks_.stop && hooks_.stop->load(std::memory_order_relaxed)) throw Stopped();
    Loaded loaded = family.at(at);
    if (!loaded.scenario) return {std::move(at), nan, loaded.problems.front().text};
    const Scenario& s = *loaded.scenario;
    try {
      const RunOptions options{.probes = probe_times(s), .stop = hooks_.stop, .rows = needs_rows(s)};
      const Number x = number_of(std::ranges::find(s.measures, goal_.measure, &Measure::name)->quantity,
                                 simulate(s.experiment, options));
      return {std::move(at), x.value, x.reason};
    } catch (const RunFailed& e) { return {std::move(at), nan, e.what()}; }
  }
  void add(Evaluation&& e) {
    index_.emplace(e.at, history.size());
    history.push_back(std::move(e));
    if (hooks_.progress) hooks_.progress(history.size());
  }

  ScenarioFamily family_;
  const Goal& goal_;
  const RunHooks& hooks_;
  std::map<std::vector<double>, std::size_t> index_{};
};

std::vector<double> sobol_point(std::uint64_t i, std::size_t n) {
  std::vector<double> out;
  out.reserve(n);
  for (std::size_t k = 0; k < n; ++k) out.push_back(sobol(i, k) / sobol_whole);
  return out;
}

}  // namespace

PlanRead make_plan(ScenarioFamily& family, const Goal& goal, const std::vector<std::string>& changes) {
  PlanRead made = make_plan(family, SweepSpec{.vary = goal.keys, .sobol = 64}, {}, changes);
  if (!made.plan) return made;
  const auto& all = made.plan->measures;
  if (std::ranges::find(all, goal.measure, &MeasureColumn::name) == all.end()) {
    std::string known;
    for (const MeasureColumn& m : all) known += (known.empty() ? "" : ", ") + m.name;
    return {{},
            {{"", fmt::format("unknown measure '{}'; accepted: {}, or an expression such as iae(x)", goal.measure,
                              known)}}};
  }
  return made;
}

Optimum optimize(const ScenarioFamily& family, const Goal& goal, const RunHooks& hooks) {
  const std::size_t n = goal.keys.size();
  Search search(family, goal, hooks);
  std::vector<std::vector<double>> first;
  const auto population =
      static_cast<std::uint64_t>(std::min(goal.evaluations, std::max(16, 10 * (static_cast<int>(n) + 1))));
  first.reserve(population);
  for (std::uint64_t i = 0; i < population; ++i) first.push_back(sobol_point(i, n));
  search.evaluate(first);

  Optimum out;
  auto better = [&](const Evaluation& a, const Evaluation& b) {
    if (std::isnan(a.value) || std::isnan(b.value)) return !std::isnan(a.value) && std::isnan(b.value);
    return goal.maximize ? a.value > b.value : a.value < b.value;
  };
  const minimum::Box box{std::vector<double>(n, 0), std::vector<double>(n, 1)};
  const minimum::Cost cost = [&](const double* q) { return search.cost(q); };
  const bool any = std::ranges::any_of(search.history, [](const Evaluation& e) { return !std::isnan(e.value); });
  if (any) {
    const int global = (goal.evaluations - static_cast<int>(population)) / 2;  // the other half for the simplices
    minimum::Solution best = minimum::random_search(cost, box, first, static_cast<int>(population) + global, goal.seed);
    for (int round = 0; round < 8 && !search.spent(); ++round) {  // a collapsed simplex opens again
      const minimum::Solution next = minimum::nelder_mead(cost, box, best.q, round == 0 ? 0.1 : 0.03, goal.evaluations);
      const bool settled = !(next.cost < best.cost - 1e-9 * std::abs(best.cost));
      if (next.cost <= best.cost) best = next;
      out.converged = settled && round > 0 && !search.spent();
      if (out.converged) break;
    }
  }
  out.history = std::move(search.history);
  out.best =
      static_cast<std::size_t>(std::min_element(out.history.begin(), out.history.end(), better) - out.history.begin());
  out.found = !std::isnan(out.history[out.best].value);
  if (!out.found) return out;
  for (std::size_t k = 0; k < n; ++k) {
    const Varied& v = goal.keys[k];
    const double x = out.history[out.best].at[k];
    // In the coordinate of the search, within the last width of a simplex.
    auto coordinate = [&](double y) { return v.log ? std::log(std::abs(y)) : y; };
    const double whole = std::abs(coordinate(v.to) - coordinate(v.from));
    for (const auto& [end, other] : {std::pair{v.from, v.to}, std::pair{v.to, v.from}}) {
      if (std::abs(coordinate(x) - coordinate(end)) > 1e-6 * whole) continue;
      out.at_bounds.push_back(fmt::format("{} = {} is the {} end of its range: a wider range may give a better value",
                                          v.key, bristle::to_text(x), end < other ? "lower" : "upper"));
    }
  }
  return out;
}

}  // namespace bristle::sweep
