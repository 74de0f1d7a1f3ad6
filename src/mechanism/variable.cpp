#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "mechanism/runner.hpp"
#include "simulate/shared/methods.hpp"

/// Variable steps by Rodas5P between exact events.
namespace bristle::mechanism {
namespace {

constexpr const auto& K = rodas5p;
constexpr double caution = 0.5;  // on the tolerances: errors of a run stay below rtol (measured)
constexpr std::size_t S = K.alpha.size(), Dense = K.dense.size();

struct Watch {
  enum Kind { rest, own, release, branch, kink, loss, report } kind;
  std::size_t joint;
  int id;
  double value;    // an event is a rise through zero
  double ahead{};  // place within the step that decides, where the beginning does not
};

class VariableRun {
 public:
  VariableRun(const Mechanism& m, const Experiment& e, const RunOptions& options)
      : eq_(m, e),
        solver_(e.solver),
        options_(options),
        duration_(e.solver.duration),
        rows_(m.columns(e), row_times(e.solver)),
        probes_(m.columns(e), options.probes) {}

  Run run() {
    begin();
    while (t_ < duration_) {
      enter_piece();
      while (t_ < piece_end_) step();
    }
    return finish();
  }

 private:
  // ---- start and end
  void begin() {
    eq_.inside = std::min(eq_.next_corner(0), duration_) / 2;
    y_ = assembled(eq_, notes_);
    w_.assign(eq_.w_size, 0);
    y1_ = point_ = error_ = rates_ = y_;
    w1_ = w_point_ = G_ = w_;
    for (std::size_t s = 0; s < S; ++s) {
      u_[s].resize(eq_.y_size);
      uw_[s].resize(eq_.w_size);
    }
    row_.resize(rows_.trace.columns.size());
    since_.assign(eq_.joints.size(), 0);
    double speed = 0;
    for (const JointState& j : eq_.joints) speed = std::max(speed, std::abs(slip_velocity(j, y_)));
    for (JointState& j : eq_.joints) {
      if (!j.flow) continue;
      const double v = slip_velocity(j, y_);
      const int direction = std::abs(v) > 1e-12 * speed ? (v > 0 ? 1 : -1) : 0;
      const Pair<double> p = eq_.pair(j, y_.data(), w_.data());
      double mobility = 0;
      const auto D = Kinematics<double>(j.frame, p).travel().gradient;
      for (std::size_t k = 0; k < 6; ++k) {
        const int b = k < 3 ? j.of->first : j.of->second;
        if (b >= 0) mobility += j.slip * j.slip * D[k] * D[k] / eq_.mass_of(3 * static_cast<std::size_t>(b) + k % 3);
      }
      j.weight = stuck_softness * mobility;
      j.kink = direction;
      if (j.sticky) {
        set_direction(eq_, j, direction, y_.data());
      } else {
        Motion<double> u;
        u.v = v;
        j.flow->begin(y_.data() + j.z, u);
      }
    }
    choose(nullptr, true);
    sizes_ = sizes_of(eq_, e_sizes(), y_.data(), w_.data());
    for (std::size_t i = 0; i < eq_.joints.size(); ++i) {
      JointState& j = eq_.joints[i];
      if (!j.flow) continue;
      double size = inf;  // of the slip velocity
      for (const int b : {j.of->first, j.of->second}) {
        if (b < 0) continue;
        const std::size_t at = 3 * eq_.bodies + 3 * static_cast<std::size_t>(b);
        size = std::min(size, j.of->kind == JointKind::revolute ? j.slip * sizes_[at + 2] : sizes_[at]);
      }
      noise_.resize(eq_.joints.size());
      noise_[i] = 1e-4 * solver_.rtol * size;
      threshold_.resize(eq_.joints.size());
      threshold_[i] = solver_.stick_velocity > 0 ? solver_.stick_velocity : j.flow->traits().scales.velocity;
      const double v = slip_velocity(j, y_);
      j.reported = j.sticky                      ? (std::abs(v) > noise_[i] || j.direction == 0 ? j.direction : 0)
                   : std::abs(v) > threshold_[i] ? (v > 0 ? 1 : -1)
                                                 : 0;
      if (!j.sticky && !(threshold_[i] > 0)) j.reported = v > 0 ? 1 : v < 0 ? -1 : 0;
      note(i, j.reported, true);
    }
    noise_.resize(eq_.joints.size());
    threshold_.resize(eq_.joints.size());
    kinetic0_ = eq_.kinetic(y_.data());
    potential0_ = eq_.potential(y_.data());
    y0_ = y_;
    losses_.assign(eq_.joints.size(), 0);
    impulse_.assign(3 * eq_.bodies, 0);
    gross_.assign(3 * eq_.bodies, 0);
    violation_ = eq_.violation(0, y_.data());
    out_.bodies.reserve(eq_.joints.size());
    for (const JointState& j : eq_.joints) out_.bodies.push_back(j.of->name);
  }
  Experiment e_sizes() const {
    Experiment e;
    e.solver = solver_;
    return e;
  }
  Run finish() {
    record(duration_, true);
    std::stable_sort(out_.events.begin(), out_.events.end(), [](const Event& a, const Event& b) { return a.t < b.t; });
    out_.trace = std::move(rows_.trace);
    out_.probes = std::move(probes_.trace);
    out_.summary.notes = std::move(notes_);
    Summary& s = out_.summary;
    s.method = K.name;
    s.violation = violation_;
    EnergyBalance& e = s.energy;
    e.kinetic = eq_.kinetic(y_.data()) - kinetic0_;
    e.spring = eq_.potential(y_.data()) - potential0_;
    e.damper = damper_;
    e.drive = drive_;
    for (std::size_t i = 0; i < losses_.size(); ++i) {
      e.friction += losses_[i];
      if (eq_.joints[i].flow) s.losses.push_back({eq_.joints[i].of->name, losses_[i]});
    }
    const double largest = std::max({std::abs(e.kinetic), std::abs(e.spring), std::abs(e.damper), std::abs(e.friction),
                                     std::abs(e.drive), largest_kinetic_, 1e-9 * largest_force_ * eq_.extent});
    const double gap = std::abs(e.drive - e.kinetic - e.spring - e.damper - e.friction);
    e.error = largest > 0 ? gap / largest : 0;
    const double least = 1e-3 * largest_force_ * duration_;           // forces may cancel
    std::array<double, 2> size{least, least * eq_.extent}, gap_of{};  // linear and angular
    for (std::size_t i = 0; i < impulse_.size(); ++i) {
      const std::size_t kind = i % 3 == 2 ? 1 : 0;
      const double change = eq_.mass_of(i) * (y_[impulse_.size() + i] - y0_[impulse_.size() + i]);
      size[kind] = std::max({size[kind], gross_[i], eq_.mass_of(i) * std::abs(y_[impulse_.size() + i])});
      gap_of[kind] = std::max(gap_of[kind], std::abs(change - impulse_[i]));
    }
    for (std::size_t k = 0; k < 2; ++k) {
      if (size[k] > 0) s.momentum.error = std::max(s.momentum.error, gap_of[k] / size[k]);
    }
    const double allowed = 1e-3 * std::max(1.0, solver_.rtol / 1e-8);
    if (!(e.error <= allowed))
      throw RunFailed(fmt::format("the energy balance is off by {:.1e} of its largest term; at most {:.1e} is accepted",
                                  e.error, allowed));
    return std::move(out_);
  }

