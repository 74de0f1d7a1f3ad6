#include "cli/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "cli/screen.hpp"

namespace bristle::cli {

using namespace std::chrono_literals;

Progress::Progress(double whole, bool wanted)
    : whole_(whole), wanted_(wanted && ::isatty(STDERR_FILENO) == 1), next_(Clock::now() + 500ms) {}

void Progress::reached(double part) {
  if (!wanted_ || Clock::now() < next_) return;
  constexpr std::size_t width = 40;
  const double share = std::clamp(part / whole_, 0.0, 1.0);
  const auto full = static_cast<std::size_t>(share * width);
  print_error("\r[{:-<{}}] {:3.0f} %", std::string(full, '#'), width, share * 100);
  std::fflush(stderr);
  shown_ = true;
  next_ = Clock::now() + 100ms;
}

void Progress::finish() {
  if (shown_) print_error("\r{:60}\r", "");
  shown_ = false;
}

}  // namespace bristle::cli
