#include <array>
#include <cmath>
#include <utility>

#include "chain.hpp"
#include "kernels/tableau.hpp"
#include "stepper.hpp"

/// The explicit pair of order 5(4) of J. R. Dormand and P. J. Prince, J. Comput. Appl. Math. 6 (1980), with the dense
/// output of E. Hairer, S. P. Norsett, G. Wanner, Solving Ordinary Differential Equations I, sec. II.6.
namespace bristle {
namespace {

constexpr auto& c = dopri5.c;
constexpr auto& a = dopri5.a;
constexpr auto &e = dopri5.error, &d = dopri5.curvature;

template <class W, class Column> class Dopri5 final : public GeneralStepperOf<W, Column> {
 public:
  explicit Dopri5(const W& system) : GeneralStepperOf<W, Column>(system) {
    for (auto& k : k_) k = Column(system.size());
    for (auto& b : curvature_) b = Column(system.size());
  }
  const char* name() const override { return "dopri5"; }
  int order() const override { return 5; }
  double caution() const override { return 0.1; }
  bool restless() const override { return system_.may_oscillate(); }
  double curvature(std::size_t i) const override {  // theta (1 - theta) <= 1/4
    know_dense();
    double sum = 0;
    for (const Column& b : curvature_) sum += std::abs(b[i]);
    return sum / 4;
  }
  void dense(double theta, double* y) const override { dense_of({0, system_.size()}, theta, y); }
  void dense_of(States only, double theta, double* y) const override {
    know_dense();
    const double left = 1 - theta;
    for (std::size_t i = only.from; i < only.to; ++i) {
      const double rise = y1_[i] - y_[i];
      y[i] = y_[i] + theta * (rise + left * (curvature_[0][i] + theta * (curvature_[1][i] + left * curvature_[2][i])));
    }
  }

 private:
  using StepperOf<W>::system_, StepperOf<W>::t_, StepperOf<W>::h_;
  using Base = GeneralStepperOf<W, Column>;
  using Base::y_, Base::y1_, Base::f_, Base::error_, Base::rates;
  using Stages = std::make_index_sequence<7>;

  void prepare(const double* y) override {
    y_.assign(y, y + system_.size());
    rates(t_, y_, f_);
  }
  bool advance() override {
    dense_known_ = false;
    k_[0] = f_;
    [&]<std::size_t... s>(std::index_sequence<s...>) {
      (stage<s + 1>(std::make_index_sequence<s + 1>{}), ...);
    }(std::make_index_sequence<6>{});
    for (std::size_t i = 0; i < error_.size(); ++i) error_[i] = h_ * sum(e, i, Stages{});
    return true;
  }
  template <std::size_t s, std::size_t... r> void stage(std::index_sequence<r...> before) {
    for (std::size_t i = 0; i < y1_.size(); ++i) y1_[i] = y_[i] + h_ * sum(a[s], i, before);
    rates(t_ + c[s] * h_, y1_, k_[s]);
  }
  template <class Weights, std::size_t... r>
  double sum(const Weights& weight, std::size_t i, std::index_sequence<r...>) const {
    return ((weight[r] * k_[r][i]) + ...);
  }
  void know_dense() const {
    if (dense_known_) return;
    dense_known_ = true;
    for (std::size_t i = 0; i < y_.size(); ++i) {
      const double rise = y1_[i] - y_[i], first = h_ * k_[0][i] - rise;
      curvature_[0][i] = first;
      curvature_[1][i] = rise - h_ * k_[6][i] - first;
      curvature_[2][i] = h_ * sum(d, i, Stages{});
    }
  }
  std::array<Column, 7> k_{};
  mutable std::array<Column, 3> curvature_{};
  mutable bool dense_known_ = false;  // the dense output is available
};

}  // namespace

std::unique_ptr<Stepper> make_dopri5(const System& system) {
  if (system.size() <= 8) return std::make_unique<Dopri5<System, Padded<8>>>(system);
  return std::make_unique<Dopri5<System, std::vector<double>>>(system);
}
std::unique_ptr<StepperOf<Chain>> make_dopri5(const Chain& chain) {
  return std::make_unique<Dopri5<Chain, std::vector<double>>>(chain);
}

}  // namespace bristle