  void enter_piece() {
    piece_end_ = std::min(eq_.next_corner(t_), duration_);
    eq_.inside = (t_ + piece_end_) / 2;
    if (t_ > 0) {  // a prescribed velocity may jump: the bodies follow at once
      const double before = eq_.kinetic(y_.data());
      const double off = eq_.project_velocity(t_, y_.data());
      if (!(off < inf)) fail("the prescribed motions contradict the joints");
      if (off > 1e-6 * speed_size()) {
        drive_ += eq_.kinetic(y_.data()) - before;
        impulses();
        if (!std::exchange(jumped_, true))
          notes_.push_back(
              fmt::format("a prescribed velocity jumps at t = {:.6g} s; the impulse acts without friction", t_));
      }
      follow_motions();
      choose(nullptr, false);
    } else {
      follow_motions();
      choose(nullptr, false);
    }
    if (!(h_ > 0)) h_ = first_step();
    last_err_ = 0;
  }
  /// The check of momentum does not see an impulse.
  void impulses() {
    for (std::size_t i = 0; i < impulse_.size(); ++i)
      impulse_[i] = eq_.mass_of(i) * (y_[impulse_.size() + i] - y0_[impulse_.size() + i]);
  }
  /// Directions of set-valued laws in joints with a prescribed motion; at rest they keep the last one.
  void follow_motions() {
    for (std::size_t i = 0; i < eq_.joints.size(); ++i) {
      JointState& j = eq_.joints[i];
      if (!j.motion || !j.flow) continue;
      const Signal s = eq_.prescribed(j, t_);
      const double ahead = std::abs(s.rate) > 1e-12 * speed_size() ? s.rate : s.rate2;
      const int direction = ahead > 0 ? 1 : ahead < 0 ? -1 : 0;
      if (direction == 0) continue;
      if (j.sticky && direction != j.direction) {
        set_direction(eq_, j, direction, y_.data());
        note(i, direction, false);
      }
      j.kink = direction;
    }
  }
  double speed_size() const { return sizes_.empty() ? 1 : 10 * sizes_[3 * eq_.bodies]; }
  double first_step() {
    double slope = 0;
    for (std::size_t i = 0; i < 3 * eq_.bodies; ++i) {
      slope = std::max({slope, std::abs(y_[3 * eq_.bodies + i]) / (10 * sizes_[i]),
                        std::abs(w_[i]) / (10 * sizes_[3 * eq_.bodies + i])});
    }
    return std::min({slope > 0 ? 1e-2 / slope : duration_, 1e-3 * duration_, eq_.longest_step(t_)});
  }

