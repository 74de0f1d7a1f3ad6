#include "cli/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>

#include "cli/screen.hpp"

namespace bristle::cli {

using namespace std::chrono_literals;

namespace {

/// "12 s left", from the time that a share of the work took; empty before an estimate is possible.
std::string time_left(double share, double seconds) {
  if (share < 0.01 || seconds < 1) return "";
  const auto left = static_cast<std::int64_t>(std::ceil(seconds * (1 - share) / share));
  if (left < 100) return fmt::format(", {} s left", left);
  if (left < 100 * 60) return fmt::format(", {} min left", (left + 59) / 60);
  return fmt::format(", {} h left", (left + 3599) / 3600);
}

}  // namespace

Progress::Progress(double whole, bool wanted, double before)
    : whole_(whole),
      before_(before),
      wanted_(wanted),
      terminal_(::isatty(STDERR_FILENO) == 1),
      begin_(Clock::now()),
      next_(begin_ + (terminal_ ? 500ms : 10s)) {}

void Progress::reached(double part) {
  if (!wanted_ || Clock::now() < next_) return;
  constexpr std::size_t width = 40;
  const double share = std::clamp(part / whole_, 0.0, 1.0);
  const auto full = static_cast<std::size_t>(share * width);
  const double spent = std::chrono::duration<double>(Clock::now() - begin_).count();
  const std::string left = time_left((part - before_) / (whole_ - before_), spent);
  if (!terminal_) {
    print_error("progress {:.0f} %{}\n", share * 100, left);
    next_ += 10s;
    return;
  }
  print_error("\r[{:-<{}}] {:3.0f} %{:<16}", std::string(full, '#'), width, share * 100, left);
  std::fflush(stderr);
  shown_ = true;
  next_ = Clock::now() + 100ms;
}

void Progress::finish() {
  if (shown_) print_error("\r{:66}\r", "");
  shown_ = false;
}

}  // namespace bristle::cli
