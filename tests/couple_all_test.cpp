/// All contacts of a mechanism in one implicit step: it holds, balances, creates no energy, and does not care about the order.
#include "bristle/couple_all.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "bristle/models.hpp"
#include "bristle/registry/any.hpp"
#include "bristle/registry/describe.hpp"
#include "support/arm.hpp"
#include "support/random.hpp"
#include "support/units.hpp"

using namespace bristle;

namespace {

using Contacts = std::vector<std::unique_ptr<AnyContact>>;
using Motions = std::vector<Motion<double>>;

std::vector<ContactRef> refs(const Contacts& contacts) {
  std::vector<ContactRef> out;
  for (const auto& c : contacts) out.push_back(c->ref());
  return out;
}
Contacts clones(const Contacts& contacts) {
  Contacts out;
  for (const auto& c : contacts) out.push_back(c->clone());
  return out;
}

/// Friction of a joint that has to hold a torque.
std::unique_ptr<AnyContact> joint(const std::string& model, double torque) {
  const double Fc = 1.2 * torque + 0.1, Fs = 1.5 * Fc;
  Table p{{"Fc", Fc}, {"Fs", Fs}, {"vs", 0.01}};
  auto add = [&](const Table& more) { p.insert(p.end(), more.begin(), more.end()); };
  if (model == "lugre") add({{"sigma0", 1e4 * Fc}, {"sigma1", 20 * Fc}});
  if (model == "gms")
    add({{"k", {4e3 * Fc, 3e3 * Fc, 2e3 * Fc, 1e3 * Fc}},
         {"nu", {0.1, 0.225, 0.3, 0.375}},
         {"C", 100 * Fc},
         {"sigma", {8 * Fc, 6 * Fc, 4 * Fc, 2 * Fc}}});
  auto made = make(model, p);
  for (const Problem& problem : made.problems) ADD_FAILURE() << problem.line();
  return std::move(made.contact);
}
/// An arm that is let go at rest.
struct Held {
  Arm arm;
  std::vector<double> q, v;
  Contacts joints;
  Held(std::size_t links, const std::vector<std::string>& models) : arm(links), q(links, 0.1), v(links) {
    arm.at(q, v);
    for (std::size_t i = 0; i < links; ++i) joints.push_back(joint(models[i % models.size()], std::abs(arm.bias[i])));
  }
  Motions motions() {
    arm.at(q, v);
    Motions u(arm.n);
    for (std::size_t i = 0; i < arm.n; ++i) u[i] = {.x = q[i], .v = v[i], .F_app = -arm.bias[i]};
    return u;
  }
  void move(std::size_t i, double w, double dt) {
    v[i] = w;
    q[i] += w * dt;
  }
};
/// How far the joints stray after the first second of ten.
template <class Step> double drift(Held& held, double dt, Step&& step) {
  std::vector<double> begin;
  double most = 0;
  for (int k = 0; k < std::lround(10 / dt); ++k) {
    step();
    if (k * dt < 1) continue;
    if (begin.empty()) begin = held.q;
    for (std::size_t i = 0; i < begin.size(); ++i) most = std::max(most, std::abs(held.q[i] - begin[i]));
  }
  return most;
}

/// A random contact in random units. Those that draw from a seed jump too often to balance.
std::unique_ptr<AnyContact> random_contact(Draw& draw, const units::System& units, double strength) {
  std::vector<std::string> names;
  Models::each([&]<template <class> class M>() {
    if (!M<double>::has.random) names.emplace_back(M<double>::card.name);
  });
  const std::string name = names[static_cast<std::size_t>(draw.uniform(0, static_cast<double>(names.size())))];
  Table table;
  for (const FieldInfo& f : find_model(name)->parameters) {
    const double scale = units.of(f.unit.empty() ? "1" : f.unit) * (f.unit.starts_with("N") ? strength : 1);
    if (const double* x = f.value.as<double>()) {
      if (std::isfinite(*x)) table.push_back({f.name, *x * scale});
    } else if (const auto* a = f.value.as<std::vector<double>>(); a && !a->empty()) {
      std::vector<double> scaled = *a;
      for (double& e : scaled) e *= scale;
      table.push_back({f.name, scaled});
    }
  }
  const Table effects = draw.chance(0.8) ? Table{} : Table{{"asymmetry", 0.2}, {"offset", 0.1 * units.of("N")}};
  auto made = make(name, table, effects);
  for (const Problem& problem : made.problems) ADD_FAILURE() << problem.line();
  return std::move(made.contact);
}

/// A mechanism with a random inertia, in random units.
struct Mechanism {
  std::size_t n;
  units::System units;
  std::vector<double> M, root;  // root: of the diagonal
  Contacts contacts;
  double dt, force;
  explicit Mechanism(Draw& draw, std::size_t size) : n(size), M(n * n), root(n) {
    units = {draw.log_uniform(1e-3, 1e3), draw.log_uniform(1e-2, 1e2), draw.log_uniform(1e-2, 1e2)};
    force = units.of("N");
    dt = units.s * draw.log_uniform(1e-5, 1e-1);
    std::vector<double> A(n * n), scale(n);
    for (double& a : A) a = draw.uniform(-1, 1);
    for (double& s : scale) s = std::sqrt(units.kg * draw.log_uniform(1e-3, 10));
    const double extra = draw.log_uniform(1e-3, 1);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        double sum = i == j ? extra : 0;
        for (std::size_t k = 0; k < n; ++k) sum += A[i * n + k] * A[j * n + k];
        M[i * n + j] = sum * scale[i] * scale[j];
      }
      root[i] = std::sqrt(M[i * n + i]);
      contacts.push_back(random_contact(draw, units, draw.log_uniform(0.1, 10)));
    }
  }
  void load(Draw& draw, Motions& u, bool loaded) const {
    for (auto& m : u) m.F_app = loaded ? force * draw.uniform(-3, 3) : 0;
  }
};
void follow(Motions& u, std::span<const Coupled<double>> out, double dt) {
  for (std::size_t i = 0; i < u.size(); ++i) {
    u[i].v = out[i].v;
    u[i].x += dt * out[i].v;
    u[i].path += dt * std::abs(out[i].v);
  }
}
std::size_t some(Draw& draw) { return 1 + static_cast<std::size_t>(draw.uniform(0, 7)); }

}  // namespace