  // ---- one step
  void step() {
    options_.heed();
    if (++out_.summary.steps > static_cast<std::int64_t>(solver_.max_steps)) fail("max_steps exceeded");
    if (options_.progress && out_.summary.steps % 256 == 0) options_.progress(t_);
    eq_.linearise(t_, y_.data(), w_.data());
    ++out_.summary.jacobians;
    double h = std::min(h_, eq_.longest_step(t_));
    bool to_end = false;
    const Watch* pending = nullptr;
    Watch event{};
    for (int attempt = 0;; ++attempt) {
      if (attempt > 100 || h < 1e-14 * duration_ * 1e-3) fail("step size too small");
      if (!pending) {
        to_end = h > 0.9 * (piece_end_ - t_);
        if (to_end) h = piece_end_ - t_;
      }
      if (!advance(h)) {
        ++out_.summary.rejected;
        h /= 4;
        pending = nullptr;
        continue;
      }
      const double err = norm();
      if (!(err <= 1)) {
        ++out_.summary.rejected;
        h *= err < inf ? std::max(0.2, 0.9 * std::pow(err, -0.2)) : 0.1;
        h_ = h;
        pending = nullptr;
        continue;
      }
      double theta = 1;
      Watch found{};
      if (first_event(h, found, theta) && (!pending || theta < 1 - 1e-7)) {
        if (theta * h < 1e-14 * duration_) return at_event(found);  // at the beginning of the step
        event = found;
        pending = &event;
        h *= theta;
        to_end = false;
        continue;
      }
      const double grow = std::clamp(0.9 * std::pow(std::max(err, 1e-10), -0.2), 0.2, attempt > 0 ? 1.0 : 6.0);
      if (!pending && !to_end) h_ = h * grow;
      if (!pending && to_end) h_ = std::max(h_, h * grow);
      accept(h, to_end);
      if (pending) at_event(event);
      return;
    }
  }

