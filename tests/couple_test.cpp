/// The real-time coupling: it holds, converges, balances and never creates energy, for any step size.
#include "bristle/couple.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "bristle/effects.hpp"
#include "support/drive.hpp"
#include "support/models.hpp"
#include "support/random.hpp"

using namespace bristle;

namespace {

LuGre<double> joint(double sigma1) { return {{.Fc = 1, .Fs = 1.5, .vs = 0.01, .sigma0 = 1e5, .sigma1 = sigma1}}; }

constexpr double g = 9.81;

/// Block of the multibody paper: 1 kg on a spring of 10 N/m whose end moves at 0.4 m/s.
template <class C> double block(const C& c, double duration, double dt) {
  Body body(c);
  for (int i = 1; i <= std::lround(duration / dt); ++i) body.pull(10, 0.4 * i * dt, dt);
  return body.x;
}

}  // namespace

TEST(Couple, HeldJointStandsStillForAnyStepAndDamping) {
  for (const double sigma1 : {0., 10., 316.}) {
    for (const double dt : {1e-5, 1e-4, 1e-3, 1e-2, 0.1}) {
      Body body(joint(sigma1), 0.01);
      while (body.t < 1) body.push(0.5, dt);
      EXPECT_LT(std::abs(body.v), 1e-12) << sigma1 << " " << dt;
      const double x = body.x;
      double strays = 0;
      for (const double end = body.t + (dt < 1e-4 ? 1 : 10); body.t < end;) {
        body.push(0.5, dt);
        strays = std::max(strays, std::abs(body.x - x));
      }
      EXPECT_LT(strays, 1e-12) << sigma1 << " " << dt;
      EXPECT_NEAR(body.F, 0.5, 1e-12);
    }
  }
}

/// The purpose of the coupling: with the usual explicit exchange of force and velocity, and the same exact bristle
/// update, the body moves by centimetres at this step size.
TEST(Couple, ExplicitExchangeDoesNotHold) {
  Mover contact(joint(10));
  double x = 0, v = 0, F = 0, largest = 0;
  for (int i = 0; i < 2000; ++i) {
    v += 1e-3 / 0.01 * (0.5 - F);
    x += v * 1e-3;
    F = contact.move(v, 1e-3);
    largest = std::max(largest, std::abs(v));
  }
  EXPECT_GT(largest, 0.01);
  EXPECT_GT(std::abs(x), 1e-3);
}

/// Against reference values (multibody block). Halving dt must at least halve the error, and the extrapolated limit must be
/// the reference.
TEST(Couple, ConvergesToTheTrueSolution) {
  struct Case {
    const char* name;
    std::function<double(double)> x;
    double want;
  };
  const double N = g;
  const Case cases[] = {
      {"coulomb", [&](double dt) { return block(Coulomb<>{{.Fc = 0.1 * N}}, 5, dt); }, 1.8231404289},
      {"stribeck", [&](double dt) { return block(Stribeck<>{{.Fc = 0.1 * N, .Fs = 0.15 * N, .vs = 0.5}}, 5, dt); },
       1.73174203815},
      {"brown_mcphee",
       [&](double dt) { return block(BrownMcPhee<>{{.Fc = 0.1 * N, .Fs = 0.2 * N, .vs = 0.5}}, 5, dt); },
       1.79678205388},
      {"dahl", [&](double dt) { return block(Dahl<>{{.Fc = 0.1 * N, .sigma0 = 400}}, 5, dt); }, 1.82881790026},
      {"lugre 0.1",
       [&](double dt) {
         return block(LuGre<>{{.Fc = 0.1 * N, .Fs = 0.1 * N, .vs = 0.5, .sigma0 = 400, .sigma1 = 0.1}}, 5, dt);
       },
       1.82881595773},
      {"lugre 0.2",
       [&](double dt) {
         return block(LuGre<>{{.Fc = 0.1 * N, .Fs = 0.2 * N, .vs = 0.5, .sigma0 = 400, .sigma1 = 0.1}}, 5, dt);
       },
       1.80200039291},
  };
  for (const auto& c : cases) {
    const double a = c.x(4e-4) - c.want, b = c.x(2e-4) - c.want;
    EXPECT_LT(std::abs(a), 1.5e-3) << c.name;
    EXPECT_LT(std::abs(b), 0.55 * std::abs(a)) << c.name;
    EXPECT_LT(std::abs(2 * b - a), 0.03 * std::abs(a)) << c.name;  // what is left after the first-order term
  }
}

