#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "base/linear.hpp"
#include "identify/experiments.hpp"
#include "identify/statistics.hpp"

namespace bristle::identify {
namespace {

/// Change of the steady level at a velocity step, with a common trend of the force with the displacement (wear and
/// layers of the specimen), from the later halves of both plateaus.
Level change_of(const Plateau& one, const Plateau& two) {
  const Track& k = *one.track;
  auto late = [](const Plateau& p) { return p.from + (p.to - p.from) / 2; };
  const std::size_t first = one.to - late(one), n = first + (two.to - late(two));
  Eigen::MatrixXd A(static_cast<Eigen::Index>(n), 3);
  Eigen::VectorXd y(static_cast<Eigen::Index>(n));
  const double x0 = k.x[one.to - 1], length = k.x[two.to - 1] - x0;
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t row = i < first ? late(one) + i : late(two) + i - first;
    const auto at = static_cast<Eigen::Index>(i);
    A(at, 0) = 1;
    A(at, 1) = i < first ? 0 : 1;
    A(at, 2) = (k.x[row] - x0) / length;
    y[at] = k.y[row];
  }
  const Eigen::MatrixXd normal = A.transpose() * A;
  const Eigen::VectorXd c = linear::solve(normal, A.transpose() * y), rest = y - A * c;
  const Eigen::VectorXd column = linear::solve(normal, Eigen::VectorXd::Unit(3, 1));
  const Autoregression process = autoregression({rest.begin(), rest.end()}, {0, first}, 24);
  const double inflation = std::max(1.0, process.inflation());
  return {.value = c[1],
          .error = std::sqrt(process.variance * inflation * column[1]),
          .freedom = std::max(1.0, static_cast<double>(n) / inflation - 3)};
}

}  // namespace

std::vector<Observation> velocity_steps(const std::vector<Plateau>& plateaus) {
  std::vector<Observation> out;
  for (std::size_t j = 0; j + 1 < plateaus.size(); ++j) {
    const Plateau &one = plateaus[j], &two = plateaus[j + 1];
    const Track& k = *one.track;
    const double ratio = two.v / one.v;
    if (two.track != &k || !k.recording->u.empty() || !(ratio > 1.5 || (ratio > 0 && ratio < 1 / 1.5))) continue;
    const std::size_t gap = two.from - std::min(one.to, two.from);
    if (gap > std::min(one.to - one.from, two.to - two.from) / 5) continue;
    const Level before = steady_level(one), after = steady_level(two);
    if (before.to == before.from || after.to == after.from) continue;
    const Level change = change_of(one, two);
    const double sign = one.v > 0 ? 1 : -1, log = std::log(ratio);
    Observation o{.experiment = "velocity step",
                  .name = "a - b",
                  .unit = "N",
                  .value = sign * change.value / log,
                  .v = sign,
                  .repetitions = 1,
                  .rows = two.to - one.from,
                  .recordings = {k.recording->name},
                  .from = k.t[one.from],
                  .to = k.t[two.to - 1]};
    const double half = student_95(change.freedom) * change.error / std::abs(log);
    o.low = o.value - half;
    o.high = o.value + half;
    out.push_back(std::move(o));
  }
  return out;
}

}  // namespace bristle::identify
