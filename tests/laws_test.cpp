/// Laws that every model of the list satisfies, or violates if its header declares that.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "bristle/dual.hpp"
#include "support/drive.hpp"
#include "support/flow.hpp"
#include "support/models.hpp"
#include "support/random.hpp"

using namespace bristle;

template <class N> class Law : public ::testing::Test {
 public:
  template <class T> using M = typename N::template Model<T>;
  using Plain = M<double>;
  Plain c{};
  Sizes size = sizes(c);

  /// A random velocity: mostly around the model's own, over four decades, sometimes rest.
  double velocity(Draw& draw) {
    return draw.chance(0.1) ? 0 : draw.sign() * size.velocity * draw.log_uniform(1e-2, 1e2);
  }
  double duration(Draw& draw) { return size.travel / size.velocity * draw.log_uniform(1e-3, 10); }
  /// Of a state: its bound, or its own size before and after the step where it has none.
  static double scale(double bound, double x, double before) {
    return std::isfinite(bound) ? bound : std::max({std::abs(x), std::abs(before), 1e-12});
  }
  template <class S> static std::vector<double> numbers(const S& s) {
    std::vector<double> out;
    each_scalar(s, [&](const auto&, int, const auto& e) { out.push_back(static_cast<double>(real_part(e))); });
    return out;
  }
};
TYPED_TEST_SUITE(Law, AllModels, ModelName);

TYPED_TEST(Law, IsAModel) {
  using C = typename TestFixture::Plain;
  static_assert(Model<C> && Model<typename TestFixture::template M<float>> &&
                Model<typename TestFixture::template M<Dual<double, 3>>>);
  static_assert(std::is_same_v<typename C::Mode, typename TestFixture::template M<Dual<double>>::Mode>);
}

TYPED_TEST(Law, OddSymmetry) {
  Mover forth(this->c), back(this->c);
  Draw draw(1);
  double largest = 0;
  for (int i = 0; i < 5000; ++i) {
    const double v = this->velocity(draw), dt = this->duration(draw), F = forth.move(v, dt), G = back.move(-v, dt);
    largest = std::max(largest, std::abs(F + G));
  }
  if (this->c.has.odd) {
    EXPECT_EQ(largest, 0);  // to the bit
  } else {
    EXPECT_GT(largest, 1e-3 * this->size.force);
  }
}

/// The factor of a unit such as "N s/m" when newtons, metres and seconds are measured in other units.
double unit_factor(std::string_view unit, double newton, double metre, double second) {
  double factor = 1;
  bool below = false;
  for (const char c : unit) {
    if (c == '/') below = true;
    const double part = c == 'N' ? newton : c == 'm' ? metre : c == 's' ? second : 1;
    factor *= below ? 1 / part : part;
  }
  return factor;
}

/// Physics does not depend on units: with every parameter, velocity and time converted, the force is converted too. A
/// missing or doubled factor violates this, even if the default parameters hide it.
TYPED_TEST(Law, IndependentOfUnits) {
  const double newton = 2.3, metre = 0.7, second = 1.9;
  auto converted = this->c;
  each_scalar(converted.p, [&](const auto& f, int, double& e) { e *= unit_factor(f.unit, newton, metre, second); });
  Mover body(this->c), other(converted);
  Draw draw(13);
  for (int i = 0; i < 2000; ++i) {
    const double v = this->velocity(draw), dt = this->duration(draw);
    const double F = body.move(v, dt), G = other.move(v * metre / second, dt * second);
    ASSERT_NEAR(G, F * newton, 1e-9 * newton * (std::abs(F) + this->size.force))
        << i;  // roundings, amplified by sigma1
  }
  EXPECT_NEAR(converted.steady(0.3 * this->size.velocity * metre / second),
              newton * this->c.steady(0.3 * this->size.velocity), 1e-12 * newton * this->size.force);
}

TYPED_TEST(Law, BoundedState) {
  Mover body(this->c);
  Draw draw(2);
  const auto bound = this->numbers(this->c.bound());
  for (int i = 0; i < 20000; ++i) {
    body.move(this->velocity(draw), this->duration(draw));
    const auto s = this->numbers(body.s);
    // Ten roundings: the bound itself is reached in sliding.
    for (std::size_t k = 0; k < s.size(); ++k)
      ASSERT_LE(std::abs(s[k]), bound[k] * (1 + 2e-15)) << "state " << k << " step " << i;
  }
}

