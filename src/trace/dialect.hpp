#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The format of a text file of numbers, detected from its first lines.
namespace bristle::csv {

using Cells = std::vector<std::string_view>;

struct Line {
  std::size_t number;
  std::string text;
};

/// The cell without blanks and quotes around it.
void split(std::string_view line, char separator, Cells& cells);

/// A number, or NaN for an empty cell, NA or null; a decimal comma is accepted if the comma is not the separator.
std::optional<double> cell_number(std::string_view cell, char separator);
bool is_missing(std::string_view cell);
bool is_comment(std::string_view line);

struct Dialect {
  char separator = ',';
  std::vector<std::string> names{}, units{};  // empty: no header, no units
  std::vector<bool> text{};                   // columns of text
  std::size_t cells = 0;                      // cells of a row
  std::size_t first = 0;                      // index of the first row in the sample
  std::size_t header_line = 0;                // line that determined the number of cells
  std::vector<std::string> notes{};
};
/// `last_comment` may contain the names, as in files of numpy.
Dialect dialect_of(const std::vector<Line>& sample, std::string_view last_comment);

}  // namespace bristle::csv
