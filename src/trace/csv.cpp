#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>
#include <ostream>

#include "bristle/output.hpp"
#include "bristle/trace.hpp"
#include "trace/tables.hpp"

namespace bristle {
namespace {

constexpr std::size_t most_bytes = std::size_t{1} << 30;  // limit without a limit of rows
constexpr std::size_t longest_line = std::size_t{1} << 20;

/// Splits pieces of a file into lines, which LF, CRLF or CR end.
class Lines {
 public:
  Lines(const std::string& path, std::size_t most_rows, const TextOptions& options)
      : path_(path), skip_(options.skip), parser_(path, most_rows, options.relative) {}

  /// False if no further pieces are required.
  bool take(std::string_view piece) {
    piece = decode_(piece);
    if (end_ == 0) end_ = end_of_lines(piece);
    const char end = end_ == 0 ? '\n' : end_;
    for (std::size_t at = piece.find(end); at != std::string_view::npos; at = piece.find(end)) {
      line(piece.substr(0, at));
      piece.remove_prefix(at + 1);
      if (parser_.gave_up()) return false;
    }
    rest_ += piece;
    if (rest_.size() > longest_line)
      problem_ = fmt::format("line {} is longer than 1 MiB; a text file is required", number_);
    return problem_.empty();
  }
  TraceRead result() && {
    if (!problem_.empty()) return {{}, {{path_, problem_}}};
    if (!rest_.empty()) {
      parser_.last();
      line("");
    }
    if (skip_ > 0 && number_ <= skip_ + 1)
      return {{}, {{path_, fmt::format("has {} lines, all of them skipped by --skip {}", number_ - 1, skip_)}}};
    return std::move(parser_).result();
  }

 private:
  static char end_of_lines(std::string_view piece) {
    const std::size_t at = piece.find_first_of("\r\n");
    if (at == std::string_view::npos) return 0;
    return piece[at] == '\r' && at + 1 < piece.size() && piece.find('\n', at) == std::string_view::npos ? '\r' : '\n';
  }
  void line(std::string_view end) {
    if (rest_.empty()) {
      whole(end);
    } else {
      rest_ += end;
      whole(rest_);
      rest_.clear();
    }
  }
  void whole(std::string_view text) {
    if (number_ > skip_) parser_.line(text, number_);
    ++number_;
  }

  const std::string& path_;
  std::size_t skip_;
  csv::Tables parser_;
  csv::Decoder decode_{};
  char end_ = 0;
  std::string rest_{}, problem_{};
  std::size_t number_ = 1;
};

}  // namespace

void write_csv(const Trace& trace, std::ostream& out) {
  constexpr std::size_t full = std::size_t{1} << 16, longest = 32;  // the shortest form of a number has at most 24
  std::string buffer;
  buffer.reserve(full + longest * (trace.columns.size() + 1));
  for (const Column& c : trace.columns) buffer += (buffer.empty() ? "" : ",") + c.name;
  buffer += '\n';
  for (std::size_t i = 0; i < trace.rows(); ++i) {
    for (const Column& c : trace.columns) {
      char digits[longest];
      const double x = std::isnan(c.values[i]) ? std::numeric_limits<double>::quiet_NaN() : c.values[i];
      buffer.append(digits, std::to_chars(digits, digits + longest, x).ptr);
      buffer += ',';
    }
    buffer.back() = '\n';
    if (buffer.size() >= full) {
      if (!out.write(buffer.data(), static_cast<std::streamsize>(buffer.size()))) return;
      buffer.clear();
    }
  }
  out.write(buffer.data(), static_cast<std::streamsize>(buffer.size()));
}

TraceRead parse_csv(std::string_view text, const std::string& path, std::size_t most_rows, const TextOptions& options) {
  Lines lines(path, most_rows, options);
  lines.take(text);
  return std::move(lines).result();
}

TraceRead read_csv(const std::string& path, std::size_t most_rows, const TextOptions& options) {
  try {
    Lines lines(path, most_rows, options);
    std::size_t size = 0;
    read_pieces(path, [&](std::string_view piece) {
      size += piece.size();
      return (most_rows > 0 || size <= most_bytes) && lines.take(piece);
    });
    if (most_rows == 0 && size > most_bytes)
      throw FileError(fmt::format("{}: is too long; at most {} MiB are accepted", path, most_bytes >> 20));
    return std::move(lines).result();
  } catch (const FileError& e) { return {{}, {{"", e.what()}}}; }
}

}  // namespace bristle