TYPED_TEST(Law, SteadyStateIsTheDocumentedCurve) {
  for (const double decade : {-3., -2., -1., 0., 1., 2., 3.}) {
    for (const double dir : {1., -1.}) {
      const double v = dir * this->size.velocity * std::pow(10, decade);
      Mover body(this->c);
      const int n = 400;
      double last = 0, mean = 0;
      for (int i = 0; i < n; ++i) mean += (last = body.move(v, 1e3 * this->size.travel / std::abs(v) + 10)) / n;
      const double want = this->c.steady(v);
      if (this->c.has.random) {  // five standard deviations of the mean of n nearly independent values
        EXPECT_NEAR(mean, want, 5 * 0.3 / std::sqrt(n) * std::abs(want)) << "v = " << v;
      } else {
        EXPECT_NEAR(last, want, 1e-12 * std::abs(want)) << "v = " << v;
      }
    }
  }
}

/// Below every other size force is proportional to the travel (or to v, or is the constant of a set-valued law), down to
/// the smallest numbers there are; at v = 0 nothing moves.
TYPED_TEST(Law, SmallVelocities) {
  auto force = [&](double v) {
    Mover body(this->c);
    return body.move(v, 1.0);
  };
  if (this->c.has.random) return;  // not at zero force when at rest
  if (SetValued<typename TestFixture::Plain> && !this->c.has.presliding) {
    EXPECT_EQ(force(1e-300), force(1e-200));
    EXPECT_EQ(force(-1e-300), -force(1e-300));
  } else {
    const double slope = force(1e-200) / 1e-200;
    EXPECT_GT(slope, 0);
    EXPECT_NEAR(force(1e-300) / 1e-300, slope, 1e-12 * slope);
    EXPECT_NEAR(force(-1e-280) / -1e-280, slope, 1e-12 * slope);
  }
  EXPECT_EQ(force(0), 0);
  EXPECT_TRUE(std::isfinite(force(std::numeric_limits<double>::denorm_min())));
}

/// Derivatives of a long run with respect to every scalar parameter, through reversals, rests and switches, against
/// central differences in long double (relative step 1e-6: truncation and rounding near 1e-10).
TYPED_TEST(Law, DerivativesFlowThroughEverything) {
  if (this->c.has.random) return;  // a snap more or less is a jump of the force
  using D = Dual<double>;
  using L = long double;
  auto run = [&]<class T>(const typename TestFixture::template M<T>& model) {
    auto s = model.rest();
    typename TestFixture::Plain::Mode q{};
    Draw draw(3);
    T sum(0);
    for (int i = 0; i < 300; ++i) {
      const double v = this->velocity(draw), dt = this->duration(draw), r = draw.uniform(0.5, 1.5);
      const Motion<T> u{.v = T(v), .F_app = T(0.3), .r = T(r)};
      model.step(s, q, u, T(dt));
      sum = sum + model.force(s, q, u) * T(draw.uniform(-1, 1));
      if constexpr (Flow<typename TestFixture::Plain>) {
        int k = 0;
        const auto rate = model.rate(s, q, u);
        each_scalar(rate, [&](const auto&, int, const T& e) { sum = sum + e * T(1e-3 * ++k); });
      }
    }
    return sum;
  };
  std::size_t n = 0;
  each_scalar(this->c.p, [&](const auto&, int, double&) { ++n; });
  for (std::size_t j = 0; j < n; ++j) {
    auto dual = rebind<D>(this->c);
    auto up = rebind<L>(this->c), down = up;
    std::string name;
    std::size_t i = 0;
    bool off = false;
    each_scalar(dual.p, [&](const auto& f, int, D& e) {
      if (i++ == j) {
        e.d[0] = 1;
        name = f.name;
        off = !std::isfinite(e.a);
      }
    });
    if (off) continue;  // an absent term
    i = 0;
    L h = 0;
    each_scalar(up.p, [&](const auto&, int, L& e) {
      if (i++ == j) h = e == 0 ? 1e-6L : 1e-6L * std::abs(e), e += h;
    });
    i = 0;
    each_scalar(down.p, [&](const auto&, int, L& e) {
      if (i++ == j) e -= h;
    });
    const L plus = run(up), minus = run(down);
    const double want = static_cast<double>((plus - minus) / (2 * h));
    const double got = run(dual).d[0];
    EXPECT_NEAR(got, want, 1e-7 * std::abs(want) + 1e-9 * std::abs(run(dual).a)) << name << " (" << j << ")";
    EXPECT_TRUE(want != 0 || got == 0) << name;
  }
}