  bool advance(double h) {
    const double g = K.gamma * h, per_h = 1 / h;
    if (!eq_.factor(Equations::Matrix::stage, g)) return false;
    const std::size_t n = 3 * eq_.bodies;
    for (std::size_t s = 0; s < S; ++s) {
      std::vector<double>&r = u_[s], &G = uw_[s];
      y1_ = y_;
      w1_ = w_;
      for (std::size_t p = 0; p < s; ++p) {
        const double a = K.a[s][p];
        if (a == 0) continue;
        for (std::size_t i = 0; i < y1_.size(); ++i) y1_[i] += a * u_[p][i];
        for (std::size_t i = 0; i < w1_.size(); ++i) w1_[i] += a * uw_[p][i];
      }
      ++out_.summary.evaluations;
      eq_.residual(t_ + K.alpha[s] * h, y1_.data(), w1_.data(), G.data(), r.data() + 2 * n);
      for (std::size_t i = 0; i < n; ++i) {
        r[i] = y1_[n + i];
        r[n + i] = w1_[i];
      }
      for (std::size_t p = 0; p < s; ++p) {
        const double c = K.c[s][p] * per_h;
        for (std::size_t i = 0; i < r.size(); ++i) r[i] += c * u_[p][i];
      }
      if (K.gamma_i[s] != 0) {
        for (std::size_t i = 0; i < G.size(); ++i) G[i] += K.gamma_i[s] * h * eq_.in_time()[i];
      }
      eq_.solve_stage(g, r.data(), G.data());
    }
    for (std::size_t i = 0; i < y1_.size(); ++i) y1_[i] += u_[S - 1][i];
    for (std::size_t i = 0; i < w1_.size(); ++i) w1_[i] += uw_[S - 1][i];
    return true;
  }
  double norm() const {
    double worst = 0;
    const double rtol = caution * solver_.rtol;
    for (std::size_t i = 0; i < y1_.size(); ++i) {
      const double atol = solver_.atol > 0 ? caution * solver_.atol : rtol * sizes_[i];
      const double e = std::abs(u_[S - 1][i]) / (atol + rtol * std::max(std::abs(y_[i]), std::abs(y1_[i])));
      if (!(e <= worst)) worst = e;
      if (!std::isfinite(y1_[i])) worst = inf;
    }
    for (const double x : w1_) {
      if (!std::isfinite(x)) worst = inf;
    }
    return std::isnan(worst) ? inf : worst;
  }
  void dense(double theta, std::vector<double>& y, std::vector<double>& w) const {
    std::array<double, S> weight{};
    for (std::size_t s = 0; s < S; ++s) {
      double c = 0;
      for (std::size_t d = Dense; d-- > 0;) c = K.dense[d][s] + theta * c;
      weight[s] = theta * (1 - theta) * c;
    }
    for (std::size_t i = 0; i < y.size(); ++i) {
      y[i] = (1 - theta) * y_[i] + theta * y1_[i];
      for (std::size_t s = 0; s < S; ++s) y[i] += weight[s] * u_[s][i];
    }
    for (std::size_t i = 0; i < w.size(); ++i) {
      w[i] = (1 - theta) * w_[i] + theta * w1_[i];
      for (std::size_t s = 0; s < S; ++s) w[i] += weight[s] * uw_[s][i];
    }
  }

  /// Keeps the step: rows, work, projection.
  void accept(double h, bool to_end) {
    h_done_ = h;
    const double end = to_end ? piece_end_ : t_ + h;
    record(end, false);
    std::vector<double> rate(eq_.y_size);
    for (std::size_t k = 0; k < lobatto.nodes.size(); ++k) {
      const double theta = lobatto.nodes[k], weight = lobatto.weights[k] * h;
      dense(theta, point_, w_point_);
      eq_.powers(t_ + theta * h, point_.data(), w_point_.data(), powers_);
      drive_ += weight * powers_.drive;
      damper_ += weight * powers_.damper;
      for (std::size_t i = 0; i < losses_.size(); ++i) losses_[i] += weight * powers_.friction[i];
      eq_.residual(t_ + theta * h, point_.data(), w_point_.data(), G_.data(), rate.data());
      for (std::size_t i = 0; i < impulse_.size(); ++i) {
        const double force = G_[i] + eq_.mass_of(i) * w_point_[i];
        impulse_[i] += weight * force;
        gross_[i] += weight * std::abs(force);
      }
    }
    t_ = end;
    y_.swap(y1_);
    w_.swap(w1_);
    settle();
    largest_kinetic_ = std::max(largest_kinetic_, eq_.kinetic(y_.data()));
  }
  /// Projects y and solves for w in the present modes.
  void settle() {
    if (!(eq_.project_position(t_, y_.data()) < 1e-3) || !(eq_.project_velocity(t_, y_.data()) < inf))
      fail("the constraints cannot be satisfied");
    eq_.follow_dependent(y_.data());
    violation_ = std::max(violation_, eq_.violation(t_, y_.data()));
    if (!eq_.balance(t_, y_.data(), w_.data())) {
      eq_.soft = true;
      if (!eq_.balance(t_, y_.data(), w_.data())) fail_balance();
    }
    if (sign_ != 0 && eq_.determinant() != sign_)
      fail(fmt::format("friction and reactions have no unique solution in these modes, near {}", eq_.weakest()));
    sign_ = eq_.determinant();
    for (const JointState& j : eq_.joints) { largest_force_ = std::max(largest_force_, eq_.true_load(j, w_.data())); }
  }

