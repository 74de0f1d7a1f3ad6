#pragma once
#include <fmt/format.h>

#include <string_view>
#include <utility>

/// Standard output and error. Nothing stops the work when they cannot be written: end_output tells at the end.
namespace bristle::cli {

/// Before anything is opened: descriptors that were closed are taken, so that no file of ours becomes standard output, and
/// a reader that leaves early ends nothing.
void begin_output();
/// The exit status; with `status` done and output lost, a line on stderr and failed.
int end_output(int status);

void print_text(std::string_view text);
void flush_output();
template <class... A> void print(fmt::format_string<A...> format, A&&... values) {
  print_text(fmt::format(format, std::forward<A>(values)...));
}
/// On stderr, where nobody can be told of a failure.
void print_error_text(std::string_view text);
template <class... A> void print_error(fmt::format_string<A...> format, A&&... values) {
  print_error_text(fmt::format(format, std::forward<A>(values)...));
}

}  // namespace bristle::cli
