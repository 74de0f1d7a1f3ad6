#include <array>
#include <cmath>

#include "chain.hpp"
#include "stepper.hpp"
#include "tableau.hpp"

/// The explicit pair of order 5(4) of J. R. Dormand and P. J. Prince, J. Comput. Appl. Math. 6 (1980), with the dense
/// output of E. Hairer, S. P. Norsett, G. Wanner, Solving Ordinary Differential Equations I, sec. II.6.
namespace bristle {
namespace {

constexpr auto& c = dopri5.c;
constexpr auto& a = dopri5.a;
constexpr auto &e = dopri5.error, &d = dopri5.bend;

template <class W> class Dopri5 final : public GeneralStepperOf<W> {
 public:
  explicit Dopri5(const W& world) : GeneralStepperOf<W>(world) {
    for (auto& k : k_) k.resize(world.size());
  }
  const char* name() const override { return "dopri5"; }
  int order() const override { return 5; }
  double caution() const override { return 0.1; }
  bool restless() const override { return world_.may_oscillate(); }
  void dense(double theta, double* y) const override {
    const double left = 1 - theta;
    for (std::size_t i = 0; i < y_.size(); ++i) {
      double bend = 0;
      for (std::size_t s = 0; s < 7; ++s) bend += d[s] * k_[s][i];
      const double rise = y1_[i] - y_[i], first = h_ * k_[0][i] - rise, last = rise - h_ * k_[6][i] - first;
      y[i] = y_[i] + theta * (rise + left * (first + theta * (last + left * h_ * bend)));
    }
  }

 private:
  using StepperOf<W>::world_, StepperOf<W>::t_, StepperOf<W>::h_;
  using GeneralStepperOf<W>::y_, GeneralStepperOf<W>::y1_, GeneralStepperOf<W>::f_, GeneralStepperOf<W>::error_;
  using GeneralStepperOf<W>::rates;

  void prepare(const double* y) override {
    y_.assign(y, y + world_.size());
    rates(t_, y_, f_);
  }
  bool advance() override {
    k_[0] = f_;
    for (std::size_t s = 1; s < 7; ++s) {
      y1_ = y_;
      for (std::size_t r = 0; r < s; ++r) {
        for (std::size_t i = 0; i < y1_.size(); ++i) y1_[i] += h_ * a[s][r] * k_[r][i];
      }
      rates(t_ + c[s] * h_, y1_, k_[s]);
    }
    for (std::size_t i = 0; i < error_.size(); ++i) {
      error_[i] = 0;
      for (std::size_t s = 0; s < 7; ++s) error_[i] += h_ * e[s] * k_[s][i];
    }
    return true;
  }
  std::array<std::vector<double>, 7> k_{};
};

}  // namespace

std::unique_ptr<Stepper> make_dopri5(const World& world) { return std::make_unique<Dopri5<World>>(world); }
std::unique_ptr<StepperOf<Chain>> make_dopri5(const Chain& chain) { return std::make_unique<Dopri5<Chain>>(chain); }

}  // namespace bristle
