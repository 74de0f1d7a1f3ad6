/// Coulomb friction with a linear zone |v| < 1/k_sat: closed forms of the whole motion, and the response of the four
/// smoothed laws of andersson2007 to a step of the wall.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "bristle/dual.hpp"
#include "bristle/models/coulomb_sat.hpp"
#include "bristle/models/coulomb_tanh.hpp"
#include "bristle/models/stribeck_sat.hpp"
#include "bristle/models/stribeck_tanh.hpp"
#include "support/drive.hpp"

using namespace bristle;

TEST(CoulombSat, LinearInsideTheZoneAndConstantOutside) {
  Mover body(CoulombSat<>{{.Fc = 2, .k_sat = 100, .kv = 0.5}});
  EXPECT_DOUBLE_EQ(body.move(0.0025, 0.1), 0.50125);  // a quarter of Fc, and kv v
  EXPECT_DOUBLE_EQ(body.move(-0.005, 0.1), -1.0025);
  EXPECT_DOUBLE_EQ(body.move(0.01, 0.1), 2.005);  // the corner
  EXPECT_EQ(body.move(4, 0.1), 4);
  EXPECT_EQ(body.move(-4, 0.1), -4);
  EXPECT_EQ(body.move(0, 0.1), 0);
}

TEST(CoulombSat, NormalLoadScalesTheDryPartAlone) {
  const CoulombSat<> c{{.Fc = 2, .k_sat = 100, .kv = 0.5}};
  EXPECT_DOUBLE_EQ(c.force({}, {}, {.v = 0.0025, .r = 3}), 1.50125);
  EXPECT_DOUBLE_EQ(c.force({}, {}, {.v = -4, .r = 0}), -2);
}

/// Fc k_sat + kv = 200.5 N s/m inside, kv outside; d F/d k_sat = Fc v inside, 0 outside.
TEST(CoulombSat, SlopesOnBothSidesOfTheCorner) {
  using D = Dual<double, 2>;
  const CoulombSat<D> c{{.Fc = 2.0, .k_sat = D::variable(100, 1), .kv = 0.5}};
  EXPECT_EQ(c.steady(D::variable(0.005)).d, (std::array<double, 2>{200.5, 0.01}));
  EXPECT_EQ(c.steady(D::variable(-0.02)).d, (std::array<double, 2>{0.5, 0}));
}

namespace {

/// A number from runs with steps dt, dt/2, dt/4 of the (first-order) coupling, its first two powers of dt removed.
template <std::size_t N, class F> std::array<double, N> extrapolated(double dt, F&& run) {
  const std::array<double, N> a = run(dt), b = run(dt / 2), c = run(dt / 4);
  std::array<double, N> out;
  for (std::size_t i = 0; i < N; ++i) out[i] = (a[i] - 6 * b[i] + 8 * c[i]) / 3;
  return out;
}

/// 1 kg on a spring of 100 N/m whose wall jumps at t = 0: x(1), x(5), the force and the dissipated work at 5 s.
template <class C> std::array<double, 4> wall_step(const C& c, double wall, double dt) {
  Body body(c);
  double x1 = 0, work = 0;
  for (int i = 1, n = static_cast<int>(std::lround(5 / dt)); i <= n; ++i) {
    body.pull(100, wall, dt);
    work += body.F * body.v * dt;
    if (5 * i == n) x1 = body.x;
  }
  return {x1, body.x, body.F, work};
}

constexpr double Fc = 0.981, Fs = 1.5 * Fc;

}  // namespace

/// A wall step of 5 mm pulls with 0.5 N, less than Fc, and the body creeps in the linear zone (v stays below
/// 0.5/981 m/s < 1/k_sat): x'' + 981 x' + 100 x = 0.5, roots l = -490.5 +- sqrt(490.5^2 - 100), so
/// x = 0.005 (1 - (l2 exp(l1 t) - l1 exp(l2 t))/(l2 - l1)); the slow root is a time constant of 9.808980526062 s.
TEST(CoulombSat, CreepsAwayUnderALoadBelowCoulomb) {
  const double root = std::sqrt(490.5 * 490.5 - 100), fast = -490.5 - root, slow = 100 / fast;
  EXPECT_NEAR(-1 / slow, 9.808980526062, 5e-13);
  auto closed = [&](double t) {
    return 0.005 * (1 - (fast * std::exp(slow * t) - slow * std::exp(fast * t)) / (fast - slow));
  };
  EXPECT_NEAR(closed(5), 0.001996420086385, 5e-16);  // reference value
  const auto x =
      extrapolated<4>(4e-3, [](double dt) { return wall_step(CoulombSat<>{{.Fc = Fc, .k_sat = 1000}}, 0.005, dt); });
  // The remaining error of a linear problem is of third order in dt: (4e-3 slow)^3/4 of 0.002 or 3e-14.
  EXPECT_NEAR(x[0], closed(1), 1e-12);
  EXPECT_NEAR(x[1], closed(5), 1e-12);
  const double v = 0.5 * (std::exp(slow * 5) - std::exp(fast * 5)) / (slow - fast);
  EXPECT_NEAR(x[2], 981 * v, 1e-10);
}

