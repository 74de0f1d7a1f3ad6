#pragma once
#include <algorithm>
#include <array>
#include <vector>

#include "stepper.hpp"
#include "tableau.hpp"

namespace bristle {

/// Stages, error and dense output of a linearly implicit (Rosenbrock) method on columns of any size, see tableau.hpp. Who
/// derives from it knows the matrix.
template <class W, std::size_t S, std::size_t D> class RosenbrockOf : public GeneralStepperOf<W> {
 public:
  RosenbrockOf(const W& world, const Tableau<S, D>& tableau) : GeneralStepperOf<W>(world), k_(tableau) {
    for (auto& u : u_) u.resize(world.size());
    for (auto& c : cont_) c.resize(world.size());
    stage_.resize(world.size());
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

 protected:
  using StepperOf<W>::t_, StepperOf<W>::h_, GeneralStepperOf<W>::y_, GeneralStepperOf<W>::y1_;
  bool restless_ = false;  // set by `factor`

 private:
  /// I diagonal - J; false if a step of this length cannot see an instability grow.
  virtual bool factor(double diagonal) = 0;
  /// In place, for states and works.
  virtual void solve(double* u, double diagonal) = 0;
  /// Derivatives in time at fixed states, where the step begins.
  virtual const std::vector<double>& in_time() const = 0;

  bool advance() override {
    const double diagonal = 1 / (k_.gamma * h_);
    if (!factor(diagonal)) return false;
    for (std::size_t s = 0; s < S; ++s) {
      std::vector<double>& u = u_[s];
      if (s == 0) {
        u = this->f_;
      } else {
        stage_ = y_;
        for (std::size_t r = 0; r < s; ++r) add(stage_, k_.a[s][r], u_[r]);
        this->rates(t_ + k_.alpha[s] * h_, stage_, u);
        for (std::size_t r = 0; r < s; ++r) add(u, k_.c[s][r] / h_, u_[r]);
      }
      if (k_.gamma_i[s] != 0) add(u, k_.gamma_i[s] * h_, in_time());
      solve(u.data(), diagonal);
    }
    y1_ = stage_;
    add(y1_, 1, u_[S - 1]);
    this->error_ = u_[S - 1];
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
  std::array<std::vector<double>, S> u_{};
  std::array<std::vector<double>, D> cont_{};
  std::vector<double> stage_{};
};

}  // namespace bristle