/// Under a load between sliding and static friction a resting body has a stuck root and sliding ones. The residual is
/// scanned to be sure that there are several.
TEST(Couple, StickWinsWhereSeveralRootsExist) {
  const LuGre<> c = joint(0);
  const double load = 1.2, mass = 0.01, dt = 0.01;
  Body body(c, mass);
  for (double F = 0; F < load; F += 1e-3) body.push(F, dt);
  ASSERT_LT(std::abs(body.v), 1e-4);  // still in pre-sliding
  auto residual = [&](double w) {
    auto s = body.s;
    auto q = body.q;
    const Motion<double> u{.v = w};
    c.step(s, q, u, dt);
    return mass / dt * (w - body.v) + c.force(s, q, u) - load;
  };
  int roots = 0;
  double last = residual(1e-9);
  for (double w = 1e-9; w < 10; w *= 1.01) {
    const double now = residual(w);
    roots += (now > 0) != (last > 0) ? 1 : 0;
    last = now;
  }
  EXPECT_GE(roots, 2) << "the case is not the one meant";
  body.push(load, dt);
  EXPECT_LT(body.v, 1e-4);
  for (int i = 0; i < 1000; ++i) body.push(load, dt);
  EXPECT_LT(std::abs(body.v), 1e-12);

  Body dry(Stribeck<>{{.Fc = 1, .Fs = 1.5, .vs = 0.01}}, mass);
  dry.push(load, dt);
  EXPECT_EQ(dry.v, 0);
  EXPECT_EQ(dry.F, load);
  dry.push(1.51, dt);
  EXPECT_GT(dry.v, 0);
}

TEST(Couple, BalanceInsideAForceJumpAtRestIsAHold) {
  Coulomb<> c{{.Fc = 1}};
  auto s = c.rest();
  StickSlip q{};
  auto out = couple(c, s, q, Motion<double>{.v = 0.002, .F_app = 0.3}, 0.1, 1e-3);  // need = 0.5
  EXPECT_EQ(out.v, 0);
  EXPECT_DOUBLE_EQ(out.F, 0.5);
  EXPECT_TRUE(out.holds);
  EXPECT_EQ(out.dFdv, 0);
  out =
      couple(c, s, q, Motion<double>{.v = 0.02, .F_app = 0.3}, 0.1, 1e-3);  // need = 2.3: slides on with 1.3 N too much
  EXPECT_NEAR(out.v, 0.013, 1e-15);
  EXPECT_DOUBLE_EQ(out.F, 1);
  EXPECT_FALSE(out.holds);
  // Slipping GMS elements regain force at once when the motion all but stops: a jump of the force at rest.
  Gms<> m{{.Fc = 1, .Fs = 1.5, .C = 1e6}};
  Body body(m, 1.0);
  for (int i = 0; i < 100; ++i) body.push(1.2, 1e-3);  // sliding at Fc = 1
  body.v = 0;
  const double x = body.x;
  body.push(1.2, 1e-3);
  EXPECT_LT(std::abs(body.x - x), 1e-4);
  EXPECT_NEAR(body.F, 1.2 - body.v / 1e-3, 1e-9);
}

template <class N> class CoupleLaw : public ::testing::Test {
 public:
  template <class T> using M = typename N::template Model<T>;
};
TYPED_TEST_SUITE(CoupleLaw, AllModels, ModelName);

