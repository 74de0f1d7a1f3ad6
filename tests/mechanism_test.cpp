#include "bristle/mechanism.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "support/mechanisms.hpp"

namespace bristle {
namespace {

using std::numbers::pi;
using test::add_friction;
using test::at;
using test::run;

/// The slider-crank of the specification in its one coordinate, the angle of the crank; derived by hand from the power
/// of the bodies and the moments of rod and slider about the pin of the crank.
struct CrankByHand {
  double mu;
  double a = 0.1, l = 0.25, mc = 1, mr = 1, ms = 0.5, g = 9.81;
  double loss = 0, R = 1;

  struct Geometry {
    double x, x1, x2, phi1, phi2;  // slider and angle of the rod, with derivatives in theta
  };
  Geometry geometry(double th) const {
    const double s = std::sin(th), c = std::cos(th), root = std::sqrt(l * l - a * a * s * s);
    const double root1 = -a * a * s * c / root, root2 = (-a * a * (c * c - s * s) - root1 * root1) / root;
    const double phi1 = -a * c / root, phi2 = a * s / root + a * c * root1 / (root * root);
    return {a * c + root, -a * s + root1, -a * c + root2, phi1, phi2};
  }
  /// Angular acceleration; friction opposes the slider.
  double acceleration(double th, double w) {
    const Geometry q = geometry(th);
    const double s = std::sin(th), c = std::cos(th), Ic = mc * a * a / 12, Ir = mr * l * l / 12;
    // Centre of the rod: ((a cos + x)/2, a sin/2); derivatives in theta.
    const double cx1 = (-a * s + q.x1) / 2, cx2 = (-a * c + q.x2) / 2, cy1 = a * c / 2, cy2 = -a * s / 2;
    const double M = Ic + mc * a * a / 4 + mr * (cx1 * cx1 + cy1 * cy1) + Ir * q.phi1 * q.phi1 + ms * q.x1 * q.x1;
    const double half = mr * (cx1 * cx2 + cy1 * cy2) + Ir * q.phi1 * q.phi2 + ms * q.x1 * q.x2;  // M'/2
    const double V1 = mc * g * a * c / 2 + mr * g * cy1;
    const double side = q.x1 * w > 0 ? 1 : -1;  // of the slider velocity
    for (const double sign : {R < 0 ? -1.0 : 1.0, R < 0 ? 1.0 : -1.0}) {
      // F = mu side sign R. Power: M al + half w^2 + V1 = -F x1. Moments about the pin give R.
      const double arm = q.x - a * c, ay = a * s;
      // (x - ax)(R - ms g) - ay (F + ms x'') + rod = 0
      auto R_of = [&](double al, double F) {
        const double xdd = q.x1 * al + q.x2 * w * w, cxdd = cx1 * al + cx2 * w * w, cydd = cy1 * al + cy2 * w * w,
                     phidd = q.phi1 * al + q.phi2 * w * w;
        const double rod = arm / 2 * (-mr * g - mr * cydd) - ay / 2 * mr * cxdd - Ir * phidd;
        return (ay * (F + ms * xdd) - rod) / arm + ms * g;
      };
      auto al_of = [&](double F) { return -(half * w * w + V1 + F * q.x1) / M; };
      // Linear in R: two evaluations give the root.
      auto gap = [&](double r) {
        const double F = mu * side * sign * r;
        return R_of(al_of(F), F) - r;
      };
      const double g0 = gap(0), g1 = gap(1), root = g0 / (g0 - g1);
      if (root * sign >= 0) {
        R = root;
        return al_of(mu * side * sign * root);
      }
    }
    return NAN;
  }
  struct End {
    double th, w;
  };
  End integrate(double th, double w, double T, int n) {
    const double h = T / n;
    for (int i = 0; i < n; ++i) {
      const double k1 = acceleration(th, w), k2 = acceleration(th + h / 2 * w, w + h / 2 * k1),
                   k3 = acceleration(th + h / 2 * w + h * h / 4 * k1, w + h / 2 * k2),
                   k4 = acceleration(th + h * w + h * h / 2 * k2, w + h * k3);
      th += h * w + h * h / 6 * (k1 + k2 + k3);
      w += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    }
    return {th, w};
  }
};

TEST(Mechanism, slider_crank_agrees_with_its_one_coordinate_integrated_by_hand) {
  for (const double mu : {0.0, 0.2, 0.45}) {
    auto c = test::slider_crank(mu);
    c.experiment.solver.duration = 0.5;
    const auto r = run(c);
    CrankByHand hand{mu};
    const auto end = hand.integrate(pi / 4, 20, 0.5, 200000);
    // The kinks of |N| and of the reversals cost the plain integration O(h^2), h = 2.5e-6.
    EXPECT_NEAR(at(r, "crank.angle"), end.th, 2e-7) << mu;
    EXPECT_NEAR(at(r, "crank.rate"), end.w, 2e-6) << mu;
  }
}

TEST(Mechanism, slider_crank_meets_the_numbers_of_the_specification) {
  auto c = test::slider_crank(0.2);
  c.experiment.solver.duration = 0.5;
  const auto r = run(c, {.probes = {0.2}});
  EXPECT_NEAR(r.probes.find("crank.angle")->values[0], 5.4531649, 1e-7);
  EXPECT_NEAR(r.probes.find("crank.rate")->values[0], 21.9178126, 1e-7);
  EXPECT_NEAR(at(r, "slider.x"), 0.30676984, 1e-8);
  EXPECT_NEAR(r.summary.energy.friction, 1.5117028, 1e-7);
  ASSERT_EQ(r.summary.losses.size(), 1U);
  EXPECT_EQ(r.summary.losses[0].name, "guide");
  EXPECT_DOUBLE_EQ(r.summary.losses[0].friction, r.summary.energy.friction);
  EXPECT_LT(r.summary.energy.error, 1e-8);
  EXPECT_LT(r.summary.violation, 1e-12);
}

TEST(Mechanism, error_falls_with_the_tolerance) {
  std::vector<double> rate;
  for (const double rtol : {1e-12, 1e-5, 1e-7, 1e-9}) {
    auto c = test::slider_crank(0.2);
    c.experiment.solver.duration = 0.5;
    c.experiment.solver.rtol = rtol;
    rate.push_back(at(run(c), "crank.rate"));
  }
  // Errors are at most rtol times the largest rate (32 rad/s) times the phase angle of the run (12 rad).
  EXPECT_LT(std::abs(rate[1] - rate[0]), 1e-5 * 32 * 12);
  EXPECT_LT(std::abs(rate[2] - rate[0]), 1e-7 * 32 * 12);
  EXPECT_LT(std::abs(rate[3] - rate[0]), 1e-9 * 32 * 12);
  EXPECT_LT(std::abs(rate[3] - rate[0]), 0.01 * std::abs(rate[1] - rate[0]));
}

TEST(Mechanism, rows_satisfy_the_joints) {
  auto c = test::slider_crank(0.2);
  c.experiment.solver.duration = 0.3;
  const auto r = run(c);
  for (std::size_t k = 0; k < r.trace.rows(); ++k) {
    const double th = r.trace.find("crank.angle")->values[k],
                 x = 0.1 * std::cos(th) + std::sqrt(0.0625 - std::pow(0.1 * std::sin(th), 2));
    EXPECT_NEAR(r.trace.find("slider.x")->values[k], x, 1e-14);
    EXPECT_NEAR(r.trace.find("slider.y")->values[k], 0, 1e-15);
    EXPECT_NEAR(r.trace.find("guide.F")->values[k],
                0.2 * r.trace.find("guide.N")->values[k] * (r.trace.find("guide.v")->values[k] > 0 ? 1 : -1),
                1e-9 * (1 + r.trace.find("guide.N")->values[k]));
  }
}

/// A block on a plane of slope beta: it stays if and only if tan(beta) <= mu_s.
TEST(Mechanism, block_on_a_slope_holds_up_to_the_angle_of_friction) {
  for (const double beta : {0.1, std::atan(0.3) - 1e-6, std::atan(0.3) + 1e-6, 0.6}) {
    test::Case c;
    const double x = std::cos(beta), y = std::sin(beta);
    c.mechanism.bodies = {{.name = "block", .mass = 3, .inertia = 0.1}};
    c.mechanism.joints = {
        {.name = "plane", .kind = JointKind::prismatic, .first = ground, .second = 0, .axis = {x, y}}};
    add_friction(c, 0, "coulomb", {{"Fc", 0.25 * 7}, {"Fs", 0.3 * 7}}, 7);
    c.experiment.solver.duration = 2;
    const auto r = run(c);
    if (std::tan(beta) < 0.3) {
      EXPECT_NEAR(at(r, "plane.s"), 0, 1e-25) << beta;
      EXPECT_NEAR(at(r, "plane.F"), -3 * 9.81 * y, 1e-9);
      EXPECT_NEAR(at(r, "plane.N"), 3 * 9.81 * x, 1e-9);
      EXPECT_TRUE(r.events.empty());
      EXPECT_TRUE(r.summary.notes.empty());  // slip below the breakaway force is no second solution
    } else {
      EXPECT_NEAR(at(r, "plane.s"), -9.81 * (y - 0.25 * x) * 2, 1e-8) << beta;  // a t^2/2
    }
  }
}

TEST(Mechanism, eccentric_force_jams_a_guide_at_any_size_or_never) {
  for (const double e : {0.24, 0.26}) {  // 2 mu e/L = 1 at e = 0.25
    for (const double P : {1.0, 1e5}) {
      test::Case c;
      c.mechanism.gravity = {0, 0};
      c.mechanism.bodies = {{.name = "carriage", .mass = 2, .inertia = 0.02}};
      c.mechanism.joints = {
          {.name = "guide", .kind = JointKind::prismatic, .first = ground, .second = 0, .length = 0.2}};
      add_friction(c, 0, "coulomb", {{"Fc", 4.0}}, 10);
      c.mechanism.actuators = {{.body = 0, .at = {0, e}, .drive = {DriveOf::force, {{Constant{P}}}}}};
      c.experiment.solver.duration = 0.1;
      const auto r = run(c);
      const double expected = e < 0.25 ? P * (1 - 2 * 0.4 * e / 0.2) / 2 * 0.01 / 2 : 0;  // a t^2/2
      EXPECT_NEAR(at(r, "carriage.x"), expected, 1e-9 * (P + 1) * 0.01) << e << " " << P;
      EXPECT_NEAR(at(r, "guide.N"), 2 * P * e / 0.2, 1e-9 * P);
    }
  }
}

TEST(Mechanism, wedge_locks_up_to_the_sum_of_the_angles_of_friction) {
  for (const double part : {0.9999, 1.0001}) {
    const auto r = run(test::wedge(part * (std::atan(0.2) + std::atan(0.25)), 0.2, 0.25));
    if (part < 1) {
      EXPECT_NEAR(at(r, "wedge.x"), 0, 1e-25);
    } else {
      EXPECT_GT(std::abs(at(r, "wedge.x")), 1e-6);
    }
  }
}

/// J. J. Moreau's and F. Genot's limit: a uniform rod that slides on its tip has no or several solutions from
/// mu = 4/3 at tan(theta) = 2.
TEST(Mechanism, painleve_rod_has_a_solution_below_four_thirds_and_none_above) {
  const double th = std::atan(2.0);
  for (const double mu : {1.32, 1.34}) {
    // Slides towards the side to which it leans: friction presses the tip down.
    auto c = test::rod_on_table(th, mu, -1.0, 0.0);
    c.experiment.solver.duration = 1e-3;
    if (mu < 4.0 / 3) {
      EXPECT_NO_THROW(run(c));
    } else {
      try {
        run(c);
        FAIL() << "no solution exists";
      } catch (const RunFailed& e) {
        EXPECT_NE(std::string(e.what()).find("tip"), std::string::npos) << e.what();
        EXPECT_NE(std::string(e.what()).find("t = 0"), std::string::npos) << e.what();
      }
    }
  }
}

TEST(Mechanism, lost_contact_ends_the_run) {
  auto c = test::rod_on_table(1.2, 0.1, 0.0, 40.0);  // turns so fast that it lifts off
  EXPECT_THROW(run(c), RunFailed);
}

TEST(Mechanism, compound_pendulum_loses_a_constant_angle_per_half_swing) {
  const double mu = 0.1, radius = 0.01, d = 0.25, theta = 1e-3 * 20;
  test::Case c = test::pendulum(theta, d, 1.0, 1.0 / 48, mu, radius);
  c.experiment.solver.duration = 1.2;
  const auto r = run(c);
  // 2 mu radius/d per half swing, N = m g up to theta^2
  double least = 1;
  for (const double x : r.trace.find("bar.angle")->values) least = std::min(least, x);
  EXPECT_NEAR(least, -(theta - 2 * mu * radius / d), theta * theta * theta);
}

TEST(Mechanism, pendulum_whose_friction_outgrows_its_inertia_is_refused) {
  for (const double radius : {0.9, 1.1}) {  // mu radius m d = I about the pivot at radius = 1
    test::Case c = test::pendulum(0.5, 0.5, 1.0, 1e-9, 0.5, radius);
    c.experiment.solver.duration = 0.1;
    c.mechanism.bodies[0].rate = 1;
    c.mechanism.bodies[0].rate_given = true;
    if (radius < 1) {
      EXPECT_NO_THROW(run(c));
    } else {
      EXPECT_THROW(run(c), RunFailed);
    }
  }
}

TEST(Mechanism, fixed_steps_approach_the_variable_ones_and_hold_at_any_size) {
  auto c = test::slider_crank(0.2);
  c.experiment.solver.duration = 0.2;
  const double exact = at(run(c), "crank.rate");
  std::vector<double> error;
  for (const double step : {4e-5, 1e-5}) {
    c.experiment.method = Method::fixed;
    c.experiment.solver.step = step;
    error.push_back(std::abs(at(run(c), "crank.rate") - exact));
  }
  EXPECT_LT(error[1], 0.3 * error[0]);  // order 1
  for (const double step : {1e-4, 1e-2, 0.5}) {
    test::Case held = test::wedge(0.9 * (std::atan(0.2) + std::atan(0.25)), 0.2, 0.25);
    held.experiment.method = Method::fixed;
    held.experiment.solver.step = step;
    EXPECT_NEAR(at(run(held), "wedge.x"), 0, 1e-10) << step;  // of 0.1 m: joints that depend on each other are softened
  }
}

TEST(Mechanism, results_do_not_depend_on_units) {
  auto c = test::slider_crank(0.2);
  c.experiment.solver.duration = 0.2;
  const double rate = at(run(c), "crank.rate");
  // Lengths in mm, masses in g: forces in 1e-6 N.
  for (MechanismBody& b : c.mechanism.bodies) {
    b.mass *= 1e3;
    b.inertia *= 1e9;
    for (double& x : b.position) x *= 1e3;
  }
  for (MechanismJoint& j : c.mechanism.joints) {
    for (double& x : j.at) x *= 1e3;
    j.normal_load *= 1e6;
  }
  c.mechanism.gravity[1] *= 1e3;
  c.experiment.contacts[0].contact->set({{"Fc", 2e6}, {"Fs", 2e6}});
  EXPECT_NEAR(at(run(c), "crank.rate"), rate, 1e-7);
}

}  // namespace
}  // namespace bristle
