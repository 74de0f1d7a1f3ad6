#include <fmt/format.h>

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <utility>

#include "bristle/couple_all.hpp"
#include "mechanism/contacts.hpp"
#include "mechanism/runner.hpp"

/// Steps of fixed size, as a real-time simulation takes them: linearly implicit Euler for bodies, springs and
/// constraints, and one implicit solve of all contacts (couple_all) with the inertia that they feel through the
/// mechanism. Reactions and friction are iterated within a step.
namespace bristle::mechanism {
namespace {

/// Iteration x = g(x) with secants through the last rounds (Anderson), as many as there are unknowns: where friction multiplies
/// the loads by nearly 1 or by less than -1, plain iteration is slow or never ends. `part`: of each change, without secants.
class FixedPoint {
 public:
  std::vector<double> next(const std::vector<double>& x, const std::vector<double>& g, bool secant, double part) {
    const auto n = static_cast<Eigen::Index>(x.size());
    const Eigen::VectorXd to = Eigen::Map<const Eigen::VectorXd>(g.data(), n),
                          r = to - Eigen::Map<const Eigen::VectorXd>(x.data(), n);
    Eigen::VectorXd out = to - (1 - part) * r;
    if (secant && r_.cols() > 0) {
      const Eigen::MatrixXd dr = r.replicate(1, r_.cols()) - r_, dg = to.replicate(1, g_.cols()) - g_;
      const Eigen::VectorXd c = dr.colPivHouseholderQr().solve(r);
      if (c.allFinite() && c.cwiseAbs().maxCoeff() < 1e3) out = to - dg * c;
    }
    const Eigen::Index most = std::min<Eigen::Index>(n, 5), kept = std::min(r_.cols(), most - 1);
    Eigen::MatrixXd rs(n, kept + 1), gs(n, kept + 1);
    rs.col(0) = r;
    gs.col(0) = to;
    if (kept > 0) {
      rs.rightCols(kept) = r_.leftCols(kept);
      gs.rightCols(kept) = g_.leftCols(kept);
    }
    r_ = std::move(rs);
    g_ = std::move(gs);
    const Eigen::VectorXd load = out.cwiseMax(0);
    return {load.data(), load.data() + n};
  }

 private:
  Eigen::MatrixXd r_{}, g_{};  // of the last rounds, the newest first
};

class Fixed {
 public:
  Fixed(const Mechanism& m, const Experiment& e, const RunOptions& options)
      : eq_(m, e),
        e_(e),
        options_(options),
        dt_(e.solver.step),
        rows_(m.columns(e), options.rows ? row_times(e.solver) : std::vector<double>{}),
        probes_(m.columns(e), options.probes),
        limits_(m.columns(e), e.solver, options.rows) {}

  Run run() {
    begin();
    const double duration = e_.solver.duration;
    const auto steps = static_cast<std::int64_t>(std::ceil(duration / dt_ * (1 - 1e-12)));
    if (static_cast<double>(steps) > e_.solver.max_steps) throw RunFailed("max_steps exceeded at t = 0 s");
    for (std::int64_t n = 1; n <= steps; ++n) {
      options_.heed();
      if (options_.progress && n % 256 == 0) options_.progress(t_);
      advance(std::min(duration, static_cast<double>(n) * dt_));
      record(n == steps);
    }
    return finish();
  }

 private:
  void begin() {
    eq_.inside = std::min(eq_.next_corner(0), e_.solver.duration) / 2;
    y_ = assembled(eq_, notes_);
    w_.assign(eq_.w_size, 0);
    for (std::size_t i = 0; i < eq_.joints.size(); ++i) {
      JointState& j = eq_.joints[i];
      load_.push_back(1);
      if (!j.flow) continue;
      contacts_.push_back({i, e_.contacts[static_cast<std::size_t>(j.of->contact)].contact->clone()});
    }
    const std::size_t k = contacts_.size();
    free_.assign(k, std::vector<double>(eq_.w_size));
    before_.resize(rows_.trace.columns.size());
    row_.resize(before_.size());
    kinetic0_ = eq_.kinetic(y_.data());
    potential0_ = eq_.potential(y_.data());
    losses_.assign(eq_.joints.size(), 0);
    for (const JointState& j : eq_.joints) run_.bodies.push_back(j.of->name);
    set_softness(eq_, y_.data());
    examine_compensation(eq_, y_.data(), notes_);
    for (const Contact& c : contacts_) {
      const double v = slip(c);
      reported_.push_back(v > threshold(c) ? 1 : v < -threshold(c) ? -1 : 0);
    }
    // The forces of the first row: those of a vanishing step.
    std::vector<std::vector<double>> states;
    states.reserve(contacts_.size());
    for (const Contact& c : contacts_) states.push_back(c.any->state());
    eq_.sample(0, y_.data(), dt_);
    if (const std::string why = solve(0, 1e-9 * dt_); !why.empty()) fail(why);
    for (std::size_t i = 0; i < contacts_.size(); ++i) {
      contacts_[i].any->set_state(states[i]);
      if (std::abs(slip(contacts_[i])) <= rounding(contacts_[i], dt_, w_)) reported_[i] = 0;
    }
    make_row(0);
    while (rows_.due(1e-300)) rows_.put(row_.data());
    while (probes_.due(1e-300)) probes_.put(row_.data());
    violation_ = eq_.violation(0, y_.data());
  }
  struct Contact {
    std::size_t joint;
    std::unique_ptr<AnyContact> any;
    double F{}, path{};
    bool held{}, driven{};  // driven: friction does not change the slip velocity
  };
  JointState& joint(const Contact& c) { return eq_.joints[c.joint]; }
  double slip(const Contact& c) {
    const JointState& j = joint(c);
    return j.slip * eq_.slip_of(j, y_.data(), w_.data()).rate;
  }
  double threshold(const Contact& c) {
    if (e_.solver.stick_velocity > 0) return e_.solver.stick_velocity;
    return joint(c).sticky ? 0 : c.any->scales().velocity;
  }
  /// Rounding errors of the slip velocity after a step: a joint that the mechanism locks does not slip with them.
  double rounding(const Contact& c, double dt, const std::vector<double>& w) {
    return dt * negligible_acceleration(eq_, joint(c), y_.data(), w.data());
  }

