#include "factors.hpp"
#include "rosenbrock.hpp"

/// Rosenbrock steps of a world with its whole matrix.
namespace bristle {
namespace {

template <const auto& K, class Column> class Rodas final : public RosenbrockOf<World, K, Column> {
 public:
  using RosenbrockOf<World, K, Column>::RosenbrockOf;
  double stiffness() const override { return factors_.last_pivot() * K.gamma * h_ - 1; }

 private:
  using StepperOf<World>::world_, StepperOf<World>::t_, StepperOf<World>::h_, GeneralStepperOf<World, Column>::y_;

  bool advance() override {
    this->foresee_step(K.alpha.data(), K.alpha.size());
    return RosenbrockOf<World, K, Column>::advance();
  }

  void prepare(const double* y) override {
    y_.assign(y, y + world_.size());
    this->rates(t_, y_, this->f_);
    world_.jacobian(t_, y_.data(), j_);
    ++this->counts_.jacobians;
  }
  bool factor(double diagonal) override {
    factors_.factor(j_, diagonal);
    if (!(factors_.smallest_pivot() > 0.5 * diagonal)) return false;
    this->restless_ = world_.may_oscillate() && factors_.last_pivot() < diagonal + world_.spring_rate(j_) / diagonal;
    return true;
  }
  void solve(double* u, double diagonal) override {
    factors_.solve(u);
    add_works(j_, u, diagonal);
  }
  const std::vector<double>& in_time() const override { return j_.t; }

  Jacobian j_{};
  Factors factors_{};
};

template <const auto& K> std::unique_ptr<Stepper> make_rodas(const World& world) {
  if (world.size() <= 8) return std::make_unique<Rodas<K, Padded<8>>>(world);
  if (world.size() <= 16) return std::make_unique<Rodas<K, Padded<16>>>(world);
  return std::make_unique<Rodas<K, std::vector<double>>>(world);
}

}  // namespace

std::unique_ptr<Stepper> make_rodas5p(const World& world) { return make_rodas<rodas5p>(world); }
std::unique_ptr<Stepper> make_rodas4(const World& world) { return make_rodas<rodas4>(world); }

}  // namespace bristle
