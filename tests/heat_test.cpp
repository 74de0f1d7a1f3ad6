/// Heat of friction around lumped models: closed forms of the temperature, exact nodes, energy, keys.
#include <gtest/gtest.h>

#include <cmath>

#include "bristle/batch/along.hpp"
#include "bristle/heat.hpp"
#include "bristle/registry/any.hpp"
#include "support/random.hpp"

using namespace bristle;

namespace {

const Table lugre{{"Fc", 1}, {"Fs", 1.5}, {"vs", 0.01}, {"sigma0", 1e4}, {"sigma1", 100}, {"kv", 4}};

std::unique_ptr<AnyContact> contact(const char* model, const Table& parameters, const Table& heat) {
  Table effects;
  for (const Entry& e : heat) effects.push_back({"heat." + e.key, e.value});
  Made made = make(model, parameters, effects);
  for (const Problem& p : made.problems) ADD_FAILURE() << p.line();
  return std::move(made.contact);
}
double state(const AnyContact& c, const std::string& name) {
  for (const Variable& v : c.states()) {
    if (v.name == name) return v.value;
  }
  return std::nan("");
}
const Table warm{{"capacity", 20}, {"conductance", 0.5}, {"ambient", 20}};
Table with(Table t, const Table& more) {
  t.insert(t.end(), more.begin(), more.end());
  return t;
}
const Table oil = with(warm, {{"viscous", "exponential"}, {"viscous_coefficient", 0.03}});

/// Slides at v for a time in n steps; the force at the end.
double slide(AnyContact& c, double v, double time, int n) {
  double F = 0;
  for (int i = 0; i < n; ++i) F = c.step({.v = v}, time / n);
  return F;
}

}  // namespace

/// T = T0 + W/b, W = LambertW(b kv v^2/h).
TEST(Heat, ViscousFrictionFindsItsTemperature) {
  const auto c = contact("viscous", {{"kv", 50}}, oil);
  const double F = slide(*c, 0.5, 4000, 400);
  EXPECT_NEAR(state(*c, "T"), 35.6383404, 1e-6);
  EXPECT_NEAR(F, 15.6383404, 1e-6);
  const auto d = contact("viscous", {{"kv", 50}}, oil);
  slide(*d, 0.5, 40, 4000);
  EXPECT_NEAR(state(*d, "T"), 32.2546505, 1e-5);
  // The time constant C/(h (1 + W)) near the end.
  const double T = 35.6383404;
  slide(*d, 0.5, 160, 16000);
  const double before = state(*d, "T");
  slide(*d, 0.5, 27.2266237, 4000);
  EXPECT_NEAR((T - state(*d, "T")) / (T - before), std::exp(-1), 2e-3);
  // Friction is largest at v*.
  double most = 0;
  for (const double v : {0.9, 0.951889669, 1.0}) {
    const auto e = contact("viscous", {{"kv", 50}}, oil);
    const double G = slide(*e, v, 4000, 400);
    if (v == 0.951889669) {
      EXPECT_NEAR(G, 17.509032, 1e-5);
      most = G;
    } else if (most > 0) {
      EXPECT_LT(G, most);
    }
  }
  const auto v =
      contact("viscous", {{"kv", 50}}, with(warm, {{"viscous", "vogel"}, {"vogel_B", 900}, {"vogel_theta", 110}}));
  slide(*v, 0.5, 4000, 400);
  EXPECT_NEAR(state(*v, "T"), 33.204165, 1e-5);
}

TEST(Heat, CoulombFriction) {
  const auto c = contact("coulomb", {{"Fc", 10}}, with(warm, {{"dry", "linear"}, {"dry_coefficient", 0.004}}));
  slide(*c, 0.5, 4000, 400);
  EXPECT_NEAR(state(*c, "T"), 29.6153846, 1e-6);
  const double tau = 20 / (0.5 + 0.004 * 10 * 0.5);
  c->reset();
  slide(*c, 0.5, tau, 2000);
  EXPECT_NEAR(state(*c, "T"), 20 + 9.6153846 * (1 - std::exp(-1)), 1e-5);
}

