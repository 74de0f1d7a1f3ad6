/// Load, position, temperature and effects in batches and along motions: the forces of single contacts, for every model.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "bristle/batch.hpp"
#include "bristle/batch/along.hpp"
#include "bristle/registry/any.hpp"
#include "bristle/registry/describe.hpp"
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

/// Effects of every kind; the last one is on the load alone, as vector code has it.
std::vector<Table> all_effects(double force, double travel) {
  return {{{"offset", 0.2 * force}, {"asymmetry", -0.3}},
          {{"load_exponent", 0.8}, {"load_offset", 0.3}, {"temperature_coefficient", -0.01}},
          {{"ripple", 0.4}, {"ripple_period", 3 * travel}, {"cogging", 0.1 * force}, {"cogging_period", travel}},
          {{"noise", 0.1 * force}, {"noise_length", travel}, {"seed", 5}},
          {{"curve_x", {0, travel, 2.5 * travel}},
           {"curve_F", {0, 0.1 * force, 0.3 * force}},
           {"curve_load", {0, 0.5, -0.5}}},
          {{"load_exponent", 0}}};
}

/// Reversals, rests, several decades of speed, and a load that vanishes at times.
struct Inputs {
  std::vector<double> v, r, x, temperature;
  Inputs(std::size_t n, const Sizes& size, std::uint64_t seed) {
    Draw draw(seed);
    double at = 0;
    for (std::size_t i = 0; i < n; ++i) {
      v.push_back(draw.chance(0.1) ? 0 : draw.sign() * size.velocity * draw.log_uniform(1e-2, 10));
      r.push_back(draw.chance(0.05) ? 0 : draw.log_uniform(0.2, 3));
      x.push_back(at += draw.sign() * size.travel * draw.log_uniform(1e-2, 1));
      temperature.push_back(20 + 30 * draw.sign() * draw.log_uniform(0.1, 1));
    }
  }
};

}  // namespace

template <class N> class InputsLaw : public ::testing::Test {
 public:
  typename N::template Model<double> c{};
  Sizes size = sizes(c);
  double dt = 0.05 * size.travel / size.velocity;
  std::string name = c.card.name;
};
TYPED_TEST_SUITE(InputsLaw, AllModels, ModelName);

TYPED_TEST(InputsLaw, BatchesEqualSingleContacts) {
  if (this->c.has.random) return;  // a snap more or less is a jump
  const std::size_t n = 19;
  for (const Table& effects : all_effects(this->size.force, this->size.travel)) {
    for (const auto& isa : batch_instruction_sets()) {
      auto made = make_batch<double>(this->name, typical(this->name), n, isa, effects);
      ASSERT_TRUE(made.batch) << made.problems.front().line();
      std::vector<std::unique_ptr<AnyContact>> ones;
      for (std::size_t i = 0; i < n; ++i) ones.push_back(make(this->name, typical(this->name), effects).contact);
      std::vector<Place> places(n);
      std::vector<double> F(n);
      for (std::uint64_t k = 0; k < 12; ++k) {
        const Inputs in(n, this->size, k);
        const bool with_x = k % 2 == 0, with_r = k % 3 != 0;
        BatchInputs<double> more{.temperature = in.temperature};
        if (with_x) more.x = in.x;
        if (with_r) more.r = in.r;
        made.batch->step(in.v, this->dt, F, more);
        for (std::size_t i = 0; i < n; ++i) {
          Place& at = places[i];
          at = {with_x ? in.x[i] : at.x + in.v[i] * this->dt, at.path + std::abs(in.v[i]) * this->dt, at.t + this->dt};
          const Motion<double> u{.x = at.x,
                                 .v = in.v[i],
                                 .r = with_r ? in.r[i] : 1,
                                 .path = at.path,
                                 .t = at.t,
                                 .temperature = in.temperature[i]};
          const double want = ones[i]->step(u, this->dt);
          // As in batch_test.cpp; the gain of the temperature doubles it.
          ASSERT_NEAR(F[i], want, 2e-11 * (this->size.force + std::abs(want)))
              << isa << " " << effects.front().key << " " << i << " " << k;
        }
      }
    }
  }
}