TEST(CoupleAll, ArmsHoldAtAnyStep) {
  const std::vector<std::vector<std::string>> kinds{{"lugre"}, {"stribeck"}, {"gms"}, {"gms", "lugre", "stribeck"}};
  for (const std::size_t links : {3U, 7U}) {
    for (const auto& models : kinds) {
      for (const double dt : {1e-3, 2e-3, 5e-3, 2e-2}) {
        Held held(links, models);
        CoupleAll work(links);
        const auto contacts = refs(held.joints);
        const double strays = drift(held, dt, [&] {
          ASSERT_TRUE(work.step(contacts, MassMatrix{held.arm.M}, held.motions(), dt));
          for (std::size_t i = 0; i < links; ++i) held.move(i, work.result()[i].v, dt);
        });
        EXPECT_LT(strays, 1e-10) << links << " links, " << models.front() << ", " << dt << " s";
      }
    }
  }
}

/// Why all at once: each joint with the inertia that it feels, 1/(M^-1)_ii, lets the arm sink.
TEST(CoupleAll, JointByJointDoesNotHold) {
  Held held(3, {"lugre"});
  const double dt = 1e-3;
  const double strays = drift(held, dt, [&] {
    const Motions u = held.motions();
    // Inverse of a 3 x 3 matrix by cofactors, and the acceleration without friction.
    const auto& M = held.arm.M;
    auto cofactor = [&](std::size_t i, std::size_t j) {
      const std::size_t a = (i + 1) % 3, b = (i + 2) % 3, c = (j + 1) % 3, d = (j + 2) % 3;
      return M[a * 3 + c] * M[b * 3 + d] - M[a * 3 + d] * M[b * 3 + c];
    };
    const double det = M[0] * cofactor(0, 0) + M[1] * cofactor(0, 1) + M[2] * cofactor(0, 2);
    double F[3], free[3];
    for (std::size_t i = 0; i < 3; ++i) {
      free[i] = 0;
      for (std::size_t j = 0; j < 3; ++j) free[i] += cofactor(j, i) / det * u[j].F_app;
      const double mass = det / cofactor(i, i);
      Motion<double> alone = u[i];
      alone.F_app = mass * free[i];
      F[i] = held.joints[i]->couple(alone, mass, dt).F;
    }
    for (std::size_t i = 0; i < 3; ++i) {
      double a = free[i];
      for (std::size_t j = 0; j < 3; ++j) a -= cofactor(j, i) / det * F[j];
      held.move(i, held.v[i] + a * dt, dt);
    }
  });
  EXPECT_GT(strays, 1e-3);
}

