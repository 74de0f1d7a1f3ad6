#include "cli/paint.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace bristle::cli {
namespace {

bool shows_colours(int descriptor) {
  const char* off = std::getenv("NO_COLOR");  // https://no-color.org: any text that is not empty
  const char* terminal = std::getenv("TERM");
  return !(off && *off != '\0') && terminal && *terminal != '\0' && std::string_view(terminal) != "dumb" &&
         ::isatty(descriptor) == 1;
}

}  // namespace

std::string painted(std::string_view text, Paint paint, Stream stream) {
  static const bool shown[]{shows_colours(STDOUT_FILENO), shows_colours(STDERR_FILENO)};
  if (!shown[static_cast<std::size_t>(stream)] || text.empty()) return std::string(text);
  constexpr const char* codes[]{"1", "32", "1;31", "2"};
  return std::string("\033[") + codes[static_cast<std::size_t>(paint)] + "m" + std::string(text) + "\033[0m";
}

std::size_t screen_width() {
  constexpr std::size_t least = 40, usual = 80, most = 120;
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return usual;
  return std::clamp<std::size_t>(size.ws_col, least, most);
}

}  // namespace bristle::cli
