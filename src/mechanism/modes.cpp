#include <algorithm>
#include <cmath>

#include "mechanism/runner.hpp"

namespace bristle::mechanism {
namespace {

constexpr double huge = 1e30;

/// The modes of all joints.
struct Modes {
  std::vector<int> direction, branch;
  std::vector<char> open;
};

double stuck_guard(const JointState& j, double t, const double* y, const double* w, const Equations& eq) {
  std::vector<Guard> guards;
  j.flow->guards(y + j.z, eq.motion_of(j, t, y, w), 0, guards);
  double most = -inf;
  for (const Guard& g : guards) most = std::max(most, g.value);
  return most;
}

double force_size(const Equations& eq, const double* w) {
  double size = 0;
  for (const JointState& j : eq.joints) {
    for (std::size_t r = 0; r < j.rows; ++r) {
      if (!is_moment(j.of->kind, r)) size = std::max(size, std::abs(w[j.row + r]));
    }
    if (j.force != none) size = std::max(size, std::abs(w[j.force]));
  }
  return size;
}

/// Whether a solution agrees with its modes.
bool consistent(const Equations& eq, double t, const double* y, const double* w, const std::vector<char>& at_rest) {
  const double tiny = 1e-9 * force_size(eq, w);
  for (std::size_t i = 0; i < eq.joints.size(); ++i) {
    const JointState& j = eq.joints[i];
    const Pair<double> p = eq.pair(j, y, w);
    const Kinematics<double> k(j.frame, p);
    if (j.open) {
      double size = 0;
      for (std::size_t c = 0; c < 6; ++c) size += std::abs(k.row(0).gradient[c] * p.a[c]);
      if (!(j.side * k.row(0).rate2 > 1e-9 * size)) return false;
      continue;
    }
    if (j.unilateral && eq.load_of(j, w) < -tiny) return false;
    if (!j.flow) continue;
    if (j.loaded && eq.form(j, w, j.branch) < eq.true_load(j, w) - tiny) return false;
    if (j.stuck()) {
      if (!(stuck_guard(j, t, y, w, eq) <= tiny)) return false;
    } else if (at_rest[i]) {
      const Coordinate<double> s = k.travel();
      if (!(j.direction * j.slip * s.rate2 >= -negligible_acceleration(eq, j, y, w))) return false;
    }
  }
  return true;
}

bool same_motion(const Equations& eq, const std::vector<double>& a, const std::vector<double>& b) {
  std::array<double, 2> size{}, gap{};
  const double force = std::max(force_size(eq, a.data()), force_size(eq, b.data()));
  for (std::size_t i = 0; i < 3 * eq.bodies; ++i) {
    const std::size_t k = i % 3 == 2 ? 1 : 0;
    size[k] = std::max({size[k], std::abs(a[i]), std::abs(b[i])});
    gap[k] = std::max(gap[k], std::abs(a[i] - b[i]));
    size[k] = std::max(size[k], 1e-3 * force * (k == 1 ? eq.extent : 1) / eq.mass_of(i));
  }
  const double all = std::max(size[0] / eq.extent, size[1]);
  return gap[0] <= 1e-6 * all * eq.extent && gap[1] <= 1e-6 * all;
}

}  // namespace

double negligible_acceleration(const Equations& eq, const JointState& j, const double* y, const double* w) {
  const Pair<double> p = eq.pair(j, y, w);
  const Coordinate<double> s = Kinematics<double>(j.frame, p).travel();
  double size = 0;
  for (std::size_t c = 0; c < 6; ++c) size += std::abs(j.slip * s.gradient[c] * p.a[c]);
  return 1e-9 * (size + j.weight / stuck_softness * force_size(eq, w));
}

bool is_held(Equations& eq, const JointState& j, const double* y) {
  const std::vector<double> zero(eq.w_size);
  eq.linearise(0, y, zero.data());
  if (!eq.factor(Equations::Matrix::projection)) return false;
  std::vector<double> x(eq.w_size);
  x[j.force] = 1;
  eq.solve(x.data());
  const Pair<double> p = eq.pair(j, y, x.data());
  const auto D = Kinematics<double>(j.frame, p).travel().gradient;
  double gained = 0;
  for (std::size_t c = 0; c < 6; ++c) gained += j.slip * D[c] * p.a[c];
  return std::abs(gained) < 1e-6 * j.weight / stuck_softness;
}

void set_direction(Equations& eq, JointState& j, int direction, const double* y) {
  j.held = false;
  j.direction = direction;
  Motion<double> u;
  u.F_app = direction * huge;
  const std::vector<double> zero(eq.w_size);
  const double v = j.slip * eq.slip_of(j, y, zero.data()).rate;
  if (direction != 0 && v * direction > 0) u.v = v;
  j.flow->begin(y + j.z, u);
  if (direction == 0) j.s_stuck = eq.slip_of(j, y, zero.data()).s;
}

const JointState* runaway(Equations& eq, double t, const double* y, const double* w) {
  const JointState* out = nullptr;
  for (JointState& j : eq.joints) {
    if (!j.flow || !j.loaded || j.stuck() || j.of->kind != JointKind::revolute) continue;
    eq.linearise(t, y, w);
    const double slope = eq.linear_of(static_cast<std::size_t>(&j - eq.joints.data())).F_r;
    if (!eq.factor(Equations::Matrix::projection)) continue;
    std::vector<double> x(eq.w_size);
    x[j.force] = 1;
    eq.solve(x.data());
    if (std::abs(slope) * std::hypot(x[j.row], x[j.row + 1]) >= 1) out = &j;
  }
  return out;
}

namespace {

class Search {
 public:
  Search(Equations& eq, double t, const double* y, std::vector<double>& w, const JointState* leaving,
         const JointState* stopped)
      : eq_(eq), t_(t), y_(y), w_(w), leaving_(leaving), at_rest_(eq.joints.size()) {
    const std::vector<double> zero(eq.w_size);
    double speed = 0;
    for (const JointState& j : eq.joints)
      speed = std::max(speed, std::abs(j.slip * eq.slip_of(j, y, zero.data()).rate));
    for (std::size_t i = 0; i < eq.joints.size(); ++i) {
      JointState& j = eq.joints[i];
      if (j.sticky && !j.motion) {
        at_rest_[i] =
            &j == stopped || j.direction == 0 || std::abs(j.slip * eq.slip_of(j, y, zero.data()).rate) <= 1e-11 * speed;
        if (at_rest_[i]) resting_.push_back(&j);
      }
      if (j.flow && j.loaded && eq.branch_count(j) > 1) branching_.push_back(&j);
      if (j.unilateral) touching_.push_back(&j);
      present_.push_back(j.direction);
    }
  }

