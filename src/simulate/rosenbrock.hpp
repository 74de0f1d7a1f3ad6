#pragma once
#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "kernels/tableau.hpp"
#include "stepper.hpp"

namespace bristle {

/// Stages, error and dense output of a linearly implicit (Rosenbrock) method, see tableau.hpp, K. Who derives from it knows
/// the matrix.
template <class W, const auto& K, class Column = std::vector<double>>
class RosenbrockOf : public GeneralStepperOf<W, Column> {
 public:
  explicit RosenbrockOf(const W& system) : GeneralStepperOf<W, Column>(system) {
    for (auto& u : u_) u = Column(system.size());
    for (auto& c : cont_) c = Column(system.size());
    stage_ = before_ = Column(system.size());
  }
  const char* name() const override { return K.name; }
  int order() const override { return K.order; }
  bool restless() const override { return restless_; }
  double curvature(std::size_t i) const override {  // theta (1 - theta) <= 1/4
    know_dense();
    double sum = 0;
    for (const Column& c : cont_) sum += std::abs(c[i]);
    return sum / 4;
  }
  double dense_rate(std::size_t i, double theta) const override {
    know_dense();
    std::array<double, D> c{};
    for (std::size_t d = 0; d < D; ++d) c[d] = cont_[d][i];
    return slope_between(y_[i], y1_[i], c, theta) / h_;
  }
  void dense(double theta, double* y) const override { dense_of({0, this->system_.size()}, theta, y); }
  void dense_of(States only, double theta, double* y) const override {
    know_dense();
    const double left = 1 - theta;
    for (std::size_t i = only.from; i < only.to; ++i) {
      double c = cont_[D - 1][i];
      for (std::size_t d = D - 1; d-- > 0;) c = cont_[d][i] + theta * c;
      y[i] = left * y_[i] + theta * (y1_[i] + left * c);
    }
  }

 protected:
  static constexpr std::size_t S = K.alpha.size(), D = K.dense.size();
  using StepperOf<W>::t_, StepperOf<W>::h_, GeneralStepperOf<W, Column>::y_, GeneralStepperOf<W, Column>::y1_;
  bool restless_ = false;  // set by `factor`
  bool advance() override {
    const double diagonal = 1 / (K.gamma * h_);
    dense_known_ = false;
    if (!factor(diagonal)) return false;
    u_[0] = this->f_;
    add_in_time<0>();
    solve(u_[0].data(), diagonal);
    [&]<std::size_t... s>(std::index_sequence<s...>) {
      (stage<s + 1>(diagonal, std::make_index_sequence<s + 1>{}), ...);
    }(std::make_index_sequence<S - 1>{});
    const Column& last = u_[S - 1];
    for (std::size_t i = 0; i < y1_.size(); ++i) y1_[i] = stage_[i] + last[i];
    this->error_ = last;
    return true;
  }

 private:
  /// I diagonal - J; false if a step of this length cannot see an instability grow.
  virtual bool factor(double diagonal) = 0;
  /// In place, for states and works.
  virtual void solve(double* u, double diagonal) = 0;
  /// Derivatives in time at fixed states, where the step begins.
  virtual const std::vector<double>& in_time() const = 0;

  template <std::size_t s, std::size_t... r> void stage(double diagonal, std::index_sequence<r...>) {
    Column& u = u_[s];
    const double per_h = 1 / h_;
    for (std::size_t i = 0; i < y_.size(); ++i) {
      stage_[i] = y_[i] + ((K.a[s][r] * u_[r][i]) + ...);
      before_[i] = ((K.c[s][r] * u_[r][i]) + ...);
    }
    this->rates(t_ + K.alpha[s] * h_, stage_, u);
    if constexpr (W::may_be_prescribed) {
      if (this->system_.quasi_static()) before_[this->system_.states() - 1] = 0;
    }
    for (std::size_t i = 0; i < u.size(); ++i) u[i] += per_h * before_[i];
    add_in_time<s>();
    solve(u.data(), diagonal);
  }
  template <std::size_t s> void add_in_time() {
    if constexpr (K.gamma_i[s] != 0) {
      const std::vector<double>& t = in_time();
      for (std::size_t i = 0; i < t.size(); ++i) u_[s][i] += K.gamma_i[s] * h_ * t[i];
    }
  }
  void know_dense() const {
    if (dense_known_) return;
    dense_known_ = true;
    for (std::size_t i = 0; i < y_.size(); ++i) {
      for (std::size_t d = 0; d < D; ++d) {
        double sum = 0;
        for (std::size_t s = 0; s < S; ++s) sum += K.dense[d][s] * u_[s][i];
        cont_[d][i] = sum;
      }
    }
  }

  std::array<Column, S> u_{};
  mutable std::array<Column, D> cont_{};
  mutable bool dense_known_ = false;  // the dense output is known
  Column stage_{}, before_{};
};

}  // namespace bristle
