/// Iwan against the four-parameter formulas of Segalman (2005), written here in his own symbols R, S, phi_max.
#include <gtest/gtest.h>

#include <cmath>

#include "bristle/models/iwan.hpp"
#include "support/drive.hpp"
#include "support/random.hpp"

using namespace bristle;

namespace {

/// From F_S, K_T, chi, beta to R, S and phi_max, his equations (25), (27), (29).
struct Segalman {
  double FS, KT, chi, beta;
  double core() const { return beta + (chi + 1) / (chi + 2); }
  double phi_max() const { return FS * (1 + beta) / (KT * core()); }
  double R() const { return FS * (chi + 1) / (std::pow(phi_max(), chi + 2) * core()); }
  double S() const { return FS / phi_max() * beta / core(); }
  double backbone(double u) const {
    if (u >= phi_max()) return FS;
    return KT * u - R() * std::pow(u, chi + 2) / ((chi + 1) * (chi + 2));
  }
  double loss(double u) const { return 4 * R() * std::pow(u, chi + 3) / ((chi + 2) * (chi + 3)); }
  Iwan<> contact(int elements) const {
    return {{.Fc = FS, .sigma0 = KT, .chi = chi, .k_end = S(), .elements = elements}};
  }
};
Segalman random_joint(Draw& draw) {
  return {draw.log_uniform(1, 1e4), draw.log_uniform(1e4, 1e8), draw.uniform(-0.9, 1), draw.log_uniform(0.01, 5)};
}
double first_loading(const Iwan<>& c, double u) {
  Mover body(c);
  return body.go(u, 1e-3, 1);
}
/// Work of one cycle, once the loop is closed.
double loop(const Iwan<>& c, double amplitude) {
  Mover body(c);
  double F = body.go(amplitude, 1e-3, 1), work = 0;
  const int n = 20000;
  for (const double v : {-1e-3, 1e-3}) {
    for (int i = 0; i < n; ++i) {
      const double next = body.move(v, 2 * amplitude / 1e-3 / n);
      work += 0.5 * (F + next) * v * 2 * amplitude / 1e-3 / n;
      F = next;
    }
  }
  return work;
}

}  // namespace

/// chi = 0 and no jump: an even distribution, F0 = K u - K u^2/(2 phi_max), Fc = K phi_max/2.
TEST(Iwan, EvenDistributionByHand) {
  const Iwan<> c{{.Fc = 1, .sigma0 = 1e5, .chi = 0, .k_end = 0, .elements = 24}};
  EXPECT_DOUBLE_EQ(c.scales().displacement, 2e-5);
  EXPECT_NEAR(first_loading(c, 2e-5), 1, 1e-14);
  EXPECT_NEAR(first_loading(c, 4e-7), 0.0396, 1e-15);  // the first element: 0.04 - 4e-4
  EXPECT_NEAR(first_loading(c, 1e-5), 0.75, 0.005);    // between two elements, from below
  EXPECT_LT(first_loading(c, 1e-5), 0.75);
}

/// The polygon meets the backbone at every yield displacement, phi_max 0.02^(j/(N-1)).
TEST(Iwan, MeetsTheBackboneAtEveryElement) {
  Draw draw(1);
  for (int trial = 0; trial < 50; ++trial) {
    const Segalman joint = random_joint(draw);
    const int n = 4 + static_cast<int>(draw.uniform(0, 60));
    const Iwan<> c = joint.contact(n);
    EXPECT_NEAR(c.scales().displacement / joint.phi_max(), 1, 1e-12);
    for (int j = 0; j < n; ++j) {
      const double u = joint.phi_max() * std::pow(0.02, static_cast<double>(j) / (n - 1));
      EXPECT_NEAR(first_loading(c, u), joint.backbone(u), 1e-12 * joint.FS) << trial << " " << j;
    }
    EXPECT_NEAR(first_loading(c, 3 * joint.phi_max()), joint.FS, 1e-12 * joint.FS);
  }
}

/// Between the elements the error is of second order in their distance, and as small as the notes say.
TEST(Iwan, ApproachesTheContinuousDistribution) {
  for (const double chi : {-0.8, -0.5, 0.0, 1.0}) {
    for (const double beta : {0.01, 0.25, 2.0}) {
      const Segalman joint{100, 1e6, chi, beta};
      auto error = [&](int n) {
        double worst = 0;
        for (int i = 20; i < 400; ++i) {  // below the first element a chord stands for all
          const double u = joint.phi_max() * i / 400;
          worst = std::max(worst, std::abs(first_loading(joint.contact(n), u) - joint.backbone(u)) / joint.FS);
        }
        return worst;
      };
      EXPECT_LT(error(24), 0.01) << chi << " " << beta;
      EXPECT_NEAR(error(16) / error(61), 16, 5) << chi << " " << beta;  // (60/15)^2
    }
  }
  EXPECT_LT(std::abs(first_loading(Segalman{1, 1e5, -0.5, 0.25}.contact(24), 1.1e-5) -
                     Segalman{1, 1e5, -0.5, 0.25}.backbone(1.1e-5)),
            0.003);
}

/// The loss per cycle of micro-slip: his equation (24), a power of the amplitude with the exponent chi + 3.
TEST(Iwan, LossIsAPowerOfTheAmplitude) {
  for (const double chi : {-0.7, -0.3, 0.0, 0.5}) {
    const Segalman joint{100, 1e6, chi, 0.3};
    const Iwan<> c = joint.contact(64);
    const double small = loop(c, 0.2 * joint.phi_max()), large = loop(c, 0.8 * joint.phi_max());
    EXPECT_NEAR(small / joint.loss(0.2 * joint.phi_max()), 1, 0.015) << chi;
    EXPECT_NEAR(large / joint.loss(0.8 * joint.phi_max()), 1, 0.005) << chi;
    EXPECT_NEAR(std::log(large / small) / std::log(4.0), chi + 3, 0.01) << chi;
  }
}

/// Masing's rule is exact: unloading is first loading doubled, upside down; what came before a larger stroke is wiped out.
TEST(Iwan, MasingAndWipingOut) {
  Draw draw(4);
  for (int trial = 0; trial < 50; ++trial) {
    const Segalman joint = random_joint(draw);
    const Iwan<> c = joint.contact(24);
    const double u = joint.phi_max() * draw.uniform(0.05, 1.5), back = 2 * u * draw.uniform();
    Mover body(c), wiped(c);
    const double top = body.go(u, 1e-3, 3);
    for (const double part : {0.4, -0.2, 0.3, -0.6, 0.9}) wiped.go(part * u, 1e-3, 2);
    EXPECT_NEAR(wiped.go(u, 1e-3, 2), top, 1e-11 * joint.FS);
    EXPECT_NEAR(body.go(u - back, 1e-3, 5), top - 2 * first_loading(c, back / 2), 1e-11 * joint.FS) << trial;
    EXPECT_NEAR(wiped.go(u - back, 1e-3, 4), body.F, 1e-11 * joint.FS) << trial;
  }
}