/// Constant-velocity steps of any size against the printed state equation, integrated in long double.
TYPED_TEST(Law, StepSolvesTheStateEquation) {
  using C = typename TestFixture::Plain;
  if constexpr (!Flow<C> && !std::is_same_v<typename C::State, NoState>) {
    GTEST_SKIP() << "takes steps only: its own test compares them with closed forms";
  } else if constexpr (std::is_same_v<typename C::State, NoState>) {
    Draw draw(4);  // nothing to integrate: no history may show in the force
    for (int n = 0; n < 1000; ++n) {
      Mover body(this->c);
      for (int i = 0; i < 3; ++i) body.move(this->velocity(draw), this->duration(draw));
      const double v = draw.sign() * this->size.velocity * draw.log_uniform(1e-2, 10),
                   F = body.move(v, this->duration(draw));
      ASSERT_DOUBLE_EQ(F, this->c.steady(v));
    }
  } else {
    using L = long double;
    Draw draw(4);
    const auto bound = this->numbers(this->c.bound());
    double worst = 0;
    for (int n = 0; n < 30; ++n) {
      Mover body(this->c);
      for (int i = 0; i < 3; ++i) body.move(this->velocity(draw), this->duration(draw));
      FlowIntegrator<typename TestFixture::template M<L>> flow(rebind<L>(this->c));
      flow.s = convert<typename decltype(flow)::State>(body.s);
      flow.q = body.q;
      const double v = draw.sign() * this->size.velocity * draw.log_uniform(1e-2, 10);
      const double dt = this->size.travel / std::abs(v) * draw.log_uniform(1e-2, 2);
      if (n % 2 == 1) flow.q = {};  // a fresh mode must find its way as well
      if (n % 2 == 1) body.q = {};
      const auto start = this->numbers(body.s);
      body.move(v, dt);
      flow.advance([v](L) { return L(v); }, L(dt), 4000);
      const auto got = this->numbers(body.s), want = this->numbers(flow.s);
      for (std::size_t k = 0; k < got.size(); ++k)
        worst = std::max(worst, std::abs(got[k] - want[k]) / this->scale(bound[k], want[k], start[k]));
    }
    // Exact steps: what remains is the rounding of step and the error of Runge-Kutta at 4000 steps, both near 1e-13.
    // The others say in their notes how good they are, and have tests of their own.
    EXPECT_LT(worst, this->c.has.exact_step ? 1e-11 : 5e-3);
  }
}

TYPED_TEST(Law, OneStepEqualsTwoHalves) {
  Draw draw(5);
  double worst = 0;
  for (int n = 0; n < 2000; ++n) {
    Mover body(this->c);
    for (int i = 0; i < 3; ++i) body.move(this->velocity(draw), this->duration(draw));
    Mover half = body;
    const double v = this->velocity(draw), dt = this->duration(draw);
    const double F = body.move(v, dt);
    half.move(v, dt / 2);
    worst = std::max(worst, std::abs(half.move(v, dt / 2) - F) / this->size.force);
  }
  if (this->c.has.exact_step) {
    EXPECT_LT(worst, 2e-12);  // sigma1 dz/dt amplifies the rounding of z by sigma1 |v|/S, up to 1e2 here
  } else {
    EXPECT_GT(worst, 1e-12);
  }
}

/// Along a varying velocity, steps at the velocity of their middle are of second order.
TYPED_TEST(Law, MidpointStepsAreOfSecondOrder) {
  using C = typename TestFixture::Plain;
  if constexpr (Flow<C> && !std::is_same_v<typename C::State, NoState>) {
    using L = long double;
    const double A = this->size.velocity, T = 20 * this->size.travel / A, w = two_pi / T;
    auto v = [=](double t) { return A * (0.3 + std::sin(w * t) + 0.5 * std::sin(3.3 * w * t)); };
    FlowIntegrator<typename TestFixture::template M<L>> flow(rebind<L>(this->c));
    auto vl = [=](L t) { return L(A) * (0.3L + std::sin(L(w) * t) + 0.5L * std::sin(3.3L * L(w) * t)); };
    flow.advance(vl, L(1.37 * T), 40000);
    const auto want = this->numbers(flow.s), bound = this->numbers(this->c.bound());
    auto error = [&](int n) {
      Mover body(this->c);
      const double dt = 1.37 * T / n;
      for (int i = 0; i < n; ++i) body.move(v((i + 0.5) * dt), dt);
      const auto got = this->numbers(body.s);
      double e = 0;
      for (std::size_t k = 0; k < got.size(); ++k)
        e = std::max(e, std::abs(got[k] - want[k]) / this->scale(bound[k], want[k], 0));
      return e;
    };
    [[maybe_unused]] const typename C::State body_state{};
    // A clock that starts at the reversal starts anywhere inside a step: first order, with a scatter.
    const bool clock = requires { body_state.t2; };
    const double coarse = error(2000), fine = error(8000);
    EXPECT_LT(coarse, clock ? 1e-2 : 1e-3);
    if (coarse > 1e-8) {  // below, the reference itself is no better: reversals are kinks
      const double order = std::log(coarse / fine) / std::log(4);
      EXPECT_GT(order, clock ? 0.4 : 1.7) << coarse << " -> " << fine;
    }
  }
}

