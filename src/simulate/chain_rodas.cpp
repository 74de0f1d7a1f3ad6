#include <algorithm>
#include <array>
#include <cmath>

#include "chain.hpp"
#include "factors.hpp"
#include "tableau.hpp"

/// Rosenbrock steps of a chain with contacts of any kind. In every block all states but the velocity are eliminated; a
/// tridiagonal system of the velocities is left, so that a step costs as much per block as that of a single one.
namespace bristle {
namespace {

template <std::size_t S, std::size_t D> class ChainRodas final : public GeneralStepperOf<Chain> {
 public:
  ChainRodas(const Chain& chain, const Tableau<S, D>& tableau)
      : GeneralStepperOf(chain), k_(tableau), n_(chain.block(0).states()), each_(chain.each()) {
    for (auto& u : u_) u.resize(chain.size());
    for (auto& c : cont_) c.resize(chain.size());
    stage_.resize(chain.size());
    in_time_.resize(chain.size());
    j_.resize(chain.bodies());
    factors_.resize(chain.bodies());
    pivot_.resize(chain.bodies());
    right_.resize(chain.bodies());
  }
  const char* name() const override { return k_.name; }
  int order() const override { return k_.order; }
  bool restless() const override { return restless_; }
  void dense(double theta, double* y) const override {
    const double left = 1 - theta;
    for (std::size_t i = 0; i < y_.size(); ++i) {
      double c = cont_[D - 1][i];
      for (std::size_t d = D - 1; d-- > 0;) c = cont_[d][i] + theta * c;
      y[i] = left * y_[i] + theta * (y1_[i] + left * c);
    }
  }

 private:
  void prepare(const double* y) override {
    y_.assign(y, y + world_.size());
    rates(t_, y_, f_);
    for (std::size_t b = 0; b < j_.size(); ++b) {
      world_.block(b).jacobian(t_, y_.data() + b * each_, j_[b]);
      std::copy(j_[b].t.begin(), j_[b].t.end(), in_time_.begin() + static_cast<std::ptrdiff_t>(b * each_));
    }
    ++counts_.jacobians;
  }
  /// Row b of the velocities: link times the neighbours' unknowns stands beside the pivot, unless the block is held.
  double link(std::size_t b) const { return world_.block(b).holding() ? 0 : link_; }
  bool factor(double diagonal) {
    restless_ = false;
    const Links& l = world_.links();
    link_ = -(l.coupling / diagonal + l.damping) / world_.mass();
    for (std::size_t b = 0; b < j_.size(); ++b) {
      factors_[b].factor(j_[b], diagonal);
      if (!(factors_[b].smallest_pivot() > 0.5 * diagonal)) return false;
      const World& block = world_.block(b);
      const double own = factors_[b].last_pivot();
      restless_ = restless_ || (block.may_oscillate() && own < diagonal + block.spring_rate(j_[b]) / diagonal);
      pivot_[b] = b > 0 ? own - link(b) * link(b - 1) / pivot_[b - 1] : own;
      if (!(pivot_[b] > 0.5 * diagonal)) return false;
    }
    return true;
  }
  void solve(double* u, double diagonal) {
    const std::size_t blocks = j_.size(), x = n_ - 2, v = n_ - 1;
    const double pull = world_.links().coupling / (world_.mass() * diagonal);
    for (std::size_t b = 0; b < blocks; ++b) factors_[b].forward(u + b * each_);
    for (std::size_t b = 0; b < blocks; ++b) {
      const double* own = u + b * each_;
      right_[b] = own[v];
      if (!world_.block(b).holding()) {
        if (b > 0) right_[b] += pull * (own - each_)[x];
        if (b + 1 < blocks) right_[b] += pull * (own + each_)[x];
      }
      if (b > 0) right_[b] -= link(b) / pivot_[b - 1] * right_[b - 1];
    }
    for (std::size_t b = blocks; b-- > 0;) {
      if (b + 1 < blocks) right_[b] -= link(b) * right_[b + 1];
      right_[b] /= pivot_[b];
      u[b * each_ + v] = right_[b];
      factors_[b].backward(u + b * each_);
    }
    for (std::size_t b = 0; b < blocks; ++b) add_works(b, u, diagonal);
  }
  void add_works(std::size_t b, double* u, double diagonal) {
    const std::size_t v = n_ - 1, from = b * each_;
    const auto lean_on = [&](std::size_t other) {
      u[from + n_ + 1] += world_.links().damping * (y_[other + v] - y_[from + v]) * u[other + v];
    };
    if (b > 0) lean_on(from - each_);
    if (b + 1 < j_.size()) lean_on(from + each_);
    for (std::size_t i = n_; i < each_; ++i) {
      const double* row = j_[b].row(i);
      double sum = u[from + i];
      for (std::size_t c = 0; c < n_; ++c) sum += row[c] * u[from + c];
      u[from + i] = sum / diagonal;
    }
  }
  bool advance() override {
    const double diagonal = 1 / (k_.gamma * h_);
    if (!factor(diagonal)) return false;
    for (std::size_t s = 0; s < S; ++s) {
      std::vector<double>& u = u_[s];
      if (s == 0) {
        u = f_;
      } else {
        stage_ = y_;
        for (std::size_t r = 0; r < s; ++r) add(stage_, k_.a[s][r], u_[r]);
        rates(t_ + k_.alpha[s] * h_, stage_, u);
        for (std::size_t r = 0; r < s; ++r) add(u, k_.c[s][r] / h_, u_[r]);
      }
      if (k_.gamma_i[s] != 0) add(u, k_.gamma_i[s] * h_, in_time_);
      solve(u.data(), diagonal);
    }
    y1_ = stage_;
    add(y1_, 1, u_[S - 1]);
    error_ = u_[S - 1];
    for (std::size_t d = 0; d < D; ++d) {
      std::fill(cont_[d].begin(), cont_[d].end(), 0.0);
      for (std::size_t s = 0; s < S; ++s) {
        if (k_.dense[d][s] != 0) add(cont_[d], k_.dense[d][s], u_[s]);
      }
    }
    return true;
  }
  static void add(std::vector<double>& y, double factor, const std::vector<double>& x) {
    for (std::size_t i = 0; i < y.size(); ++i) y[i] += factor * x[i];
  }

  const Tableau<S, D>& k_;
  const std::size_t n_, each_;  // states of a block; with its works
  std::vector<Jacobian> j_{};
  std::vector<Factors> factors_{};
  std::vector<double> pivot_{}, right_{}, in_time_{};
  double link_{};
  bool restless_ = false;
  std::array<std::vector<double>, S> u_{};
  std::array<std::vector<double>, D> cont_{};
  std::vector<double> stage_{};
};

}  // namespace

std::unique_ptr<StepperOf<Chain>> make_chain_rodas(const Chain& chain) {
  if (chain.smooth_law()) return std::make_unique<ChainRodas<6, 2>>(chain, rodas4);
  return std::make_unique<ChainRodas<8, 3>>(chain, rodas5p);
}

}  // namespace bristle
