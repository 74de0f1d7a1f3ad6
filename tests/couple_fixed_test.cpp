/// The coupling with fixed work: as many trial steps whatever happens, and a balance as good as the scalar allows.
#include "bristle/couple_fixed.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "bristle/effects.hpp"
#include "support/models.hpp"
#include "support/random.hpp"

using namespace bristle;

namespace {

/// A contact that counts its steps.
template <class C> struct Counted {
  using Scalar = typename C::Scalar;
  using State = typename C::State;
  using Mode = typename C::Mode;
  C inner{};
  int* steps = nullptr;
  State rest() const { return inner.rest(); }
  Scalar force(const State& s, const Mode& q, const Motion<Scalar>& u) const { return inner.force(s, q, u); }
  void step(State& s, Mode& q, const Motion<Scalar>& u, Scalar dt) const {
    ++*steps;
    inner.step(s, q, u, dt);
  }
  bool holds(const Mode& q) const
    requires SetValued<C>
  {
    return inner.holds(q);
  }
};

template <class P> bool is_valid(const P& p) {
  if constexpr (requires { P::relations(); }) {
    for (const auto& relation : P::relations()) {
      if (!relation.holds(p)) return false;
    }
  }
  return true;
}

/// A model in random units and with random proportions.
template <template <class> class M, class T> M<T> scaled_model(Draw& draw, double force, double length, double time) {
  M<T> c{};
  each_field(c.p, [&](const auto& field, auto& v) {
    const std::string_view unit = field.unit;
    double scale = 1;
    if (unit == "N") scale = force;
    if (unit == "m") scale = length;
    if (unit == "s") scale = time;
    if (unit == "m/s") scale = length / time * draw.log_uniform(0.3, 3);
    if (unit == "s/m") scale = time / length * draw.log_uniform(0.3, 3);
    if (unit == "N/m") scale = force / length * draw.log_uniform(0.3, 3);
    if (unit == "N/s") scale = force / time * draw.log_uniform(0.3, 3);
    if (unit == "N s/m") scale = force * time / length * draw.log_uniform(0.1, 1);
    using V = std::remove_cvref_t<decltype(v)>;
    if constexpr (is_vec<V>) {
      for (T& e : v) e = T(e * scale);
    } else if constexpr (std::is_floating_point_v<V>) {
      v = T(v * scale);
    }
  });
  return c;
}
/// One that satisfies its relations, as far as rounding in T lets it.
template <template <class> class M, class T> M<T> random_model(Draw& draw, double force, double length, double time) {
  M<T> c = scaled_model<M, T>(draw, force, length, time);
  for (int tries = 0; tries < 20 && !is_valid(c.p); ++tries) c = scaled_model<M, T>(draw, force, length, time);
  return c;
}

/// The worst error over a random motion, seen in double: of the balance, and of the force against the law next to the velocity
/// that was found (on both sides, where it jumps). Relative to Fs and the force that the body would have to be held with.
template <template <class> class M, class T> double worst_error(int trials) {
  double worst = 0;
  for (int trial = 0; trial < trials; ++trial) {
    Draw draw(static_cast<std::uint64_t>(trial));
    const double force = draw.log_uniform(1e-2, 1e3), length = draw.log_uniform(1e-2, 1e2),
                 time = draw.log_uniform(1e-1, 10);
    const M<T> c = random_model<M, T>(draw, force, length, time);
    const double Fs = c.scales().force > 0 ? static_cast<double>(c.scales().force) : force;
    // Velocities of a few sizes of the model within a step: what rounding does to sigma1 v is not the search's.
    const double speed =
        static_cast<double>(c.scales().velocity) > 0 ? static_cast<double>(c.scales().velocity) : 1e-3 * length / time;
    const T dt = T(time * draw.log_uniform(1e-4, 1e-2)), mass = T(Fs * dt / speed * draw.log_uniform(0.1, 10));
    auto s = c.rest();
    typename M<T>::Mode q{};
    T v = 0, x = 0;
    for (int k = 0; k < 100; ++k) {
      const Motion<T> u{.x = x, .v = v, .F_app = T(k % 20 < 12 ? Fs * draw.uniform(-2, 2) : 0)};
      const auto before = convert<typename M<double>::State>(s);
      const auto mode = q;
      const auto out = couple_fixed(c, s, q, u, mass, dt);
      const double balance = double(mass) / double(dt) * (double(out.v) - double(v)) + double(out.F) - double(u.F_app);
      const double need = double(u.F_app) + double(mass) / double(dt) * double(v);
      double error = std::abs(balance);
      if (!out.holds) {
        auto law = [&](double w) {
          return detail::Trial<M<double>, double>(rebind<double>(c), before, mode, rebind<double>(u), need, w,
                                                  double(dt))
              .F;
        };
        const double near = 16 * epsilon<T>, a = law(out.v * (1 - near)), b = law(out.v * (1 + near));
        error = std::max({error, std::min(a, b) - double(out.F), double(out.F) - std::max(a, b)});
      }
      worst = std::max(worst, error / (Fs + std::abs(need)));
      v = out.v;
      x += v * dt;
    }
  }
  return worst;
}

template <class N> class FixedWork : public ::testing::Test {};
TYPED_TEST_SUITE(FixedWork, AllModels, ModelName);

}  // namespace

