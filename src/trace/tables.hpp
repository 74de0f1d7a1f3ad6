#pragma once
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bristle/trace.hpp"
#include "trace/dialect.hpp"
#include "trace/thinned.hpp"

namespace bristle::csv {

/// Finds the tables in the lines of a text file and keeps the longest one.
class Tables {
 public:
  Tables(const std::string& path, std::size_t most_rows, bool relative)
      : path_(path), most_rows_(most_rows), relative_(relative) {}

  void line(std::string_view text, std::size_t number);
  /// The next line is the last one and has no end: it may be incomplete.
  void last() { last_ = true; }
  bool gave_up() const;
  TraceRead result() &&;

 private:
  struct Table {
    explicit Table(std::size_t most_rows) : rows(out.trace, most_rows) {}

    Dialect dialect{};
    TraceRead out{};
    Thinned rows;
    std::vector<std::optional<Exact>> exact{};  // per column: first value of numbers with many digits
    std::size_t line = 0;                       // of the first row
    bool interrupted = false;                   // rows are not on consecutive lines
    std::size_t repeated = 0, between = 0;      // skipped lines: repeated headers, text
    std::size_t between_line = 0;
  };

  void gather(std::string_view text, std::size_t number);
  void decide(bool end);
  void begin(Dialect dialect);
  void row(std::string_view text, std::size_t number);
  bool unlike_a_row(std::string_view text, std::size_t number);
  bool drop_column(std::size_t cell);
  void wrong(std::size_t number, std::string text);
  void close();

  const std::string& path_;
  std::size_t most_rows_;
  bool relative_, last_ = false, gathering_ = true, forced_ = false;
  std::vector<Line> sample_{};
  std::size_t enough_ = 32, pending_lines_ = 0;
  std::string pending_{};  // a header with line ends in quotes
  std::unique_ptr<Table> table_{}, longest_{};
  std::vector<std::string> others_{};  // tables that are not read
  Cells cells_{};
  std::vector<double> values_{};
  DecimalMarks marks_{};
};

}  // namespace bristle::csv
