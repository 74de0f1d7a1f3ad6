#pragma once
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "scenario/family.hpp"

/// Many runs of one scenario: a grid or a sample of values of some keys, and the measures of every run as a table.
namespace bristle::sweep {

/// Points of a sweep: a grid in which the last key varies fastest, or a Sobol sample of the box.
struct Design {
  std::vector<Varied> keys{};
  std::optional<std::uint64_t> sobol{};  // number of points of a Sobol sample; empty: a grid

  std::uint64_t size() const;
  /// Values of the varied keys at point i.
  std::vector<double> point(std::uint64_t i) const;
  /// Empty if the design is complete.
  Problems problems() const;
};

/// Part `index` of `count`, from 1: a range of rows.
struct Shard {
  std::uint64_t index = 1, count = 1;  // index: number of the part, from 1; count: number of parts
  std::uint64_t begin(std::uint64_t size) const {
    return size / count * (index - 1) + std::min(index - 1, size % count);
  }
  std::uint64_t end(std::uint64_t size) const { return size / count * index + std::min(index, size % count); }
  friend bool operator==(const Shard&, const Shard&) = default;
};
/// Reads "2/8".
std::optional<Shard> parse_shard(const std::string& text, Problems& problems);

/// A measure in the table.
struct MeasureColumn {
  std::string name{}, quantity{}, unit{};  // quantity: its expression
  friend bool operator==(const MeasureColumn&, const MeasureColumn&) = default;
};

/// A file and a hash of its content.
struct Source {
  std::string path{};
  std::uint64_t hash{};  // hash of the content
};

/// Everything that determines the table. A folder contains it as sweep.toml.
struct Plan {
  std::string title{};
  bool rotational = false;
  Design design{};  // the points
  std::vector<MeasureColumn> measures{};
  std::vector<SweepCurve> curves{};    // curves of the figure
  std::vector<std::string> changes{};  // --set
  std::vector<Source> sources{};       // the scenario, then files that it refers to
  Shard shard{};                       // the part that is computed here
  std::string analysis{};              // parts of an analysis; empty: the measures are those of runs

  /// Name of the table.
  const char* table() const { return analysis.empty() ? "table.csv" : "map.csv"; }
  std::uint64_t begin() const { return shard.begin(design.size()); }
  std::uint64_t end() const { return shard.end(design.size()); }
};

/// A plan for the family, whose keys it sets. Problems: unknown keys, no point that can be read, no measure.
struct PlanRead {
  std::optional<Plan> plan{};  // empty if there are problems
  Problems problems{};
};
/// The plan of a sweep, or its problems.
PlanRead make_plan(ScenarioFamily& family, const SweepSpec& spec, const Shard& shard,
                   const std::vector<std::string>& changes);

/// The plan as text, which read_plan reads.
std::string to_text(const Plan& plan);
/// Reads to_text.
PlanRead read_plan(const std::string& text, const std::string& path);
/// The first difference between two plans apart from the shard, or "".
std::string difference(const Plan& before, const Plan& now);

/// A folder that cannot be used for a sweep: it contains something else, another sweep, or too little.
struct BadFolder : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Finished rows.
struct Rows {
  std::uint64_t begin{}, end{};
};

/// The folder of a sweep. Finished chunks of rows are files in DIR/chunks; the complete table replaces them. A lock
/// keeps other sweeps out of the folder. Failures to write are FileErrors.
class Store {
 public:
  /// Creates the folder, or with `resume` continues in it. Throws BadFolder and changes nothing if it does not fit.
  Store(std::string folder, const Plan& plan, bool resume);
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  /// Whether all rows are finished.
  bool complete() const { return complete_; }
  /// Rows without a chunk, in order.
  std::vector<Rows> missing() const;
  /// Writes a chunk. Several threads may write at once.
  void write(const Rows& rows, const std::string& lines) const;
  /// Writes the table from all chunks and removes them.
  void finish();
  /// Path of the table.
  std::string table() const;

 private:
  std::string folder_;
  const Plan& plan_;
  int lock_ = -1;
  bool complete_ = false;
};

/// Progress and interruption.
struct RunHooks {
  std::function<void(std::uint64_t)> progress{};  // called with the number of finished runs, by one thread at a time
  const std::atomic<bool>* stop = nullptr;        // if set, run throws Stopped; finished chunks are kept
  unsigned threads = 0;                           // 0: one per core
  bool gpu = false;                               // the runs are computed by a GPU, see gpu.hpp
  /// Numbers of a row, in the order of the columns; default: the measures of a run.
  std::function<std::vector<Number>(const Experiment&)> numbers{};
};
/// Measures of runs at given values of the keys of a family.
struct RowResult {
  std::vector<double> measures{};  // NaN: undefined; empty if the run failed
  std::string status{};            // done, failed, diverged
  std::string message{};           // why it failed, or why a measure is undefined
};
/// One run per point, in one thread, which owns the family. `finished` is called after each; throws Stopped.
std::vector<RowResult> evaluate(ScenarioFamily& family, const std::vector<std::vector<double>>& points,
                                const std::atomic<bool>* stop = nullptr, const std::function<void()>& finished = {});

/// The same on a GPU: runs and measures on the device. `keys`: those of the family. `threads` of the processor read the
/// scenarios. Throws BadInput for scenarios or measures that the device does not compute, gpu::DeviceError, Stopped.
std::vector<RowResult> evaluate_on_gpu(const ScenarioFamily& family, const std::vector<std::string>& keys,
                                       const std::vector<std::vector<double>>& points, unsigned threads = 0,
                                       const std::atomic<bool>* stop = nullptr);
/// The reason why a GPU cannot run this scenario with its measures, or "".
std::string objection_to_gpu(const Scenario& scenario);

/// Where a sweep runs, by the name cpu, gpu or auto. Auto falls back to the processor, with the reason in `note`.
struct Place {
  bool gpu = false;    // whether the runs go to a GPU
  std::string note{};  // the reason for the choice
};
/// Throws BadInput with the reason why it is not possible.
Place place_of(const std::string& device, const Scenario& scenario);

/// Runs all missing rows. The same bits for any number of threads, chunks and shards.
void run(const ScenarioFamily& family, const Plan& plan, const Store& store, const RunHooks& hooks = {});

/// Merges finished shards of one sweep into the folder. Throws BadFolder or FileError.
Plan merge(const std::vector<std::string>& folders, const std::string& out);

/// The header of table.csv.
std::string header(const Plan& plan);

/// The table for figures: at most about `most` rows, and along each key of a grid every `stride`-th value.
struct Table {
  std::vector<std::vector<double>> keys{}, measures{};  // columns; NaN: undefined
  std::vector<std::size_t> shape{}, stride{};           // of a grid: number of values per key
  // done: number of finished runs; failed: number of failed runs;
  // diverged: number of runs whose motion grew without limit
  std::uint64_t rows = 0, done = 0, failed = 0, diverged = 0;
  /// A least or largest value.
  struct Extreme {
    double value{};            // the value
    std::vector<double> at{};  // varied keys at that row
  };
  /// A measure of all rows.
  struct Column {
    std::uint64_t defined = 0;  // number of rows where it is defined
    Extreme least{}, most{};
  };
  std::vector<Column> columns{};  // of all rows
  /// A reason of failed runs.
  struct Message {
    std::string text{};
    std::uint64_t count = 0;  // number of such runs
  };
  std::vector<Message> messages{};  // reasons, the first few kinds
};
/// Reads a table with at most this number of rows; more are thinned out.
Table read_table(const std::string& path, const Plan& plan, std::size_t most = 40000);

}  // namespace bristle::sweep