  void record(double until, bool last) {
    for (Rows* rows : {&rows_, &probes_}) {
      while (rows->due(until) || (last && !rows->done())) {
        const double t = rows->time();
        if (last) {
          row_of(eq_, t, y_.data(), w_.data(), row_.data());
        } else {
          exact(t, std::clamp((t - t_) / h_done_, 0.0, 1.0));
          row_of(eq_, t, point_.data(), w_point_.data(), row_.data());
        }
        rows->put(row_.data());
      }
    }
  }
  /// The solution within the step, on the constraints.
  void exact(double t, double theta) {
    if (theta == 0) {
      point_ = y_;
      w_point_ = w_;
      return;
    }
    dense(theta, point_, w_point_);
    eq_.project_position(t, point_.data());
    eq_.project_velocity(t, point_.data());
    eq_.follow_dependent(point_.data());
    violation_ = std::max(violation_, eq_.violation(t, point_.data()));
    const std::vector<double> before = w_point_;
    if (!eq_.balance(t, point_.data(), w_point_.data())) w_point_ = before;
  }

  // ---- events
  double slip_velocity(const JointState& j, const std::vector<double>& y) const {
    return j.slip * eq_.slip_of(j, y.data(), zero()).rate;
  }
  const double* zero() const {
    zero_.resize(eq_.w_size);
    return zero_.data();
  }
  void watch(double t, const std::vector<double>& y, const std::vector<double>& w, std::vector<Watch>& out) const {
    out.clear();
    double force = 0;
    for (const JointState& j : eq_.joints) {
      for (std::size_t r = 0; r < j.rows; ++r) {
        if (!is_moment(j.of->kind, r)) force = std::max(force, std::abs(w[j.row + r]));
      }
    }
    for (std::size_t i = 0; i < eq_.joints.size(); ++i) {
      const JointState& j = eq_.joints[i];
      if (j.unilateral) out.push_back({Watch::loss, i, 0, -eq_.load_of(j, w.data()) - 1e-9 * force});
      if (!j.flow) continue;
      if (j.loaded && eq_.branch_count(j) > 1) {
        double other = -inf;
        for (int b = 0; b < eq_.branch_count(j); ++b) {
          if (b != j.branch) other = std::max(other, eq_.form(j, w.data(), b));
        }
        out.push_back({Watch::branch, i, 0, other - eq_.form(j, w.data(), j.branch) - 1e-12 * force});
      }
      Motion<double> u = eq_.motion_of(j, t, y.data(), w.data());
      if (j.motion) {
        if (j.sticky || j.flow->traits().kink_at_rest)
          out.push_back({Watch::kink, i, 0, j.kink != 0 ? -j.kink * u.v - noise_[i] : std::abs(u.v) - noise_[i]});
        if (!j.sticky && j.flow->traits().hybrid) own_guards(j, i, u, y, out);
      } else if (j.sticky && !j.held) {
        if (j.stuck()) {
          guards_.clear();
          j.flow->guards(y.data() + j.z, u, 0, guards_);
          for (const Guard& g : guards_)
            out.push_back({Watch::release, i, g.id, g.value - 1e-10 * std::max(force, std::abs(u.F_app))});
        } else {
          u.F_app = j.direction * 1e30;
          guards_.clear();
          j.flow->guards(y.data() + j.z, u, 0, guards_);
          for (const Guard& g : guards_) out.push_back({Watch::rest, i, g.id, g.value - noise_[i]});
        }
      } else if (!j.sticky) {
        if (j.flow->traits().hybrid) own_guards(j, i, u, y, out);
        if (j.flow->traits().kink_at_rest)
          out.push_back({Watch::kink, i, 0, j.kink != 0 ? -j.kink * u.v - noise_[i] : std::abs(u.v) - noise_[i]});
      }
      if (j.sticky && !j.motion && !j.stuck() && !j.held && j.reported == 0)
        out.push_back({Watch::report, i, 0, j.direction * u.v - 10 * noise_[i]});
      if (!j.sticky && threshold_[i] > 0)
        out.push_back(
            {Watch::report, i, 0, j.reported == 0 ? std::abs(u.v) - threshold_[i] : threshold_[i] - j.reported * u.v});
    }
  }
  void own_guards(const JointState& j, std::size_t i, const Motion<double>& u, const std::vector<double>& y,
                  std::vector<Watch>& out) const {
    guards_.clear();
    j.flow->guards(y.data() + j.z, u, 0, guards_);
    for (const Guard& g : guards_) out.push_back({Watch::own, i, g.id, g.value});
  }