TEST(Heat, FlashNode) {
  const Heat h{.capacity = 20, .conductance = 0.5, .ambient = 20, .flash_capacity = 0.01, .flash_conductance = 2};
  const Heat::Nodes n = h.after(h.start(), 5, 5, 10);
  EXPECT_NEAR(n.T_flash, 24.7090728, 1e-6);
  EXPECT_NEAR(n.T, 22.2100462, 1e-6);
  const auto c = contact("coulomb", {{"Fc", 10}}, with(warm, {{"flash_capacity", 0.01}, {"flash_conductance", 2}}));
  slide(*c, 0.5, 10, 10);
  EXPECT_NEAR(state(*c, "T_flash"), 24.7090728, 1e-6);
  EXPECT_NEAR(state(*c, "T"), 22.2100462, 1e-6);
}

/// Nodes with a linear power are exact: one step equals a fine Runge-Kutta integration, for random constants; and the energy
/// that came in is stored or lost.
TEST(Heat, NodesAreExact) {
  Draw draw(2);
  for (int k = 0; k < 100; ++k) {
    Heat h{.capacity = draw.log_uniform(0.1, 100),
           .conductance = draw.chance(0.2) ? 0 : draw.log_uniform(0.01, 10),
           .ambient = draw.uniform(-20, 80)};
    if (draw.chance(0.6)) {
      h.flash_capacity = draw.log_uniform(0.01, 10);
      h.flash_conductance = draw.log_uniform(0.01, 10);
    }
    const Heat::Nodes start{draw.uniform(-20, 100), h.flash() ? draw.uniform(-20, 100) : 0};
    const double fastest =
        (h.conductance + h.flash_conductance) / h.capacity + (h.flash() ? h.flash_conductance / h.flash_capacity : 0);
    const double P0 = draw.uniform(-5, 50), P1 = draw.uniform(-5, 50),
                 dt = draw.log_uniform(1e-3, 30) / std::max(fastest, 0.01);
    const Heat::Nodes end = h.after(start, P0, P1, dt);
    Heat::Nodes n = start;
    double lost = 0;
    const int steps = 4000;
    const double s = dt / steps;
    for (int i = 0; i < steps; ++i) {
      auto f = [&](Heat::Nodes m, double at) { return h.rates(m, P0 + (P1 - P0) * (i + at) / steps); };
      auto plus = [](Heat::Nodes m, const Heat::Nodes& r, double x) {
        return Heat::Nodes{m.T + x * r.T, m.T_flash + x * r.T_flash};
      };
      const auto k1 = f(n, 0), k2 = f(plus(n, k1, s / 2), 0.5), k3 = f(plus(n, k2, s / 2), 0.5),
                 k4 = f(plus(n, k3, s), 1);
      const double before = n.T;
      n = plus(plus(plus(plus(n, k1, s / 6), k2, s / 3), k3, s / 3), k4, s / 6);
      lost += h.conductance * (0.5 * (before + n.T) - h.ambient) * s;
    }
    EXPECT_NEAR(end.T, n.T, 1e-7 * (std::abs(n.T) + 1)) << k;
    EXPECT_NEAR(end.T_flash, n.T_flash, 1e-7 * (std::abs(n.T_flash) + 1)) << k;
    const double in = 0.5 * (P0 + P1) * dt;
    EXPECT_NEAR(h.capacity * (end.T - start.T) + h.flash_capacity * (end.T_flash - start.T_flash) + lost, in,
                1e-5 * (std::abs(in) + h.capacity * 100))
        << k;
  }
}

/// Any number of steps, however long, ends in the equilibrium.
TEST(Heat, StableForAnyStep) {
  for (const double dt : {1.0, 1e2, 1e4, 1e6}) {
    const auto c = contact("viscous", {{"kv", 50}}, oil);
    for (int i = 0; i < 60; ++i) c->step({.v = 0.5}, dt);
    if (dt > 1) { EXPECT_NEAR(state(*c, "T"), 35.6383404, 1e-5) << dt; }
    EXPECT_LT(state(*c, "T"), 36);
  }
}

