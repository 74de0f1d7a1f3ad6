/// Batches agree with the models, for every model, instruction set and scalar, at every position in the batch.
#include "bristle/batch.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "bristle/registry/any.hpp"
#include "bristle/registry/describe.hpp"
#include "support/drive.hpp"
#include "support/models.hpp"
#include "support/random.hpp"

using namespace bristle;

namespace {

Table typical(const std::string& model) {
  Table t;
  for (const auto& f : find_model(model)->parameters) {
    if (f.required) t.push_back({f.name, f.value});
  }
  return t;
}

/// Reversals, rests and four decades of speed around the model's own.
template <class C> std::vector<double> motion(const C& c, std::size_t n, std::uint64_t seed) {
  Draw draw(seed);
  const Sizes size = sizes(c);
  std::vector<double> v(n);
  double now = 0;
  for (double& e : v) {
    if (draw.chance(0.2)) now = draw.chance(0.1) ? 0 : draw.sign() * size.velocity * draw.log_uniform(1e-2, 1e2);
    e = now;
  }
  return v;
}

}  // namespace

template <class N> class BatchLaw : public ::testing::Test {
 public:
  template <class T> using M = typename N::template Model<T>;
  M<double> c{};
  Sizes size = sizes(c);
  double dt = 0.05 * size.travel / size.velocity;
  std::string name = c.card.name;
};
TYPED_TEST_SUITE(BatchLaw, AllModels, ModelName);

TYPED_TEST(BatchLaw, AlongAMotionEqualsStepByStep) {
  if (this->c.has.random) return;  // a snap more or less is a jump
  const auto v = motion(this->c, 1003, 1);
  Mover body(this->c);
  std::vector<double> want, got(v.size());
  for (const double e : v) want.push_back(body.move(e, this->dt));
  for (const auto& isa : batch_instruction_sets()) {
    auto made = make_batch<double>(this->name, typical(this->name), 1, isa);
    ASSERT_TRUE(made.batch) << made.problems.front().line();
    made.batch->along(std::span(v).first(500), this->dt, std::span(got).first(500));  // in two parts: the state is kept
    made.batch->along(std::span(v).subspan(500), this->dt, std::span(got).subspan(500));
    for (std::size_t i = 0; i < v.size(); ++i) {
      // The quick functions are good to 3 ulp; sigma1 dz/dt amplifies the rounding of z by up to 1e4.
      ASSERT_NEAR(got[i], want[i], 1e-11 * (this->size.force + std::abs(want[i]))) << isa << " " << i;
    }
  }
}

TYPED_TEST(BatchLaw, ManyContactsEqualOneByOneWhereverTheyStand) {
  const std::size_t n = 37;
  for (const auto& isa : batch_instruction_sets()) {
    auto all = make_batch<double>(this->name, typical(this->name), n, isa);
    auto one = make_batch<double>(this->name, typical(this->name), 1, isa);
    Draw draw(2);
    std::vector<double> F(n), f(1);
    for (int k = 0; k < 60; ++k) {
      const double v = draw.sign() * this->size.velocity * draw.log_uniform(1e-2, 1e2);
      all.batch->step(std::vector<double>(n, v), this->dt, F);
      one.batch->step(std::vector<double>(1, v), this->dt, f);
      for (const double e : F) ASSERT_EQ(e, f[0]) << isa;  // to the bit
    }
    if (this->c.has.random) continue;
    Mover body(this->c);
    one.batch->reset();
    for (int k = 0; k < 60; ++k) {
      const double v = draw.sign() * this->size.velocity * draw.log_uniform(1e-2, 1e2), want = body.move(v, this->dt);
      one.batch->step(std::vector<double>(1, v), this->dt, f);
      ASSERT_NEAR(f[0], want, 1e-11 * (this->size.force + std::abs(want))) << isa;
    }
  }
}