  /// The first rise of a guard through zero within the step.
  bool first_event(double h, Watch& found, double& theta) {
    constexpr std::size_t parts = 6;
    std::array<std::vector<Watch>, parts + 1>& at = seen_;
    watch(t_, y_, w_, at[0]);
    if (at[0].empty()) return false;
    for (std::size_t k = 1; k <= parts; ++k) look(h, static_cast<double>(k) / parts, at[k]);
    bool any = false;
    for (std::size_t i = 0; i < at[0].size(); ++i) {
      double a = 0, fa = at[0][i].value;
      for (std::size_t k = 1; k <= parts; ++k) {
        double b = static_cast<double>(k) / parts, fb = at[k][i].value;
        if (any && a >= theta) break;
        // Already above zero and rising: the mode of the beginning does not hold.
        const bool wrong = fa >= 0 && fb > fa && k == 1;
        bool crosses = fa < 0 && fb >= 0;
        if (!crosses && !wrong && fa < 0 && fb < 0 && k < parts) {  // a peak between three samples
          const double fc = at[k + 1][i].value;
          if (fb >= fa && fb >= fc && fb > fa + fc - fb - std::abs(fb)) {
            const double curve = fa - 2 * fb + fc, top = curve < 0 ? fb - (fc - fa) * (fc - fa) / (8 * curve) : fb;
            if (top > 0) {
              const double place = b + (fa - fc) / (2 * curve) / parts * 1.0;
              look(h, std::clamp(place, a, 1.0), probe_);
              if (probe_[i].value >= 0) b = place, fb = probe_[i].value, crosses = true;
            }
          }
        }
        if (wrong) {
          found = at[0][i];
          found.ahead = 0.5 / parts;
          theta = 0;
          any = true;
          break;
        }
        if (crosses) {
          const double root = refine(h, i, a, fa, b, fb);
          if (!any || root < theta) {
            theta = root;
            found = at[0][i];
            any = true;
          }
          break;
        }
        a = b;
        fa = fb;
      }
    }
    return any;
  }
  void look(double h, double theta, std::vector<Watch>& out) {
    dense(theta, point_, w_point_);
    watch(t_ + theta * h, point_, w_point_, out);
  }
  /// Illinois' method.
  double refine(double h, std::size_t i, double a, double fa, double b, double fb) {
    int side = 0;
    for (int round = 0; round < 60 && b - a > 1e-13; ++round) {
      double c = (a * fb - b * fa) / (fb - fa);
      if (!(c > a && c < b)) c = (a + b) / 2;
      look(h, c, probe_);
      const double fc = probe_[i].value;
      if (fc >= 0) {
        b = c;
        fb = fc;
        if (side == 1) fa /= 2;
        side = 1;
      } else {
        a = c;
        fa = fc;
        if (side == -1) fb /= 2;
        side = -1;
      }
      if (fc == 0) break;
    }
    return b;
  }

