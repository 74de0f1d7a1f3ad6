#pragma once
#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "growth.hpp"
#include "kernels/tableau.hpp"
#include "limits.hpp"
#include "momentum.hpp"
#include "system.hpp"

namespace bristle {

/// Rows of a trace at given times, filled during the run. A row at the time of an event has the values after it.
class Sampler {
 public:
  Sampler(std::vector<Column> columns, std::vector<double> times, const RunOptions& options)
      : options_(options),
        few_(std::max<std::size_t>(at_once / std::max<std::size_t>(columns.size(), 1), 64)),
        row_(columns.size()),
        times_(std::move(times)) {
    trace.columns = std::move(columns);
    for (Column& c : trace.columns) {
      c.values.resize(times_.size());
      to_.push_back(c.values.data());
    }
  }
  /// Fills rows with times before `until`, at the end of the run also at `until`. row(t, values) computes the values.
  template <class Row> void pass(double until, bool last, Row&& row) {
    pass_many(until, last, [&](const double* t, std::size_t n, double* const* to) {
      for (std::size_t k = 0; k < n; ++k) {
        row(t[k], row_.data());
        for (std::size_t i = 0; i < to_.size(); ++i) to[i][k] = row_[i];
      }
    });
  }
  /// Fills rows by rows(times, number, destination of each column).
  template <class Rows> void pass_many(double until, bool last, Rows&& rows) {
    for (std::size_t n = few_; n == few_;) {
      n = 0;
      while (n < few_ && next_ + n < times_.size() && (times_[next_ + n] < until || last)) ++n;
      if (n == 0) return;
      rows(times_.data() + next_, n, to_.data());
      next_ += n;
      for (double*& column : to_) column += n;
      if (n == few_) options_.heed();
    }
  }
  bool due(double until) const { return next_ < times_.size() && times_[next_] < until; }
  /// Appends the times of rows that are still to be filled, from `from` to before `until`.
  void due_times(double from, double until, std::vector<double>& out) const {
    const auto begin = std::lower_bound(times_.begin() + static_cast<std::ptrdiff_t>(next_), times_.end(), from);
    out.insert(out.end(), begin, std::lower_bound(begin, times_.end(), until));
  }
  Trace trace;

 private:
  static constexpr std::size_t at_once = std::size_t{1} << 20;  // numbers between two checks for a stop
  const RunOptions& options_;
  const std::size_t few_;  // rows at once
  std::vector<double> row_;
  std::vector<double*> to_{};
  std::vector<double> times_;
  std::size_t next_ = 0;
};

std::vector<double> row_times(const SolverParams& solver);

/// Collects the results of a run.
struct Recorder {
  template <class W>
  Recorder(const W& system, const Experiment& e, const RunOptions& o)
      : Recorder(system.columns(), system.momentum_bound(), e.solver, o) {}
  Recorder(const std::vector<Column>& columns, double momentum_bound, const SolverParams& solver, const RunOptions& o)
      : options(o),
        rows(columns, o.rows ? row_times(solver) : std::vector<double>{}, o),
        probes(columns, o.probes, o),
        limits(columns, solver, o.rows),
        growth(momentum_bound) {
    summary.duration = solver.duration;
  }
  template <class Row> void pass(double until, bool last, Row&& row) {
    rows.pass(until, last, row);
    probes.pass(until, last, row);
  }
  template <class Rows> void pass_many(double until, bool last, Rows&& many) {
    rows.pass_many(until, last, many);
    probes.pass_many(until, last, many);
  }
  bool due(double until) const { return rows.due(until) || probes.due(until); }
  void due_times(double from, double until, std::vector<double>& out) const {
    rows.due_times(from, until, out);
    probes.due_times(from, until, out);
  }
  /// To be called in every step, with its work in steps of one body.
  void tick(double t, std::size_t work = 1) {
    options.heed();
    work_ += work;
    if (work_ < 256) return;
    work_ = 0;
    if (options.progress) options.progress(t);
  }
  /// The results; no method adds to them any more.
  Run finish(const Experiment& e);
  /// Adds an event. Rounding may hold a body that touches v = 0 for a moment: such a short stick at the limit of
  /// breakaway is removed.
  template <class W> void note(const W& system, double t, const double* y, const Change& change, double rtol) {
    if (!change.happened) return;
    const double edge = std::sqrt(rtol);
    const auto body = static_cast<int>(change.body);
    if (sticks_.size() < change.body) sticks_.resize(change.body);
    Stick& stick = sticks_[change.body - 1];
    if (change.kind == Event::stick) {
      stick = {t, system.stick_margin(t, y, change.body)};
    } else if (stick.margin < edge && t - stick.t < edge * system.slow_time()) {
      const auto of_body = [&](const Event& e) { return e.body == body; };
      const auto last = std::find_if(events.rbegin(), events.rend(), of_body);
      const auto before = last == events.rend() ? last : std::find_if(last + 1, events.rend(), of_body);
      if (before != events.rend() && last->kind == Event::stick && before->kind == change.kind) {
        events.erase(last.base() - 1);
        return;
      }
    }
    events.push_back({t, change.kind, body, system.position_of(change.body, y)});
  }
  /// Sorts the events of a step that begins at t, which were added body by body.
  void sort_events(double t) {
    const auto is_late = [t](const Event& e) { return e.t >= t; };
    const auto late = std::find_if_not(events.rbegin(), events.rend(), is_late).base();
    std::vector<std::pair<std::size_t, Event>> noted;  // with their number, which keeps the order at equal times
    for (auto e = late; e != events.end(); ++e) noted.emplace_back(noted.size(), *e);
    std::sort(noted.begin(), noted.end(), [](const auto& a, const auto& b) {
      return a.second.t < b.second.t || (a.second.t == b.second.t && a.first < b.first);
    });
    std::transform(noted.begin(), noted.end(), late, [](const auto& n) { return n.second; });
  }
  /// Work of the drive of a prescribed motion over a step with this initial power; at(theta) gives the state.
  template <class At> static double work(const System& system, double power, double t, double h, At&& at) {
    double sum = lobatto.weights[0] * power;
    for (std::size_t i = 1; i < lobatto.nodes.size(); ++i)
      sum += lobatto.weights[i] * system.power(t + lobatto.nodes[i] * h, at(lobatto.nodes[i]));
    return sum * h;
  }
  const RunOptions& options;
  Sampler rows, probes;
  Limits limits;
  Growth growth;
  std::vector<Event> events{};
  Summary summary{};
  Trace population{};
  std::vector<SlipEvent> catalogue{};