/// Braked from 3/k_sat: v falls by Fc t/m to the corner, which it meets at t1 = 2 m/(k_sat Fc), and then as
/// exp(-Fc k_sat (t - t1)/m)/k_sat. With Fc k_sat/m = 200 1/s: t1 = 10 ms, and 10 ms later v = exp(-2)/k_sat.
TEST(CoulombSat, BrakedBodyNeverQuiteStops) {
  auto run = [](double dt) {
    Body body(CoulombSat<>{{.Fc = 2, .k_sat = 100}});
    body.v = 0.03;
    for (int i = 0; i < std::lround(0.02 / dt); ++i) body.push(0, dt);
    return std::array{body.v, body.x};
  };
  const auto [v, x] = extrapolated<2>(1e-5, run);
  EXPECT_NEAR(v, 0.01 * std::exp(-2), 1e-9);  // of third order in 200 dt = 2e-3
  EXPECT_NEAR(x, 0.02 * 0.01 + 0.01 * (1 - std::exp(-2)) / 200, 1e-9);
}

/// Reference values, wall step of 0.1 m. The extrapolated error scatters if a corner of the law lies inside a step:
/// sat 2e-7 in position, tanh 1e-8, against 3e-4 at dt = 1e-4; forces are k = 100 times that.
TEST(CoulombSat, WallStepOfTheReferenceForAllSmoothedLaws) {
  auto check = [](const char* name, const auto& c, double x1, double x5, double F5, double W5, double scatter) {
    const auto got = extrapolated<4>(1e-4, [&](double dt) { return wall_step(c, 0.1, dt); });
    EXPECT_NEAR(got[0], x1, scatter) << name;
    EXPECT_NEAR(got[1], x5, scatter) << name;
    EXPECT_NEAR(got[2], F5, 100 * scatter) << name;
    EXPECT_NEAR(got[3], W5, 4 * scatter) << name;
  };
  check("coulomb_sat", CoulombSat<>{{.Fc = Fc, .k_sat = 1000}}, 0.13609237814, 0.10133995869, -0.134009795,
        0.4999102162, 2e-7);
  check("coulomb_tanh", CoulombTanh<>{{.Fc = Fc, .k_tanh = 1000}}, 0.13608959004, 0.10133602023, -0.13361626,
        0.4999107431, 1e-8);
  check("stribeck_sat", StribeckSat<>{{.Fc = Fc, .Fs = Fs, .vs = 0.01, .k_sat = 1000, .kv = 0.4}}, 0.12620183333,
        0.093534372581, 0.646592665, 0.4979096865, 1e-7);
  check("stribeck_tanh", StribeckTanh<>{{.Fc = Fc, .Fs = Fs, .vs = 0.01, .k_tanh = 1000, .kv = 0.4}}, 0.12619078514,
        0.093692365358, 0.630801723, 0.4980105822, 1e-8);
}

/// Reference values: the spring force after the step of 0.1 m drifts, -0.1819 N at 2 s, -0.0805 N at 10 s. In the linear
/// zone it decays with the slow time constant above, -0.0038 N at 40 s.
TEST(CoulombSat, SpringForceDriftsToZero) {
  Body body(CoulombSat<>{{.Fc = Fc, .k_sat = 1000}});
  auto force_at = [&](double t) {
    while (body.t < t - 1e-9) body.pull(100, 0.1, body.t < 3 ? 1e-5 : 1e-3);
    return 100 * (0.1 - body.x);
  };
  const double at_2 = force_at(2), at_10 = force_at(10), at_40 = force_at(40);
  // First-order steps of 1e-5 s leave 3e-5 m where the body stopped, 3e-3 N.
  EXPECT_NEAR(at_2, -0.1819, 4e-3);
  EXPECT_NEAR(at_10, -0.0805, 2e-3);
  EXPECT_NEAR(at_40, -0.0038, 1e-4);
  EXPECT_NEAR(at_10 / at_2, std::exp(-8 / 9.808980526062), 1e-4);  // dt/2 of the time constant per step
}
