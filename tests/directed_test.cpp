/// Parameters of their own for negative motion: forces by hand, energy, equal bits, refusals.
#include <gtest/gtest.h>

#include <cmath>

#include "bristle/directed.hpp"
#include "bristle/effects.hpp"
#include "bristle/models.hpp"
#include "bristle/registry/any.hpp"
#include "bristle/registry/describe.hpp"
#include "support/random.hpp"

using namespace bristle;

static_assert(SetValued<Directed<Coulomb<>>> && Hybrid<Directed<Gms<>>> && Flow<With<Directed<LuGre<>>, Effects<>>>);
static_assert(std::is_same_v<rebound<Directed<LuGre<>>, float>, Directed<LuGre<float>>>);

namespace {

std::unique_ptr<AnyContact> contact(const std::string& model, const Table& parameters, const Table& negative) {
  Made made = make(model, parameters, negative);
  EXPECT_TRUE(made.contact) << (made.problems.empty() ? "" : made.problems.front().line());
  return std::move(made.contact);
}
std::string refusal(const std::string& model, const Table& parameters, const Table& negative) {
  const Made made = make(model, parameters, negative);
  return made.problems.empty() ? "" : made.problems.front().line();
}
/// The typical parameters of a model.
Table typical(const ModelInfo& info) {
  Table out;
  for (const FieldInfo& f : info.parameters) {
    if (f.required) out.push_back({f.name, f.value});
  }
  return out;
}

TEST(Directed, StaticLawsHaveTheirOwnNumbersInEachDirection) {
  const auto c = contact("coulomb", {{"Fc", 2.0}, {"kv", 1.0}}, {{"negative.Fc", 3.0}, {"negative.kv", 0.5}});
  EXPECT_DOUBLE_EQ(c->step({.v = 2}, 1), 4);
  EXPECT_DOUBLE_EQ(c->step({.v = -2}, 1), -4);
  // The breakaway force follows Fc of its direction, as no Fs was given.
  EXPECT_EQ(c->couple({.F_app = 1.99}, 1, 1e-3).v, 0);
  EXPECT_GT(c->couple({.F_app = 2.01}, 1, 1e-3).v, 0);
  EXPECT_EQ(c->couple({.F_app = -2.99}, 1, 1e-3).v, 0);
  EXPECT_LT(c->couple({.F_app = -3.01}, 1, 1e-3).v, 0);
}

TEST(Directed, BristlesSlideAtTheLevelOfTheirDirectionAndTurnWithoutAJump) {
  const auto c = contact("lugre", {{"Fc", 1.0}, {"Fs", 1.5}, {"vs", 1e-3}, {"sigma0", 1e5}, {"sigma1", 300.0}},
                         {{"negative.Fc", 2.0}, {"negative.Fs", 2.5}});
  double F = 0;
  for (int i = 0; i < 200; ++i) F = c->step({.v = 0.1}, 1e-3);
  EXPECT_NEAR(F, 1, 1e-9);
  EXPECT_NEAR(c->step({.v = -1e-9}, 1e-6), 1, 1e-4);
  for (int i = 0; i < 200; ++i) F = c->step({.v = -0.1}, 1e-3);
  EXPECT_NEAR(F, -2, 1e-9);
}

TEST(Directed, EqualNumbersGiveTheSameBits) {
  for (const ModelInfo& info : model_infos()) {
    if (info.level == "contact") continue;
    const Table p = typical(info);
    if (info.set_valued && !info.states.empty()) continue;  // refused
    if (info.has.random) continue;
    const auto plain = make(info.name, p, {{"offset", 0.0}}).contact;
    Table same{{"offset", 0.0}};
    for (const Entry& e : p) same.push_back({"negative." + e.key, e.value});
    const auto directed = contact(info.name, p, same);
    Draw draw(3);
    for (int i = 0; i < 300; ++i) {
      const double v = draw.sign() * draw.log_uniform(1e-6, 1e-1), dt = draw.log_uniform(1e-5, 1e-1);
      ASSERT_EQ(plain->step({.v = v}, dt), directed->step({.v = v}, dt)) << info.name;
    }
    const auto a = plain->couple({.v = 1e-3, .F_app = 3}, 1, 1e-3),
               b = directed->couple({.v = 1e-3, .F_app = 3}, 1, 1e-3);
    EXPECT_EQ(a.v, b.v) << info.name;
    EXPECT_EQ(a.F, b.F) << info.name;
  }
}

/// From rest, the work done on a passive contact is never negative. Forces and the viscous part differ by up to a factor
/// of two; whatever is accepted must not create energy.
TEST(Directed, EnergyIsNeverCreated) {
  std::size_t accepted = 0;
  for (const ModelInfo& info : model_infos()) {
    if (info.level == "contact" || !info.passive || info.has.random) continue;
    Draw draw(11);
    for (int trial = 0; trial < 6; ++trial) {
      const Table p = typical(info);
      Table negative;
      for (const FieldInfo& f : info.parameters) {
        const double* value = f.value.as<double>();
        if (!f.required || f.kind != Kind::real || !f.fitted) continue;
        const bool chosen = trial < 3 ? f.unit == "N" || f.unit == "N s/m" : draw.sign() > 0;
        if (chosen)
          negative.push_back({"negative." + f.name, *value * (trial % 3 == 0 ? 2.0 : draw.log_uniform(1, 2))});
      }
      const Made made = make(info.name, p, negative);
      if (!made.contact || !made.contact->passive()) continue;
      ++accepted;
      const Scales<double> size = made.contact->scales();
      const double way = size.displacement > 0 ? size.displacement : 1e-5;
      const double v0 = size.velocity > 0 ? size.velocity : 1e-3;
      double work = 0, before = 0, most = 0;
      for (int i = 0; i < 400; ++i) {
        const double v = draw.sign() * draw.log_uniform(1e-2, 1e2) * v0, travel = draw.log_uniform(1e-2, 3) * way;
        constexpr int parts = 60;
        for (int k = 0; k < parts; ++k) {
          const double F = made.contact->step({.v = v, .F_app = before}, travel / parts / std::abs(v));
          work += 0.5 * (F + (k == 0 ? F : before)) * (v > 0 ? travel : -travel) / parts;
          before = F;
          most = std::max(most, work);
          ASSERT_GE(work, -1e-2 * size.force * way) << info.name << " trial " << trial << " stroke " << i;
        }
      }
    }
  }
  EXPECT_GT(accepted, 60U);
}

TEST(Directed, ElasticParametersMustBeTheSame) {
  const Table lugre{{"Fc", 1.0}, {"Fs", 1.5}, {"vs", 1e-3}, {"sigma0", 1e5}, {"sigma1", 300.0}};
  EXPECT_NE(refusal("lugre", lugre, {{"negative.sigma0", 2e5}}).find("elastic parameters must be the same"),
            std::string::npos);
  EXPECT_EQ(refusal("lugre", lugre, {{"negative.sigma0", 1e5}, {"negative.kv", 3.0}}), "");
  EXPECT_NE(refusal("dankowicz", {{"Fc", 1.0}, {"delta", 1e-5}}, {{"negative.Fc", 2.0}}), "");
  EXPECT_EQ(refusal("lugre", lugre, {{"negative.Fd", 2.0}}),
            "unknown key 'Fd' in [friction.negative], did you mean 'Fc'?");
  EXPECT_NE(refusal("coulomb", {{"Fc", 1.0}}, {{"negative.Fc", -2.0}}).find("Fc = -2 N must be >= 0"),
            std::string::npos);
  EXPECT_NE(refusal("stribeck", {{"Fc", 1.0}, {"Fs", 1.5}, {"vs", 1e-3}}, {{"negative.Fc", 2.0}}).find("Fs >= Fc"),
            std::string::npos);
}

TEST(Directed, SettingsAndTextKeepBothDirections) {
  const auto c = contact("stribeck", {{"Fc", 1.0}, {"Fs", 1.5}, {"vs", 1e-3}}, {{"negative.Fs", 2.0}, {"offset", 0.5}});
  EXPECT_EQ(*c->parameter("negative.Fs").as<double>(), 2);
  c->set("negative.Fs", 1.75);
  c->set("negative.kv", 4.0);
  EXPECT_EQ(*c->parameter("negative.kv").as<double>(), 4);
  c->step({.v = -0.3}, 1e-3);
  const Made again = deserialise(serialise(*c));
  ASSERT_TRUE(again.contact);
  EXPECT_EQ(again.contact->step({.v = -0.2}, 1e-3), c->step({.v = -0.2}, 1e-3));
  EXPECT_EQ(again.contact->settings().size(), c->settings().size());
}

}  // namespace