TYPED_TEST(FixedWork, AlwaysTakesAsManySteps) {
  using C = typename TypeParam::template Model<float>;
  int steps = 0;
  const Counted<C> c{{}, &steps};
  auto s = c.rest();
  typename C::Mode q{};
  float v = 0;
  Draw draw(1);
  for (int k = 0; k < 300; ++k) {
    steps = 0;
    const float F = k % 3 == 0 ? 0.0F : static_cast<float>(draw.uniform(-3, 3));
    v = couple_fixed(c, s, q, Motion<float>{.v = v, .F_app = F}, 0.1F, 1e-3F).v;
    ASSERT_EQ(steps, bisections<float> + 2);
  }
  steps = 0;
  couple_fixed<10>(c, s, q, Motion<float>{.v = v}, 0.1F, 1e-3F);
  EXPECT_EQ(steps, 12);
}

TYPED_TEST(FixedWork, BalancesToRounding) {
  using N = TypeParam;
  EXPECT_LT((worst_error<N::template Model, float>(60)), 2e-6);
  EXPECT_LT((worst_error<N::template Model, double>(20)), 1e-12);
}

/// Where there is one answer, it is that of `couple`.
TYPED_TEST(FixedWork, AgreesWithCouple) {
  using C = typename TypeParam::template Model<double>;
  if (C::has.random) GTEST_SKIP() << "its bristles snap: many roots";
  const C c{};
  auto s = c.rest(), t = c.rest();
  typename C::Mode q{}, p{};
  double v = 0;
  for (int k = 0; k < 200; ++k) {
    const Motion<double> u{.v = v, .F_app = 0.9 * std::sin(0.1 * k)};
    const double m = 10;  // heavy: one root
    const auto a = couple(c, s, q, u, m, 1e-3), b = couple_fixed(c, t, p, u, m, 1e-3);
    ASSERT_NEAR(a.v, b.v, 1e-9 * (std::abs(a.v) + 1e-3)) << k;
    t = s;
    p = q;
    v = a.v;
  }
}

/// A joint under half its breakaway load stands still in float, at any step, and one that pushes from the other side lets go:
/// |imbalance| dt/mass is then no bound of the velocity.
TEST(FixedWorkJoint, HoldsInFloat) {
  const LuGre<float> c{{.Fc = 1, .Fs = 1.5F, .vs = 0.01F, .sigma0 = 1e5F, .sigma1 = 10}};
  for (const float dt : {1e-4F, 1e-3F, 5e-3F}) {
    auto s = c.rest();
    NoMode q;
    double x = 0, last = 0;
    float v = 0;
    for (int k = 0; k < 10000; ++k) {
      v = couple_fixed(c, s, q, Motion<float>{.v = v, .F_app = 0.5F}, 0.01F, dt).v;
      if (k == 5000) last = x;
      x += double(v) * double(dt);
    }
    // Half a unit in the last place of z per step is lost on it.
    EXPECT_LT(std::abs(x - last), 5000 * 0.5 * epsilon<float> * 0.5 / 1e5) << dt;
  }
  const Dahl<double> bent{};
  Dahl<double>::State s{1.0};  // full force towards positive motion
  DahlMode q{};
  const auto let_go = couple_fixed(bent, s, q, Motion<double>{.F_app = 0.999}, 1e-6, 1e-2);
  Dahl<double>::State t{1.0};
  EXPECT_NEAR(let_go.v, couple(bent, t, q, Motion<double>{.F_app = 0.999}, 1e-6, 1e-2).v, 1e-12);
}

TEST(FixedWorkJoint, SetValuedLawsHoldExactly) {
  Coulomb<float> c{{.Fc = 1, .Fs = 1.5F}};
  NoState s;
  StickSlip q;
  const auto held = couple_fixed(c, s, q, Motion<float>{.F_app = 1.4F}, 0.1F, 1e-3F);
  EXPECT_EQ(held.v, 0);
  EXPECT_EQ(held.F, 1.4F);
  EXPECT_TRUE(held.holds);
  const auto gone = couple_fixed(c, s, q, Motion<float>{.F_app = 1.6F}, 0.1F, 1e-3F);
  EXPECT_NEAR(gone.v, 0.006F, 1e-8);
  const With<Coulomb<float>, Effects<float>> around{c, {.asymmetry = 0.1F, .offset = 0.3F}};
  EXPECT_EQ(couple_fixed(around, s, q, Motion<float>{.F_app = 1.4F}, 0.1F, 1e-3F).v, 0);
}
