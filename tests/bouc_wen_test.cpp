/// Bouc-Wen by closed forms of its travel (n = 1, 2, 3), against the printed equation in its five redundant parameters, and as
/// Dahl.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "bristle/models/bouc_wen.hpp"
#include "bristle/models/dahl.hpp"
#include "support/drive.hpp"
#include "support/random.hpp"

using namespace bristle;

namespace {
constexpr double pi = std::numbers::pi;
/// Fc/sigma0 = 1e-5 m.
BoucWen<> contact(double n, double beta) { return {{.Fc = 2, .sigma0 = 2e5, .n = n, .beta = beta}}; }
}  // namespace

/// n = 2: first loading is Fc tanh(sigma0 x/Fc), tanh(1) = 0.76159415595576489. With beta = 1 a reversal in full sliding
/// follows tan(q - pi/4): zero after pi/4 of Fc/sigma0, then tanh again.
TEST(BoucWen, QuadraticKneeByHand) {
  Mover body(contact(2, 1));
  EXPECT_NEAR(body.move(1e-3, 0.01), 2 * 0.76159415595576489, 1e-15);
  EXPECT_NEAR(body.move(1e-3, 10), 2, 1e-15);
  EXPECT_NEAR(body.move(-1e-3, 0.005), -2 * std::tan(0.5 - pi / 4), 1e-14);
  EXPECT_NEAR(body.move(-1e-3, 0.01 * (pi / 4 - 0.5)), 0, 1e-14);
  EXPECT_NEAR(body.move(-1e-3, 0.003), -2 * std::tanh(0.3), 1e-14);
}

/// beta = 1/2 unloads along the first slope, whatever n: from Fc to 0 over Fc/sigma0.
TEST(BoucWen, HalfUnloadsElastically) {
  for (const double n : {1.0, 1.7, 2.0, 5.0, 20.0}) {
    Mover body(contact(n, 0.5));
    body.move(1, 1);
    EXPECT_NEAR(body.move(-1e-3, 0.0025), 1.5, 1e-13) << n;
    EXPECT_NEAR(body.move(-1e-3, 0.0075), 0, 1e-13) << n;
  }
}

TEST(BoucWen, ReversalHasTheStiffnessOfBeta) {
  for (const double beta : {0.5, 0.8, 1.0, 2.0}) {
    const BoucWen<> c = contact(3, beta);
    EXPECT_DOUBLE_EQ(c.rate({2, 0}, {}, {.v = -1e-3}).f, -2 * beta * 2e5 * 1e-3);
    EXPECT_DOUBLE_EQ(c.rate({2, 0}, {}, {.v = 1e-3}).f, 0);
  }
}

/// n = 3: the travel to y is -ln(1 - y)/3 + ln(1 + y + y^2)/6 + atan((2 y + 1)/sqrt 3)/sqrt 3 - pi/(6 sqrt 3).
TEST(BoucWen, CubicKneeByItsIntegral) {
  auto travel = [](double y) {
    const double root = std::sqrt(3.0);
    return -std::log1p(-y) / 3 + std::log(1 + y + y * y) / 6 + std::atan((2 * y + 1) / root) / root - pi / (6 * root);
  };
  for (const double y : {1e-6, 0.1, 0.5, 0.79, 0.8, 0.95, 0.9999}) {
    Mover body(contact(3, 0.7));
    EXPECT_NEAR(body.move(1, 1e-5 * travel(y)), 2 * y, 4e-15) << y;
  }
}

/// Any exponent: the travel from -w to 0 by Simpson's rule in t with w = t^3, where the integrand is smooth.
TEST(BoucWen, UnloadingByQuadrature) {
  Draw draw(3);
  for (int k = 0; k < 100; ++k) {
    const double n = draw.uniform(1, 8), beta = draw.uniform(0.5, 2), w = draw.uniform(0, 1), end = w * draw.uniform();
    auto f = [&](double t) { return 3 * t * t / (1 + (2 * beta - 1) * std::pow(t, 3 * n)); };
    const int steps = 2000;
    const double from = std::cbrt(end), h = (std::cbrt(w) - from) / steps;
    double sum = 0;
    for (int i = 0; i <= steps; ++i) sum += f(from + i * h) * (i == 0 || i == steps ? 1 : i % 2 == 1 ? 4 : 2) * h / 3;
    Mover body(contact(n, beta));
    body.s.f = -2 * w;
    EXPECT_NEAR(body.move(1, 1e-5 * sum), -2 * end, 1e-10) << n << " " << beta << " " << w;
  }
}

