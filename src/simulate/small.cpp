#include <array>
#include <cmath>

#include "bristle/effects.hpp"
#include "bristle/models.hpp"
#include "stepper.hpp"
#include "tableau.hpp"
#include "typed_flow.hpp"

/// Rosenbrock steps for one contact on a slider, with everything known to the compiler: the contact, the number of states,
/// the shape of the matrix. Position and contact states are eliminated by hand; one number is left to divide by.
namespace bristle {
namespace {

template <class C, const auto& K> class SmallRodas final : public Stepper {
  static constexpr std::size_t S = K.alpha.size(), D = K.dense.size();
  static constexpr std::size_t nz = std::tuple_size_v<decltype(C::State::fields())>;
  static constexpr std::size_t n = nz + 2, size = n + World::works, ix = nz, iv = nz + 1;
  using Vector = std::array<double, size>;
  using Dl = Dual<double, nz + 1>;  // derivatives in v, then in the contact states

 public:
  SmallRodas(const World& world, const World::Slider& slider, const TypedFlow<C>& flow)
      : Stepper(world), p_(slider), flow_(flow), c_(flow.contact()), dual_(rebind<Dl>(flow.contact())) {
    f_.resize(size);
    y1_.resize(size);
  }
  const char* name() const override { return K.name; }
  int order() const override { return K.order; }
  bool restless() const override { return restless_; }
  double bend(std::size_t i) const override {  // theta (1 - theta) <= 1/4
    double sum = 0;
    for (std::size_t d = 0; d < D; ++d) sum += std::abs(cont(d, i));
    return sum / 4;
  }
  void dense(double theta, double* y) const override {
    for (std::size_t i = 0; i < size; ++i) {
      double c = cont(D - 1, i);
      for (std::size_t d = D - 1; d-- > 0;) c = cont(d, i) + theta * c;
      y[i] = (1 - theta) * y_[i] + theta * (y1_[i] + (1 - theta) * c);
    }
  }

 private:
  double cont(std::size_t d, std::size_t i) const {
    double sum = 0;
    for (std::size_t s = 0; s < S; ++s) sum += K.dense[d][s] * u_[s][i];
    return sum;
  }
  struct Pull {  // of spring, damper and drive on the body
    double F, end_v, end_a, external, external_rate;
  };
  Pull pull(double t, double x, double v) const {
    const Signal d = world_.drive_at(t);
    const double end = p_.force ? 0 : d.value, end_v = p_.force ? 0 : d.rate;
    return {p_.stiffness * (end - x - p_.rest_length) + p_.damping * (end_v - v), end_v, p_.force ? 0 : d.rate2,
            p_.force ? d.value : 0, p_.force ? d.rate : 0};
  }
  Motion<double> motion(double t, const Vector& y) const {
    return {.x = y[ix], .v = y[iv], .F_app = 0, .r = 1, .path = 0, .t = t, .temperature = p_.temperature};
  }

  void rates(double t, const Vector& y, Vector& f) {
    ++counts_.evaluations;
    const Pull a = pull(t, y[ix], y[iv]);
    const Motion<double> u = motion(t, y);
    const auto s = flow_.state(y.data());
    const auto rate = c_.rate(s, flow_.mode(), u);
    std::size_t i = 0;
    detail::each_value(rate, [&](double e) { f[i++] = e; });
    const double F = c_.force(s, flow_.mode(), u), v = y[iv], slack = a.end_v - v;
    f[ix] = v;
    f[iv] = holds_ ? 0 : (a.F + a.external - F) / p_.mass;
    f[n] = a.F * a.end_v + a.external * v;
    f[n + 1] = p_.damping * slack * slack;
    f[n + 2] = holds_ ? 0 : F * v;
  }

  void prepare() override {
    holds_ = flow_.holds();
    for (std::size_t i = 0; i < size; ++i) y0_[i] = y_[i];
    rates(t_, y0_, f0_);
    for (std::size_t i = 0; i < size; ++i) f_[i] = f0_[i];
    ++counts_.jacobians;

    Motion<Dl> u = rebind<Dl>(motion(t_, y0_));
    if (const int side = world_.kink_side(); u.v.a * side <= 0 && side != 0) u.v.a = side * 1e-300;
    u.v.d[0] = 1;
    auto s = convert<typename rebound<C, Dl>::State>(flow_.state(y0_.data()));
    std::size_t k = 0;
    detail::each_value(s, [&](Dl& e) { e.d[++k] = 1; });
    const Dl F = dual_.force(s, flow_.mode(), u);
    const auto rate = dual_.rate(s, flow_.mode(), u);
    std::size_t i = 0;
    detail::each_value(rate, [&](const Dl& e) {
      z_v_[i] = detail::finite(e.d[0]);
      for (std::size_t j = 0; j < nz; ++j) z_z_[i][j] = detail::finite(e.d[1 + j]);
      ++i;
    });
    const double free = holds_ ? 0 : 1;
    F_v_ = free * detail::finite(F.d[0]);
    for (std::size_t j = 0; j < nz; ++j) F_z_[j] = free * detail::finite(F.d[1 + j]);
    if (holds_) z_v_.fill(0);
    F_ = free * F.a;
    pull_ = pull(t_, y0_[ix], y0_[iv]);
  }

  /// (I d - J) u = u in place, for the states; then the works.
  void solve(double d, Vector& u) const {
    const double free = holds_ ? 0 : 1, m = p_.mass, v = y0_[iv];
    eliminate(u.data());
    double b = u[iv] - free * p_.stiffness / m * u[ix] / d;
    for (std::size_t j = 0; j < nz; ++j) b -= F_z_[j] / m * u[j];
    u[iv] = b / pivot_;
    u[ix] = (u[ix] + u[iv]) / d;
    for (std::size_t j = 0; j < nz; ++j) u[j] += column_[j] * u[iv];
    const double slack = pull_.end_v - v;
    double work = F_v_ * v * u[iv] + F_ * u[iv];
    for (std::size_t j = 0; j < nz; ++j) work += F_z_[j] * v * u[j];
    u[n] = (u[n] - p_.stiffness * pull_.end_v * u[ix] + (pull_.external - p_.damping * pull_.end_v) * u[iv]) / d;
    u[n + 1] = (u[n + 1] - 2 * p_.damping * slack * u[iv]) / d;
    u[n + 2] = (u[n + 2] + work) / d;
  }
  /// The block of the contact states, factored in `block_`.
  void eliminate(double* b) const {
    for (std::size_t i = 1; i < nz; ++i) {
      for (std::size_t j = 0; j < i; ++j) b[i] -= block_[i][j] * b[j];
    }
    for (std::size_t i = nz; i-- > 0;) {
      for (std::size_t j = i + 1; j < nz; ++j) b[i] -= block_[i][j] * b[j];
      b[i] /= block_[i][i];
    }
  }
  bool factor(double d) {
    const double free = holds_ ? 0 : 1, m = p_.mass;
    double smallest = inf;
    for (std::size_t i = 0; i < nz; ++i) {
      for (std::size_t j = 0; j < nz; ++j) block_[i][j] = (i == j ? d : 0) - z_z_[i][j];
    }
    for (std::size_t k = 0; k < nz; ++k) {
      if (!(block_[k][k] >= smallest)) smallest = block_[k][k];
      for (std::size_t i = k + 1; i < nz; ++i) {
        block_[i][k] /= block_[k][k];
        for (std::size_t j = k + 1; j < nz; ++j) block_[i][j] -= block_[i][k] * block_[k][j];
      }
    }
    column_ = z_v_;
    eliminate(column_.data());
    const double contact = [&] {  // what friction adds to the pivot
      double sum = F_v_;
      for (std::size_t j = 0; j < nz; ++j) sum += F_z_[j] * column_[j];
      return sum / m;
    }();
    pivot_ = d + free * (p_.damping / m + p_.stiffness / m / d) + contact;
    restless_ = !holds_ && contact + p_.damping / m < 0;
    return pivot_ > 0.5 * d && smallest > 0.5 * d;  // see Stepper::attempt
  }

  bool advance(std::vector<double>& error) override {
    const double d = 1 / (K.gamma * h_);
    if (!factor(d)) return false;
    const Pull& a = pull_;
    const double slack = a.end_v - y0_[iv];
    // Derivatives in time at fixed states.
    const double pull_t = p_.stiffness * a.end_v + p_.damping * a.end_a;
    const double v_t = holds_ ? 0 : (pull_t + a.external_rate) / p_.mass;
    const double drive_t = pull_t * a.end_v + a.F * a.end_a + a.external_rate * y0_[iv];
    const double damper_t = 2 * p_.damping * slack * a.end_a;
    in_time_ = {v_t, drive_t, damper_t};
    Vector stage = y0_;
    [&]<std::size_t... s>(std::index_sequence<s...>) { (run_stage<s>(d, stage), ...); }(std::make_index_sequence<S>{});
    error.resize(size);
    for (std::size_t i = 0; i < size; ++i) {
      y1_[i] = stage[i] + u_[S - 1][i];
      error[i] = u_[S - 1][i];
    }
    return true;
  }
  /// One stage, written out by the compiler for every s: the coefficients are constants.
  template <std::size_t s> void run_stage(double d, Vector& stage) {
    Vector& u = u_[s];
    if constexpr (s == 0) {
      u = f0_;
    } else {
      [&]<std::size_t... r>(std::index_sequence<r...>) {
        for (std::size_t i = 0; i < size; ++i) stage[i] = y0_[i] + ((K.a[s][r] * u_[r][i]) + ...);
        rates(t_ + K.alpha[s] * h_, stage, u);
        const double per_h = 1 / h_;
        for (std::size_t i = 0; i < size; ++i) u[i] += per_h * ((K.c[s][r] * u_[r][i]) + ...);
      }(std::make_index_sequence<s>{});
    }
    if constexpr (K.gamma_i[s] != 0) {
      const double g = K.gamma_i[s] * h_;
      u[iv] += g * in_time_[0];
      u[n] += g * in_time_[1];
      u[n + 1] += g * in_time_[2];
    }
    solve(d, u);
  }

  const World::Slider p_;
  const TypedFlow<C>& flow_;
  const C c_;
  const rebound<C, Dl> dual_;
  bool holds_ = false, restless_ = false;
  Vector y0_{}, f0_{};
  std::array<double, nz> z_v_{}, F_z_{}, column_{};
  std::array<std::array<double, nz>, nz> z_z_{}, block_{};
  double F_v_{}, F_{}, pivot_{};
  Pull pull_{};
  std::array<double, 3> in_time_{};
  std::array<Vector, S> u_{};
};

}  // namespace

std::unique_ptr<Stepper> make_small(const World& world) {
  const auto slider = world.as_slider();
  if (!slider) return nullptr;
  std::unique_ptr<Stepper> stepper;
  Models::each([&]<template <class> class M>() {
    using C = M<double>;
    if constexpr (!detail::has_array<typename C::State>) {
      const auto* flow = dynamic_cast<const TypedFlow<C>*>(&world.contact());
      if (!flow) return;
      constexpr bool law_of_velocity = std::tuple_size_v<decltype(C::State::fields())> == 0 && !Hybrid<C>;
      if constexpr (law_of_velocity) {
        stepper = std::make_unique<SmallRodas<C, rodas4>>(world, *slider, *flow);
      } else {
        stepper = std::make_unique<SmallRodas<C, rodas5p>>(world, *slider, *flow);
      }
    }
  });
  return stepper;
}

}  // namespace bristle
