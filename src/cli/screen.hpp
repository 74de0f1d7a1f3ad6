#pragma once
#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Standard output and error. A failed write does not stop the work; end_output reports it at the end.
namespace bristle::cli {

/// Opens closed standard descriptors, so that no output file becomes standard output, and ignores SIGPIPE.
/// Called before any file is opened.
void begin_output();
/// Returns the exit status: `failed`, with a line on stderr, if `status` is done but output was lost.
int end_output(int status);

void print_text(std::string_view text);
void flush_output();
template <class... A> void print(fmt::format_string<A...> format, A&&... values) {
  print_text(fmt::format(format, std::forward<A>(values)...));
}
/// Columns as wide as their longest cell, two blanks apart, all left-aligned.
void print_table(const std::vector<std::vector<std::string>>& rows, std::size_t indent = 0);
/// Prints on stderr and ignores failures.
void print_error_text(std::string_view text);
template <class... A> void print_error(fmt::format_string<A...> format, A&&... values) {
  print_error_text(fmt::format(format, std::forward<A>(values)...));
}

/// The command that runs, named in front of its errors.
void begin_command(std::string name);
/// Prints an error of the command on stderr.
void complain(std::string_view line);

}  // namespace bristle::cli