  void at_event(const Watch& event) {
    JointState& j = eq_.joints[event.joint];
    if (t_ - last_event_ > 1e-12 * duration_) at_once_ = 0;
    last_event_ = t_;
    if (++at_once_ > 1000) fail(fmt::format("events of joint {} follow each other without end", j.of->name));
    ++out_.summary.switches;
    switch (event.kind) {
      case Watch::report: {
        const double v = slip_velocity(j, y_);
        if (j.sticky) return note(event.joint, j.direction, false, since_[event.joint]);
        note(event.joint, j.reported != 0 ? 0 : v > 0 ? 1 : -1, false);
        return;
      }
      case Watch::branch: {
        w_point_ = w_;
        if (event.ahead > 0) dense(event.ahead, point_, w_point_);  // all loads vanish at the beginning
        double most = -inf;
        for (int b = 0, now = j.branch; b < eq_.branch_count(j); ++b) {
          if (const double N = eq_.form(j, w_point_.data(), b); b != now && N > most) most = N, j.branch = b;
        }
        sign_ = 0;
        return settle();
      }
      case Watch::kink: {
        const Equations::Slip s = eq_.slip_of(j, y_.data(), w_.data());
        const int to = j.kink != 0 ? -j.kink : s.rate > 0 ? 1 : -1;
        j.kink = to;
        if (j.motion && j.sticky) {
          set_direction(eq_, j, to, y_.data());
          note(event.joint, to, false);
        }
        sign_ = 0;
        return settle();
      }
      case Watch::own: {
        Motion<double> u = eq_.motion_of(j, t_, y_.data(), w_.data());
        const double ahead = j.slip * eq_.slip_of(j, y_.data(), w_.data()).rate2;
        if (std::abs(u.v) <= noise_[event.joint]) u.v = ahead * 1e-12 * std::abs(u.v) + (ahead > 0 ? 1e-300 : -1e-300);
        j.flow->jump(y_.data() + j.z, u, event.id);
        sign_ = 0;
        return settle();
      }
      case Watch::loss: choose(nullptr, false); return;
      case Watch::release: {
        sign_ = 0;
        choose(&j, false);
        return;
      }
      case Watch::rest: {
        const Equations::Slip s = eq_.slip_of(j, y_.data(), w_.data());
        sign_ = 0;
        if (j.direction * s.rate2 > 0 &&
            j.direction * j.slip * s.rate > 100 * noise_[event.joint]) {  // leaves a stick zone
          Motion<double> u = eq_.motion_of(j, t_, y_.data(), w_.data());
          j.flow->jump(y_.data() + j.z, u, event.id);
          return settle();
        }
        const double before = eq_.kinetic(y_.data());
        const int was = j.direction;
        j.direction = 0;
        j.s_stuck = s.s;
        const std::vector<double> moving = y_;
        eq_.project_velocity(t_, y_.data());
        // At a dead centre the slip velocity depends on the position alone: removing its rounding error would change the
        // velocities of the bodies.
        for (std::size_t i = 3 * eq_.bodies; i < 6 * eq_.bodies; ++i) {
          if (std::abs(y_[i] - moving[i]) > 10 * solver_.rtol * sizes_[i]) {
            y_ = moving;
            break;
          }
        }
        j.direction = was;
        stopped_ = &j;
        choose(nullptr, false);
        stopped_ = nullptr;
        losses_[event.joint] += before - eq_.kinetic(y_.data());
        return;
      }
    }
  }