  Decision run() {
    if (resting_.size() > 8) return pivot();
    try_directions(0);
    Decision out;
    out.solutions = static_cast<int>(different_.size());
    if (best_.w.empty()) return out;
    out.separates = best_.opened;
    take(best_.modes);
    w_ = best_.w;
    return out;
  }

 private:
  struct Best {
    Modes modes{};
    std::vector<double> w{};
    int cost = 1 << 20;
    bool opened = false;
  };
  Modes modes() const {
    Modes out;
    for (const JointState& j : eq_.joints) {
      out.direction.push_back(j.direction);
      out.branch.push_back(j.branch);
      out.open.push_back(j.open ? 1 : 0);
    }
    return out;
  }
  void take(const Modes& from) {
    for (std::size_t i = 0; i < eq_.joints.size(); ++i) {
      JointState& j = eq_.joints[i];
      j.branch = from.branch[i];
      j.open = false;
      if (j.sticky && !j.motion && at_rest_[i]) set_direction(eq_, j, from.direction[i], y_);
    }
  }
  void try_directions(std::size_t k) {
    if (k == resting_.size()) return try_open(0);
    JointState& j = *resting_[k];
    for (const int d : {0, 1, -1}) {
      if (d == 0 && &j == leaving_) continue;
      set_direction(eq_, j, d, y_);
      try_directions(k + 1);
    }
  }
  void try_open(std::size_t k) {
    if (k == touching_.size()) return try_branches(0);
    for (const bool open : {false, true}) {
      touching_[k]->open = open;
      try_open(k + 1);
    }
    touching_[k]->open = false;
  }
  void try_branches(std::size_t k) {
    if (branching_.size() > 4) {  // too many: follow the largest load
      if (settle()) look();
      return;
    }
    if (k == branching_.size()) return look();
    for (int b = 0; b < eq_.branch_count(*branching_[k]); ++b) {
      branching_[k]->branch = b;
      try_branches(k + 1);
    }
  }
  bool settle() {
    std::vector<double> w = w_;
    for (int round = 0; round < 50; ++round) {
      if (!eq_.balance(t_, y_, w.data())) return false;
      bool changed = false;
      for (JointState* j : branching_) {
        for (int b = 0; b < eq_.branch_count(*j); ++b) {
          if (eq_.form(*j, w.data(), b) > eq_.form(*j, w.data(), j->branch) * (1 + 1e-12))
            j->branch = b, changed = true;
        }
      }
      if (!changed) return true;
    }
    return false;
  }
  void look() {
    std::vector<double> w = w_;
    for (double& x : w) x = std::isfinite(x) ? x : 0;
    if (!eq_.balance(t_, y_, w.data()) || !consistent(eq_, t_, y_, w.data(), at_rest_)) return;
    int cost = 0;
    bool opened = false;
    for (std::size_t i = 0; i < eq_.joints.size(); ++i) {
      const JointState& j = eq_.joints[i];
      if (j.open) cost += 1000, opened = true;
      if (!at_rest_[i]) continue;
      if (j.direction != present_[i]) cost += 10;
      if (j.direction != 0) cost += 1;
    }
    if (std::none_of(different_.begin(), different_.end(), [&](const auto& o) { return same_motion(eq_, o, w); }))
      different_.push_back(w);
    if (cost >= best_.cost) return;
    best_ = {modes(), std::move(w), cost, opened};
  }
  /// Many joints at rest: changes the joint that contradicts its mode most until none does; the result is verified.
  Decision pivot() {
    for (int round = 0; round < 500; ++round) {
      std::vector<double> w = w_;
      if (!settle() || !eq_.balance(t_, y_, w.data())) return {};
      if (consistent(eq_, t_, y_, w.data(), at_rest_)) {
        w_ = w;
        return {1, false};
      }
      JointState* worst = nullptr;
      int to = 0;
      double most = 0;
      for (JointState* j : resting_) {
        double excess = 0;
        int next = 0;
        if (j->stuck()) {
          excess = stuck_guard(*j, t_, y_, w.data(), eq_) / std::max(std::abs(w[j->force]), 1e-300);
          next = w[j->force] > 0 ? 1 : -1;
        } else {
          const double rate2 = eq_.slip_of(*j, y_, w.data()).rate2;
          excess = j->direction * rate2 < 0 ? 2 : 0;
        }
        if (excess > most) most = excess, worst = j, to = next;
      }
      if (!worst) return {};
      set_direction(eq_, *worst, to, y_);
    }
    return {};
  }

  Equations& eq_;
  double t_;
  const double* y_;
  std::vector<double>& w_;
  const JointState* leaving_;
  std::vector<char> at_rest_;
  std::vector<JointState*> resting_{}, branching_{}, touching_{};
  std::vector<int> present_{};
  std::vector<std::vector<double>> different_{};
  Best best_{};
};

}  // namespace

Decision decide(Equations& eq, double t, const double* y, std::vector<double>& w, const JointState* leaving,
                const JointState* stopped) {
  return Search(eq, t, y, w, leaving, stopped).run();
}

}  // namespace bristle::mechanism