TEST(CoupleAll, OneContactIsCouple) {
  for (int trial = 0; trial < 100; ++trial) {
    Draw draw(static_cast<std::uint64_t>(trial));
    Mechanism m(draw, 1);
    const auto twin = m.contacts[0]->clone();
    const auto contacts = refs(m.contacts);
    CoupleAll work(1);
    Motions u(1);
    for (int k = 0; k < 40; ++k) {
      m.load(draw, u, k % 10 < 6);
      ASSERT_TRUE(work.step(contacts, MassMatrix{m.M}, u, m.dt));
      const auto one = twin->couple(u[0], m.M[0], m.dt), all = work.result()[0];
      ASSERT_EQ(one.v, all.v) << twin->model();
      ASSERT_EQ(one.F, all.F) << twin->model();
      ASSERT_EQ(one.dFdv, all.dFdv) << twin->model();
      ASSERT_EQ(one.holds, all.holds) << twin->model();
      follow(u, work.result(), m.dt);
    }
    EXPECT_EQ(twin->state(), m.contacts[0]->state());
  }
}

/// M (w - v)/dt = F_app - F to rounding, and kinetic energy grows by no more than the work done.
TEST(CoupleAll, BalancesAndCreatesNoEnergy) {
  double worst_residual = 0, worst_energy = 0;
  for (int trial = 0; trial < 400; ++trial) {
    Draw draw(1000 + static_cast<std::uint64_t>(trial));
    Mechanism m(draw, some(draw));
    const auto contacts = refs(m.contacts);
    CoupleAll work(m.n);
    Motions u(m.n);
    for (int k = 0; k < 40; ++k) {
      m.load(draw, u, k % 10 < 6);
      ASSERT_TRUE(work.step(contacts, MassMatrix{m.M}, u, m.dt)) << trial << " " << k;
      const auto out = work.result();
      double energy = 0, size = 1e-300;
      for (std::size_t i = 0; i < m.n; ++i) {
        double sum = out[i].F - u[i].F_app;
        double whole =
            contacts[i].size() + std::abs(out[i].F) + std::abs(u[i].F_app) + std::abs(out[i].dFdv * out[i].v);
        for (std::size_t j = 0; j < m.n; ++j) {
          const double inertia = m.M[i * m.n + j] / m.dt;
          sum += inertia * (out[j].v - u[j].v);
          whole += std::abs(inertia) * (std::abs(out[j].v) + std::abs(u[j].v));
          energy += 0.5 * inertia * m.dt * (out[i].v * out[j].v - u[i].v * u[j].v);
          size += std::abs(inertia * m.dt) * (std::abs(out[i].v * out[j].v) + std::abs(u[i].v * u[j].v));
        }
        worst_residual = std::max(worst_residual, std::abs(sum) / whole);
        energy -= (u[i].F_app - out[i].F) * out[i].v * m.dt;
        size += whole * std::abs(out[i].v) * m.dt;
        // A law of velocity alone only takes energy up.
        const auto& c = *m.contacts[i];
        EXPECT_TRUE(!c.state().empty() || c.has_effects() || out[i].F * out[i].v >= 0) << c.model();
      }
      worst_energy = std::max(worst_energy, energy / size);
      follow(u, out, m.dt);
    }
  }
  EXPECT_LT(worst_residual, 1e-12);
  EXPECT_LT(worst_energy, 1e-13);
}

