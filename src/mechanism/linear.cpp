#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "bristle/dual.hpp"
#include "mechanism/equations.hpp"
#include "mechanism/spring.hpp"

/// Derivatives of the equations and the linear systems of stages, balances and projections.
namespace bristle::mechanism {
namespace {

using D12 = Dual<double, 12>;

/// Positions and velocities as independent variables.
Pair<D12> seeded(const Pair<double>& p) {
  Pair<D12> out;
  for (std::size_t k = 0; k < 6; ++k) {
    out.q[k] = D12::variable(p.q[k], k);
    out.v[k] = D12::variable(p.v[k], 6 + k);
    out.a[k] = p.a[k];
  }
  return out;
}
void split(const D12& x, std::array<double, 6>& by_q, std::array<double, 6>& by_v) {
  for (std::size_t k = 0; k < 6; ++k) {
    by_q[k] = x.d[k];
    by_v[k] = x.d[6 + k];
  }
}

/// (I/g - A)^-1 of a small matrix, by Gauss-Jordan with pivots.
void invert(const std::vector<double>& A, std::size_t n, double g, std::vector<double>& out) {
  Eigen::MatrixXd M(n, n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < n; ++k)
      M(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(k)) = (i == k ? 1 : 0) - g * A[i * n + k];
  }
  const Eigen::MatrixXd inverse =
      n == 1 ? Eigen::MatrixXd(M.cwiseInverse())
             : Eigen::MatrixXd(M.householderQr().solve(Eigen::MatrixXd::Identity(M.rows(), M.cols())));
  out.resize(n * n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < n; ++k)
      out[i * n + k] = g * inverse(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(k));
  }
}

}  // namespace

void Equations::shape() {
  std::vector<std::vector<std::size_t>> near(w_size);
  auto joined = [&](const std::vector<std::size_t>& all) {
    for (const std::size_t i : all) near[i].insert(near[i].end(), all.begin(), all.end());
  };
  for (std::size_t b = 0; b < bodies; ++b) joined({3 * b, 3 * b + 1, 3 * b + 2});
  for (const JointState& j : joints) {
    std::vector<std::size_t> all;
    each_local(j.of->first, j.of->second, [&](std::size_t, std::size_t i) { all.push_back(i); });
    for (std::size_t r = 0; r < j.rows; ++r) all.push_back(j.row + r);
    if (j.force != none) all.push_back(j.force);
    if (j.drive != none) all.push_back(j.drive);
    joined(all);
  }
  for (const Link& l : links_) {
    std::vector<std::size_t> all;
    each_local(l.first, l.second, [&](std::size_t, std::size_t i) { all.push_back(i); });
    joined(all);
  }
  for (std::size_t d = 0; d < dependent.size(); ++d) {
    for (std::size_t r = 0; r < rows; ++r) {
      if (null_[d][r] != 0) near[dependent[d]].push_back(3 * bodies + r);
    }
  }
  matrix_.shape(near);
}

double Equations::slope_velocity(const JointState& j, double v) const {
  const int side = j.sticky ? j.direction : j.flow->traits().kink_at_rest ? j.kink : 0;
  return side != 0 && v * side <= 0 ? side * std::max(std::abs(v), 1e-250) : v;
}

double Equations::softness(const JointState& j) const { return j.rolls || !soft ? 0 : j.weight; }

