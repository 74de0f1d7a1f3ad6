#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <mutex>
#include <thread>

#include "bristle/gallery.hpp"
#include "gallery/table.hpp"
#include "scenario/shared/bounds.hpp"

namespace bristle::gallery {
namespace {

using Clock = std::chrono::steady_clock;

/// CPU time of this thread, ms.
double worked() {
  timespec t{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return 1e3 * static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_nsec);
}

bool shows_cpu(const FigureFile& file, std::size_t variant) {
  return std::any_of(file.tables.begin(), file.tables.end(), [&](const TableSpec& t) {
    return std::count(t.variants.begin(), t.variants.end(), variant) > 0 &&
           std::any_of(t.columns.begin(), t.columns.end(), [](const TableColumn& c) { return c.value == "cpu_ms"; });
  });
}

VariantResult run_one(const Variant& variant, bool timed, RunOptions options) {
  const Scenario& scenario = variant.scenario;
  constexpr std::size_t most = 15;
  constexpr double enough = 500;  // ms
  VariantResult out;
  options.probes = probe_times(scenario);
  std::vector<double> times;
  double sum = 0;
  do {
    const double begin = worked();
    out.run = simulate(scenario.experiment, options);
    times.push_back(worked() - begin);
    sum += times.back();
    options.progress = {};
  } while (timed && times.size() < most && (times.size() < 3 || sum < enough));
  std::sort(times.begin(), times.end());
  out.cpu_ms = times[times.size() / 2];
  const double begin = worked();
  for (const Scenario& s : variant.again) out.again.push_back(simulate(s.experiment, options));
  out.cpu_ms += worked() - begin;
  out.checks = check(scenario, out.run, out.again);
  for (const auto& [of, bounds] : variant.scatter) {
    const double deviation = measure(scenario.expectations[of], out.run, out.again).deviation;
    out.checks.push_back(
        scenario::compared(bounds, {deviation, 0}, 1, std::isnan(deviation) ? "a value is missing" : ""));
  }
  return out;
}

/// Distributes variants of all figures to threads.
class Work {
 public:
  Work(const std::vector<const FigureFile*>& figures,
       const std::function<void(std::size_t, const std::vector<VariantResult>&)>& finished, const RunHooks& hooks)
      : figures_(figures), finished_(finished), hooks_(hooks) {
    for (std::size_t f = 0; f < figures.size(); ++f) {
      for (std::size_t v = 0; v < figures[f]->variants.size(); ++v) jobs_.push_back({f, v});
      results_.emplace_back(figures[f]->variants.size());
      open_.push_back(figures[f]->variants.size());
    }
    parts_.resize(jobs_.size());
  }

  void run() {
    const unsigned wanted = hooks_.threads > 0 ? hooks_.threads : std::max(1U, std::thread::hardware_concurrency());
    std::vector<std::jthread> threads;
    for (std::size_t i = 1; i < std::min<std::size_t>(wanted, jobs_.size()); ++i)
      threads.emplace_back([this] { work(); });
    work();
    threads.clear();
    for (; next_ < figures_.size(); ++next_) {  // a stop may leave gaps
      if (open_[next_] == 0) hand_over(next_);
    }
    if (error_) std::rethrow_exception(error_);
  }

 private:
  struct Job {
    std::size_t figure, variant;
  };
  bool stopped() const { return hooks_.stop && hooks_.stop->load(std::memory_order_relaxed); }

  void work() {
    for (std::size_t i = job_++; i < jobs_.size() && !stopped() && !error_flag_; i = job_++) {
      try {
        do_job(i);
      } catch (const Stopped&) { return; } catch (...) {
        const std::lock_guard lock(mutex_);
        error_ = std::current_exception();
        error_flag_ = true;
      }
    }
  }

  void do_job(std::size_t i) {
    const auto [f, v] = jobs_[i];
    const Variant& variant = figures_[f]->variants[v];
    const double duration = variant.scenario.experiment.solver.duration;
    VariantResult result;
    try {
      auto now_and_then = [&, next = Clock::time_point{}](double t) mutable {  // many threads share one progress bar
        if (!hooks_.progress || Clock::now() < next) return;
        next = Clock::now() + std::chrono::milliseconds(50);
        reached(i, t / duration / static_cast<double>(variant.again.size() + 1));
      };
      result = run_one(variant, shows_cpu(*figures_[f], v), {.progress = now_and_then, .stop = hooks_.stop});
    } catch (const RunFailed& e) { result.failure = e.what(); } catch (const BadInput& e) {
      result.failure = e.what();
    }
    reached(i, 1);
    const std::lock_guard lock(mutex_);
    results_[f][v] = std::move(result);
    --open_[f];
    while (next_ < figures_.size() && open_[next_] == 0) hand_over(next_++);
  }

  void hand_over(std::size_t f) {
    check_across(*figures_[f], results_[f]);
    finished_(f, results_[f]);
    results_[f] = {};  // frees large traces
  }

  void reached(std::size_t i, double part) {
    if (!hooks_.progress) return;
    const std::lock_guard lock(progress_mutex_);
    sum_ += part - parts_[i];
    parts_[i] = part;
    hooks_.progress(sum_ / static_cast<double>(jobs_.size()));
  }

  const std::vector<const FigureFile*>& figures_;
  const std::function<void(std::size_t, const std::vector<VariantResult>&)>& finished_;
  const RunHooks& hooks_;
  std::vector<Job> jobs_{};
  std::vector<std::vector<VariantResult>> results_{};
  std::vector<std::size_t> open_{};
  std::size_t next_ = 0;  // next figure to hand over
  std::atomic<std::size_t> job_ = 0;
  std::vector<double> parts_{};
  double sum_ = 0;
  std::mutex mutex_{}, progress_mutex_{};
  std::exception_ptr error_{};
  std::atomic<bool> error_flag_ = false;
};

}  // namespace

bool VariantResult::held() const {
  return failure.empty() && std::all_of(checks.begin(), checks.end(), [](const Checked& c) { return c.held; });
}

void run(const std::vector<const FigureFile*>& figures,
         const std::function<void(std::size_t, const std::vector<VariantResult>&)>& finished, const RunHooks& hooks) {
  Work(figures, finished, hooks).run();
}

}  // namespace bristle::gallery