TEST(CoupleAll, OrderDoesNotMatterAndNeitherDoesTheFormOfTheInertia) {
  int differ = 0, steps = 0;
  for (int trial = 0; trial < 150; ++trial) {
    Draw draw(2000 + static_cast<std::uint64_t>(trial));
    Mechanism m(draw, some(draw));
    std::vector<std::size_t> order(m.n);
    std::iota(order.begin(), order.end(), 0U);
    for (std::size_t i = m.n; i-- > 1;)
      std::swap(order[i], order[static_cast<std::size_t>(draw.uniform(0, static_cast<double>(i + 1)))]);
    Contacts others;
    std::vector<double> P(m.n * m.n);
    for (std::size_t i = 0; i < m.n; ++i) {
      others.push_back(m.contacts[order[i]]->clone());
      for (std::size_t j = 0; j < m.n; ++j) P[i * m.n + j] = m.M[order[i] * m.n + order[j]];
    }
    const auto contacts = refs(m.contacts), permuted = refs(others);
    CoupleAll work(m.n), again(m.n);
    Motions u(m.n), v(m.n);
    for (int k = 0; k < 30; ++k, ++steps) {
      m.load(draw, u, k % 10 < 6);
      for (std::size_t i = 0; i < m.n; ++i) v[i] = u[order[i]];
      ASSERT_TRUE(work.step(contacts, MassMatrix{m.M}, u, m.dt));
      ASSERT_TRUE(again.step(permuted, MassMatrix{P}, v, m.dt));
      double size = 0, worst = 0;
      for (std::size_t i = 0; i < m.n; ++i) {
        size = std::max(size, std::abs(work.result()[i].v) * m.root[i]);
        worst = std::max(worst, std::abs(work.result()[order[i]].v - again.result()[i].v) * m.root[order[i]]);
      }
      if (worst > 1e-6 * size + 1e-300) ++differ;
      for (std::size_t i = 0; i < m.n; ++i) others[i]->set_state(m.contacts[order[i]]->state());  // one step at a time
      follow(u, work.result(), m.dt);
    }
  }
  // Where friction falls faster than inertia can balance there are several answers, and rounding may choose.
  EXPECT_LE(differ, steps / 2000);
}

TEST(CoupleAll, TakesTheInverseOfTheInertia) {
  Draw draw(5);
  Mechanism m(draw, 2);
  const double det = m.M[0] * m.M[3] - m.M[1] * m.M[2];
  const std::vector<double> inverse{m.M[3] / det, -m.M[1] / det, -m.M[2] / det, m.M[0] / det};
  const Contacts twins = clones(m.contacts);
  const auto contacts = refs(m.contacts), others = refs(twins);
  CoupleAll work(2), again(2);
  Motions u(2);
  for (int k = 0; k < 50; ++k) {
    m.load(draw, u, k % 10 < 6);
    ASSERT_TRUE(work.step(contacts, MassMatrix{m.M}, u, m.dt));
    ASSERT_TRUE(again.step(others, InverseMassMatrix{inverse}, u, m.dt));
    for (std::size_t i = 0; i < 2; ++i)
      EXPECT_NEAR(again.result()[i].v * m.root[i], work.result()[i].v * m.root[i],
                  1e-9 * (std::abs(work.result()[0].v) * m.root[0] + std::abs(work.result()[1].v) * m.root[1]));
    follow(u, work.result(), m.dt);
  }
}

TEST(CoupleAll, RefusesAnInertiaThatIsNone) {
  Contacts joints;
  for (int i = 0; i < 2; ++i) joints.push_back(joint("lugre", 1));
  const auto before = joints[0]->state();
  const auto contacts = refs(joints);
  CoupleAll work(2);
  const Motions u{{.v = 1}, {.v = 1}};
  for (const std::vector<double>& M :
       {std::vector<double>{1, 2, 2, 1}, {0, 0, 0, 0}, {NAN, 0, 0, 1}, {-1, 0, 0, 1}, {1, 0.5, 0, 1}, {1, NAN, 0, 1}}) {
    EXPECT_FALSE(work.step(contacts, MassMatrix{M}, u, 1e-3));
    EXPECT_FALSE(work.step(contacts, InverseMassMatrix{M}, u, 1e-3));
  }
  const std::vector<double> good{1, 0, 0, 1};
  EXPECT_FALSE(work.step(contacts, MassMatrix{good}, u, 0));
  EXPECT_FALSE(work.step(contacts, MassMatrix{good}, u, -1e-3));
  EXPECT_FALSE(work.step(contacts, MassMatrix{good}, Motions{{.v = NAN}, {}}, 1e-3));
  EXPECT_FALSE(work.step(contacts, MassMatrix{good}, Motions{{.F_app = INFINITY}, {}}, 1e-3));
  EXPECT_FALSE(work.step(contacts, MassMatrix{good}, Motions{{.v = 1, .r = NAN}, {}}, 1e-3));
  EXPECT_FALSE(work.step(contacts, MassMatrix{good}, Motions{{.v = 1, .r = -1}, {}}, 1e-3));
  EXPECT_FALSE(work.step(contacts, MassMatrix{good}, Motions{{.x = NAN, .v = 1}, {}}, 1e-3));
  EXPECT_FALSE(
      work.step(contacts, MassMatrix{good}, Motions{{.F_app = 1e3}, {}}, 1e308));  // a velocity beyond all numbers
  EXPECT_FALSE(work.step(contacts, MassMatrix{good}, Motions(1), 1e-3));
  EXPECT_FALSE(CoupleAll(1).step(contacts, MassMatrix{good}, u, 1e-3));
  EXPECT_EQ(joints[0]->state(), before);
  const std::vector<double> v{1, 1}, force{0, 0};
  EXPECT_TRUE(couple_all(contacts, MassMatrix{force}, v, force, 1e-3, work).empty());
  EXPECT_EQ(couple_all(contacts, MassMatrix{good}, v, force, 1e-3, work).size(), 2U);
}

