/// Measured orders of the tableaux, and errors that follow the tolerance.
#include <gtest/gtest.h>

#include "bristle/random.hpp"
#include "simulate/kernel_stepper.hpp"
#include "simulate/kernels/bodies.hpp"
#include "simulate/stepper.hpp"
#include "support/experiment.hpp"

using namespace bristle;

namespace {

using Maker = std::unique_ptr<Stepper> (*)(const System&);

/// Smooth, nonlinear, explicit in time: a body on a spring with smooth friction and a load that swings, or a bristle
/// that is dragged in one direction.
Experiment smooth_body() {
  Experiment e = ::slider(contact("coulomb_tanh", {{"Fc", 1}, {"k_tanh", 1}, {"kv", 0.3}}), 1, 2,
                          position(Sine{1, 0.4, 0.3, 0}), 4);
  e.load = force(Sine{0.4, 0.3, 0, 1});
  e.body.damping = 0.1;
  return e;
}
Experiment smooth_bristle() {
  Experiment e = prescribed(
      contact("lugre", {{"Fc", 1}, {"Fs", 1.5}, {"vs", 1}, {"sigma0", 2}, {"sigma1", 0.4}}, {}, {{"z", 0.2}}),
      velocity(Sine{0.5, 0.3, 0, 1}), 4);
  e.load = force(Sine{0.4, 0.3, 0, 1});
  return e;
}

/// Sliders that the steppers of fixed size take, one of every kind.
Experiment small_law() {
  Experiment e = smooth_body();
  e.load.reset();
  return e;
}
Experiment small_bristle() {
  Experiment e =
      ::slider(contact("lugre", {{"Fc", 1}, {"Fs", 1.5}, {"vs", 1}, {"sigma0", 2}, {"sigma1", 0.4}}, {}, {{"z", 0.2}}),
               1, 2, position(Ramp{1, 0.5}), 4);
  e.drive.terms.push_back({Sine{0.2, 0.4, 0, 0}, 0});
  e.body.damping = 0.5;
  e.body.v0 = 1;
  return e;
}
Experiment small_pushed() {
  Experiment e = small_law();
  e.drive.of = DriveOf::force;
  return e;
}

/// The same for disks and prescribed motions.
Experiment rolling_bristle() {
  Experiment e = small_bristle();
  e.kind = SystemKind::roller;
  e.disk = {.radius = 0.5, .inertia = 10, .omega0 = -10};  // it slips all the time
  return e;
}
Experiment rolling_law() {
  Experiment e = small_law();
  e.kind = SystemKind::roller;
  return e;
}
Experiment rolling_pushed() {
  Experiment e = small_pushed();
  e.kind = SystemKind::roller;
  return e;
}
Experiment moved_bristle(DriveOf of) {
  Experiment e = smooth_bristle();
  e.load.reset();
  e.drive.of = of;
  if (of == DriveOf::position) e.drive.terms = {{Ramp{1, 0}, 0}, {Sine{0.2, 0.3, 0, 0}, 0}};
  return e;
}

/// From the start of a fresh system in n equal steps to t.
std::vector<double> march(const Experiment& e, Maker make_stepper, double t, int n) {
  System system(e);
  std::vector<double> y = system.start();
  system.enter_piece(0, e.solver.duration, y);
  const auto stepper = make_stepper(system);
  for (int i = 0; i < n; ++i) {
    stepper->from(t * i / n, y.data());
    EXPECT_TRUE(stepper->attempt(t / n));
    std::copy_n(stepper->end(), y.size(), y.begin());
  }
  return y;
}
double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) worst = std::max(worst, std::abs(a[i] - b[i]));
  return worst;
}
/// States and works at t by many small steps of another method.
std::vector<double> exact(const Experiment& e, double t) { return march(e, make_dopri5, t, 4000); }

std::unique_ptr<Stepper> quick(const System& system) { return make_kernel_stepper(system, Method::rodas); }

double global_order(const Experiment& e, Maker make_stepper) {
  const std::vector<double> truth = exact(e, 4);
  return std::log2(distance(march(e, make_stepper, 4, 80), truth) / distance(march(e, make_stepper, 4, 160), truth));
}

/// Largest error of the dense output over one step from the start.
double dense_error(const Experiment& e, Maker make_stepper, double h) {
  System system(e);
  std::vector<double> y = system.start(), between = y;
  system.enter_piece(0, e.solver.duration, y);
  const auto stepper = make_stepper(system);
  stepper->from(0, y.data());
  EXPECT_TRUE(stepper->attempt(h));
  double worst = 0;
  for (const double theta : {0.1, 0.3, 0.5, 0.7, 0.9}) {
    stepper->dense(theta, between.data());
    worst = std::max(worst, distance(between, exact(e, theta * h)));
  }
  stepper->dense(0, between.data());
  EXPECT_LT(distance(between, y), 1e-15);
  stepper->dense(1, between.data());
  EXPECT_LT(distance(between, {stepper->end(), stepper->end() + y.size()}), 1e-15);
  return worst;
}
/// A local error of h^(p+1) makes an interpolation of order p.
double dense_order(const Experiment& e, Maker make_stepper, double h) {
  return std::log2(dense_error(e, make_stepper, h) / dense_error(e, make_stepper, h / 2)) - 1;
}

}  // namespace

