#include "cli/screen.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "cli/paint.hpp"
#include "commands.hpp"

namespace bristle::cli {
namespace {

int first_error = 0;  // of standard output

void note_error() {
  if (first_error == 0) first_error = errno != 0 ? errno : EIO;
}

}  // namespace

void begin_output() {
  // Each open takes the lowest free descriptor, hence this order. A wrong mode makes later reads or writes fail.
  for (const auto& [descriptor, mode] :
       {std::pair{STDIN_FILENO, O_RDONLY}, {STDOUT_FILENO, O_RDONLY}, {STDERR_FILENO, O_WRONLY}}) {
    if (::fcntl(descriptor, F_GETFD) == -1 && errno == EBADF && ::open("/dev/null", mode) != descriptor)
      std::_Exit(failed);
  }
  for (const int s : {SIGPIPE, SIGXFSZ}) std::signal(s, SIG_IGN);  // reported as errors of the write
}

void print_text(std::string_view text) {
  errno = 0;
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) note_error();
}

void flush_output() {
  errno = 0;
  if (std::fflush(stdout) != 0) note_error();
}

void print_error_text(std::string_view text) {
  const std::size_t colon = text.starts_with("bristle") ? text.find(": ") : std::string_view::npos;
  if (colon != std::string_view::npos) {  // the command that complains
    const std::string name = painted(text.substr(0, colon + 1), Paint::bad, Stream::error);
    std::fwrite(name.data(), 1, name.size(), stderr);
    text.remove_prefix(colon + 1);
  }
  std::fwrite(text.data(), 1, text.size(), stderr);
}

int end_output(int status) {
  flush_output();
  if (first_error == 0 || first_error == EPIPE) return status;
  print_error("bristle: standard output: cannot be written: {}\n", std::strerror(first_error));
  return status == done ? failed : status;
}

}  // namespace bristle::cli
