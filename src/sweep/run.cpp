#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <mutex>
#include <thread>

#include "base/escape.hpp"
#include "base/parallel.hpp"
#include "bristle/simulate/ensemble.hpp"
#include "sweep/folder.hpp"

namespace bristle::sweep {

std::string header(const Plan& plan) {
  std::string out;
  for (const Varied& v : plan.design.keys) out += csv_cell(v.key) + ",";
  for (const MeasureColumn& m : plan.measures) out += csv_cell(m.name) + ",";
  return out + "status,message\n";
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
    const std::size_t n = rows.end - rows.begin;
    std::vector<std::string> out(n);
    std::vector<Experiment> experiments;
    std::vector<std::vector<Measure>> measures;
    std::vector<std::size_t> row_of;
    EnsembleOptions options{.threads = 1, .stop = hooks_.stop};
    for (std::size_t i = 0; i < n; ++i) {
      const std::vector<double> point = plan_.design.point(rows.begin + i);
      for (const double x : point) out[i] += bristle::to_text(x) + ",";
      Loaded loaded = family.at(point);
      if (!loaded.scenario) {
        fail(out[i], "failed", loaded.problems.front().text);
        count();
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
      std::string& line = out[row_of[k]];
      if (outcome.failure.empty()) {
        finish(line, measures[k], outcome.run);
      } else {
        fail(line, outcome.diverged ? "diverged" : "failed", outcome.failure);
      }
      count();
    };
    simulate_all(experiments, options);
    std::string text;
    for (const std::string& line : out) text += line;
    return text;
  }

  void fail(std::string& line, const char* status, const std::string& why) const {
    line.append(plan_.measures.size(), ',');
    line += fmt::format("{},{}\n", status, csv_cell(why));
  }
  /// Undefined measures are empty, with the reason in the message.
  static void finish(std::string& line, const std::vector<Measure>& measures, const Run& run) {
    std::string message;
    for (const Measure& m : measures) {
      const Number x = number_of(m.quantity, run);
      if (x.reason.empty()) {
        line += bristle::to_text(x.value);
      } else {
        message += fmt::format("{}{} is undefined: {}", message.empty() ? "" : "; ", m.name, x.reason);
      }
      line += ',';
    }
    line += fmt::format("done,{}\n", csv_cell(message));
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

void run(const ScenarioFamily& family, const Plan& plan, const Store& store, const RunHooks& hooks) {
  const unsigned threads = hooks.threads > 0 ? hooks.threads : std::max(1U, std::thread::hardware_concurrency());
  Work work(plan, store, hooks, threads);
  in_parallel(threads, threads, [&](std::size_t) { work.work(family); });
}

}  // namespace bristle::sweep