/// A thrown arm whose steps of full length repeat for ever between three points: friction of the first joint falls with
/// velocity, and the others are light against the forces of inertia.
TEST(CoupleAll, LeavesACycleOfSteps) {
  using L = LuGre<double>;
  const std::array<L, 3> joints{
      L{{.Fc = 0.000274507, .Fs = 0.000301546, .vs = 0.00197646, .sigma0 = 0.651442, .sigma1 = 0.0201779}},
      L{{.Fc = 7.01483e-07, .Fs = 1.01929e-06, .vs = 0.0860547, .sigma0 = 0.00824959, .sigma1 = 2.69233e-06}},
      L{{.Fc = 2.9358e-05, .Fs = 4.37699e-05, .vs = 0.00116016, .sigma0 = 0.252418, .sigma1 = 0.00154677}}};
  std::array<L::State, 3> z{{{0.000421383}, {8.50324e-05}, {0.000116307}}};
  NoMode q;
  const std::array<ContactRef, 3> contacts{ContactRef(joints[0], z[0], q), ContactRef(joints[1], z[1], q),
                                           ContactRef(joints[2], z[2], q)};
  const std::array<double, 9> M{5.89138e-06, 3.64072e-06, 1.44612e-06, 3.64072e-06, 2.41891e-06,
                                1.043e-06,   1.44612e-06, 1.043e-06,   5.74081e-07};
  const Motions u{
      {.v = 1.39733, .F_app = -0.00566524}, {.v = 9.16587, .F_app = -0.00292868}, {.v = 29.814, .F_app = -0.00111058}};
  const double dt = 1e-3;
  CoupleAll work(3);
  ASSERT_TRUE(work.step(contacts, MassMatrix{M}, u, dt));
  for (std::size_t i = 0; i < 3; ++i) {
    double missing = u[i].F_app - work.result()[i].F;
    for (std::size_t j = 0; j < 3; ++j) missing -= M[i * 3 + j] * (work.result()[j].v - u[j].v) / dt;
    EXPECT_NEAR(missing, 0, 1e-13 * M[i * 3 + 2] * u[2].v / dt);
  }
}

/// A coordinate without friction moves freely; contacts that share no inertia are as alone.
TEST(CoupleAll, UncoupledCoordinates) {
  const auto a = joint("lugre", 1), b = joint("stribeck", 1);
  const auto twin_a = a->clone(), twin_b = b->clone();
  const std::vector<ContactRef> contacts{a->ref(), ContactRef{}, b->ref()};
  const std::vector<double> M{0.2, 0, 0, 0, 0.5, 0, 0, 0, 0.3};
  CoupleAll work(3);
  Motions u(3);
  for (int k = 0; k < 300; ++k) {
    u[0].F_app = 3 * std::sin(0.02 * k);
    u[1].F_app = 1;
    u[2].F_app = 3 * std::sin(0.03 * k);
    ASSERT_TRUE(work.step(contacts, MassMatrix{M}, u, 1e-3));
    const auto one = twin_a->couple(u[0], 0.2, 1e-3), other = twin_b->couple(u[2], 0.3, 1e-3);
    EXPECT_NEAR(work.result()[0].v, one.v, 1e-9);
    EXPECT_NEAR(work.result()[1].v, u[1].v + 1e-3 / 0.5, 1e-12);
    EXPECT_NEAR(work.result()[2].v, other.v, 1e-9);
    follow(u, work.result(), 1e-3);
  }
}
