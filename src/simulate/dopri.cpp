#include <array>
#include <cmath>

#include "stepper.hpp"

/// The explicit pair of order 5(4) of J. R. Dormand and P. J. Prince, J. Comput. Appl. Math. 6 (1980), with the dense
/// output of E. Hairer, S. P. Norsett, G. Wanner, Solving Ordinary Differential Equations I, sec. II.6.
namespace bristle {
namespace {

constexpr std::array<double, 7> c{0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1, 1};
constexpr std::array<std::array<double, 6>, 7> a{
    {{},
     {1.0 / 5},
     {3.0 / 40, 9.0 / 40},
     {44.0 / 45, -56.0 / 15, 32.0 / 9},
     {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
     {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
     {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}}};
constexpr std::array<double, 7> e{71.0 / 57600,      0,          -71.0 / 16695, 71.0 / 1920,
                                  -17253.0 / 339200, 22.0 / 525, -1.0 / 40};
constexpr std::array<double, 7> d{-12715105075.0 / 11282082432.0,  0,
                                  87487479700.0 / 32700410799.0,   -10690763975.0 / 1880347072.0,
                                  701980252875.0 / 199316789632.0, -1453857185.0 / 822651844.0,
                                  69997945.0 / 29380423.0};

class Dopri5 final : public GeneralStepper {
 public:
  explicit Dopri5(const World& world) : GeneralStepper(world) {
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

std::unique_ptr<Stepper> make_dopri5(const World& world) { return std::make_unique<Dopri5>(world); }

}  // namespace bristle
