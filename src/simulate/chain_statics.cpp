#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

#include "base/linear.hpp"
#include "bristle/simulate.hpp"
#include "bristle/simulate/statics.hpp"
#include "potential.hpp"

namespace bristle {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr int most_blocks = 1000;  // matrices are dense

/// Energy and its derivatives.
class Ring {
 public:
  Ring(const ChainParams& c, double stiffness, double part)
      : c_(c), k_(stiffness), potential_(c.potential, part), n_(c.blocks) {}
  Eigen::Index size() const { return n_; }
  double force_scale() const { return potential_.largest_slope(); }
  double link() const { return c_.coupling; }
  /// Rounding of the forces: places lie up to n spacings from the first one.
  double noise() const {
    const double places = 1 + static_cast<double>(n_) * c_.spacing / c_.potential.period;
    return 1e-14 * (places * force_scale() + c_.coupling * c_.potential.period);
  }
  double energy(const VectorXd& x) const {
    double sum = 0;
    for (Eigen::Index i = 0; i < n_; ++i) {
      sum += potential_.energy(place(x, i)) + k_ * x[i] * x[i] / 2;
      if (linked(i)) sum += c_.coupling * std::pow(x[next(i)] - x[i], 2) / 2;
    }
    return sum;
  }
  VectorXd gradient(const VectorXd& x) const {
    VectorXd g(n_);
    for (Eigen::Index i = 0; i < n_; ++i) g[i] = potential_.slope(place(x, i)) + k_ * x[i];
    for (Eigen::Index i = 0; i < n_; ++i) {
      if (!linked(i)) continue;
      const double pull = c_.coupling * (x[next(i)] - x[i]);
      g[i] -= pull;
      g[next(i)] += pull;
    }
    return g;
  }
  MatrixXd stiffness(const VectorXd& x) const {
    MatrixXd H = MatrixXd::Zero(n_, n_);
    for (Eigen::Index i = 0; i < n_; ++i) H(i, i) += potential_.curvature(place(x, i)) + k_;
    for (Eigen::Index i = 0; i < n_; ++i) {
      if (!linked(i)) continue;
      H(i, i) += c_.coupling;
      H(next(i), next(i)) += c_.coupling;
      H(i, next(i)) -= c_.coupling;
      H(next(i), i) -= c_.coupling;
    }
    return H;
  }

 private:
  double place(const VectorXd& x, Eigen::Index i) const { return x[i] + static_cast<double>(i) * c_.spacing; }
  Eigen::Index next(Eigen::Index i) const { return i + 1 < n_ ? i + 1 : 0; }
  bool linked(Eigen::Index i) const { return i + 1 < n_ || c_.ring(); }

  const ChainParams& c_;
  double k_;
  Potential potential_;
  Eigen::Index n_;
};

/// Newton's method with a shift that makes the matrix positive definite: every step goes down, to a minimum. A chain that slides
/// has a direction with almost no stiffness. Along it energies differ by less than their rounding while forces do not yet
/// vanish, so that rounding must not reject a step; the shift keeps this direction from taking the whole length of a step. The
/// valley is curved: many short steps may be required. False if the forces do not vanish.
bool descend(const Ring& ring, VectorXd& x, double length) {
  const double enough = ring.noise(), same = enough * length, curvature = ring.force_scale() / length;
  double shift = 1e-3 * curvature, energy = ring.energy(x);
  VectorXd g = ring.gradient(x);
  for (int k = 0; k < 2000; ++k) {
    const double left = g.cwiseAbs().maxCoeff();
    if (left <= enough) return true;
    shift = std::max(shift, 0.1 * left / length);
    MatrixXd H = ring.stiffness(x);
    H.diagonal().array() += shift;
    const Eigen::LLT<MatrixXd> factors(H);
    if (factors.info() == Eigen::Success) {
      VectorXd step = -factors.solve(g);
      const double most = step.cwiseAbs().maxCoeff();
      if (most > 0.1 * length) step *= 0.1 * length / most;
      const VectorXd to = x + step, g_to = ring.gradient(to);
      const double energy_to = ring.energy(to);
      if (energy_to <= energy + same) {
        shift /= 4;
        x = to;
        g = g_to;
        energy = energy_to;
        continue;
      }
    }
    shift *= 4;
    if (shift > 1e6 * (curvature + ring.link())) break;
  }
  return false;
}

/// Newton's method for a state of equilibrium of any kind under a force on each block.
bool balance(const Ring& ring, VectorXd& x, double force, double length) {
  for (int k = 0; k < 30; ++k) {
    const VectorXd r = force - ring.gradient(x).array();
    if (r.cwiseAbs().maxCoeff() <= 4 * ring.noise()) return true;
    VectorXd step = linear::solve_square(ring.stiffness(x), r);
    const double most = step.cwiseAbs().maxCoeff();
    if (!std::isfinite(most)) return false;
    if (most > 0.05 * length) step *= 0.05 * length / most;
    x += step;
  }
  return false;
}
bool stable(const Ring& ring, const VectorXd& x) {
  return Eigen::LLT<MatrixXd>(ring.stiffness(x)).info() == Eigen::Success;
}

}  // namespace

