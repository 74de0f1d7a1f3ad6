#include <algorithm>

#include "chain.hpp"
#include "factors.hpp"
#include "rosenbrock.hpp"

/// Rosenbrock steps of a chain with contacts of any kind. In every block all states but the velocity are eliminated; a
/// tridiagonal system of the velocities is left, so that a step costs as much per block as that of a single one.
namespace bristle {
namespace {

template <const auto& K> class ChainRodas final : public RosenbrockOf<Chain, K> {
 public:
  explicit ChainRodas(const Chain& chain)
      : RosenbrockOf<Chain, K>(chain), n_(chain.block(0).states()), each_(chain.each()) {
    in_time_.resize(chain.size());
    j_.resize(chain.bodies());
    factors_.resize(chain.bodies());
    holds_.resize(chain.bodies());
    inverse_.resize(chain.bodies());
    right_.resize(chain.bodies());
  }

 private:
  using StepperOf<Chain>::system_, StepperOf<Chain>::t_, GeneralStepperOf<Chain>::y_;
  using RosenbrockOf<Chain, K>::restless_;

  void prepare(const double* y) override {
    y_.assign(y, y + system_.size());
    this->rates(t_, y_, this->f_);
    for (std::size_t b = 0; b < j_.size(); ++b) {
      const System& block = system_.block(b);
      block.jacobian(t_, y_.data() + b * each_, j_[b]);
      holds_[b] = block.holding();
      std::copy(j_[b].t.begin(), j_[b].t.end(), in_time_.begin() + static_cast<std::ptrdiff_t>(b * each_));
    }
    ++this->counts_.jacobians;
  }
  /// Row b of the velocities: these times the neighbours' unknowns stand next to the pivot, unless the block is held.
  double lower(std::size_t b) const { return holds_[b] ? 0 : off_diagonal(b, system_.link(b)); }
  double upper(std::size_t b) const { return holds_[b] ? 0 : off_diagonal(b, system_.link(b + 1)); }
  double off_diagonal(std::size_t b, double coupling) const {
    return -(coupling / diagonal_ + system_.links().damping) / system_.mass(b);
  }
  bool factor(double diagonal) override {
    restless_ = false;
    diagonal_ = diagonal;
    const std::size_t last = j_.size() - 1;
    double corner = 0;  // that of a ring leaves the last pivot; see Sherman and Morrison
    for (std::size_t b = 0; b < j_.size(); ++b) {
      factors_[b].factor(j_[b], diagonal);
      if (!(factors_[b].smallest_pivot() > 0.5 * diagonal)) return false;
      const double own = factors_[b].last_pivot();
      restless_ = restless_ || (!holds_[b] && own < diagonal + system_.block(b).spring_rate(j_[b]) / diagonal);
      double pivot = b > 0 ? own - lower(b) * upper(b - 1) * inverse_[b - 1] : own;
      if (system_.ring() && b == 0) {
        corner = own;
        pivot = 2 * own;
      }
      if (system_.ring() && b == last) pivot += lower(0) * upper(last) / corner;
      if (!(pivot > 0.5 * diagonal)) return false;
      inverse_[b] = 1 / pivot;
    }
    if (system_.ring()) {
      around_.assign(j_.size(), 0.0);
      around_[0] = -corner;
      around_[last] = upper(last);
      tridiagonal(around_);
      row_last_ = -lower(0) / corner;
      const double whole = 1 + around_[0] + row_last_ * around_[last];
      if (!(std::abs(whole) > 1e-12)) return false;
      for (double& a : around_) a /= whole;
    }
    return true;
  }
  void tridiagonal(std::vector<double>& r) const {
    const std::size_t blocks = r.size();
    for (std::size_t b = 1; b < blocks; ++b) r[b] -= lower(b) * inverse_[b - 1] * r[b - 1];
    for (std::size_t b = blocks; b-- > 0;) {
      if (b + 1 < blocks) r[b] -= upper(b) * r[b + 1];
      r[b] *= inverse_[b];
    }
  }
  void solve(double* u, double diagonal) override {
    const std::size_t blocks = j_.size(), x = n_ - 2, v = n_ - 1;
    for (std::size_t b = 0; b < blocks; ++b) factors_[b].forward(u + b * each_);
    for (std::size_t b = 0; b < blocks; ++b) {
      const double per_mass = 1 / (system_.mass(b) * diagonal);
      right_[b] = u[b * each_ + v];
      if (holds_[b]) continue;
      if (has_left(b)) right_[b] += system_.link(b) * per_mass * u[left(b) + x];
      if (has_right(b)) right_[b] += system_.link(b + 1) * per_mass * u[right(b) + x];
    }
    tridiagonal(right_);
    if (system_.ring()) {
      const double part = right_[0] + row_last_ * right_[blocks - 1];
      for (std::size_t b = 0; b < blocks; ++b) right_[b] -= part * around_[b];
    }
    for (std::size_t b = 0; b < blocks; ++b) {
      u[b * each_ + v] = right_[b];
      factors_[b].backward(u + b * each_);
    }
    for (std::size_t b = 0; b < blocks; ++b) works_of(b, u, diagonal);
  }
  void works_of(std::size_t b, double* u, double diagonal) {
    const std::size_t v = n_ - 1, from = b * each_;
    const auto lean_on = [&](std::size_t other) {
      u[from + n_ + 1] += system_.links().damping * (y_[other + v] - y_[from + v]) * u[other + v];
    };
    if (has_left(b)) lean_on(left(b));
    if (has_right(b)) lean_on(right(b));
    add_works(j_[b], u + from, diagonal);
  }
  const std::vector<double>& in_time() const override { return in_time_; }
  bool has_left(std::size_t b) const { return b > 0 || system_.ring(); }
  bool has_right(std::size_t b) const { return b + 1 < j_.size() || system_.ring(); }
  std::size_t left(std::size_t b) const { return (b > 0 ? b - 1 : j_.size() - 1) * each_; }
  std::size_t right(std::size_t b) const { return (b + 1 < j_.size() ? b + 1 : 0) * each_; }

  const std::size_t n_, each_;  // states of a block; with its works
  std::vector<Jacobian> j_{};
  std::vector<Factors> factors_{};
  std::vector<char> holds_{};
  std::vector<double> inverse_{}, right_{}, in_time_{};  // of the pivots of the velocities
  std::vector<double> around_{};                         // of a ring, the correction of a chain for its last link
  double diagonal_{}, row_last_{};
};

}  // namespace

std::unique_ptr<StepperOf<Chain>> make_chain_rodas(const Chain& chain) {
  if (chain.smooth_law()) return std::make_unique<ChainRodas<rodas4>>(chain);
  return std::make_unique<ChainRodas<rodas5p>>(chain);
}

}  // namespace bristle
