#include "factors.hpp"
#include "rosenbrock.hpp"

/// Rosenbrock steps of a world with its whole matrix.
namespace bristle {
namespace {

template <std::size_t S, std::size_t D> class Rodas final : public RosenbrockOf<World, S, D> {
 public:
  using RosenbrockOf<World, S, D>::RosenbrockOf;

 private:
  using StepperOf<World>::world_, StepperOf<World>::t_, GeneralStepper::y_;

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

}  // namespace

std::unique_ptr<Stepper> make_rodas5p(const World& world) { return std::make_unique<Rodas<8, 3>>(world, rodas5p); }
std::unique_ptr<Stepper> make_rodas4(const World& world) { return std::make_unique<Rodas<6, 2>>(world, rodas4); }

}  // namespace bristle
