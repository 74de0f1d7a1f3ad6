#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <future>
#include <limits>
#include <mutex>
#include <thread>

#include "base/escape.hpp"
#include "base/parallel.hpp"
#include "bristle/simulate/ensemble.hpp"
#include "sweep/device.hpp"
#include "sweep/folder.hpp"

namespace bristle::sweep {

std::string header(const Plan& plan) {
  std::string out;
  for (const Varied& v : plan.design.keys) out += csv_cell(v.key) + ",";
  for (const MeasureColumn& m : plan.measures) out += csv_cell(m.name) + ",";
  return out + "status,message\n";
}

namespace {

/// Undefined numbers are NaN, with the reason in the message.
void add(RowResult& row, const std::string& name, const Number& x) {
  row.measures.push_back(x.reason.empty() ? x.value : std::numeric_limits<double>::quiet_NaN());
  if (!x.reason.empty())
    row.message += fmt::format("{}{} is undefined: {}", row.message.empty() ? "" : "; ", name, x.reason);
}
std::string line_of(const Plan& plan, const std::vector<double>& point, const RowResult& r) {
  std::string text;
  for (const double x : point) text += bristle::to_text(x) + ",";
  for (const double x : r.measures) text += (std::isnan(x) ? "" : bristle::to_text(x)) + ",";
  if (r.measures.empty()) text.append(plan.measures.size(), ',');
  return text + fmt::format("{},{}\n", r.status, csv_cell(r.message));
}
RowResult finished_row(const std::vector<Measure>& measures, const Run& run) {
  RowResult out{{}, "done", {}};
  for (const Measure& m : measures) add(out, m.name, number_of(m.quantity, run));
  return out;
}

}  // namespace

std::vector<RowResult> evaluate(ScenarioFamily& family, const std::vector<std::vector<double>>& points,
                                const std::atomic<bool>* stop, const std::function<void()>& finished) {
  std::vector<RowResult> out(points.size());
  std::vector<Experiment> experiments;
  std::vector<std::vector<Measure>> measures;
  std::vector<std::size_t> row_of;
  EnsembleOptions options{.threads = 1, .stop = stop};
  auto done = [&] {
    if (finished) finished();
  };
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (stop && stop->load(std::memory_order_relaxed)) throw Stopped();
    Loaded loaded = family.at(points[i]);
    if (!loaded.scenario) {
      out[i] = {{}, "failed", loaded.problems.front().text};
      done();
      continue;
    }
    if (experiments.empty()) {
      options.probes = probe_times(*loaded.scenario);
      options.rows = needs_rows(*loaded.scenario);
    }
    experiments.push_back(std::move(loaded.scenario->experiment));
    measures.push_back(std::move(loaded.scenario->measures));
    row_of.push_back(i);
  }
  options.take = [&](std::size_t k, Outcome&& outcome) {
    out[row_of[k]] = outcome.failure.empty() ? finished_row(measures[k], outcome.run)
                                             : RowResult{{}, outcome.diverged ? "diverged" : "failed", outcome.failure};
    done();
  };
  if (!experiments.empty()) simulate_all(experiments, options);
  return out;
}

namespace {

using Clock = std::chrono::steady_clock;

/// Distributes rows to threads, in chunks that take about a second each: a killed sweep loses little.
class Work {
 public:
  Work(const Plan& plan, const Store& store, const RunHooks& hooks, unsigned threads)
      : plan_(plan), store_(store), hooks_(hooks), left_(store.missing()), threads_(threads) {
    std::ranges::reverse(left_);
    for (const Rows& r : left_) open_ += r.end - r.begin;
    done_ = plan.end() - plan.begin() - open_;
  }

  void work(ScenarioFamily family) {
    std::uint64_t wanted = 8;
    while (const auto rows = take(wanted)) {
      const auto begin = Clock::now();
      store_.write(*rows, lines(family, *rows));
      const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
      const double fit = static_cast<double>(rows->end - rows->begin) * enough / std::max(seconds, 1e-6);
      wanted = static_cast<std::uint64_t>(std::clamp(fit, 1.0, std::min(8.0 * static_cast<double>(wanted), most)));
    }
  }

 private:
  static constexpr double enough = 0.5;  // s
  static constexpr double most = 1024;   // rows of a chunk: they are in memory

  std::optional<Rows> take(std::uint64_t wanted) {
    const std::lock_guard lock(mutex_);
    if (hooks_.stop && hooks_.stop->load(std::memory_order_relaxed)) throw Stopped();
    if (left_.empty()) return {};
    Rows& r = left_.back();
    const std::uint64_t share =
        std::max<std::uint64_t>(1, open_ / (std::uint64_t{4} * threads_));  // the end is for all threads
    const Rows out{r.begin, std::min(r.end, r.begin + std::min(wanted, share))};
    r.begin = out.end;
    if (r.begin == r.end) left_.pop_back();
    open_ -= out.end - out.begin;
    return out;
  }

