#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/linear.hpp"
#include "bristle/registry/any.hpp"
#include "identify/candidate.hpp"
#include "identify/curvature.hpp"
#include "identify/diagnosis.hpp"
#include "identify/statistics.hpp"

namespace bristle::identify {
namespace {

using Matrix = Eigen::MatrixXd;

/// Inverse, with a huge variance in directions that the data do not determine, and the part of these directions.
struct Inverse {
  Matrix whole, undetermined;
};
Inverse pseudo_inverse(const Matrix& A) {
  if (A.size() == 0) return {A, A};  // nothing is fitted
  // A parameter without any influence (an element that never yields) must not produce infinities.
  const double least = std::max(1e-18 * A.diagonal().maxCoeff(), 1e-200);
  const Eigen::VectorXd size = A.diagonal().array().max(least).rsqrt();
  const linear::EigenSystem eigen = linear::eigen_symmetric(size.asDiagonal() * A * size.asDiagonal());
  const double lowest = 1e-13 * std::max(eigen.values.maxCoeff(), 1e-300);
  auto sum = [&](const Eigen::VectorXd& values) -> Matrix {
    return size.asDiagonal() * eigen.vectors * values.asDiagonal() * eigen.vectors.transpose() * size.asDiagonal();
  };
  const Eigen::VectorXd undetermined = (eigen.values.array() < lowest).cast<double>() / lowest;
  return {sum(eigen.values.array().max(lowest).inverse()), sum(undetermined)};
}

bool at_limit(const Coordinate& c, double q) {
  const double close = 1e-5 * (c.hi - c.lo);
  return q - c.lo < std::min(close, 1e-5) || c.hi - q < std::min(close, 1e-5);
}

/// Covariance of the coordinates; those at a limit are uncorrelated with the others.
struct Covariance {
  Matrix corrected, naive;
};
Covariance covariance(const Objective& o, const std::vector<double>& q, const Curvature& c, const Matrix& M,
                      double factor) {
  const auto n = static_cast<Eigen::Index>(q.size());
  auto both = [&](const std::vector<Eigen::Index>& in) {
    const auto [inv, undetermined] = pseudo_inverse(c.H(in, in));
    return Covariance{factor * inv * M(in, in) * inv + undetermined, inv};
  };
  const auto [inv, undetermined] = pseudo_inverse(c.H);
  std::vector<Eigen::Index> all, inner;
  for (Eigen::Index j = 0; j < n; ++j) {
    all.push_back(j);
    // A limit holds a coordinate unless others can replace it exactly: then it lies there by chance.
    const bool held = at_limit(o.space.coordinates[static_cast<std::size_t>(j)], q[static_cast<std::size_t>(j)]);
    if (!held || undetermined(j, j) > 0.5 * inv(j, j)) inner.push_back(j);
  }
  Covariance whole = both(all);
  if (inner.size() == all.size() || inner.empty()) return whole;
  const Covariance part = both(inner);
  std::vector<bool> moves(all.size(), false);
  for (const Eigen::Index j : inner) moves[static_cast<std::size_t>(j)] = true;
  Covariance out = whole;
  for (Eigen::Index i = 0; i < n; ++i) {  // no covariance between a limit and the rest
    for (Eigen::Index j = 0; j < n; ++j) {
      if (i != j && !(moves[static_cast<std::size_t>(i)] && moves[static_cast<std::size_t>(j)]))
        out.corrected(i, j) = out.naive(i, j) = 0;
    }
  }
  for (std::size_t i = 0; i < inner.size(); ++i) {
    for (std::size_t j = 0; j < inner.size(); ++j) {
      const auto a = static_cast<Eigen::Index>(i), b = static_cast<Eigen::Index>(j);
      out.corrected(inner[i], inner[j]) = part.corrected(a, b);
      out.naive(inner[i], inner[j]) = part.naive(a, b);
    }
  }
  return out;
}

/// Converts a sine of the position to amplitude and phase: A sin x + B cos x = g sin(x - phase).
void as_amplitude(std::vector<Estimate>& body, double correlation) {
  const auto s = std::ranges::find(body, "gravity_sin", &Estimate::name);
  if (s == body.end()) return;
  Estimate &a = *s, &b = *(s + 1);
  const double g = std::hypot(a.value, b.value), sa = 0.25 * (a.high - a.low), sb = 0.25 * (b.high - b.low);
  auto half = [&](double da, double db) {
    return 2 * std::sqrt(std::max(0.0, da * da * sa * sa + db * db * sb * sb + 2 * da * db * correlation * sa * sb));
  };
  const double phase = std::atan2(-b.value, a.value), safe = std::max(g, 1e-300);
  const double of_g = half(a.value / safe, b.value / safe),
               of_phase = half(b.value / (safe * safe), -a.value / (safe * safe));
  a = {.name = "gravity", .unit = a.unit, .value = g, .low = std::max(0.0, g - of_g), .high = g + of_g};
  b = {.name = "gravity_phase", .unit = "rad", .value = phase, .low = phase - of_phase, .high = phase + of_phase};
}

}  // namespace

namespace {

/// The noise of the acceleration makes the fitted inertia too small, by the share of this noise in that part of the
/// acceleration which no other regressor explains (errors in variables), and moves the values that are correlated with
/// it: the distance of all values to those without this noise.
Eigen::VectorXd attenuation(const Candidate& c, const Setting& s, const Matrix& covariance,
                            const std::vector<double>& p, const std::vector<BodyScalar>& body) {
  Eigen::VectorXd shift = Eigen::VectorXd::Zero(covariance.rows());
  const auto inertia = std::ranges::find(body, "inertia", &BodyScalar::name);
  if (inertia == body.end() || !(s.data.a_noise > 0)) return shift;
  const auto at = static_cast<Eigen::Index>(c.evaluator->scalars().size()) + (inertia - body.begin());
  const double of_a = s.data.a_noise / c.scale, own = covariance(at, at);
  const double share = static_cast<double>(s.data.used) * of_a * of_a * own;
  constexpr double most = 0.9;  // nearly all of it is noise: the inertia is unknown
  if (own > 0) shift = covariance.col(at) * (p[static_cast<std::size_t>(at)] / own / (1 / std::min(share, most) - 1));
  return shift;
}

}  // namespace

void find_intervals(Candidate& c, const Setting& s) {
  const Series& data = s.data;
  Control patient(1e9);  // intervals are computed even after the time limit
  Objective o{data, *c.evaluator, c.space, patient, c.scale, s.threshold()};
  const std::vector<double>& q = c.best.q;
  const std::vector<double> r = o.residuals(q.data());
  Fit& fit = c.fit;
  fit.model = c.shape.model;
  fit.elements = c.shape.elements;
  fit.finished = c.validated;
  fit.held_out = c.validated ? c.held_out_rmse : std::numeric_limits<double>::quiet_NaN();
  fit.held_out_relative = c.validated ? c.held_out_relative : std::numeric_limits<double>::quiet_NaN();
  fit.used = c.space.size();
  fit.normal_load = data.normal_load;
  fit.converged = c.best.converged;
  if (!fit.converged) {
    fit.message =
        s.control.stopped() ? "time limit exceeded before convergence" : "iteration limit exceeded before convergence";
  } else if (!c.validated) {
    fit.message = "time limit exceeded before the end of the cross-validation";
  } else if (c.hurried) {
    fit.message = "time limit: not all starting points were tried";
  }

  double squares = 0, size = 0, total = 0, absolute = 0;
  for (std::size_t i = 0; i < r.size(); ++i) {
    if (!(data.weight[i] > 0)) continue;
    absolute += std::abs(r[i]);
    squares += r[i] * r[i];
    size += data.y[i] * data.y[i];
    total += data.y[i];
  }
  const auto n = static_cast<double>(data.used), k = static_cast<double>(fit.used);
  fit.rmse = std::sqrt(squares / n);
  fit.mean_abs = absolute / n;
  fit.relative = size > 0 ? 100 * std::sqrt(squares / size) : 0;
  fit.r_squared = 1 - squares / std::max(size - total * total / n, 1e-300);
  fit.bic = n * std::log(std::max(squares / n, 1e-300)) + k * std::log(n);

  Curvature curve = curvature(o, q.data());
  std::vector<Autoregression> processes;
  double independent = 0;  // samples
  for (const Noise& noise : curve.noise) {
    processes.push_back(noise.process());
    independent +=
        static_cast<double>(noise.psi.size()) / (noise.steady ? 1 : std::max(1.0, processes.back().inflation()));
  }
  const bool white = processes.size() == 1 && processes.front().phi.empty();
  Matrix beliefs = Matrix::Zero(static_cast<Eigen::Index>(q.size()), static_cast<Eigen::Index>(q.size()));
  o.each_belief(q.data(), [&](double, const double* row) {
    const Eigen::Map<const Eigen::VectorXd> slopes(row, beliefs.rows());
    beliefs += slopes * slopes.transpose();
  });
  curve.H += beliefs;
  const Matrix M =
      beliefs + (white ? Matrix(processes.front().innovation * curve.squares) : influence(o, q.data(), processes));
  const Covariance cov = covariance(o, q, curve, M, n / std::max(1.0, n - k));
  const double quantile = student_95(data.steady() ? n - k : std::max(1.0, independent - k));

  const std::size_t parameters = c.space.parameters(), m = c.evaluator->scalars().size(), coordinates = c.space.size();
  std::vector<double> p(parameters), slopes(parameters * coordinates);
  c.space.parameters_at(q.data(), p.data(), slopes.data());
  const Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>> S(
      slopes.data(), static_cast<Eigen::Index>(parameters), static_cast<Eigen::Index>(coordinates));
  const Matrix of_p = S * cov.corrected * S.transpose(), naive = S * cov.naive * S.transpose();
  fit.parameters = c.evaluator->table(p.data());
  fit.effects = c.evaluator->effects(p.data());
  const std::vector<BodyScalar> body = body_of(data, s.options.gravity);
  std::vector<Eigen::Index> shown;
  for (std::size_t i = 0; i < parameters; ++i) {
    const Rule& rule = c.space.rules[i];
    const bool given = rule.kind == Rule::constant;  // shown for the machine: predictions require it
    const auto dropped = std::ranges::find(c.dropped, i, &Candidate::Dropped::parameter);
    if (dropped == c.dropped.end() &&
        ((given && i < m && !is_beside(c.evaluator->scalars()[i].name)) || rule.kind == Rule::equal))
      continue;
    const auto at = static_cast<Eigen::Index>(i);
    Estimate e{.name = i < m ? c.evaluator->scalars()[i].name : body[i - m].name,
               .unit = i < m ? c.evaluator->scalars()[i].unit : body[i - m].unit,
               .value = p[i]};
    const double error = std::sqrt(std::max(0.0, of_p(at, at)));
    const bool own_linear = rule.kind == Rule::own && !c.space.coordinates[rule.coordinate].logarithmic;
    if (own_linear || !(p[i] > 0)) {
      e.low = p[i] - quantile * error;
      e.high = p[i] + quantile * error;
      if (i < m || body[i - m].nonnegative) e.low = std::max(e.low, i < m ? c.evaluator->scalars()[i].range.lo : 0.0);
      if (i < m) e.high = std::min(e.high, c.evaluator->scalars()[i].range.hi);
    } else {
      const double factor = std::exp(std::min(20.0, quantile * error / p[i]));
      e.low = p[i] / factor;
      e.high = p[i] * factor;
      if (rule.kind == Rule::own) {  // the search ends there
        e.low = std::max(e.low, std::exp(c.space.coordinates[rule.coordinate].lo));
        e.high = std::min(e.high, std::exp(c.space.coordinates[rule.coordinate].hi));
      }
    }
    if (dropped != c.dropped.end()) {
      e = dropped->before;
      e.value = p[i];
    } else if (!given && rule.kind != Rule::share && rule.kind != Rule::share_of) {
      e.at_bound = at_limit(c.space.coordinates[rule.coordinate], q[rule.coordinate]);
    }
    (i < m && !is_beside(e.name) && !c.evaluator->scalars()[i].body ? fit.friction : fit.body).push_back(e);
    c.behind.push_back({i, std::sqrt(std::max(0.0, naive(at, at))), error});
    shown.push_back(at);
  }
  for (const Eigen::Index i : shown) {
    for (const Eigen::Index j : shown) {
      const double both = std::sqrt(of_p(i, i) * of_p(j, j));
      fit.correlation.push_back(i == j ? 1 : both > 0 ? std::clamp(of_p(i, j) / both, -1.0, 1.0) : 0);
    }
  }
  const Eigen::VectorXd shift = attenuation(c, s, naive, p, body);
  for (std::size_t i = 0; i < shown.size(); ++i) c.behind[i].shift = shift[shown[i]];
  diagnose(c, s, p);
  fit.tests = residual_tests(data, r, c.scale);
  add_hints(c, s, r);
  const auto sine = std::ranges::find(body, "gravity_sin", &BodyScalar::name);
  if (sine != body.end()) {
    const auto at = static_cast<Eigen::Index>(m) + (sine - body.begin());
    const double both = std::sqrt(of_p(at, at) * of_p(at + 1, at + 1));
    as_amplitude(fit.body, both > 0 ? of_p(at, at + 1) / both : 0);
    const double g = std::max(std::hypot(p[static_cast<std::size_t>(at)], p[static_cast<std::size_t>(at) + 1]), 1e-300);
    // The amplitude follows its two parts.
    auto of = [&](Eigen::Index part) { return p[static_cast<std::size_t>(part)] / g * shift[part]; };
    widen(*std::ranges::find(fit.body, "gravity", &Estimate::name), of(at) + of(at + 1));
  }
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const auto at = static_cast<std::size_t>(shown[i]);
    if (at < m) continue;  // of friction: after the profiles
    const auto e = std::ranges::find(fit.body, body[at - m].name, &Estimate::name);
    if (e != fit.body.end()) widen(*e, c.behind[i].shift);
  }
}

