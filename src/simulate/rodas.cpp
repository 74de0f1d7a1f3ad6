#include "factors.hpp"
#include "rosenbrock.hpp"

/// Rosenbrock steps of a system with its whole matrix.
namespace bristle {
namespace {

template <const auto& K, class Column> class Rodas final : public RosenbrockOf<System, K, Column> {
 public:
  using RosenbrockOf<System, K, Column>::RosenbrockOf;
  double stiffness() const override { return system_.quasi_static() ? 0 : factors_.last_pivot() * K.gamma * h_ - 1; }

 private:
  using StepperOf<System>::system_, StepperOf<System>::t_, StepperOf<System>::h_, GeneralStepperOf<System, Column>::y_;

  bool advance() override {
    this->foresee_step(K.alpha.data(), K.alpha.size());
    return RosenbrockOf<System, K, Column>::advance();
  }

  void prepare(const double* y) override {
    y_.assign(y, y + system_.size());
    this->rates(t_, y_, this->f_);
    system_.jacobian(t_, y_.data(), j_);
    ++this->counts_.jacobians;
  }
  bool factor(double diagonal) override {
    factors_.factor(j_, diagonal, system_.quasi_static());
    if (j_.columns > most_unrolled) works_ = work_ends(j_);
    if (!(factors_.smallest_pivot() > 0.5 * diagonal)) return false;
    if (system_.quasi_static()) {  // the pivot without the states is the slope of F - F_app
      const std::size_t v = system_.states() - 1;
      return factors_.last_pivot() > -0.5 * j_.row(v)[v];
    }
    this->restless_ = system_.may_oscillate() && factors_.last_pivot() < diagonal + system_.spring_rate(j_) / diagonal;
    return true;
  }
  void solve(double* u, double diagonal) override {
    factors_.solve(u);
    add_works(j_, u, diagonal, works_);
  }
  const std::vector<double>& in_time() const override { return j_.t; }

  Jacobian j_{};
  Factors factors_{};
  WorkEnds works_{};
};

template <const auto& K> std::unique_ptr<Stepper> make_rodas(const System& system) {
  if (system.size() <= 8) return std::make_unique<Rodas<K, Padded<8>>>(system);
  if (system.size() <= 16) return std::make_unique<Rodas<K, Padded<16>>>(system);
  if (system.size() <= 32) return std::make_unique<Rodas<K, Padded<32>>>(system);
  return std::make_unique<Rodas<K, std::vector<double>>>(system);
}

}  // namespace

std::unique_ptr<Stepper> make_rodas5p(const System& system) { return make_rodas<rodas5p>(system); }
std::unique_ptr<Stepper> make_rodas4(const System& system) { return make_rodas<rodas4>(system); }

}  // namespace bristle
