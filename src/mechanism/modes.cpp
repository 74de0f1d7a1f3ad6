#include <fmt/format.h>
#include <fmt/ranges.h>

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
    if (!j.flow || j.locked) continue;
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

void set_softness(Equations& eq, const double* y) {
  const std::vector<double> zero(eq.w_size);
  double most = 0;
  for (JointState& j : eq.joints) {
    if (!j.flow) continue;
    const auto D = Kinematics<double>(j.frame, eq.pair(j, y, zero.data())).travel().gradient;
    j.mobility = 0;
    for (std::size_t k = 0; k < 6; ++k) {
      const int b = k < 3 ? j.of->first : j.of->second;
      if (b >= 0) j.mobility += j.slip * j.slip * D[k] * D[k] / eq.mass_of(3 * static_cast<std::size_t>(b) + k % 3);
    }
    if (j.sticky) most = std::max(most, j.mobility);
  }
  for (JointState& j : eq.joints) j.weight = std::min(stuck_softness * most, most_softness * j.mobility);
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

double negligible_acceleration(const Equations& eq, const JointState& j, const double* y, const double* w) {
  const Pair<double> p = eq.pair(j, y, w);
  const Coordinate<double> s = Kinematics<double>(j.frame, p).travel();
  double size = 0;
  for (std::size_t c = 0; c < 6; ++c) size += std::abs(j.slip * s.gradient[c] * p.a[c]);
  return 1e-9 * (size + j.mobility * force_size(eq, w));
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
  return std::abs(gained) < 1e-6 * j.mobility;
}

void set_direction(Equations& eq, JointState& j, int direction, const double* y) {
  j.held = false;
  j.direction = direction;
  const std::vector<double> zero(eq.w_size);
  const double v = j.slip * eq.slip_of(j, y, zero.data()).rate;
  auto begin = [&](double force, double velocity) {
    Motion<double> u;
    u.F_app = force;
    u.v = velocity;
    j.flow->begin(y + j.z, u);
    return j.flow->force(y + j.z, u);
  };
  // The law holds between its forces in slip at v = 0, whose mean an offset or a stretched spring moves.
  const double push = direction != 0 ? direction * huge : 0.5 * (begin(huge, 0) + begin(-huge, 0));
  begin(push, v * direction > 0 ? v : 0);
  if (direction == 0) j.s_stuck = eq.slip_of(j, y, zero.data()).s;
}

std::string objection_to(const Decision& d, const Equations& eq, double t) {
  if (d.solutions == 1) return {};
  std::vector<std::string> names;
  for (const JointState& j : eq.joints) {
    if (j.flow) names.push_back(j.of->name);
  }
  const std::string joints = fmt::format("{} {}", names.size() == 1 ? "joint" : "joints", fmt::join(names, ", "));
  if (d.solutions > 1)
    return fmt::format(
        "warning: {}{} solutions at t = {:.6g} s (friction of {}); the one that keeps the present modes is used",
        d.all ? "" : "at least ", d.solutions, t, joints);
  if (d.all) return fmt::format("no combination of stick and slip satisfies the equations ({})", joints);
  return fmt::format(
      "no combination of stick and slip was found that satisfies the equations; more than 8 joints at rest: not all "
      "combinations were tried ({})",
      joints);
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
      if (j.sticky && !j.motion && !j.locked) {
        at_rest_[i] =
            &j == stopped || j.direction == 0 || std::abs(j.slip * eq.slip_of(j, y, zero.data()).rate) <= 1e-11 * speed;
        if (at_rest_[i]) resting_.push_back(&j);
      }
      if (j.flow && j.loaded && !j.locked && eq.branch_count(j) > 1) branching_.push_back(&j);
      if (j.unilateral) touching_.push_back(&j);
      present_.push_back(j.direction);
    }
    double combinations = std::pow(3, resting_.size()) * std::pow(2, touching_.size());
    for (const JointState* j : branching_) combinations *= eq.branch_count(*j);
    many_ = combinations > 2e4;
  }

  Decision run() {
    if (resting_.size() > 8) return pivot();
    try_directions(0);
    Decision out;
    out.solutions = static_cast<int>(different_.empty() ? early_.size() : different_.size());
    if (best_.w.empty()) return out;
    for (std::size_t i = 0; i < best_.modes.open.size() && !out.opened; ++i) {
      if (best_.modes.open[i] != 0) out.opened = &eq_.joints[i];
    }
    take(best_.modes);
    w_ = best_.w;
    return out;
  }

 private:
  struct Best {
    Modes modes{};
    std::vector<double> w{};
    int cost = 1 << 20;
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
      if (open && many_) break;  // a load that falls below 0 is then found as an event
      touching_[k]->open = open;
      try_open(k + 1);
    }
    touching_[k]->open = false;
  }
  void try_branches(std::size_t k) {
    if (branching_.size() > 4 || many_) {  // too many: follow the largest load
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
    bool early = false;
    for (std::size_t i = 0; i < eq_.joints.size(); ++i) {
      const JointState& j = eq_.joints[i];
      if (j.open) cost += 1000;
      if (!at_rest_[i]) continue;
      if (j.direction != present_[i]) cost += 10;
      if (j.direction != 0) cost += 1;
      early = early || (present_[i] == 0 && j.direction != 0 && &j != leaving_ && below_breakaway(j, w.data()));
    }
    if (early) cost += 100;
    std::vector<std::vector<double>>& different = early ? early_ : different_;
    if (std::none_of(different.begin(), different.end(), [&](const auto& o) { return same_motion(eq_, o, w); }))
      different.push_back(w);
    if (cost >= best_.cost) return;
    best_ = {modes(), std::move(w), cost};
  }
  /// Whether the slip force of a joint that was stuck is below its breakaway force: then the joint holds as well, and it
  /// slips only if other joints leave no other solution.
  bool below_breakaway(const JointState& j, const double* w) const {
    const auto flow = j.flow->clone();
    Motion<double> u = eq_.motion_of(j, t_, y_, w);
    u.v = 0;
    flow->begin(y_ + j.z, u);
    u.F_app = w[j.force];
    std::vector<Guard> guards;
    flow->guards(y_ + j.z, u, 0, guards);
    return std::ranges::all_of(guards, [&](const Guard& g) { return g.value < -1e-9 * std::abs(u.F_app); });
  }
  /// Many joints at rest: principal pivoting from the present modes, from all stuck and from all in slip; every result is
  /// verified. Where the loads do not depend on friction, the first result is the only one.
  Decision pivot() {
    Decision out{.all = false};
    for (JointState* j : resting_) {
      if (j == leaving_ && j->stuck()) set_direction(eq_, *j, w_[j->force] > 0 ? 1 : -1, y_);
    }
    const std::vector<double> begun = w_;
    for (const int from : {0, 1, 2}) {
      for (JointState* j : resting_) {
        if (from == 1 && j != leaving_) set_direction(eq_, *j, 0, y_);
        if (from == 2) set_direction(eq_, *j, begun[j->force] < 0 ? -1 : 1, y_);
      }
      w_ = begun;
      if (pivot_from_here()) look();
    }
    w_ = begun;
    out.solutions = static_cast<int>(different_.empty() ? early_.size() : different_.size());
    if (best_.w.empty()) return out;
    take(best_.modes);
    w_ = best_.w;
    return out;
  }
  /// Changes the joint that contradicts its mode most; then, as that may cycle, the first one that does (Murty's rule, which
  /// ends where the problem has one solution).
  bool pivot_from_here() {
    for (int round = 0; round < 1000; ++round) {
      std::vector<double> w = w_;
      if (!settle() || !eq_.balance(t_, y_, w.data())) return false;
      if (consistent(eq_, t_, y_, w.data(), at_rest_)) return true;
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
          excess = j != leaving_ && j->direction * rate2 < 0 ? 2 : 0;
        }
        if (excess > most) most = excess, worst = j, to = next;
        if (worst && round >= 300) break;
      }
      if (!worst) return false;
      set_direction(eq_, *worst, to, y_);
    }
    return false;
  }

  Equations& eq_;
  double t_;
  const double* y_;
  std::vector<double>& w_;
  const JointState* leaving_;
  std::vector<char> at_rest_;
  bool many_ = false;  // combinations of modes
  std::vector<JointState*> resting_{}, branching_{}, touching_{};
  std::vector<int> present_{};
  std::vector<std::vector<double>> different_{}, early_{};  // early: slip below breakaway
  Best best_{};
};

}  // namespace

Decision decide(Equations& eq, double t, const double* y, std::vector<double>& w, const JointState* leaving,
                const JointState* stopped) {
  return Search(eq, t, y, w, leaving, stopped).run();
}

}  // namespace bristle::mechanism
