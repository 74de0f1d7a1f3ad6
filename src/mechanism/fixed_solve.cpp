#include "mechanism/fixed.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "mechanism/fixed_point.hpp"

/// One step of fixed size: accelerations, reactions and friction together.
namespace bristle::mechanism {
namespace {

template <class F> std::vector<double> solve_symmetric(std::vector<double> A, std::size_t n, F&& rhs) {
  std::vector<double> x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = rhs(i);
  for (std::size_t j = 0; j < n; ++j) {  // positive definite: no pivots
    for (std::size_t i = j + 1; i < n; ++i) {
      const double f = A[i * n + j] / A[j * n + j];
      for (std::size_t c = j; c < n; ++c) A[i * n + c] -= f * A[j * n + c];
      x[i] -= f * x[j];
    }
  }
  for (std::size_t j = n; j-- > 0;) {
    for (std::size_t c = j + 1; c < n; ++c) x[j] -= A[j * n + c] * x[c];
    x[j] /= A[j * n + j];
  }
  return x;
}

}  // namespace

std::string FixedRun::solve(double t, double dt) {
  const std::size_t n = 3 * eq_.bodies, k = contacts_.size();
  eq_.inside = t + dt / 2;
  std::vector<double> zero(eq_.w_size), G(eq_.w_size), r(eq_.y_size), rate(eq_.y_size);
  eq_.linearise(t + dt, y_.data(), zero.data());
  if (!eq_.factor(Equations::Matrix::frictionless, dt)) fail("the constraints have no solution, near " + eq_.weakest());
  eq_.residual(t + dt, y_.data(), zero.data(), G.data(), rate.data());
  for (const JointState& j : eq_.joints) {
    if (j.force != none && !j.rolls) G[j.force] = 0;
    if (j.drive == none) continue;
    const Equations::Slip s = eq_.slip_of(j, y_.data(), zero.data());
    const Signal to = eq_.prescribed(j, t + dt);
    // The velocity is that of the motion at both ends of a step; the projection corrects the position. The first row is that
    // of a vanishing step.
    G[j.drive] = dt < 1e-6 * dt_ ? to.rate2 : (to.rate - s.rate) / dt;
  }
  std::copy_n(y_.begin() + static_cast<std::ptrdiff_t>(n), n, r.begin());
  eq_.solve_stage(dt, r.data(), G.data(), false);
  const std::vector<double> alone = G;  // without friction
  for (std::size_t i = 0; i < k; ++i) {
    std::fill(free_[i].begin(), free_[i].end(), 0.0);
    free_[i][joint(contacts_[i]).force] = 1;
    eq_.solve(free_[i].data());
  }
  std::vector<ContactRef> refs;
  std::vector<Motion<double>> motions(k);
  std::vector<double> pull(k);
  std::vector<std::size_t> coupled;
  auto along = [&](std::size_t i, const std::vector<double>& w) {
    const JointState& j = joint(contacts_[i]);
    const JointLinear l = eq_.linear_of(contacts_[i].joint);
    double sum = 0;
    for (std::size_t c = 0; c < 6; ++c) {
      const int b = c < 3 ? j.of->first : j.of->second;
      if (b >= 0) sum += j.slip * l.D[c] * w[3 * static_cast<std::size_t>(b) + c % 3];
    }
    return sum;
  };
  // At a dead centre friction does not change the slip velocity: the contact follows it, as in a prescribed motion.
  for (std::size_t i = 0; i < k; ++i) {
    const JointState& j = joint(contacts_[i]);
    const JointLinear l = eq_.linear_of(contacts_[i].joint);
    double mobility = 0;
    for (std::size_t c = 0; c < 6; ++c) {
      const int b = c < 3 ? j.of->first : j.of->second;
      if (b >= 0) mobility += std::pow(j.slip * l.D[c], 2) / eq_.mass_of(3 * static_cast<std::size_t>(b) + c % 3);
    }
    contacts_[i].driven = j.motion || contacts_[i].locked || !(-along(i, free_[i]) > 1e-9 * mobility);
    if (!contacts_[i].driven) coupled.push_back(i);
  }
  const std::size_t size = coupled.size();
  std::vector<double> W(size * size);
  double largest = 0;
  for (std::size_t a = 0; a < size; ++a) {
    for (std::size_t b = 0; b < size; ++b) {
      W[a * size + b] = -(along(coupled[a], free_[coupled[b]]) + along(coupled[b], free_[coupled[a]])) / 2;
      largest = std::max(largest, a == b ? W[a * size + b] : 0.0);
    }
  }
  // Joints that depend on each other must not make it singular. The rounds remove the motion that this allows (`pull`).
  std::vector<double> give(size);
  for (std::size_t a = 0; a < size; ++a) {
    give[a] = 1e-6 * (W[a * size + a] + largest);
    W[a * size + a] += give[a];
  }
  std::vector<std::vector<double>> states;
  states.reserve(contacts_.size());
  for (const Contact& c : contacts_) states.push_back(c.any->state());
  FixedPoint loads;
  for (int round = 0;; ++round) {
    double change = 0;  // of forces of dependent joints, by which they still give way
    for (std::size_t i = 0; i < k; ++i) {
      Contact& c = contacts_[i];
      const JointState& j = joint(c);
      const Equations::Slip s = eq_.slip_of(j, y_.data(), zero.data());
      Motion<double>& u = motions[i];
      u.v = j.slip * s.rate;
      u.x = j.slip * s.s;
      u.r = load_[c.joint];
      u.t = t + dt;
      u.path = c.path;
      u.temperature = e_.body.temperature;
      pull[i] = along(i, alone);
      if (!c.driven) continue;
      u.v += dt * pull[i];
      if (c.locked || (!j.motion && std::abs(u.v) <= rounding(c, dt, alone))) u.v = 0;
      c.F = c.any->step(u, dt);
    }
    if (size > 0) {
      // F_app = W^-1 (acceleration without friction)
      std::vector<Motion<double>> u(size);
      refs.clear();
      for (std::size_t a = 0; a < size; ++a) {
        u[a] = motions[coupled[a]];
        pull[coupled[a]] += give[a] * contacts_[coupled[a]].F;
        for (std::size_t i = 0; i < k; ++i) {
          if (contacts_[i].driven) pull[coupled[a]] += along(coupled[a], free_[i]) * contacts_[i].F;
        }
        refs.push_back(contacts_[coupled[a]].any->ref());
      }
      const std::vector<double> force = solve_symmetric(W, size, [&](std::size_t a) { return pull[coupled[a]]; });
      for (std::size_t a = 0; a < size; ++a) u[a].F_app = force[a];
      const std::vector<ContactStep> found = balance(refs, W, give, u, pull, coupled, states, dt);
      if (found.empty()) return "the contacts have no common balance";
      for (std::size_t a = 0; a < size; ++a) {
        Contact& c = contacts_[coupled[a]];
        const double F = found[a].F;
        change = std::max(change, std::abs(F - c.F) / std::max({std::abs(F), std::abs(c.F), 1e-300}));
        c.F = F;
        c.held = found[a].holds;
      }
    }
    w_ = alone;
    for (std::size_t i = 0; i < k; ++i) {
      for (std::size_t x = 0; x < w_.size(); ++x) w_[x] += contacts_[i].F * free_[i][x];
    }
    std::vector<double> found = load_;
    double moved = 0, heaviest = 1e-12;
    for (const double load : load_) heaviest = std::max(heaviest, std::abs(load));
    for (const Contact& c : contacts_) {
      JointState& j = joint(c);
      if (!j.loaded) continue;
      // A contact that would pull carries nothing; that it opens is reported below.
      const double now = std::max(eq_.true_load(j, w_.data()) / j.of->normal_load, 0.0);
      moved = std::max(moved, std::abs(now - load_[c.joint]) / std::max(now, 1e-9 * heaviest));
      found[c.joint] = now;
    }
    // Secants lead away from stick where friction grows faster than its limit (jamming): plain rounds find it.
    load_ = loads.next(load_, found, round > 4 && round < 100, round < 200 ? 1 : 0.2);
    if (!(moved > 1e-9) && (!(change > 1e-4) || round > 20)) break;
    if (round == 300 && !(moved > 1e-3)) break;
    if (round == 300) {
      explain_stop(t, y_, reported_);  // the accelerations may have no solution
      return "friction and reactions have no common solution that steps of fixed size find";
    }
    for (std::size_t i = 0; i < k; ++i) contacts_[i].any->set_state(states[i]);
  }
  for (const JointState& j : eq_.joints) {
    if (j.unilateral && eq_.load_of(j, w_.data()) < 0)
      fail(fmt::format("joint {} loses contact: its normal force falls to 0", j.of->name));
  }
  return {};
}

std::vector<ContactStep> FixedRun::balance(const std::vector<ContactRef>& refs, const std::vector<double>& W,
                                           const std::vector<double>& give, const std::vector<Motion<double>>& u,
                                           const std::vector<double>& pull, const std::vector<std::size_t>& coupled,
                                           const std::vector<std::vector<double>>& states, double dt) {
  const std::size_t size = refs.size();
  std::vector<ContactStep> out(size);
  CoupleAll work(size);
  if (work.step(refs, InverseMassMatrix{W}, u, dt)) {
    for (std::size_t a = 0; a < size; ++a) out[a] = {work.result()[a].F, work.result()[a].holds};
    return out;
  }
  std::vector<double> rates(size), rigid = W;  // the forces need not be unique here, the motion is
  for (std::size_t a = 0; a < size; ++a) {
    Contact& c = contacts_[coupled[a]];
    c.any->set_state(states[coupled[a]]);
    out[a].F = c.F;
    rates[a] = pull[coupled[a]] - give[a] * c.F;
    rigid[a * size + a] -= give[a];
  }
  if (!step_in_forces(refs, rigid, u, rates, dt, out)) out.clear();
  return out;
}

void FixedRun::explain_stop(double t, const std::vector<double>& y, const std::vector<int>& slid) {
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    JointState& j = joint(contacts_[i]);
    if (j.sticky) set_direction(eq_, j, slid[i], y.data());
  }
  std::vector<double> w(eq_.w_size);
  const Decision d = decide(eq_, t, y.data(), w, nullptr, nullptr);
  for (JointState& j : eq_.joints) {
    j.direction = 1;
    j.open = false;
  }
  if (d.solutions == 0 && d.all) fail(objection_to(d, eq_, t), t);
  if (d.solutions > 1 && !std::exchange(several_, true)) notes_.push_back(objection_to(d, eq_, t));
}

}  // namespace bristle::mechanism