TEST(Order, OfTheSteps) {
  for (const Experiment& e : {smooth_body(), smooth_bristle()}) {
    EXPECT_NEAR(global_order(e, make_rodas5p), 5, 0.5);
    EXPECT_NEAR(global_order(e, make_rodas4), 4, 0.5);
    EXPECT_NEAR(global_order(e, make_dopri5), 5, 0.5);
  }
}

TEST(Order, OfTheStepsOfFixedSize) {
  EXPECT_NEAR(global_order(small_law(), quick), 4, 0.5);
  EXPECT_NEAR(global_order(small_pushed(), quick), 4, 0.5);
  EXPECT_NEAR(global_order(small_bristle(), quick), 5, 0.5);
  EXPECT_NEAR(global_order(rolling_law(), quick), 4, 0.5);
  EXPECT_NEAR(global_order(rolling_pushed(), quick), 4, 0.5);
  EXPECT_NEAR(global_order(rolling_bristle(), quick), 5, 0.5);
  EXPECT_GT(dense_order(small_law(), quick, 0.1), 2.7);
  EXPECT_GT(dense_order(rolling_bristle(), quick, 0.02), 3.7);
  for (const DriveOf of : {DriveOf::velocity, DriveOf::position}) {
    EXPECT_NEAR(global_order(moved_bristle(of), quick), 5, 0.5);
    EXPECT_GT(dense_order(moved_bristle(of), quick, 0.1), 3.7);
  }
  EXPECT_GT(dense_order(small_bristle(), quick, 0.1), 3.7);
}

/// Elimination by hand gives what the whole matrix gives, for every model and method.
TEST(Kernels, TakeTheStepsOfTheWholeMatrix) {
  int methods = 0;
  for (const std::string& model : flow_names()) {
    Experiment e = ::slider(contact(model, typical(model)), 0.7, 300, position(Ramp{0.05, 0}), 1);
    e.drive.terms.push_back({Sine{1e-3, 20, 0.3, 0}, 0});
    e.body.damping = 3;
    e.body.v0 = 0.02;
    System system(e);
    for (const Method method : {Method::rodas, Method::explicit_pair}) {
      const auto fixed = make_kernel_stepper(system, method);
      if (!fixed) continue;
      ++methods;
      const auto whole = method == Method::explicit_pair ? make_dopri5(system)
                         : system.smooth_law()           ? make_rodas4(system)
                                                         : make_rodas5p(system);
      std::vector<double> y = system.start();
      system.enter_piece(0, e.solver.duration, y);
      const double h = 1e-4;
      for (int i = 0; i < 20; ++i) {
        for (Stepper* stepper : {static_cast<Stepper*>(fixed.get()), whole.get()}) {
          stepper->from(h * i, y.data());
          ASSERT_TRUE(stepper->attempt(h)) << model;
        }
        for (std::size_t k = 0; k < y.size(); ++k) {
          const double size = std::abs(whole->end()[k]) + 1e-3 * std::abs(whole->begin_rates()[k]) * h;
          EXPECT_NEAR(fixed->end()[k], whole->end()[k], 1e-11 * size + 1e-22)
              << model << ' ' << fixed->name() << ' ' << k;
          EXPECT_NEAR(fixed->begin_rates()[k], whole->begin_rates()[k],
                      1e-10 * std::abs(whole->begin_rates()[k]) + 1e-15)
              << model << ' ' << k;
        }
        y.assign(whole->end(), whole->end() + y.size());
      }
    }
  }
  EXPECT_GT(methods, 15);
}