/// The form of the literature has A, alpha, k, beta, gamma and n, of which five combinations act: integrated as printed, it gives
/// the same force; Runge-Kutta steps across z = 0, where |z|^n has a kink in its second derivative, are good to 1e-9.
TEST(BoucWen, IsThePrintedEquation) {
  Draw draw(5);
  for (int trial = 0; trial < 10; ++trial) {
    const double A = draw.log_uniform(0.3, 3), alpha = draw.uniform(0, 0.5), k = draw.log_uniform(1e3, 1e6),
                 n = draw.uniform(2, 4);
    const double z0 = draw.log_uniform(1e-6, 1e-4), part = draw.uniform(0.5, 1.5);  // z0 = (A/(beta + gamma))^(1/n)
    const double sum = A / std::pow(z0, n), beta = part * sum, gamma = sum - beta;
    const BoucWen<> c{
        {.Fc = (1 - alpha) * k * z0, .sigma0 = (1 - alpha) * k * A, .n = n, .beta = part, .ke = alpha * k}};
    Mover body(c);
    double z = 0, x = 0;
    auto slope = [&](double v, double at) {
      return A * v - beta * std::abs(v) * std::pow(std::abs(at), n - 1) * at - gamma * v * std::pow(std::abs(at), n);
    };
    for (int leg = 0; leg < 4; ++leg) {
      const double v = draw.sign() * draw.log_uniform(1e-4, 1), dt = z0 / std::abs(v) * draw.log_uniform(0.1, 3),
                   h = dt / 2000;
      for (int i = 0; i < 2000; ++i) {
        const double a = slope(v, z), b = slope(v, z + h / 2 * a), d = slope(v, z + h / 2 * b), e = slope(v, z + h * d);
        z += h / 6 * (a + 2 * b + 2 * d + e);
      }
      x += v * dt;
      const double want = alpha * k * x + (1 - alpha) * k * z;
      EXPECT_NEAR(body.move(v, dt), want, 1e-8 * (c.p.Fc + std::abs(want))) << trial << " " << leg;
    }
  }
}

TEST(BoucWen, IsDahlWithBetaAndExponentOne) {
  Draw draw(21);
  for (int k = 0; k < 20; ++k) {
    const double Fc = draw.log_uniform(0.1, 100), sigma0 = draw.log_uniform(1e3, 1e7), kv = draw.uniform(0, 2);
    Mover body(BoucWen<>{{.Fc = Fc, .sigma0 = sigma0, .n = 1, .beta = 1, .kv = kv}});
    Mover dahl(Dahl<>{{.Fc = Fc, .sigma0 = sigma0, .kv = kv}});
    for (int i = 0; i < 1000; ++i) {
      const double v = draw.sign() * draw.log_uniform(1e-5, 1),
                   dt = Fc / sigma0 / std::abs(v) * draw.log_uniform(1e-3, 10);
      const double F = body.move(v, dt);
      ASSERT_NEAR(dahl.move(v, dt), F, 1e-12 * (Fc + std::abs(F))) << k << " " << i;
    }
  }
}

/// Energy taken out of the contact never exceeds what went in, for every beta and with the spring.
TEST(BoucWen, NeverCreatesEnergy) {
  Draw draw(8);
  for (int k = 0; k < 30; ++k) {
    const BoucWen<> c{{.Fc = 2,
                       .sigma0 = 2e5,
                       .n = draw.uniform(1, 6),
                       .beta = draw.uniform(0.5, 2),
                       .ke = draw.chance(0.5) ? 1e4 : 0}};
    Mover body(c);
    double work = 0, F = 0;
    for (int i = 0; i < 400; ++i) {
      const double v = draw.sign(), dt = 1e-5 * draw.log_uniform(0.1, 3);
      for (int j = 0; j < 50; ++j) {
        const double next = body.move(v, dt / 50);
        work += 0.5 * (F + next) * v * dt / 50;
        F = next;
      }
      ASSERT_GT(work, -1e-8) << k << " " << i;  // trapezoids of 1e-4 of Fc^2/sigma0 = 2e-5 J
    }
  }
}

TEST(BoucWen, NormalLoadScalesTheHystereticForce) {
  const BoucWen<> c{{.Fc = 2, .sigma0 = 2e5, .n = 2, .beta = 1, .ke = 1e4, .kv = 0.5}};
  BoucWen<>::State s;
  NoMode q;
  const Motion<double> u{.v = 1e-3, .r = 3};
  c.step(s, q, u, 0.01);
  EXPECT_NEAR(c.force(s, q, u), 6 * 0.76159415595576489 + 0.1 + 0.0005, 1e-14);
}