 private:
  struct Stick {
    double t{}, margin{inf};
  };
  std::vector<Stick> sticks_{{}};  // last stick of every body
  std::size_t work_ = 0;           // since the last report of progress
};

extern const bool has_cvode;  // whether this build has it

/// Runs by the different methods.
void run_hybrid(System& system, const Experiment& e, Recorder& out);
void run_cvode(System& system, const Experiment& e, Recorder& out);
class Chain;
void run_hybrid(Chain& chain, const Experiment& e, Recorder& out);
void run_cvode(Chain& chain, const Experiment& e, Recorder& out);
void run_fixed(const Experiment& e, Recorder& out, double step);
void run_population(const Experiment& e, Recorder& out);  // prescribed motion or fixed steps

/// A note on bodies that no force moved.
void note_rest(const std::vector<std::size_t>& bodies, std::size_t of, Summary& summary);
template <class W> void note_rest(const W& system, const MomentumSum& sum, Summary& summary) {
  std::vector<std::size_t> held;
  if (sum.size() == 0) return;
  if constexpr (requires { system.quasi_static(); }) {
    if (system.quasi_static()) return;  // without mass there is no momentum to look at
  }
  for (std::size_t body = 1; body <= system.bodies(); ++body) {
    if (sum.held(body - 1)) held.push_back(body);
  }
  note_rest(held, system.bodies(), summary);
}
void require_momentum(const Summary& summary, const SolverParams& solver);
/// Throws RunFailed if errors of momentum or energy exceed the tolerance; `work`: natural size of the energy, J.
void require_balance(const Summary& summary, const SolverParams& solver, double work);

/// One line with time, step and state.
[[noreturn]] void fail_at(const std::vector<std::string>& names, const std::string& why, double t, double h,
                          const double* y);
/// The same for a motion that grows without limit.
[[noreturn]] void diverge_at(const std::vector<std::string>& names, const Growth& growth, double t, double h,
                             const double* y);
template <class W>
[[noreturn]] void diverge(const W& system, const Growth& growth, double t, double h, const double* y) {
  diverge_at(system.state_names(), growth, t, h, y);
}
template <class W>
[[noreturn]] void fail(const W& system, const std::string& why, double t, double h, const double* y) {
  fail_at(system.state_names(), why, t, h, y);
}

}  // namespace bristle
