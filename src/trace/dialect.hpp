#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// How a text file of numbers is written, found out from its first lines.
namespace bristle::csv {

using Cells = std::vector<std::string_view>;

struct Line {
  std::size_t number;
  std::string text;
};

/// Trimmed, without its quotes.
void split(std::string_view line, char separator, Cells& cells);

/// A number, or NaN for what is empty or says so; a decimal comma is one where the comma does not separate.
std::optional<double> cell_number(std::string_view cell, char separator);
bool is_missing(std::string_view cell);
bool is_comment(std::string_view line);

struct Dialect {
  char separator = ',';
  std::vector<std::string> names{}, units{};  // empty: no header, no units
  std::vector<bool> text{};                   // columns that hold words
  std::size_t cells = 0;                      // of a row
  std::size_t first = 0;                      // sample line where the rows begin
  std::size_t header_line = 0;                // where the number of cells was seen first
  std::vector<std::string> notes{};
};
/// `last_comment` may hold the names, as numpy writes them.
Dialect dialect_of(const std::vector<Line>& sample, std::string_view last_comment);

}  // namespace bristle::csv
