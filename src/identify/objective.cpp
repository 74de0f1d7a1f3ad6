#include "identify/objective.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>

#include "identify/fused.hpp"

namespace bristle::identify {
namespace {

/// Force of the rigid body and of the terms of the user, linear in its parameters.
struct Body {
  const Series& data;
  const double* p;  // inertia, offset, gravity_sin, gravity_cos, terms
  std::size_t n;
  std::array<double, 4 + most_terms> columns(std::size_t i) const {
    std::array<double, 4 + most_terms> c{data.a[i], 1};
    const std::size_t rigid = n - data.terms.size();
    if (rigid > 2) c[2] = std::sin(data.x[i]), c[3] = std::cos(data.x[i]);
    for (std::size_t k = 0; k < data.terms.size(); ++k) c[rigid + k] = data.terms[k].values[i];
    return c;
  }
  double force(std::size_t i) const {
    if (n == 0) return 0;
    const auto c = columns(i);
    double sum = 0;
    for (std::size_t k = 0; k < n; ++k) sum += p[k] * c[k];
    return sum;
  }
};

struct Here {
  std::vector<double> p, slopes;
  Here(const Space& space, const double* q, bool with_slopes)
      : p(space.parameters()), slopes(with_slopes ? space.parameters() * space.size() : 0) {
    space.parameters_at(q, p.data(), with_slopes ? slopes.data() : nullptr);
  }
};

/// Share of the recording of increasing samples.
struct Share {
  const Series& data;
  std::size_t stretch = 0;
  double operator()(std::size_t i) {
    if (data.share.empty()) return 1;
    while (i >= data.stretches[stretch].to) ++stretch;
    return data.share_of(data.stretches[stretch]);
  }
};

/// Huber's loss as the square of a transformed residual, for use in least squares: value and slope.
struct Huber {
  double r, slope;
};
Huber huber(double r, double threshold) {
  const double size = std::abs(r);
  if (!(threshold > 0) || size <= threshold) return {r, 1};
  const double b = std::sqrt(2 * threshold * size - threshold * threshold);
  return {std::copysign(b, r), threshold / b};
}

}  // namespace

double Objective::cost(const double* q) const {
  ++evaluations;
  const Here here(space, q, false);
  if (fuse) {
    const double short_way = fused(*this, here.p.data(), nullptr, nullptr) + disbelief(here.p);
    return std::isfinite(short_way) ? short_way : inf;
  }
  const Body body{data, here.p.data() + model_scalars(), space.parameters() - model_scalars()};
  double sum = 0;
  bool complete = true;
  Share share{data};
  model.evaluate(data, {here.p.data()}, [&](const Rows& rows) {
    for (std::size_t k = 0; k < rows.n; ++k) {
      const std::size_t i = rows.from + k;
      if (!counts(i)) continue;
      const double r = huber((data.y[i] - rows.F[k] - body.force(i)) * data.weight[i] / scale, threshold).r * share(i);
      sum += r * r;
    }
    complete = !control.stopped();
    return complete;
  });
  return complete && std::isfinite(sum) ? 0.5 * sum + disbelief(here.p) : inf;
}

double Objective::disbelief(const std::vector<double>& p) const {
  double sum = 0;
  for (const Belief& b : space.beliefs) {
    const double r = (b.mean - p[b.parameter]) / b.sigma;
    sum += 0.5 * r * r;
  }
  return sum;
}

void Objective::each_belief(const double* q, const std::function<void(double, const double*)>& f) const {
  if (space.beliefs.empty()) return;
  const Here here(space, q, true);
  std::vector<double> row(space.size());
  for (const Belief& b : space.beliefs) {
    for (std::size_t j = 0; j < row.size(); ++j) row[j] = -here.slopes[b.parameter * row.size() + j] / b.sigma;
    f((b.mean - here.p[b.parameter]) / b.sigma, row.data());
  }
}

void Objective::each_row(const double* q, const std::function<void(std::size_t, double, const double*)>& f) const {
  const Here here(space, q, true);
  const std::size_t n = space.size(), m = model_scalars();
  const Body body{data, here.p.data() + m, space.parameters() - m};
  std::vector<double> row(n);
  model.evaluate(data, {here.p.data(), here.slopes.data(), n}, [&](const Rows& rows) {
    for (std::size_t k = 0; k < rows.n; ++k) {
      const std::size_t i = rows.from + k;
      if (!counts(i)) continue;
      const double w = data.weight[i] / scale;
      const auto c = body.columns(i);
      for (std::size_t j = 0; j < n; ++j) {
        double slope = rows.dF[k * n + j];
        for (std::size_t b = 0; b < body.n; ++b) slope += c[b] * here.slopes[(m + b) * n + j];
        row[j] = -w * slope;
      }
      f(i, w * (data.y[i] - rows.F[k] - body.force(i)), row.data());
    }
    return !control.stopped();
  });
}

bool Objective::gram(const double* q, Gram& out) const {
  ++evaluations;
  const Here here(space, q, true);
  const auto n = static_cast<Eigen::Index>(space.size());
  auto believe = [&] {
    Eigen::Map<Eigen::MatrixXd> all(out.matrix.data(), n + 1, n + 1);
    each_belief(q, [&](double r, const double* slopes) {
      Eigen::VectorXd row(n + 1);
      row << Eigen::Map<const Eigen::VectorXd>(slopes, n), r;
      all += row * row.transpose();
      out.cost += 0.5 * r * r;
    });
    return std::isfinite(out.cost);
  };
  if (fuse) return std::isfinite(fused(*this, here.p.data(), here.slopes.data(), &out)) && believe();
  const std::size_t m = model_scalars();
  const Body body{data, here.p.data() + m, space.parameters() - m};
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  constexpr Eigen::Index block = 256;
  RowMajor rows_of_J(block, n + 1);
  Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(n + 1, n + 1);
  bool complete = true;
  Share share{data};
  model.evaluate(data, {here.p.data(), here.slopes.data(), space.size()}, [&](const Rows& rows) {
    Eigen::Index used = 0;
    for (std::size_t k = 0; k < rows.n; ++k) {
      const std::size_t i = rows.from + k;
      if (!counts(i)) continue;
      double* row = &rows_of_J(used++, 0);
      const double w = data.weight[i] / scale;
      const auto [r, slope] = huber((data.y[i] - rows.F[k] - body.force(i)) * w, threshold);
      const double own = share(i), factor = -slope * w * own;
      const double* dF = rows.dF + k * space.size();
      for (Eigen::Index j = 0; j < n; ++j) row[j] = factor * dF[j];
      if (body.n > 0) {
        const auto c = body.columns(i);
        for (std::size_t b = 0; b < body.n; ++b) {
          for (std::size_t j = 0; j < space.size(); ++j)
            row[j] += factor * c[b] * here.slopes[(m + b) * space.size() + j];
        }
      }
      row[n] = r * own;
    }
    sum.selfadjointView<Eigen::Lower>().rankUpdate(rows_of_J.topRows(used).transpose());
    complete = !control.stopped();
    return complete;
  });
  if (!complete || !sum.allFinite()) return false;
  out.cost = 0.5 * sum(n, n);
  out.matrix.resize(static_cast<std::size_t>((n + 1) * (n + 1)));
  Eigen::Map<Eigen::MatrixXd>(out.matrix.data(), n + 1, n + 1) = sum.selfadjointView<Eigen::Lower>();
  return believe();
}

std::vector<double> Objective::predicted(const double* q) const {
  const Here here(space, q, false);
  const Body body{data, here.p.data() + model_scalars(), space.parameters() - model_scalars()};
  std::vector<double> out(data.size());
  model.evaluate(data, {here.p.data()}, [&](const Rows& rows) {
    for (std::size_t k = 0; k < rows.n; ++k) out[rows.from + k] = rows.F[k] + body.force(rows.from + k);
    return true;
  });
  return out;
}

std::vector<double> Objective::residuals(const double* q) const {
  std::vector<double> r = predicted(q);
  for (std::size_t i = 0; i < r.size(); ++i) r[i] = data.y[i] - r[i];
  return r;
}

double noise_scale(const Objective& o, const std::vector<double>& residuals, double least) {
  std::vector<double> size;
  size.reserve(residuals.size());
  for (std::size_t i = 0; i < residuals.size(); ++i) {
    if (o.counts(i) && std::isfinite(residuals[i])) size.push_back(std::abs(residuals[i]) * o.data.weight[i]);
  }
  if (size.empty()) return least;
  auto middle = size.begin() + static_cast<std::ptrdiff_t>(size.size() / 2);
  std::nth_element(size.begin(), middle, size.end());
  return std::max(1.4826 * *middle, least);
}

}  // namespace bristle::identify