TYPED_TEST(Law, NanInNanOut) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  {
    Mover body(this->c);
    body.move(this->size.velocity, 1e-3);
    EXPECT_TRUE(std::isnan(body.move(nan, 1e-3)));
  }
  auto s = this->c.rest();
  typename TestFixture::Plain::Mode q{};
  Motion<double> u{.v = this->size.velocity, .r = nan};
  this->c.step(s, q, u, 1.0);
  if (this->c.scales().force > 0) { EXPECT_TRUE(std::isnan(this->c.force(s, q, u))); }
  if constexpr (SetValued<typename TestFixture::Plain>) {
    u = {.F_app = nan};
    this->c.step(s, q, u, 1.0);
    EXPECT_TRUE(std::isnan(this->c.force(s, q, u)));
  }
}

/// Any valid parameters (log-uniform over their whole ranges) and inputs up to 1e100 give finite numbers.
TYPED_TEST(Law, FiniteForEveryValidInput) {
  Draw draw(7);
  int tried = 0;
  for (int n = 0; n < 1000; ++n) {
    auto wide = this->c;
    each_field(wide.p, [&](const auto& f, auto& v) {
      const double lo = std::max(f.range.lo, limit::least), hi = std::min(f.range.hi, limit::most);
      auto one = [&] {
        return draw.chance(0.2) ? (draw.chance(0.5) ? std::max(f.range.lo, -limit::most) : hi)
                                : draw.log_uniform(lo, hi);
      };
      if constexpr (is_vec<std::remove_cvref_t<decltype(v)>>) {
        for (auto& e : v) e = one();
      } else if constexpr (std::is_same_v<std::remove_cvref_t<decltype(v)>, double>) {
        v = one();
      }
    });
    if constexpr (requires {
                    wide.p.Fs;
                    wide.p.Fc;
                  })
      wide.p.Fs = std::max(wide.p.Fs, wide.p.Fc);
    if constexpr (requires { wide.p.relations(); }) {
      bool valid = true;
      for (const auto& relation : wide.p.relations()) valid = valid && relation.holds(wide.p);
      if (!valid) continue;
    }
    ++tried;
    auto s = wide.rest();
    typename TestFixture::Plain::Mode q{};
    for (int i = 0; i < 20; ++i) {
      auto wild = [&] { return draw.chance(0.1) ? 0 : draw.sign() * draw.log_uniform(1e-100, 1e100); };
      const Motion<double> u{.x = wild(), .v = wild(), .F_app = wild(), .r = std::abs(wild()), .t = std::abs(wild())};
      wide.step(s, q, u, std::abs(wild()) + 1e-100);
      ASSERT_TRUE(std::isfinite(wide.force(s, q, u))) << n << " v = " << u.v << " r = " << u.r;
      for (const double e : this->numbers(s)) ASSERT_TRUE(std::isfinite(e)) << n << " v = " << u.v;
      if constexpr (Flow<typename TestFixture::Plain>) {
        for (const double e : this->numbers(wide.rate(s, q, u))) ASSERT_TRUE(std::isfinite(e)) << n << " v = " << u.v;
      }
    }
  }
  EXPECT_GT(tried, 100);
}

TYPED_TEST(Law, FloatFollowsDouble) {
  if (this->c.has.random) return;
  Mover body(this->c);
  Mover coarse(rebind<float>(this->c));
  Draw draw(8);
  for (int i = 0; i < 300; ++i) {
    const double v = this->velocity(draw), dt = this->duration(draw), F = body.move(v, dt), G = coarse.move(v, dt);
    ASSERT_NEAR(F, G, 2e-3 * (this->size.force + std::abs(F)))
        << i;  // sigma1 dz/dt is a difference of nearly equal numbers
  }
}
