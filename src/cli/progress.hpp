#pragma once
#include <chrono>

namespace bristle::cli {

/// Progress on stderr with the time left: a bar on a terminal if the work takes longer than half a second, else a line
/// every ten seconds.
class Progress {
 public:
  /// `before`: the part that earlier work has done.
  Progress(double whole, bool wanted, double before = 0);
  ~Progress() { finish(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  void reached(double part);
  /// Erases the bar.
  void finish();

 private:
  using Clock = std::chrono::steady_clock;
  double whole_, before_;
  bool wanted_, terminal_, shown_ = false;
  Clock::time_point begin_, next_;
};

}  // namespace bristle::cli