void widen(Estimate& e, double shift) {
  e.low += std::min(shift, 0.0);
  e.high += std::max(shift, 0.0);
}

bool profile(Candidate& c, const Setting& s, std::size_t estimate, Estimate& out) {
  const Candidate::Behind behind = c.behind[estimate];
  const Rule::Kind kind = c.space.rules[behind.parameter].kind;
  const bool can = kind == Rule::own || kind == Rule::above;
  if (!can || !(behind.error > 0) || !(behind.naive > 0) || s.control.stopped()) return false;
  std::vector<double> p(c.space.parameters());
  c.space.parameters_at(c.best.q.data(), p.data(), nullptr);
  StartingPoint start = c.start;
  start.held[behind.parameter] = true;
  const bool logarithmic =
      p[behind.parameter] > 0 &&
      !(kind == Rule::own && !c.space.coordinates[c.space.rules[behind.parameter].coordinate].logarithmic);
  const double inflated = behind.error / behind.naive;
  const double centre = logarithmic ? std::log(p[behind.parameter]) : p[behind.parameter];
  const double error = logarithmic ? behind.error / p[behind.parameter] : behind.error;
  const Guess& limits = c.start.guesses[behind.parameter];
  const double least_value = kind == Rule::above ? 0 : limits.lo;
  Objective at_best{s.data, *c.evaluator, c.space, s.control, c.scale, s.threshold(), -1, c.fuses};
  const double best = at_best.cost(c.best.q.data());

  bool complete = true;
  /// Signed root of twice the increase of the cost, in standard errors, with the parameter fixed at u.
  std::vector<double> warm;
  auto rise = [&](double u) {
    start.guesses[behind.parameter].value = logarithmic ? std::exp(u) : u;
    for (std::size_t i = 0; i < p.size(); ++i) {
      if (i != behind.parameter) start.guesses[i].value = p[i];
    }
    const Space held = make_space(c.shape.model, c.evaluator->scalars(), p.size() - c.evaluator->scalars().size(),
                                  start.guesses, start.held, c.space.beliefs);
    const Objective o{s.data, *c.evaluator, held, s.control, c.scale, s.threshold(), -1, c.fuses};
    std::vector<double> from = held.coordinates_at(p);
    if (!warm.empty()) {
      const std::vector<double> other = held.coordinates_at(warm);
      if (o.cost(other.data()) < o.cost(from.data())) from = other;
    }
    const Solution solved = descend(o, from, 40);
    // An unconverged cost is too high and would give a too narrow interval.
    if (!std::isfinite(solved.cost) || !solved.converged) complete = false;
    warm.resize(p.size());
    held.parameters_at(solved.q.data(), warm.data(), nullptr);
    return std::sqrt(std::max(0.0, 2 * (solved.cost - best))) / inflated;
  };
  constexpr double goal = 1.959963984540054;
  auto side = [&](double sign, double& bound) {
    warm.clear();
    double inner = 0, inner_rise = 0, outer = goal * error, outer_rise = 0;
    double furthest = sign > 0 ? inf : !logarithmic ? centre - least_value : inf;
    if (logarithmic && kind == Rule::own && limits.lo > 0)  // the search ends there
      furthest = std::max(0.0, sign > 0 ? std::log(limits.hi) - centre : centre - std::log(limits.lo));
    for (int round = 0; round < 6 && complete && !s.control.stopped(); ++round) {
      const double step = std::min(outer, furthest);
      outer_rise = rise(centre + sign * step);
      outer = step;
      if (std::abs(outer_rise / goal - 1) < 0.02) break;
      if (outer_rise < goal) {
        if (step >= furthest) break;  // limit of the parameter
        const double slope = (outer_rise - inner_rise) / (outer - inner);
        inner = outer;
        inner_rise = outer_rise;
        const double next = slope > 0 ? inner + (goal - inner_rise) / slope : 4 * inner;
        outer = std::clamp(next, 1.05 * inner, 4 * inner);
      } else {
        const double next = inner + (goal - inner_rise) * (outer - inner) / (outer_rise - inner_rise);
        outer = std::clamp(next, inner + 0.1 * (outer - inner), inner + 0.95 * (outer - inner));
      }
    }
    // The cost jumps when a switch of mode moves to another sample; such a jump is no bound.
    if (outer < 0.2 * goal * error && outer < furthest) return;
    const double u = centre + sign * std::min(outer, furthest);
    bound = logarithmic ? std::exp(u) : u;
  };
  double low = out.low, high = out.high;
  side(-1, low);
  side(1, high);
  if (!complete || s.control.stopped() || !std::isfinite(low) || !std::isfinite(high)) return false;
  out.low = low;
  out.high = high;
  out.profiled = true;
  return true;
}

}  // namespace bristle::identify
