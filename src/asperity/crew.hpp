#pragma once
#include <atomic>
#include <cstddef>
#include <functional>
#include <thread>
#include <vector>

namespace bristle::asperity {

/// Threads that wait for work; the caller is one of them.
class Crew {
 public:
  explicit Crew(unsigned n) {
    for (unsigned i = 1; i < n; ++i) others_.emplace_back([this](const std::stop_token&) { wait(); });
  }
  ~Crew() {
    work_ = nullptr;
    call_.fetch_add(1);
    call_.notify_all();
  }
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  /// Every thread runs `work` once.
  void run(const std::function<void()>& work) {
    work_ = &work;
    busy_ = others_.size();
    call_.fetch_add(1);
    call_.notify_all();
    work();
    for (std::size_t left = busy_; left != 0; left = busy_) busy_.wait(left);
  }

 private:
  void wait() {
    for (unsigned seen = 0;;) {
      call_.wait(seen);
      ++seen;
      if (!work_) return;
      (*work_)();
      if (busy_.fetch_sub(1) == 1) busy_.notify_all();
    }
  }
  const std::function<void()>* work_{};
  std::atomic<unsigned> call_{};
  std::atomic<std::size_t> busy_{};
  std::vector<std::jthread> others_;
};

}  // namespace bristle::asperity
