#pragma once
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <ctime>
#include <string_view>

#include "bristle/output.hpp"

namespace bristle::cli {

/// During its lifetime the first Ctrl-C sets a flag; the second one ends the program. A command that keeps no partial
/// results also has a deadline: if it has not reacted to the flag by then (while it draws millions of points or factors
/// a large matrix), the program ends with status 130 and leaves no file behind.
class Interrupt {
 public:
  Interrupt() {
    flag() = false;
    struct sigaction action{};
    action.sa_handler = [](int) {
      flag() = true;
      if (deadline_) ::timer_settime(timer_, 0, &patience, nullptr);
    };
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    ::sigaction(SIGINT, nullptr, &before_);
    if (before_.sa_handler != SIG_IGN) ::sigaction(SIGINT, &action, nullptr);
  }
  /// Sets a deadline; when it passes, the program prints `last_words` and ends.
  explicit Interrupt(std::string_view last_words) : Interrupt() {
    last_words_ = last_words;
    struct sigaction action{};
    action.sa_handler = [](int) {
      OutputFile::discard_all();
      if (::write(STDERR_FILENO, last_words_.data(), last_words_.size()) < 0) ::_exit(130);
      ::_exit(130);
    };
    ::sigaction(SIGALRM, &action, nullptr);
    deadline_ = ::timer_create(CLOCK_MONOTONIC, nullptr, &timer_) == 0;  // sends SIGALRM
  }
  ~Interrupt() {
    ::sigaction(SIGINT, &before_, nullptr);
    if (deadline_) ::timer_delete(timer_);
    deadline_ = false;
  }
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  static std::atomic<bool>& flag() {
    static_assert(std::atomic<bool>::is_always_lock_free);
    return flag_;
  }

  /// Blocks signals during its lifetime.
  class Pause {
   public:
    Pause() {
      sigset_t signals;
      ::sigemptyset(&signals);
      for (const int s : {SIGINT, SIGALRM}) ::sigaddset(&signals, s);
      ::pthread_sigmask(SIG_BLOCK, &signals, &before_);
    }
    ~Pause() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    Pause(const Pause&) = delete;
    Pause& operator=(const Pause&) = delete;

   private:
    sigset_t before_{};
  };

 private:
  static constexpr itimerspec patience{{0, 0}, {0, 600'000'000}};
  inline static std::atomic<bool> flag_{false};
  inline static volatile std::sig_atomic_t deadline_ = 0;
  inline static timer_t timer_{};
  inline static std::string_view last_words_{};
  struct sigaction before_{};
};

}  // namespace bristle::cli