TEST(Heat, LuGreAlongASine) {
  const auto c = contact("lugre", lugre,
                         {{"capacity", 0.05},
                          {"conductance", 0.02},
                          {"ambient", 20},
                          {"dry", "exponential"},
                          {"dry_coefficient", 0.01},
                          {"viscous", "exponential"},
                          {"viscous_coefficient", 0.03}});
  const int n = 30000;
  const double h = 0.3 / n, w = 2 * std::acos(-1.0);
  for (int i = 0; i < n; ++i) c->step({.v = 0.2 * std::sin(w * (i + 0.5) * h)}, h);
  EXPECT_NEAR(state(*c, "T"), 21.31476, 2e-5);
  EXPECT_NEAR(c->force({.v = 0.2 * std::sin(w * 0.3)}), 1.71835793, 2e-5);
}

TEST(Heat, MeasuredTemperatureOverrides) {
  const auto c = contact("viscous", {{"kv", 50}}, oil);
  const std::vector<double> v(3, 0.5), dt{1.0}, T{20, 30, 40};
  std::vector<double> F(3);
  Place place;
  along(*c, {.dt = dt, .v = v, .temperature = T}, place, F);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(F[i], 25 * std::exp(-0.03 * (T[i] - 20)), 1e-12);
}

TEST(Heat, CoupleHoldsAndHeats) {
  const auto c =
      contact("coulomb", {{"Fc", 10}, {"Fs", 12}}, with(warm, {{"dry", "linear"}, {"dry_coefficient", 0.004}}));
  for (const double dt : {1e-6, 1.0, 1e3}) {
    const auto r = c->couple({.v = 0, .F_app = 11}, 1, dt);
    EXPECT_TRUE(r.holds);
    EXPECT_EQ(r.v, 0);
  }
  EXPECT_NEAR(state(*c, "T"), 20, 1e-12);
  double v = 1;
  for (int i = 0; i < 100; ++i) v = c->couple({.v = v, .F_app = 0}, 1, 1e-3).v;
  EXPECT_NEAR((state(*c, "T") - 20) * 20, 0.5, 0.01);  // the kinetic energy, less what left
  EXPECT_EQ(v, 0);
}

TEST(Heat, TextAndParameters) {
  const auto c = contact("lugre", lugre, oil);
  slide(*c, 0.1, 1, 10);
  const Made again = deserialise(serialise(*c));
  ASSERT_TRUE(again.contact) << again.problems.front().line();
  EXPECT_EQ(again.contact->step({.v = 0.05}, 0.1), c->step({.v = 0.05}, 0.1));
  EXPECT_EQ(c->parameter("heat.capacity"), Value(20.0));
  c->set("heat.capacity", 40);
  EXPECT_EQ(c->parameter("heat.capacity"), Value(40.0));
  EXPECT_FALSE(c->has_effects());
}

TEST(Heat, Refusals) {
  auto problem = [](const char* model, const Table& parameters, const Table& heat) {
    Table effects;
    for (const Entry& e : heat) effects.push_back({"heat." + e.key, e.value});
    const Made made = make(model, parameters, effects);
    return made.problems.empty() ? std::string() : made.problems.front().line();
  };
  EXPECT_NE(problem("gfm", {}, warm).find("[friction.heat] is not accepted by gfm"), std::string::npos);
  EXPECT_NE(problem("viscous", {{"kv", 1}}, {{"capacity", 1}}).find("missing key 'conductance' in [friction.heat]"),
            std::string::npos);
  EXPECT_NE(problem("viscous", {{"kv", 1}}, with(warm, {{"flash_capacity", 1}})).find("both > 0"), std::string::npos);
  EXPECT_NE(problem("viscous", {{"kv", 1}}, with(warm, {{"viscous", "vogel"}, {"vogel_B", 900}, {"vogel_theta", -30}}))
                .find("T + vogel_theta > 0"),
            std::string::npos);
  EXPECT_NE(problem("viscous", {{"kv", 1}}, with(warm, {{"dry_coefficient", 0.1}})).find("dry"), std::string::npos);
  EXPECT_NE(problem("viscous", {{"kv", 1}}, with(warm, {{"capacty", 1}})).find("did you mean 'capacity'?"),
            std::string::npos);
}
