#include "bristle/identify/joints.hpp"
#include "base/linear.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/linear.hpp"
#include "identify/joint_parameters.hpp"

namespace bristle::identify {
namespace {

constexpr int primes[]{2, 3, 5, 7, 11, 13, 17, 19, 23, 29};  // their roots spread points evenly

struct Minimum {
  std::vector<double> q{};
  double cost = inf;
  bool converged = false;
};

class Fitting {
 public:
  Fitting(const Rig& rig, const std::vector<JointRecording>& recordings, const JointOptions& options)
      : recordings_(recordings), options_(options), free_(rig, options) {
    out_.notes = free_.notes();
    for (const JointRecording& r : recordings_) {
      for (const Column& c : r.columns) {
        if (std::ranges::find(out_.columns, c.name, &JointFit::Of::name) == out_.columns.end())
          out_.columns.push_back({c.name, c.unit, 0, 0});
      }
    }
    spreads();
  }

  JointFit run() {
    for (JointFit::Of& c : out_.columns) scale_.push_back(c.spread);
    std::vector<double> r;
    if (!residuals(std::vector<double>(free_.size()), r, true)) throw RunFailed(failure_);
    const std::size_t n = free_.size();
    if (r.size() <= n)
      throw BadInput(fmt::format("{} measured values do not determine {} parameters; --free names fewer", r.size(), n));
    std::vector<Minimum> found;
    for (const std::vector<double>& q : starts()) {  // more than two if these disagree
      std::vector<double> costs(found.size());
      std::ranges::transform(found, costs.begin(), &Minimum::cost);
      if (costs.size() > 1 && std::ranges::max(costs) <= 1.05 * std::ranges::min(costs)) break;
      found.push_back(polished(search(q, 25, 1e-4), 1e-6));
    }
    Minimum best = *std::ranges::min_element(found, {}, &Minimum::cost);
    for (int round = 0; round < 2; ++round) {  // columns have the same weight, then the weight of their errors
      best = search(std::move(best.q), 60, 1e-10);
      out_.converged = best.converged;
      residuals(best.q, r, true);
      if (round == 0) {
        least_ = best.cost;
        reweigh();
      }
    }
    const std::vector<double>& q = best.q;
    intervals(q);
    compare(found);
    judge();
    out_.experiment = free_.experiment(q);
    return std::move(out_);
  }