  /// Accelerations, reactions and friction of a step from t to t + dt; the contacts advance. Returns why there are none, or "".
  std::string solve(double t, double dt) {
    const std::size_t n = 3 * eq_.bodies, k = contacts_.size();
    eq_.inside = t + dt / 2;
    std::vector<double> zero(eq_.w_size), G(eq_.w_size), r(eq_.y_size), rate(eq_.y_size);
    eq_.linearise(t + dt, y_.data(), zero.data());
    if (!eq_.factor(Equations::Matrix::frictionless, dt))
      fail("the constraints have no solution, near " + eq_.weakest());
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
      contacts_[i].driven = j.motion || !(-along(i, free_[i]) > 1e-9 * mobility);
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
        if (!j.motion && std::abs(u.v) <= rounding(c, dt, alone)) u.v = 0;
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
  /// Forces of all contacts under given loads, none without a balance. `give`: what was added to the diagonal of W.
  std::vector<ContactStep> balance(const std::vector<ContactRef>& refs, const std::vector<double>& W,
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
  template <class F> static std::vector<double> solve_symmetric(std::vector<double> A, std::size_t n, F&& rhs) {
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

  void advance(double to) {
    const std::size_t n = 3 * eq_.bodies;
    const double dt = to - t_;
    before_ = row_;
    t_before_ = t_;
    const double corner = eq_.next_corner(t_);
    const std::size_t events = run_.events.size();
    const std::vector<double> start = y_, loads = load_;
    std::vector<std::vector<double>> states;
    states.reserve(contacts_.size());
    for (const Contact& c : contacts_) states.push_back(c.any->state());
    std::string why = solve(t_, dt);
    Equations::Powers powers;
    for (std::size_t i = 0; i < n && why.empty(); ++i) {
      y_[n + i] += dt * w_[i];
      y_[i] += dt * y_[n + i];
    }
    if (why.empty() && (!(eq_.project_position(to, y_.data()) < inf) || !(eq_.project_velocity(to, y_.data()) < inf)))
      why = "the constraints cannot be satisfied; the bodies move too far in a step";
    if (!why.empty()) {
      if (dt < 1e-3 * dt_) fail(why);
      load_ = loads;
      y_ = start;  // two steps of half its length, in which bodies turn less and friction changes less
      for (std::size_t i = 0; i < contacts_.size(); ++i) contacts_[i].any->set_state(states[i]);
      advance(t_ + dt / 2);
      record(false);
      return advance(to);
    }
    t_ = to;
    eq_.follow_dependent(y_.data());
    violation_ = std::max(violation_, eq_.violation(t_, y_.data()));
    eq_.powers(t_, y_.data(), w_.data(), powers);
    drive_ += dt * powers.drive;
    damper_ += dt * powers.damper;
    bool stopped = false;
    const std::vector<int> slid = reported_;
    for (std::size_t i = 0; i < contacts_.size(); ++i) {
      Contact& c = contacts_[i];
      const double v = slip(c);
      losses_[c.joint] += dt * c.F * v;
      c.path += dt * std::abs(v);
      const bool stuck = c.driven && std::abs(v) <= rounding(c, dt, w_) ? true
                         : joint(c).sticky                              ? c.held
                                                                        : std::abs(v) <= threshold(c);
      const int direction = stuck ? 0 : v > 0 ? 1 : v < 0 ? -1 : 0;
      if (direction != reported_[i]) {
        if (joint(c).sticky && joint(c).loaded && reported_[i] != 0) stopped = true;
        run_.events.push_back({t_,
                               direction == 0  ? Event::stick
                               : direction > 0 ? Event::slip_forward
                                               : Event::slip_backward,
                               static_cast<int>(c.joint) + 1});
        reported_[i] = direction;
      }
    }
    if (stopped) explain_stop(t_before_, start, slid);
    largest_ = std::max(largest_, eq_.kinetic(y_.data()));
    eq_.sample(t_, y_.data(), dt_);
    make_row(t_);
    if (corner <= t_ || run_.events.size() > events) show_limits(corner <= t_ ? corner : t_);
    ++run_.summary.steps;
  }
  /// A step has a solution even where accelerations have none: it stops the joint by an impulse (Painleve). The accelerations
  /// at its start tell such a stop from that of a body which friction slows down.
  void explain_stop(double t, const std::vector<double>& y, const std::vector<int>& slid) {
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
  /// A step has no limits in between: the values before and after it take their place.
  void show_limits(double at) {
    auto copy = [](const std::vector<double>& from) {
      return [&from](double t, double* row) {
        std::copy(from.begin(), from.end(), row);
        row[0] = t;
      };
    };
    limits_.before(at, copy(before_));
    limits_.after(at, true, copy(row_));
  }
  void make_row(double t) {
    for (const Contact& c : contacts_) {
      const std::vector<Variable> states = c.any->states();
      for (std::size_t k = 0; k < states.size(); ++k) y_[joint(c).z + k] = states[k].value;
    }
    row_of(eq_, t, y_.data(), w_.data(), row_.data());
  }
  /// Rows between two steps are interpolated.
  void record(bool last) {
    for (Rows* rows : {&rows_, &probes_}) {
      while (!rows->done() && (rows->time() <= t_ * (1 + 1e-14) || last)) {
        const double part = std::clamp((rows->time() - t_before_) / (t_ - t_before_), 0.0, 1.0);
        std::vector<double> row(row_);
        for (std::size_t i = 0; i < row.size() && part < 1 - 1e-9; ++i)
          row[i] = before_[i] + part * (row_[i] - before_[i]);
        row[0] = rows->time();
        rows->put(row.data());
      }
    }
  }
  Run finish() {
    run_.trace = std::move(rows_.trace);
    run_.probes = std::move(probes_.trace);
    run_.summary.notes = std::move(notes_);
    Summary& s = run_.summary;
    s.method = "fixed";
    s.violation = violation_;
    EnergyBalance& e = s.energy;
    e.kinetic = eq_.kinetic(y_.data()) - kinetic0_;
    e.spring = eq_.potential(y_.data()) - potential0_;
    e.drive = drive_;
    e.damper = damper_;
    for (std::size_t i = 0; i < losses_.size(); ++i) {
      e.friction += losses_[i];
      if (eq_.joints[i].flow) s.losses.push_back({eq_.joints[i].of->name, losses_[i]});
    }
    const double largest = std::max({std::abs(e.kinetic), std::abs(e.spring), std::abs(e.damper), std::abs(e.friction),
                                     std::abs(e.drive), largest_});
    e.error = largest > 0 ? std::abs(e.drive - e.kinetic - e.spring - e.damper - e.friction) / largest : 0;
    if (e.error > 0.1)
      s.notes.push_back(fmt::format(
          "warning: the energy balance is off by {:.1e} of its largest term; smaller steps are required", e.error));
    for (const JointState& j : eq_.joints) {
      if (j.servo) note_frozen(j.servo->of->params, 0, run_.trace, j.of->name + ".", s.notes);
    }
    finish_limits(e_.solver, limits_, run_);
    return std::move(run_);
  }
  [[noreturn]] void fail(const std::string& why) const { fail(why, t_); }
  [[noreturn]] void fail(const std::string& why, double t) const {
    throw RunFailed(fmt::format("{} at t = {:.6g} s with step {:.3g} s", why, t, dt_));
  }

  Equations eq_;
  const Experiment& e_;
  const RunOptions& options_;
  double dt_, t_{}, t_before_{};
  std::vector<double> y_{}, w_{}, row_{}, before_{}, load_{}, losses_{};
  std::vector<Contact> contacts_{};
  std::vector<int> reported_{};
  std::vector<std::vector<double>> free_{};
  bool several_ = false;
  double kinetic0_{}, potential0_{}, drive_{}, damper_{}, violation_{}, largest_{};
  Rows rows_, probes_;
  Limits limits_;
  std::vector<std::string> notes_{};
  Run run_{};
};

}  // namespace

Run run_fixed(const Mechanism& m, const Experiment& e, const RunOptions& options) { return Fixed(m, e, options).run(); }

}  // namespace bristle::mechanism