/// Random masses, loads, speeds and steps up to 10 s: finite, in balance, and without drive the kinetic energy never
/// exceeds what was there plus what the contact had stored.
TYPED_TEST(CoupleLaw, FiniteBalancedAndDissipativeForAnyStep) {
  typename TestFixture::template M<double> c{};
  if constexpr (requires { c.passive_kv(); }) {
    c.p.kv = c.passive_kv();
  } else if constexpr (requires {
                         c.p.Fs;
                         c.p.Fc;
                       }) {
    if (!c.passive()) c.p.Fs = c.p.Fc;
  }
  ASSERT_TRUE(c.passive() || c.has.passivity_open);
  const Sizes size = sizes(c);
  Draw draw(11);
  for (int n = 0; n < (c.has.random ? 20 : 1500); ++n) {
    if constexpr (requires { c.p.alpha; }) c.p.alpha = n % 3 == 0 ? 2 : n % 3 == 1 ? 1 : draw.uniform(0.1, 1);
    Body body(c, draw.log_uniform(1e-4, 1e2));
    const double dt = draw.log_uniform(1e-6, 10), A = size.force * draw.log_uniform(0.1, 10);
    body.v = draw.chance(0.5) ? draw.sign() * size.velocity * draw.log_uniform(1e-3, 1e3) : 0;
    double peak = 0;
    for (int i = 0; i < 40; ++i) {
      const bool driven = i < 25;
      const double load = driven ? A * draw.uniform(-1, 1) : 0, v0 = body.v;
      body.push(load, dt);
      ASSERT_TRUE(std::isfinite(body.v) && std::isfinite(body.F)) << n << " " << i;
      const double need = load + body.mass / dt * v0;
      // The residual is a sum of terms of this size, each rounded; bristles add sigma0 times the rounding of z.
      const double terms = std::abs(need) + std::abs(body.F) + std::abs(body.mass / dt * body.v) + size.force;
      ASSERT_NEAR(body.mass / dt * body.v + body.F, need, 1e-11 * terms)
          << n << " " << i << " dt " << dt << " m " << body.mass;
      const double kinetic = 0.5 * body.mass * body.v * body.v;
      if (driven) peak = kinetic;
      // Elastic elements store at most breakaway force times displacement.
      ASSERT_LE(kinetic, peak * (1 + 1e-9) + (driven ? 1e300 : size.force * size.travel)) << n << " " << i;
    }
  }
}

TYPED_TEST(CoupleLaw, FiniteForHugeInputs) {
  const typename TestFixture::template M<double> c{};
  Draw draw(12);
  for (int n = 0; n < (c.has.random ? 10 : 2000); ++n) {  // its steps follow every snap
    auto s = c.rest();
    typename TestFixture::template M<double>::Mode q{};
    for (int i = 0; i < 5; ++i) {
      auto wild = [&] { return draw.sign() * draw.log_uniform(1e-100, 1e100); };
      const auto out = couple(c, s, q, Motion<double>{.v = wild(), .F_app = wild()}, draw.log_uniform(1e-9, 1e9),
                              draw.log_uniform(1e-9, 1e9));
      ASSERT_TRUE(std::isfinite(out.v) && std::isfinite(out.F) && std::isfinite(out.dFdv))
          << n << " " << out.v << " " << out.F << " " << out.dFdv;
    }
  }
}

/// Derivatives through hundreds of implicit steps, against central differences; and dF/dv against the force itself.
TYPED_TEST(CoupleLaw, DerivativesPassThrough) {
  using D = Dual<double>;
  auto run = []<class T>(const typename TestFixture::template M<T>& c, double scale) {
    auto s = c.rest();
    typename TestFixture::template M<double>::Mode q{};
    T v(0), sum(0);
    for (int i = 0; i < 120; ++i) {
      const auto out =
          couple(c, s, q, Motion<T>{.v = v, .F_app = T(2.2 * scale * std::sin(0.13 * i + 0.1))}, T(1), T(1e-3));
      v = out.v;
      sum = sum + out.v * T(1 + i % 5);
    }
    return sum;
  };
  const typename TestFixture::template M<double> base{};
  const double scale = sizes(base).force;
  std::size_t n = 0;
  auto scalar = [&](auto& p, std::size_t j, auto f) {
    std::size_t i = 0;
    each_scalar(p, [&](const auto&, int, auto& e) {
      if (i++ == j) f(e);
    });
    return i;
  };
  auto copy = base;
  n = scalar(copy.p, 0, [](double&) {});
  for (std::size_t j = 0; j < n; ++j) {
    auto dual = rebind<D>(base);
    auto up = base, down = base;
    double h = 0;
    scalar(dual.p, j, [&](D& e) { e.d[0] = 1; });
    scalar(up.p, j, [&](double& e) {
      h = std::isfinite(e) ? 1e-6 * (e == 0 ? 1 : e) : 0;
      e += h;
    });
    scalar(down.p, j, [&](double& e) { e -= h; });
    if (h == 0) continue;
    const double want = (run(up, scale) - run(down, scale)) / (2 * h), got = run(dual, scale).d[0];
    // Central differences of a run whose roots are found to 1e-15 and whose stick phases end a step earlier or later.
    EXPECT_NEAR(got, want, 2e-4 * std::abs(want) + 1e-8 * std::abs(run(base, scale)) / h * 1e-6) << "parameter " << j;
  }
  auto s = base.rest();
  typename TestFixture::template M<double>::Mode q{};
  const double v0 = sizes(base).velocity;
  for (const double F : {3., 5.}) {
    const auto before = s;
    const auto mode = q;
    const auto out = couple(base, s, q, Motion<double>{.v = v0, .F_app = F * scale}, 1.0, 1e-3);
    auto force = [&](double w) {
      auto t = before;
      auto m = mode;
      const Motion<double> u{.v = w};
      base.step(t, m, u, 1e-3);
      return base.force(t, m, u);
    };
    const double h = 1e-5 * out.v;
    EXPECT_NEAR(out.dFdv, (force(out.v + h) - force(out.v - h)) / (2 * h), 1e-6 * (1 + std::abs(out.dFdv)));
  }
}