 private:
  std::size_t index_of(const std::string& column) const {
    return static_cast<std::size_t>(std::ranges::find(out_.columns, column, &JointFit::Of::name) -
                                    out_.columns.begin());
  }
  /// Weighted errors of all recordings; false if the mechanism does not run with these parameters.
  bool residuals(const std::vector<double>& q, std::vector<double>& r, bool keep = false) {
    r.clear();
    if (keep) out_.predicted.clear();
    try {
      for (const JointRecording& rec : recordings_) {
        Experiment e = free_.experiment(q);
        e.solver.duration = std::max(rec.t.back(), 1e-9);
        ++out_.simulations;
        const Run run = simulate(e, {.probes = rec.t, .stop = options_.stop, .rows = false});
        std::vector<Column> predicted;
        for (const Column& c : rec.columns) {
          const std::vector<double>& y = run.probes.find(c.name)->values;
          for (std::size_t k = 0; k < y.size(); ++k) {
            if (!std::isnan(c.values[k])) r.push_back((y[k] - c.values[k]) / scale_[index_of(c.name)]);
          }
          if (keep) predicted.push_back({c.name, c.unit, y});
        }
        if (keep) out_.predicted.push_back(std::move(predicted));
      }
    } catch (const RunFailed& e) {
      failure_ = e.what();
      return false;
    } catch (const BadInput& e) {
      failure_ = e.what();
      return false;
    }
    out_.rows = r.size();
    return std::ranges::all_of(r, [](double x) { return std::isfinite(x); });
  }
  double cost(const double* q) {
    std::vector<double> r;
    if (!residuals({q, q + free_.size()}, r)) return inf;
    double sum = 0;
    for (const double x : r) sum += x * x;
    return sum / 2;
  }
  bool gram(const double* at, Gram& out) {
    const std::size_t n = free_.size();
    std::vector<double> q(at, at + n);
    std::vector<std::vector<double>> columns(n + 1);
    if (!residuals(q, columns[n])) return false;
    constexpr double h = 1e-4;  // of a logarithm: well above the errors of the solver
    for (std::size_t i = 0; i < n; ++i) {
      std::vector<double> up, down;
      const double high = std::min(at[i] + h, free_.box().hi[i]), low = std::max(at[i] - h, free_.box().lo[i]);
      q[i] = high;
      const bool above = residuals(q, up);
      q[i] = low;
      const bool below = residuals(q, down);
      q[i] = at[i];
      if (!above && !below) return false;
      columns[i].resize(columns[n].size());
      for (std::size_t k = 0; k < columns[n].size(); ++k)
        columns[i][k] = ((above ? up[k] : columns[n][k]) - (below ? down[k] : columns[n][k])) /
                        ((above ? high : at[i]) - (below ? low : at[i]));
    }
    out.matrix.assign((n + 1) * (n + 1), 0);
    for (std::size_t i = 0; i <= n; ++i) {
      for (std::size_t j = 0; j <= n; ++j) {
        double sum = 0;
        for (std::size_t k = 0; k < columns[n].size(); ++k) sum += columns[i][k] * columns[j][k];
        out.matrix[i * (n + 1) + j] = sum;
      }
    }
    out.cost = out.matrix.back() / 2;
    return true;
  }
  /// The values of the scenario with the best factors, a common one and then one by one; the best ones of values spread
  /// over a factor of ten to each side.
  std::vector<std::vector<double>> starts() {
    const std::size_t n = free_.size();
    std::vector<double> near(n);
    double least = cost(near.data());
    auto attempt = [&](std::vector<double> q) {
      free_.project(q);
      if (const double c = cost(q.data()); c < least) least = c, near = std::move(q);
    };
    constexpr double factors[]{0.25, 0.5, 2.0, 4.0};
    for (const double factor : factors) attempt(std::vector<double>(n, std::log(factor)));
    for (std::size_t i = 0; i < n && n > 1; ++i) {
      const double centre = near[i];
      for (const double factor : factors) {
        std::vector<double> q = near;
        q[i] = centre + std::log(factor);
        attempt(std::move(q));
      }
    }
    std::vector<Minimum> spread;
    for (std::size_t k = 1; k <= 4 + 3 * n; ++k) {
      std::vector<double> q(n);
      for (std::size_t i = 0; i < n; ++i) {
        const double turn = static_cast<double>(k) * std::sqrt(static_cast<double>(primes[i % std::size(primes)]));
        q[i] = std::log(10.0) * (2 * (turn - std::floor(turn)) - 1);
      }
      free_.project(q);
      if (const double c = cost(q.data()); std::isfinite(c)) spread.push_back({std::move(q), c});
    }
    std::ranges::sort(spread, {}, &Minimum::cost);
    std::vector<std::vector<double>> out{near};
    for (std::size_t k = 0; k < std::min<std::size_t>(4, spread.size()); ++k) out.push_back(spread[k].q);
    return out;
  }
  Minimum search(std::vector<double> q, int iterations, double tolerance) {
    free_.project(q);
    const Solution s =
        least_squares([&](const double* at, Gram& g) { return gram(at, g); },
                      [&](const double* at) { return cost(at); }, free_.box(), std::move(q), iterations, tolerance);
    Minimum out{s.q, inf, s.converged};
    free_.project(out.q);
    out.cost = cost(out.q.data());
    return out;
  }
  /// Small steps are no proof of a minimum, as events make the cost rough and a small parameter has no effect on a
  /// logarithmic scale: no single parameter may lower the cost.
  Minimum polished(Minimum m, double tolerance) {
    for (int round = 0; round < 4; ++round) {
      Minimum lower = m;
      for (std::size_t i = 0; i < free_.size(); ++i) {
        for (const double step : {-3.0, -0.3, 0.3, 3.0}) {
          std::vector<double> q = m.q;
          q[i] += step;
          free_.project(q);
          if (const double c = cost(q.data()); c < lower.cost) lower = {q, c, false};
        }
      }
      if (!(lower.cost < (1 - 1e-4) * m.cost)) return m;
      m = search(std::move(lower.q), 60, tolerance);
    }
    m.converged = false;
    return m;
  }
  /// Other minima: with the same error they belong to the intervals, with a larger one they are a warning.
  void compare(const std::vector<Minimum>& found) {
    std::size_t worse = 0;
    std::vector<std::string> open;
    for (const Minimum& m : found) {
      if (!std::isfinite(m.cost)) continue;
      const std::vector<double> x = free_.values(m.q);
      const bool same = m.cost <= 1.01 * least_;
      bool differs = false;
      for (std::size_t i = 0; i < x.size(); ++i) {
        JointEstimate& e = out_.parameters[i];
        if (!e.identifiable || (x[i] >= e.low && x[i] <= e.high) || std::abs(x[i] / e.value - 1) < 0.01) continue;
        differs = true;
        if (!same) continue;
        e.low = std::min(e.low, x[i]);
        e.high = std::max(e.high, x[i]);
        e.identifiable = std::log(e.high / e.low) < 4;
        const std::string name = e.joint + "." + e.name;
        if (std::ranges::find(open, name) == open.end()) open.push_back(name);
      }
      worse += differs && !same ? 1 : 0;
    }
    if (!open.empty())
      out_.notes.push_back(
          fmt::format("starting points lead to different values of {} with the same error; the intervals contain them",
                      fmt::join(open, ", ")));
    if (worse > 0)
      out_.notes.push_back(
          fmt::format("starting points disagree: {} of {} lead to other values with larger errors, and "
                      "the smallest error is reported; starting values near the truth are safer",
                      worse, found.size()));
  }
  /// As for other fits: errors above half the spread explain nothing.
  void judge() {
    double squares = 0;
    for (const JointFit::Of& c : out_.columns) {
      const double part = c.rmse / c.spread;
      squares += part * part / static_cast<double>(out_.columns.size());
      if (part > 0.5)
        out_.notes.push_back(
            fmt::format("column {} is not explained: its error is {:.3g} % of its spread", c.name, 100 * part));
      constexpr double systematic = 0.6, visible = 1e-3;
      if (const double rho = neighbours(c.name); part > visible && part <= 0.5 && rho > systematic)
        out_.notes.push_back(fmt::format(
            "errors of column {} are systematic ({:.3g} % of its spread, correlation of neighbours {:.2f}): the "
            "laws do not explain all of it, or the search ended in a wrong minimum; other starting values may help",
            c.name, 100 * part, rho));
    }
    out_.relative_error = std::sqrt(squares);
    out_.explains = out_.relative_error <= 0.5;
  }
  /// Correlation of neighbouring errors of a column.
  double neighbours(const std::string& name) const {
    double product = 0, squares = 0;
    for (std::size_t i = 0; i < recordings_.size(); ++i) {
      for (std::size_t c = 0; c < recordings_[i].columns.size(); ++c) {
        if (recordings_[i].columns[c].name != name) continue;
        double before = std::numeric_limits<double>::quiet_NaN();
        for (std::size_t k = 0; k < recordings_[i].t.size(); ++k) {
          const double e = out_.predicted[i][c].values[k] - recordings_[i].columns[c].values[k];
          if (!std::isnan(e)) squares += e * e;
          if (!std::isnan(e) && !std::isnan(before)) product += e * before;
          before = e;
        }
      }
    }
    return squares > 0 ? product / squares : 0;
  }
  void spreads() {
    for (JointFit::Of& of : out_.columns) {
      double n = 0, sum = 0, squares = 0;
      for (const JointRecording& r : recordings_) {
        for (const Column& c : r.columns) {
          if (c.name != of.name) continue;
          for (const double y : c.values) {
            if (!std::isnan(y)) ++n, sum += y, squares += y * y;
          }
        }
      }
      of.spread = n > 0 ? std::sqrt(std::max(0.0, squares / n - sum * sum / n / n)) : 0;
      if (!(of.spread > 0)) of.spread = n > 0 && sum != 0 ? std::abs(sum / n) : 1;
    }
  }
  void errors() {
    for (JointFit::Of& of : out_.columns) {
      double n = 0, squares = 0;
      for (std::size_t i = 0; i < recordings_.size(); ++i) {
        for (std::size_t c = 0; c < recordings_[i].columns.size(); ++c) {
          if (recordings_[i].columns[c].name != of.name) continue;
          for (std::size_t k = 0; k < recordings_[i].t.size(); ++k) {
            const double e = out_.predicted[i][c].values[k] - recordings_[i].columns[c].values[k];
            if (!std::isnan(e)) ++n, squares += e * e;
          }
        }
      }
      of.rmse = n > 0 ? std::sqrt(squares / n) : 0;
    }
  }
  void reweigh() {
    errors();
    for (std::size_t i = 0; i < scale_.size(); ++i)
      scale_[i] = std::max(out_.columns[i].rmse, 1e-7 * out_.columns[i].spread);
  }
  void intervals(const std::vector<double>& q) {
    errors();
    const auto n = static_cast<Eigen::Index>(free_.size());
    Gram g;
    const bool known = gram(q.data(), g);
    Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n, n);
    double correlated = 1;
    if (known) {
      for (Eigen::Index i = 0; i < n; ++i) {
        for (Eigen::Index j = 0; j < n; ++j) A(i, j) = g.matrix[static_cast<std::size_t>(i * (n + 1) + j)];
      }
      correlated = inflation(q);
    }
    const double size = A.diagonal().maxCoeff();
    A.diagonal().array() += 1e-14 * size + 1e-300;  // a parameter without effect gets a very wide interval
    const Eigen::MatrixXd C = linear::inverse(A);
    const double variance =
        2 * g.cost / std::max(1.0, static_cast<double>(out_.rows) - static_cast<double>(n)) * correlated;
    const std::vector<double> x = free_.values(q);
    for (Eigen::Index i = 0; i < n; ++i) {
      const auto k = static_cast<std::size_t>(i);
      const Free& f = free_.all()[k];
      const double sigma = std::sqrt(std::max(0.0, C(i, i) * variance));
      JointEstimate e{f.joint, f.name, f.unit, f.start, x[k]};
      e.low = std::max(f.range.lo, x[k] * std::exp(-1.96 * sigma));
      e.high = std::min(f.range.hi, x[k] * std::exp(1.96 * sigma));
      e.at_limit = free_.at_limit(q, k);
      e.identifiable = known && sigma < 1 && A(i, i) > 1e-12 * size && !e.at_limit;
      if (e.at_limit)
        out_.notes.push_back(fmt::format("{}.{} = {:.6g} is at a limit: not determined", f.joint, f.name, x[k]));
      out_.parameters.push_back(std::move(e));
    }
  }
  /// Neighbouring errors that are correlated carry less information.
  double inflation(const std::vector<double>& q) {
    std::vector<double> r;
    residuals(q, r);
    double product = 0, squares = 0;
    for (std::size_t k = 1; k < r.size(); ++k) product += r[k] * r[k - 1], squares += r[k] * r[k];
    const double rho = squares > 0 ? std::clamp(product / squares, 0.0, 0.98) : 0;
    return (1 + rho) / (1 - rho);
  }
  const std::vector<JointRecording>& recordings_;
  const JointOptions& options_;
  JointParameters free_;
  double least_ = inf;  // cost with equal weights of the columns
  std::vector<double> scale_{};
  std::string failure_{};
  JointFit out_{};
};

}  // namespace

JointFit identify_joints(const Rig& rig, const std::vector<JointRecording>& recordings, const JointOptions& options) {
  if (!rig.experiment.own) throw BadInput(fmt::format("{}: is not a mechanism", rig.name));
  if (rig.experiment.contacts.empty())
    throw BadInput(fmt::format("{}: no joint has friction; a joint with [joint.friction] is required", rig.name));
  if (recordings.empty()) throw BadInput("no recording");
  return Fitting(rig, recordings, options).run();
}

}  // namespace bristle::identify