void Equations::linearise(double t, const double* y, const double* w) {
  std::fill(G_t_.begin(), G_t_.end(), 0.0);
  for (std::size_t n = 0; n < joints.size(); ++n) {
    const JointState& j = joints[n];
    JointLinear& l = linear_[n];
    const Pair<D12> p = seeded(pair(j, y, w));
    const Kinematics<D12> k(j.frame, p);
    std::array<D12, 6> Q{};
    for (std::size_t r = 0; r < j.rows; ++r) {
      const Coordinate<D12> row = k.row(r);
      for (std::size_t i = 0; i < 6; ++i) {
        l.J[r][i] = row.gradient[i].a;
        Q[i] = Q[i] + row.gradient[i] * D12(w[j.row + r]);
      }
      split(row.rate2, l.acc_q[r], l.acc_v[r]);
    }
    const Coordinate<D12> s = k.travel();
    std::array<double, 6> ignored{};
    split(s.rate, l.rate_q, ignored);
    split(s.rate2, l.acc2_q, l.acc2_v);
    double by_s = 0, by_rate = 0, in_time = 0;
    const double value = external(j, t, y, s.value.a, s.rate.a, by_s, by_rate, in_time);
    if (j.servo && !j.servo->holds) {
      linearise_servo(j, t, l.servo);
      in_time += l.servo.u_jerk;
      std::copy_n(l.servo.rate_t.begin(), l.servo.states,
                  z_t_.begin() + static_cast<std::ptrdiff_t>(j.servo->at - 6 * bodies));
    }
    D12 along = D12(value) + D12(by_s) * (s.value - D12(s.value.a)) + D12(by_rate) * (s.rate - D12(s.rate.a));
    if (j.force != none) along = along - D12(j.slip * w[j.force]);
    if (j.drive != none) {
      along = along + D12(w[j.drive]);
      const double dt = 1e-5 * std::min(1.0, inside > t ? inside - t : 1.0);
      if (dt > 0) G_t_[j.drive] = (j.motion->at(t + dt, inside).rate2 - j.motion->at(t, inside).rate2) / dt;
    }
    for (std::size_t i = 0; i < 6; ++i) {
      l.D[i] = s.gradient[i].a;
      Q[i] = Q[i] + s.gradient[i] * along;
      split(Q[i], l.Q_q[i], l.Q_v[i]);
    }
    each_local(j.of->first, j.of->second, [&](std::size_t i, std::size_t at) { G_t_[at] += l.D[i] * in_time; });
  }
  load_slopes(t, y, w);
  for (std::size_t n = 0; n < links_.size(); ++n) {
    const Link& l = links_[n];
    const auto Q = link_force(*l.of, l.from, l.to, seeded(pair(l.first, l.second, y, w)));
    for (std::size_t i = 0; i < 6; ++i) split(Q[i], link_linear_[n].Q_q[i], link_linear_[n].Q_v[i]);
  }
  for (std::size_t n = 0; n < pushes_.size(); ++n) {
    const Push& f = pushes_[n];
    const auto b = 3 * static_cast<std::size_t>(f.body);
    const double angle = y[b + 2], c = std::cos(angle), s = std::sin(angle);
    const Signal force = f.of->drive.at(t, inside);
    const double length = std::hypot(f.of->direction[0], f.of->direction[1]);
    const double dx = f.of->direction[0] / length, dy = f.of->direction[1] / length;
    const double px = c * f.at[0] - s * f.at[1], py = s * f.at[0] + c * f.at[1];
    push_turn_[n] = -force.value * (py * dy + px * dx);
    G_t_[b] += force.rate * dx;
    G_t_[b + 1] += force.rate * dy;
    G_t_[b + 2] += force.rate * (px * dy - py * dx);
  }
}

