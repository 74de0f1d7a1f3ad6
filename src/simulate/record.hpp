#pragma once
#include <cmath>
#include <functional>
#include <vector>

#include "world.hpp"

namespace bristle {

/// Rows of a trace at given times, filled as the run passes them. A row at the time of an event shows what is after it.
class Sampler {
 public:
  Sampler(std::vector<Column> columns, std::vector<double> times) : times_(std::move(times)) {
    trace.columns = std::move(columns);
    for (Column& c : trace.columns) c.values.reserve(times_.size());
  }
  /// Times in [.., until), or up to and including it at the end of the run. row(t) gives the values.
  template <class Row> void pass(double until, bool last, Row&& row) {
    while (next_ < times_.size() && (times_[next_] < until || last)) {
      const std::vector<double>& values = row(times_[next_]);
      for (std::size_t i = 0; i < values.size(); ++i) trace.columns[i].values.push_back(values[i]);
      ++next_;
    }
  }
  Trace trace;

 private:
  std::vector<double> times_;
  std::size_t next_ = 0;
};

std::vector<double> row_times(const SolverParams& solver);

/// Everything that a run collects on its way.
struct Recorder {
  Recorder(const World& world, const Experiment& e, const RunOptions& o)
      : options(o), rows(world.columns(), row_times(e.solver)), probes(world.columns(), o.probes) {}
  template <class Row> void pass(double until, bool last, Row&& row) {
    rows.pass(until, last, row);
    probes.pass(until, last, row);
  }
  /// To be called now and then.
  void tick(double t) const {
    if (options.stop && options.stop->load(std::memory_order_relaxed)) throw Stopped();
    if (options.progress) options.progress(t);
  }
  const RunOptions& options;
  Sampler rows, probes;
  std::vector<Event> events{};
  Summary summary{};
};

/// The ways to run.
void run_hybrid(World& world, const Experiment& e, Recorder& out);
void run_cvode(World& world, const Experiment& e, Recorder& out);
void run_fixed(const Experiment& e, Recorder& out);

/// One line with time, step and state.
[[noreturn]] void fail(const World& world, const std::string& why, double t, double h, const double* y);

}  // namespace bristle
