#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "trace/dialect.hpp"

namespace bristle::csv {

using Names = std::vector<std::string>;

/// The lines above the rows that hold names and units.
struct Heading {
  Names names{}, units{};
  std::size_t top = 0;       // index of the first line of the heading
  std::size_t names_at = 0;  // index of the line with the names
  bool from_comment = false;
};
/// `first`: index of the first row; `index`: the first column counts the rows, so that it may have no name.
std::optional<Heading> heading_of(const std::vector<Line>& sample, std::size_t first, char separator, std::size_t cells,
                                  bool index);

}  // namespace bristle::csv
