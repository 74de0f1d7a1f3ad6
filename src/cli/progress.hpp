#pragma once
#include <chrono>

namespace bristle::cli {

/// A progress bar with the time left on stderr, if that is a terminal and the work takes longer than half a second; else a
/// line every ten seconds.
class Progress {
 public:
  Progress(double whole, bool wanted);
  ~Progress() { finish(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  void reached(double part);
  /// Erases the bar.
  void finish();

 private:
  using Clock = std::chrono::steady_clock;
  double whole_;
  bool wanted_, terminal_, shown_ = false;
  Clock::time_point begin_, next_;
};

}  // namespace bristle::cli
