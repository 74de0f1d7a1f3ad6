#include "cli/screen.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

#include "cli/paint.hpp"
#include "commands.hpp"

namespace bristle::cli {
namespace {

int first_error = 0;  // of standard output
std::string command;

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

void print_table(const std::vector<std::vector<std::string>>& rows, std::size_t indent) {
  std::vector<std::size_t> width(rows.front().size());
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) width[i] = std::max(width[i], row[i].size());
  }
  for (const auto& row : rows) {
    std::string line(indent, ' ');
    for (std::size_t i = 0; i < row.size(); ++i) line += fmt::format("{:<{}}  ", row[i], width[i]);
    line.erase(line.find_last_not_of(' ') + 1);
    print("{}\n", line);
  }
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

void begin_command(std::string name) { command = std::move(name); }

void complain(std::string_view line) { print_error("bristle {}: {}\n", command, line); }

int end_output(int status) {
  flush_output();
  if (first_error == 0 || first_error == EPIPE) return status;
  print_error("bristle: standard output: cannot be written: {}\n", std::strerror(first_error));
  return status == done ? failed : status;
}

}  // namespace bristle::cli