TYPED_TEST(InputsLaw, WholeMotionsEqualSteps) {
  if (this->c.has.random) return;
  for (const Table& effects : all_effects(this->size.force, this->size.travel)) {
    for (int given = 0; given < 8; ++given) {
      auto made = make(this->name, typical(this->name), effects).contact;
      auto one = made->clone();
      const Inputs in(101, this->size, 7);
      std::vector<double> F(in.v.size());
      const std::vector<double> step{this->dt};
      Samples s{.dt = step, .v = in.v};
      if (given & 1) s.x = in.x;
      if (given & 2) s.r = in.r;
      if (given & 4) s.temperature = in.temperature;
      Place end, at;
      along(*made, s, end, F);
      for (std::size_t i = 0; i < in.v.size(); ++i) {
        at = {given & 1 ? in.x[i] : at.x + in.v[i] * this->dt, at.path + std::abs(in.v[i]) * this->dt, at.t + this->dt};
        const Motion<double> u{.x = at.x,
                               .v = in.v[i],
                               .r = given & 2 ? in.r[i] : 1,
                               .path = at.path,
                               .t = at.t,
                               .temperature = given & 4 ? in.temperature[i] : 20};
        const double want = one->step(u, this->dt);
        ASSERT_NEAR(F[i], want, 2e-11 * (this->size.force + std::abs(want)))
            << effects.front().key << " " << given << " " << i;
      }
      EXPECT_NEAR(end.x, at.x, 1e-12 * this->size.travel);
      EXPECT_NEAR(end.path, at.path, 1e-12 * at.path);
    }
  }
}

TEST(BatchInputs, EveryContactCanHaveItsOwnEffects) {
  const std::size_t n = 9;
  auto made = make_batch<float>("lugre", typical("lugre"), n, "", {{"offset", 0.5}, {"ripple", 0.1}});
  std::vector<float> offset, v(n, 0.01F), F(n);
  for (std::size_t i = 0; i < n; ++i) offset.push_back(static_cast<float>(i));
  ASSERT_TRUE(made.batch->vary("effects.offset", offset));
  EXPECT_FALSE(made.batch->vary("effects.nonsense", offset));
  EXPECT_THROW(made.batch->vary("effects.ripple", offset), BadInput);
  made.batch->step(v, 1e-3F, F);
  for (std::size_t i = 1; i < n; ++i) EXPECT_NEAR(F[i] - F[0], static_cast<float>(i), 1e-6F * static_cast<float>(i));
}

TEST(BatchInputs, BadValuesAreRefusedAndChangeNothing) {
  auto made = make_batch<double>("lugre", typical("lugre"), 2, "", {{"ripple", 0.3}, {"ripple_period", 1e-5}});
  auto same = make_batch<double>("lugre", typical("lugre"), 2, "", {{"ripple", 0.3}, {"ripple_period", 1e-5}});
  const std::vector<double> v{0.01, -0.02}, bad{1, std::numeric_limits<double>::quiet_NaN()}, minus{1, -1}, three(3);
  std::vector<double> F(2), G(2);
  EXPECT_THROW(made.batch->step(bad, 1e-3, F), BadInput);
  EXPECT_THROW(made.batch->step(v, 1e-3, F, {.r = minus}), BadInput);
  EXPECT_THROW(made.batch->step(v, 1e-3, F, {.x = bad}), BadInput);
  EXPECT_THROW(made.batch->step(v, 1e-3, F, {.temperature = three}), BadInput);
  made.batch->step(v, 1e-3, F);
  same.batch->step(v, 1e-3, G);
  EXPECT_EQ(F, G);
  EXPECT_FALSE(make_batch<double>("lugre", typical("lugre"), 2, "", {{"ripple", 2}}).problems.empty());
  EXPECT_FALSE(make_batch<double>("lugre", typical("lugre"), 2, "", {{"nonsense", 2}}).problems.empty());
}