/// Derivatives of the normal loads and of the friction laws.
void Equations::load_slopes(double t, const double* y, const double* w) {
  for (std::size_t n = 0; n < joints.size(); ++n) {
    const JointState& j = joints[n];
    JointLinear& l = linear_[n];
    l.load_slope = {};
    const double* lambda = w + j.row;
    if (j.of->kind == JointKind::revolute) {
      const double N = std::hypot(lambda[0], lambda[1]);
      if (N > 0) l.load_slope = {lambda[0] / N, lambda[1] / N, 0};
    } else if (j.of->kind == JointKind::prismatic) {
      const double sign = j.branch % 2 == 0 ? 1 : -1;
      if (j.branch < 2) {
        l.load_slope = {sign, 0, 0};
      } else {
        l.load_slope = {0, 2 * sign / j.of->length, 0};
      }
    } else {
      l.load_slope = {j.side, 0, 0};
    }
    if (!j.flow) continue;
    const std::size_t own = j.flow->size(), all = j.states;
    Motion<double> u = motion_of(j, t, y, w);
    u.v = slope_velocity(j, u.v);
    slopes_ = Slopes(own);
    j.flow->slopes(y + j.z, u, slopes_);
    l.F_v = slopes_.F_v;
    l.F_r = j.loaded ? slopes_.F_r / j.of->normal_load : 0;  // with respect to N
    l.F_x = slopes_.F_x;
    l.F_t = slopes_.F_t;
    l.F_z = slopes_.F_z;
    l.rate_v = slopes_.rate_v;
    l.rate_r = l.rate_x = slopes_.rate_r;
    for (double& x : l.rate_x) x *= slopes_.r_x;
    for (double& r : l.rate_r) r = j.loaded ? r / j.of->normal_load : 0;
    l.rate_z.assign(all * all, 0);
    for (std::size_t i = 0; i < own; ++i) {
      for (std::size_t c = 0; c < own; ++c) l.rate_z[i * all + c] = slopes_.rate_z[i * own + c];
    }
    if (all > own) {
      l.F_z.push_back(slopes_.F_path);
      l.rate_v.push_back(u.v < 0 ? -1 : 1);
      l.rate_r.push_back(0);
      l.rate_x.push_back(0);
    }
    if (!j.stuck()) G_t_[j.force] = l.F_t;
  }
}

