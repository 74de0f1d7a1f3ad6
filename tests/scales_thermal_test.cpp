/// Atoms with temperature: the law of friction and velocity, and equipartition in other chains.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <numbers>
#include <string>
#include <utility>

#include "bristle/simulate.hpp"

using namespace bristle;

namespace {

constexpr double pi = std::numbers::pi;

/// Uncoupled atoms with eta = 10 and F0 = 1 at different places in the potential.
Experiment atoms(int blocks, double kT) {
  Experiment e;
  e.kind = SystemKind::chain;
  e.contacts.push_back({"", make("viscous", {{"kv", 0.0}}).contact});
  e.body = {.mass = 1, .stiffness = 2 * pi / 10, .damping = 5};
  e.chain.blocks = blocks;
  e.chain.coupling = 0;
  e.chain.pulled = Pulled::all;
  e.chain.spacing = (std::sqrt(5.0) - 1) / 2;
  e.chain.potential = {.U0 = 1 / (2 * pi), .period = 1};
  e.chain.kT = kT;
  e.method = Method::fixed;
  return e;
}
/// Mean of k (X - x) over the last periods and all atoms.
double mean_friction(Experiment e, double velocity) {
  e.drive = {DriveOf::position, {{Ramp{velocity, 0}, 0}}, 0};
  e.solver = {.duration = 6 / velocity, .output_step = 6 / velocity / 1200, .step = 0.1};
  e.solver.max_steps = 1e9;
  const auto run = simulate(e);
  double sum = 0, count = 0;
  const std::vector<double>& drive = std::ranges::find(run.trace.columns, "drive", &Column::name)->values;
  for (const Column& c : run.trace.columns) {
    if (!c.name.starts_with("x")) continue;
    for (std::size_t i = 400; i < c.values.size(); ++i) sum += drive[i] - c.values[i], ++count;
  }
  return e.body.stiffness * sum / count;
}

/// Squared correlation of y with x.
double straightness(const std::vector<double>& x, const std::vector<double>& y) {
  const auto n = static_cast<double>(x.size());
  double sx = 0, sy = 0, sxx = 0, sxy = 0, syy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    sx += x[i];
    sy += y[i];
    sxx += x[i] * x[i];
    sxy += x[i] * y[i];
    syy += y[i] * y[i];
  }
  return std::pow(n * sxy - sx * sy, 2) / ((n * sxx - sx * sx) * (n * syy - sy * sy));
}

}  // namespace

/// F = F0 - const (T ln(v_c/v))^(2/3): the loss against T = 0, to the power 3/2, is a straight line in ln v.
TEST(Thermal, FrictionHasTheExponentTwoThirds) {
  const double cold = 0.757171;
  std::vector<double> log_v, loss;
  for (const double v : {3e-3, 1e-3, 3e-4, 1e-4}) {
    log_v.push_back(std::log(v));
    loss.push_back(cold - mean_friction(atoms(200, 0.03 / (2 * pi)), v));
  }
  double best = 0, exponent = 0;
  for (double p = 0.3; p < 2; p += 0.005) {
    std::vector<double> y;
    for (const double l : loss) y.push_back(std::pow(l, 1 / p));
    if (const double s = straightness(log_v, y); s > best) best = s, exponent = p;
  }
  std::cout << "exponent " << exponent << ", straightness " << best << ", of a logarithm " << straightness(log_v, loss)
            << "; losses";
  for (const double l : loss) std::cout << " " << l;
  std::cout << "\n";
  EXPECT_NEAR(exponent, 2.0 / 3, 0.15);  // 800 slips at each velocity: 0.05
  EXPECT_GT(best, straightness(log_v, loss));
}

/// Rows between the ends of steps have the temperature too: with kv h/m = 1 neighbouring velocities differ, and their mean square
/// would be too small by about a fifth.
TEST(Thermal, RowsBetweenStepsHaveTheirTemperature) {
  Experiment e = atoms(100, 0.02);
  e.body.damping = 1;
  e.drive = {DriveOf::position, {{Constant{0}, 0}}, 0};
  e.solver = {.duration = 2000, .output_step = 2.5, .step = 1};
  e.solver.max_steps = 1e9;
  e.chain.potential.U0 = 0;
  const auto run = simulate(e);
  double sum = 0, count = 0;
  for (const Column& c : run.trace.columns) {
    if (!c.name.starts_with("v")) continue;
    for (std::size_t i = 41; i < c.values.size(); i += 2) sum += c.values[i] * c.values[i], ++count;  // between steps
  }
  // Standard deviation of a mean of n squares: sqrt(2/n); the scheme's own error is (w h)^2/4 with w^2 = k/m.
  const double own = 1 - e.body.stiffness / 4;
  EXPECT_NEAR(sum / count / 0.02, own, 4 * std::sqrt(2 / count) + 0.02);
}

/// Equipartition in a coupled ring in a potential, m <v^2> = k_B T for each atom, and its error by the step: in a harmonic well
/// BAOAB has m <v^2> = k_B T (1 - (omega h)^2/4) exactly; the mean of omega^2 over all waves is that of the diagonal of the
/// stiffness matrix over m.
TEST(Thermal, CoupledChainsHaveTheirTemperature) {
  const auto measure = [](double h) {
    Experiment e = atoms(50, 0.02);
    e.body = {.mass = 0.3, .stiffness = 0.1, .damping = 0.4};
    e.chain.coupling = 2;
    e.chain.boundary = Boundary::periodic;
    e.chain.spacing = 31.0 / 50;
    e.chain.seed = 11;
    e.solver = {.duration = 8000, .output_step = 2, .step = h};
    const auto run = simulate(e);
    double v2 = 0, bend = 0, count = 0, n = 0, means2 = 0;
    for (const Column& c : run.trace.columns) {
      if (c.name.starts_with("v")) {
        double own = 0;
        for (std::size_t i = 20; i < c.values.size(); ++i) own += c.values[i] * c.values[i], ++count;
        v2 += own;
        own *= 0.3 / 0.02 / static_cast<double>(c.values.size() - 20);
        means2 += own * own;
        ++n;
      } else if (c.name.starts_with("x")) {
        const double place = c.name == "x" ? 0 : (std::stoi(c.name.substr(1)) - 1) * 31.0 / 50;
        for (std::size_t i = 20; i < c.values.size(); ++i) bend += 2 * pi * std::cos(2 * pi * (c.values[i] + place));
      }
    }
    const double mean = 0.3 * v2 / count / 0.02, omega2 = (0.1 + 2 * 2 + bend / count) / 0.3;
    std::cout << "step " << h << ": temperature " << mean << " +- " << std::sqrt((means2 / n - mean * mean) / n)
              << " (from differences of atoms), expected " << 1 - omega2 * h * h / 4 << "\n";
    return std::pair{mean, 1 - omega2 * h * h / 4};
  };
  // 2e5 values, nearly independent (friction forgets in 0.75 s): a standard error of sqrt(2/2e5) = 0.3 %.
  const auto [fine, near_one] = measure(0.02);
  EXPECT_NEAR(fine, 1, 0.015);
  EXPECT_NEAR(fine, near_one, 0.012);
  const auto [coarse, less] = measure(0.05);
  EXPECT_NEAR(coarse, less, 0.012);
  EXPECT_LT(less, 0.99);
}