ChainStatics::ChainStatics(const ChainParams& chain, double stiffness) : chain_(chain), stiffness_(stiffness) {
  if (!chain.potential.present()) throw BadInput("a chain at rest requires [system.potential] with U0 > 0");
  if (!chain.spread.widths.empty()) throw BadInput("a chain at rest requires equal blocks, without [system.spread]");
  if (chain.boundary == Boundary::fixed_stress) throw BadInput("a chain at rest accepts boundary open or periodic");
  if (chain.blocks > most_blocks)
    throw BadInput(fmt::format("a chain at rest accepts at most {} blocks, not {}", most_blocks, chain.blocks));
  const double period = chain.potential.period;
  constexpr int parts = 20;
  VectorXd x = VectorXd::Constant(chain.blocks, 0.1 * period / chain.blocks);
  for (int p = 1; p <= parts; ++p) {
    if (!descend(Ring(chain_, stiffness_, static_cast<double>(p) / parts), x, period))
      throw BadInput("no state of rest was found");
  }
  // By symmetry the forces may vanish in a state that is not a minimum.
  const Ring ring(chain_, stiffness_, 1);
  MatrixXd H = ring.stiffness(x);
  H.diagonal().array() += 1e-9 * (chain.coupling + ring.force_scale() / period);
  if (Eigen::LLT<MatrixXd>(H).info() != Eigen::Success)
    throw BadInput("no stable state of rest was found; a slightly different spacing is accepted");
  x_.assign(x.begin(), x.end());
}

double ChainStatics::ground_energy() const {
  return Ring(chain_, stiffness_, 1).energy(Eigen::Map<const VectorXd>(x_.data(), chain_.blocks));
}

std::vector<double> ChainStatics::waves() const {
  const Ring ring(chain_, stiffness_, 1);
  const VectorXd values =
      linear::eigen_symmetric(ring.stiffness(Eigen::Map<const VectorXd>(x_.data(), ring.size()))).values;
  return {values.begin(), values.end()};
}

void ChainStatics::require_free(const char* what) const {
  if (stiffness_ > 0) throw BadInput(fmt::format("{} requires a chain without springs to the drive", what));
}

/// The force rises as long as a stable state follows from the last one.
double ChainStatics::depinning() const {
  require_free("a depinning force");
  const double period = chain_.potential.period;
  const Ring ring(chain_, 0, 1);
  VectorXd x = Eigen::Map<const VectorXd>(x_.data(), ring.size());
  double force = 0, step = 1e-3 * ring.force_scale();
  while (step > 1e-7 * std::max(force, 1e-6 * ring.force_scale())) {
    VectorXd to = x;
    const bool follows =
        balance(ring, to, force + step, period) && (to - x).cwiseAbs().maxCoeff() < 0.1 * period && stable(ring, to);
    if (follows) {
      x = std::move(to);
      force += step;
      step *= 1.5;
    } else {
      step /= 4;
    }
  }
  return force;
}

/// The next ground state has the same places, taken by other atoms; the pass is half-way, by symmetry.
double ChainStatics::barrier() const {
  require_free("a barrier");
  if (!chain_.ring()) throw BadInput("a barrier requires boundary = \"periodic\"");
  const double period = chain_.potential.period;
  const Ring ring(chain_, 0, 1);
  const int n = chain_.blocks, wells = static_cast<int>(std::lround(n * chain_.spacing / period));
  int shift = 0, back = -1;  // atoms and periods
  for (int q = 1; q < n && shift == 0; ++q) {
    if (std::int64_t{q} * wells % n == std::gcd(n, wells))
      shift = q, back = static_cast<int>(std::int64_t{q} * wells / n);
  }
  VectorXd middle(n);
  for (int i = 0; i < n; ++i) {
    const int from = (i + shift) % n;
    const double place =
        x_[static_cast<std::size_t>(from)] + from * chain_.spacing + ((i + shift >= n ? wells : 0) - back) * period;
    middle[i] = (x_[static_cast<std::size_t>(i)] + place - i * chain_.spacing) / 2;
  }
  if (!balance(ring, middle, 0, period)) throw BadInput("the pass between two ground states was not found");
  return ring.energy(middle) - ground_energy();
}

}  // namespace bristle
