#pragma once
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace bristle {

/// Every thread takes the next job; results depend on the job alone, not on the number of threads.
/// `wanted` 0: one thread per core. The first exception ends the work and is rethrown.
template <class F> void in_parallel(std::size_t jobs, unsigned wanted, F&& job) {
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  std::exception_ptr error;
  auto work = [&] {
    for (std::size_t i = next++; i < jobs; i = next++) {
      try {
        job(i);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!error) error = std::current_exception();
        next = jobs;
      }
    }
  };
  {
    std::vector<std::jthread> threads;
    const unsigned count = wanted > 0 ? wanted : std::max(1U, std::thread::hardware_concurrency());
    for (std::size_t i = 1; i < std::min<std::size_t>(count, jobs); ++i) threads.emplace_back(work);
    work();
  }
  if (error) std::rethrow_exception(error);
}

}  // namespace bristle
