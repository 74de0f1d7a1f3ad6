#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "mechanism/equations.hpp"

/// The linear systems of stages, balances and projections.
namespace bristle::mechanism {
namespace {

/// (I/g - A)^-1 of a small matrix, by Gauss-Jordan with pivots.
void invert(const std::vector<double>& A, std::size_t n, double g, std::vector<double>& out) {
  if (n == 1) {
    out.assign(1, g / (1 - g * A[0]));
    return;
  }
  Eigen::MatrixXd M(n, n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < n; ++k)
      M(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(k)) = (i == k ? 1 : 0) - g * A[i * n + k];
  }
  const Eigen::MatrixXd inverse = M.householderQr().solve(Eigen::MatrixXd::Identity(M.rows(), M.cols()));
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

double Equations::softness(const JointState& j) const { return j.rolls || !soft ? 0 : j.weight; }

bool Equations::factor(Matrix kind, double g) {
  const bool friction = kind == Matrix::stage || kind == Matrix::balance;
  const double g2 = g * g;
  projecting_ = kind == Matrix::projection;
  matrix_.clear();
  for (std::size_t i = 0; i < 3 * bodies; ++i) {
    matrix_.add(i, i, mass_of(i));
    matrix_.scale(i, 1 / std::sqrt(mass_of(i)));
  }
  auto scale = [&](std::size_t unknown, const JointState& j, const std::array<double, 6>& gradient, double slip) {
    double mobility = 0;
    each_local(j.of->first, j.of->second, [&](std::size_t i, std::size_t at) {
      mobility += slip * slip * gradient[i] * gradient[i] / mass_of(at);
    });
    if (mobility > 0) matrix_.scale(unknown, 1 / std::sqrt(mobility));
  };
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
        if (!replaced_[row] && !j.open) matrix_.add(row, at, l.J[r][i] + g * l.acc_v[r][i] + g2 * l.acc_q[r][i]);
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
    if (j.stuck() || j.locked) continue;
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
      if (!replaced_[j.row + i]) G[j.row + i] -= dot(l.acc_q[i], kq_) + dot(l.acc_v[i], kv_);
    }
    if (j.drive != none) G[j.drive] -= dot(l.acc2_q, kq_) + dot(l.acc2_v, kv_);
    if (j.force == none) continue;
    if (j.stuck()) {
      G[j.force] -= j.slip * (dot(l.acc2_q, kq_) + dot(l.acc2_v, kv_));
      continue;
    }
    if (!friction || j.locked) continue;
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