TEST(Kernels, SolveForThreeStatesOfAnyCoupling) {
  using Body = kernel::Slider<double, 3, false>;
  for (unsigned i = 0; i < 50; ++i) {
    unsigned j = 0;
    auto draw = [&] { return 2 * uniform(7, 1, i, j++) - 1; };
    const Body b{{20 * std::abs(draw()), std::abs(draw()), 0, 0, 0}, 0.5 + std::abs(draw()), false};
    const double h = 0.1 * std::abs(draw()) + 1e-3, d = 1 / (rodas5p.gamma * h);
    Body::Start s{};
    s.a.F_v = draw();
    for (std::size_t k = 0; k < 3; ++k) {
      s.a.z_v[k] = draw();
      s.a.F_z[k] = 5 * draw();
      for (double& e : s.a.z_z[k]) e = 10 * draw();
    }
    Body::Column f{}, known{}, u{};
    for (std::size_t k = 0; k < u.size(); ++k) {
      f[k] = draw();
      known[k] = draw();
    }
    const kernel::Elimination<double, 3> z(s.a, rodas5p.gamma * h);
    b.solve(s, z, b.factor(s, z), f, known, u);
    double friction = s.a.F_v * u[Body::iv];
    for (std::size_t k = 0; k < 3; ++k) {
      double row = d * u[k] - s.a.z_v[k] * u[Body::iv];
      for (std::size_t l = 0; l < 3; ++l) row -= s.a.z_z[k][l] * u[l];
      EXPECT_NEAR(row, f[k] + known[k], 1e-12);
      friction += s.a.F_z[k] * u[k];
    }
    EXPECT_NEAR(d * u[Body::ix] - u[Body::iv], f[Body::ix] + known[Body::ix], 1e-12);
    EXPECT_NEAR(d * u[Body::iv] +
                    b.inverse_mass * (b.spring.stiffness * u[Body::ix] + b.spring.damping * u[Body::iv] + friction),
                f[Body::iv] + known[Body::iv], 1e-12);
  }
}

/// Rodas4 comes with an interpolation of order 3, the others of order 4.
TEST(Order, OfTheDenseOutput) {
  for (const Experiment& e : {smooth_body(), smooth_bristle()}) {
    EXPECT_GT(dense_order(e, make_rodas5p, 0.1), 3.7);
    EXPECT_GT(dense_order(e, make_rodas4, 0.1), 2.7);
    EXPECT_GT(dense_order(e, make_dopri5, 0.1), 3.7);
  }
}

/// The estimate of the error is above the error, and goes to zero one order before it.
TEST(Order, OfTheErrorEstimate) {
  const Experiment e = smooth_body();
  for (const Maker make_stepper : {make_rodas5p, make_rodas4, make_dopri5}) {
    auto estimate = [&](double h) {
      System system(e);
      std::vector<double> y = system.start();
      system.enter_piece(0, e.solver.duration, y);
      const auto stepper = make_stepper(system);
      stepper->from(0, y.data());
      EXPECT_TRUE(stepper->attempt(h));
      const std::size_t n = y.size();
      const double size = distance({stepper->error(), stepper->error() + n}, std::vector<double>(n, 0.0));
      EXPECT_GT(size, distance({stepper->end(), stepper->end() + n}, exact(e, h)));
      return size;
    };
    const System system(e);
    EXPECT_NEAR(std::log2(estimate(0.1) / estimate(0.05)), make_stepper(system)->order(), 0.4);
  }
}

struct Case {
  const char* name;
  Experiment e;
};
/// At least a factor 5 per decade of tolerance, through stick, slip and reversals.
TEST(Tolerance, TheErrorFallsWithIt) {
  const Table lugre{{"Fc", 1}, {"Fs", 1.5}, {"vs", 1e-3}, {"sigma0", 1e5}, {"sigma1", std::sqrt(1e5)}, {"kv", 0.4}};
  const Drive sine = position(Sine{5e-3, 1, 0, 0});
  std::vector<Case> cases;
  for (const char* model : {"coulomb", "stribeck", "karnopp", "coulomb_tanh", "brown_mcphee", "dahl", "lugre", "gms",
                            "leuven", "elasto_plastic", "slip_variable", "armstrong", "rate_state", "maxwell_slip"}) {
    cases.push_back({model, ::slider(contact(model, typical(model)), 1, 1000, sine, 0.6)});
    cases.push_back({model, roller(contact(model, typical(model)), 1, 1000, 0.1, position(Sine{2e-2, 1, 0, 0}), 0.4)});
    cases.push_back({model, servo(contact(model, typical(model)), 1, {.kp = 2000, .ki = 500, .kd = 20}, sine, 0.6)});
    cases.push_back({model, prescribed(contact(model, typical(model)), position(Sine{1e-4, 1, 0, 0}), 0.95)});
  }
  cases.push_back({"stick-slip", ::slider(contact("lugre", lugre), 1, 2, position(Ramp{0.1, 0}), 15)});
  for (Case& c : cases) {
    auto run = [&](double rtol) {
      c.e.solver.rtol = rtol;
      return simulate(c.e);
    };
    const auto truth = run(1e-13);
    const double loose = difference(run(1e-6), truth).worst, tight = difference(run(1e-10), truth).worst;
    EXPECT_LT(tight, std::max(loose / 625, 2e-10)) << c.name << " " << loose << " " << tight;
  }
}
