#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/linear.hpp"
#include "bristle/sweep/analyze.hpp"
#include "simulate/shared/flow.hpp"
#include "simulate/shared/start.hpp"
#include "sweep/analyze/subject.hpp"

namespace bristle::analysis {
namespace {

using Matrix = Eigen::MatrixXd;

/// Similar to A with rows and columns of about equal size (Parlett and Reinsch 1969): the units of the states differ by
/// many decades.
void balance(Matrix& A) {
  const Eigen::Index n = A.rows();
  for (int sweep = 0; sweep < 50; ++sweep) {
    bool changed = false;
    for (Eigen::Index i = 0; i < n; ++i) {
      double column = 0, row = 0;
      for (Eigen::Index j = 0; j < n; ++j) {
        if (j == i) continue;
        column += std::abs(A(j, i));
        row += std::abs(A(i, j));
      }
      if (column == 0 || row == 0) continue;
      const double f = std::exp2(std::round(0.5 * std::log2(row / column)));
      if (f == 1) continue;
      A.col(i) *= f;
      A.row(i) /= f;
      changed = true;
    }
    if (!changed) break;
  }
}

Matrix rate_matrix(const Linear& l) {
  const auto n = static_cast<Eigen::Index>(l.F_z.size());
  return Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(l.rate_z.data(), n,
                                                                                                  n);
}

/// An orthonormal basis of b, A b, A^2 b... (Arnoldi); empty if b is nothing but rounding errors.
Matrix reachable(const Matrix& A, const Eigen::VectorXd& b) {
  constexpr double rounding = 1e-10;
  const Eigen::Index n = A.rows();
  Matrix basis(n, 0);
  Eigen::VectorXd next = b;
  for (double size = 1; basis.cols() < n;) {
    for (int twice = 0; twice < 2; ++twice) next -= basis * (basis.transpose() * next);
    if (!(next.norm() > rounding * size)) break;
    basis.conservativeResize(n, basis.cols() + 1);
    basis.rightCols(1) = next.normalized();
    next = A * basis.rightCols(1);
    size = std::max(next.norm(), rounding * A.norm());
  }
  return basis;
}

/// Keeps the part of the states that the velocity moves and that acts on the force. The rest (elements that have yielded,
/// differences of elements that move alike) does not take part in the motion.
void reduce(Linear& l, const Eigen::VectorXd& size, double time, double force) {
  if (l.F_z.empty()) return;
  const auto n = static_cast<Eigen::Index>(l.F_z.size());
  const Eigen::VectorXd inverse = size.cwiseInverse();
  Matrix A = time * (inverse.asDiagonal() * rate_matrix(l) * size.asDiagonal());  // in natural units
  Eigen::VectorXd b = time * l.velocity * inverse.cwiseProduct(Eigen::Map<const Eigen::VectorXd>(l.rate_v.data(), n));
  Eigen::VectorXd c = size.cwiseProduct(Eigen::Map<const Eigen::VectorXd>(l.F_z.data(), n)) / force;
  auto project = [&](const Matrix& V) {
    A = (V.transpose() * A * V).eval();
    b = (V.transpose() * b).eval();
    c = (V.transpose() * c).eval();
  };
  project(reachable(A, b));
  if (b.size() > 0) project(reachable(A.transpose(), c));
  const Eigen::VectorXd rate = b / (time * l.velocity), acts = c * force;
  A /= time;
  l.rate_v.assign(rate.data(), rate.data() + rate.size());
  l.F_z.assign(acts.data(), acts.data() + acts.size());
  const Matrix rows = A.transpose();
  l.rate_z.assign(rows.data(), rows.data() + rows.size());
}

std::vector<Complex> sorted_eigenvalues(Matrix A) {
  balance(A);
  const Eigen::VectorXcd values = linear::eigenvalues(A);
  std::vector<Complex> out(values.data(), values.data() + values.size());
  const double rounding = 1e-13 * values.cwiseAbs().maxCoeff();  // an undamped oscillation has the real part 0
  for (Complex& s : out) {
    if (std::abs(s.real()) <= rounding) s.real(0);
  }
  std::ranges::sort(
      out, [](Complex a, Complex b) { return a.real() != b.real() ? a.real() > b.real() : a.imag() > b.imag(); });
  return out;
}

}  // namespace

Complex Linear::impedance(Complex s) const {
  if (F_z.empty()) return F_v;
  const auto n = static_cast<Eigen::Index>(F_z.size());
  Eigen::MatrixXcd A = -rate_matrix(*this).cast<Complex>();
  A.diagonal().array() += s;
  const Eigen::VectorXcd b = Eigen::Map<const Eigen::VectorXd>(rate_v.data(), n).cast<Complex>();
  const Eigen::VectorXcd z = linear::solve_square(A, b);
  Complex out = F_v;
  for (Eigen::Index i = 0; i < n; ++i) out += F_z[static_cast<std::size_t>(i)] * z(i);
  return out;
}

double Linear::slope() const { return impedance(0).real(); }

std::vector<Complex> Linear::eigenvalues() const {
  const bool integrates = integral != 0, weighs = mass > 0;
  const auto nz = static_cast<Eigen::Index>(F_z.size());
  const Eigen::Index x = 0, I = 1, v = 1 + (integrates ? 1 : 0), z = v + (weighs ? 1 : 0), n = z + nz;
  Eigen::RowVectorXd force = Eigen::RowVectorXd::Zero(n);  // on the body, but for the velocity
  force(x) = -stiffness;
  if (integrates) force(I) = integral;
  for (Eigen::Index i = 0; i < nz; ++i) force(z + i) = -F_z[static_cast<std::size_t>(i)];
  const double resists = damping + F_v;
  Eigen::RowVectorXd velocity_row = Eigen::RowVectorXd::Zero(n);  // the velocity from the states
  if (weighs) {
    velocity_row(v) = 1;
  } else {
    velocity_row = force / resists;  // the forces balance
  }
  Matrix A = Matrix::Zero(n, n);
  A.row(x) = velocity_row;
  if (integrates) A(I, x) = -1;
  if (weighs) {
    A.row(v) = force / mass;
    A(v, v) -= resists / mass;
  }
  for (Eigen::Index i = 0; i < nz; ++i) {
    A.row(z + i) += rate_v[static_cast<std::size_t>(i)] * velocity_row;
    for (Eigen::Index j = 0; j < nz; ++j) A(z + i, z + j) += rate_z[static_cast<std::size_t>(i * nz + j)];
  }
  return sorted_eigenvalues(std::move(A));
}

LinearRead linearize(const Experiment& e, double velocity) {
  Linear out{.velocity = velocity, .mass = e.body.mass};
  if (e.controller) {  // see ControllerParams: w = position_gain e - v in a cascade
    const ControllerParams& c = *e.controller;
    out.stiffness = c.stiffness();
    out.damping = c.damping();
    out.integral = c.cascade() ? c.velocity_integral * c.position_gain : c.ki;
  } else {
    out.stiffness = e.body.stiffness;
    out.damping = e.body.damping;
  }
  Motion<double> u;
  u.v = velocity;
  u.F_app = std::copysign(1e30, velocity);
  u.r = load_ratio(e);
  u.temperature = e.body.temperature;
  std::vector<double> size;
  double length = 0, force = 0;
  struct Block {
    std::size_t at, n;
    std::vector<double> rate_z;
  };
  std::vector<Block> blocks;
  for (const NamedContact& contact : e.contacts) {
    NamedContact c{contact.name, contact.contact->clone(), contact.normal_load};
    if (const std::string why = steady_contact(c, u, out.friction); !why.empty()) return {{}, why};
    const auto flow = make_flow(*c.contact);
    std::vector<double> z;
    for (const Variable& s : flow->traits().states) z.push_back(s.value);
    flow->begin(z.data(), u);
    Slopes s(z.size());
    flow->slopes(z.data(), u, s);
    length = std::max(length, flow->traits().scales.displacement);
    force = std::max(force, flow->traits().scales.force);
    blocks.push_back({out.F_z.size(), z.size(), s.rate_z});
    out.F_v += s.F_v;
    for (std::size_t i = 0; i < z.size(); ++i) {
      out.F_z.push_back(s.F_z[i]);
      out.rate_v.push_back(s.rate_v[i]);
      size.push_back(std::max(flow->traits().state_scale[i], std::abs(z[i])));
    }
  }
  if (e.controller && std::abs(out.friction) >= e.controller->limit)
    return {{},
            fmt::format("steady sliding requires {:.6g} N; the limit of the servo is {:.6g} N", std::abs(out.friction),
                        e.controller->limit)};
  const std::size_t n = out.F_z.size();
  out.rate_z.assign(n * n, 0);
  for (const Block& b : blocks) {
    for (std::size_t i = 0; i < b.n; ++i) {
      for (std::size_t j = 0; j < b.n; ++j) out.rate_z[(b.at + i) * n + b.at + j] = b.rate_z[i * b.n + j];
    }
  }
  const double time = length > 0 ? length / std::abs(velocity) : 1;
  reduce(out, Eigen::Map<const Eigen::VectorXd>(size.data(), static_cast<Eigen::Index>(n)), time,
         force > 0 ? force : 1);
  if (!(out.mass > 0) && !(out.damping + out.F_v > 0))
    return {{}, "without mass the force must grow with the velocity at once; mass > 0 is required"};
  return {std::move(out), {}};
}

Critical critical_stiffness(const Linear& l) {
  auto damping_at = [&](double w) { return l.damping + l.impedance({0, w}).real() - l.integral / (w * w); };
  auto growth_at = [&](double K) {
    Linear other = l;
    other.stiffness = K;
    return other.growth_rate();
  };
  // Rates of the contact alone, of the spring and of the integral span the frequencies of interest.
  double lo = inf, hi = 0;
  auto include = [&](double w) {
    if (!(w > 0) || !std::isfinite(w)) return;
    lo = std::min(lo, w);
    hi = std::max(hi, w);
  };
  if (!l.F_z.empty()) {
    for (const Complex s : sorted_eigenvalues(rate_matrix(l))) include(std::abs(s));
  }
  if (l.mass > 0) include(std::sqrt(std::abs(l.stiffness) / l.mass));
  if (l.mass > 0) include(std::cbrt(std::abs(l.integral) / l.mass));
  Critical out;
  constexpr double margin = 1e4, per_decade = 24;
  if (hi > 0) {
    lo /= margin;
    hi *= margin;
    const auto points = static_cast<int>(std::ceil(per_decade * std::log10(hi / lo)));
    double before = lo, g = damping_at(lo);
    for (int i = 1; i <= points; ++i) {
      const double w = lo * std::pow(hi / lo, i / static_cast<double>(points)), now = damping_at(w);
      if ((g < 0) != (now < 0)) {
        double a = before, b = w;
        for (int k = 0; k < 200 && b - a > 1e-15 * b; ++k) {
          const double middle = 0.5 * (a + b);
          ((damping_at(middle) < 0) == (g < 0) ? a : b) = middle;
        }
        const double omega = 0.5 * (a + b), K = l.mass * omega * omega + omega * l.impedance({0, omega}).imag();
        // Growth rates of 0 are below rounding: the crossing itself is certain.
        const double above = growth_at(K * 1.001), below = growth_at(K * 0.999);
        const bool changes = (above < 0) != (below < 0) || (above == 0 && below == 0);
        if (K > 0 && !(K <= out.stiffness) && changes) out = {K, omega, {}};
      }
      before = w;
      g = now;
    }
  }
  if (std::isnan(out.stiffness)) {
    const double growth = l.growth_rate();
    out.reason = growth > 0   ? "steady sliding is unstable at any stiffness"
                 : growth < 0 ? "steady sliding is stable at any stiffness"
                              : "steady sliding is neutral at any stiffness";
  }
  return out;
}

StabilityPoint stability_at(const Experiment& e, double velocity) {
  StabilityPoint out{.velocity = velocity};
  const LinearRead read = linearize(e, velocity);
  if (!read.linear) {
    out.reason = read.reason;
    out.critical.reason = read.reason;
    return out;
  }
  const Linear& l = *read.linear;
  out.friction = l.friction;
  out.slope = l.slope();
  out.eigenvalues = l.eigenvalues();
  out.growth_rate = out.eigenvalues.front().real();
  out.omega = std::abs(out.eigenvalues.front().imag());
  out.critical = critical_stiffness(l);
  return out;
}

double Stability::critical_velocity() const {
  double best = undefined, distance = inf;
  for (const Crossing& c : crossings) {
    const double d = std::abs(std::log(std::abs(c.velocity / own.velocity)));
    if (d < distance) {
      distance = d;
      best = c.velocity;
    }
  }
  return best;
}

Stability stability(const Experiment& e, const std::atomic<bool>* stop) {
  const double V = sliding_velocity(e);
  Stability out{.own = stability_at(e, V)};
  double lo = std::abs(V), hi = lo;
  for (const NamedContact& c : e.contacts) {
    const double v = c.contact->scales().velocity;
    if (!(v > 0)) continue;
    lo = std::min(lo, v);
    hi = std::max(hi, v);
  }
  constexpr double margin = 100;
  constexpr int per_decade = 12, most = 240;
  lo /= margin;
  hi *= margin;
  const int points = std::min(most, static_cast<int>(std::ceil(per_decade * std::log10(hi / lo))));
  const double sign = V < 0 ? -1 : 1;
  for (int i = 0; i <= points; ++i) {
    RunOptions{.stop = stop}.heed();
    out.curve.push_back(stability_at(e, sign * lo * std::pow(hi / lo, i / static_cast<double>(points))));
    if (i == 0) continue;
    const StabilityPoint &p = out.curve[out.curve.size() - 2], &q = out.curve.back();
    if (std::isnan(p.growth_rate) || std::isnan(q.growth_rate) || (p.growth_rate > 0) == (q.growth_rate > 0)) continue;
    double a = p.velocity, b = q.velocity;
    StabilityPoint at = q;
    for (int k = 0; k < 60 && std::abs(b - a) > 1e-13 * std::abs(b); ++k) {
      at = stability_at(e, 0.5 * (a + b));
      if (std::isnan(at.growth_rate)) break;
      ((at.growth_rate > 0) == (p.growth_rate > 0) ? a : b) = at.velocity;
    }
    out.crossings.push_back({0.5 * (a + b), at.omega, q.growth_rate <= 0});
  }
  return out;
}

}  // namespace bristle::analysis
