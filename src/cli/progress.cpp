#include "cli/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "cli/screen.hpp"

namespace bristle::cli {

using namespace std::chrono_literals;

namespace {

/// "1:02:03 left", "12 s left".
std::string left_text(double seconds) {
  if (!(seconds < 360000)) return "";
  const auto s = static_cast<int>(seconds + 0.999);
  if (s < 60) return fmt::format(", {} s left", s);
  return s < 3600 ? fmt::format(", {}:{:02} left", s / 60, s % 60)
                  : fmt::format(", {}:{:02}:{:02} left", s / 3600, s / 60 % 60, s % 60);
}

}  // namespace

Progress::Progress(double whole, bool wanted, When when, double before)
    : whole_(whole),
      before_(before),
      terminal_(::isatty(STDERR_FILENO) == 1),
      wanted_(wanted && (terminal_ || when == When::always)),
      begin_(Clock::now()),
      next_(begin_ + (terminal_ ? Clock::duration(500ms) : Clock::duration(10s))) {}

void Progress::reached(double part) {
  if (!wanted_ || Clock::now() < next_) return;
  const double share = std::clamp(part / whole_, 0.0, 1.0),
               spent = std::chrono::duration<double>(Clock::now() - begin_).count();
  const std::string left = part > before_ ? left_text(spent * (whole_ - part) / (part - before_)) : "";
  if (terminal_) {
    constexpr std::size_t width = 40;
    const auto full = static_cast<std::size_t>(share * width);
    print_error("\r[{:-<{}}] {:3.0f} %{:<16}", std::string(full, '#'), width, share * 100, left);
    shown_ = true;
    next_ = Clock::now() + 100ms;
  } else {
    print_error("{:.1f} %{}\n", share * 100, left);
    next_ = Clock::now() + 10s;
  }
  std::fflush(stderr);
}

void Progress::finish() {
  if (shown_) print_error("\r{:66}\r", "");
  shown_ = false;
}

}  // namespace bristle::cli