bool Equations::factor(Matrix kind, double g) {
  const bool friction = kind == Matrix::stage || kind == Matrix::balance;
  const double g2 = g * g;
  matrix_.clear();
  for (std::size_t i = 0; i < 3 * bodies; ++i) {
    matrix_.add(i, i, mass_of(i));
    matrix_.scale(i, 1 / std::sqrt(mass_of(i)));
  }
  auto scale = [&](std::size_t unknown, const JointState& j, const std::array<double, 6>& gradient, double slip) {
    double mobility = 0;
    each_local(j.of->first, j.of->second,
               [&](std::size_t i, std::size_t at) { mobility += std::pow(slip * gradient[i], 2) / mass_of(at); });
    if (mobility > 0) matrix_.scale(unknown, 1 / std::sqrt(mobility));
  };
  std::vector<char> replaced(w_size);
  for (const std::size_t d : dependent) replaced[d] = 1;
  for (std::size_t n = 0; n < joints.size(); ++n) {
    const JointState& j = joints[n];
    JointLinear& l = linear_[n];
    const int a = j.of->first, b = j.of->second;
    if (j.force != none) scale(j.force, j, l.D, j.slip);
    if (j.drive != none) scale(j.drive, j, l.D, 1);
    for (std::size_t r = 0; r < j.rows; ++r) {
      const std::size_t row = j.row + r;
      scale(row, j, l.J[r], 1);
      each_local(a, b, [&](std::size_t i, std::size_t at) {
        matrix_.add(at, row, -l.J[r][i]);
        if (!replaced[row] && !j.open) matrix_.add(row, at, l.J[r][i] + g * l.acc_v[r][i] + g2 * l.acc_q[r][i]);
      });
      if (j.open) matrix_.add(row, row, 1);
    }
    if (g > 0) {
      each_local(a, b, [&](std::size_t i, std::size_t at) {
        each_local(a, b,
                   [&](std::size_t k, std::size_t to) { matrix_.add(at, to, -g2 * l.Q_q[i][k] - g * l.Q_v[i][k]); });
      });
    }
    if (l.servo.states > 0 && g > 0) {
      l.servo.eliminate(g);
      const double by_s = g2 * l.servo.s_all, by_v = l.servo.v_all;
      each_local(a, b, [&](std::size_t i, std::size_t at) {
        each_local(a, b, [&](std::size_t k, std::size_t to) {
          matrix_.add(at, to, -l.D[i] * (by_s * l.D[k] + by_v * (g * l.D[k] + g2 * l.rate_q[k])));
        });
      });
    }
    if (j.drive != none) {
      each_local(a, b, [&](std::size_t i, std::size_t at) {
        matrix_.add(at, j.drive, -l.D[i]);
        matrix_.add(j.drive, at, l.D[i] + g * l.acc2_v[i] + g2 * l.acc2_q[i]);
      });
    }
    if (j.force == none) continue;
    each_local(a, b, [&](std::size_t i, std::size_t at) { matrix_.add(at, j.force, j.slip * l.D[i]); });
    if (j.stuck() && !j.open) {
      each_local(a, b, [&](std::size_t i, std::size_t at) {
        matrix_.add(j.force, at, j.slip * (l.D[i] + g * l.acc2_v[i] + g2 * l.acc2_q[i]));
      });
      matrix_.add(j.force, j.force, softness(j));
    } else {
      matrix_.add(j.force, j.force, 1);
      if (!friction || !j.flow || j.open) continue;
    }
    if (!j.flow) continue;
    const std::size_t n_z = j.states;
    l.F_v_all = l.F_v;
    l.F_r_all = l.F_r;
    l.F_x_all = l.F_x;
    if (n_z > 0 && g > 0) {
      invert(l.rate_z, n_z, g, l.inverse);
      l.to_rate.assign(n_z, 0);  // F_z (I/g - rate_z)^-1
      for (std::size_t i = 0; i < n_z; ++i) {
        for (std::size_t k = 0; k < n_z; ++k) l.to_rate[k] += l.F_z[i] * l.inverse[i * n_z + k];
      }
      for (std::size_t k = 0; k < n_z; ++k) {
        l.F_v_all += l.to_rate[k] * l.rate_v[k];
        l.F_r_all += l.to_rate[k] * l.rate_r[k];
        l.F_x_all += l.to_rate[k] * l.rate_x[k];
      }
    }
    if (j.stuck()) continue;
    if (g > 0) {
      each_local(a, b, [&](std::size_t i, std::size_t at) {
        matrix_.add(j.force, at, -j.slip * (l.F_v_all * (g * l.D[i] + g2 * l.rate_q[i]) + l.F_x_all * g2 * l.D[i]));
      });
    }
    for (std::size_t r = 0; r < j.rows; ++r) matrix_.add(j.force, j.row + r, -l.F_r_all * l.load_slope[r]);
  }
  for (std::size_t n = 0; n < links_.size() && g > 0; ++n) {
    const Link& l = links_[n];
    each_local(l.first, l.second, [&](std::size_t i, std::size_t at) {
      each_local(l.first, l.second, [&](std::size_t k, std::size_t to) {
        matrix_.add(at, to, -g2 * link_linear_[n].Q_q[i][k] - g * link_linear_[n].Q_v[i][k]);
      });
    });
  }
  for (std::size_t n = 0; n < pushes_.size() && g > 0; ++n) {
    const auto turn = 3 * static_cast<std::size_t>(pushes_[n].body) + 2;
    matrix_.add(turn, turn, -g2 * push_turn_[n]);
  }
  for (std::size_t d = 0; d < dependent.size(); ++d) {
    for (std::size_t r = 0; r < rows; ++r) {
      if (null_[d][r] != 0) matrix_.add(dependent[d], 3 * bodies + r, null_[d][r]);
    }
  }
  return matrix_.factor();
}

