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
  /// Row b of the velocities: link times the neighbours' unknowns stands next to the pivot, unless the block is held.
  double link(std::size_t b) const { return holds_[b] ? 0 : link_; }
  bool factor(double diagonal) override {
    restless_ = false;
    const Links& l = system_.links();
    link_ = -(l.coupling / diagonal + l.damping) / system_.mass();
    for (std::size_t b = 0; b < j_.size(); ++b) {
      factors_[b].factor(j_[b], diagonal);
      if (!(factors_[b].smallest_pivot() > 0.5 * diagonal)) return false;
      const double own = factors_[b].last_pivot();
      restless_ = restless_ || (!holds_[b] && own < diagonal + system_.block(b).spring_rate(j_[b]) / diagonal);
      const double pivot = b > 0 ? own - link(b) * link(b - 1) * inverse_[b - 1] : own;
      if (!(pivot > 0.5 * diagonal)) return false;
      inverse_[b] = 1 / pivot;
    }
    return true;
  }
  void solve(double* u, double diagonal) override {
    const std::size_t blocks = j_.size(), x = n_ - 2, v = n_ - 1;
    const double pull = system_.links().coupling / (system_.mass() * diagonal);
    for (std::size_t b = 0; b < blocks; ++b) factors_[b].forward(u + b * each_);
    for (std::size_t b = 0; b < blocks; ++b) {
      const double* own = u + b * each_;
      right_[b] = own[v];
      if (!holds_[b]) {
        if (b > 0) right_[b] += pull * (own - each_)[x];
        if (b + 1 < blocks) right_[b] += pull * (own + each_)[x];
      }
      if (b > 0) right_[b] -= link(b) * inverse_[b - 1] * right_[b - 1];
    }
    for (std::size_t b = blocks; b-- > 0;) {
      if (b + 1 < blocks) right_[b] -= link(b) * right_[b + 1];
      right_[b] *= inverse_[b];
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
    if (b > 0) lean_on(from - each_);
    if (b + 1 < j_.size()) lean_on(from + each_);
    add_works(j_[b], u + from, diagonal);
  }
  const std::vector<double>& in_time() const override { return in_time_; }

  const std::size_t n_, each_;  // states of a block; with its works
  std::vector<Jacobian> j_{};
  std::vector<Factors> factors_{};
  std::vector<char> holds_{};
  std::vector<double> inverse_{}, right_{}, in_time_{};  // of the pivots of the velocities
  double link_{};
};

}  // namespace

std::unique_ptr<StepperOf<Chain>> make_chain_rodas(const Chain& chain) {
  if (chain.smooth_law()) return std::make_unique<ChainRodas<rodas4>>(chain);
  return std::make_unique<ChainRodas<rodas5p>>(chain);
}

}  // namespace bristle