TYPED_TEST(BatchLaw, EveryContactCanHaveItsOwnParameters) {
  if (this->c.has.random) return;
  const std::size_t n = 19;
  std::string parameter;
  each_scalar(this->c.p, [&](const auto& f, int i, double& e) {
    if (parameter.empty() && e > 0 && std::isfinite(e))
      parameter = i > 0 ? std::string(f.name) + std::to_string(i) : f.name;
  });
  for (const auto& isa : batch_instruction_sets()) {
    auto made = make_batch<double>(this->name, typical(this->name), n, isa);
    std::vector<typename TestFixture::template M<double>> models(n, this->c);
    std::vector<double> values(n), v(n), F(n);
    for (std::size_t i = 0; i < n; ++i) {
      bool first = true;
      each_scalar(models[i].p, [&](const auto&, int, double& e) {
        if (first && e > 0 && std::isfinite(e)) {
          e *= 1 + 0.01 * static_cast<double>(i);
          values[i] = e;
          first = false;
        }
      });
    }
    ASSERT_TRUE(made.batch->vary(parameter, values));
    ASSERT_FALSE(made.batch->vary("nonsense", values));
    std::vector<Mover<typename TestFixture::template M<double>>> bodies(models.begin(), models.end());
    Draw draw(3);
    for (int k = 0; k < 50; ++k) {
      for (double& e : v) e = draw.sign() * this->size.velocity * draw.log_uniform(1e-2, 1e2);
      made.batch->step(v, this->dt, F);
      for (std::size_t i = 0; i < n; ++i) {
        const double want = bodies[i].move(v[i], this->dt);
        ASSERT_NEAR(F[i], want, 1e-11 * (this->size.force + std::abs(want))) << isa << " " << i;
      }
    }
  }
}

TYPED_TEST(BatchLaw, FloatFollowsDouble) {
  if (this->c.has.random) return;
  const auto v = motion(this->c, 200, 4);
  const std::vector<float> w(v.begin(), v.end());
  std::vector<double> want(v.size());
  std::vector<float> got(v.size());
  make_batch<double>(this->name, typical(this->name), 1).batch->along(v, this->dt, want);
  for (const auto& isa : batch_instruction_sets()) {
    make_batch<float>(this->name, typical(this->name), 1, isa).batch->along(w, static_cast<float>(this->dt), got);
    for (std::size_t i = 0; i < v.size(); ++i)
      ASSERT_NEAR(got[i], want[i], 2e-3 * (this->size.force + std::abs(want[i]))) << isa << i;
  }
}

TEST(Batch, SlopeOfTheStribeckCurveAndDampingVaryToo) {
  // Options that have their own fast path must also be right when they are not at their usual values.
  Table t = typical("lugre");
  t.push_back({"alpha", 1.3});
  t.push_back({"vd", 2e-3});
  const LuGre<> c{{.alpha = 1.3, .vd = 2e-3}};
  const auto v = motion(c, 300, 5);
  std::vector<double> F(v.size());
  for (const auto& isa : batch_instruction_sets()) {
    Mover body(c);
    make_batch<double>("lugre", t, 1, isa).batch->along(v, 1e-4, F);
    for (std::size_t i = 0; i < v.size(); ++i) ASSERT_NEAR(F[i], body.move(v[i], 1e-4), 1e-10) << isa;
  }
}

TEST(Batch, GmsWithManyElementsAndWithDamping) {
  Table t = typical("gms");
  Gms<> c{};
  std::vector<double> k, nu, sigma;
  for (int i = 0; i < 64; ++i) {
    k.push_back(1e4 + 500 * i);
    nu.push_back(1.0 / 64);
  }
  for (auto& e : t) {
    if (e.key == "k") e.value = k;
    if (e.key == "nu") e.value = nu;
  }
  c.p.k.n = c.p.nu.n = 64;
  for (std::size_t i = 0; i < 64; ++i) {
    c.p.k[i] = k[i];
    c.p.nu[i] = nu[i];
  }
  const auto v = motion(c, 300, 6);
  std::vector<double> F(v.size());
  for (const auto& isa : batch_instruction_sets()) {
    Mover body(c);
    make_batch<double>("gms", t, 1, isa).batch->along(v, 1e-3, F);
    for (std::size_t i = 0; i < v.size(); ++i) ASSERT_NEAR(F[i], body.move(v[i], 1e-3), 1e-12) << isa;
  }
}

TEST(Batch, BadInputIsRefused) {
  EXPECT_FALSE(make_batch<double>("lugra", {}, 1).batch);
  EXPECT_FALSE(make_batch<double>("lugre", {}, 1).problems.empty());
  EXPECT_FALSE(make_batch<double>("lugre", typical("lugre"), 0).batch);
  EXPECT_FALSE(make_batch<double>("lugre", typical("lugre"), 1, "mmx").batch);
  auto made = make_batch<double>("lugre", typical("lugre"), 2);
  std::vector<double> two(2), three(3);
  EXPECT_THROW(made.batch->step(two, 0, two), BadInput);
  EXPECT_THROW(made.batch->step(two, std::numeric_limits<double>::quiet_NaN(), two), BadInput);
  EXPECT_THROW(made.batch->step(three, 1e-3, three), BadInput);
  EXPECT_THROW(made.batch->step(two, 1e-3, three), BadInput);
  EXPECT_THROW(made.batch->vary("Fc", three), BadInput);
  EXPECT_THROW(made.batch->vary("Fc", std::vector<double>{1, -1}), BadInput);
}