void Equations::solve_stage(double g, double* r, double* G, bool friction) const {
  const std::size_t n = 3 * bodies;
  for (std::size_t i = 0; i < n; ++i) {
    kv_[i] = g * r[n + i];
    kq_[i] = g * (r[i] + kv_[i]);
  }
  std::vector<char> replaced(w_size);
  for (const std::size_t d : dependent) replaced[d] = 1;
  for (std::size_t k = 0; k < joints.size(); ++k) {
    const JointState& j = joints[k];
    const JointLinear& l = linear_[k];
    const int a = j.of->first, b = j.of->second;
    auto dot = [&](const std::array<double, 6>& x, const std::vector<double>& of) {
      double sum = 0;
      each_local(a, b, [&](std::size_t i, std::size_t at) { sum += x[i] * of[at]; });
      return sum;
    };
    each_local(a, b, [&](std::size_t i, std::size_t at) { G[at] += dot(l.Q_q[i], kq_) + dot(l.Q_v[i], kv_); });
    if (l.servo.states > 0) {
      const double along = l.servo.s_all * dot(l.D, kq_) + l.servo.v_all * (dot(l.D, kv_) + dot(l.rate_q, kq_)) +
                           l.servo.through(r + j.servo->at);
      each_local(a, b, [&](std::size_t i, std::size_t at) { G[at] += l.D[i] * along; });
    }
    for (std::size_t i = 0; i < j.rows; ++i) {
      if (!replaced[j.row + i]) G[j.row + i] -= dot(l.acc_q[i], kq_) + dot(l.acc_v[i], kv_);
    }
    if (j.drive != none) G[j.drive] -= dot(l.acc2_q, kq_) + dot(l.acc2_v, kv_);
    if (j.force == none) continue;
    if (j.stuck()) {
      G[j.force] -= j.slip * (dot(l.acc2_q, kq_) + dot(l.acc2_v, kv_));
      continue;
    }
    if (!friction) continue;
    G[j.force] += j.slip * (l.F_v_all * (dot(l.D, kv_) + dot(l.rate_q, kq_)) + l.F_x_all * dot(l.D, kq_));
    for (std::size_t i = 0; i < j.states; ++i) G[j.force] += l.to_rate[i] * r[j.z + i];
  }
  for (std::size_t k = 0; k < links_.size(); ++k) {
    const Link& l = links_[k];
    each_local(l.first, l.second, [&](std::size_t i, std::size_t at) {
      each_local(l.first, l.second, [&](std::size_t c, std::size_t to) {
        G[at] += link_linear_[k].Q_q[i][c] * kq_[to] + link_linear_[k].Q_v[i][c] * kv_[to];
      });
    });
  }
  for (std::size_t k = 0; k < pushes_.size(); ++k) {
    const auto turn = 3 * static_cast<std::size_t>(pushes_[k].body) + 2;
    G[turn] += push_turn_[k] * kq_[turn];
  }
  matrix_.solve(G);
  for (std::size_t i = 0; i < n; ++i) {
    r[n + i] = kv_[i] + g * G[i];
    r[i] = kq_[i] + g * g * G[i];
  }
  for (std::size_t k = 0; k < joints.size(); ++k) {
    const JointState& j = joints[k];
    const JointLinear& l = linear_[k];
    if (l.servo.states > 0) {
      double s = 0, v = 0;
      each_local(j.of->first, j.of->second, [&](std::size_t i, std::size_t at) {
        s += l.D[i] * r[at];
        v += l.D[i] * r[n + at] + l.rate_q[i] * r[at];
      });
      l.servo.finish(s, v, r + j.servo->at);
    }
    if (j.states == 0 || !friction) continue;
    double slip = 0, moved = 0, load = 0;
    if (!j.stuck()) {
      each_local(j.of->first, j.of->second, [&](std::size_t i, std::size_t at) {
        slip += j.slip * (l.D[i] * r[n + at] + l.rate_q[i] * r[at]);
        moved += j.slip * l.D[i] * r[at];
      });
    }
    for (std::size_t i = 0; i < j.rows; ++i) load += l.load_slope[i] * G[j.row + i];
    std::array<double, 64> few{};
    std::vector<double> many(j.states > few.size() ? j.states : 0);
    double* from = many.empty() ? few.data() : many.data();
    for (std::size_t i = 0; i < j.states; ++i)
      from[i] = r[j.z + i] + l.rate_v[i] * slip + l.rate_x[i] * moved + l.rate_r[i] * load;
    for (std::size_t i = 0; i < j.states; ++i) {
      r[j.z + i] = 0;
      for (std::size_t c = 0; c < j.states; ++c) r[j.z + i] += l.inverse[i * j.states + c] * from[c];
    }
  }
}

}  // namespace bristle::mechanism