/// A logarithmic law with a small direct effect creeps at any velocity down to 1e-320 m/s and less. The balance of momentum holds
/// there too, and the body moves when the force exceeds friction.
TEST(Couple, BalancesWhereALogarithmicLawCreeps) {
  for (const double a : {1e-2, 1e-3, 4e-4, 1e-4}) {
    const RateState<> c{{.mu0 = 0.54, .a = a, .b = 0.03, .Dc = 5e-6, .V0 = 1e-7, .normal_load = 3.2, .kv = 0.9}};
    auto s = c.rest();
    RateState<>::Mode q{};
    double v = 0;
    for (int i = 0; i < 2000; ++i) {
      const double F = (i < 1000 ? 1.4 : 3.0) * std::sin(0.03 * i);
      const auto out = couple(c, s, q, Motion<double>{.v = v, .F_app = F}, 0.5, 1e-3);
      ASSERT_NEAR(500 * (out.v - v) + out.F, F, 1e-9) << a << " " << i;
      if (i < 1000) { ASSERT_LT(std::abs(out.v), 1e-9) << a << " " << i; }
      v = out.v;
    }
    EXPECT_GT(std::abs(v), 0.01);
  }
}

TEST(Couple, HostSpringAndDamperGoIntoTheMass) {
  // m w/dt + F(w) + k (x + w dt) + c w = m v0/dt, solved by hand for viscous friction.
  const double m = 2, k = 50, c = 3, kv = 0.4, dt = 0.1, x0 = 0.2, v0 = 0.7;
  Viscous<> law{{.kv = kv}};
  auto s = law.rest();
  NoMode q{};
  const double mass = m + dt * c + dt * dt * k;
  const auto out = couple(law, s, q, Motion<double>{.x = x0, .v = v0, .F_app = -k * x0 - (dt * k + c) * v0}, mass, dt);
  EXPECT_NEAR(out.v, (m * v0 / dt - k * x0) / (m / dt + c + dt * k + kv), 1e-15);
}

TEST(Couple, HoldsThroughEffects) {
  const With<Stribeck<>, Effects<>> c{{{.Fc = 1, .Fs = 1.5, .vs = 0.01}},
                                      {.asymmetry = 0.2, .offset = 0.1, .ripple = 0.1, .ripple_period = 0.01}};
  Body body(c, 0.1);
  for (int i = 0; i < 100; ++i) body.push(1.8, 1e-2);  // below 1.2 * 1.5 + 0.1
  EXPECT_EQ(body.x, 0);
  EXPECT_NEAR(body.F, 1.8, 1e-15);
  for (int i = 0; i < 100; ++i) body.push(-1.0, 1e-2);  // above -(0.8 * 1.5) + 0.1 = -1.1
  EXPECT_EQ(body.x, 0);
  body.push(2.0, 1e-2);
  EXPECT_GT(body.v, 0);
}

TEST(Couple, FloatHolds) {
  const LuGre<float> c{{.Fc = 1, .Fs = 1.5F, .vs = 0.01F, .sigma0 = 1e5F, .sigma1 = 10}};
  auto s = c.rest();
  NoMode q{};
  float v = 0;
  for (int i = 0; i < 2000; ++i) v = couple(c, s, q, Motion<float>{.v = v, .F_app = 0.5F}, 0.01F, 1e-3F).v;
  EXPECT_LT(std::abs(v), 1e-9F);  // float resolution of z near 5e-6 is 5e-13; over 1 ms that is 5e-10 m/s
}
