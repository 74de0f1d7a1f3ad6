#pragma once
#include <atomic>
#include <csignal>

namespace bristle::cli {

/// While it lives, the first Ctrl-C sets a flag; the second one ends the program as usual.
class Interrupt {
 public:
  Interrupt() {
    flag() = false;
    struct sigaction action{};
    action.sa_handler = [](int) { flag() = true; };
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    ::sigaction(SIGINT, nullptr, &before_);
    if (before_.sa_handler != SIG_IGN) ::sigaction(SIGINT, &action, nullptr);
  }
  ~Interrupt() { ::sigaction(SIGINT, &before_, nullptr); }
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  static std::atomic<bool>& flag() {
    static_assert(std::atomic<bool>::is_always_lock_free);
    return flag_;
  }

 private:
  inline static std::atomic<bool> flag_{false};
  struct sigaction before_{};
};

}  // namespace bristle::cli
