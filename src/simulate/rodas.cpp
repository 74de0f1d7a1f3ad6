#include <array>
#include <cmath>

#include "factors.hpp"
#include "stepper.hpp"
#include "tableau.hpp"

/// Linearly implicit (Rosenbrock) methods, in the form without products by the Jacobian:
///   (I/(gamma h) - J) U_i = f(t + alpha_i h, y + sum a_ij U_j) + sum c_ij/h U_j + gamma_i h f_t
///   y1 = y + sum m_j U_j, error estimate U_s
/// E. Hairer, G. Wanner, Solving Ordinary Differential Equations II, sec. IV.7 (Rodas4)
/// G. Steinebach, Construction of Rosenbrock-Wanner method Rodas5P..., BIT 63 (2023)
namespace bristle {
namespace {

template <std::size_t S, std::size_t D> class Rodas final : public GeneralStepper {
 public:
  Rodas(const World& world, const Tableau<S, D>& tableau) : GeneralStepper(world), k_(tableau) {
    const std::size_t n = world.size();
    for (auto& u : u_) u.resize(n);
    for (auto& c : cont_) c.resize(n);
    stage_.resize(n);
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
    world_.jacobian(t_, y_.data(), j_);
    ++counts_.jacobians;
  }
  bool advance() override {
    const std::size_t n = world_.states(), size = world_.size();
    const double diagonal = 1 / (k_.gamma * h_);
    factors_.factor(j_, diagonal);
    if (!(factors_.smallest_pivot() > 0.5 * diagonal)) return false;
    restless_ = world_.may_oscillate() && factors_.last_pivot() < diagonal + world_.spring_rate(j_) / diagonal;
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
      if (k_.gamma_i[s] != 0) add(u, k_.gamma_i[s] * h_, j_.t);
      factors_.solve(u.data());
      for (std::size_t i = n; i < size; ++i) {  // the work integrals follow
        const double* row = j_.row(i);
        double sum = u[i];
        for (std::size_t c = 0; c < n; ++c) sum += row[c] * u[c];
        u[i] = sum / diagonal;
      }
    }
    y1_ = stage_;
    add(y1_, 1, u_[S - 1]);
    error_ = u_[S - 1];
    for (std::size_t d = 0; d < D; ++d) {
      for (double& e : cont_[d]) e = 0;
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
  Jacobian j_{};
  Factors factors_{};
  bool restless_ = false;
  std::array<std::vector<double>, S> u_{};
  std::array<std::vector<double>, D> cont_{};
  std::vector<double> stage_{};
};

}  // namespace

std::unique_ptr<Stepper> make_rodas5p(const World& world) { return std::make_unique<Rodas<8, 3>>(world, rodas5p); }
std::unique_ptr<Stepper> make_rodas4(const World& world) { return std::make_unique<Rodas<6, 2>>(world, rodas4); }

}  // namespace bristle