  std::string lines(ScenarioFamily& family, const Rows& rows) {
    std::vector<std::vector<double>> points;
    for (std::uint64_t i = rows.begin; i < rows.end; ++i) points.push_back(plan_.design.point(i));
    std::string text;
    std::size_t i = 0;
    for (const RowResult& r :
         hooks_.numbers ? numbers(family, points) : evaluate(family, points, hooks_.stop, [&] { count(); }))
      text += line_of(plan_, points[i++], r);
    return text;
  }

  /// Rows of hooks_.numbers instead of measures.
  std::vector<RowResult> numbers(ScenarioFamily& family, const std::vector<std::vector<double>>& points) {
    std::vector<RowResult> out;
    for (const std::vector<double>& point : points) {
      Loaded loaded = family.at(point);
      RowResult& row = out.emplace_back(RowResult{{}, "done", {}});
      if (loaded.scenario) {
        const std::vector<Number> all = hooks_.numbers(loaded.scenario->experiment);
        for (std::size_t i = 0; i < all.size(); ++i) add(row, plan_.measures[i].name, all[i]);
      } else {
        row = {{}, "failed", loaded.problems.front().text};
      }
      count();
    }
    return out;
  }

  void count() {
    const std::lock_guard lock(mutex_);
    ++done_;
    if (hooks_.progress) hooks_.progress(done_);
  }

  const Plan& plan_;
  const Store& store_;
  const RunHooks& hooks_;
  std::vector<Rows> left_;  // the next ones last
  std::uint64_t open_ = 0, done_ = 0;
  unsigned threads_;
  std::mutex mutex_{};
};

}  // namespace

namespace {

/// Many rows at a time: a GPU requires tens of thousands of runs to be busy. Finished chunks survive an error of the device.
class DeviceWork {
 public:
  DeviceWork(const ScenarioFamily& family, const Plan& plan, const Store& store, const RunHooks& hooks,
             unsigned threads)
      : plan_(plan),
        store_(store),
        hooks_(hooks),
        threads_(threads),
        rows_(family, keys_of(plan), threads, hooks.stop) {}

  void run() {
    constexpr std::uint64_t at_once = std::uint64_t{1} << 17;
    std::vector<Rows> chunks;
    done_ = plan_.end() - plan_.begin();
    for (const Rows& r : store_.missing()) {
      done_ -= r.end - r.begin;
      for (std::uint64_t from = r.begin; from < r.end; from += at_once)
        chunks.push_back({from, std::min(r.end, from + at_once)});
    }
    std::future<std::vector<RowResult>> running;
    for (std::size_t k = 0; k <= chunks.size(); ++k) {
      std::shared_ptr<DeviceRows::List> next;
      std::exception_ptr error;
      if (k < chunks.size()) {
        const std::uint64_t from = chunks[k].begin;
        try {
          next = rows_.prepare(chunks[k].end - from, [&](std::size_t i, std::vector<double>& values) {
            values = plan_.design.point(from + i);
          });
        } catch (...) { error = std::current_exception(); }  // what the device is running is kept
      }
      std::vector<RowResult> results;
      if (k > 0) results = running.get();
      if (next) running = std::async(std::launch::async, [this, next] { return rows_.results(*next); });
      if (k > 0) write(chunks[k - 1], results);
      if (error) std::rethrow_exception(error);
    }
  }

 private:
  static std::vector<std::string> keys_of(const Plan& plan) {
    std::vector<std::string> out;
    for (const Varied& v : plan.design.keys) out.push_back(v.key);
    return out;
  }
  void write(const Rows& rows, const std::vector<RowResult>& results) {
    constexpr std::size_t piece = 1024;
    std::vector<std::string> texts((results.size() + piece - 1) / piece);
    in_parallel(texts.size(), threads_, [&](std::size_t job) {
      for (std::size_t i = job * piece; i < std::min(results.size(), (job + 1) * piece); ++i)
        texts[job] += line_of(plan_, plan_.design.point(rows.begin + i), results[i]);
    });
    std::string text;
    for (const std::string& t : texts) text += t;
    store_.write(rows, text);
    done_ += results.size();
    if (hooks_.progress) hooks_.progress(done_);
  }

  const Plan& plan_;
  const Store& store_;
  const RunHooks& hooks_;
  unsigned threads_;
  DeviceRows rows_;
  std::uint64_t done_ = 0;
};

}  // namespace

void run(const ScenarioFamily& family, const Plan& plan, const Store& store, const RunHooks& hooks) {
  const unsigned threads = hooks.threads > 0 ? hooks.threads : std::max(1U, std::thread::hardware_concurrency());
  if (hooks.gpu) return DeviceWork(family, plan, store, hooks, threads).run();
  Work work(plan, store, hooks, threads);
  in_parallel(threads, threads, [&](std::size_t) { work.work(family); });
}

}  // namespace bristle::sweep
