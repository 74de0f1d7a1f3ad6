#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "trace/cells.hpp"

/// The format of a text file of numbers, detected from its first lines.
namespace bristle::csv {

struct Line {
  std::size_t number;
  std::string text;
  bool comment = false;  // only its words may be of use
};

struct Dialect {
  char separator = ',';
  std::vector<std::string> names{}, units{};  // empty: no header, no units
  std::vector<bool> text{};                   // columns of text
  std::size_t cells = 0;                      // cells of a row
  std::size_t first = 0;                      // index of the first row in the sample
  std::size_t header_line = 0;                // line that determined the number of cells
  bool rows = false;                          // there are rows of numbers
  bool certain = false;                       // many rows up to the end of the sample: more lines change nothing
  std::vector<std::string> notes{};
};
Dialect dialect_of(const std::vector<Line>& sample);

/// Lines of dashes or similar signs.
bool is_rule(std::string_view line);
/// Whether the first cell that is not in a column of text is a number, missing or a misspelt number: then the line should
/// be a row.
bool begins_as_row(const Cells& cells, const std::vector<bool>& text);

}  // namespace bristle::csv