  /// Chooses stick and slip, and reports changes.
  void choose(const JointState* leaving, bool start) {
    if (start) {
      for (double& x : w_) x = 0;
    }
    sign_ = 0;
    eq_.soft = true;
    const Decision d = decide(eq_, t_, y_.data(), w_, leaving, stopped_);
    if (d.solutions == 0) {
      std::vector<std::string> names;
      for (const JointState& j : eq_.joints) {
        if (j.flow) names.push_back(j.of->name);
      }
      fail(fmt::format("no combination of stick and slip satisfies the equations ({} {})",
                       names.size() == 1 ? "joint" : "joints", fmt::join(names, ", ")));
    }
    if (d.separates) {
      for (const JointState& j : eq_.joints) {
        if (j.unilateral) fail(fmt::format("joint {} loses contact: its normal force falls to 0", j.of->name));
      }
    }
    if (d.solutions > 1 && !std::exchange(several_, true)) {
      std::vector<std::string> names;
      for (const JointState& j : eq_.joints) {
        if (j.flow) names.push_back(j.of->name);
      }
      notes_.push_back(
          fmt::format("warning: {} solutions at t = {:.6g} s (friction of {}); the one that keeps the present "
                      "modes is used",
                      d.solutions, t_, fmt::join(names, ", ")));
    }
    if (const JointState* j = runaway(eq_, t_, y_.data(), w_.data()))
      fail(fmt::format(
          "friction and reaction of joint {} have no unique solution: mu radius is too large for its inertia",
          j->of->name));
    bool stuck = false;
    for (std::size_t i = 0; i < eq_.joints.size(); ++i) {
      JointState& j = eq_.joints[i];
      if (!j.sticky) continue;
      stuck = stuck || j.stuck();
      // Reported when it moves, see watch; a joint at its limit that other stuck joints hold stays at rest.
      const Equations::Slip s = eq_.slip_of(j, y_.data(), w_.data());
      const bool moves = std::abs(j.slip * s.rate) > (noise_.empty() ? 0 : noise_[i]) ||
                         std::abs(j.slip * s.rate2) > negligible_acceleration(eq_, j, y_.data(), w_.data());
      j.held = !moves && j.direction != 0 && is_held(eq_, j, y_.data());
      if (moves || j.direction == 0) {
        if (!start) note(i, j.direction, false);
      } else if (j.reported == 0) {
        since_[i] = t_;
      } else if (j.held) {
        note(i, 0, false);
      }
    }
    if (stuck) {
      eq_.soft = false;  // unless stuck joints depend on each other
      eq_.linearise(t_, y_.data(), w_.data());
      eq_.soft = !eq_.factor(Equations::Matrix::projection) || eq_.least_pivot() < 1e-7;
      eq_.project_velocity(t_, y_.data());
    }
    settle();
  }
  void note(std::size_t i, int direction, bool start) { note(i, direction, start, t_); }
  void note(std::size_t i, int direction, bool start, double time) {
    JointState& j = eq_.joints[i];
    if (j.reported == direction && !start) return;
    j.reported = direction;
    if (start) return;
    out_.events.push_back({time,
                           direction == 0  ? Event::stick
                           : direction > 0 ? Event::slip_forward
                                           : Event::slip_backward,
                           static_cast<int>(i) + 1});
  }

  [[noreturn]] void fail_balance() {
    fail(fmt::format("no accelerations and reactions satisfy the equations, near {}", eq_.weakest()));
  }
  [[noreturn]] void fail(const std::string& why) const {
    std::string text = fmt::format("{} at t = {:.6g} s with step {:.3g} s; state:", why, t_, h_);
    std::size_t shown = 0;
    for (const JointState& j : eq_.joints) {
      if (shown == 8) break;
      const Equations::Slip s = eq_.slip_of(j, y_.data(), zero());
      text +=
          fmt::format("{} {}.s = {:.6g}, {}.v = {:.6g}", shown++ > 0 ? "," : "", j.of->name, s.s, j.of->name, s.rate);
    }
    throw RunFailed(text);
  }

  Equations eq_;
  const SolverParams& solver_;
  const RunOptions& options_;
  double duration_, t_{}, h_{}, h_done_{}, piece_end_{}, last_err_{}, last_event_{-1};
  int at_once_{}, sign_{};
  bool several_ = false, jumped_ = false;
  const JointState* stopped_ = nullptr;
  std::vector<double> y_{}, w_{}, y1_{}, w1_{}, point_{}, w_point_{}, error_{}, rates_{}, G_{}, row_{}, sizes_{}, y0_{};
  std::vector<double> noise_{}, threshold_{}, since_{}, losses_{}, impulse_{}, gross_{};
  mutable std::vector<double> zero_{};
  std::array<std::vector<double>, S> u_{}, uw_{};
  std::array<std::vector<Watch>, 7> seen_{};
  std::vector<Watch> probe_{};
  mutable std::vector<Guard> guards_{};
  Equations::Powers powers_{};
  double kinetic0_{}, potential0_{}, drive_{}, damper_{}, violation_{}, largest_kinetic_{}, largest_force_{};
  Rows rows_, probes_;
  std::vector<std::string> notes_{};
  Run out_{};
};

}  // namespace

Run run_variable(const Mechanism& m, const Experiment& e, const RunOptions& options) {
  return VariableRun(m, e, options).run();
}

}  // namespace bristle::mechanism
