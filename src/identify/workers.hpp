#pragma once
#include <algorithm>
#include <ctime>
#include <mutex>
#include <string>

#include "base/parallel.hpp"
#include "bristle/registry/any.hpp"
#include "identify/candidate.hpp"

namespace bristle::identify {

/// CPU time of this thread, s.
inline double worked() {
  timespec t{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

/// Runs jobs on all threads and reports progress.
class Workers {
 public:
  Workers(const Options& options, Control& control) : options_(options), control_(control) {}
  /// `share`: fraction of the whole work, for the progress bar.
  template <class F> void each(std::size_t jobs, double share, const std::string& what, F&& job) {
    std::size_t finished = 0;
    in_parallel(jobs, static_cast<unsigned>(std::max(0, options_.threads)), [&](std::size_t i) {
      job(i);
      const std::lock_guard lock(mutex_);  // counted and reported at once: progress never decreases
      tell(done_ + share * static_cast<double>(++finished) / static_cast<double>(jobs), what);
    });
    done_ += share;
  }

 private:
  void tell(double done, const std::string& what) {
    if (!options_.progress) return;
    if (!options_.progress(std::min(done, 1.0), what)) control_.stop();
  }
  const Options& options_;
  Control& control_;
  std::mutex mutex_;
  double done_ = 0;
};

/// Adds time and evaluations of one job to its candidate.
template <class F> void account(Candidate& c, std::mutex& mutex, F&& f) {
  const double begin = worked();
  std::string failure;
  std::size_t evaluations = 0;
  try {
    f(evaluations);
  } catch (const BadInput& e) { failure = e.what(); }
  const std::lock_guard lock(mutex);
  c.seconds += worked() - begin;
  c.evaluations += evaluations;
  if (c.failure.empty()) c.failure = failure;
}

}  // namespace bristle::identify
