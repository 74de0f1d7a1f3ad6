#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <functional>
#include <numbers>
#include <random>

#include "support/mechanisms.hpp"

/// Random trees and loops against a plain integration: Runge-Kutta of order 4 with accelerations from the augmented
/// system, whose Jacobian is differenced from constraints written here, and friction by fixed-point iteration.
namespace bristle {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

struct Plain {
  const Mechanism& m;
  double Fc, k_tanh, kv, N0;  // coulomb_tanh in every joint but fixed ones
  VectorXd q0;

  explicit Plain(const Mechanism& mechanism, double fc, double k, double v, double load)
      : m(mechanism), Fc(fc), k_tanh(k), kv(v), N0(load), q0(3 * static_cast<Eigen::Index>(mechanism.bodies.size())) {
    for (std::size_t i = 0; i < m.bodies.size(); ++i) {
      const auto at = 3 * static_cast<Eigen::Index>(i);
      q0.segment(at, 3) << m.bodies[i].position[0], m.bodies[i].position[1], m.bodies[i].angle;
    }
  }
  /// The place of a point that was at `world` at the start, carried by a body.
  Eigen::Vector2d carried(const VectorXd& q, int body, const Point2& world) const {
    if (body < 0) return {world[0], world[1]};
    const auto at = 3 * static_cast<Eigen::Index>(body);
    const Eigen::Vector2d arm(world[0] - q0[at], world[1] - q0[at + 1]);
    return Eigen::Vector2d(q[at], q[at + 1]) + Eigen::Rotation2Dd(q[at + 2] - q0[at + 2]) * arm;
  }
  double turned(const VectorXd& q, int body) const {
    if (body < 0) return 0;
    const auto at = 3 * static_cast<Eigen::Index>(body) + 2;
    return q[at] - q0[at];
  }
  VectorXd constraints(const VectorXd& q) const {
    std::vector<double> out;
    for (const MechanismJoint& j : m.joints) {
      const Eigen::Vector2d d = carried(q, j.second, j.at) - carried(q, j.first, j.at);
      const double turn = turned(q, j.second) - turned(q, j.first);
      if (j.kind == JointKind::prismatic) {
        const Eigen::Vector2d u =
            Eigen::Rotation2Dd(turned(q, j.first)) * Eigen::Vector2d(j.axis[0], j.axis[1]).normalized();
        out.push_back(u[0] * d[1] - u[1] * d[0]);
        out.push_back(turn);
      } else {
        out.push_back(d[0]);
        out.push_back(d[1]);
        if (j.kind == JointKind::fixed) out.push_back(turn);
      }
    }
    return Eigen::Map<VectorXd>(out.data(), static_cast<Eigen::Index>(out.size()));
  }
  /// Travel of each joint.
  VectorXd travels(const VectorXd& q) const {
    VectorXd out(static_cast<Eigen::Index>(m.joints.size()));
    for (std::size_t i = 0; i < m.joints.size(); ++i) {
      const MechanismJoint& j = m.joints[i];
      const Eigen::Vector2d u =
          Eigen::Rotation2Dd(turned(q, j.first)) * Eigen::Vector2d(j.axis[0], j.axis[1]).normalized();
      out[static_cast<Eigen::Index>(i)] = j.kind == JointKind::prismatic
                                              ? u.dot(carried(q, j.second, j.at) - carried(q, j.first, j.at))
                                          : j.kind == JointKind::revolute ? turned(q, j.second) - turned(q, j.first)
                                                                          : 0;
    }
    return out;
  }
  static MatrixXd jacobian(const std::function<VectorXd(const VectorXd&)>& f, const VectorXd& q) {
    constexpr double e = 1e-5;
    MatrixXd J(f(q).size(), q.size());
    for (Eigen::Index i = 0; i < q.size(); ++i) {
      VectorXd a = q, b = q, c = q, d = q;
      a[i] += e;
      b[i] -= e;
      c[i] += 2 * e;
      d[i] -= 2 * e;
      J.col(i) = (8 * (f(a) - f(b)) - (f(c) - f(d))) / (12 * e);
    }
    return J;
  }
  VectorXd acceleration(const VectorXd& q, const VectorXd& v) const {
    const MatrixXd J = jacobian([&](const VectorXd& x) { return constraints(x); }, q);
    const MatrixXd D = jacobian([&](const VectorXd& x) { return travels(x); }, q);
    const Eigen::Index n = q.size(), rows = J.rows();
    constexpr double e = 1e-4;
    const VectorXd bend = (constraints(q + e * v) - 2 * constraints(q) + constraints(q - e * v)) / (e * e);
    MatrixXd A = MatrixXd::Zero(n + rows, n + rows);
    VectorXd b = VectorXd::Zero(n + rows);
    for (std::size_t i = 0; i < m.bodies.size(); ++i) {
      const auto at = 3 * static_cast<Eigen::Index>(i);
      A(at, at) = A(at + 1, at + 1) = m.bodies[i].mass;
      A(at + 2, at + 2) = m.bodies[i].inertia;
      b.segment(at, 2) = m.bodies[i].mass * Eigen::Vector2d(m.gravity[0], m.gravity[1]);
    }
    A.topRightCorner(n, rows) = -J.transpose();
    A.bottomLeftCorner(rows, n) = J;
    b.tail(rows) = -bend;
    const Eigen::PartialPivLU<MatrixXd> lu(A);
    VectorXd x = lu.solve(b);
    const VectorXd speed = D * v;
    for (int round = 0; round < 200; ++round) {
      VectorXd with = b;
      Eigen::Index row = n;
      for (std::size_t i = 0; i < m.joints.size(); ++i) {
        const MechanismJoint& j = m.joints[i];
        const double arm = j.kind == JointKind::revolute ? j.radius : 1,
                     slip = arm * speed[static_cast<Eigen::Index>(i)];
        const double N = j.kind == JointKind::revolute ? std::hypot(x[row], x[row + 1])
                         : j.length > 0                ? std::max(std::abs(x[row]), 2 * std::abs(x[row + 1]) / j.length)
                                                       : std::abs(x[row]);
        row += j.kind == JointKind::fixed ? 3 : 2;
        if (j.contact < 0) continue;
        const double F = N / N0 * Fc * std::tanh(k_tanh * slip) + kv * slip;
        with.head(n) -= arm * F * D.row(static_cast<Eigen::Index>(i)).transpose();
      }
      const VectorXd next = lu.solve(with);
      const double change = (next - x).cwiseAbs().maxCoeff();
      x = next;
      if (change < 1e-12 * x.cwiseAbs().maxCoeff()) break;
    }
    return x.head(n);
  }
  VectorXd integrate(VectorXd v, double T, int steps) const {
    VectorXd q = q0;
    const double h = T / steps;
    for (int i = 0; i < steps; ++i) {
      const VectorXd k1 = acceleration(q, v), k2 = acceleration(q + h / 2 * v, v + h / 2 * k1),
                     k3 = acceleration(q + h / 2 * v + h * h / 4 * k1, v + h / 2 * k2),
                     k4 = acceleration(q + h * v + h * h / 2 * k2, v + h * k3);
      q += h * v + h * h / 6 * (k1 + k2 + k3);
      v += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    }
    return q;
  }
};

test::Case random_mechanism(unsigned seed, bool loop) {
  std::mt19937 random(seed);
  auto uniform = [&](double a, double b) { return a + (b - a) * std::generate_canonical<double, 53>(random); };
  test::Case c;
  const int n = 2 + static_cast<int>(random() % 4);
  Point2 end{0, 0};
  for (int i = 0; i < n; ++i) {
    const double angle = uniform(-3, 3), length = uniform(0.2, 0.4);
    const Point2 next{end[0] + length * std::cos(angle), end[1] + length * std::sin(angle)};
    MechanismBody b{.name = "b" + std::to_string(i),
                    .mass = uniform(0.5, 2),
                    .inertia = uniform(0.01, 0.05),
                    .angle = uniform(-1, 1)};
    b.position = {(end[0] + next[0]) / 2 + uniform(-0.05, 0.05), (end[1] + next[1]) / 2 + uniform(-0.05, 0.05)};
    c.mechanism.bodies.push_back(b);
    const int parent = i == 0 || (!loop && random() % 3 == 0) ? ground : i - 1;
    const bool slides = random() % 4 == 0 && !(loop && i == 0);
    MechanismJoint j{.name = "j" + std::to_string(i),
                     .kind = slides ? JointKind::prismatic : JointKind::revolute,
                     .first = parent,
                     .second = i,
                     .at = end};
    j.axis = {uniform(-1, 1), uniform(0.2, 1)};
    if (slides) {
      j.length = uniform(0, 1) < 0.5 ? 0 : 0.5;
    } else {
      j.radius = 0.02;
    }
    c.mechanism.joints.push_back(j);
    end = next;
  }
  if (loop && n > 2)
    c.mechanism.joints.push_back(
        {.name = "close", .kind = JointKind::revolute, .first = n - 1, .second = ground, .at = end, .radius = 0.02});
  for (std::size_t i = 0; i < c.mechanism.joints.size(); ++i)
    test::add_friction(c, i, "coulomb_tanh", {{"Fc", 1.5}, {"k_tanh", 10.0}, {"kv", 0.3}}, 10);
  c.mechanism.gravity = {uniform(-2, 2), -9.81};
  c.experiment.solver.duration = 0.3;
  c.experiment.solver.rtol = 1e-10;
  return c;
}

TEST(MechanismRandom, trees_and_loops_agree_with_a_plain_integration) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    const bool loop = seed % 2 == 0;
    test::Case c = random_mechanism(seed, loop);
    const auto run = test::run(c);
    const Plain plain(c.mechanism, 1.5, 10, 0.3, 10);
    const VectorXd q = plain.integrate(VectorXd::Zero(plain.q0.size()), 0.3, 600);
    for (std::size_t i = 0; i < c.mechanism.bodies.size(); ++i) {
      const std::string name = "b" + std::to_string(i);
      const auto at = 3 * static_cast<Eigen::Index>(i);
      // Kinks of |N| and the differenced Jacobians limit the plain integration.
      EXPECT_NEAR(run.trace.find(name + ".x")->values.back(), q[at], 2e-6) << seed << " " << name;
      EXPECT_NEAR(run.trace.find(name + ".y")->values.back(), q[at + 1], 2e-6) << seed << " " << name;
      EXPECT_NEAR(run.trace.find(name + ".angle")->values.back(), q[at + 2], 1e-5) << seed << " " << name;
    }
    EXPECT_LT(run.summary.violation, 1e-12) << seed;
    EXPECT_LT(run.summary.energy.error, 1e-7) << seed;
  }
}

}  // namespace
}  // namespace bristle
